//! A *study*: a scenario, and the values that change from run to run. It is the same for all workers and never changes.
//!
//! Values of variables are set when a run is initialised, so that one simulation serves all runs that differ in nothing else.
//! What is written into the scenario before it is assembled is *structural*: keys of the experiment and the method, and
//! parameters that laws or power bonds are made with.

use std::sync::Arc;
use std::time::Duration;

use macrostep_description::{Kind, ModelDescription, Value as Plain};
use macrostep_master::unit::Start;
use macrostep_system::assemble::start;
use macrostep_system::check::from_unit;
use macrostep_system::scenario::{Endpoint, Gain, LawKind, Place, Scenario, Setting, Value};
use macrostep_system::{Catalogue, Finding, assemble};

use crate::refused::Refused;
use crate::samples::SampledColumn;
use crate::vary::{Key, Target, cell};

/// Where FMUs come from, for all workers.
pub type Units<'a> = &'a (dyn Catalogue + Sync);

/// The definition of many runs.
pub struct Study<'a> {
    /// The value of `system` that means it; empty where that is not varied.
    pub name: String,
    /// With everything said that was left to the FMUs, and without settings of what is varied.
    pub(crate) scenario: Scenario,
    pub(crate) units: Units<'a>,
    /// What changes.
    pub targets: Vec<Target>,
    /// Whether a target is written into the scenario.
    pub(crate) is_structural: Vec<bool>,
    descriptions: Vec<Arc<ModelDescription>>,
    /// Recorded variables, in the order of the rows.
    pub recorded: Vec<String>,
    /// Longest time of a run; a run that takes longer is ended.
    pub limit: Option<Duration>,
    /// The option that names the targets, for messages.
    pub option: &'static str,
}

impl<'a> Study<'a> {
    /// A study of a scenario, and the warnings about it. The variables `recorded` are looked at in every macro step.
    ///
    /// # Errors
    /// [`Refused`] where the scenario cannot run, or a target is none of it.
    pub fn new(
        scenario: &Scenario,
        units: Units<'a>,
        targets: Vec<Target>,
        recorded: &[String],
    ) -> Result<(Self, Vec<Finding>), Refused> {
        // One assembly says what the FMUs declare, and what is left to them.
        let mut s = scenario.clone();
        s.record.variables = recorded.iter().map(|name| (name.clone(), Place::default())).collect();
        s.record.every = 1;
        let (assembly, findings) = assemble(&s, units).map_err(Refused::Findings)?;
        let recorded = assembly.recorded.iter().map(|&(u, v)| assembly.column(u, v)).collect();
        let descriptions = assembly.descriptions.clone();
        let mut scenario = assembly.effective.clone();
        drop(assembly);
        distinct(&targets, &scenario)?;
        // What is varied has no other value.
        for target in &targets {
            let Target::Variable(e) = target else { continue };
            for unit in scenario.units.iter_mut().filter(|unit| unit.name == e.unit) {
                unit.settings.retain(|setting| setting.variable != e.variable);
            }
            for set in &mut scenario.sets {
                set.settings.retain(|(unit, setting)| *unit != e.unit || setting.variable != e.variable);
            }
        }
        let is_structural = targets.iter().map(|target| is_structural(&scenario, target)).collect();
        let study = Study {
            name: String::new(),
            scenario,
            units,
            targets,
            is_structural,
            descriptions,
            recorded,
            limit: None,
            option: "--vary",
        };
        for target in &study.targets {
            study.description(target)?;
        }
        Ok((study, findings))
    }

    /// The scenario without the varied values.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// The descriptions of the FMUs, in the order of the units.
    pub fn descriptions(&self) -> &[Arc<ModelDescription>] {
        &self.descriptions
    }

