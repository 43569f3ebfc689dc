//! *Predictors*: extrapolate a history over the step to come.
//!
//! A predictor turns the history of one channel into a segment per component over a step that is about to be taken.
//! Where the history reaches to the step's end (a Gauss–Seidel schedule published early, or a corrector guessed) the
//! same polynomial interpolates; nothing else distinguishes explicit from implicit coupling.
//!
//! | predictor | polynomial | where the coupling law sits |
//! |---|---|---|
//! | [`Lagrange`] | degree k through k + 1 values, every component for itself | before: the law's *value* is extrapolated |
//! | [`Kalman`] | degree 1 or 2, filtered of noise, every component for itself | before: the law's *value* is extrapolated |
//! | [`IntegratedAcceleration`] | degree k through accelerations, integrated twice | behind: the *motion* is predicted |
//! | [`Hermite`] | through values and derivatives of a motion at both ends | behind: the *motion* is predicted |
//! | [`Jerk`] | cubic or quintic through accelerations and their rates, integrated twice | behind: the *motion* is predicted |
//! | [`Mean`] | a constant, the mean of both ends | behind: the *motion* is predicted |
//! | [`Rates`] | a line through the newest value with the rate it has there | behind: the *motion* is predicted |
//! | [`Spectral`] | degree q through Chebyshev–Lobatto nodes inside the step | behind: the *motion* is predicted |
//!
//! An [`InterfaceModel`] predicts otherwise: from what *several* units say, ẇ = W λ + b on the grid of the fast one. It is
//! part of the system ([`crate::System::connect_predicted`]) and goes with every predictor of the other signals.
//!
//! A predictor of your own is one file: implement [`Predictor`], hand it to [`crate::Method`].

mod hermite;
mod integrated;
mod interface;
mod jerk;
mod kalman;
mod lagrange;
mod mean;
mod rates;
mod spectral;

pub use crate::signal::nodes::{NODES_MAX, lobatto};
pub use crate::system::interface::{InterfaceModel, Predicted};
pub use hermite::Hermite;
pub use integrated::{IntegratedAcceleration, Variant};
pub use interface::Motion;
pub use jerk::Jerk;
pub use kalman::Kalman;
pub(crate) use lagrange::line;
pub use lagrange::{Derivative, Lagrange};
pub use mean::Mean;
pub use rates::Rates;
pub use spectral::Spectral;

use std::sync::Arc;

use crate::signal::history::History;
use crate::signal::segment::Segment;
use crate::time::Span;

/// The compiler puts the code that is called through a trait object into the crate that makes the object. So predictors are made into objects here, where code
/// is optimised, and not in the crates that read names and files, where it is not.
macro_rules! shared {
    ($($predictor:ty),*) => {$(
        impl From<$predictor> for Arc<dyn Predictor> {
            #[inline(never)]
            fn from(predictor: $predictor) -> Self {
                Arc::new(predictor)
            }
        }
    )*};
}
shared!(Hermite, IntegratedAcceleration, Jerk, Kalman, Lagrange, Mean, Rates, Spectral);

/// The place of the extrapolation when there is a law between two units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// Units → law → \[prediction\] → unit: the law is evaluated at communication points and its values are predicted.
    AfterLaw,
    /// Units → \[prediction\] → law → unit: the law is applied to predicted motions.
    BeforeLaw,
}

/// The polynomial a predictor makes of samples that are there, where it is one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stencil {
    /// The line through the newest two values of each component.
    Line,
    /// The parabola through the newest three values of each component.
    Parabola,
    /// The cubic through value and rate of a motion at its newest two samples, and its derivatives.
    Motion,
}

impl Stencil {
    /// Number of samples that the predictor uses.
    pub fn rows(self) -> usize {
        if self == Stencil::Parabola { 3 } else { 2 }
    }

    /// Degree of its polynomials.
    pub fn degree(self) -> usize {
        match self {
            Stencil::Line => 1,
            Stencil::Parabola => 2,
            Stencil::Motion => 3,
        }
    }
}

/// Extrapolates (or interpolates) a channel.
pub trait Predictor: Send + Sync + std::fmt::Debug {
    /// Rows of history it looks at.
    fn depth(&self) -> usize;

    /// Where it stands to a coupling law.
    fn edge(&self) -> Edge;

    /// Whether every segment it makes is a constant: the value at [`History::lead`]. Units are then fed with values
    /// straight from the histories.
    fn holds(&self) -> bool {
        false
    }

    /// Which polynomials [`Predictor::segments`] makes where [`Stencil::rows`] samples are known; `None` for others. With these,
    /// units are fed without a look into the histories.
    fn stencil(&self) -> Option<Stencil> {
        None
    }

    /// How many components of a motion (value, rate, acceleration, jerk) it makes use of.
    fn components(&self) -> usize {
        2
    }

    /// Whether feed-through outputs are to be sampled with the rates of the inputs as well, not with their values alone.
    fn rates(&self) -> bool {
        false
    }

    /// Intervals between the Chebyshev–Lobatto nodes at which it wants samples inside each step (dense output); 0 for none.
    fn nodes(&self) -> usize {
        0
    }

    /// One segment per component of the channel over `span`, local time 0 … 1. The history holds at least one row;
    /// with fewer than [`Predictor::depth`] rows it does what they allow (a ramp start). Must not allocate.
    fn segments(&self, history: &History, span: &Span, out: &mut [Segment]);
}
