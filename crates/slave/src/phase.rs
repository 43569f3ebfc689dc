//! The states a slave goes through.

/// State of a slave (FMI 2.0.5, section 4.2.4). Steps are synchronous, so that *stepInProgress* is never seen, and
/// *start and end* is the absence of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Phase {
    /// After `fmi2Instantiate` and `fmi2Reset`.
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
}
