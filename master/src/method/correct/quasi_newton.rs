//! Quasi-Newton corrections from secants: IQN-ILS and Anderson acceleration.
//!
//! Differences of successive guesses and residuals of a window are kept as columns, newest first,
//!
//! ```text
//! ΔR = [r_k − r_{k−1}, …],   ΔY = [y_k − y_{k−1}, …]
//! c = argmin ‖r_k + ΔR c‖,   y_{k+1} = y_k + ΔY c + β (r_k + ΔR c)
//! ```
//!
//! in the scaled norm. With β = 1 and columns of earlier windows kept this is IQN-ILS; with the m newest columns of the
//! window alone, and mixing β, Anderson acceleration. No column: `y + ω r`. The least-squares problem is solved by
//! Gram–Schmidt, newest column first; a column that lies in the span of newer ones up to the filter is left out, and
//! differences that are mere rounding are never kept.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | β | `mixing` | share of the remaining residual that is added |
//! | m | `columns_max` | most columns |
//! | ω | `relaxation` | share of the residual where no column is known |
//!
//! References: \[Degroote 2009\] for IQN-ILS; \[Haelterman 2016\] for the filter; \[Walker 2011\] for Anderson acceleration.

use super::{Convergence, Corrector, Learnt, Problem, relative};
use crate::savable::savable;
use crate::unit::UnitError;

/// Differences of residuals smaller than this, relative to scale, are rounding.
const NOISE: f64 = 1e-9;

/// Quasi-Newton correction.
#[derive(Debug, Clone, PartialEq)]
pub struct QuasiNewton {
    /// Most columns kept.
    pub columns_max: usize,
    /// Whether columns of earlier windows are used.
    pub reuse: bool,
    /// Share β of the remaining residual that is added, default 1.
    pub mixing: f64,
    /// Share ω of the residual where nothing is known yet, default 1.
    pub relaxation: f64,
    /// A column of which less than this part is new is left out, default 1e-6.
    pub filter: f64,
    /// Residual relative to the size of the unknowns at which to stop, default 1e-12.
    pub tolerance: f64,
    /// Most runs of a window, default 50.
    pub runs_max: usize,
}

savable! {
/// What quasi-Newton iteration knows: its columns, the last two residuals and the last guess.
#[derive(Default)]
pub(super) struct QuasiNewtonState {
    secants: Secants,
    residual: Vec<f64>,
    last_residual: Vec<f64>,
    last_guess: Vec<f64>,
    next: Vec<f64>,
}
}

impl QuasiNewton {
    /// IQN-ILS: columns of this and earlier windows, 20 at most.
    pub fn iqn_ils() -> Self {
        QuasiNewton {
            columns_max: 20,
            reuse: true,
            mixing: 1.0,
            relaxation: 1.0,
            filter: 1e-6,
            tolerance: 1e-12,
            runs_max: 50,
        }
    }

    /// Anderson acceleration with the `depth` newest columns of a window.
    pub fn anderson(depth: usize, mixing: f64) -> Self {
        QuasiNewton { columns_max: depth.max(1), reuse: false, mixing, ..QuasiNewton::iqn_ils() }
    }
}

impl QuasiNewtonState {
    fn resize(&mut self, n: usize, columns_max: usize) {
        if self.residual.len() != n {
            for v in [&mut self.residual, &mut self.last_residual, &mut self.last_guess, &mut self.next] {
                *v = vec![0.0; n];
            }
            self.secants = Secants::new(n, columns_max);
        }
    }
}

impl Corrector for QuasiNewton {
    fn correct(&self, learnt: &mut Learnt, problem: &mut dyn Problem, y: &mut [f64]) -> Result<Convergence, UnitError> {
        // Columns of earlier windows, where they are wanted.
        let state = learnt.quasi_newton.get_or_insert_default();
        state.resize(y.len(), self.columns_max);
        if !self.reuse {
            state.secants.len = 0;
        }
        for runs in 1..=self.runs_max {
            problem.evaluate(y, &mut state.residual)?;
            let scale = problem.scale();
            let residual = relative(&state.residual, scale);
            if runs > 1 {
                state.secants.push(y, &state.last_guess, &state.residual, &state.last_residual, scale);
            }
            let converged = problem.is_met(&state.residual, self.tolerance);
            if converged || runs == self.runs_max || !residual.is_finite() {
                return Ok(Convergence { runs, residual, converged });
            }
            state.last_guess.copy_from_slice(y);
            state.last_residual.copy_from_slice(&state.residual);
            state.next.copy_from_slice(&state.residual);
            if state.secants.minimise(&mut state.next, scale, self.filter, y) > 0 {
                // y has got ΔY c; what is left of the residual is in `next`.
                for (y, r) in y.iter_mut().zip(&state.next) {
                    *y += self.mixing * r;
                }
            } else {
                for (y, r) in y.iter_mut().zip(&state.residual) {
                    *y += self.relaxation * r;
                }
            }
        }
        Ok(Convergence { runs: self.runs_max, residual: f64::INFINITY, converged: false })
    }
}

