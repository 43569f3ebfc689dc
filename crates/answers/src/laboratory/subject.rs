//! The system of these verbs: one of this program by its name, or one from a file.

use std::path::{Path, PathBuf};

use clap::Args;
use macrostep_analysis::{Benchmark, FromFile};
use macrostep_import::fmu::Face;
use macrostep_system::Catalogue;
use macrostep_system::scenario::Source;
use macrostep_system::words::Rollback;

use crate::Carried;
use crate::distinct::Files;
use crate::failure::Failure;
use crate::slaves::SlaveArguments;
use crate::system::arguments::{RecordArguments, SystemArguments};
use crate::system::{Opened, findings_failure, tell, title};

/// A system, and options that override it.
#[derive(Debug, Args)]
pub struct SubjectArguments {
    /// System: a .toml, .ssd or .ssp file, or the name of one that `macrostep systems` lists; test-model, case-1, case-2,
    /// nonlinear-spring, chain, circuit and cylinder have a solution and all their cuts, NAME:VARIANT has one cut [default:
    /// test-model for converge, case-1 for compare and advise, the dimensionless model for stability]
    #[arg(value_name = "SYSTEM")]
    pub system: Option<String>,
    /// The same as SYSTEM
    #[arg(long, value_name = "SYSTEM", conflicts_with = "system")]
    pub scenario: Option<String>,
    /// For a file: another value, UNIT.VARIABLE=VALUE; may be repeated [default: none]
    #[arg(long, value_name = "UNIT.VARIABLE=VALUE")]
    pub set: Vec<String>,
    /// For a file: one of its parameter sets; may be repeated [default: none]
    #[arg(long, value_name = "NAME")]
    pub parameters: Vec<String>,
    /// What is recorded.
    #[command(flatten)]
    pub record: RecordArguments,
    /// For a file: how slaves go back where a method repeats steps
    #[arg(long, value_enum, value_name = "ROLLBACK", default_value = "auto")]
    pub rollback: Rollback,
    /// How slaves run.
    #[command(flatten)]
    pub slaves: SlaveArguments,
}

/// Runs at a time, where all FMUs are far away: each has an instance of every one of them there, of which there may be 64.
const AT_ONCE: usize = 16;

/// A system that was chosen.
pub struct Subject {
    /// It.
    pub benchmark: Box<dyn Benchmark>,
    /// Runs of files are made one after the other: what foreign FMUs share is not known. Where all of them are far away, what runs do most
    /// is to wait, and many are made at the same time.
    pool: Option<rayon::ThreadPool>,
    /// What it is read from.
    files: Files,
}

impl SubjectArguments {
    /// What was typed, if anything.
    pub fn typed(&self) -> Option<&str> {
        self.system.as_deref().or(self.scenario.as_deref())
    }

    /// The system that was typed, or `usual`; `stop_s` is the end of the run \[s\], where it is another.
    ///
    /// # Errors
    /// [`Failure::Usage`] for a name that is none, [`Failure`] where a file is not read or cannot run.
    pub fn open(&self, carried: &'static Carried, usual: &str, stop_s: Option<f64>) -> Result<Subject, Failure> {
        let name = self.typed().unwrap_or(usual);
        // Those with a solution and several cuts; all others are scenarios, from a file or of this program.
        let Some(benchmark) = macrostep_analysis::scenarios().into_iter().find(|s| s.name() == name) else {
            return self.scenario(carried, Path::new(name), stop_s);
        };
        if let Some(option) = self.of_files() {
            return Err(Failure::Usage(format!(
                "`--{option}` cannot be combined with `{name}`: it is for systems from files"
            )));
        }
        Ok(Subject { benchmark, pool: None, files: Files::default() })
    }

