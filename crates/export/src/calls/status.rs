//! Status of the last step. Steps are synchronous, so that what belongs to a pending step is answered by `fmi2Discard`,
//! as the standard has it for what is not available.

use macrostep_fmi2::*;
use macrostep_slave::{Fault, Model, Slave};

use crate::pointers::place;
use crate::shell::{Failure, Shell, enter};

/// Refuses what a synchronous slave does not have.
fn unavailable<M: Model>(shell: &Shell<M>, call: &'static str) -> Result<(), Failure> {
    shell.instance.last_successful_time_s()?;
    Err(Fault::Unavailable { call, message: "no step is pending, and this kind of status has no such type" }.into())
}

/// `fmi2GetStatus`: only for a pending step.
pub unsafe fn get_status<M: Model>(c: Component, _kind: StatusKind, _value: *mut Status) -> Status {
    // SAFETY: the contract of this module.
    unsafe { enter::<M>(c, "fmi2GetStatus", |shell| unavailable(shell, "fmi2GetStatus")) }
}

/// `fmi2GetRealStatus`: the last successful time.
pub unsafe fn get_real_status<M: Model>(c: Component, kind: StatusKind, value: *mut Real) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(c, "fmi2GetRealStatus", |shell| {
            if kind != LAST_SUCCESSFUL_TIME {
                return unavailable(shell, "fmi2GetRealStatus");
            }
            let time = shell.instance.last_successful_time_s()?;
            *place("value", value)? = time;
            Ok(())
        })
    }
}

/// `fmi2GetIntegerStatus`: no kind of status is an integer.
pub unsafe fn get_integer_status<M: Model>(c: Component, _kind: StatusKind, _value: *mut Integer) -> Status {
    // SAFETY: the contract of this module.
    unsafe { enter::<M>(c, "fmi2GetIntegerStatus", |shell| unavailable(shell, "fmi2GetIntegerStatus")) }
}

/// `fmi2GetBooleanStatus`: whether the slave wants the simulation to end.
pub unsafe fn get_boolean_status<M: Model>(c: Component, kind: StatusKind, value: *mut Boolean) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(c, "fmi2GetBooleanStatus", |shell| {
            if kind != TERMINATED {
                return unavailable(shell, "fmi2GetBooleanStatus");
            }
            let wants = shell.instance.wants_termination()?;
            *place("value", value)? = Boolean::from(wants);
            Ok(())
        })
    }
}

/// `fmi2GetStringStatus`: only for a pending step.
pub unsafe fn get_string_status<M: Model>(c: Component, _kind: StatusKind, _value: *mut Str) -> Status {
    // SAFETY: the contract of this module.
    unsafe { enter::<M>(c, "fmi2GetStringStatus", |shell| unavailable(shell, "fmi2GetStringStatus")) }
}
