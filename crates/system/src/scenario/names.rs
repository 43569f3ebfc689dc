//! The indices of the parts of a scenario by their names, for many look-ups.

use super::{InputFile, Law, Scenario, Setting};
use std::collections::HashMap;

/// The parts of a scenario by their names; the first of each name counts.
#[derive(Debug)]
pub struct Names<'a> {
    scenario: &'a Scenario,
    units: HashMap<&'a str, usize>,
    laws: HashMap<&'a str, &'a Law>,
    inputs: HashMap<&'a str, &'a InputFile>,
    /// What the applied sets say of each unit, in the order in which it is set.
    sets: HashMap<&'a str, Vec<&'a Setting>>,
}

impl<'a> Names<'a> {
    /// Those of a scenario.
    pub fn of(scenario: &'a Scenario) -> Self {
        let mut units = HashMap::with_capacity(scenario.units.len());
        for (i, unit) in scenario.units.iter().enumerate() {
            units.entry(unit.name.as_str()).or_insert(i);
        }
        let (mut laws, mut inputs) = (HashMap::new(), HashMap::new());
        for law in &scenario.laws {
            laws.entry(law.name.as_str()).or_insert(law);
        }
        for file in &scenario.inputs {
            inputs.entry(file.name.as_str()).or_insert(file);
        }
        let mut sets: HashMap<&str, Vec<&Setting>> = HashMap::new();
        for (unit, setting) in scenario.in_sets() {
            sets.entry(unit.as_str()).or_default().push(setting);
        }
        Names { scenario, units, laws, inputs, sets }
    }

    /// The scenario of these names.
    pub fn scenario(&self) -> &'a Scenario {
        self.scenario
    }

    /// Position of the unit of this name.
    pub fn unit(&self, name: &str) -> Option<usize> {
        self.units.get(name).copied()
    }

    /// The law of this name.
    pub fn law(&self, name: &str) -> Option<&'a Law> {
        self.laws.get(name).copied()
    }

    /// The file of inputs of this name.
    pub fn input(&self, name: &str) -> Option<&'a InputFile> {
        self.inputs.get(name).copied()
    }

    /// All settings of a unit in the order in which they are made: its own, then those of the applied sets.
    pub fn settings(&self, unit: usize) -> impl DoubleEndedIterator<Item = &'a Setting> {
        let unit = &self.scenario.units[unit];
        let of_sets = self.sets.get(unit.name.as_str()).map_or([].as_slice(), Vec::as_slice);
        unit.settings.iter().chain(of_sets.iter().copied())
    }
}