    /// Whether only one instance of one of the FMUs may live in a process, and it is this one.
    pub fn is_alone(&self) -> bool {
        let only_once = |d: &Arc<ModelDescription>| {
            d.co_simulation.as_ref().is_some_and(|c| c.can_be_instantiated_only_once_per_process)
        };
        !self.units.isolates() && self.descriptions.iter().any(only_once)
    }

    /// Whether a point is one of this system.
    pub fn has(&self, values: &[Value]) -> bool {
        let place = self.targets.iter().position(|target| *target == Target::Key(Key::System));
        place.is_none_or(|i| values.get(i).is_some_and(|value| cell(value) == self.name))
    }

    /// Whether a variable, `UNIT.VARIABLE`, is a text.
    pub fn is_text(&self, name: &str) -> bool {
        let variable = |e: Endpoint| Some(self.described(&e)?.variable(&e.variable)?.kind.clone());
        matches!(Endpoint::parse(name).and_then(variable), Some(Kind::String))
    }

    /// The values of a column of a file in the unit of measurement of a variable, `UNIT.VARIABLE`.
    ///
    /// # Errors
    /// Where the unit of the column is not known beside that of the variable.
    pub fn in_own_unit(&self, name: &str, column: &SampledColumn) -> Result<Vec<f64>, String> {
        let endpoint = Endpoint::parse(name);
        let known = endpoint.as_ref().and_then(|e| Some((self.described(e)?, e)));
        match known.and_then(|(description, e)| Some((description.variable(&e.variable)?, description))) {
            Some((variable, description)) => column.in_unit_of(variable, description),
            None => Err(format!("`{name}` is no variable of a unit")),
        }
    }

    /// Whether a target takes whole numbers only.
    pub fn is_whole(&self, target: &Target) -> bool {
        let Target::Variable(e) = target else { return false };
        let kind = self.described(e).and_then(|d| d.variable(&e.variable)).map(|v| &v.kind);
        matches!(kind, Some(Kind::Integer { .. } | Kind::Enumeration { .. }))
    }

    /// The unit of measurement of a target; empty where it has none.
    pub fn unit(&self, target: &Target) -> String {
        match target {
            Target::Variable(e) => {
                let variable = self.described(e).and_then(|d| d.variable(&e.variable));
                variable.map_or_else(String::new, |v| v.unit().to_owned())
            }
            Target::Key(Key::Step | Key::Stop) => "s".to_owned(),
            Target::Key(_) => String::new(),
        }
    }

    /// The value of a target in the scenario, or what its FMU declares, in the unit of the variable, where it is a number.
    pub fn usual(scenario: &Scenario, descriptions: &[Arc<ModelDescription>], e: &Endpoint) -> Option<f64> {
        let set = scenario.settings(&e.unit).into_iter().rev().find(|setting| setting.variable == e.variable);
        let description = &descriptions[scenario.unit(&e.unit)?];
        if let Some(setting) = set {
            let x = crate::vary::number(&setting.value)?;
            let Some(unit) = &setting.unit else { return Some(x) };
            let (factor, offset) = from_unit(unit, description.variable(&e.variable)?, description)?;
            return Some(factor * x + offset);
        }
        match description.variable(&e.variable)?.start {
            Some(Plain::Real(x)) => Some(x),
            _ => None,
        }
    }

    fn described(&self, e: &Endpoint) -> Option<&Arc<ModelDescription>> {
        self.descriptions.get(self.scenario.unit(&e.unit)?)
    }

    /// Looks whether a target is there.
    fn description(&self, target: &Target) -> Result<(), Refused> {
        let Target::Variable(e) = target else { return Ok(()) };
        if self.scenario.unit(&e.unit).is_none() {
            let known: Vec<&str> = self.scenario.units.iter().map(|unit| unit.name.as_str()).collect();
            return Err(Refused::Usage(format!("`{e}`: no unit `{}`; there are `{}`", e.unit, known.join("`, `"))));
        }
        Ok(())
    }