    /// An option that was typed and is for files.
    fn of_files(&self) -> Option<&'static str> {
        let typed = [
            ("set", !self.set.is_empty()),
            ("parameters", !self.parameters.is_empty()),
            ("record", !self.record.record.is_empty()),
            ("rollback", self.rollback != Rollback::Auto),
            ("isolate", self.slaves.isolate),
            ("logging-on", self.slaves.logging_on),
        ];
        typed.iter().find(|(_, is_typed)| *is_typed).map(|(name, _)| *name)
    }

    /// The system of this file or name as a scenario.
    fn scenario(&self, carried: &'static Carried, path: &Path, stop_s: Option<f64>) -> Result<Subject, Failure> {
        Subject::of(path, self.opened(carried, path, stop_s)?)
    }

    /// The same system, where FMUs that have both faces and none is named for are driven by their equations, and the names of these units.
    ///
    /// # Errors
    /// As [`SubjectArguments::open`].
    pub fn by_equations(
        &self,
        carried: &'static Carried,
        usual: &str,
        stop_s: Option<f64>,
    ) -> Result<Option<(Subject, Vec<String>)>, Failure> {
        let path = Path::new(self.typed().unwrap_or(usual));
        if macrostep_analysis::scenarios().iter().any(|s| Path::new(s.name()) == path) {
            return Ok(None);
        }
        let mut opened = self.opened(carried, path, stop_s)?;
        // Each such unit gets the face as if the file said so.
        let units = &opened.document.scenario.units;
        let has_both: Vec<bool> =
            units.iter().map(|u| u.source.face().is_none() && opened.faces(&u.source).len() > 1).collect();
        let mut names = Vec::new();
        for (unit, _) in opened.document.scenario.units.iter_mut().zip(has_both).filter(|(_, has_both)| *has_both) {
            if let Source::File { face, .. } = &mut unit.source {
                *face = Some(Face::ModelExchange);
                names.push(unit.name.clone());
            }
        }
        if names.is_empty() {
            return Ok(None);
        }
        Ok(Some((Subject::of(path, opened)?, names)))
    }

    /// The file, opened with the options.
    fn opened(&self, carried: &'static Carried, path: &Path, stop_s: Option<f64>) -> Result<Opened, Failure> {
        let arguments = SystemArguments {
            system: PathBuf::from(path),
            stop: stop_s,
            set: self.set.clone(),
            parameters: self.parameters.clone(),
            rollback: self.rollback,
            slaves: self.slaves,
            ..SystemArguments::default()
        };
        let mut opened = Opened::new(carried, &arguments)?;
        opened.record(&self.record);
        Ok(opened)
    }
}

impl Subject {
    /// The system of this file or name, opened with its options.
    ///
    /// # Errors
    /// [`Failure`] where it cannot run.
    pub fn of(path: &Path, opened: Opened) -> Result<Subject, Failure> {
        let scenario = opened.document.scenario.clone();
        // A slave may change the working folder.
        let here = std::env::current_dir().map_err(Failure::file(Path::new(".")))?;
        let mut files = Files::default();
        files.reads_system(path, &scenario, &here);
        let name = if scenario.name.is_empty() { path.display().to_string() } else { title(&scenario).to_owned() };
        let made = FromFile::new(&name, &scenario, Box::new(opened));
        let (file, findings) = made.map_err(|findings| findings_failure(&findings))?;
        tell(&findings);
        let is_far = scenario.units.iter().all(|unit| unit.source.is_remote());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(if is_far { AT_ONCE } else { 1 }).build();
        let pool = pool.map_err(|e| Failure::Run(format!("no thread: {e}")))?;
        Ok(Subject { benchmark: Box::new(file), pool: Some(pool), files })
    }

    /// Files of these names go to the folder of `--out`.
    ///
    /// # Errors
    /// [`Failure::Usage`] where one of them is what the system is read from.
    pub fn writes(&mut self, folder: Option<&Path>, names: &[&str]) -> Result<(), Failure> {
        self.files.writes_in(folder, names);
        self.files.are_apart()
    }

    /// Runs with as many threads as the system allows.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}
