//! A unit whose inputs get a small pulse, for [growth of perturbed runs](crate::perturbed).

use macrostep_description::ModelDescription;
use macrostep_master::unit::{Derivatives, Described, Outcome, States, Steps, Trials, Unit, UnitError, Values};

/// Size of the pulse relative to the largest value an input has had.
const SHARE: f64 = 1e-5;

/// A unit whose inputs get a pulse.
pub struct Nudged {
    unit: Box<dyn Unit>,
    /// From when to when \[s\].
    span_s: [f64; 2],
    /// Where the next step begins \[s\], now and in every slot.
    now_s: f64,
    slots_s: Vec<f64>,
    /// Whether the initialisation is over.
    steps: bool,
    /// Largest values of inputs so far, by reference.
    largest: Vec<(u32, f64)>,
    values: Vec<f64>,
}

impl Nudged {
    /// With a pulse in this span \[s\] of a run that begins at `start_s`.
    pub fn boxed(unit: Box<dyn Unit>, span_s: [f64; 2], start_s: f64) -> Box<dyn Unit> {
        let (slots_s, largest, values) = (Vec::new(), Vec::new(), Vec::new());
        Box::new(Nudged { unit, span_s, now_s: start_s, slots_s, steps: false, largest, values })
    }

    /// What is added to an input.
    fn pulse(&mut self, reference: u32, value: f64) -> f64 {
        let known = self.largest.iter_mut().find(|(r, _)| *r == reference);
        let largest = match known {
            Some((_, largest)) => {
                *largest = largest.max(value.abs());
                *largest
            }
            None => {
                self.largest.push((reference, value.abs()));
                value.abs()
            }
        };
        let is_in = self.steps && self.now_s > self.span_s[0] && self.now_s < self.span_s[1];
        // Inputs that differ in size of the pulse move all that can be moved.
        let weight = 1.0 + f64::from(reference % 7) / 7.0;
        if !is_in { 0.0 } else { SHARE * weight * if largest > 0.0 { largest } else { 1.0 } }
    }
}

type Done = Result<(), UnitError>;

impl Described for Nudged {
    fn name(&self) -> &str {
        self.unit.name()
    }

    fn description(&self) -> &ModelDescription {
        self.unit.description()
    }

    fn inner(&self) -> Option<&dyn Unit> {
        Some(self.unit.as_ref())
    }

    fn inner_mut(&mut self) -> Result<Option<&mut dyn Unit>, UnitError> {
        Ok(Some(self.unit.as_mut()))
    }
}

impl Values for Nudged {
    fn set_real(&mut self, refs: &[u32], values: &[f64]) -> Done {
        let mut moved = std::mem::take(&mut self.values);
        moved.clear();
        moved.extend(refs.iter().zip(values).map(|(r, x)| x + self.pulse(*r, *x)));
        let done = self.unit.set_real(refs, &moved);
        self.values = moved;
        done
    }
}

impl Derivatives for Nudged {}

impl States for Nudged {
    fn save(&mut self, slot: usize) -> Done {
        self.slots_s.resize(self.slots_s.len().max(slot + 1), self.now_s);
        self.slots_s[slot] = self.now_s;
        self.unit.save(slot)
    }
    fn restore(&mut self, slot: usize) -> Done {
        self.now_s = self.slots_s.get(slot).copied().unwrap_or(self.now_s);
        self.unit.restore(slot)
    }
    fn hidden_state(&mut self) -> Option<&mut [f64]> {
        None
    }
}

impl Steps for Nudged {
    fn do_steps(&self) -> u64 {
        self.unit.do_steps()
    }
    fn step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<Outcome, UnitError> {
        self.now_s = t_s + step_s;
        self.unit.step(t_s, step_s, keep)
    }
    /// Each with its pulse.
    fn trials(&mut self, of: &Trials<'_>, values: &mut [f64]) -> Result<bool, UnitError> {
        of.one_by_one(self, values)
    }
    fn gains_by_trials(&self) -> bool {
        false
    }
}

impl Unit for Nudged {
    fn exit_initialization(&mut self) -> Done {
        self.steps = true;
        self.unit.exit_initialization()
    }
}
