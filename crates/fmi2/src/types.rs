//! Types and constants.

use core::ffi::{c_char, c_void};

/// `fmi2Component`: an instance, opaque to the caller.
pub type Component = *mut c_void;
/// `fmi2ComponentEnvironment`: whatever the caller wants back in its callbacks.
pub type ComponentEnvironment = *mut c_void;
/// `fmi2FMUstate`: a saved state, opaque to the caller.
pub type FmuState = *mut c_void;
/// `fmi2ValueReference`.
pub type ValueReference = u32;
/// `fmi2Real`.
pub type Real = f64;
/// `fmi2Integer`.
pub type Integer = i32;
/// `fmi2Boolean`: [`FALSE`] or [`TRUE`]; anything but zero is true where we read one.
pub type Boolean = i32;
/// `fmi2String`: zero-terminated UTF-8.
pub type Str = *const c_char;
/// `fmi2Byte`.
pub type Byte = c_char;
/// `fmi2Status`, one of [`OK`] … [`PENDING`] from a library that obeys the standard.
pub type Status = i32;
/// `fmi2Type`.
pub type Type = i32;
/// `fmi2StatusKind`.
pub type StatusKind = i32;

/// `fmi2False`.
pub const FALSE: Boolean = 0;
/// `fmi2True`.
pub const TRUE: Boolean = 1;

/// `fmi2OK`: all well.
pub const OK: Status = 0;
/// `fmi2Warning`: things are not quite right, the computation can go on.
pub const WARNING: Status = 1;
/// `fmi2Discard`: not done, but the instance is as usable as before.
pub const DISCARD: Status = 2;
/// `fmi2Error`: the instance cannot go on unless it is reset or its state is set.
pub const ERROR: Status = 3;
/// `fmi2Fatal`: no instance of this library may be used again.
pub const FATAL: Status = 4;
/// `fmi2Pending`: an asynchronous step goes on.
pub const PENDING: Status = 5;

/// `fmi2ModelExchange`.
pub const MODEL_EXCHANGE: Type = 0;
/// `fmi2CoSimulation`.
pub const CO_SIMULATION: Type = 1;

/// `fmi2DoStepStatus`.
pub const DO_STEP_STATUS: StatusKind = 0;
/// `fmi2PendingStatus`.
pub const PENDING_STATUS: StatusKind = 1;
/// `fmi2LastSuccessfulTime`.
pub const LAST_SUCCESSFUL_TIME: StatusKind = 2;
/// `fmi2Terminated`.
pub const TERMINATED: StatusKind = 3;

/// The value that `fmi2GetTypesPlatform` returns, zero-terminated.
pub const TYPES_PLATFORM: &core::ffi::CStr = c"default";
/// The value that `fmi2GetVersion` returns, zero-terminated.
pub const VERSION: &core::ffi::CStr = c"2.0";

/// The name of a status, `None` for an integer the standard does not know.
pub const fn status_name(status: Status) -> Option<&'static str> {
    Some(match status {
        OK => "fmi2OK",
        WARNING => "fmi2Warning",
        DISCARD => "fmi2Discard",
        ERROR => "fmi2Error",
        FATAL => "fmi2Fatal",
        PENDING => "fmi2Pending",
        _ => return None,
    })
}

/// `fmi2CallbackLogger`, variadic: environment, instance name, status, category, printf-like message and its arguments.
pub type Logger = unsafe extern "C" fn(ComponentEnvironment, Str, Status, Str, Str, ...);
/// `fmi2CallbackAllocateMemory`: like `calloc`.
pub type AllocateMemory = unsafe extern "C" fn(usize, usize) -> *mut c_void;
/// `fmi2CallbackFreeMemory`: like `free`.
pub type FreeMemory = unsafe extern "C" fn(*mut c_void);
/// `fmi2StepFinished`, for asynchronous slaves.
pub type StepFinished = unsafe extern "C" fn(ComponentEnvironment, Status);

/// `fmi2CallbackFunctions`. `None` is a NULL pointer.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CallbackFunctions {
    /// `logger`; the standard demands one, real masters leave it out.
    pub logger: Option<Logger>,
    /// `allocateMemory`.
    pub allocate_memory: Option<AllocateMemory>,
    /// `freeMemory`.
    pub free_memory: Option<FreeMemory>,
    /// `stepFinished`.
    pub step_finished: Option<StepFinished>,
    /// `componentEnvironment`.
    pub component_environment: ComponentEnvironment,
}

/// `fmi2EventInfo`: what an update of the discrete states has led to.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct EventInfo {
    /// `newDiscreteStatesNeeded`: it is to be called again.
    pub new_discrete_states_needed: Boolean,
    /// `terminateSimulation`.
    pub terminate_simulation: Boolean,
    /// `nominalsOfContinuousStatesChanged`.
    pub nominals_of_continuous_states_changed: Boolean,
    /// `valuesOfContinuousStatesChanged`.
    pub values_of_continuous_states_changed: Boolean,
    /// `nextEventTimeDefined`.
    pub next_event_time_defined: Boolean,
    /// `nextEventTime` (s), where it is defined.
    pub next_event_time: Real,
}
