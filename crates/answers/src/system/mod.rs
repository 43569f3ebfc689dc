//! Verbs about systems of FMUs of any tool.

pub mod arguments;
pub mod changes;
pub mod convert;
mod errors;
mod events;
pub mod explain;
mod findings;
mod fragment;
mod given;
mod named;
pub mod outcome;
pub mod pictures;
pub mod proposed;
pub mod report;
mod second_look;
pub mod solution;
mod units;
pub mod verify;
mod warned;
mod watch;

use std::sync::{Arc, Mutex, PoisonError};

use macrostep_description::ModelDescription;
use macrostep_import::fmu::Face;
use macrostep_import::isolation::Cut;
use macrostep_master::correct::Corrector;
use macrostep_master::predict::Predictor;
use macrostep_master::unit::{Threads, Unit};
use macrostep_master::{Law, RunError, Simulation};
use macrostep_run::Times;
use macrostep_system::scenario::{Place, Source};
use macrostep_system::words::{Control, Energy, Rollback};
use macrostep_system::{Assembly, Catalogue, Document, Finding, Fmus, Scenario, assemble, summary};

use crate::Carried;
use crate::failure::Failure;
use crate::print;
use crate::slaves::{self, SlaveArguments};
use arguments::{RecordArguments, SystemArguments};
use changes::change;
use findings::show;
pub use findings::{findings_failure, tell};
pub use given::Given;
use named::opened;
pub use named::{document, name};

/// A scenario, opened, with the options applied. It is also the catalogue of its FMUs, whose slaves run where the options
/// say.
pub struct Opened {
    /// The scenario, with what its reader has found.
    pub document: Document,
    fmus: Fmus,
    /// The FMUs that the program carries.
    carried: &'static Carried,
    slaves: SlaveArguments,
    rollback: Rollback,
    /// What slaves in this process step on, where they are to step beside each other.
    threads: Option<Arc<Threads>>,
    /// Whether an FMU of which one instance may live in a process gets one of its own; in the tool that loads an export it does not.
    has_processes: bool,
    /// Puts findings into lines.
    lines: Lines,
    /// For a caller that is no command line.
    caller: Option<Caller>,
    /// Time in steps of each unit, where it is asked for.
    times: Option<Times>,
}

/// Puts findings into lines.
type Lines = fn(&[Finding]) -> Vec<String>;

/// Settings of a caller in this process that differ from those of a command line.
#[derive(Debug, Default)]
pub struct Caller {
    /// Whether only FMUs that this program carries may run in this process.
    pub is_spared: bool,
    /// Ends the work from outside.
    pub cut: Cut,
    /// Remarks, instead of lines on standard error.
    pub remarks: Mutex<Vec<String>>,
    /// Parts of systems that he makes himself.
    pub given: Option<Arc<dyn Given>>,
}

impl Opened {
    /// The FMUs of the scenario.
    pub fn fmus(&self) -> &Fmus {
        &self.fmus
    }

    /// Opens the scenario and applies the options; remarks of the reader go to standard error.
    ///
    /// # Errors
    /// [`Failure`] where the file cannot be read or an option cannot be combined with it.
    pub fn new(carried: &'static Carried, arguments: &SystemArguments) -> Result<Self, Failure> {
        Opened::with(carried, arguments, summary)
    }

    /// As [`Opened::new`], and every finding is shown, however many there are of a kind.
    ///
    /// # Errors
    /// As [`Opened::new`].
    pub fn in_full(carried: &'static Carried, arguments: &SystemArguments) -> Result<Self, Failure> {
        Opened::with(carried, arguments, |findings| findings.iter().map(|f| format!("{}: {f}", f.severity)).collect())
    }

    /// As [`Opened::new`], and notes are not shown: they are about a run.
    ///
    /// # Errors
    /// As [`Opened::new`].
    #[cfg(feature = "full")]
    pub fn without_notes(carried: &'static Carried, arguments: &SystemArguments) -> Result<Self, Failure> {
        Opened::with(carried, arguments, |findings| {
            summary(
                &findings
                    .iter()
                    .filter(|f| f.severity != macrostep_system::Severity::Note)
                    .cloned()
                    .collect::<Vec<_>>(),
            )
        })
    }

    fn with(carried: &'static Carried, arguments: &SystemArguments, lines: Lines) -> Result<Self, Failure> {
        // Says at once where a limit is none.
        slaves::isolation(&arguments.slaves)?;
        Opened::read(carried, opened(carried, arguments)?, arguments, lines)
    }

    /// As [`Opened::new`], of a scenario that is no file.
    ///
    /// # Errors
    /// As [`Opened::new`].
    pub fn made(carried: &'static Carried, document: Document, arguments: &SystemArguments) -> Result<Self, Failure> {
        slaves::isolation(&arguments.slaves)?;
        Opened::read(carried, document, arguments, summary)
    }

