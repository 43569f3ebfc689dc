//! Where the FMUs inside run: in the process of the tool that has loaded the container, or each in a process of its own.
//!
//! A process of its own is started from the program `slave/ARCHITECTURE` in the resources, which is no executable file in every
//! archive: the dynamic loader runs it. On Linux only.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use macrostep_description::ModelDescription;
use macrostep_import::fmu::{Face, FmuOptions, LogRecord};
use macrostep_import::isolation::{Isolation, Limits, Output};
use macrostep_master::unit::Unit;
use macrostep_system::scenario::Source;
use macrostep_system::words::Rollback;
use macrostep_system::{Catalogue, Fmus};
use serde::{Deserialize, Serialize};

use crate::messages::Messages;

/// How the FMUs inside are run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slaves {
    /// Start value of the parameter [`ISOLATE`].
    pub isolate: bool,
    /// Longest time a call may take of a slave in a process of its own, in s.
    pub call_limit_s: f64,
    /// Most memory such a process may use, in MiB.
    pub memory_limit_mib: u64,
    /// `loggingOn` of the FMUs inside.
    pub logging_on: bool,
    /// How they go back where a method inside repeats steps.
    pub rollback: Rollback,
}

impl Default for Slaves {
    /// In the process of the outer tool, with the limits of the command line.
    fn default() -> Self {
        let (call_limit_s, memory_limit_mib) = (60.0, 4096);
        Slaves { isolate: false, call_limit_s, memory_limit_mib, logging_on: false, rollback: Rollback::Auto }
    }
}

/// Name of the parameter that gives each FMU inside a process of its own. Other variables have a dot in their names.
pub const ISOLATE: &str = "isolate";

/// Name of the parameter that lets real inputs without derivatives go on over an outer step as they did over the one before.
pub const EXTRAPOLATE: &str = "extrapolate";

/// Path in the resources of the program that serves a slave, for Linux on this kind of processor.
pub fn slave_program() -> String {
    format!("slave/{}", std::env::consts::ARCH)
}

/// The FMUs of a container, whose messages are heard.
pub(crate) struct Inside<'a> {
    pub fmus: &'a Fmus,
    pub slaves: Slaves,
    pub resources: &'a Path,
    /// Whether each runs in a process of its own.
    pub isolate: bool,
    pub messages: &'a Messages,
}

impl Inside<'_> {
    /// Where the unit of this name runs when it has a process of its own.
    fn isolation(&self, name: &str) -> Result<Isolation, String> {
        let program: PathBuf = self.resources.join(slave_program());
        let failed = |e: std::io::Error| format!("no process of its own by `{}`: {e}", program.display());
        if cfg!(target_os = "linux") && !program.is_file() {
            return Err(failed(std::io::ErrorKind::NotFound.into()));
        }
        let call = Duration::try_from_secs_f64(self.slaves.call_limit_s).unwrap_or(Duration::MAX);
        let limits = Limits { call, memory_bytes: self.slaves.memory_limit_mib.saturating_mul(1 << 20) };
        let isolation = Isolation::of_file(&program, limits).map_err(failed)?;
        // What it writes is no business of the outer tool's standard error.
        let output = Arc::new(Output::new().map_err(failed)?);
        self.messages.hear_output(name, Arc::clone(&output));
        Ok(Isolation { logging_on: self.slaves.logging_on, output: Some(output), ..isolation })
    }
}

impl Catalogue for Inside<'_> {
    fn description(&self, source: &Source) -> Result<Arc<ModelDescription>, String> {
        self.fmus.description(source)
    }

    fn unit(&self, source: &Source, name: &str) -> Result<Box<dyn Unit>, String> {
        let fmu = self.fmus.fmu(source)?;
        if self.isolate {
            return Ok(Box::new(self.isolation(name)?.instantiate(&fmu, name).map_err(|e| e.to_string())?));
        }
        let (log, remark) = (self.messages.clone(), self.messages.clone());
        let options = FmuOptions {
            logging_on: self.slaves.logging_on,
            log: Some(Arc::new(move |record: &LogRecord<'_>| log.hear(record))),
            remark: Some(Arc::new(move |text: &str| remark.remark(text))),
            ..FmuOptions::default()
        };
        fmu.unit(name, &options).map_err(|e| e.to_string())
    }

    fn forked(&self, source: &Source, name: &str) -> Result<Box<dyn Unit>, String> {
        let fmu = self.fmus.fmu(source)?;
        Ok(Box::new(self.isolation(name)?.instantiate_by_fork(&fmu, name).map_err(|e| e.to_string())?))
    }

    fn rollback(&self) -> Rollback {
        // Elsewhere than on Linux there is no fork to choose.
        let rollback = self.slaves.rollback;
        if cfg!(target_os = "linux") || rollback == Rollback::Fork { rollback } else { Rollback::Own }
    }

    fn isolates(&self) -> bool {
        self.isolate
    }

    fn faces(&self, source: &Source) -> Vec<Face> {
        self.fmus.faces(source)
    }
}
