//! The models of this program as units, and scenarios of them: natively, or by the units that the caller makes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use macrostep_description::ModelDescription;
use macrostep_master::unit::{Failure, NativeUnit, Unit, UnitError};
use macrostep_master::{RunError, Simulation};
use macrostep_system::scenario::Source;
use macrostep_system::{Assembly, Catalogue, Finding, Scenario, Severity, assemble};

use crate::catalogue;

/// Makes a unit from a model identifier and an instance name: through an FMU or natively.
pub type Factory<'a> = &'a dyn Fn(&str, &str) -> Result<Box<dyn Unit>, RunError>;

/// A native unit of one of our models.
///
/// # Errors
/// Where there is no model of this identifier.
pub fn native(model: &str, name: &str) -> Result<Box<dyn Unit>, RunError> {
    let entry = catalogue::find(model).ok_or_else(|| missing(model, name))?;
    Ok(Box::new(NativeUnit::new(entry.instantiate(name))))
}

/// A scenario of our models, its units made by `factory`, initialised.
///
/// # Errors
/// Where the scenario cannot run, and what a unit answers.
pub fn simulation(scenario: &Scenario, factory: Factory<'_>) -> Result<Simulation, RunError> {
    let mut simulation = assembly(scenario, factory)?.simulation()?;
    simulation.initialise()?;
    Ok(simulation)
}

/// As [`simulation`], before a simulation is made of it.
///
/// # Errors
/// Where the scenario cannot run.
pub fn assembly(scenario: &Scenario, factory: Factory<'_>) -> Result<Assembly, RunError> {
    let (assembly, _) = assemble(scenario, &Models(factory)).map_err(|findings| cannot_run(&findings))?;
    Ok(assembly)
}

/// A scenario that its units refuse.
pub fn cannot_run(findings: &[Finding]) -> RunError {
    let error = findings.iter().find(|f| f.severity == Severity::Error);
    let found = error.map_or_else(String::new, ToString::to_string);
    RunError::grid("system", found, "a method that its units allow")
}

/// Units of this program's models as a catalogue, for assembling scenarios of them.
pub struct Models<'a>(pub Factory<'a>);

impl Catalogue for Models<'_> {
    fn description(&self, source: &Source) -> Result<Arc<ModelDescription>, String> {
        static KNOWN: Mutex<BTreeMap<String, Arc<ModelDescription>>> = Mutex::new(BTreeMap::new());
        let Source::Embedded(model) = source else { return Err("expected a model of this program".to_owned()) };
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(description) = known.get(model) {
            return Ok(Arc::clone(description));
        }
        let unit = native(model, model).map_err(|e| e.to_string())?;
        let description = Arc::new(unit.description().clone());
        known.insert(model.clone(), Arc::clone(&description));
        Ok(description)
    }

    fn unit(&self, source: &Source, name: &str) -> Result<Box<dyn Unit>, String> {
        let Source::Embedded(model) = source else { return Err("expected a model of this program".to_owned()) };
        (self.0)(model, name).map_err(|e| e.to_string())
    }
}

/// The error if there is no model of this identifier.
pub fn missing(model: &str, name: &str) -> RunError {
    let known: Vec<&str> = catalogue::all().iter().map(|e| e.identifier).collect();
    refused(name, format!("no model `{model}`"), format!("there are `{}`", known.join("`, `")))
}

/// The error if the unit `name` cannot be made.
pub fn refused(name: &str, status: String, message: String) -> RunError {
    RunError::from(UnitError::from(Failure {
        unit: name.to_string(),
        call: "instantiation",
        status,
        t_s: 0.0,
        message,
    }))
}
