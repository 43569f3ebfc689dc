//! Deviations from a solution, by the variational equations along the steps that an [`Integrator`] makes.
//!
//! # Equations
//! Where the inputs u of ż = f(t, z, u) are u + Δuᵢ instead, i = 1 … m, the solution is z + sᵢ, to first order, with
//!
//! ```text
//! ṡᵢ = F sᵢ + G Δuᵢ(t),   sᵢ(t₀) = 0,   F = ∂f/∂z, G = ∂f/∂u
//! ```
//!
//! A step that is done for z is done for all sᵢ by the same method, with F and G at its stages. So sᵢ is the derivative of what is computed, not only
//! of what should be. The stages of the implicit method are one linear system of 3 n equations, which needs no iteration:
//!
//! ```text
//! Sⱼ − h Σₗ aⱼₗ Fₗ Sₗ = h Σₗ aⱼₗ (Fₗ s + Gₗ Δuₗ),   s(t + h) = s(t) + S₃
//! ```
//!
//! Errors are those that the method estimates, relative to the largest that the deviation has been so far; where one is too large, the step is made
//! anew, shorter, for z too.
//!
//! # Notation
//! | symbol | code | meaning |
//! |---|---|---|
//! | n, p, m | `n`, `p`, `m` | states, inputs that differ, deviations |
//! | sᵢ, Δuᵢ | `s`, `du` | deviations of states and of inputs, row by row |
//! | [F G] | `columns` | n + p columns of n numbers |
//!
//! # References
//! E. Hairer, S. P. Nørsett, G. Wanner: Solving Ordinary Differential Equations I, 2nd edition, Springer 1993, section I.14 (variational equations).

use super::lu::Lu;
use super::table::{A, C, E3, E5, STAGES};
use super::{Integrator, Place, Rates, Stopped, explicit, radau};

/// Equations with their derivatives, and inputs that differ.
pub trait Varied: Rates {
    /// Columns of ∂f/∂(z, u) at the time `t` \[s\] and the states `z`: n of the states, then those of the inputs that differ, n numbers each. `dz` is f
    /// there, where it is known. `sizes` are the largest deviations of each state; a column with size 0 may be left as it is. The states may be moved,
    /// and are put back.
    ///
    /// # Errors
    /// As [`Rates::rates`].
    fn columns(
        &mut self,
        at: (f64, &mut [f64], Option<&[f64]>),
        sizes: &[f64],
        columns: &mut [f64],
    ) -> Result<(), Self::Error>;

    /// Δuᵢ at the time `t` \[s\], row by row: m deviations of p inputs.
    fn differences(&mut self, t: f64, du: &mut [f64]);
}

/// Deviations of a solution, and the memory of one step.
#[derive(Debug, Clone)]
pub struct Variation {
    n: usize,
    p: usize,
    relative: f64,
    /// sᵢ at the end of the last step that counts, and of the one that is tried.
    s: Vec<f64>,
    end: Vec<f64>,
    /// The largest that each has been, in parts of the sizes of states.
    largest: Vec<f64>,
    /// Rates at the stages, one after the other.
    k: Vec<f64>,
    at: Vec<f64>,
    du: Vec<f64>,
    sizes: Vec<f64>,
    z: Vec<f64>,
    /// Matrices of up to four points of a step.
    columns: Vec<f64>,
    lu: Lu<f64>,
    right: Vec<f64>,
}

impl Variation {
    /// Of n states under m deviations of p inputs; they are zero here. `relative` is the tolerance, relative to their own sizes.
    pub fn new((n, p, m): (usize, usize, usize), relative: f64) -> Variation {
        Variation {
            n,
            p,
            relative,
            s: vec![0.0; m * n],
            end: vec![0.0; m * n],
            largest: vec![0.0; m],
            k: vec![0.0; (STAGES + 1) * m * n],
            at: vec![0.0; m * n],
            du: vec![0.0; m * p],
            sizes: vec![0.0; n],
            z: vec![0.0; n],
            columns: vec![0.0; 4 * n * (n + p)],
            lu: Lu::new(0),
            right: Vec::new(),
        }
    }

    /// sᵢ, row by row: m deviations of n states.
    pub fn deviations(&self) -> &[f64] {
        &self.s
    }

