//! Jacobian-free Newton–Krylov: Newton's equation solved by GMRES, whose products come from runs of the window.
//!
//! ```text
//! A δ = r,   A = I − ∂G/∂y,   A v ≈ −[r(y + ε v) − r(y)]/ε
//! ```
//!
//! No Jacobian is ever made: each product costs one run, and as many are made as GMRES needs to bring the linear residual
//! below `forcing`. Unknowns are measured in their scale, so that ε is a part of it. In exact arithmetic GMRES ends after as
//! many products as A has different eigenvalues, n at most.
//!
//! References: \[Knoll 2004\]; \[Saad 1986\] for GMRES.

use super::{Convergence, Corrector, Learnt, Problem, relative};
use crate::savable::savable;
use crate::unit::UnitError;

/// Newton–Krylov iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct NewtonKrylov {
    /// Residual relative to the size of the unknowns at which to stop, default 1e-12.
    pub tolerance: f64,
    /// Linear residual, relative to the nonlinear one, at which GMRES stops, default 1e-6.
    pub forcing: f64,
    /// Most products in one GMRES solution, default 30.
    pub products_max: usize,
    /// Most corrections in a window, default 20.
    pub corrections_max: usize,
    /// ε: length of a perturbation relative to the size of the unknowns, default 1e-4.
    pub perturbation: f64,
}

savable! {
/// The vectors of a Newton–Krylov iteration, made anew in each window.
#[derive(Default)]
pub(super) struct KrylovState {
    residual: Vec<f64>,
    moved: Vec<f64>,
    trial: Vec<f64>,
    /// Basis of the Krylov space, one vector after the other.
    basis: Vec<f64>,
    /// Upper triangle of the Hessenberg matrix after rotations, by columns, and the rotations.
    r: Vec<f64>,
    rotations: Vec<(f64, f64)>,
    g: Vec<f64>,
}
}

impl Default for NewtonKrylov {
    fn default() -> Self {
        NewtonKrylov { tolerance: 1e-12, forcing: 1e-6, products_max: 30, corrections_max: 20, perturbation: 1e-4 }
    }
}

impl Corrector for NewtonKrylov {
    fn correct(&self, learnt: &mut Learnt, problem: &mut dyn Problem, y: &mut [f64]) -> Result<Convergence, UnitError> {
        // Room for as many products as there may be.
        let state = learnt.krylov.get_or_insert_default();
        let n = y.len();
        let m = self.products_max.min(n).max(1);
        if state.residual.len() != n {
            (state.residual, state.moved, state.trial) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
            (state.basis, state.r) = (vec![0.0; (m + 1) * n], vec![0.0; (m + 1) * m]);
            (state.rotations, state.g) = (vec![(1.0, 0.0); m], vec![0.0; m + 1]);
        }
        problem.evaluate(y, &mut state.residual)?;
        let mut runs = 1;
        for correction in 0..=self.corrections_max {
            let residual = relative(&state.residual, problem.scale());
            let converged = problem.is_met(&state.residual, self.tolerance);
            if converged || correction == self.corrections_max || !residual.is_finite() {
                return Ok(Convergence { runs, residual, converged });
            }
            let products = state.gmres(self, problem, y, m)?;
            runs += products + 1;
            state.add_solution(problem.scale(), y, products);
            problem.evaluate(y, &mut state.residual)?;
        }
        Ok(Convergence { runs, residual: f64::INFINITY, converged: false })
    }
}

impl KrylovState {
    /// Fills basis, triangle and right-hand side; returns how many products that took.
    fn gmres(
        &mut self,
        settings: &NewtonKrylov,
        problem: &mut dyn Problem,
        y: &[f64],
        m: usize,
    ) -> Result<usize, UnitError> {
        let n = y.len();
        let beta = (0..n).map(|i| (self.residual[i] / problem.scale()[i]).powi(2)).sum::<f64>().sqrt();
        for i in 0..n {
            self.basis[i] = self.residual[i] / problem.scale()[i] / beta;
        }
        self.g.fill(0.0);
        self.g[0] = beta;
        for j in 0..m {
            self.product(settings.perturbation, problem, y, j)?;
            let next = self.orthogonalise(n, j);
            self.rotate(j, next, m);
            if self.g[j + 1].abs() <= settings.forcing * beta || next <= 1e-14 || j + 1 == m {
                return Ok(j + 1);
            }
            for v in &mut self.basis[(j + 1) * n..(j + 2) * n] {
                *v /= next;
            }
        }
        Ok(m)
    }

    /// A v_j, scaled, into the place of v_{j+1}.
    fn product(&mut self, epsilon: f64, problem: &mut dyn Problem, y: &[f64], j: usize) -> Result<(), UnitError> {
        let n = y.len();
        for i in 0..n {
            self.trial[i] = y[i] + epsilon * problem.scale()[i] * self.basis[j * n + i];
        }
        problem.probe(&self.trial, &mut self.moved)?;
        for i in 0..n {
            self.basis[(j + 1) * n + i] = (self.residual[i] - self.moved[i]) / (epsilon * problem.scale()[i]);
        }
        Ok(())
    }

    /// Arnoldi's step: takes v_0 … v_j out of the new vector, twice; returns its length.
    fn orthogonalise(&mut self, n: usize, j: usize) -> f64 {
        let stride = self.g.len();
        let (known, new) = self.basis.split_at_mut((j + 1) * n);
        let new = &mut new[..n];
        self.r[j * stride..(j + 1) * stride].fill(0.0);
        for _ in 0..2 {
            for (k, v) in known.chunks_exact(n).enumerate() {
                let part: f64 = v.iter().zip(new.iter()).map(|(a, b)| a * b).sum();
                self.r[j * stride + k] += part;
                for (w, v) in new.iter_mut().zip(v) {
                    *w -= part * v;
                }
            }
        }
        new.iter().map(|v| v * v).sum::<f64>().sqrt()
    }

    /// Givens rotations bring column j to triangular form.
    fn rotate(&mut self, j: usize, next: f64, m: usize) {
        let column = &mut self.r[j * (m + 1)..(j + 1) * (m + 1)];
        column[j + 1] = next;
        for (k, &(c, s)) in self.rotations[..j].iter().enumerate() {
            (column[k], column[k + 1]) = (c * column[k] + s * column[k + 1], c * column[k + 1] - s * column[k]);
        }
        let length = column[j].hypot(column[j + 1]);
        let (c, s) = if length > 0.0 { (column[j] / length, column[j + 1] / length) } else { (1.0, 0.0) };
        self.rotations[j] = (c, s);
        (column[j], column[j + 1]) = (length, 0.0);
        (self.g[j], self.g[j + 1]) = (c * self.g[j], -s * self.g[j]);
    }

    /// Back substitution; adds the combination of basis vectors to `y`.
    fn add_solution(&mut self, scale: &[f64], y: &mut [f64], products: usize) {
        let (n, stride) = (y.len(), self.g.len());
        for j in (0..products).rev() {
            let pivot = self.r[j * stride + j];
            let c = if pivot.abs() > 0.0 { self.g[j] / pivot } else { 0.0 };
            for k in 0..j {
                self.g[k] -= c * self.r[j * stride + k];
            }
            for ((y, s), v) in y.iter_mut().zip(scale).zip(&self.basis[j * n..(j + 1) * n]) {
                *y += c * s * v;
            }
        }
    }
}
