//! Quasi-Newton corrections with a Jacobian that is kept from window to window: IQN-IMVJ.
//!
//! With the newest secants ΔR, ΔY, of this and earlier windows as in [`super::QuasiNewton`], and J an approximation of what G answers to a
//! residual (J ΔR ≈ ΔY + ΔR),
//!
//! ```text
//! ΔR = Q R,   ρ = r − Q Qᵀ r                              what the secants leave of a residual
//! y ← y − ΔY R⁻¹ Qᵀ r + ρ − J ρ                           the rest is corrected as earlier windows say
//! J ← J + (ΔY + ΔR − J ΔR) R⁻¹ Qᵀ                         at the end of a window
//! ```
//!
//! which is B ← B + (ΔY − B ΔR)(ΔRᵀ ΔR)⁻¹ ΔRᵀ for B = J − I. With the secants of one window alone, as the method was published, an
//! update forgets a part of what was known of directions at an angle to them; with those of several windows it does not. Norms are scaled by the size of each unknown, so that the nodes of a waveform
//! count as its signal does. A column of which less than the filter is new is left out. J is kept as A Cᵀ; where its columns exceed what
//! there is room for it begins anew: with all of J where that has few enough columns, else with its truncated singular value
//! decomposition, scaled as well.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | A, C | `left`, `right` | columns of the kept J |
//! | ω | `relaxation` | share of the residual where nothing is known |
//!
//! References: \[Bogaers 2014\]; \[Haelterman 2016\] for the filter; \[Scheufele 2017\] for the restart.

use super::quasi_newton::Secants;
use super::{Convergence, Corrector, Learnt, Problem, relative};
use crate::savable::savable;
use crate::unit::UnitError;
use nalgebra::DMatrix;

/// What a kept Jacobian is off by in a direction, relative to the size of the unknowns, where there is nothing to learn.
const NEWS: f64 = 1e-8;

/// How many times its size a signal may grow before a Jacobian that was begun with it is begun anew.
const GROWN: f64 = 10.0;

/// IQN-IMVJ.
#[derive(Debug, Clone, PartialEq)]
pub struct MultiVector {
    /// Most secants, of this and earlier windows, default 20.
    pub secants_max: usize,
    /// Most columns of the kept Jacobian, default 200; a restart leaves at most half of them.
    pub columns_max: usize,
    /// Singular values smaller than this part of the largest are left out at a restart, default 1e-6.
    pub truncation: f64,
    /// Share ω of the residual where nothing is known yet, default 1.
    pub relaxation: f64,
    /// A column of which less than this part is new is left out, default 1e-6.
    pub filter: f64,
    /// Residual relative to the size of the unknowns at which to stop, default 1e-12.
    pub tolerance: f64,
    /// Most runs of a window, default 50.
    pub runs_max: usize,
}

impl Default for MultiVector {
    fn default() -> Self {
        MultiVector {
            secants_max: 20,
            columns_max: 200,
            truncation: 1e-6,
            relaxation: 1.0,
            filter: 1e-6,
            tolerance: 1e-12,
            runs_max: 50,
        }
    }
}

savable! {
/// What IQN-IMVJ knows: the kept Jacobian, secants of the window, the last two residuals and the last guess.
#[derive(Default)]
pub(super) struct MultiVectorState {
    jacobian: LowRank,
    secants: Secants,
    residual: Vec<f64>,
    last_residual: Vec<f64>,
    last_guess: Vec<f64>,
    next: Vec<f64>,
    image: Vec<f64>,
    /// Size of each unknown when the Jacobian was begun.
    begun: Vec<f64>,
}
}

impl MultiVectorState {
    fn resize(&mut self, n: usize, of: &MultiVector) {
        if self.residual.len() == n {
            return;
        }
        let vectors =
            [&mut self.residual, &mut self.last_residual, &mut self.last_guess, &mut self.next, &mut self.image];
        for v in vectors.into_iter().chain([&mut self.begun]) {
            *v = vec![0.0; n];
        }
        self.secants = Secants::new(n, of.secants_max.max(1));
        self.jacobian = LowRank::new(n, of.columns_max.max(2 * self.secants.capacity()));
    }

    /// The next guess.
    fn advance(&mut self, of: &MultiVector, scale: &[f64], y: &mut [f64]) {
        self.next.copy_from_slice(&self.residual);
        let used = self.secants.minimise(&mut self.next, scale, of.filter, y);
        // What the secants leave is corrected by the kept Jacobian.
        let share = if used == 0 && self.jacobian.len == 0 { of.relaxation } else { 1.0 };
        self.jacobian.apply(&self.next, &mut self.image);
        for (y, (rest, image)) in y.iter_mut().zip(self.next.iter().zip(&self.image)) {
            *y += share * rest - image;
        }
    }

