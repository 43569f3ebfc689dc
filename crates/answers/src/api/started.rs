//! A simulation that its caller steps.

use std::collections::HashSet;
use std::sync::Arc;

use macrostep_description::{Causality, ModelDescription, Value, Variability, Variable};
use macrostep_master::unit::{self, Start};
use macrostep_master::{Simulation, UnitId};
use macrostep_system::scenario::{Endpoint, Scenario};
use macrostep_system::{Assembly, toml};

use super::{Collected, Fault};
use crate::values;

/// Initialised; steps are made one by one.
pub struct Started {
    simulation: Simulation,
    scenario: Scenario,
    descriptions: Vec<Arc<ModelDescription>>,
    units: Vec<UnitId>,
    /// Windows of the whole run; `None` where they are chosen as it goes on.
    windows: Option<u64>,
    done: u64,
    /// Inputs that the master feeds.
    fed: HashSet<Endpoint>,
}

impl Started {
    /// Initialises.
    ///
    /// # Errors
    /// What a unit answers, or the master refuses.
    pub(super) fn new(assembly: Assembly) -> Result<Started, Fault> {
        let (scenario, descriptions) = (assembly.effective.clone(), assembly.descriptions.clone());
        let units = assembly.units.clone();
        let simulation = crate::system::start(assembly)?;
        let span_s = scenario.experiment.stop_s.unwrap_or(0.0) - scenario.experiment.start_s;
        let windows = if simulation.course().is_some() { None } else { Some(simulation.windows_in(span_s)?) };
        let fed = fed(&scenario);
        Ok(Started { simulation, scenario, descriptions, units, windows, done: 0, fed })
    }

    /// The complete scenario, as TOML.
    pub fn scenario(&self) -> String {
        toml::write(&self.scenario)
    }

    /// Warnings of the master at the beginning.
    pub fn warnings(&self) -> &[String] {
        self.simulation.warnings()
    }

    /// Present time \[s\].
    pub fn time_s(&self) -> f64 {
        self.simulation.time_s()
    }

    /// Whether the stop time is reached.
    pub fn is_over(&self) -> bool {
        self.windows.map_or_else(|| self.simulation.is_over(), |all| self.done >= all)
    }

    /// Up to `steps` macro steps, fewer where the run ends; returns how many.
    ///
    /// # Errors
    /// What a unit or the master answers; at the end of the run, that it is over.
    pub fn steps(&mut self, steps: u64) -> Result<u64, Fault> {
        if self.is_over() {
            let t_s = self.time_s();
            let sentence = format!("the run is over at t = {t_s} s: choose a later stop");
            return Err(Fault { time_s: Some(t_s), ..Fault::failed(sentence) });
        }
        let left = self.windows.map_or(u64::MAX, |all| all - self.done);
        let before = self.simulation.statistics().windows;
        let made = self.simulation.advance(steps.min(left), (0, u64::MAX), &mut ());
        // Steps before one that fails are made.
        self.done += self.simulation.statistics().windows - before;
        Ok(made?)
    }

    /// Names of the recorded variables.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.simulation.columns().iter().map(|c| c.name.as_str())
    }

    /// The present value of `UNIT.VARIABLE`: of recorded variables as in a row, of all others as the unit gives it.
    ///
    /// # Errors
    /// Where there is no such variable, or the unit does not answer.
    pub fn get(&mut self, name: &str) -> Result<Value, Fault> {
        let (u, variable) = self.find(name)?;
        let place = self.simulation.columns().iter().position(|c| c.name == name);
        if let Some(place) = place.filter(|_| variable.real().is_some()) {
            let mut row = Collected::default();
            self.simulation.observe(&mut row)?;
            return Ok(Value::Real(row.values.get(place).copied().unwrap_or(f64::NAN)));
        }
        Ok(unit::get(self.simulation.unit_mut(self.units[u]), &variable)?)
    }

    /// Sets an input that nothing is connected to, or a tunable parameter, from the next step on; the value as a text, of an
    /// enumeration also the name of an item.
    ///
    /// # Errors
    /// Where there is no such variable, it may not be set, or the unit refuses the value.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Fault> {
        let (u, variable) = self.find(name)?;
        let is_free = variable.causality == Causality::Input && !self.fed.iter().any(|e| e.to_string() == name);
        let is_tunable = variable.causality == Causality::Parameter && variable.variability == Variability::Tunable;
        if !is_free && !is_tunable {
            let found = match variable.causality {
                Causality::Input => "a connected input".to_owned(),
                causality => format!("a {} {}", values::word(variable.variability), values::word(causality)),
            };
            let expected = "an input that nothing is connected to, or a tunable parameter";
            let sentence = format!("`{name}`: found {found}, expected {expected}");
            return Err(self.at(name, u, Fault::usage(sentence)));
        }
        let parsed = values::parse(&self.descriptions[u], &variable, value);
        let value = parsed.map_err(|sentence| self.at(name, u, Fault::usage(sentence)))?;
        let start = Start { reference: variable.value_reference, value, origin: format!("value of `{name}`") };
        Ok(start.set(self.simulation.unit_mut(self.units[u]))?)
    }

    /// Ends the run in all units.
    ///
    /// # Errors
    /// What a unit answers.
    pub fn end(mut self) -> Result<(), Fault> {
        Ok(self.simulation.terminate()?)
    }

    fn at(&self, name: &str, unit: usize, fault: Fault) -> Fault {
        let unit = Some(self.scenario.units[unit].name.as_str().into());
        Fault { unit, variable: Some(name.into()), time_s: Some(self.time_s()), ..fault }
    }

    /// Unit and variable of a name.
    fn find(&self, name: &str) -> Result<(usize, Variable), Fault> {
        let parts = Endpoint::parse(name);
        let Some(Endpoint { unit, variable }) = parts else {
            return Err(Fault::usage(format!("`{name}`: expected UNIT.VARIABLE")));
        };
        let Some(u) = self.scenario.unit(&unit) else {
            let known: Vec<&str> = self.scenario.units.iter().map(|u| u.name.as_str()).collect();
            return Err(Fault::usage(format!("no unit `{unit}`; there are `{}`", known.join("`, `"))));
        };
        let found = values::find(&self.descriptions[u], &variable);
        let found = found.map_err(|sentence| self.at(name, u, Fault::usage(format!("unit `{unit}`: {sentence}"))))?;
        Ok((u, found.clone()))
    }
}

/// Inputs that the master feeds.
fn fed(s: &Scenario) -> HashSet<Endpoint> {
    let mut fed: HashSet<Endpoint> = s.connections.iter().map(|c| c.to.clone()).collect();
    for map in &s.maps {
        fed.extend(map.to.iter().chain(map.reaction.iter().flat_map(|r| &r.to)).cloned());
    }
    for model in &s.interface_models {
        fed.extend(model.to_speed.iter().chain(&model.to_position).cloned());
    }
    fed.extend(s.constraints.iter().flat_map(|c| c.inputs()).cloned());
    fed
}
