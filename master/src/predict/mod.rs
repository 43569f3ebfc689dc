//! *Predictors*: what is believed of a signal beyond what is known of it.
//!
//! A predictor turns the history of one channel into a segment per component over a step that is about to be taken.
//! Where the history reaches to the step's end (a Gauss–Seidel schedule published early, or a corrector guessed) the
//! same polynomial interpolates; nothing else distinguishes explicit from implicit coupling.
//!
//! | predictor | polynomial | where the coupling law sits |
//! |---|---|---|
//! | [`Lagrange`] | degree k through k + 1 values, every component for itself | before: the law's *value* is extrapolated |
//! | [`IntegratedAcceleration`] | degree k through accelerations, integrated twice | behind: the *motion* is predicted |
//! | [`Hermite`] | through values and derivatives of a motion at both ends | behind: the *motion* is predicted |
//!
//! A predictor of your own is one file: implement [`Predictor`], hand it to [`crate::Method`].

mod hermite;
mod integrated;
mod lagrange;

pub use hermite::Hermite;
pub use integrated::{IntegratedAcceleration, Variant};
pub use lagrange::{Derivative, Lagrange};

use crate::history::History;
use crate::segment::Segment;
use crate::time::Span;

/// What is extrapolated when a coupling law stands between two units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// Units → law → \[prediction\] → unit: the law is evaluated at communication points and its values are predicted.
    AfterLaw,
    /// Units → \[prediction\] → law → unit: the law is applied to predicted motions.
    BeforeLaw,
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

    /// One segment per component of the channel over `span`, local time 0 … 1. The history holds at least one row;
    /// with fewer than [`Predictor::depth`] rows it does what they allow (a ramp start). Must not allocate.
    fn segments(&self, history: &History, span: &Span, out: &mut [Segment]);
}