    /// Checks whether a value fits its target.
    ///
    /// # Errors
    /// [`Refused`] with what is expected instead.
    pub fn check(&self, target: &Target, value: &Value) -> Result<(), Refused> {
        match target {
            Target::Variable(e) => self.start(e, value).map(|_| ()).map_err(|finding| Refused::Findings(vec![finding])),
            Target::Key(key) => {
                let applied = key.apply(&mut self.scenario.clone(), value);
                applied.map_err(|expected| {
                    Refused::Usage(format!("`{} {target}`: found {value}, {expected}", self.option))
                })
            }
        }
    }

    /// The start value of a variable.
    pub(crate) fn start(&self, e: &Endpoint, value: &Value) -> Result<Start, Finding> {
        let setting = Setting::new(&e.variable, value.clone(), Place::option(self.option));
        let missing = || Finding::error(&setting.place, format!("no unit `{}`", e.unit), "");
        start(&e.unit, &setting, self.described(e).ok_or_else(missing)?)
    }

    /// The scenario of a point, as far as it is structural.
    ///
    /// # Errors
    /// What is expected instead of a value.
    pub(crate) fn scenario_of(&self, values: &[Value]) -> Result<Scenario, String> {
        self.with(values, &self.is_structural)
    }

    /// The scenario of a point, with all its values.
    ///
    /// # Errors
    /// As [`Study::scenario_of`].
    pub(crate) fn whole_scenario(&self, values: &[Value]) -> Result<Scenario, String> {
        self.with(values, &vec![true; values.len()])
    }

    /// The scenario with those of the values that are to be written into it.
    fn with(&self, values: &[Value], is_written: &[bool]) -> Result<Scenario, String> {
        let mut s = self.scenario.clone();
        for ((target, value), _) in self.targets.iter().zip(values).zip(is_written).filter(|(_, is)| **is) {
            match target {
                Target::Key(key) => key.apply(&mut s, value).map_err(|e| format!("`{target}` = {value}: {e}"))?,
                Target::Variable(e) => {
                    let setting = Setting::new(&e.variable, value.clone(), Place::option(self.option));
                    s.units
                        .iter_mut()
                        .filter(|unit| unit.name == e.unit)
                        .for_each(|unit| unit.settings.push(setting.clone()));
                }
            }
        }
        Ok(s)
    }
}

/// Every target once, and nothing that a named method says already.
fn distinct(targets: &[Target], scenario: &Scenario) -> Result<(), Refused> {
    for (i, target) in targets.iter().enumerate() {
        if targets[..i].contains(target) {
            return Err(Refused::Usage(format!("`{target}` is varied twice: name it once, with all its values")));
        }
        let Target::Key(key) = target else { continue };
        let is_named = scenario.coupling.method.is_some() || targets.contains(&Target::Key(Key::Method));
        if key.is_part_of_method() && is_named {
            return Err(Refused::Usage(format!(
                "`{target}` is varied, but a named method already contains it: leave out `method`"
            )));
        }
    }
    Ok(())
}

/// Whether a value is written into the scenario before it is assembled.
fn is_structural(s: &Scenario, target: &Target) -> bool {
    let Target::Variable(e) = target else { return true };
    let named = |gain: &Gain, name: &str| matches!(gain, Gain::Parameter { name: known, .. } if known == name);
    let full = e.to_string();
    let in_law = s.laws.iter().any(|law| match &law.kind {
        LawKind::SpringDamper { stiffness, damping } => named(stiffness, &full) || named(damping, &full),
        LawKind::Line(line) => named(line.gain(), &full),
        LawKind::NonlinearSpring { .. } | LawKind::Orifice { .. } | LawKind::Given => false,
    });
    let mut ports = s.bonds.iter().flat_map(|bond| &bond.ports).filter(|port| port.flow.unit == e.unit);
    in_law || ports.any(|port| port.inputs.iter().any(|(_, gain)| named(gain, &e.variable)))
}
