//! Saved states (FMI 3.0.2, section 2.2.7.4). With that of the FMU, the values of inputs that it asks for are kept.

use std::ptr;

use macrostep_fmi3 as abi;
use macrostep_master::unit::UnitError;

use super::super::instance::Phase;
use super::FmuUnit3;

const GET: &str = "fmi3GetFMUState";
const SET: &str = "fmi3SetFMUState";
const FREE: &str = "fmi3FreeFMUState";
const SIZE: &str = "fmi3SerializedFMUStateSize";
const SERIALIZE: &str = "fmi3SerializeFMUState";
const DESERIALIZE: &str = "fmi3DeserializeFMUState";

/// The states of an instance.
#[derive(Debug, Default)]
pub(super) struct Slots {
    saved: Vec<Saved>,
    /// For serialising, so that no slot of the master's is touched.
    scratch: Saved,
}

/// A state, and what belongs to it. NULL is one that was never saved.
#[derive(Debug, Clone)]
struct Saved {
    state: abi::FmuState,
    t_s: f64,
    next_event_s: Option<f64>,
    inputs: Vec<f64>,
}

impl Default for Saved {
    fn default() -> Self {
        Saved { state: ptr::null_mut(), t_s: 0.0, next_event_s: None, inputs: Vec::new() }
    }
}

impl FmuUnit3 {
    pub(super) fn save_slot(&mut self, slot: usize) -> Result<(), UnitError> {
        if slot >= self.slots.saved.len() {
            self.slots.saved.resize(slot + 1, Saved::default());
        }
        let mut saved = std::mem::take(&mut self.slots.saved[slot]);
        let result = self.get_state(&mut saved);
        self.slots.saved[slot] = saved;
        result
    }

    /// `fmi3GetFMUState` into a place; whatever pointer the FMU leaves there is kept, even where it fails.
    fn get_state(&mut self, saved: &mut Saved) -> Result<(), UnitError> {
        self.can_save(GET)?;
        let Some(get) = self.access.functions.get_fmu_state else { return Err(self.lacks(GET)) };
        // SAFETY: alive; the pointer is NULL or a state of this instance, as the call demands.
        let status = unsafe { get(self.access.instance, &raw mut saved.state) };
        (saved.t_s, saved.next_event_s) = (self.t_s, self.next_event_s);
        saved.inputs.clear();
        saved.inputs.extend_from_slice(self.update.lock().inputs.values());
        self.answered(GET, status)?;
        if saved.state.is_null() {
            return Err(self.nonsense(GET, "no state, expected one".to_owned()));
        }
        Ok(())
    }

    pub(super) fn restore_slot(&mut self, slot: usize) -> Result<(), UnitError> {
        let Some(saved) = self.slots.saved.get_mut(slot).filter(|saved| !saved.state.is_null()).map(std::mem::take)
        else {
            return Err(self.refusal(SET, format!("slot {slot} was never saved")));
        };
        let result = self.set_state(&saved);
        self.slots.saved[slot] = saved;
        result
    }

    fn set_state(&mut self, saved: &Saved) -> Result<(), UnitError> {
        self.can_save(SET)?;
        let Some(set) = self.access.functions.set_fmu_state else { return Err(self.lacks(SET)) };
        // SAFETY: alive; the state was made by this instance and not freed.
        let status = unsafe { set(self.access.instance, saved.state) };
        self.answered(SET, status)?;
        (self.t_s, self.next_event_s) = (saved.t_s, saved.next_event_s);
        self.update.lock().inputs.restore(saved.t_s, &saved.inputs);
        if self.phase == Phase::Failed {
            self.phase = Phase::Stepping;
        }
        Ok(())
    }

    fn can_save(&mut self, call: &'static str) -> Result<(), UnitError> {
        self.alive(call)?;
        if self.capabilities().can_get_and_set_fmu_state {
            return Ok(());
        }
        Err(self.refusal(call, "`canGetAndSetFMUState` is false: choose a scheme without rollback"))
    }

    fn can_serialize(&self, call: &'static str) -> Result<(), UnitError> {
        if self.capabilities().can_serialize_fmu_state {
            return Ok(());
        }
        Err(self.refusal(call, "`canSerializeFMUState` is false: run without checkpoints"))
    }