    /// The step that the integrator has just done, for the deviations; by which factor it may be longer as their errors are.
    fn follow<V: Varied>(&mut self, of: &mut Integrator, equations: &mut V) -> Result<f64, V::Error> {
        let h = of.now.t - of.old.t;
        let (error, order) = match &of.radau {
            Some(radau) if radau.has_step() => (self.implicit(of, equations, h)?, 4.0),
            _ => (self.explicit(of, equations, h)?, 8.0),
        };
        // NaN is no factor.
        Ok(if error.is_finite() { (0.9 * error.powf(-1.0 / order)).max(0.2) } else { 0.2 })
    }

    /// By the stages of the explicit method; the error.
    fn explicit<V: Varied>(&mut self, of: &mut Integrator, equations: &mut V, h: f64) -> Result<f64, V::Error> {
        let (width, all) = (self.s.len(), self.n * (self.n + self.p));
        for stage in 0..=STAGES {
            let t = if stage == STAGES { of.now.t } else { of.old.t + C[stage] * h };
            // Where the solution and the deviations are.
            let dz = of.explicit.at_stage((&of.old, &of.now), h, stage, &mut self.z);
            explicit::combine(&self.k, &self.s, h, A[stage], &mut self.at);
            self.measure(0.0);
            // Their rates.
            equations.columns((t, &mut self.z, Some(dz)), &self.sizes, &mut self.columns[..all])?;
            equations.differences(t, &mut self.du);
            let k = &mut self.k[stage * width..(stage + 1) * width];
            product(self.n, &self.columns[..all], (&self.at, &self.du), k);
        }
        self.end.copy_from_slice(&self.at);
        let error = |i: usize, weights: &[f64]| -> f64 {
            self.k.chunks_exact(width).zip(weights).map(|(k, w)| w * k[i]).sum::<f64>()
        };
        Ok(self.worst(of, |at| {
            let (five, three) = (error(at, &E5), error(at, &E3));
            let below = (five * five + 0.01 * three * three).sqrt();
            if below == 0.0 { 0.0 } else { h * five * five / below }
        }))
    }

    /// By the stages of the implicit method; the error.
    fn implicit<V: Varied>(&mut self, of: &mut Integrator, equations: &mut V, h: f64) -> Result<f64, V::Error> {
        let Some(radau) = of.radau.as_deref() else { return Ok(f64::NAN) };
        let (n, width, all) = (self.n, self.s.len(), self.n * (self.n + self.p));
        // Matrices, and rates of the deviations that there are, at the start and at the stages.
        self.at.copy_from_slice(&self.s);
        self.measure(f64::MIN_POSITIVE);
        for point in 0..4 {
            let t = of.old.t + h * if point == 0 { 0.0 } else { radau::C[point - 1] };
            let dz = radau.at_stage((&of.old, &of.now), point, &mut self.z);
            let columns = &mut self.columns[point * all..(point + 1) * all];
            equations.columns((t, &mut self.z, dz), &self.sizes, columns)?;
            equations.differences(t, &mut self.du);
            let rates = &mut self.k[point * width..(point + 1) * width];
            product(n, columns, (&self.s, &self.du), rates);
        }
        if !self.split(h) {
            return Ok(f64::NAN);
        }
        for i in 0..width / n {
            // The stages.
            let (right, stages) = self.right.split_at_mut(3 * n);
            for (r, right) in right.iter_mut().enumerate() {
                let rates = (0..3).map(|l| radau::A[r / n][l] * self.k[(1 + l) * width + i * n + r % n]);
                *right = h * rates.sum::<f64>();
            }
            self.lu.solve(right, stages);
            // The end, and the error.
            for c in 0..n {
                let place = i * n + c;
                self.end[place] = self.s[place] + stages[2 * n + c];
                let sum: f64 = (0..3).map(|j| radau::E[j] * stages[j * n + c]).sum();
                right[c] = self.k[place] + sum / h;
            }
            radau.filter(&right[..n], &mut self.at[i * n..(i + 1) * n]);
        }
        Ok(self.worst(of, |place| self.at[place]))
    }

