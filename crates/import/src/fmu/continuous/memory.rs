//! Going back: states that are saved, and states in bytes.
//!
//! Time, continuous states, inputs and indicators are saved here. Discrete states are in the FMU: where it has functions for its state, these are
//! called too; where it has not, only steps without an event can be taken back.

use macrostep_master::unit::{States, UnitError};
use macrostep_ode::adaptive::Memory;

use super::ContinuousUnit;

const CALL: &str = "fmi2SetFMUstate";

/// Numbers of a state in bytes that are no states, indicators or inputs.
const ALONE: usize = 7;

/// States that are saved, by slot.
#[derive(Debug, Default)]
pub(super) struct Memories(Vec<Option<Saved>>);

/// One of them.
#[derive(Debug, Clone)]
struct Saved {
    t_s: f64,
    z: Vec<f64>,
    inputs: Vec<f64>,
    indicators: Vec<f64>,
    next_event_s: Option<f64>,
    events: u64,
    is_over: bool,
    integrator: Memory,
}

impl ContinuousUnit {
    /// Whether the FMU has functions for its own state, and for that state in bytes.
    fn own(&self) -> (bool, bool) {
        let m = self.fmu.model().model_exchange.as_ref();
        m.map_or((false, false), |m| {
            (m.can_get_and_set_fmu_state, m.can_get_and_set_fmu_state && m.can_serialize_fmu_state)
        })
    }

    pub(super) fn save_slot(&mut self, slot: usize) -> Result<(), UnitError> {
        if self.own().0 {
            self.fmu.save(slot)?;
        }
        if slot >= self.memories.0.len() {
            self.memories.0.resize(slot + 1, None);
        }
        // A slot that is there keeps its memory.
        let saved = self.memories.0[slot].get_or_insert_with(|| Saved {
            t_s: 0.0,
            z: self.z.clone(),
            inputs: self.inputs.values().to_vec(),
            indicators: self.indicators.before.clone(),
            next_event_s: None,
            events: 0,
            is_over: false,
            integrator: Memory::default(),
        });
        saved.t_s = self.fmu.t_s;
        saved.z.copy_from_slice(&self.z);
        saved.inputs.copy_from_slice(self.inputs.values());
        saved.indicators.copy_from_slice(&self.indicators.before);
        (saved.next_event_s, saved.events, saved.integrator) =
            (self.next_event_s, self.events, self.integrator.memory());
        saved.is_over = self.is_over;
        // What is done from here is what is done from here again.
        self.integrator.rest();
        Ok(())
    }

    pub(super) fn restore_slot(&mut self, slot: usize) -> Result<(), UnitError> {
        let Some(saved) = self.memories.0.get_mut(slot).and_then(Option::take) else {
            return Err(self.fmu.refusal(CALL, format!("slot {slot} was never saved")));
        };
        let restored = self.go_back(slot, &saved);
        self.memories.0[slot] = Some(saved);
        restored
    }

    fn go_back(&mut self, slot: usize, saved: &Saved) -> Result<(), UnitError> {
        // Discrete states, or none that could have changed.
        if self.own().0 {
            self.fmu.restore(slot)?;
        } else if saved.events != self.events || self.is_over {
            let why = "an event since then has changed discrete states, and the FMU has no functions that bring them back: set `isolate = true`, or \
                       choose a scheme that repeats no step";
            return Err(self.fmu.refusal(CALL, why));
        }
        self.z.copy_from_slice(&saved.z);
        self.inputs.restore(saved.t_s, &saved.inputs);
        self.indicators.before.copy_from_slice(&saved.indicators);
        (self.next_event_s, self.events, self.is_over) = (saved.next_event_s, saved.events, saved.is_over);
        self.integrator.remember(saved.integrator);
        self.put_back(saved.t_s)
    }

    /// The state in bytes: that of the FMU, where it has such a thing, then the numbers saved here.
    pub(super) fn write_state(&mut self) -> Result<Vec<u8>, UnitError> {
        let own = if self.own().1 { self.fmu.serialize()? } else { Vec::new() };
        let mut bytes = (own.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(&own);
        let Memory { next, is_stiff, looks } = self.integrator.memory();
        let [is_stiff, is_over] = [is_stiff, self.is_over].map(|is| f64::from(u8::from(is)));
        let next_event_s = self.next_event_s.unwrap_or(f64::NAN);
        let alone = [self.fmu.t_s, next_event_s, next, is_stiff, is_over, looks.0.into(), looks.1.into()];
        let used = self.inputs.in_use().iter().map(|is_used| f64::from(u8::from(*is_used))).collect::<Vec<f64>>();
        let numbers = alone.iter().chain(&self.z).chain(&self.indicators.before).chain(&used);
        numbers.for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
        self.inputs.values().iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
        Ok(bytes)
    }

    /// Takes over a state in bytes.
    pub(super) fn read_state(&mut self, bytes: &[u8]) -> Result<(), UnitError> {
        const CALL: &str = "fmi2DeSerializeFMUstate";
        let expected = ALONE + self.z.len() + self.indicators.before.len() + 2 * self.inputs.in_use().len();
        let Some((own, numbers)) = split(bytes).filter(|(_, numbers)| numbers.len() == expected) else {
            return Err(self.fmu.refusal(CALL, format!("{} bytes that are no state of this FMU", bytes.len())));
        };
        if self.own().1 {
            self.fmu.deserialize(own)?;
        }
        // The numbers in the order in which they were written.
        let (alone, rest) = numbers.split_at(ALONE);
        let (z, rest) = rest.split_at(self.z.len());
        let (indicators, rest) = rest.split_at(self.indicators.before.len());
        let (used, values) = rest.split_at(rest.len() / 2);
        self.z.copy_from_slice(z);
        self.indicators.before.copy_from_slice(indicators);
        self.inputs.use_those(&used.iter().map(|x| *x != 0.0).collect::<Vec<bool>>());
        self.inputs.restore(alone[0], values);
        self.next_event_s = Some(alone[1]).filter(|t_s| t_s.is_finite());
        let looks = (alone[5] as u32, alone[6] as u32);
        self.integrator.remember(Memory { next: alone[2], is_stiff: alone[3] != 0.0, looks });
        self.is_over = alone[4] != 0.0;
        self.put_back(alone[0])
    }

    /// Hands over what is saved here; an FMU that is at its end is in event mode, and goes nowhere from there.
    fn put_back(&mut self, t_s: f64) -> Result<(), UnitError> {
        if self.is_over {
            return Ok(());
        }
        self.fmu.set_time(t_s)?;
        self.fmu.set_states(&self.z)?;
        self.inputs.put_all(&mut self.fmu, t_s)
    }
}

/// The FMU's own bytes, and the numbers behind them.
fn split(bytes: &[u8]) -> Option<(&[u8], Vec<f64>)> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (own, numbers) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    let (numbers, []) = numbers.as_chunks() else { return None };
    Some((own, numbers.iter().map(|x| f64::from_le_bytes(*x)).collect()))
}
