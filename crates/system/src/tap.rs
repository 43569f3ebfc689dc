//! A *tap* notes what a unit is fed with, step by step, without changing anything.

use crate::catalogue::Catalogue;
use crate::scenario::{Endpoint, Source};
use macrostep_description::ModelDescription;
use macrostep_master::unit::{Outcome, Unit, UnitError};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An input over one step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    pub from_s: f64,
    pub length_s: f64,
    /// At start, middle and end.
    pub values: [f64; 3],
}

/// What is known of one unit's inputs.
#[derive(Default)]
struct Note {
    watched: Vec<(Endpoint, u32)>,
    values: BTreeMap<u32, f64>,
    /// Derivatives by reference and order.
    derivatives: BTreeMap<(u32, i32), f64>,
    steps: Vec<(Endpoint, Step)>,
    /// Steps noted when a state was saved: going back takes back what came after.
    saved: BTreeMap<usize, usize>,
}

type Notes = Arc<Mutex<Note>>;

fn locked(note: &Mutex<Note>) -> MutexGuard<'_, Note> {
    note.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A catalogue whose units are tapped.
pub(crate) struct Tapped<'a> {
    inner: &'a dyn Catalogue,
    notes: Mutex<BTreeMap<String, Notes>>,
}

impl<'a> Tapped<'a> {
    pub fn new(inner: &'a dyn Catalogue) -> Self {
        Tapped { inner, notes: Mutex::new(BTreeMap::new()) }
    }

    /// Notes an input of a unit that has been made.
    pub fn watch(&self, input: &Endpoint, reference: u32) {
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(note) = notes.get(&input.unit) {
            let mut note = locked(note);
            if !note.watched.iter().any(|(e, _)| e == input) {
                note.watched.push((input.clone(), reference));
            }
        }
    }

    /// All steps since the last time.
    pub fn drain(&self) -> Vec<(Endpoint, Step)> {
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes
            .values()
            .flat_map(|note| {
                let mut note = locked(note);
                note.saved.clear();
                std::mem::take(&mut note.steps)
            })
            .collect()
    }
}

impl Catalogue for Tapped<'_> {
    fn description(&self, source: &Source) -> Result<Arc<ModelDescription>, String> {
        self.inner.description(source)
    }

    fn unit(&self, source: &Source, name: &str) -> Result<Box<dyn Unit>, String> {
        let unit = self.inner.unit(source, name)?;
        let note = Notes::default();
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), note.clone());
        Ok(Box::new(Tap { unit, note }))
    }
}

struct Tap {
    unit: Box<dyn Unit>,
    note: Notes,
}

impl Unit for Tap {
    fn set_real(&mut self, refs: &[u32], values: &[f64]) -> Result<(), UnitError> {
        locked(&self.note).values.extend(refs.iter().copied().zip(values.iter().copied()));
        self.unit.set_real(refs, values)
    }

    fn set_input_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &[f64]) -> Result<(), UnitError> {
        let keys = refs.iter().copied().zip(orders.iter().copied());
        locked(&self.note).derivatives.extend(keys.zip(values.iter().copied()));
        self.unit.set_input_derivatives(refs, orders, values)
    }

    fn step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<Outcome, UnitError> {
        let mut guard = locked(&self.note);
        let note = &mut *guard;
        let (values, derivatives) = (&note.values, &note.derivatives);
        let taylor = |reference: u32, tau: f64| {
            let (mut sum, mut power) = (values.get(&reference).copied().unwrap_or(0.0), 1.0);
            for order in 1..=32 {
                power *= tau / f64::from(order);
                let Some(d) = derivatives.get(&(reference, order)) else { break };
                sum += d * power;
            }
            sum
        };
        let noted = note.watched.iter().map(|(end, r)| {
            let values = [taylor(*r, 0.0), taylor(*r, 0.5 * step_s), taylor(*r, step_s)];
            (end.clone(), Step { from_s: t_s, length_s: step_s, values })
        });
        let noted: Vec<_> = noted.collect();
        note.steps.extend(noted);
        drop(guard);
        self.unit.step(t_s, step_s, keep)
    }

    fn save(&mut self, slot: usize) -> Result<(), UnitError> {
        let mut note = locked(&self.note);
        let n = note.steps.len();
        note.saved.insert(slot, n);
        drop(note);
        self.unit.save(slot)
    }

    fn restore(&mut self, slot: usize) -> Result<(), UnitError> {
        let mut note = locked(&self.note);
        if let Some(&n) = note.saved.get(&slot) {
            note.steps.truncate(n);
        }
        drop(note);
        self.unit.restore(slot)
    }

    fn name(&self) -> &str {
        self.unit.name()
    }

    fn description(&self) -> &ModelDescription {
        self.unit.description()
    }

    fn kind(&self) -> &'static str {
        self.unit.kind()
    }

    fn setup(&mut self, start_s: f64, stop_s: Option<f64>, tolerance: Option<f64>) -> Result<(), UnitError> {
        self.unit.setup(start_s, stop_s, tolerance)
    }

    fn enter_initialization(&mut self) -> Result<(), UnitError> {
        self.unit.enter_initialization()
    }

    fn exit_initialization(&mut self) -> Result<(), UnitError> {
        self.unit.exit_initialization()
    }

    fn reset(&mut self) -> Result<(), UnitError> {
        self.unit.reset()
    }

    fn terminate(&mut self) -> Result<(), UnitError> {
        self.unit.terminate()
    }

    fn get_real(&mut self, refs: &[u32], values: &mut [f64]) -> Result<(), UnitError> {
        self.unit.get_real(refs, values)
    }

    fn set_integer(&mut self, refs: &[u32], values: &[i32]) -> Result<(), UnitError> {
        self.unit.set_integer(refs, values)
    }

    fn get_integer(&mut self, refs: &[u32], values: &mut [i32]) -> Result<(), UnitError> {
        self.unit.get_integer(refs, values)
    }

    fn set_boolean(&mut self, refs: &[u32], values: &[bool]) -> Result<(), UnitError> {
        self.unit.set_boolean(refs, values)
    }

    fn get_boolean(&mut self, refs: &[u32], values: &mut [bool]) -> Result<(), UnitError> {
        self.unit.get_boolean(refs, values)
    }

    fn set_string(&mut self, refs: &[u32], values: &[&str]) -> Result<(), UnitError> {
        self.unit.set_string(refs, values)
    }

    fn get_string(&mut self, refs: &[u32]) -> Result<Vec<String>, UnitError> {
        self.unit.get_string(refs)
    }

    fn get_output_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &mut [f64]) -> Result<(), UnitError> {
        self.unit.get_output_derivatives(refs, orders, values)
    }

    fn do_steps(&self) -> u64 {
        self.unit.do_steps()
    }

    fn serialize(&mut self) -> Result<Vec<u8>, UnitError> {
        self.unit.serialize()
    }

    fn deserialize(&mut self, bytes: &[u8]) -> Result<(), UnitError> {
        self.unit.deserialize(bytes)
    }

    fn directional(
        &mut self,
        unknown: &[u32],
        known: &[u32],
        d_known: &[f64],
        d_unknown: &mut [f64],
    ) -> Result<(), UnitError> {
        self.unit.directional(unknown, known, d_known, d_unknown)
    }
}
