//! The states a slave goes through, and the table of calls allowed in them.

use crate::Fault;

/// State of a slave (FMI 2.0.5, sections 3.2.3 and 4.2.4). Steps are synchronous, so that *stepInProgress* and *stepCanceled* are
/// never seen; *start and end* is the absence of an instance, and the export shell keeps *fatal*.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum Phase {
    /// After `fmi2Instantiate` and `fmi2Reset`.
    #[default]
    Instantiated = 0,
    /// Between `fmi2EnterInitializationMode` and `fmi2ExitInitializationMode`.
    Initialization = 1,
    /// Ready for a step.
    StepComplete = 2,
    /// A step was discarded.
    StepFailed = 3,
    /// After `fmi2Terminate`.
    Terminated = 4,
    /// The equations failed: only reading for diagnosis, `fmi2Reset`, `fmi2SetFMUstate` and `fmi2FreeInstance` are left.
    Error = 5,
    /// Model exchange: discrete values may change.
    EventMode = 6,
    /// Model exchange: time, states and continuous inputs change.
    ContinuousTimeMode = 7,
}

impl Phase {
    /// The phase of a saved number.
    pub(crate) fn from_number(number: u8) -> Option<Phase> {
        use Phase::*;
        let all =
            [Instantiated, Initialization, StepComplete, StepFailed, Terminated, Error, EventMode, ContinuousTimeMode];
        all.get(usize::from(number)).copied()
    }

    /// Whether it is one of model exchange.
    pub(crate) fn is_exchange(self) -> bool {
        matches!(self, Phase::EventMode | Phase::ContinuousTimeMode)
    }

    /// Whether it is one of co-simulation.
    pub(crate) fn is_stepped(self) -> bool {
        matches!(self, Phase::StepComplete | Phase::StepFailed)
    }

    /// This phase as a set of one.
    #[inline]
    pub(crate) const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A row of the table: the function and the set of states it is allowed in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call {
    pub name: &'static str,
    allowed: u8,
}

impl Call {
    const fn new(name: &'static str, phases: &[Phase]) -> Call {
        let (mut allowed, mut i) = (0, 0);
        while i < phases.len() {
            allowed |= phases[i].bit();
            i += 1;
        }
        Call { name, allowed }
    }

    /// # Errors
    /// [`Fault::NotAllowed`] in a state outside the row.
    #[inline]
    pub fn check(self, phase: Phase) -> Result<(), Fault> {
        if self.allowed & phase.bit() != 0 { Ok(()) } else { Err(Fault::NotAllowed { call: self.name, phase }) }
    }
}

use Phase::*;

const ANY: &[Phase] =
    &[Instantiated, Initialization, StepComplete, StepFailed, Terminated, Error, EventMode, ContinuousTimeMode];
const READABLE: &[Phase] =
    &[Initialization, StepComplete, StepFailed, Terminated, Error, EventMode, ContinuousTimeMode];
const SETTABLE: &[Phase] = &[Instantiated, Initialization, StepComplete, EventMode, ContinuousTimeMode];
const STEPPED: &[Phase] = &[StepComplete, StepFailed, Terminated, Error];
const EQUATIONS: &[Phase] = &[Initialization, EventMode, ContinuousTimeMode, Terminated, Error];

pub(crate) const SETUP_EXPERIMENT: Call = Call::new("fmi2SetupExperiment", &[Instantiated]);
pub(crate) const ENTER_INITIALIZATION: Call = Call::new("fmi2EnterInitializationMode", &[Instantiated]);
pub(crate) const EXIT_INITIALIZATION: Call = Call::new("fmi2ExitInitializationMode", &[Initialization]);
pub(crate) const TERMINATE: Call =
    Call::new("fmi2Terminate", &[StepComplete, StepFailed, EventMode, ContinuousTimeMode]);
pub(crate) const RESET: Call = Call::new("fmi2Reset", ANY);
pub(crate) const SET_REAL: Call = Call::new("fmi2SetReal", SETTABLE);
pub(crate) const SET_INTEGER: Call = Call::new("fmi2SetInteger", SETTABLE);
pub(crate) const SET_BOOLEAN: Call = Call::new("fmi2SetBoolean", SETTABLE);
pub(crate) const SET_STRING: Call = Call::new("fmi2SetString", SETTABLE);
pub(crate) const GET_REAL: Call = Call::new("fmi2GetReal", READABLE);
pub(crate) const GET_INTEGER: Call = Call::new("fmi2GetInteger", READABLE);
pub(crate) const GET_BOOLEAN: Call = Call::new("fmi2GetBoolean", READABLE);
pub(crate) const GET_STRING: Call = Call::new("fmi2GetString", READABLE);
pub(crate) const SET_INPUT_DERIVATIVES: Call =
    Call::new("fmi2SetRealInputDerivatives", &[Instantiated, Initialization, StepComplete]);
pub(crate) const GET_OUTPUT_DERIVATIVES: Call = Call::new("fmi2GetRealOutputDerivatives", STEPPED);
pub(crate) const DIRECTIONAL_DERIVATIVE: Call = Call::new("fmi2GetDirectionalDerivative", READABLE);
pub(crate) const DO_STEP: Call = Call::new("fmi2DoStep", &[StepComplete]);
// Only in stepInProgress, which a synchronous slave never shows.
pub(crate) const CANCEL_STEP: Call = Call::new("fmi2CancelStep", &[]);
pub(crate) const GET_STATUS: Call = Call::new("fmi2GetStatus", &[StepComplete, StepFailed, Terminated]);
pub(crate) const GET_STATE: Call = Call::new("fmi2GetFMUstate", ANY);
pub(crate) const SET_STATE: Call = Call::new("fmi2SetFMUstate", ANY);

pub(crate) const ENTER_EVENT_MODE: Call = Call::new("fmi2EnterEventMode", &[ContinuousTimeMode]);
pub(crate) const NEW_DISCRETE_STATES: Call = Call::new("fmi2NewDiscreteStates", &[EventMode]);
pub(crate) const ENTER_CONTINUOUS_TIME_MODE: Call = Call::new("fmi2EnterContinuousTimeMode", &[EventMode]);
pub(crate) const COMPLETED_STEP: Call = Call::new("fmi2CompletedIntegratorStep", &[ContinuousTimeMode]);
pub(crate) const SET_TIME: Call = Call::new("fmi2SetTime", &[EventMode, ContinuousTimeMode]);
pub(crate) const SET_STATES: Call = Call::new("fmi2SetContinuousStates", &[ContinuousTimeMode]);
pub(crate) const GET_DERIVATIVES: Call = Call::new("fmi2GetDerivatives", EQUATIONS);
pub(crate) const GET_INDICATORS: Call = Call::new("fmi2GetEventIndicators", EQUATIONS);
pub(crate) const GET_STATES: Call = Call::new("fmi2GetContinuousStates", EQUATIONS);
pub(crate) const GET_NOMINALS: Call = Call::new("fmi2GetNominalsOfContinuousStates", EQUATIONS);
