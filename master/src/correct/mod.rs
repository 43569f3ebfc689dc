//! *Correctors*: repeat a window until what was guessed of its end is what came out.
//!
//! A corrector sees a window as a fixed-point problem `y = G(y)` on the samples that are consumed before they are
//! published; [`Problem::evaluate`] goes back to the window's start (rollback), runs it with the guess and returns the
//! residual `r = G(y) − y`. Explicit coupling is the case without a corrector. A corrector knows nothing of units,
//! schedules or predictors.

mod fixed_point;
mod inverse;
mod krylov;
mod newton;
mod quasi_newton;
mod semi_implicit;

pub use fixed_point::{FixedPoint, Relaxation};
pub use krylov::NewtonKrylov;
pub use newton::{InterfaceJacobian, Newton};
pub use quasi_newton::QuasiNewton;
pub use semi_implicit::SemiImplicit;

use crate::memento::Numbers;
use crate::unit::UnitError;
use nalgebra::DMatrix;

/// A window as seen by a corrector; `n` unknowns.
pub trait Problem {
    /// Runs the window with the guess `y` and writes the residual `G(y) − y` (both of `n` values). The last call made is
    /// the one that counts: it must be with the accepted guess.
    fn evaluate(&mut self, y: &[f64], residual: &mut [f64]) -> Result<(), UnitError>;

    /// As [`Problem::evaluate`], for a trial beside the guess (a difference for a Jacobian): it leaves [`Problem::scale`] as it
    /// is. A residual that is not finite says that the trial was too far.
    fn probe(&mut self, y: &[f64], residual: &mut [f64]) -> Result<(), UnitError> {
        self.evaluate(y, residual)
    }

    /// Size of each unknown, never 0: residuals are measured relative to it. It follows from windows that have converged and
    /// from the guess evaluated last, never from trials.
    fn scale(&self) -> &[f64];

    /// Residual relative to scale at which rounding in the problem itself ends all progress at the guess evaluated last; 0 where only the
    /// tolerance of the corrector counts.
    fn resolution(&self) -> f64 {
        0.0
    }

    /// The `j`-th of n independent directions to perturb `y` in, each as large as the unknowns are: unit vectors times their
    /// scale, unless the problem knows better.
    fn direction(&self, j: usize, out: &mut [f64]) {
        out.fill(0.0);
        out[j] = self.scale()[j];
    }

    /// How many of these directions, the first ones, span the residuals that are to be expected: all n, unless the problem knows
    /// that its unknowns depend on each other.
    fn principal(&self) -> usize {
        self.scale().len()
    }

    /// Estimates `∂G/∂y` (n × n) from directional derivatives of the units at the window's start, without running it.
    /// False where a unit does not offer them.
    fn estimate_jacobian(&mut self, jacobian: &mut DMatrix<f64>) -> Result<bool, UnitError>;
}

/// How a correction ended. Not converging is an outcome, not an error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Convergence {
    /// Runs of the window, those for a Jacobian included.
    pub runs: usize,
    /// Largest residual relative to scale at the end.
    pub residual: f64,
    /// Whether it is within tolerance.
    pub converged: bool,
}

/// Finds `y = G(y)`.
pub trait Corrector: Send {
    /// Improves the guess `y` in place until the residual is small or the corrector gives up.
    fn correct(&mut self, problem: &mut dyn Problem, y: &mut [f64]) -> Result<Convergence, UnitError>;

    /// Forgets what was learnt in earlier windows (a Jacobian), because the method or the step has changed.
    fn forget(&mut self) {}

    /// What it has learnt and does not forget between windows, for a memento; whether that is all of it.
    fn pass(&mut self, _numbers: &mut Numbers<'_>) -> bool {
        false
    }
}

/// Which corrector a method has.
#[derive(Clone, Default)]
pub enum Correction {
    /// None: every window is run once.
    #[default]
    Explicit,
    /// Fixed-point iteration.
    FixedPoint(FixedPoint),
    /// Newton with an interface Jacobian.
    Newton(Newton),
    /// Quasi-Newton from secants: IQN-ILS, Anderson acceleration.
    QuasiNewton(QuasiNewton),
    /// Newton–Krylov without a Jacobian.
    NewtonKrylov(NewtonKrylov),
    /// Predictor and corrector with exactly one rollback.
    SemiImplicit(SemiImplicit),
    /// One of your own; the function makes a fresh one for a run.
    Custom(std::sync::Arc<dyn Fn() -> Box<dyn Corrector> + Send + Sync>),
}

impl Correction {
    /// A corrector for a run, `None` for explicit coupling.
    pub fn build(&self) -> Option<Box<dyn Corrector>> {
        match self {
            Correction::Explicit => None,
            Correction::FixedPoint(f) => Some(Box::new(f.clone())),
            Correction::Newton(n) => Some(Box::new(n.clone())),
            Correction::QuasiNewton(q) => Some(Box::new(q.clone())),
            Correction::NewtonKrylov(n) => Some(Box::new(n.clone())),
            Correction::SemiImplicit(s) => Some(Box::new(s.clone())),
            Correction::Custom(make) => Some(make()),
        }
    }
}

impl std::fmt::Debug for Correction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Correction::Explicit => "Explicit",
            Correction::FixedPoint(_) => "FixedPoint",
            Correction::Newton(_) => "Newton",
            Correction::QuasiNewton(_) => "QuasiNewton",
            Correction::NewtonKrylov(_) => "NewtonKrylov",
            Correction::SemiImplicit(_) => "SemiImplicit",
            Correction::Custom(_) => "Custom",
        })
    }
}

/// Largest residual relative to scale.
pub(crate) fn relative(residual: &[f64], scale: &[f64]) -> f64 {
    residual.iter().zip(scale).fold(0.0, |m, (r, s)| {
        let q = (r / s).abs();
        // A NaN must not pass for convergence.
        if q.is_nan() { f64::INFINITY } else { q.max(m) }
    })
}
