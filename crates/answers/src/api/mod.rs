//! The verbs about systems as functions, for a caller in this process that needs values and not lines, for example the
//! Python module.
//!
//! What is to be different about a scenario is said in the words of the command line and means the same: [`Asked::new`] takes
//! them. What a verb would print is a value here, and what it would say on standard error is a [`Fault`] or a remark.

mod fault;
mod keywords;
mod started;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use clap::{Command, CommandFactory, Parser};
use macrostep_import::isolation::Cut;
use macrostep_master::record::Column;
use macrostep_run::{OutputError, Progress, Rows, Steps};
use macrostep_system::verify::verify;
use macrostep_system::words::{Control, Correct, Predict};
use macrostep_system::{Assembly, Document, toml};

pub use fault::{Fault, Kind};
pub use keywords::keywords;
pub use macrostep_run::Collected;
pub use started::Started;

use crate::Carried;
use crate::failure::Failure;
pub use crate::system::Given;
use crate::system::arguments::{RecordArguments, SystemArguments, VerifyArguments};
use crate::system::outcome::Outcome;
use crate::system::solution::{self, SolutionArguments};
use crate::system::{self, Caller, Opened};
use crate::verdict::{Accepted, refused};

/// A scenario from its file, or the one of this program with this name; a name with a file extension is a file.
///
/// # Errors
/// Where there is none, or it is not read.
pub fn open(system: &Path) -> Result<Document, Fault> {
    Ok(system::document(system)?)
}

/// The scenario that `macrostep new` proposes for these FMUs: with what was chosen and why, and what is left open, a sentence each.
///
/// # Errors
/// Where an FMU cannot be read.
pub fn couple(carried: &'static Carried, fmus: &[PathBuf]) -> Result<(Document, [Vec<String>; 2]), Fault> {
    let (document, proposal) = system::proposed::coupled(carried, fmus)?;
    Ok((document, [proposal.guesses, proposal.open]))
}

/// Words of the verbs that run a system or look at it.
#[derive(Debug, Parser)]
#[command(name = "macrostep", no_binary_name = true, disable_help_flag = true)]
struct Words {
    #[command(flatten)]
    system: SystemArguments,
    #[command(flatten)]
    record: RecordArguments,
    #[command(flatten)]
    solution: SolutionArguments,
    /// Take a result whose macro steps did not all converge
    #[arg(long)]
    accept_unconverged: bool,
    /// Take a result whose coupling makes it grow
    #[arg(long)]
    accept_growth: bool,
}

/// Words of `macrostep verify`.
#[derive(Debug, Parser)]
#[command(name = "macrostep", no_binary_name = true, disable_help_flag = true)]
struct VerifyWords {
    #[command(flatten)]
    verify: VerifyArguments,
}

/// What the words of these verbs may be: of those that run a system, and of `verify`.
pub fn commands() -> [Command; 2] {
    [Words::command(), VerifyWords::command()]
}

/// The caller: the parts of this process that it gives.
#[derive(Debug, Clone, Default)]
pub struct Asker {
    /// Whether foreign FMUs run in processes of their own, whatever the words say.
    pub is_spared: bool,
    /// Ends the work from outside.
    pub cut: Cut,
    /// Parts of the system that he makes himself.
    pub given: Option<Arc<dyn Given>>,
}

/// A scenario with the options of a verb.
pub struct Asked {
    opened: Opened,
    accepted: Accepted,
    /// Error that `verify` is to judge by.
    accuracy: Option<f64>,
}

/// A run that has ended, well or not.
#[derive(Debug)]
pub struct Ran {
    /// What was recorded.
    pub columns: Vec<Column>,
    /// All rows.
    pub rows: Collected,
    /// The error of each output that has a known value.
    pub errors: Vec<OutputError>,
    /// The object that `macrostep run --json` prints.
    pub summary: String,
    /// The scenario with everything said, as TOML.
    pub scenario: String,
    /// What was noticed on the way.
    pub remarks: Vec<String>,
    /// Why it ended early, or is not to be relied on.
    pub fault: Option<Fault>,
}

