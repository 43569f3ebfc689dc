//! Saved states: those of FMI 2.0, under the names of FMI 3.0.

use macrostep_fmi3::*;
use macrostep_slave::{Model, Slave, Snapshot};

use super::handle::enter;
use crate::calls::{fill, snapshot};
use crate::pointers::{list, list_mut, place};

/// `fmi3GetFMUState`: a slot that holds a state is reused.
pub unsafe fn get_fmu_state<M: Model>(instance: Instance, state: *mut FmuState) -> Status {
    // SAFETY: the contract of this module.
    unsafe { enter::<M>(instance, "fmi3GetFMUState", |shell, _| fill(state, &mut |s| shell.instance.save(s))) }
}

/// `fmi3SetFMUState`.
pub unsafe fn set_fmu_state<M: Model>(instance: Instance, state: FmuState) -> Status {
    // SAFETY: the contract of this module.
    unsafe { enter::<M>(instance, "fmi3SetFMUState", |shell, _| Ok(shell.instance.restore(snapshot(state)?)?)) }
}

/// `fmi3FreeFMUState`: NULL is harmless, and the slot is NULL afterwards.
pub unsafe fn free_fmu_state<M: Model>(instance: Instance, state: *mut FmuState) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(instance, "fmi3FreeFMUState", |_, _| {
            if let Some(slot) = state.as_mut().filter(|slot| !slot.is_null()) {
                drop(Box::from_raw(slot.cast::<Snapshot>()));
                *slot = core::ptr::null_mut();
            }
            Ok(())
        })
    }
}

/// `fmi3SerializedFMUStateSize`.
pub unsafe fn serialized_fmu_state_size<M: Model>(instance: Instance, state: FmuState, size: *mut usize) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(instance, "fmi3SerializedFMUStateSize", |shell, _| {
            *place("size", size)? = shell.instance.serialized_size(snapshot(state)?)?;
            Ok(())
        })
    }
}

/// `fmi3SerializeFMUState`: `size` must be the exact size.
pub unsafe fn serialize_fmu_state<M: Model>(
    instance: Instance,
    state: FmuState,
    bytes: *mut Byte,
    size: usize,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(instance, "fmi3SerializeFMUState", |shell, _| {
            Ok(shell.instance.serialize(snapshot(state)?, list_mut("serializedState", bytes, size)?)?)
        })
    }
}

/// `fmi3DeserializeFMUState`.
pub unsafe fn deserialize_fmu_state<M: Model>(
    instance: Instance,
    bytes: *const Byte,
    size: usize,
    state: *mut FmuState,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(instance, "fmi3DeserializeFMUState", |shell, _| {
            let bytes = list("serializedState", bytes, size)?;
            fill(state, &mut |s| shell.instance.deserialize(bytes, s))
        })
    }
}