    /// The FMU's own bytes behind their number, then time, next event, which inputs are in use, and their values.
    pub(super) fn write_state(&mut self) -> Result<Vec<u8>, UnitError> {
        self.can_serialize(SERIALIZE)?;
        let mut scratch = std::mem::take(&mut self.slots.scratch);
        let got = self.get_state(&mut scratch);
        let state = scratch.state;
        self.slots.scratch = scratch;
        got?;
        let Some(get_size) = self.access.functions.serialized_fmu_state_size else { return Err(self.lacks(SIZE)) };
        let Some(serialize) = self.access.functions.serialize_fmu_state else { return Err(self.lacks(SERIALIZE)) };
        let mut size = 0;
        // SAFETY: alive; a state of this instance; one number is written to one place.
        let status = unsafe { get_size(self.access.instance, state, &raw mut size) };
        self.answered(SIZE, status)?;
        let (max, mut own) = (self.options.state_bytes_max, Vec::new());
        if size > max || own.try_reserve_exact(size).is_err() {
            return Err(self.nonsense(SIZE, format!("a state of {size} bytes, expected at most {max}")));
        }
        own.resize(size, 0_u8);
        // SAFETY: alive; `size` bytes are there to be written.
        let status = unsafe { serialize(self.access.instance, state, own.as_mut_ptr(), size) };
        self.answered(SERIALIZE, status)?;
        let mut bytes = (own.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(&own);
        let mut state = self.update.lock();
        let used: Vec<f64> = state.inputs.in_use().iter().map(|is_used| f64::from(u8::from(*is_used))).collect();
        let numbers = [self.t_s, self.next_event_s.unwrap_or(f64::NAN)];
        let numbers = numbers.iter().chain(&used).chain(state.inputs.values().iter());
        numbers.for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
        Ok(bytes)
    }

    pub(super) fn read_state(&mut self, bytes: &[u8]) -> Result<(), UnitError> {
        self.can_save(DESERIALIZE)?;
        self.can_serialize(DESERIALIZE)?;
        let Some(deserialize) = self.access.functions.deserialize_fmu_state else {
            return Err(self.lacks(DESERIALIZE));
        };
        let expected = 2 + 2 * self.table().asked.len();
        let Some((own, numbers)) = split(bytes).filter(|(_, numbers)| numbers.len() == expected) else {
            return Err(self.refusal(DESERIALIZE, format!("{} bytes that are no state of this FMU", bytes.len())));
        };
        self.free_scratch();
        let mut state = ptr::null_mut();
        // SAFETY: alive; as many bytes as said; a new state is written to one place.
        let status = unsafe { deserialize(self.access.instance, own.as_ptr(), own.len(), &raw mut state) };
        let (alone, rest) = numbers.split_at(2);
        let (used, values) = rest.split_at(rest.len() / 2);
        let next_event_s = Some(alone[1]).filter(|t_s| t_s.is_finite());
        let saved = Saved { state, t_s: alone[0], next_event_s, inputs: values.to_vec() };
        self.slots.scratch = saved.clone();
        self.answered(DESERIALIZE, status)?;
        if state.is_null() {
            return Err(self.nonsense(DESERIALIZE, "no state, expected one".to_owned()));
        }
        self.update.lock().inputs.use_those(&used.iter().map(|x| *x != 0.0).collect::<Vec<bool>>());
        self.set_state(&saved)
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
        if let (false, Some(free)) = (state.is_null(), self.access.functions.free_fmu_state) {
            // SAFETY: alive; a state of this instance that nothing refers to any more.
            let status = unsafe { free(self.access.instance, &raw mut state) };
            // What could not be freed is lost; only a fatal answer matters from here on.
            let _ = self.answered(FREE, status);
        }
    }
}

/// The FMU's own bytes, and the numbers behind them.
fn split(bytes: &[u8]) -> Option<(&[u8], Vec<f64>)> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (own, numbers) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    let (numbers, []) = numbers.as_chunks() else { return None };
    Some((own, numbers.iter().map(|x| f64::from_le_bytes(*x)).collect()))
}
