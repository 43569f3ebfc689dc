//! Named methods on the two-mass benchmark and the other systems with a cut: what they exchange and the macro step that suits.
//!
//! | name | coupling | H |
//! |---|---|---|
//! | `jerk` | s-s | 1e-2 s |
//! | `waveform`, `waveform:Q` | s-s | 0.2 s |
//! | `palindromic` | s-s | 1e-3 s |
//!
//! Coupling and macro step may be chosen otherwise.

use super::{Correct, Named, Predict, Schedule, Scheme};
use crate::pair::Coupling;

/// The parts of a named method on a cut.
pub struct Recipe {
    /// What the subsystems exchange, unless said otherwise.
    pub coupling: Coupling,
    /// Who steps when.
    pub schedule: Schedule,
    /// Prediction of the inputs.
    pub predict: Predict,
    /// Correction of a macro step.
    pub correct: Correct,
    /// The macro step in s, unless said otherwise.
    pub step_s: f64,
}

/// The parts of a named method.
pub fn recipe(method: Named) -> Recipe {
    let (schedule, predict, correct) = method.parts();
    let step_s = match method {
        Named::Jerk => 1e-2,
        Named::Waveform(_) => 0.2,
        Named::Palindromic => 1e-3,
    };
    Recipe { coupling: Coupling::DisplacementDisplacement, schedule, predict, correct, step_s }
}

/// A named method as a scheme of a cut.
pub fn named(method: Named, coupling: Coupling) -> Scheme {
    let (schedule, predict, correct) = method.parts();
    let scheme = Scheme { correct, ..Scheme::new(coupling, schedule, predict) };
    match method.control() {
        Some((control, control_tolerance)) => Scheme { control, control_tolerance, ..scheme },
        None => scheme,
    }
}
