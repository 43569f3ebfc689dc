//! Semi-implicit predictor/corrector: every window is run exactly twice, with one rollback between.
//!
//! ```text
//! predictor:  r_0 = G(y_0) − y_0            with the extrapolated guess y_0
//! corrector:  y_1 = y_0 + (I − ∂G/∂y)⁻¹ r_0,   accepted as it comes out
//! ```
//!
//! The texts take ∂G/∂y from additional, perturbed runs of the subsystems in parallel with the predictor. Here it starts from
//! the units' directional derivatives where they offer them, else from 0, and is improved by what the two runs of each window
//! tell for nothing (Broyden's update). For a linear problem the correction becomes exact after a few windows. The residual
//! r_1 that is left is reported, not iterated on.
//!
//! References: \[Schweizer 2014\]; \[Broyden 1965\].

use super::inverse::Inverse;
use super::{Convergence, Corrector, Problem, relative};
use crate::unit::UnitError;
use nalgebra::{DMatrix, DVector};

/// One rollback a window.
#[derive(Debug, Clone)]
pub struct SemiImplicit {
    inverse: Inverse,
    before: DVector<f64>,
    after: DVector<f64>,
    delta: DVector<f64>,
}

impl Default for SemiImplicit {
    fn default() -> Self {
        let empty = || DVector::zeros(0);
        SemiImplicit { inverse: Inverse::default(), before: empty(), after: empty(), delta: empty() }
    }
}

/// Corrections smaller than this, relative to scale, teach nothing.
const LEAST: f64 = 1e-6;

impl Corrector for SemiImplicit {
    fn correct(&mut self, problem: &mut dyn Problem, y: &mut [f64]) -> Result<Convergence, UnitError> {
        let n = y.len();
        if self.before.len() != n {
            for v in [&mut self.before, &mut self.after, &mut self.delta] {
                *v = DVector::zeros(n);
            }
            self.inverse.clear();
        }
        problem.evaluate(y, self.before.as_mut_slice())?;
        if !self.inverse.is_made(n) {
            let mut jacobian = DMatrix::zeros(n, n);
            problem.estimate_jacobian(&mut jacobian)?;
            self.inverse.make(&jacobian);
        }
        self.inverse.apply(&self.before, &mut self.delta);
        for (y, d) in y.iter_mut().zip(self.delta.iter()) {
            *y += d;
        }
        problem.evaluate(y, self.after.as_mut_slice())?;
        let residual = relative(self.after.as_slice(), problem.scale());
        if residual.is_finite() {
            self.before -= &self.after;
            self.inverse.learn(&self.delta, &self.before, problem.scale(), LEAST);
        }
        Ok(Convergence { runs: 2, residual, converged: residual.is_finite() })
    }

    fn forget(&mut self) {
        self.inverse.clear();
    }
}
