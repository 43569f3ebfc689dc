//! Everything of a slave that changes.

use macrostep_ode::Polynomials;

use crate::Phase;

/// How much memory a model needs beside its variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape {
    /// Real numbers no variable shows, such as states.
    pub hidden_reals: usize,
    /// Integers no variable shows, such as counters.
    pub hidden_integers: usize,
}

/// Values of all variables by type and value reference, hidden state, input polynomials, time and state machine.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Memory {
    /// Real variables. Those a model computes from the rest are a cache: they are not saved.
    pub reals: Vec<f64>,
    /// Integer and enumeration variables.
    pub integers: Vec<i32>,
    /// Boolean variables.
    pub booleans: Vec<bool>,
    /// String variables.
    pub strings: Vec<String>,
    /// Real numbers no variable shows, the model's own.
    pub hidden_reals: Vec<f64>,
    /// Integers no variable shows, the model's own.
    pub hidden_integers: Vec<i64>,
    /// What the model keeps elsewhere, as bytes; see [`crate::Model::keep_state`].
    pub kept: Vec<u8>,
    /// Real inputs, in the order of their value references, as polynomials in the time since [`Memory::time_s`]. The
    /// values at that time stand in [`Memory::reals`] and are copied here before a model sees them.
    pub inputs: Polynomials,
    /// The same over the last step, in the time since its start; before the first step, the inputs at the end of
    /// initialisation.
    pub last_inputs: Polynomials,
    /// Inputs set since the last step: their next Set does not begin a new polynomial.
    pub(crate) touched: Vec<bool>,
    /// Time reached (s).
    pub time_s: f64,
    /// Length of the last step (s), zero before the first.
    pub last_step_s: f64,
    /// State of the slave.
    pub phase: Phase,
    /// Start of the experiment (s).
    pub start_s: f64,
    /// End of the experiment (s), infinite if none was given.
    pub stop_s: f64,
    /// Whether the model asked to end the simulation.
    pub wants_termination: bool,
}

impl Memory {
    /// Becomes a copy, without allocation where the lengths agree; only the first `stored` reals are copied.
    pub(crate) fn copy_from(&mut self, other: &Memory, stored: usize) {
        self.reals.resize(stored.max(self.reals.len()), 0.0);
        self.reals[..stored].copy_from_slice(&other.reals[..stored]);
        self.integers.clone_from(&other.integers);
        self.booleans.clone_from(&other.booleans);
        self.strings.clone_from(&other.strings);
        self.hidden_reals.clone_from(&other.hidden_reals);
        self.hidden_integers.clone_from(&other.hidden_integers);
        self.kept.clone_from(&other.kept);
        for (to, from) in [(&mut self.inputs, &other.inputs), (&mut self.last_inputs, &other.last_inputs)] {
            if to.count() == from.count() { to.copy_from(from) } else { to.clone_from(from) }
        }
        self.touched.clone_from(&other.touched);
        (self.time_s, self.last_step_s) = (other.time_s, other.last_step_s);
        (self.start_s, self.stop_s) = (other.start_s, other.stop_s);
        (self.phase, self.wants_termination) = (other.phase, other.wants_termination);
    }
}
