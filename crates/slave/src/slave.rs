//! The functions of a slave.

use macrostep_description::ModelDescription;

use crate::{Fault, Phase, Snapshot};

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// The whole step was done.
    Done,
    /// `fmi2Discard`: only a part of it, up to `reached_s`.
    Discarded {
        /// Time reached (s).
        reached_s: f64,
        /// Whether the slave wants the simulation to end.
        terminated: bool,
    },
}

/// A directional derivative that is asked for, `d_unknown = ∂unknown/∂known · d_known`: a value for each reference.
#[derive(Debug)]
pub struct Tangent<'a> {
    /// Value references of the unknowns.
    pub unknown: &'a [u32],
    /// Value references of the knowns.
    pub known: &'a [u32],
    /// Change of each known.
    pub d_known: &'a [f64],
    /// Becomes the change of each unknown.
    pub d_unknown: &'a mut [f64],
}

impl<'a> Tangent<'a> {
    /// Of these, in the order of `fmi2GetDirectionalDerivative`.
    pub fn new(unknown: &'a [u32], known: &'a [u32], d_known: &'a [f64], d_unknown: &'a mut [f64]) -> Self {
        Tangent { unknown, known, d_known, d_unknown }
    }
}

/// The functions of FMI 2.0 for co-simulation, one to one, without C.
///
/// Value references count from 0 in each type. Every list of values is as long as its list of references. A call that
/// returns a [`Fault`] other than [`Fault::Model`] changed nothing.
pub trait Slave: Send {
    /// Name given at instantiation.
    fn instance_name(&self) -> &str;

    /// What the model declares.
    fn description(&self) -> &ModelDescription;

    /// State of the slave.
    fn phase(&self) -> Phase;

    /// Time the slave has reached (s).
    fn time_s(&self) -> f64;

    /// `fmi2SetupExperiment`: start and stop time (s); a step past `stop_s` is refused.
    fn setup_experiment(&mut self, start_s: f64, stop_s: Option<f64>, tolerance: Option<f64>) -> Result<(), Fault>;

    /// `fmi2EnterInitializationMode`.
    fn enter_initialization(&mut self) -> Result<(), Fault>;

    /// `fmi2ExitInitializationMode`.
    fn exit_initialization(&mut self) -> Result<(), Fault>;

    /// `fmi2Terminate`.
    fn terminate(&mut self) -> Result<(), Fault>;

    /// `fmi2Reset`: as after instantiation, start values included.
    fn reset(&mut self) -> Result<(), Fault>;

    /// `fmi2SetReal`. The first Set of an input after a step begins a new, constant polynomial for it.
    fn set_real(&mut self, refs: &[u32], values: &[f64]) -> Result<(), Fault>;

    /// `fmi2GetReal`; outputs follow inputs and parameters set before, without a step between.
    fn get_real(&mut self, refs: &[u32], values: &mut [f64]) -> Result<(), Fault>;

    /// `fmi2SetInteger`, also for enumerations.
    fn set_integer(&mut self, refs: &[u32], values: &[i32]) -> Result<(), Fault>;

    /// `fmi2GetInteger`, also for enumerations.
    fn get_integer(&mut self, refs: &[u32], values: &mut [i32]) -> Result<(), Fault>;

    /// `fmi2SetBoolean`.
    fn set_boolean(&mut self, refs: &[u32], values: &[bool]) -> Result<(), Fault>;

    /// `fmi2GetBoolean`.
    fn get_boolean(&mut self, refs: &[u32], values: &mut [bool]) -> Result<(), Fault>;

    /// `fmi2SetString`.
    fn set_string(&mut self, refs: &[u32], values: &[&str]) -> Result<(), Fault>;

    /// `fmi2GetString`.
    fn get_string(&mut self, refs: &[u32]) -> Result<Vec<&str>, Fault>;

    /// `fmi2SetRealInputDerivatives`: `values[i]` is the time derivative of order `orders[i]` (1 … 20) of the real
    /// input `refs[i]` at the present time, the start of the next step.
    fn set_real_input_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &[f64]) -> Result<(), Fault>;

    /// `fmi2GetRealOutputDerivatives`: `values[i]` becomes the time derivative of order `orders[i]` of the real output
    /// `refs[i]` at the present time, along the slave's own equations with the input polynomials in use.
    fn get_real_output_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &mut [f64]) -> Result<(), Fault>;

    /// `fmi2DoStep` over `[t_s, t_s + step_s]`; `keep` is `noSetFMUStatePriorToCurrentPoint`.
    fn do_step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<Outcome, Fault>;

    /// `fmi2CancelStep`: never allowed, because steps are synchronous.
    fn cancel_step(&mut self) -> Result<(), Fault>;

    /// `fmi2GetRealStatus(fmi2LastSuccessfulTime)` (s).
    fn last_successful_time_s(&self) -> Result<f64, Fault>;

    /// `fmi2GetBooleanStatus(fmi2Terminated)`: whether the slave wants the simulation to end.
    fn wants_termination(&self) -> Result<bool, Fault>;

    /// `fmi2GetFMUstate`: everything that changes, into a snapshot whose memory is reused.
    fn save(&mut self, into: &mut Snapshot) -> Result<(), Fault>;

    /// `fmi2SetFMUstate`, from a snapshot of this or another instance of the same model.
    fn restore(&mut self, from: &Snapshot) -> Result<(), Fault>;

    /// The real numbers of the state that no variable shows, to be read and changed by whoever shares the process with the
    /// slave; no function of FMI. What follows from them is computed anew.
    fn hidden_state(&mut self) -> &mut [f64];

    /// `fmi2SerializedFMUstateSize`: exact number of bytes.
    fn serialized_size(&self, snapshot: &Snapshot) -> Result<usize, Fault>;

    /// `fmi2SerializeFMUstate` into a list of exactly [`Slave::serialized_size`] bytes.
    fn serialize(&self, snapshot: &Snapshot, bytes: &mut [u8]) -> Result<(), Fault>;

    /// `fmi2DeSerializeFMUstate`: refuses bytes of another model, version or length.
    fn deserialize(&self, bytes: &[u8], into: &mut Snapshot) -> Result<(), Fault>;

    /// `fmi2GetDirectionalDerivative`, analytical.
    fn directional_derivative(&mut self, of: Tangent<'_>) -> Result<(), Fault>;
}
