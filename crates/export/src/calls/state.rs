//! Saved states.

use macrostep_fmi2::*;
use macrostep_slave::{Model, Slave, Snapshot};

use crate::pointers::{list, list_mut, place};
use crate::shell::{Failure, enter, enter_quickly};

/// The snapshot behind a state.
///
/// # Safety
/// `state` is NULL or was made by this module and not freed.
pub(crate) unsafe fn snapshot<'a>(state: FmuState) -> Result<&'a mut Snapshot, Failure> {
    // SAFETY: NULL or a live snapshot, by this function's contract.
    unsafe { state.cast::<Snapshot>().as_mut() }.ok_or_else(|| Failure::Argument("the FMU state is NULL".into()))
}

/// Fills the snapshot in a slot, made there if the slot is NULL. On an error the slot stays as it was. It is compiled once, not for each way to
/// fill one.
///
/// # Safety
/// `slot` is NULL or a valid place that holds NULL or a state of this module.
pub(crate) unsafe fn fill(
    slot: *mut FmuState,
    body: &mut dyn FnMut(&mut Snapshot) -> Result<(), macrostep_slave::Fault>,
) -> Result<(), Failure> {
    // SAFETY: by this function's contract.
    let slot = unsafe { place("FMUstate", slot) }?;
    if slot.is_null() {
        let mut fresh = Box::new(Snapshot::new());
        body(&mut fresh)?;
        *slot = Box::into_raw(fresh).cast();
        return Ok(());
    }
    // SAFETY: a state of this module, by this function's contract.
    Ok(body(unsafe { snapshot(*slot) }?)?)
}

/// `fmi2GetFMUstate`: a slot that holds a state is reused.
pub unsafe fn get_fmu_state<M: Model>(c: Component, state: *mut FmuState) -> Status {
    // SAFETY: the contract of this module.
    unsafe { enter_quickly::<M>(c, "fmi2GetFMUstate", |shell| fill(state, &mut |s| shell.instance.save(s))) }
}

/// `fmi2SetFMUstate`.
pub unsafe fn set_fmu_state<M: Model>(c: Component, state: FmuState) -> Status {
    // SAFETY: the contract of this module.
    unsafe { enter_quickly::<M>(c, "fmi2SetFMUstate", |shell| Ok(shell.instance.restore(snapshot(state)?)?)) }
}

/// `fmi2FreeFMUstate`: NULL is harmless, and the slot is NULL afterwards.
pub unsafe fn free_fmu_state<M: Model>(c: Component, state: *mut FmuState) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(c, "fmi2FreeFMUstate", |_| {
            if let Some(slot) = state.as_mut().filter(|slot| !slot.is_null()) {
                drop(Box::from_raw(slot.cast::<Snapshot>()));
                *slot = core::ptr::null_mut();
            }
            Ok(())
        })
    }
}

/// `fmi2SerializedFMUstateSize`.
pub unsafe fn serialized_fmu_state_size<M: Model>(c: Component, state: FmuState, size: *mut usize) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(c, "fmi2SerializedFMUstateSize", |shell| {
            *place("size", size)? = shell.instance.serialized_size(snapshot(state)?)?;
            Ok(())
        })
    }
}

/// `fmi2SerializeFMUstate`: `size` must be the exact size.
pub unsafe fn serialize_fmu_state<M: Model>(c: Component, state: FmuState, bytes: *mut Byte, size: usize) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(c, "fmi2SerializeFMUstate", |shell| {
            Ok(shell.instance.serialize(snapshot(state)?, list_mut("serializedState", bytes.cast(), size)?)?)
        })
    }
}

/// `fmi2DeSerializeFMUstate`.
pub unsafe fn deserialize_fmu_state<M: Model>(
    c: Component,
    bytes: *const Byte,
    size: usize,
    state: *mut FmuState,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(c, "fmi2DeSerializeFMUstate", |shell| {
            let bytes = list("serializedState", bytes.cast(), size)?;
            fill(state, &mut |s| shell.instance.deserialize(bytes, s))
        })
    }
}
