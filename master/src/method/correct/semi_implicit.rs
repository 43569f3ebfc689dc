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
use super::{Convergence, Corrector, Learnt, Problem, matrix, relative};
use crate::savable::savable;
use crate::unit::UnitError;
use nalgebra::{DMatrix, DVector};

/// One rollback a window.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct SemiImplicit {}

savable! {
/// What the semi-implicit corrector knows.
pub(super) struct SemiImplicitState {
    inverse: Inverse,
    #[serde(with = "matrix::vector")]
    before: DVector<f64>,
    #[serde(with = "matrix::vector")]
    after: DVector<f64>,
    #[serde(with = "matrix::vector")]
    delta: DVector<f64>,
}
}

impl Default for SemiImplicitState {
    fn default() -> Self {
        let empty = || DVector::zeros(0);
        SemiImplicitState { inverse: Inverse::default(), before: empty(), after: empty(), delta: empty() }
    }
}

/// Corrections smaller than this, relative to scale, teach nothing.
const LEAST: f64 = 1e-6;

impl Corrector for SemiImplicit {
    fn correct(&self, learnt: &mut Learnt, problem: &mut dyn Problem, y: &mut [f64]) -> Result<Convergence, UnitError> {
        // Room for the residuals of both runs.
        let state = learnt.semi_implicit.get_or_insert_default();
        let n = y.len();
        if state.before.len() != n {
            for v in [&mut state.before, &mut state.after, &mut state.delta] {
                *v = DVector::zeros(n);
            }
            state.inverse.clear();
        }
        problem.evaluate(y, state.before.as_mut_slice())?;
        if !state.inverse.is_made(n) {
            let mut jacobian = DMatrix::zeros(n, n);
            problem.estimate_jacobian(&mut jacobian)?;
            state.inverse.make(&jacobian);
        }
        state.inverse.apply(&state.before, &mut state.delta);
        for (y, d) in y.iter_mut().zip(state.delta.iter()) {
            *y += d;
        }
        problem.evaluate(y, state.after.as_mut_slice())?;
        let residual = relative(state.after.as_slice(), problem.scale());
        if residual.is_finite() {
            state.before -= &state.after;
            state.inverse.learn(&state.delta, &state.before, problem.scale(), LEAST);
        }
        Ok(Convergence { runs: 2, residual, converged: residual.is_finite() })
    }
}
