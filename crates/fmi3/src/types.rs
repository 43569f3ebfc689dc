//! Types and constants.

use core::ffi::{CStr, c_char, c_void};

/// `fmi3Instance`: opaque to the caller.
pub type Instance = *mut c_void;
/// `fmi3InstanceEnvironment`: whatever the caller wants back in its callbacks.
pub type InstanceEnvironment = *mut c_void;
/// `fmi3FMUState`: a saved state, opaque to the caller.
pub type FmuState = *mut c_void;
/// `fmi3ValueReference`.
pub type ValueReference = u32;
/// `fmi3Boolean`, a `bool` of C: [`FALSE`] or [`TRUE`]; anything but zero is true where we read one.
pub type Boolean = u8;
/// `fmi3String`: zero-terminated UTF-8.
pub type Str = *const c_char;
/// `fmi3Byte`.
pub type Byte = u8;
/// `fmi3Binary`: bytes, whose number is beside it.
pub type Binary = *const Byte;
/// `fmi3Status`, one of [`OK`] … [`FATAL`] from a library that obeys the standard.
pub type Status = i32;

/// `fmi3False`.
pub const FALSE: Boolean = 0;
/// `fmi3True`.
pub const TRUE: Boolean = 1;

/// `fmi3OK`: all well.
pub const OK: Status = 0;
/// `fmi3Warning`: things are not quite right, the computation can go on.
pub const WARNING: Status = 1;
/// `fmi3Discard`: not done, but the instance is as usable as before.
pub const DISCARD: Status = 2;
/// `fmi3Error`: the instance cannot go on unless it is reset or its state is set.
pub const ERROR: Status = 3;
/// `fmi3Fatal`: no instance of this library may be used again.
pub const FATAL: Status = 4;

/// The value that `fmi3GetVersion` returns begins so, zero-terminated.
pub const VERSION: &CStr = c"3.0";

/// The name of a status, `None` for an integer the standard does not know.
pub const fn status_name(status: Status) -> Option<&'static str> {
    Some(match status {
        OK => "fmi3OK",
        WARNING => "fmi3Warning",
        DISCARD => "fmi3Discard",
        ERROR => "fmi3Error",
        FATAL => "fmi3Fatal",
        _ => return None,
    })
}

/// `fmi3LogMessageCallback`: environment, status, category, message.
pub type LogMessage = unsafe extern "C" fn(InstanceEnvironment, Status, Str, Str);

/// `fmi3IntermediateUpdateCallback`: environment, `intermediateUpdateTime`, `intermediateVariableSetRequested`, `intermediateVariableGetAllowed`,
/// `intermediateStepFinished`, `canReturnEarly`, `earlyReturnRequested`, `earlyReturnTime`.
pub type IntermediateUpdate =
    unsafe extern "C" fn(InstanceEnvironment, f64, Boolean, Boolean, Boolean, Boolean, *mut Boolean, *mut f64);
