//! *Correctors*: repeat a window until the guess of its end agrees with the result.
//!
//! A corrector sees a window as a fixed-point problem `y = G(y)` on the samples that are consumed before they are
//! published; [`Problem::evaluate`] goes back to the window's start (rollback), runs it with the guess and returns the
//! residual `r = G(y) − y`. Explicit coupling is the case without a corrector. A corrector knows nothing of units,
//! schedules or predictors. It is settings; what it learns in a run is a [`Learnt`], a part of the state of that run.

mod fixed_point;
mod inverse;
mod krylov;
mod learnt;
mod matrix;
mod multi_vector;
mod newton;
mod quasi_newton;
mod semi_implicit;

pub use fixed_point::{FixedPoint, Relaxation};
pub use krylov::NewtonKrylov;
pub use learnt::Learnt;
pub use multi_vector::MultiVector;
pub(crate) use newton::NewtonState;
pub use newton::{InterfaceJacobian, Newton};
pub use quasi_newton::QuasiNewton;
pub use semi_implicit::SemiImplicit;

use crate::unit::UnitError;
use nalgebra::DMatrix;

/// Roundings of a problem that add up to what a residual cannot fall below.
pub(crate) const ROUNDINGS: f64 = 100.0;

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

    /// As [`Problem::probe`] of each column of `trials`, where it takes less time to run them together; false where nothing came of
    /// that, and they are to be run one by one. `at` is the guess evaluated last, and its residual: what comes out may be linear in the difference
    /// from it.
    fn probe_all(
        &mut self,
        at: (&[f64], &[f64]),
        trials: &DMatrix<f64>,
        residuals: &mut DMatrix<f64>,
    ) -> Result<bool, UnitError> {
        let _ = (at, trials, residuals);
        Ok(false)
    }

    /// Size of each unknown, never 0: residuals are measured relative to it. It follows from windows that have converged and
    /// from the guess evaluated last, never from trials.
    fn scale(&self) -> &[f64];

    /// Whether the residual of the guess evaluated last is small enough: relative to scale, unless the problem knows better.
    fn is_met(&self, residual: &[f64], tolerance: f64) -> bool {
        relative(residual, self.scale()) <= tolerance
    }

    /// One rounding in the problem itself at the guess evaluated last, relative to scale, many of which end all progress; 0 where it is not
    /// known.
    fn rounding(&self) -> f64 {
        0.0
    }

    /// A correction that gains nothing is rounding in the problem, which it does not know, where it leaves at most this much of the guess and of the
    /// residual, relative to scale; 0 where it does, or where a residual has other reasons.
    fn noise_max(&self) -> f64 {
        0.0
    }

    /// The largest correction relative to scale that may be left undone where the residual is small enough: a small residual may stand for a
    /// large error of the guess. Infinite where the residual says enough.
    fn change_max(&self) -> f64 {
        f64::INFINITY
    }

    /// What such a change is measured with: a part of [`Problem::scale`] where it matters longer than what is as large now.
    fn lasting(&self) -> &[f64] {
        self.scale()
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

/// Finds `y = G(y)`. One of your own is [`Correction::Custom`]: it keeps what it learns in [`Learnt::numbers`].
pub trait Corrector: Send + Sync + std::fmt::Debug {
    /// Improves the guess `y` in place until the residual is small or the corrector gives up; `learnt` is what it knows from
    /// earlier windows: nothing in the first one, and where the method or the step has changed.
    fn correct(&self, learnt: &mut Learnt, problem: &mut dyn Problem, y: &mut [f64]) -> Result<Convergence, UnitError>;
}

/// Which corrector a method has.
#[derive(Debug, Clone, Default)]
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
    /// Quasi-Newton with a Jacobian kept from secants: IQN-IMVJ.
    MultiVector(MultiVector),
    /// Newton–Krylov without a Jacobian.
    NewtonKrylov(NewtonKrylov),
    /// Predictor and corrector with exactly one rollback.
    SemiImplicit(SemiImplicit),
    /// None: every window is run once, with inputs from linear models of the units.
    LinearImplicit,
    /// One of your own.
    Custom(std::sync::Arc<dyn Corrector>),
}

impl Correction {
    /// The corrector, `None` where every window is run once.
    pub fn corrector(&self) -> Option<&dyn Corrector> {
        match self {
            Correction::Explicit | Correction::LinearImplicit => None,
            Correction::FixedPoint(f) => Some(f),
            Correction::Newton(n) => Some(n),
            Correction::QuasiNewton(q) => Some(q),
            Correction::MultiVector(m) => Some(m),
            Correction::NewtonKrylov(n) => Some(n),
            Correction::SemiImplicit(s) => Some(s),
            Correction::Custom(own) => Some(own.as_ref()),
        }
    }

    /// The residual relative to scale that it stops at; `None` where that is not known.
    pub(crate) fn tolerance(&self) -> Option<f64> {
        match self {
            Correction::FixedPoint(f) => Some(f.tolerance),
            Correction::Newton(n) => Some(n.tolerance),
            Correction::QuasiNewton(q) => Some(q.tolerance),
            Correction::MultiVector(m) => Some(m.tolerance),
            Correction::NewtonKrylov(n) => Some(n.tolerance),
            Correction::Explicit | Correction::SemiImplicit(_) | Correction::LinearImplicit | Correction::Custom(_) => {
                None
            }
        }
    }

    /// Whether windows are run more than once, so that units must go back.
    pub fn repeats(&self) -> bool {
        self.corrector().is_some()
    }
}

/// Largest residual relative to scale; infinite where one is NaN.
pub fn relative(residual: &[f64], scale: &[f64]) -> f64 {
    residual.iter().zip(scale).fold(0.0, |m, (r, s)| {
        let q = (r / s).abs();
        // A NaN must not pass for convergence.
        if q.is_nan() { f64::INFINITY } else { q.max(m) }
    })
}