    fn read(
        carried: &'static Carried,
        mut document: Document,
        arguments: &SystemArguments,
        lines: Lines,
    ) -> Result<Self, Failure> {
        show(&lines(&document.findings));
        change(&mut document, arguments)?;
        print::keep()?;
        let SystemArguments { slaves, rollback, .. } = *arguments;
        let threads = threads(arguments)?;
        Ok(Opened {
            document,
            fmus: Fmus::new(carried.stored),
            carried,
            slaves,
            rollback,
            threads,
            has_processes: slaves::ALONE_IN_ITS_PROCESS,
            lines,
            caller: None,
            times: None,
        }
        .by_elements())
    }

    /// What follows knows connections of single variables.
    fn by_elements(mut self) -> Self {
        let mut scenario = std::mem::take(&mut self.document.scenario);
        scenario.connect_elements(|source| self.description(source).ok());
        Opened { document: Document { scenario, ..self.document }, ..self }
    }

    /// A document that is open already, with the options applied, for a caller in this process.
    ///
    /// # Errors
    /// [`Failure::Usage`] where an option cannot be combined with it.
    pub fn of(
        carried: &'static Carried,
        mut document: Document,
        arguments: &SystemArguments,
        caller: Caller,
    ) -> Result<Self, Failure> {
        slaves::isolation(&arguments.slaves)?;
        change(&mut document, arguments)?;
        let SystemArguments { slaves, rollback, .. } = *arguments;
        let (fmus, threads) = (Fmus::new(carried.stored), threads(arguments)?);
        let has_processes = slaves::ALONE_IN_ITS_PROCESS;
        let caller = Some(caller);
        let opened = Opened {
            document,
            fmus,
            carried,
            slaves,
            rollback,
            threads,
            has_processes,
            lines: summary,
            caller,
            times: None,
        }
        .by_elements();
        opened.show(&opened.document.findings);
        Ok(opened)
    }

    /// Steps of units that are made from now on are timed.
    pub fn time_units(&mut self) {
        self.times = Some(Times::default());
    }

    /// The times that steps have taken so far, where they are taken.
    pub fn times(&self) -> Option<&Times> {
        self.times.as_ref()
    }

    /// All slaves share one process, whatever their FMUs say: so it is in the tool that loads an export.
    pub fn share_one_process(&mut self) {
        self.has_processes = false;
    }

    /// The unit, timed where that is asked for.
    fn timed(&self, unit: Box<dyn Unit>) -> Box<dyn Unit> {
        match &self.times {
            Some(times) => times.unit(unit),
            None => unit,
        }
    }

    /// The FMUs that the program carries.
    pub fn carried(&self) -> &'static Carried {
        self.carried
    }

    /// For a caller that is no command line.
    pub fn caller(&self) -> Option<&Caller> {
        self.caller.as_ref()
    }

    /// Prints findings on standard error, or gives them to the caller.
    pub fn show(&self, findings: &[Finding]) {
        let lines = (self.lines)(findings);
        match &self.caller {
            None => show(&lines),
            Some(caller) => caller.remarks.lock().unwrap_or_else(PoisonError::into_inner).extend(lines),
        }
    }

    /// Says a line: to the caller, where there is one, or on standard error.
    pub fn say(&self, line: String) {
        match &self.caller {
            None => print::remark!("{line}"),
            Some(caller) => caller.remarks.lock().unwrap_or_else(PoisonError::into_inner).push(line),
        }
    }

    /// Records the variables that the options name, if any, and as often as they say.
    pub fn record(&mut self, a: &RecordArguments) {
        let record = &mut self.document.scenario.record;
        if !a.record.is_empty() {
            let patterns = a.record.iter().map(|pattern| (pattern.clone(), Place::option("--record")));
            record.variables = patterns.collect();
        }
        record.every = a.record_every.unwrap_or(record.every);
    }

    /// Checks and assembles; findings go to standard error.
    ///
    /// # Errors
    /// [`Failure::Run`] where the scenario cannot run.
    pub fn assemble(&self) -> Result<Assembly, Failure> {
        self.assembled().map_err(|findings| findings_failure(&findings))
    }

    /// As [`Opened::assemble`], and nothing is printed where it cannot run.
    ///
    /// # Errors
    /// What was found, errors among it.
    pub fn assembled(&self) -> Result<Assembly, Vec<Finding>> {
        let (assembly, findings) = assemble(&self.document.scenario, self)?;
        self.show(&findings);
        Ok(assembly)
    }

    /// What the caller gives.
    fn given(&self) -> Option<&dyn Given> {
        self.caller.as_ref()?.given.as_deref()
    }

    /// Whether a source is a unit that the caller makes.
    fn is_given(&self, source: &Source) -> bool {
        let Source::Embedded(name) = source else { return false };
        self.given().is_some_and(|given| given.description(name).is_some())
    }

    /// Where the slave of an FMU runs.
    fn slaves(&self, source: &Source) -> SlaveArguments {
        let is_spared = self.caller.as_ref().is_some_and(|caller| caller.is_spared);
        let is_foreign = matches!(source, Source::File { .. });
        SlaveArguments { isolate: self.slaves.isolate || (is_spared && is_foreign), ..self.slaves }
    }
}

