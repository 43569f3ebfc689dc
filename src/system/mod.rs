//! Verbs about systems of anybody's FMUs.

pub mod arguments;
pub mod convert;
pub mod explain;
pub mod graph;
mod outcome;
mod pictures;
pub mod run;
mod steps;
pub mod verify;

use std::sync::Arc;

use macrostep::embedded;
use macrostep_description::ModelDescription;
use macrostep_isolation::guard::Guard;
use macrostep_master::unit::Unit;
use macrostep_master::{RunError, Simulation};
use macrostep_system::scenario::{Endpoint, Place, Setting, Source, Value};
use macrostep_system::{Assembly, Catalogue, Document, Finding, Fmus, Scenario, Severity, assemble};

use crate::failure::Failure;
use crate::slaves::{self, SlaveArguments};
use crate::{print, single};
use arguments::SystemArguments;

/// A scenario, opened, with the options applied. It is also the catalogue of its FMUs, whose slaves run where the options
/// say.
pub struct Opened {
    pub document: Document,
    fmus: Fmus,
    slaves: SlaveArguments,
    /// As long as slaves may run in this process.
    _guard: Option<Guard>,
}

impl Opened {
    /// Opens the scenario and applies the options; remarks of the reader go to standard error.
    ///
    /// # Errors
    /// [`Failure`] where the file cannot be read or an option makes no sense with it.
    pub fn new(arguments: &SystemArguments) -> Result<Self, Failure> {
        // Says at once where a limit is none.
        slaves::isolation(&arguments.slaves)?;
        let mut document = macrostep_system::open(&arguments.system).map_err(|e| Failure::Run(e.to_string()))?;
        tell(&document.findings);
        change(&mut document, arguments)?;
        print::keep()?;
        let subject = subject(arguments);
        let _guard = (!arguments.slaves.isolate).then(|| Guard::new(&subject, single::ADVICE));
        Ok(Opened { document, fmus: Fmus::new(embedded::fmu), slaves: arguments.slaves, _guard })
    }

    /// Checks and assembles; findings go to standard error.
    ///
    /// # Errors
    /// [`Failure::Findings`] where the scenario cannot run.
    pub fn assemble(&self) -> Result<Assembly, Failure> {
        match assemble(&self.document.scenario, self) {
            Ok((assembly, findings)) => {
                tell(&findings);
                Ok(assembly)
            }
            Err(findings) => Err(findings_failure(&findings)),
        }
    }
}

impl Catalogue for Opened {
    fn description(&self, source: &Source) -> Result<Arc<ModelDescription>, String> {
        self.fmus.description(source)
    }

    fn unit(&self, source: &Source, name: &str) -> Result<Box<dyn Unit>, String> {
        slaves::make(&self.fmus.fmu(source)?, name, &self.slaves).map_err(|e| e.to_string())
    }

    fn isolates(&self) -> bool {
        self.slaves.isolate
    }
}

/// What a scenario is called in a head line.
pub fn title(s: &Scenario) -> &str {
    if s.name.is_empty() { "system" } else { &s.name }
}

/// Who is to blame where the program is ended from inside.
pub fn subject(arguments: &SystemArguments) -> String {
    format!("the process of system `{}`", arguments.system.display())
}

/// All errors but the last are printed, which ends the program.
pub fn findings_failure(findings: &[Finding]) -> Failure {
    let (errors, rest): (Vec<&Finding>, Vec<&Finding>) = findings.iter().partition(|f| f.severity == Severity::Error);
    for f in rest {
        eprintln!("{}: {f}", f.severity);
    }
    let Some((last, others)) = errors.split_last() else { return Failure::Run("the scenario cannot run".to_owned()) };
    for f in others {
        eprintln!("error: {f}");
    }
    Failure::Run(last.to_string())
}

/// Prints findings to standard error.
pub fn tell(findings: &[Finding]) {
    for f in findings {
        eprintln!("{}: {f}", f.severity);
    }
}

/// An initialised simulation.
pub fn start(assembly: Assembly) -> Result<Simulation, RunError> {
    let mut simulation = assembly.simulation()?;
    simulation.initialise()?;
    Ok(simulation)
}

fn change(document: &mut Document, a: &SystemArguments) -> Result<(), Failure> {
    let s = &mut document.scenario;
    s.experiment.step_s = a.step.or(s.experiment.step_s);
    s.experiment.stop_s = a.stop.or(s.experiment.stop_s);
    if let Some(tolerance) = a.tolerance {
        s.experiment.tolerance = Some(tolerance);
        s.units.iter_mut().for_each(|unit| unit.tolerance = None);
    }
    s.coupling.predict = a.predict.unwrap_or(s.coupling.predict);
    s.coupling.correct = a.correct.unwrap_or(s.coupling.correct);
    s.coupling.sampling = a.sampling.unwrap_or(s.coupling.sampling);
    if let Some(order) = &a.schedule {
        if order.schedule != s.coupling.schedule || !order.order.is_empty() {
            s.coupling.order.clone_from(&order.order);
        }
        s.coupling.schedule = order.schedule;
    }
    for name in &a.parameters {
        if !s.sets.iter().any(|set| set.name == *name) {
            let known: Vec<&str> = s.sets.iter().map(|set| set.name.as_str()).collect();
            return Err(Failure::Usage(format!(
                "`--parameters {name}`: no such set; there are `{}`",
                known.join("`, `")
            )));
        }
        s.applied.push(name.clone());
    }
    for text in &a.set {
        let expected = || Failure::Usage(format!("`--set {text}`: expected UNIT.VARIABLE=VALUE"));
        let (target, value) = text.split_once('=').ok_or_else(expected)?;
        let target = Endpoint::parse(target).ok_or_else(expected)?;
        let Some(unit) = s.unit(&target.unit) else {
            let known: Vec<&str> = s.units.iter().map(|u| u.name.as_str()).collect();
            let message = format!("`--set {text}`: no unit `{}`; there are `{}`", target.unit, known.join("`, `"));
            return Err(Failure::Usage(message));
        };
        let place = Place { file: "--set".into(), line: 0, column: 0 };
        let setting = Setting { variable: target.variable, value: typed(value.trim()), unit: None, place };
        // Last of all, after the sets.
        let set = s.applied.iter().flat_map(|name| s.sets.iter().position(|set| set.name == *name));
        let later: Vec<usize> = set.collect();
        for i in later {
            s.sets[i].settings.retain(|(u, x)| !(*u == s.units[unit].name && x.variable == setting.variable));
        }
        s.units[unit].settings.push(setting);
    }
    Ok(())
}

/// A value as typed: a number, true or false, or a text.
fn typed(text: &str) -> Value {
    if let Ok(i) = text.parse() {
        Value::Integer(i)
    } else if let Ok(x) = text.parse() {
        Value::Real(x)
    } else if let Ok(b) = text.parse() {
        Value::Boolean(b)
    } else {
        Value::Text(text.to_owned())
    }
}
