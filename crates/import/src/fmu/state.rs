//! Saved states: slots whose memory the FMU reuses (FMI 2.0.5, section 2.1.8).

use std::ffi::c_char;
use std::ptr;

use macrostep_fmi2 as abi;

use super::{FmuUnit, instance::Phase};
use macrostep_master::unit::UnitError;

const GET: &str = "fmi2GetFMUstate";
const SET: &str = "fmi2SetFMUstate";
const FREE: &str = "fmi2FreeFMUstate";
const SIZE: &str = "fmi2SerializedFMUstateSize";
const SERIALIZE: &str = "fmi2SerializeFMUstate";
const DESERIALIZE: &str = "fmi2DeSerializeFMUstate";

/// The states of an instance. NULL is a slot never saved.
#[derive(Debug, Default)]
pub(super) struct Slots {
    saved: Vec<Saved>,
    /// For serialising, so that no slot of the master's is touched.
    scratch: Saved,
}

/// A state and the time it belongs to.
#[derive(Debug, Clone, Copy)]
struct Saved {
    state: abi::FmuState,
    t_s: f64,
}

impl Default for Saved {
    fn default() -> Self {
        Saved { state: ptr::null_mut(), t_s: 0.0 }
    }
}

impl FmuUnit {
    pub(super) fn save_slot(&mut self, slot: usize) -> Result<(), UnitError> {
        if slot >= self.slots.saved.len() {
            self.slots.saved.resize(slot + 1, Saved::default());
        }
        self.get_state(self.slots.saved[slot].state, |slots| &mut slots.saved[slot])
    }

    /// `fmi2GetFMUstate` into a place; whatever pointer the FMU leaves there is kept, even where it fails.
    fn get_state(
        &mut self,
        before: abi::FmuState,
        place: impl FnOnce(&mut Slots) -> &mut Saved,
    ) -> Result<(), UnitError> {
        self.can_save(GET)?;
        let Some(get) = self.library.functions.get_fmu_state else { return Err(self.lacks(GET)) };
        let mut state = before;
        // SAFETY: alive; the pointer is NULL or a state of this instance, as the call demands.
        let status = unsafe { get(self.component, &raw mut state) };
        *place(&mut self.slots) = Saved { state, t_s: self.t_s };
        self.answered(GET, status)?;
        if state.is_null() {
            return Err(self.nonsense(GET, "no state, expected one"));
        }
        Ok(())
    }

    pub(super) fn restore_slot(&mut self, slot: usize) -> Result<(), UnitError> {
        match self.slots.saved.get(slot) {
            Some(saved) if !saved.state.is_null() => self.set_state(*saved),
            _ => Err(self.refusal(SET, format!("slot {slot} was never saved"))),
        }
    }

    fn set_state(&mut self, saved: Saved) -> Result<(), UnitError> {
        self.can_save(SET)?;
        let Some(set) = self.library.functions.set_fmu_state else { return Err(self.lacks(SET)) };
        // SAFETY: alive; the state was made by this instance and not freed.
        let status = unsafe { set(self.component, saved.state) };
        self.answered(SET, status)?;
        self.t_s = saved.t_s;
        if self.phase == Phase::Failed {
            self.phase = Phase::Stepping;
        }
        Ok(())
    }

    fn can_save(&self, call: &'static str) -> Result<(), UnitError> {
        self.alive(call)?;
        if self.capabilities().can_get_and_set_fmu_state {
            return Ok(());
        }
        Err(self.refusal(call, "`canGetAndSetFMUstate` is false: choose a scheme without rollback"))
    }

    fn can_serialize(&self, call: &'static str) -> Result<(), UnitError> {
        if self.capabilities().can_serialize_fmu_state {
            return Ok(());
        }
        Err(self.refusal(call, "`canSerializeFMUstate` is false: run without checkpoints"))
    }

    pub(super) fn serialize_state(&mut self) -> Result<Vec<u8>, UnitError> {
        self.can_serialize(SERIALIZE)?;
        self.get_state(self.slots.scratch.state, |slots| &mut slots.scratch)?;
        let state = self.slots.scratch.state;
        let Some(get_size) = self.library.functions.serialized_fmu_state_size else { return Err(self.lacks(SIZE)) };
        let Some(serialize) = self.library.functions.serialize_fmu_state else { return Err(self.lacks(SERIALIZE)) };
        let mut size = 0;
        // SAFETY: alive; a state of this instance; one number is written to one place.
        let status = unsafe { get_size(self.component, state, &raw mut size) };
        self.answered(SIZE, status)?;
        let max = self.options.state_bytes_max;
        let mut bytes = Vec::new();
        if size > max || bytes.try_reserve_exact(size).is_err() {
            return Err(self.nonsense(SIZE, &format!("a state of {size} bytes, expected at most {max}")));
        }
        bytes.resize(size, 0_u8);
        // SAFETY: alive; `size` bytes are there to be written.
        let status = unsafe { serialize(self.component, state, bytes.as_mut_ptr().cast::<c_char>(), size) };
        self.answered(SERIALIZE, status)?;
        Ok(bytes)
    }

    pub(super) fn deserialize_state(&mut self, bytes: &[u8]) -> Result<(), UnitError> {
        self.can_save(DESERIALIZE)?;
        self.can_serialize(DESERIALIZE)?;
        let Some(deserialize) = self.library.functions.deserialize_fmu_state else {
            return Err(self.lacks(DESERIALIZE));
        };
        self.free_scratch();
        let mut state = ptr::null_mut();
        // SAFETY: alive; as many bytes as said; a new state is written to one place.
        let status =
            unsafe { deserialize(self.component, bytes.as_ptr().cast::<c_char>(), bytes.len(), &raw mut state) };
        self.slots.scratch = Saved { state, t_s: self.t_s };
        self.answered(DESERIALIZE, status)?;
        if state.is_null() {
            return Err(self.nonsense(DESERIALIZE, "no state, expected one"));
        }
        self.set_state(self.slots.scratch)
    }

    fn free_scratch(&mut self) {
        let state = std::mem::take(&mut self.slots.scratch).state;
        self.free_state(state);
    }

    /// Gives all states back, which must happen before the instance is freed.
    pub(super) fn free_states(&mut self) {
        for saved in std::mem::take(&mut self.slots.saved) {
            self.free_state(saved.state);
        }
        self.free_scratch();
    }

    fn free_state(&mut self, mut state: abi::FmuState) {
        if let (false, Some(free)) = (state.is_null(), self.library.functions.free_fmu_state) {
            // SAFETY: alive; a state of this instance that nothing refers to any more.
            let status = unsafe { free(self.component, &raw mut state) };
            // What could not be freed is lost; only a fatal answer matters from here on.
            let _ = self.answered(FREE, status);
        }
    }
}
