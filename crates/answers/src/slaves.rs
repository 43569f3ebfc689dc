//! Where slaves run: in this process, or each in a process of its own.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use macrostep_import::fmu::{Fmu, FmuOptions, LogRecord};
use macrostep_import::isolation::{ADVICE, Cut, Isolation, Limits, watched};
use macrostep_master::unit::Unit;
use serde::Serialize;

use crate::failure::Failure;

/// How slaves are run.
#[derive(Debug, Clone, Copy, PartialEq, Args, Serialize)]
pub struct SlaveArguments {
    /// Run each slave in a process of its own, with limits on time and memory [default: off]
    #[arg(long)]
    pub isolate: bool,
    /// Longest time a call of a slave may take, in s
    #[arg(long, value_name = "S", default_value = "60")]
    pub call_limit: f64,
    /// Largest memory of an isolated slave, in MiB
    #[arg(long, value_name = "MIB", default_value = "4096")]
    pub memory_limit: u64,
    /// Show log messages of slaves [default: off]
    #[arg(long)]
    pub logging_on: bool,
}

impl Default for SlaveArguments {
    /// In this process, with the limits for isolated ones that the command line has.
    fn default() -> Self {
        SlaveArguments { isolate: false, call_limit: 60.0, memory_limit: 4096, logging_on: false }
    }
}

/// Whether FMUs of which one instance may live in a process get one of their own: where there are such processes.
pub const ALONE_IN_ITS_PROCESS: bool = cfg!(target_os = "linux");

/// An instance of an FMU; a cut ends it from outside, where it runs in a process of its own. So does an FMU that may be instantiated only once per
/// process: runs come again in many verbs, and some of these FMUs do not stand to be made anew even after they were freed. The same goes for an
/// FMU that another program serves: its messages are those of an isolated one.
///
/// # Errors
/// [`Failure::Usage`] for a limit that is none, [`Failure::Run`] where it is not made.
pub fn make(fmu: &Fmu, name: &str, arguments: &SlaveArguments, cut: Option<&Cut>) -> Result<Box<dyn Unit>, Failure> {
    let is_once = fmu.capabilities().can_be_instantiated_only_once_per_process;
    let is_alone = ALONE_IN_ITS_PROCESS && is_once || fmu.is_remote();
    if let Some(isolation) = isolation(&SlaveArguments { isolate: arguments.isolate || is_alone, ..*arguments })? {
        let isolation = Isolation { cut: cut.cloned(), ..isolation };
        return Ok(Box::new(isolation.instantiate(fmu, name).map_err(Failure::run)?));
    }
    let options = options(arguments)?;
    watched(fmu, name, &options, options.pending_limit, ADVICE).map_err(Failure::run)
}

/// An instance of an FMU in a process of its own, which goes back by fork, whatever the FMU offers.
///
/// # Errors
/// As [`make`].
pub fn make_by_fork(fmu: &Fmu, name: &str, arguments: &SlaveArguments) -> Result<Box<dyn Unit>, Failure> {
    let unit = isolated(arguments)?.instantiate_by_fork(fmu, name);
    Ok(Box::new(unit.map_err(Failure::run)?))
}

/// Options of an instance in this process: with logging, messages go to standard error.
fn options(arguments: &SlaveArguments) -> Result<FmuOptions, Failure> {
    let SlaveArguments { logging_on, .. } = *arguments;
    let show = |record: &LogRecord<'_>| eprintln!("log: {}", record.plain());
    let log = logging_on.then(|| Arc::new(show) as _);
    let remark = Some(Arc::new(|text: &str| eprintln!("warning: {text}")) as _);
    Ok(FmuOptions { logging_on, log, remark, pending_limit: limits(arguments)?.call, ..FmuOptions::default() })
}

/// Where isolated slaves run, if they are to be isolated.
///
/// # Errors
/// [`Failure::Usage`] for a limit that is none, [`Failure::Run`] where this program is not found again.
pub fn isolation(arguments: &SlaveArguments) -> Result<Option<Isolation>, Failure> {
    limits(arguments)?;
    arguments.isolate.then(|| isolated(arguments)).transpose()
}

/// Where isolated slaves run.
///
/// # Errors
/// As [`isolation`].
pub fn isolated(arguments: &SlaveArguments) -> Result<Isolation, Failure> {
    let isolation = Isolation::of_this_program(limits(arguments)?)
        .map_err(|e| Failure::Run(format!("`--isolate`: the path of this program cannot be found: {e}")))?;
    Ok(Isolation { logging_on: arguments.logging_on, ..isolation })
}

/// The kind of units that [`make`] makes.
pub fn kind(arguments: &SlaveArguments) -> &'static str {
    if arguments.isolate { "isolated" } else { "fmu" }
}

fn limits(arguments: &SlaveArguments) -> Result<Limits, Failure> {
    let found = arguments.call_limit;
    let call = Duration::try_from_secs_f64(found)
        .ok()
        .filter(|d| *d >= Duration::from_millis(1))
        .ok_or_else(|| Failure::Usage(format!("`--call-limit`: found {found} s, expected at least 0.001 s")))?;
    if arguments.memory_limit < 16 {
        let found = arguments.memory_limit;
        return Err(Failure::Usage(format!("`--memory-limit`: found {found} MiB, expected at least 16 MiB")));
    }
    Ok(Limits { call, memory_bytes: arguments.memory_limit << 20 })
}
