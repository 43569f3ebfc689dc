//! Fixed-point iteration `y ← y + ω r`, with constant or Aitken relaxation.
//!
//! Aitken: `ω_{i+1} = −ω_i · r_i·(r_{i+1} − r_i)/‖r_{i+1} − r_i‖²`, in the scaled norm; the last ω of a window starts the
//! next one. References: \[Küttler 2008\], eq. (44); \[Schweizer 2015\] for fixed-point coupling.

use super::{Convergence, Corrector, Learnt, Problem, relative};
use crate::savable::savable;
use crate::unit::UnitError;

/// How much of a residual is added to the guess.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Relaxation {
    /// Always ω.
    Constant(f64),
    /// Aitken's, starting with ω; kept within (0, 1.5].
    Aitken(f64),
}

/// Fixed-point iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct FixedPoint {
    /// Relaxation, default constant 1.
    pub relaxation: Relaxation,
    /// Residual relative to the size of the unknowns at which to stop, default 1e-12.
    pub tolerance: f64,
    /// Most runs of a window, default 50.
    pub runs_max: usize,
}

savable! {
/// What fixed-point iteration knows: the last ω, and the last two residuals.
#[derive(Default)]
pub(super) struct FixedPointState {
    residual: Vec<f64>,
    last: Vec<f64>,
    omega: Option<f64>,
}
}

impl Default for FixedPoint {
    fn default() -> Self {
        FixedPoint::new(Relaxation::Constant(1.0))
    }
}

impl FixedPoint {
    /// With the given relaxation.
    pub fn new(relaxation: Relaxation) -> Self {
        FixedPoint { relaxation, tolerance: 1e-12, runs_max: 50 }
    }
}

impl FixedPointState {
    /// The next ω from the last two residuals.
    fn aitken(&self, omega: f64, scale: &[f64]) -> f64 {
        let (mut dot, mut square) = (0.0, 0.0);
        for ((r, l), s) in self.residual.iter().zip(&self.last).zip(scale) {
            let d = (r - l) / s;
            dot += l / s * d;
            square += d * d;
        }
        let next = if square > 0.0 { -omega * dot / square } else { omega };
        if next.is_finite() && next > 0.0 { next.min(1.5) } else { omega }
    }
}

impl Corrector for FixedPoint {
    fn correct(&self, learnt: &mut Learnt, problem: &mut dyn Problem, y: &mut [f64]) -> Result<Convergence, UnitError> {
        // Room for the residuals, and the first ω.
        let state = &mut learnt.fixed_point;
        state.residual.resize(y.len(), 0.0);
        state.last.resize(y.len(), 0.0);
        let mut omega = match self.relaxation {
            Relaxation::Constant(w) => w,
            Relaxation::Aitken(w) => state.omega.unwrap_or(w),
        };
        for runs in 1..=self.runs_max {
            problem.evaluate(y, &mut state.residual)?;
            let residual = relative(&state.residual, problem.scale());
            let converged = problem.is_met(&state.residual, self.tolerance);
            if converged || runs == self.runs_max || !residual.is_finite() {
                return Ok(Convergence { runs, residual, converged });
            }
            if matches!(self.relaxation, Relaxation::Aitken(_)) && runs > 1 {
                omega = state.aitken(omega, problem.scale());
                state.omega = Some(omega);
            }
            for (y, r) in y.iter_mut().zip(&state.residual) {
                *y += omega * r;
            }
            std::mem::swap(&mut state.residual, &mut state.last);
        }
        Ok(Convergence { runs: self.runs_max, residual: f64::INFINITY, converged: false })
    }
}
