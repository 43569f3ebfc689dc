//! Errors of calls.

use std::fmt;

use macrostep_description::shown;

use crate::Phase;

/// A call that failed. Nothing of it was carried out, unless it is a [`Fault::Model`].
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// The table of FMI 2.0.5, section 4.2.4, does not allow the call now.
    NotAllowed {
        /// Name of the function.
        call: &'static str,
        /// State it was called in.
        phase: Phase,
    },
    /// A function, or a state, of one face, and an instance that was made for the other one.
    OtherFace {
        /// Name of the function.
        call: &'static str,
    },
    /// A value reference no variable of this type has.
    UnknownReference {
        /// Name of the function.
        call: &'static str,
        /// What was passed.
        reference: u32,
        /// How many variables of the type there are; their references count from 0.
        count: usize,
    },
    /// The variable may not be set now (or never).
    NotSettable {
        /// Name of the variable.
        name: String,
        /// State of the slave.
        phase: Phase,
    },
    /// A list of another length than the list of value references.
    Length {
        /// Name of the function.
        call: &'static str,
        /// Values passed.
        found: usize,
        /// Value references passed.
        expected: usize,
    },
    /// NaN or an infinity.
    NotFinite {
        /// Name of the function.
        call: &'static str,
        /// Variable or argument.
        name: String,
        /// What was passed.
        value: f64,
    },
    /// A value outside `min` … `max` of its variable.
    OutOfRange {
        /// Name of the variable.
        name: String,
        /// What was passed.
        value: f64,
        /// `min`.
        min: f64,
        /// `max`.
        max: f64,
    },
    /// A derivative of this order is not offered for this variable.
    Order {
        /// Name of the function.
        call: &'static str,
        /// Name of the variable.
        name: String,
        /// What was asked for.
        order: i32,
        /// The highest order.
        max: usize,
    },
    /// The time of a step or an experiment makes no sense.
    Time {
        /// Name of the function.
        call: &'static str,
        /// Name of the argument.
        what: &'static str,
        /// What was passed (s).
        found: f64,
        /// What would have been right.
        expected: String,
    },
    /// Asked for something that the pair of variables does not have.
    NotDifferentiable {
        /// Name of the unknown.
        unknown: String,
        /// Name of the known.
        known: String,
        /// State of the slave.
        phase: Phase,
    },
    /// A saved state that is not one of this model.
    Snapshot(String),
    /// The equations could not be solved.
    Model {
        /// Time (s).
        t_s: f64,
        /// What happened, with values.
        message: String,
    },
    /// The declaration, or what it is built from, is not one this model can live with.
    Declaration(String),
    /// The call asks for what the standard lets a slave refuse: the value is not available (`fmi2Discard`).
    Unavailable {
        /// Name of the function.
        call: &'static str,
        /// Why.
        message: &'static str,
    },
}

// Written out: the macro that derives it would be compiled once more in every build of FMUs, for five seconds.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NotAllowed { call, phase } => write!(f, "{call} is not allowed in state {phase:?}"),
            Fault::OtherFace { call } => write!(
                f,
                "{call}: found an instance of the other face (co-simulation or model exchange), expected one of the same"
            ),
            Fault::UnknownReference { call, reference, count } => {
                write!(f, "{call}: value reference {reference} found, expected one below {count}")
            }
            Fault::NotSettable { name, phase } => write!(f, "variable `{name}` cannot be set in state {phase:?}"),
            Fault::Length { call, found, expected } => write!(f, "{call}: {found} values found, expected {expected}"),
            Fault::NotFinite { call, name, value } => {
                write!(f, "{call}: `{name}` = {value} found, expected a finite number")
            }
            Fault::OutOfRange { name, value, min, max } => {
                write!(f, "variable `{name}` = {value} found, expected {min} to {max}")
            }
            Fault::Order { call, name, order, max } => {
                let none = if *max == 0 { " (no derivatives)" } else { "" };
                write!(f, "{call}: order {order} of `{name}` found, expected 1 to {max}{none}")
            }
            Fault::Time { call, what, found, expected } => {
                write!(f, "{call}: {what} = {found} s found, expected {expected}")
            }
            Fault::NotDifferentiable { unknown, known, phase } => {
                write!(f, "no directional derivative of `{unknown}` with respect to `{known}` in state {phase:?}")
            }
            Fault::Snapshot(what) => write!(f, "saved state: {what}"),
            Fault::Model { t_s, message } => write!(f, "at t = {} s: {message}", shown::time(*t_s)),
            Fault::Declaration(what) => write!(f, "declaration: {what}"),
            Fault::Unavailable { call, message } => write!(f, "{call}: {message}"),
        }
    }
}

impl std::error::Error for Fault {}

impl Fault {
    /// Whether the C function returns `fmi2Discard`, after which the slave can still be used, and not `fmi2Error`.
    pub fn is_discard(&self) -> bool {
        matches!(self, Fault::OutOfRange { .. } | Fault::Unavailable { .. })
    }

    /// The same about a function of this name, where it names one: FMI 3.0 has other names.
    #[must_use]
    pub fn in_call(mut self, name: &'static str) -> Fault {
        match &mut self {
            Fault::NotAllowed { call, .. }
            | Fault::OtherFace { call }
            | Fault::UnknownReference { call, .. }
            | Fault::Length { call, .. }
            | Fault::NotFinite { call, .. }
            | Fault::Order { call, .. }
            | Fault::Time { call, .. }
            | Fault::Unavailable { call, .. } => *call = name,
            _ => {}
        }
        self
    }
}