impl Asked {
    /// Applies options to the document.
    ///
    /// # Errors
    /// Words that make no sense.
    pub fn new(carried: &'static Carried, document: Document, words: &[String], asker: Asker) -> Result<Asked, Fault> {
        let words = Words::try_parse_from(typed(words)).map_err(|e| usage(&e))?;
        let accepted = Accepted::new(words.accept_unconverged, words.accept_growth);
        let mut opened = Opened::of(carried, document, &words.system, caller(asker))?;
        give_way(&mut opened)?;
        opened.record(&words.record);
        words.solution.apply(&mut opened.document);
        Ok(Asked { opened, accepted, accuracy: None })
    }

    /// The same with the words of `macrostep verify`.
    ///
    /// # Errors
    /// Words that make no sense.
    pub fn to_verify(
        carried: &'static Carried,
        document: Document,
        words: &[String],
        asker: Asker,
    ) -> Result<Asked, Fault> {
        let VerifyWords { verify } = VerifyWords::try_parse_from(typed(words)).map_err(|e| usage(&e))?;
        let mut opened = Opened::of(carried, document, &verify.system, caller(asker))?;
        give_way(&mut opened)?;
        opened.record(&verify.record);
        Ok(Asked { opened, accepted: Accepted::default(), accuracy: verify.tolerance })
    }

