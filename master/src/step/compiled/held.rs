//! Steps of units with held inputs, of which a window wants no more: inputs set, a step, outputs read.
//!
//! What such a step needs of the unit's place in the run lies side by side here, in the order of the steps: of many units, the cache
//! lines that are touched are what a step costs.

use super::wiring::UnitWiring;
use crate::step::unit_port::{UnitPort, UnitPortState};
use crate::system::refresh::Refresh;
use crate::unit::{Outcome, UnitError};
use std::ops::Range;

/// A unit, how long its lists in [`HeldSteps`] are, and where its outputs go in the row.
#[derive(Debug, Clone, Copy)]
struct HeldStep {
    unit: u32,
    inputs: u32,
    outputs: u32,
    first: u32,
}

/// Steps that are made one after the other.
#[derive(Debug, Clone, Default)]
pub(super) struct StepRange {
    steps: Range<usize>,
    /// Where the lists of the first one begin.
    words: usize,
}

/// Held steps in their order, with their lists.
#[derive(Debug, Default)]
pub(super) struct HeldSteps {
    steps: Vec<HeldStep>,
    /// Of each step: value references of inputs, places in the row that they are copies of, value references of outputs.
    words: Vec<u32>,
    /// Room for the inputs of a unit.
    values: Vec<f64>,
    /// Up to which step units have been stepped by the last run.
    stepped: usize,
}

/// What held steps read and write: the newest row and the next one, and the units with their states.
pub(super) struct Called<'a> {
    pub newest: &'a [f64],
    pub next: &'a mut [f64],
    pub unit_ports: &'a mut [UnitPort],
    pub states: &'a mut [UnitPortState],
}

impl StepRange {
    /// No steps yet, at the end of those there are.
    pub fn after(held: &HeldSteps) -> Self {
        let n = held.steps.len();
        StepRange { steps: n..n, words: held.words.len() }
    }

    /// The step that was added last is one of them too.
    pub fn extend(&mut self, held: &HeldSteps) {
        self.steps.end = held.steps.len();
    }
}

impl HeldSteps {
    /// Adds the step of a unit, where these three calls are all it needs; whether they are.
    pub fn add(&mut self, unit: usize, unit_port: &UnitPort, wiring: &UnitWiring) -> bool {
        let y = &unit_port.outputs;
        let is_full = y.refresh_refs.is_empty() || y.refresh == Refresh::Reported;
        if !is_full || y.refresh == Refresh::Directional || !wiring.copies() {
            return false;
        }
        // Each input is the copy of one place.
        let mut wires: Vec<(usize, usize)> = wiring.copied().collect();
        wires.sort_by_key(|&(_, to)| to);
        let n = unit_port.inputs.refs.len();
        if !wires.iter().map(|&(_, to)| to).eq(0..n) {
            return false;
        }
        // A row in one process has no more places than these.
        let [unit, inputs, outputs, first] = [unit, n, y.refs.len(), wiring.first].map(u32::try_from);
        let (Ok(unit), Ok(inputs), Ok(outputs), Ok(first)) = (unit, inputs, outputs, first) else { return false };
        self.steps.push(HeldStep { unit, inputs, outputs, first });
        self.words.extend(&unit_port.inputs.refs);
        self.words.extend(wires.iter().map(|&(from, _)| from as u32));
        self.words.extend(&y.refs);
        self.values.resize(self.values.len().max(n), 0.0);
        true
    }

    /// Makes these steps: sets the inputs to values of the row, steps the unit and reads its outputs into the next row. A recorded row may have
    /// set the same inputs already where `is_after_row`. The first step that is not finished ends it.
    #[inline(always)]
    pub fn run(
        &mut self,
        range: &StepRange,
        called: &mut Called<'_>,
        t_s: f64,
        length_s: f64,
        is_after_row: bool,
    ) -> Result<Option<(usize, Outcome)>, UnitError> {
        let Called { newest, next, unit_ports, states } = called;
        let mut words = &self.words[range.words..];
        for (i, step) in self.steps[range.steps.clone()].iter().enumerate() {
            // The lists of this step, and its inputs.
            let HeldStep { unit, inputs, outputs, first } = *step;
            let (unit, n, first) = (unit as usize, inputs as usize, first as usize);
            let (refs, rest) = words.split_at(n);
            let (places, rest) = rest.split_at(n);
            let (outputs, rest) = rest.split_at(outputs as usize);
            words = rest;
            let values = &mut self.values[..n];
            for (value, &place) in values.iter_mut().zip(places) {
                *value = newest[place as usize];
            }
            // The calls.
            let is_set = is_after_row && n > 0 && states[unit].inputs.takes_shown(values);
            let set = if is_set { (&[][..], &[][..]) } else { (refs, &*values) };
            let get = (outputs, &mut next[first..first + outputs.len()]);
            match unit_ports[unit].unit.set_step_get(set, (t_s, length_s), get) {
                Ok(Outcome::Done) => {}
                // A step of which a part was done may be continued.
                ended => {
                    self.stepped = range.steps.start + i;
                    let outcome = unit_ports[unit].go_on(&mut states[unit], (t_s, length_s), ended?, true)?;
                    if outcome != Outcome::Done {
                        self.stepped += 1;
                        return Ok(Some((unit, outcome)));
                    }
                    unit_ports[unit].unit.get_real(outputs, &mut next[first..first + outputs.len()])?;
                }
            }
        }
        self.stepped = range.steps.end;
        Ok(None)
    }

    /// Units that have been stepped by the run made last, that of `range`.
    pub fn stepped(&self, range: &StepRange) -> impl Iterator<Item = usize> {
        self.steps[range.steps.start..self.stepped].iter().map(|step| step.unit as usize)
    }
}
