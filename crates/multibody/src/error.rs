//! Errors of this crate, with the values that say where.

use macrostep_mlcp::Failure;
use thiserror::Error;

/// Why a definition was refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DefinitionError {
    /// A number has no physical meaning.
    #[error("`{element}`: `{field}` is {value}, expected {expected}")]
    Value {
        /// The element.
        element: String,
        /// The quantity.
        field: &'static str,
        /// The number.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// Both bodies of an element are the same, or none of them moves.
    #[error("`{element}` does not connect two different bodies")]
    Bodies {
        /// The element.
        element: String,
    },
    /// The joint leaves no single coordinate free.
    #[error("`{element}` needs a revolute or prismatic joint, `{joint}` is {kind}")]
    Coordinate {
        /// The element.
        element: String,
        /// The joint.
        joint: String,
        /// Its kind.
        kind: String,
    },
    /// Contact between these shapes is not implemented.
    #[error("`{element}`: no contact between {first} and {second}")]
    Pair {
        /// The pair.
        element: String,
        /// Kind of the first shape.
        first: &'static str,
        /// Kind of the second shape.
        second: &'static str,
    },
}

/// Why a step could not be made; the state is as before.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum StepError {
    /// The step size is no positive number.
    #[error("step size is {step_s} s at {time_s} s")]
    StepSize {
        /// The size asked for.
        step_s: f64,
        /// Time of the state.
        time_s: f64,
    },
    /// The number of interface forces does not fit.
    #[error("{found} interface forces at {time_s} s, expected {expected}")]
    Forces {
        /// Time of the state.
        time_s: f64,
        /// Forces given.
        found: usize,
        /// Interface coordinates.
        expected: usize,
    },
    /// Joint rows are redundant and have no compliance.
    #[error("joint rows are dependent at {time_s} s: pivot {pivot:e} at row {row}, give them a compliance")]
    Redundant {
        /// Time of the state.
        time_s: f64,
        /// Row in elimination order.
        row: usize,
        /// The pivot found.
        pivot: f64,
    },
    /// The complementarity problem was not solved.
    #[error("at {time_s} s: {failure}")]
    Complementarity {
        /// Time of the state.
        time_s: f64,
        /// Why.
        failure: Failure,
    },
    /// The velocities became infinite or NaN: the simulation has diverged.
    #[error("velocity of body {body} is not finite after {time_s} s")]
    Diverged {
        /// Time of the state.
        time_s: f64,
        /// First such body.
        body: usize,
    },
}

/// Why a saved state was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StateError {
    /// The numbers do not fit the system.
    #[error("state has {found} {what}, expected {expected}")]
    Size {
        /// Kind of entry.
        what: &'static str,
        /// Entries found.
        found: usize,
        /// Entries the system has.
        expected: usize,
    },
    /// A code in the memory means nothing.
    #[error("entry {entry} of the memory has set code {code}")]
    Code {
        /// Place in the memory.
        entry: usize,
        /// The code.
        code: u64,
    },
}