impl Catalogue for Opened {
    fn description(&self, source: &Source) -> Result<Arc<ModelDescription>, String> {
        if let (Source::Embedded(name), Some(given)) = (source, self.given())
            && let Some(description) = given.description(name)
        {
            return Ok(description);
        }
        self.fmus.description(source)
    }

    fn unit(&self, source: &Source, name: &str) -> Result<Box<dyn Unit>, String> {
        if let (Source::Embedded(given), Some(caller), true) = (source, self.given(), self.is_given(source)) {
            return Ok(self.timed(caller.unit(given, name)?));
        }
        let cut = self.caller.as_ref().map(|caller| &caller.cut);
        let unit = slaves::make(&self.fmus.fmu(source)?, name, &self.slaves(source), cut).map_err(|e| e.to_string())?;
        let unit = self.timed(unit);
        Ok(match &self.threads {
            Some(threads) => threads.unit(unit),
            None => unit,
        })
    }

    fn scratch(&self, source: &Source, name: &str) -> Result<Box<dyn Unit>, String> {
        let cut = self.caller.as_ref().map(|caller| &caller.cut);
        slaves::make(&self.fmus.fmu(source)?, name, &self.slaves(source), cut).map_err(|e| e.to_string())
    }

    fn forked(&self, source: &Source, name: &str) -> Result<Box<dyn Unit>, String> {
        if self.is_given(source) {
            let next = "it needs methods `state()` and `restore(state)`, or attributes that can be copied";
            return Err(format!("it cannot go back, which the method needs: {next}"));
        }
        let unit = slaves::make_by_fork(&self.fmus.fmu(source)?, name, &self.slaves).map_err(|e| e.to_string())?;
        Ok(self.timed(unit))
    }

    fn faces(&self, source: &Source) -> Vec<Face> {
        if self.is_given(source) { vec![Face::CoSimulation] } else { self.fmus.faces(source) }
    }

    fn law(&self, name: &str) -> Option<Box<dyn Law>> {
        self.given()?.law(name)
    }

    fn predictor(&self) -> Option<Arc<dyn Predictor>> {
        self.given()?.predictor()
    }

    fn corrector(&self, tolerance: Option<f64>, corrections_max: Option<usize>) -> Option<Arc<dyn Corrector>> {
        self.given()?.corrector(tolerance, corrections_max)
    }

    fn rollback(&self) -> Rollback {
        // Elsewhere than on Linux there is no fork to choose.
        if cfg!(target_os = "linux") || self.rollback == Rollback::Fork { self.rollback } else { Rollback::Own }
    }

    fn isolates(&self) -> bool {
        self.has_processes || self.slaves.isolate
    }
}

/// What `--threads` asks for.
fn threads(arguments: &SystemArguments) -> Result<Option<Arc<Threads>>, Failure> {
    let threads = arguments.threads.filter(|n| *n > 1).map(|n| Threads::new(usize::from(n))).transpose();
    Ok(threads.map_err(|e| Failure::Run(format!("no threads: {e}")))?.map(Arc::new))
}

/// The title of a scenario.
pub fn title(s: &Scenario) -> &str {
    if s.name.is_empty() { "system" } else { &s.name }
}

/// The method of a scenario in a line: schedule, predictor, corrector, sampling, and all parts that are not the default.
pub fn method_line(s: &Scenario) -> String {
    let c = &s.coupling;
    let mut words = vec![c.schedule.to_string(), c.predict.to_string(), c.correct.to_string(), c.sampling.to_string()];
    words.splice(0..0, c.method.map(|method| format!("method {method}")));
    words.extend((c.energy != Energy::Monitor).then(|| format!("energy {}", c.energy)));
    let control = &c.control;
    words.extend(
        (control.kind != Control::Fixed).then(|| format!("control {}, tolerance {}", control.kind, control.tolerance)),
    );
    words.join(" · ")
}

/// An initialised simulation.
pub fn start(assembly: Assembly) -> Result<Simulation, RunError> {
    let mut simulation = assembly.simulation()?;
    simulation.initialise()?;
    Ok(simulation)
}
