//! A *unit* is one simulator in a coupled system: an imported FMU or a native model, behind the same few calls.
//!
//! The master never looks inside a unit and a unit never sees another. Every call names variables by value reference,
//! resolved once before the run; no call allocates after the first of its kind.

mod forward;
mod native;
mod start;
mod threads;
#[cfg(test)]
mod threads_tests;
mod trials;
mod warned;

pub use macrostep_slave::Tangent;
pub use native::NativeUnit;
pub use start::{Start, proposed_tolerance, set};
pub use threads::Threads;
pub use trials::{Distance, Trials};
pub use warned::{Warned, Warning};

use macrostep_description::{ModelDescription, shown};
use std::sync::Arc;

/// One simulator, driven through the states of FMI 2.0.5, section 4.2.4: [`Unit::setup`], set start values,
/// [`Unit::enter_initialization`], set and get, [`Unit::exit_initialization`], then steps.
///
/// No call has a default: a unit that hands calls on to another one cannot forget any. [`crate::forward`] and [`crate::idle`] write
/// those that need no code. [`Unit::set_step_get`] is no call of its own but three of them.
pub trait Unit: Send {
    /// Name of this instance in the system, unique there.
    fn name(&self) -> &str;

    /// What it declares of itself.
    fn description(&self) -> &ModelDescription;

    /// The same, shared with whoever holds it already: instances of one FMU need one copy.
    fn shared_description(&self) -> Arc<ModelDescription>;

    /// "fmu", "native" or "isolated": what kind of object answers.
    fn kind(&self) -> &'static str;

    /// `fmi2SetupExperiment`: start and stop time in seconds, relative tolerance of the unit's own solver.
    fn setup(&mut self, start_s: f64, stop_s: Option<f64>, tolerance: Option<f64>) -> Result<(), UnitError>;

    /// `fmi2EnterInitializationMode`.
    fn enter_initialization(&mut self) -> Result<(), UnitError>;

    /// `fmi2ExitInitializationMode`.
    fn exit_initialization(&mut self) -> Result<(), UnitError>;

    /// `fmi2Reset`: back to the state after instantiation.
    fn reset(&mut self) -> Result<(), UnitError>;

    /// `fmi2Terminate`.
    fn terminate(&mut self) -> Result<(), UnitError>;

    /// `fmi2SetReal`; as many values as references.
    fn set_real(&mut self, refs: &[u32], values: &[f64]) -> Result<(), UnitError>;

    /// `fmi2GetReal`.
    fn get_real(&mut self, refs: &[u32], values: &mut [f64]) -> Result<(), UnitError>;

    /// `fmi2SetInteger`, also for enumerations.
    fn set_integer(&mut self, refs: &[u32], values: &[i32]) -> Result<(), UnitError>;

    /// `fmi2GetInteger`.
    fn get_integer(&mut self, refs: &[u32], values: &mut [i32]) -> Result<(), UnitError>;

    /// `fmi2SetBoolean`.
    fn set_boolean(&mut self, refs: &[u32], values: &[bool]) -> Result<(), UnitError>;

    /// `fmi2GetBoolean`.
    fn get_boolean(&mut self, refs: &[u32], values: &mut [bool]) -> Result<(), UnitError>;

    /// `fmi2SetString`.
    fn set_string(&mut self, refs: &[u32], values: &[&str]) -> Result<(), UnitError>;

    /// `fmi2GetString`, copied out; a NULL string reads as empty.
    fn get_string(&mut self, refs: &[u32]) -> Result<Vec<String>, UnitError>;

