//! Radau IIA with three stages: implicit, of order 5, stable for any stiffness, with a continuous solution of order 3.
//!
//! # Equations
//! The stages Z of a step solve Z = h A ⊗ f(t + c h, z + Z), by a simplified Newton iteration in variables W = T⁻¹ Z, in which A⁻¹ falls into a real
//! number γ and a complex one α ± iβ (section IV.8, equations 8.2 to 8.5). The error is (γ/h − J)⁻¹ (f(t, z) + Eᵀ Z/h), of order 3 (8.19, 8.20).

use super::lu::{Complex, Lu};
use super::{Place, Rates, Span, Tried, Work};

const SQRT6: f64 = 2.449_489_742_783_178;

/// Times of the stages, in parts of a step.
pub(super) const C: [f64; 3] = [(4.0 - SQRT6) / 10.0, (4.0 + SQRT6) / 10.0, 1.0];

/// aⱼₗ, row j: by which rates stage j is moved.
pub(super) const A: [[f64; 3]; 3] = [
    [(88.0 - 7.0 * SQRT6) / 360.0, (296.0 - 169.0 * SQRT6) / 1800.0, (-2.0 + 3.0 * SQRT6) / 225.0],
    [(296.0 + 169.0 * SQRT6) / 1800.0, (88.0 + 7.0 * SQRT6) / 360.0, (-2.0 - 3.0 * SQRT6) / 225.0],
    [(16.0 - SQRT6) / 36.0, (16.0 + SQRT6) / 36.0, 1.0 / 9.0],
];

/// Weights of the stages in the error.
pub(super) const E: [f64; 3] = [(-13.0 - 7.0 * SQRT6) / 3.0, (-13.0 + 7.0 * SQRT6) / 3.0, -1.0 / 3.0];

/// γ, and α − iβ.
const REAL: f64 = 3.637_834_252_744_496;
const COMPLEX: Complex = Complex { re: 2.681_082_873_627_752, im: -3.050_430_199_247_410_5 };

/// T and its inverse, rows.
const T: [[f64; 3]; 3] = [
    [0.094_438_762_488_975_24, -0.141_255_295_020_954_2, 0.030_029_194_105_147_42],
    [0.250_213_122_965_333_3, 0.204_129_352_293_799_94, -0.382_942_112_757_261_9],
    [1.0, 1.0, 0.0],
];
const TI: [[f64; 3]; 3] = [
    [4.178_718_591_551_905, 0.327_682_820_761_062_37, 0.523_376_445_499_449_5],
    [-4.178_718_591_551_905, -0.327_682_820_761_062_37, 0.476_623_554_500_550_44],
    [0.502_872_634_945_786_8, -2.571_926_949_855_605, 0.596_039_204_828_224_9],
];

/// Coefficients of the continuous solution: z + Σ Qₘ θᵐ, Qₘ = Σ Pₛₘ Zₛ.
const P: [[f64; 3]; 3] = [
    [13.0 / 3.0 + 7.0 * SQRT6 / 3.0, -23.0 / 3.0 - 22.0 * SQRT6 / 3.0, 10.0 / 3.0 + 5.0 * SQRT6],
    [13.0 / 3.0 - 7.0 * SQRT6 / 3.0, -23.0 / 3.0 + 22.0 * SQRT6 / 3.0, 10.0 / 3.0 - 5.0 * SQRT6],
    [1.0 / 3.0, -8.0 / 3.0, 10.0 / 3.0],
];

/// Newton iterations at most.
const ITERATIONS: i32 = 6;

/// The memory of one step, and what the next one can use of it.
#[derive(Debug, Clone)]
pub(super) struct Radau {
    n: usize,
    jacobian: Vec<f64>,
    /// Whether it is of the point where the step begins, and whether there is one at all.
    is_current: bool,
    is_there: bool,
    /// The step \[s\] that the matrices are split for; 0: none.
    split_for: f64,
    real: Lu<f64>,
    complex: Lu<Complex>,
    /// Stages Z, in the variables W, their rates, and changes of W.
    z: Vec<f64>,
    w: Vec<f64>,
    f: Vec<f64>,
    dw: Vec<f64>,
    right: Vec<f64>,
    right_complex: Vec<Complex>,
    solved: Vec<Complex>,
    error: Vec<f64>,
    at: Vec<f64>,
    /// Q of the last step, and its length \[s\]; 0: none.
    q: Vec<f64>,
    done: f64,
    /// Length \[s\] and error of the step before, for the length of the next.
    before: Option<(f64, f64)>,
    was_rejected: bool,
}

