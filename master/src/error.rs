//! The errors of a run.

use crate::unit::UnitError;
use macrostep_description::shown;
use serde::{Deserialize, Serialize};

/// Errors of a system.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SystemError {
    /// No such variable.
    #[error("unit `{unit}` has no variable `{variable}`; {hint}")]
    UnknownVariable {
        /// Name of the unit.
        unit: String,
        /// The name that was asked for.
        variable: String,
        /// Names that come near.
        hint: String,
    },
    /// A variable of another kind than the place needs.
    #[error("`{unit}.{variable}` is {found}, expected {expected}")]
    WrongVariable {
        /// Name of the unit.
        unit: String,
        /// The variable.
        variable: String,
        /// What it is.
        found: String,
        /// What is needed.
        expected: &'static str,
    },
    /// An input with two sources.
    #[error("input `{unit}.{variable}` is connected twice; remove one of the connections")]
    ConnectedTwice {
        /// Name of the unit.
        unit: String,
        /// The input.
        variable: String,
    },
    /// A law with more or fewer inputs than it takes, or an output it does not have; an interface model likewise.
    #[error("a law or an interface model has {found} {what}, expected {expected}")]
    LawShape {
        /// "inputs" or "outputs".
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many are needed.
        expected: usize,
    },
}

/// A run that could not begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A call to a unit failed.
    #[error(transparent)]
    Unit(#[from] UnitError),
    /// The system is not well formed.
    #[error(transparent)]
    System(#[from] SystemError),
    /// A unit did not finish a step.
    #[error(
        "unit `{unit}` did not finish the step of {} s from t = {} s, it reached {} s; {what}",
        shown::time(*.step_s),
        shown::time(*.t_s),
        shown::time(*.reached_s)
    )]
    Discarded {
        /// Name of the unit.
        unit: String,
        /// Start of the step \[s\].
        t_s: f64,
        /// Its length \[s\].
        step_s: f64,
        /// Time reached \[s\].
        reached_s: f64,
        /// Whether the unit wants the run to end.
        terminated: bool,
        /// What can be done.
        what: &'static str,
    },
    /// A method that needs what a unit does not offer.
    #[error("{needs} needs `{capability}` of every unit, but unit `{unit}` does not offer it; {hint}")]
    Capability {
        /// What was chosen.
        needs: &'static str,
        /// Attribute of the `CoSimulation` element.
        capability: &'static str,
        /// Name of the unit.
        unit: String,
        /// What to choose instead.
        hint: &'static str,
    },
    /// A method that needs samples inside the steps of a unit that has neither dense output nor steps of different lengths.
    #[error(
        "the method needs samples inside the steps of unit `{unit}`, but it declares no `{needed}`, and without \
             `canHandleVariableCommunicationStepSize` it makes no steps from node to node; take `waveform:2`, whose nodes are \
             evenly spaced, or a method without nodes, as h5 with newton"
    )]
    DenseOutput {
        /// Name of the unit.
        unit: String,
        /// The variable it lacks.
        needed: String,
    },
    /// Times that do not fit together.
    #[error("{what}: found {found}, expected {expected}")]
    Grid {
        /// Which of the times.
        what: &'static str,
        /// What was given.
        found: String,
        /// What would do.
        expected: String,
    },
    /// An order that does not name every unit once.
    #[error("Gauss–Seidel order: found {found}, expected each of the {units} units once")]
    Schedule {
        /// What was given.
        found: String,
        /// Number of units.
        units: usize,
    },
    /// A run whose signals have grown beyond all bounds.
    #[error(transparent)]
    Diverged(Box<Diverged>),
    /// An event that happens again and again.
    #[error(
        "event `{event}`: {found} times in {} s up to t = {} s, expected at most {most}: events accumulate (Zeno); stop the run \
         before, let the event set a variable that ends it, or give another `max` and `span`",
        shown::time(*.span_s),
        shown::time(*.t_s)
    )]
    Zeno {
        /// Its name.
        event: String,
        /// Time of the last one \[s\].
        t_s: f64,
        /// How many there were.
        found: u32,
        /// How many may be.
        most: u32,
        /// Within which time \[s\].
        span_s: f64,
    },
    /// A joint that is not closed where the run begins.
    #[error(
        "constraint `{name}` is open at the start: its {what} are {found:.3e} apart, expected at most {limit:.0e}; correct the start \
         values of the units it joins"
    )]
    Open {
        /// Name of the constraint.
        name: String,
        /// "coordinates" or "velocities".
        what: &'static str,
        /// Largest component of the gap or its rate.
        found: f64,
        /// The bound.
        limit: f64,
    },
    /// A joint that its forces do not close.
    #[error(
        "no force of constraint `{name}` moves its ends (mobility {found:.1e}); name forces that act on the velocities beside them"
    )]
    Unmoved {
        /// Name of the constraint.
        name: String,
        /// Largest entry on the diagonal of its mobility.
        found: f64,
    },
    /// A pair of linear maps that loses or makes power.
    #[error(
        "virtual work at t = {} s: relative defect {found:.1e}, expected at most {limit:.0e}; the map of the forces must be the \
         dual of the map of the positions",
        shown::time(*.t_s)
    )]
    VirtualWork {
        /// Communication point \[s\].
        t_s: f64,
        /// What was found.
        found: f64,
        /// The bound.
        limit: f64,
    },
}

impl RunError {
    /// [`RunError::Grid`] of these words.
    pub fn grid(what: &'static str, found: impl Into<String>, expected: impl Into<String>) -> Self {
        RunError::Grid { what, found: found.into(), expected: expected.into() }
    }
}

/// A signal that a run cannot go on with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error(
    "diverged at t = {} s{}: `{signal}` is {found:.1e}, expected a finite number up to 1e100{}; choose a smaller macro step; \
     `macrostep verify` compares steps and schedules",
    shown::time(*.t_s),
    stop(*.stop_s),
    unmet(.unconverged)
)]
pub struct Diverged {
    /// Communication point \[s\].
    pub t_s: f64,
    /// End of the run \[s\], where it has one.
    pub stop_s: Option<f64>,
    /// `UNIT.VARIABLE`.
    pub signal: String,
    /// Its value.
    pub found: f64,
    /// Start \[s\] of the first macro step that did not converge, if there was one, and the signal with the largest residual in it.
    pub unconverged: Option<(f64, String)>,
}

fn unmet(unconverged: &Option<(f64, String)>) -> String {
    unconverged.as_ref().map_or(String::new(), |(t_s, signal)| {
        format!("; macro steps did not converge from t = {} s on, the first for `{signal}`", shown::time(*t_s))
    })
}

fn stop(stop_s: Option<f64>) -> String {
    stop_s.map_or(String::new(), |stop_s| format!(" of {} s", shown::time(stop_s)))
}
