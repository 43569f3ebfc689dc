//! DOP853: explicit, of order 8, with a continuous solution of order 7.

use super::table::{A, ALL, C, D, E3, E5, STAGES};
use super::{Place, Rates, Span, Tried, Work};

/// Steps that look stiff, with few others between them, before the equations are said to be stiff.
const STIFF_STEPS: u32 = 15;

/// Steps that do not look stiff, after which those that did are forgotten.
const FINE_STEPS: u32 = 6;

/// |h λ| up to which the method is stable on the negative real axis.
const STABLE: f64 = 6.1;

/// With a tolerance below [`TIGHT`] errors that have begun to grow are seen before: stability holds steps at less, in the mean, and accuracy would hold
/// them at a tenth of this.
const HELD: f64 = 4.0;
const TIGHT: f64 = 1e-9;

/// Errors are not taken for smaller than this.
const SMALLEST: f64 = 1e-16;

/// The memory of one step.
#[derive(Debug, Clone)]
pub(super) struct Explicit {
    n: usize,
    /// Rates of all stages, one after the other.
    k: Vec<f64>,
    /// States of a stage.
    at: Vec<f64>,
    /// Coefficients of the continuous solution, seven rows.
    f: Vec<f64>,
    /// Whether they are those of the last step.
    is_dense: bool,
    /// Steps that look stiff, and steps since that do not.
    stiff: u32,
    fine: u32,
}

impl Explicit {
    pub(super) fn new(n: usize) -> Explicit {
        Explicit { n, k: vec![0.0; ALL * n], at: vec![0.0; n], f: vec![0.0; 7 * n], is_dense: false, stiff: 0, fine: 0 }
    }

    pub(super) fn is_stiff(&self) -> bool {
        self.stiff >= STIFF_STEPS
    }

    /// Steps that look stiff, and steps since that do not.
    pub(super) fn looks(&self) -> (u32, u32) {
        (self.stiff, self.fine)
    }

    /// Takes over both numbers.
    pub(super) fn look_as(&mut self, (stiff, fine): (u32, u32)) {
        (self.stiff, self.fine) = (stiff, fine);
    }

    /// One step; its end into `now`, the time of which is there.
    pub(super) fn step<R: Rates>(
        &mut self,
        equations: &mut R,
        span: &Span<'_>,
        now: &mut Place,
        work: &mut Work,
    ) -> Result<Tried, R::Error> {
        let (n, h) = (self.n, span.h);
        self.is_dense = false;
        self.k[..n].copy_from_slice(&span.old.dz);
        for s in 1..STAGES {
            self.stage(equations, span.old, h, s)?;
        }
        // The states at the end, and their rates.
        combine(&self.k, &span.old.z, h, A[STAGES], &mut now.z);
        equations.rates(now.t, &now.z, &mut now.dz)?;
        work.rates += STAGES as u64;
        self.k[STAGES * n..(STAGES + 1) * n].copy_from_slice(&now.dz);
        // The error, and what follows for the length of a step.
        let error = self.error(span, &now.z);
        if !error.is_finite() {
            return Ok(Tried::Again { next: 0.2 * h });
        }
        let factor = 0.9 * error.powf(-1.0 / 8.0);
        if error > 1.0 {
            return Ok(Tried::Again { next: h * factor.clamp(0.2, 1.0) });
        }
        self.look_for_stiffness(span, &now.z);
        Ok(Tried::Done { next: h * factor.clamp(1.0 / 3.0, 6.0) })
    }

    /// Rates of stage `s`.
    fn stage<R: Rates>(&mut self, equations: &mut R, old: &Place, h: f64, s: usize) -> Result<(), R::Error> {
        combine(&self.k, &old.z, h, A[s], &mut self.at);
        equations.rates(old.t + C[s] * h, &self.at, &mut self.k[s * self.n..(s + 1) * self.n])
    }

    /// The states of a stage of the step just done, into `z`, and their rates; stage 12 is its end.
    pub(super) fn at_stage(&self, (old, now): (&Place, &Place), h: f64, s: usize, z: &mut [f64]) -> &[f64] {
        match s {
            STAGES => z.copy_from_slice(&now.z),
            _ => combine(&self.k, &old.z, h, A[s], z),
        }
        &self.k[s * self.n..(s + 1) * self.n]
    }

