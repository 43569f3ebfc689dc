//! *Events*: values that units get when a function of outputs crosses zero, as parts of a system.
//!
//! ```text
//! g(t) = Σ factor · output − threshold
//! ```
//!
//! The *side* of an event is the sign of g from which it is crossed. A crossing is seen where g at the end of a window is not on
//! that side any more. Right after an event g is zero but for rounding; its side is then the sign of its rate, where all
//! outputs of g have one in their channel, else what g is after the next window. g of a one-sided event has to come back to the
//! side it was crossed from: a contact, not a switch. It is crossed again where it does not.

use crate::ids::{Signal, UnitId};
use crate::signal::history::History;
use crate::time::Tick;
use crate::unit::Start;

/// Which crossings count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// From above zero to below.
    Falling,
    /// From below zero to above.
    Rising,
    /// Each of them.
    #[default]
    Both,
}

/// The value that a variable is set to.
#[derive(Debug, Clone)]
pub enum Assigned {
    /// A value of any type.
    Value(Start),
    /// `factor` · `from` + `offset` of a sampled output at the event, for a real variable; `to` holds its reference and origin.
    Output {
        /// The output.
        from: Signal,
        /// Dimensionless.
        factor: f64,
        /// In the unit of the variable.
        offset: f64,
        /// The variable; its value is not used.
        to: Start,
    },
}

/// An event of a system.
#[derive(Debug, Clone)]
pub struct Event {
    /// For messages and results.
    pub name: String,
    /// The outputs of g with their factors.
    pub terms: Vec<(Signal, f64)>,
    /// What they are compared with.
    pub threshold: f64,
    /// Which crossings count.
    pub direction: Direction,
    /// Whether g stays on one side, so that an event that does not send it back happens again at once.
    pub one_sided: bool,
    /// What is set, in this order; all values are taken before the first is set.
    pub set: Vec<(UnitId, Assigned)>,
    /// More than this many within `span_s` end the run.
    pub most: u32,
    /// \[s\], above 0.
    pub span_s: f64,
}

impl Event {
    /// g at the newest rows not later than `at`.
    pub(crate) fn value(&self, histories: &[History], at: Tick) -> f64 {
        self.sum(histories, at, 0).unwrap_or(0.0) - self.threshold
    }

    /// The `order`-th time derivative of Σ factor · output, where all channels have it.
    pub(crate) fn sum(&self, histories: &[History], at: Tick, order: usize) -> Option<f64> {
        self.terms.iter().try_fold(0.0, |sum, (signal, factor)| {
            let (history, component) = (&histories[signal.channel], signal.component + order);
            let row = history.row(history.not_after(at));
            row.get(component).map(|value| sum + factor * value)
        })
    }

    /// Whether g has left the side it is crossed from, in a direction that counts.
    pub(crate) fn is_crossed(&self, side: i8, g: f64) -> bool {
        let counts = match self.direction {
            Direction::Falling => side > 0,
            Direction::Rising => side < 0,
            Direction::Both => side != 0,
        };
        counts && f64::from(side) * g <= 0.0
    }
}