savable! {
/// Columns ΔR and ΔY, newest first from `newest` on, in a ring.
#[derive(Default)]
pub(super) struct Secants {
    n: usize,
    pub len: usize,
    newest: usize,
    capacity: usize,
    dr: Vec<f64>,
    dy: Vec<f64>,
    /// Orthonormal basis of the columns used so far, and the combination of ΔY each stands for.
    basis: Vec<f64>,
    image: Vec<f64>,
}
}

impl Secants {
    pub fn new(n: usize, capacity: usize) -> Self {
        let columns = || vec![0.0; n * capacity];
        Secants { n, len: 0, newest: 0, capacity, dr: columns(), dy: columns(), basis: columns(), image: columns() }
    }

    /// How many columns there is room for.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    pub fn push(&mut self, y: &[f64], y_last: &[f64], r: &[f64], r_last: &[f64], scale: &[f64]) {
        let moved = r.iter().zip(r_last).zip(scale).any(|((a, b), s)| ((a - b) / s).abs() > NOISE);
        let finite = r.iter().chain(r_last).all(|v| v.is_finite());
        if !moved || !finite {
            return;
        }
        self.newest = (self.newest + self.capacity - 1) % self.capacity;
        self.len = (self.len + 1).min(self.capacity);
        let column = self.newest * self.n..(self.newest + 1) * self.n;
        for (d, (a, b)) in self.dr[column.clone()].iter_mut().zip(r.iter().zip(r_last)) {
            *d = a - b;
        }
        for (d, (a, b)) in self.dy[column].iter_mut().zip(y.iter().zip(y_last)) {
            *d = a - b;
        }
    }

    /// Takes from `r` what the columns of ΔR can, and adds the same combination of ΔY to `y`; how many columns it has used.
    pub fn minimise(&mut self, r: &mut [f64], scale: &[f64], filter: f64, y: &mut [f64]) -> usize {
        let (n, mut used) = (self.n, 0);
        for k in 0..self.len {
            let column = (self.newest + k) % self.capacity * n;
            let (done, rest) = self.basis.split_at_mut(used * n);
            let (done_image, rest_image) = self.image.split_at_mut(used * n);
            let (q, image) = (&mut rest[..n], &mut rest_image[..n]);
            for i in 0..n {
                q[i] = self.dr[column + i] / scale[i];
            }
            image.copy_from_slice(&self.dy[column..column + n]);
            let size = norm(q);
            // Twice is enough to be orthogonal to rounding.
            for _ in 0..2 {
                for (b, b_image) in done.chunks_exact(n).zip(done_image.chunks_exact(n)) {
                    let part = dot(b, q);
                    subtract(part, b, q);
                    subtract(part, b_image, image);
                }
            }
            let left = norm(q);
            if !(left > filter * size && left > 0.0) {
                continue;
            }
            q.iter_mut().for_each(|v| *v /= left);
            image.iter_mut().for_each(|v| *v /= left);
            let part: f64 = q.iter().zip(r.iter().zip(scale)).map(|(q, (r, s))| q * r / s).sum();
            for i in 0..n {
                r[i] -= part * q[i] * scale[i];
                y[i] -= part * image[i];
            }
            used += 1;
            if used == n {
                break;
            }
        }
        used
    }

    /// Column `i` of those used last: orthonormal in the scaled norm, and the combination of ΔY it stands for.
    pub fn used(&self, i: usize) -> (&[f64], &[f64]) {
        let column = i * self.n..(i + 1) * self.n;
        (&self.basis[column.clone()], &self.image[column])
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn subtract(part: f64, of: &[f64], from: &mut [f64]) {
    for (f, o) in from.iter_mut().zip(of) {
        *f -= part * o;
    }
}