    /// ‖e‖ from both estimates (section II.10): e₅² / √(e₅² + 0.01 e₃²).
    fn error(&self, span: &Span<'_>, z: &[f64]) -> f64 {
        let (mut five, mut three) = (0.0, 0.0);
        for i in 0..self.n {
            let scale = span.scale(i, z[i]);
            let (mut sum5, mut sum3) = (0.0, 0.0);
            for (row, (w5, w3)) in self.k.chunks_exact(self.n).zip(E5.iter().zip(&E3)) {
                (sum5, sum3) = (sum5 + w5 * row[i], sum3 + w3 * row[i]);
            }
            five += (sum5 / scale).powi(2);
            three += (sum3 / scale).powi(2);
        }
        let below = five + 0.01 * three;
        let error = span.h * five / (below * self.n as f64).sqrt();
        // No error at all; NaN stays NaN.
        if below == 0.0 || error < SMALLEST { SMALLEST } else { error }
    }

    /// Whether |h λ| of the largest eigenvalue, as two points close to the end show it, is at the limit of stability.
    fn look_for_stiffness(&mut self, span: &Span<'_>, z: &[f64]) {
        let (n, last, h) = (self.n, STAGES - 1, span.h);
        let limit = if span.relative < TIGHT { HELD } else { STABLE };
        let (mut rates, mut states) = (0.0, 0.0);
        for i in 0..n {
            rates += (self.k[STAGES * n + i] - self.k[last * n + i]).powi(2);
            states += (z[i] - self.at[i]).powi(2);
        }
        if states > 0.0 && h * (rates / states).sqrt() > limit {
            (self.stiff, self.fine) = (self.stiff + 1, 0);
        } else {
            self.fine += 1;
            if self.fine == FINE_STEPS {
                self.stiff = 0;
            }
        }
    }

    /// Makes the continuous solution of the last step, where it is not there; how many evaluations of f that took.
    pub(super) fn look_inside<R: Rates>(
        &mut self,
        equations: &mut R,
        old: &Place,
        now: &Place,
    ) -> Result<u64, R::Error> {
        if self.is_dense {
            return Ok(0);
        }
        let (n, h) = (self.n, now.t - old.t);
        for s in STAGES + 1..ALL {
            self.stage(equations, old, h, s)?;
        }
        for i in 0..n {
            let by = now.z[i] - old.z[i];
            self.f[i] = by;
            self.f[n + i] = h * old.dz[i] - by;
            self.f[2 * n + i] = 2.0 * by - h * (now.dz[i] + old.dz[i]);
            for (row, weights) in D.iter().enumerate() {
                let sum: f64 = weights.iter().enumerate().map(|(s, w)| w * self.k[s * n + i]).sum();
                self.f[(3 + row) * n + i] = h * sum;
            }
        }
        self.is_dense = true;
        Ok((ALL - STAGES - 1) as u64)
    }

    /// The states at the part `theta` of the last step.
    pub(super) fn inside(&self, old: &Place, theta: f64, z: &mut [f64]) {
        for i in 0..self.n {
            let mut sum = 0.0;
            for row in (0..7).rev() {
                sum = (sum + self.f[row * self.n + i]) * if row % 2 == 0 { theta } else { 1.0 - theta };
            }
            z[i] = old.z[i] + sum;
        }
    }
}

/// z + h Σ aⱼ kⱼ, two states at a time: their sums do not wait for each other.
pub(super) fn combine(k: &[f64], z: &[f64], h: f64, a: &[f64], into: &mut [f64]) {
    let n = z.len();
    let mut i = 0;
    while i + 1 < n {
        let (mut first, mut second) = (0.0, 0.0);
        for (a, row) in a.iter().zip(k.chunks_exact(n)) {
            (first, second) = (first + a * row[i], second + a * row[i + 1]);
        }
        (into[i], into[i + 1]) = (z[i] + h * first, z[i + 1] + h * second);
        i += 2;
    }
    if i < n {
        let sum: f64 = a.iter().zip(k.chunks_exact(n)).map(|(a, row)| a * row[i]).sum();
        into[i] = z[i] + h * sum;
    }
}