    /// Takes the secants of the window into the Jacobian.
    fn learn(&mut self, of: &MultiVector, scale: &[f64]) {
        if self.secants.len == 0 {
            return;
        }
        // What was learnt while a signal was next to nothing is rounding now.
        if scale.iter().zip(&self.begun).any(|(now, begun)| *now > GROWN * begun) {
            self.jacobian.len = 0;
            self.begun.copy_from_slice(scale);
        }
        // Orthonormal columns and the combinations of ΔY they stand for; guess and residual do not matter.
        self.next.fill(0.0);
        self.last_guess.fill(0.0);
        let used = self.secants.minimise(&mut self.next, scale, of.filter, &mut self.last_guess);
        if self.jacobian.len + used > self.jacobian.capacity {
            self.jacobian.restart(scale, of.truncation);
        }
        let kept = self.jacobian.len;
        for i in 0..used {
            let (basis, image) = self.secants.used(i);
            for (r, (q, s)) in self.next.iter_mut().zip(basis.iter().zip(scale)) {
                *r = q * s;
            }
            self.jacobian.apply_first(kept, &self.next, &mut self.image);
            for (known, (dy, dr)) in self.image.iter_mut().zip(image.iter().zip(&self.next)) {
                *known = dy + dr - *known;
            }
            // Nothing new of a direction that is known.
            let news = relative(&self.image, scale);
            if news > NEWS && news.is_finite() {
                let column = basis.iter().zip(scale).map(|(q, s)| q / s);
                self.jacobian.push(self.image.iter().copied(), column);
            }
        }
    }
}

impl Corrector for MultiVector {
    fn correct(&self, learnt: &mut Learnt, problem: &mut dyn Problem, y: &mut [f64]) -> Result<Convergence, UnitError> {
        let state = learnt.multi_vector.get_or_insert_default();
        state.resize(y.len(), self);
        for runs in 1..=self.runs_max {
            problem.evaluate(y, &mut state.residual)?;
            let scale = problem.scale();
            let residual = relative(&state.residual, scale);
            if runs > 1 {
                state.secants.push(y, &state.last_guess, &state.residual, &state.last_residual, scale);
            }
            let converged = problem.is_met(&state.residual, self.tolerance.max(super::ROUNDINGS * problem.rounding()));
            if converged || runs == self.runs_max || !residual.is_finite() {
                if residual.is_finite() {
                    state.learn(self, scale);
                }
                return Ok(Convergence { runs, residual, converged });
            }
            state.last_guess.copy_from_slice(y);
            state.last_residual.copy_from_slice(&state.residual);
            state.advance(self, scale, y);
        }
        Ok(Convergence { runs: self.runs_max, residual: f64::INFINITY, converged: false })
    }
}

savable! {
/// A matrix as a sum of products of columns, A Cᵀ, with room for so many.
#[derive(Default)]
struct LowRank {
    n: usize,
    len: usize,
    capacity: usize,
    left: Vec<f64>,
    right: Vec<f64>,
    /// Room for the whole matrix, where it is small.
    whole: Vec<f64>,
}
}

impl LowRank {
    fn new(n: usize, capacity: usize) -> Self {
        let columns = || vec![0.0; n * capacity];
        let whole = vec![0.0; if 2 * n <= capacity { n * n } else { 0 }];
        LowRank { n, len: 0, capacity, left: columns(), right: columns(), whole }
    }

    /// `out = A Cᵀ r`.
    fn apply(&self, r: &[f64], out: &mut [f64]) {
        self.apply_first(self.len, r, out);
    }

    /// The same with the first columns only.
    fn apply_first(&self, columns: usize, r: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let columns = self.left.chunks_exact(self.n).zip(self.right.chunks_exact(self.n)).take(columns);
        for (a, c) in columns {
            let part: f64 = c.iter().zip(r).map(|(c, r)| c * r).sum();
            out.iter_mut().zip(a).for_each(|(out, a)| *out += part * a);
        }
    }

    fn push(&mut self, a: impl Iterator<Item = f64>, c: impl Iterator<Item = f64>) {
        let column = self.len * self.n..(self.len + 1) * self.n;
        self.left[column.clone()].iter_mut().zip(a).for_each(|(old, new)| *old = new);
        self.right[column].iter_mut().zip(c).for_each(|(old, new)| *old = new);
        self.len += 1;
    }

    /// Makes room: at most half of it is used then.
    fn restart(&mut self, scale: &[f64], least: f64) {
        if self.whole.is_empty() { self.truncate(scale, least) } else { self.gather() }
    }

    /// The columns of the matrix itself in the place of the products, which are more.
    fn gather(&mut self) {
        let n = self.n;
        self.whole.fill(0.0);
        for (a, c) in self.left.chunks_exact(n).zip(self.right.chunks_exact(n)).take(self.len) {
            for (column, c) in self.whole.chunks_exact_mut(n).zip(c) {
                column.iter_mut().zip(a).for_each(|(sum, a)| *sum += a * c);
            }
        }
        self.len = n;
        self.left[..n * n].copy_from_slice(&self.whole);
        self.right[..n * n].fill(0.0);
        (0..n).for_each(|j| self.right[j * (n + 1)] = 1.0);
    }