/// How a Newton iteration ended.
enum Newton {
    Converged { iterations: i32, rate: f64 },
    Not,
}

impl Radau {
    pub(super) fn new(n: usize) -> Radau {
        Radau {
            n,
            jacobian: vec![0.0; n * n],
            is_current: false,
            is_there: false,
            split_for: 0.0,
            real: Lu::new(n),
            complex: Lu::new(n),
            z: vec![0.0; 3 * n],
            w: vec![0.0; 3 * n],
            f: vec![0.0; 3 * n],
            dw: vec![0.0; 3 * n],
            right: vec![0.0; n],
            right_complex: vec![Complex::default(); n],
            solved: vec![Complex::default(); n],
            error: vec![0.0; n],
            at: vec![0.0; n],
            q: vec![0.0; 3 * n],
            done: 0.0,
            before: None,
            was_rejected: false,
        }
    }

    /// The states, or their equations, have jumped.
    pub(super) fn begin(&mut self) {
        self.is_current = false;
        self.done = 0.0;
    }

    /// Another run goes on from here: nothing of this one is used.
    pub(super) fn forget(&mut self) {
        self.begin();
        (self.is_there, self.split_for, self.before, self.was_rejected) = (false, 0.0, None, false);
    }

    /// Whether there is a step to look into.
    pub(super) fn has_step(&self) -> bool {
        self.done > 0.0
    }

    /// One step; its end into `now`, the time of which is there.
    pub(super) fn step<R: Rates>(
        &mut self,
        equations: &mut R,
        span: &Span<'_>,
        now: &mut Place,
        work: &mut Work,
    ) -> Result<Tried, R::Error> {
        let h = span.h;
        if !self.is_there {
            self.look(equations, span.old, work)?;
        }
        // The stages; where they do not converge, a new Jacobian matrix may help, and then a shorter step.
        self.guess(span);
        if self.split_for != h && !self.split(h) {
            return Ok(Tried::Again { next: 0.5 * h });
        }
        let (iterations, rate) = match self.solve(equations, span, work)? {
            Newton::Converged { iterations, rate } => (iterations, rate),
            Newton::Not if self.is_current => return Ok(Tried::Again { next: 0.5 * h }),
            Newton::Not => {
                self.look(equations, span.old, work)?;
                return Ok(Tried::Again { next: h });
            }
        };
        let n = self.n;
        for i in 0..n {
            now.z[i] = span.old.z[i] + self.z[2 * n + i];
        }
        let error = self.estimate(equations, span, &now.z, work)?;
        let safety = 0.9 * f64::from(2 * ITERATIONS + 1) / f64::from(2 * ITERATIONS + iterations);
        let factor = safety * self.factor(h, error);
        if !error.is_finite() || error > 1.0 {
            self.was_rejected = true;
            let factor = if factor.is_finite() { factor.clamp(0.2, 1.0) } else { 0.2 };
            return Ok(Tried::Again { next: h * factor });
        }
        // What the next step continues with.
        equations.rates(now.t, &now.z, &mut now.dz)?;
        work.rates += 1;
        self.keep(h);
        self.before = Some((h, error));
        self.was_rejected = false;
        self.is_current = false;
        if iterations > 2 && rate > 1e-3 {
            self.look(equations, now, work)?;
        }
        // A step that is nearly as long is as good: its matrices are there.
        let next = if !self.is_current && (1.0..1.2).contains(&factor) { h } else { h * factor.clamp(0.2, 10.0) };
        Ok(Tried::Done { next })
    }