    /// `fmi2SetRealInputDerivatives`: `values[i]` is the derivative of order `orders[i]` (1 …) of input `refs[i]` at
    /// the next step's start.
    fn set_input_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &[f64]) -> Result<(), UnitError>;

    /// `fmi2GetRealOutputDerivatives`.
    fn get_output_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &mut [f64]) -> Result<(), UnitError>;

    /// `fmi2DoStep` over [t_s, t_s + step_s]; `keep` is `noSetFMUStatePriorToCurrentPoint`: true where the master
    /// will not go back before `t_s`.
    fn step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<Outcome, UnitError>;

    /// [`Unit::set_real`] of `set`, a step from `step.0` over `step.1` seconds that will not be taken back, and, where it was done,
    /// [`Unit::get_real`] of `get`; lists of no length are left out. One call of the master instead of three.
    #[inline]
    fn set_step_get(
        &mut self,
        set: (&[u32], &[f64]),
        step: (f64, f64),
        get: (&[u32], &mut [f64]),
    ) -> Result<Outcome, UnitError> {
        if !set.0.is_empty() {
            self.set_real(set.0, set.1)?;
        }
        let outcome = self.step(step.0, step.1, true)?;
        if outcome == Outcome::Done && !get.0.is_empty() {
            self.get_real(get.0, get.1)?;
        }
        Ok(outcome)
    }

    /// Whether [`Unit::begin_step`] makes the unit work beside its caller.
    fn is_parallel(&self) -> bool;

    /// Begins the step that the next call, [`Unit::step`] with the same arguments, ends. A unit that does not work beside
    /// its caller does nothing here.
    fn begin_step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<(), UnitError>;

    /// Steps from one saved state, each with inputs of its own, and what is read behind each, row by row; false where one was not
    /// finished. What is read may be linear in the difference from trial 0. A unit that gains nothing by making them together makes them [one by one](Trials::one_by_one).
    fn trials(&mut self, of: &Trials<'_>, values: &mut [f64]) -> Result<bool, UnitError>;

    /// Whether steps that are tried together take this unit less than one by one, on this machine: it has derivatives of what it computes, or differences
    /// that serve all of them.
    fn gains_by_trials(&self) -> bool;

    /// How far it is away, where messages to it take time that counts: it gains by fewer of them. `None` of a unit on this machine.
    fn distance(&self) -> Option<Distance>;

    /// How often [`Unit::step`] was called, rejected and repeated calls included.
    fn do_steps(&self) -> u64;

    /// The calls that returned `fmi2Warning` since the unit was made; `None` where there were none.
    fn warned(&mut self) -> Option<Warned>;

    /// `fmi2GetFMUstate` into the numbered slot, which is reused.
    fn save(&mut self, slot: usize) -> Result<(), UnitError>;

    /// `fmi2SetFMUstate` from a slot saved before.
    fn restore(&mut self, slot: usize) -> Result<(), UnitError>;

    /// The real numbers of the unit's own state, to be read and changed between steps: for one-step maps. `None` where they
    /// are out of reach, as behind the C interface.
    fn hidden_state(&mut self) -> Option<&mut [f64]>;

    /// `fmi2SerializeFMUstate` of the state now.
    fn serialize(&mut self) -> Result<Vec<u8>, UnitError>;

    /// `fmi2DeSerializeFMUstate` and make it the state.
    fn deserialize(&mut self, bytes: &[u8]) -> Result<(), UnitError>;

    /// `fmi2GetDirectionalDerivative`.
    fn directional(&mut self, of: Tangent<'_>) -> Result<(), UnitError>;
}

/// How a step ended. Not finishing is an outcome, not an error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// The whole step was done.
    Done,
    /// `fmi2Discard`: only a part of it.
    Discarded {
        /// Time reached \[s\], `fmi2LastSuccessfulTime`.
        reached_s: f64,
        /// Whether the slave wants the whole run to end, `fmi2Terminated`.
        terminated: bool,
    },
}

/// A call to a unit that failed; [`Failure`] has its values. One word in size, so that a call that succeeds costs
/// nothing for it.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitError(Box<Failure>);

/// The values of a failed call.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("unit `{unit}`: {call} returned {status} at t = {} s{}", shown::time(*.t_s), detail(.message))]
pub struct Failure {
    /// Name of the unit.
    pub unit: String,
    /// The FMI function.
    pub call: &'static str,
    /// What it returned, in words ("fmi2Error", "fmi2Fatal", "unknown status 42").
    pub status: String,
    /// Time of the unit at the call \[s\].
    pub t_s: f64,
    /// What the slave logged last, or what to do next.
    pub message: String,
}

impl From<Failure> for UnitError {
    fn from(failure: Failure) -> Self {
        UnitError(Box::new(failure))
    }
}

impl std::ops::Deref for UnitError {
    type Target = Failure;

    fn deref(&self) -> &Failure {
        &self.0
    }
}

impl std::fmt::Display for UnitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for UnitError {}

fn detail(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}