    /// The largest singular values and their vectors in the place of all columns: none smaller than `least` of the largest. Unknowns
    /// are scaled.
    fn truncate(&mut self, scale: &[f64], least: f64) {
        let (n, k) = (self.n, self.len);
        let a = DMatrix::from_fn(n, k, |i, j| self.left[j * n + i] / scale[i]).qr();
        let c = DMatrix::from_fn(n, k, |i, j| self.right[j * n + i] * scale[i]).qr();
        let svd = (a.r() * c.r().transpose()).svd(true, true);
        let (Some(u), Some(v)) = (svd.u, svd.v_t) else {
            self.len = 0;
            return;
        };
        let largest = svd.singular_values.amax();
        let (u, v) = (a.q() * u, v * c.q().transpose());
        self.len = 0;
        for (j, size) in svd.singular_values.iter().enumerate().take(self.capacity / 2) {
            if *size > least * largest {
                let (u, v) = (u.column(j), v.row(j));
                let left = u.iter().zip(scale).map(|(u, s)| u * size * s);
                self.push(left, v.iter().zip(scale).map(|(v, s)| v / s));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// r = G(y) − y of a linear G with given eigenvalues, and another constant in each window.
    struct Linear {
        g: DMatrix<f64>,
        constant: Vec<f64>,
        scale: Vec<f64>,
    }

    impl Problem for Linear {
        fn evaluate(&mut self, y: &[f64], residual: &mut [f64]) -> Result<(), UnitError> {
            for (i, r) in residual.iter_mut().enumerate() {
                *r = self.constant[i] - y[i] + (0..y.len()).map(|j| self.g[(i, j)] * y[j]).sum::<f64>();
            }
            Ok(())
        }
        fn scale(&self) -> &[f64] {
            &self.scale
        }
        fn estimate_jacobian(&mut self, _: &mut DMatrix<f64>) -> Result<bool, UnitError> {
            Ok(false)
        }
    }

    fn runs(corrector: &dyn Corrector, n: usize) -> Vec<usize> {
        let mut random = 7_u64;
        let mut next = || {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) as f64 / (1u64 << 30) as f64 - 1.0
        };
        let scale: Vec<f64> = (0..n).map(|i| 10f64.powi(i as i32 % 5 - 2)).collect();
        let g = DMatrix::from_fn(n, n, |i, j| 1.5 * next() * scale[i] / scale[j] / (n as f64).sqrt());
        let mut problem = Linear { g, constant: vec![0.0; n], scale };
        let (mut learnt, mut y) = (Learnt::default(), vec![0.0; n]);
        let window = |_| {
            for (c, s) in problem.constant.iter_mut().zip(&problem.scale) {
                *c = s * next();
            }
            let outcome = corrector.correct(&mut learnt, &mut problem, &mut y).expect("no unit");
            assert!(outcome.converged, "{outcome:?}");
            outcome.runs
        };
        (0..40).map(window).collect()
    }

    #[test]
    fn a_linear_problem_of_more_unknowns_than_secants_takes_fewer_runs_than_with_secants_alone() {
        let found = runs(&MultiVector { runs_max: 200, ..MultiVector::default() }, 24);
        assert!(found[30..].iter().all(|runs| *runs <= 4), "{found:?}");
        // 20 secants are too few for 24 unknowns.
        let secants = runs(&super::super::QuasiNewton { runs_max: 200, ..super::super::QuasiNewton::iqn_ils() }, 24);
        assert!(secants[30..].iter().sum::<usize>() > found[30..].iter().sum::<usize>(), "{secants:?} {found:?}");
    }

    #[test]
    fn a_restart_keeps_the_matrix_that_there_is_room_for() {
        let (n, scale) = (6, [1e-3, 1.0, 1e4, 1.0, 2.0, 0.5]);
        let mut matrix = LowRank::new(n, 8);
        // Eight columns of rank three.
        for j in 0..8 {
            let a = (0..n).map(|i| scale[i] * ((i * (j % 3) + j % 3) as f64).sin());
            let a: Vec<f64> = a.collect();
            matrix.push(a.into_iter(), (0..n).map(|i| (j as f64 + 1.0) * (i as f64).cos() / scale[i]));
        }
        let r: Vec<f64> = scale.iter().enumerate().map(|(i, s)| s * (i as f64 + 0.3)).collect();
        let (mut before, mut after) = (vec![0.0; n], vec![0.0; n]);
        matrix.apply(&r, &mut before);
        // By singular values, and whole.
        matrix.restart(&scale, 1e-12);
        assert!(matrix.len <= 3, "{}", matrix.len);
        for _ in 0..2 {
            matrix.apply(&r, &mut after);
            for i in 0..n {
                assert!((before[i] - after[i]).abs() < 1e-12 * before[i].abs().max(scale[i]), "{before:?} {after:?}");
            }
            matrix.whole = vec![0.0; n * n];
            matrix.restart(&scale, 1e-12);
            assert_eq!(matrix.len, n);
        }
    }
}