    /// Warnings and notes since the last call.
    pub fn remarks(&self) -> Vec<String> {
        let Some(caller) = self.opened.caller() else { return Vec::new() };
        std::mem::take(&mut *caller.remarks.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn assembly(&self) -> Result<Assembly, Fault> {
        self.opened.assembled().map_err(|findings| Fault::from(findings.as_slice()))
    }

    /// From start to end: `macrostep run`. A run that has begun is there whatever became of it. Its progress is shown to `progress`.
    ///
    /// # Errors
    /// Where it cannot begin.
    pub fn run(&self, progress: Option<Progress>) -> Result<Ran, Fault> {
        let known = solution::known(&self.opened).map_err(|findings| Fault::from(findings.as_slice()))?;
        let assembly = self.assembly()?;
        let (scenario, taken) = (assembly.effective.clone(), assembly.taken.clone());
        let mut simulation = system::start(assembly)?;
        let e = &scenario.experiment;
        let mut steps = Steps::new(&simulation, (e.start_s, e.stop_s.unwrap_or(0.0)), scenario.record.every)?;
        steps.progress = progress;
        let cut = self.opened.caller().map(|caller| caller.cut.clone()).unwrap_or_default();
        let comparison = solution::compared(&scenario, known, simulation.columns());
        let comparison = comparison.map_err(|finding| Fault::from([finding].as_slice()))?;
        let mut rows = Rows { comparison, ..Rows::collected(cut.clone()) };
        let ended = steps.run(&mut simulation, &mut rows, None).map_err(Failure::from);
        // What it came to.
        let mut outcome = Outcome::new(&mut simulation, &rows, steps.wall, ended.as_ref().err()).tried(taken);
        outcome = outcome.compared(&scenario, rows.comparison.as_ref());
        drop(simulation);
        if ended.is_ok() && !cut.is_set() {
            outcome.look_again(&scenario, &self.opened);
        }
        let summary = outcome.summary(&scenario, &rows).json()?;
        let accepted = self.accepted.of(&scenario);
        let fault = ended.err().or_else(|| refused(&outcome.verdict, accepted));
        let fault = fault.or_else(|| outcome.missed(&scenario));
        let mut fault = fault.map(Fault::from);
        if let Some(fault) = fault.as_mut().filter(|_| cut.is_set()) {
            fault.kind = Kind::Interrupted;
        }
        let (columns, rows) = (outcome.columns().to_vec(), rows.collected.unwrap_or_default());
        let errors = outcome.errors().to_vec();
        Ok(Ran { columns, rows, errors, summary, scenario: toml::write(&scenario), remarks: self.remarks(), fault })
    }

    /// Initialised, to be stepped by the caller.
    ///
    /// # Errors
    /// Where it cannot begin.
    pub fn start(&self) -> Result<Started, Fault> {
        Started::new(self.assembly()?)
    }

    /// The object that `macrostep verify --json` prints, and its table.
    ///
    /// # Errors
    /// Where one of the runs cannot be made.
    pub fn verify(&self) -> Result<(String, String), Fault> {
        let verification = verify(&self.opened.document.scenario, &self.opened, self.accuracy)?;
        self.opened.show(&verification.findings);
        Ok((system::verify::json(&verification)?, system::verify::table(&verification)))
    }

    /// The text of `macrostep explain`; the system is run for its residual energies where `runs`.
    ///
    /// # Errors
    /// Where the scenario cannot run.
    pub fn explain(&self, name: &str, runs: bool) -> Result<String, Fault> {
        let mut text = String::new();
        system::explain::explain(&self.opened, name, runs, &mut |part| {
            text.push_str(&format!("{part}\n"));
            Ok(())
        })?;
        Ok(text)
    }

    /// The picture of `macrostep graph`, as SVG.
    ///
    /// # Errors
    /// Where the scenario cannot run.
    pub fn graph(&self) -> Result<String, Fault> {
        Ok(macrostep_system::graph::graph(&self.assembly()?)?.svg())
    }

    /// Writes the scenario to a file, whose ending says in which format, with the FMUs where the format holds them: `macrostep
    /// convert`. The names of the files written.
    ///
    /// # Errors
    /// Where the scenario is wrong or a file cannot be written.
    pub fn save(&self, path: &Path) -> Result<Vec<String>, Fault> {
        let mut files = Vec::new();
        system::convert::convert(self.opened.carried(), &self.opened.document, path, &mut |file| {
            files.push(file.display().to_string());
            Ok(())
        })?;
        Ok(files)
    }
}

/// A predictor that the caller gives takes the place of hold, a corrector that of explicit coupling, and of nothing else.
fn give_way(opened: &mut Opened) -> Result<(), Fault> {
    let given = opened.caller().and_then(|caller| caller.given.as_ref());
    let has_predictor = given.is_some_and(|given| given.predictor().is_some());
    let has_corrector = given.is_some_and(|given| given.has_corrector());
    let c = &mut opened.document.scenario.coupling;
    let refused = |what: &str, found: String, expected: &str| {
        let expected = format!("expected neither `method`, {expected}");
        Err(Fault::usage(format!("a {what} is given and the scenario names another one: found {found}, {expected}")))
    };
    if has_predictor && (c.method.is_some() || c.predict != Predict::default() || c.control.kind != Control::Fixed) {
        let found = || format!("predict = \"{}\", control = \"{}\"", c.predict, c.control.kind);
        let found = c.method.map_or_else(found, |m| format!("method = \"{m}\""));
        return refused("predictor", found, "`predict` nor `control`");
    }
    if has_corrector {
        if c.method.is_some() || c.correct != Correct::Explicit {
            let found = || format!("correct = \"{}\"", c.correct);
            let found = c.method.map_or_else(found, |m| format!("method = \"{m}\""));
            return refused("corrector", found, "nor `correct`");
        }
        // Steps are repeated: what is asked of units is what this word asks.
        c.correct = Correct::FixedPoint;
    }
    Ok(())
}

fn caller(asker: Asker) -> Caller {
    Caller { is_spared: asker.is_spared, cut: asker.cut, remarks: Mutex::default(), given: asker.given }
}

/// With a system, which is open already.
fn typed(words: &[String]) -> impl Iterator<Item = &str> {
    std::iter::once("system").chain(words.iter().map(String::as_str))
}

/// What is wrong with the words, without the hint at `--help`.
fn usage(error: &clap::Error) -> Fault {
    let text = error.to_string();
    let text = text.split("\n\nUsage:").next().unwrap_or_default();
    let text = text.split("\n\nFor more information").next().unwrap_or_default();
    Fault::usage(text.strip_prefix("error: ").unwrap_or(text).trim())
}