    /// The Jacobian matrix at a point.
    fn look<R: Rates>(&mut self, equations: &mut R, at: &Place, work: &mut Work) -> Result<(), R::Error> {
        self.at.copy_from_slice(&at.z);
        equations.jacobian(at.t, &mut self.at, &at.dz, &mut self.jacobian)?;
        work.jacobians += 1;
        (self.is_there, self.is_current, self.split_for) = (true, true, 0.0);
        Ok(())
    }

    /// Splits γ/h − J and (α − iβ)/h − J. False where one is singular.
    fn split(&mut self, h: f64) -> bool {
        let (n, j) = (self.n, &self.jacobian);
        let element = |r: usize, c: usize| if r == c { REAL / h - j[r * n + c] } else { -j[r * n + c] };
        let complex = |r: usize, c: usize| {
            let (re, im) = if r == c { (COMPLEX.re / h, COMPLEX.im / h) } else { (0.0, 0.0) };
            Complex { re: re - j[r * n + c], im }
        };
        let is_regular = self.real.split(element) && self.complex.split(complex);
        self.split_for = if is_regular { h } else { 0.0 };
        is_regular
    }

    /// First guess of the stages: the solution of the last step, continued.
    fn guess(&mut self, span: &Span<'_>) {
        let n = self.n;
        if self.done == 0.0 {
            self.z.fill(0.0);
            self.w.fill(0.0);
            return;
        }
        for i in 0..n {
            let q = [self.q[i], self.q[n + i], self.q[2 * n + i]];
            // The end of the last step is where this one begins: values are counted from there.
            let end: f64 = q.iter().sum();
            for (s, c) in C.iter().enumerate() {
                let theta = 1.0 + c * span.h / self.done;
                self.z[s * n + i] = theta * (q[0] + theta * (q[1] + theta * q[2])) - end;
            }
            for s in 0..3 {
                self.w[s * n + i] = (0..3).map(|k| TI[s][k] * self.z[k * n + i]).sum();
            }
        }
    }

    /// Newton iterations for the stages.
    fn solve<R: Rates>(&mut self, equations: &mut R, span: &Span<'_>, work: &mut Work) -> Result<Newton, R::Error> {
        let (n, h) = (self.n, span.h);
        let tolerance = (10.0 * f64::EPSILON / span.relative).max(span.relative.sqrt().min(0.03));
        let (real, complex) = (REAL / h, Complex { re: COMPLEX.re / h, im: COMPLEX.im / h });
        let (mut last, mut rate) = (None::<f64>, 0.0);
        for k in 0..ITERATIONS {
            // Rates at the stages.
            for (s, c) in C.iter().enumerate() {
                (0..n).for_each(|i| self.at[i] = span.old.z[i] + self.z[s * n + i]);
                equations.rates(span.old.t + c * h, &self.at, &mut self.f[s * n..(s + 1) * n])?;
                work.rates += 1;
            }
            if self.f.iter().any(|x| !x.is_finite()) {
                return Ok(Newton::Not);
            }
            // One change of W, real and complex.
            for i in 0..n {
                let [a, b, c] = [0, 1, 2].map(|s| (0..3).map(|m| TI[s][m] * self.f[m * n + i]).sum::<f64>());
                self.right[i] = a - real * self.w[i];
                let w = Complex { re: self.w[n + i], im: self.w[2 * n + i] };
                self.right_complex[i] = Complex { re: b, im: c } - complex * w;
            }
            let (first, rest) = self.dw.split_at_mut(n);
            self.real.solve(&self.right, first);
            self.complex.solve(&self.right_complex, &mut self.solved);
            for i in 0..n {
                (rest[i], rest[n + i]) = (self.solved[i].re, self.solved[i].im);
            }
            // How fast it converges.
            let size = self.size(span);
            if let Some(last) = last {
                rate = size / last;
                let left = rate.powi(ITERATIONS - k) / (1.0 - rate) * size;
                if !rate.is_finite() || rate >= 1.0 || left > tolerance {
                    return Ok(Newton::Not);
                }
            }
            self.w.iter_mut().zip(&self.dw).for_each(|(w, dw)| *w += dw);
            for i in 0..n {
                for s in 0..3 {
                    self.z[s * n + i] = (0..3).map(|m| T[s][m] * self.w[m * n + i]).sum();
                }
            }
            if size == 0.0 || (last.is_some() && rate / (1.0 - rate) * size < tolerance) {
                return Ok(Newton::Converged { iterations: k + 1, rate });
            }
            last = Some(size);
        }
        Ok(Newton::Not)
    }