    /// Splits the matrix of the stages of the implicit method. False where it is singular.
    fn split(&mut self, h: f64) -> bool {
        let (n, all) = (self.n, self.n * (self.n + self.p));
        if self.right.is_empty() {
            (self.lu, self.right) = (Lu::new(3 * n), vec![0.0; 6 * n]);
        }
        let columns = &self.columns;
        self.lu.split(|r, c| {
            let f = columns[(1 + c / n) * all + (c % n) * n + r % n];
            f64::from(u8::from(r == c)) - h * radau::A[r / n][c / n] * f
        })
    }

    /// The largest deviation of each state, and no less than this.
    fn measure(&mut self, least: f64) {
        self.sizes.fill(least);
        for row in self.at.chunks_exact(self.n) {
            self.sizes.iter_mut().zip(row).for_each(|(size, s)| *size = size.max(s.abs()));
        }
    }

    /// The largest error of a deviation at the end, in parts of the tolerance; `error` is that of a place in `end`.
    fn worst(&self, of: &Integrator, error: impl Fn(usize) -> f64) -> f64 {
        let mut worst = 0.0_f64;
        for (i, largest) in self.largest.iter().enumerate() {
            let norm = |x: &dyn Fn(usize) -> f64| {
                (0..self.n)
                    .map(|c| x(i * self.n + c).abs() / of.size(c))
                    .fold(0.0, |a: f64, b| if b > a || b.is_nan() { b } else { a })
            };
            let (error, size) = (norm(&error), norm(&|place| self.end[place]).max(*largest));
            let part = if error == 0.0 { 0.0 } else { error / (self.relative * size) };
            worst = if part > worst || part.is_nan() { part } else { worst };
        }
        worst
    }

    /// Takes the end of the step that was tried.
    fn take(&mut self, of: &Integrator) {
        std::mem::swap(&mut self.s, &mut self.end);
        for (largest, row) in self.largest.iter_mut().zip(self.s.chunks_exact(self.n)) {
            *largest = row.iter().enumerate().map(|(c, s)| s.abs() / of.size(c)).fold(*largest, f64::max);
        }
    }
}

/// The shortest step from `t` \[s\] that there is: a few roundings of time.
pub(super) fn shortest(t: f64, end: f64) -> f64 {
    16.0 * f64::EPSILON * t.abs().max(end.abs()).max(f64::MIN_POSITIVE)
}

/// F sᵢ + G Δuᵢ of all rows.
fn product(n: usize, columns: &[f64], (s, du): (&[f64], &[f64]), into: &mut [f64]) {
    let p = columns.len() / n - n;
    for (i, into) in into.chunks_exact_mut(n).enumerate() {
        into.fill(0.0);
        let by = s[i * n..(i + 1) * n].iter().chain(&du[i * p..(i + 1) * p]);
        for (x, column) in by.zip(columns.chunks_exact(n)).filter(|(x, _)| **x != 0.0) {
            into.iter_mut().zip(column).for_each(|(into, f)| *into += f * x);
        }
    }
}

impl Integrator {
    /// As [`Integrator::step`], together with the deviations of the solution: no longer than their errors allow.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn step_with<V: Varied>(
        &mut self,
        equations: &mut V,
        variation: &mut Variation,
        end: f64,
    ) -> Result<(), Stopped<V::Error>> {
        loop {
            self.step(equations, end)?;
            let factor = variation.follow(self, equations)?;
            let h = self.now.t - self.old.t;
            // The error would be 1 with a factor of 0.9.
            if factor >= 0.9 {
                variation.take(self);
                self.next = self.next.min(h * factor);
                return Ok(());
            }
            if h * factor < shortest(self.old.t, end) {
                return Err(Stopped::TooShort(self.old.t));
            }
            self.go_back(h * factor);
        }
    }

    /// Takes the last step back, which is to be no longer than this \[s\].
    fn go_back(&mut self, next: f64) {
        let Place { t, z, dz } = &self.old;
        self.now.t = *t;
        self.now.z.copy_from_slice(z);
        self.now.dz.copy_from_slice(dz);
        self.next = next;
        if let Some(radau) = &mut self.radau {
            radau.begin();
        }
    }

    /// How large state `i` is, at least as large as it usually is.
    fn size(&self, i: usize) -> f64 {
        self.nominal[i] + self.old.z[i].abs().max(self.now.z[i].abs())
    }
}
