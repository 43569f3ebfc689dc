//! Newton iteration with an interface Jacobian.
//!
//! `(I − ∂G/∂y) δ = r`, `y ← y + δ`. The Jacobian comes from finite differences over rollback (one run of the window
//! per unknown) or is estimated from directional derivatives (no run); it is kept across windows and made anew only
//! where convergence is slow. For a linear system one correction is exact. Reference: \[Sicklinger 2014\].

use super::{Convergence, Corrector, Problem, relative};
use crate::memento::Numbers;
use crate::unit::UnitError;
use nalgebra::{DMatrix, DVector, Dyn, LU};

/// Where the interface Jacobian comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InterfaceJacobian {
    /// Finite differences over rollback.
    #[default]
    FiniteDifferences,
    /// Directional derivatives of the units; finite differences where one does not offer them.
    Directional,
}

/// Newton iteration.
#[derive(Debug, Clone)]
pub struct Newton {
    /// Source of the Jacobian.
    pub jacobian: InterfaceJacobian,
    /// Residual relative to the size of the unknowns at which to stop, default 1e-12.
    pub tolerance: f64,
    /// Most corrections in a window, default 20.
    pub corrections_max: usize,
    /// Perturbation of finite differences relative to the size of an unknown, default 1e-4: large, because coupling is
    /// nearly linear in a window and rounding is what limits a difference.
    pub perturbation: f64,
    lu: Option<LU<f64, Dyn, Dyn>>,
    /// What `lu` are the factors of.
    matrix: DMatrix<f64>,
    residual: DVector<f64>,
    trial: Vec<f64>,
    moved: Vec<f64>,
}

impl Default for Newton {
    fn default() -> Self {
        Newton::new(InterfaceJacobian::FiniteDifferences)
    }
}

/// A kept Jacobian is replaced when a correction gains less than this factor.
const SLOW: f64 = 0.2;

impl Newton {
    /// With a Jacobian of the given source.
    pub fn new(jacobian: InterfaceJacobian) -> Self {
        Newton {
            jacobian,
            tolerance: 1e-12,
            corrections_max: 20,
            perturbation: 1e-4,
            lu: None,
            matrix: DMatrix::zeros(0, 0),
            residual: DVector::zeros(0),
            trial: Vec::new(),
            moved: Vec::new(),
        }
    }

    /// Factors `I − ∂G/∂y` at `y`, where the residual is known; returns the runs it took.
    fn factor(&mut self, problem: &mut dyn Problem, y: &[f64], estimate: bool) -> Result<usize, UnitError> {
        let n = y.len();
        let mut jacobian = DMatrix::zeros(n, n);
        let mut runs = 0;
        if !(estimate && problem.estimate_jacobian(&mut jacobian)?) {
            self.trial.copy_from_slice(y);
            for j in 0..n {
                let step = self.perturbation * problem.scale()[j];
                self.trial[j] = y[j] + step;
                let step = self.trial[j] - y[j];
                problem.evaluate(&self.trial, &mut self.moved)?;
                for i in 0..n {
                    // r = G − y: the change of the residual is that of G less the perturbation itself.
                    jacobian[(i, j)] = (self.moved[i] - self.residual[i]) / step + f64::from(u8::from(i == j));
                }
                self.trial[j] = y[j];
            }
            runs = n;
        }
        self.matrix = DMatrix::identity(n, n) - jacobian;
        let lu = self.matrix.clone().lu();
        self.lu = lu.is_invertible().then_some(lu);
        Ok(runs)
    }
}

impl Corrector for Newton {
    fn correct(&mut self, problem: &mut dyn Problem, y: &mut [f64]) -> Result<Convergence, UnitError> {
        if self.residual.len() != y.len() {
            self.residual = DVector::zeros(y.len());
            self.trial = vec![0.0; y.len()];
            self.moved = vec![0.0; y.len()];
            self.lu = None;
        }
        problem.evaluate(y, self.residual.as_mut_slice())?;
        let mut runs = 1;
        let mut before = relative(self.residual.as_slice(), problem.scale());
        let mut estimate = self.jacobian == InterfaceJacobian::Directional;
        for correction in 0..=self.corrections_max {
            let converged = before <= self.tolerance;
            if converged || correction == self.corrections_max || !before.is_finite() {
                return Ok(Convergence { runs, residual: before, converged });
            }
            if self.lu.is_none() {
                runs += self.factor(problem, y, estimate)?;
            }
            match &self.lu {
                Some(lu) => lu.solve_mut(&mut self.residual),
                // A singular Jacobian: a fixed-point step is what is left.
                None => true,
            };
            for (y, d) in y.iter_mut().zip(self.residual.iter()) {
                *y += d;
            }
            problem.evaluate(y, self.residual.as_mut_slice())?;
            runs += 1;
            let after = relative(self.residual.as_slice(), problem.scale());
            if after > SLOW * before && after > self.tolerance {
                // An estimate that converges slowly is replaced by differences.
                self.lu = None;
                estimate = estimate && correction < 4;
            }
            before = after;
        }
        Ok(Convergence { runs, residual: before, converged: false })
    }

    /// The matrix that was factored; its factors are made again, and are the same.
    fn pass(&mut self, numbers: &mut Numbers<'_>) {
        let mut kept = if self.lu.is_some() { self.matrix.as_slice().to_vec() } else { Vec::new() };
        numbers.grown(&mut kept);
        if !numbers.are_given() {
            return;
        }
        let n = kept.len().isqrt();
        self.lu = None;
        if n > 0 && n * n == kept.len() {
            self.matrix = DMatrix::from_vec(n, n, kept);
            self.lu = Some(self.matrix.clone().lu());
            self.residual = DVector::zeros(n);
            self.trial = vec![0.0; n];
            self.moved = vec![0.0; n];
        }
    }

    fn forget(&mut self) {
        self.lu = None;
    }
}