    /// Norm of the change of W.
    fn size(&self, span: &Span<'_>) -> f64 {
        let n = self.n;
        let sum: f64 = (0..3 * n).map(|k| (self.dw[k] / span.scale(k % n, span.old.z[k % n])).powi(2)).sum();
        (sum / (3 * n) as f64).sqrt()
    }

    /// ‖e‖ of the step.
    fn estimate<R: Rates>(
        &mut self,
        equations: &mut R,
        span: &Span<'_>,
        z: &[f64],
        work: &mut Work,
    ) -> Result<f64, R::Error> {
        let (n, h) = (self.n, span.h);
        let stages = |z: &[f64], i: usize| (0..3).map(|s| E[s] * z[s * n + i]).sum::<f64>() / h;
        (0..n).for_each(|i| self.right[i] = span.old.dz[i] + stages(&self.z, i));
        self.real.solve(&self.right, &mut self.error);
        let mut norm = self.norm(span, z);
        // Where it was too large before, it is filtered once more: stiff parts are judged too hard.
        if norm > 1.0 && self.was_rejected {
            (0..n).for_each(|i| self.at[i] = span.old.z[i] + self.error[i]);
            equations.rates(span.old.t, &self.at, &mut self.right)?;
            work.rates += 1;
            (0..n).for_each(|i| self.right[i] += stages(&self.z, i));
            self.real.solve(&self.right, &mut self.error);
            norm = self.norm(span, z);
        }
        Ok(norm)
    }

    fn norm(&self, span: &Span<'_>, z: &[f64]) -> f64 {
        let sum: f64 = (0..self.n).map(|i| (self.error[i] / span.scale(i, z[i])).powi(2)).sum();
        let norm = (sum / span.n() as f64).sqrt();
        if norm < 1e-10 { 1e-10 } else { norm }
    }

    /// The states at the start (0) or at a stage (1 to 3) of the step just done, into `z`, and their rates, where they are known.
    pub(super) fn at_stage<'a>(
        &self,
        (old, now): (&'a Place, &'a Place),
        point: usize,
        z: &mut [f64],
    ) -> Option<&'a [f64]> {
        let place = if point == 3 { now } else { old };
        z.copy_from_slice(&place.z);
        if point == 1 || point == 2 {
            z.iter_mut().zip(&self.z[(point - 1) * self.n..]).for_each(|(z, stage)| *z += stage);
            return None;
        }
        Some(&place.dz)
    }

    /// (γ/h − J)⁻¹ of a right-hand side, with the matrix of the step just done.
    pub(super) fn filter(&self, right: &[f64], x: &mut [f64]) {
        self.real.solve(right, x);
    }

    /// By how much the next step may be longer, from this error and the one before (8.25).
    fn factor(&self, h: f64, error: f64) -> f64 {
        let trend = self.before.map_or(1.0, |(before, last)| h / before * (last / error).powf(0.25));
        trend.min(1.0) * error.powf(-0.25)
    }

    /// Keeps the continuous solution.
    fn keep(&mut self, h: f64) {
        let n = self.n;
        for i in 0..n {
            for m in 0..3 {
                self.q[m * n + i] = (0..3).map(|s| P[s][m] * self.z[s * n + i]).sum();
            }
        }
        self.done = h;
    }

    /// The states at the part `theta` of the last step.
    pub(super) fn inside(&self, old: &Place, theta: f64, z: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            let q = [self.q[i], self.q[n + i], self.q[2 * n + i]];
            z[i] = old.z[i] + theta * (q[0] + theta * (q[1] + theta * q[2]));
        }
    }
}
