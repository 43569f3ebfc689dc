//! `macrostep run`: a scenario from start to end.
//!
//! Rows go to `trace.csv` as they are recorded, and the scenario is there before the first one: what was reached is on
//! disk after any failure, and after the program was killed.

use std::fs::File;
use std::path::Path;

use macrostep_isolation::guard::Guard;
use macrostep_isolation::interrupt;
use macrostep_master::Simulation;
use macrostep_master::record::{Column, Trace};
use macrostep_system::{Assembly, Scenario};

use super::arguments::RunArguments;
use super::outcome::Outcome;
use super::steps::{Rows, Steps, failed};
use super::{Opened, pictures, start, subject};
use crate::checkpoint::{Checkpoint, Keeper};
use crate::failure::Failure;
use crate::oscillator::write_text;
use crate::print;
use crate::single::{ADVICE, kept};
use crate::stream::Stream;

/// Runs a scenario as the options say.
///
/// # Errors
/// [`Failure`] where it cannot start, fails on the way (what was recorded is on disk all the same), or files cannot be
/// written.
pub fn run(arguments: &RunArguments) -> Result<(), Failure> {
    interrupt::note();
    let opened = Opened::new(&arguments.system)?;
    let assembly = opened.assemble()?;
    let scenario = assembly.effective.anywhere();
    let identity = identity(&assembly, &scenario);
    can_serialize(arguments, &assembly)?;
    let resumed = arguments.checkpoints.resume.as_deref().map(|path| Checkpoint::read(path, &identity)).transpose()?;
    let mut simulation = start(assembly).map_err(failed)?;
    for warning in simulation.warnings() {
        eprintln!("warning: {warning}");
    }
    let mut steps = Steps::new(&simulation, &scenario).map_err(failed)?;
    let mut keeper = Keeper::new(&arguments.checkpoints, &identity)?;
    let mut rows = rows(arguments, &simulation, &scenario, resumed.as_ref())?;
    if let Some(at) = resumed {
        steps.resume(&mut simulation, at, &mut rows).map_err(failed)?;
    }
    let guard = rows.stream.as_ref().filter(|_| !arguments.system.slaves.isolate).map(|stream| {
        let subject = subject(&arguments.system);
        Guard::new(&format!("{subject} (rows up to then are in `{}`)", stream.shown()), ADVICE)
    });
    let ended = steps.run(&mut simulation, &mut rows, keeper.as_mut());
    let outcome = Outcome::new(&mut simulation, steps.wall, ended.as_ref().err());
    drop(simulation);
    drop(guard);
    let written = write(arguments, &scenario, &outcome, &rows);
    ended.map_err(|failure| kept(failure, rows.stream.as_ref()))?;
    written?;
    if arguments.json {
        print::line(outcome.summary(&scenario, &rows).json()?)
    } else {
        print::line(outcome.table(&scenario, &rows))
    }
}

/// What tells this run from others, a line each. Where its slaves run makes no difference.
fn identity(assembly: &Assembly, scenario: &Scenario) -> String {
    let guids = scenario.units.iter().zip(&assembly.descriptions);
    let guids: String = guids.map(|(u, d)| format!("GUID `{}` of unit `{}`\n", d.guid, u.name)).collect();
    format!("run\n{guids}{}", macrostep_system::toml::write(scenario))
}

/// A checkpoint needs states that can be written down.
fn can_serialize(arguments: &RunArguments, assembly: &Assembly) -> Result<(), Failure> {
    let option = match (&arguments.checkpoints.checkpoint, &arguments.checkpoints.resume) {
        (Some(_), _) => "--checkpoint",
        (None, Some(_)) => "--resume",
        (None, None) => return Ok(()),
    };
    for (unit, d) in assembly.effective.units.iter().zip(&assembly.descriptions) {
        if !d.co_simulation.as_ref().is_some_and(|c| c.can_serialize_fmu_state) {
            let (name, fmu) = (&unit.name, &unit.source);
            return Err(Failure::Usage(format!(
                "`{option}` needs `canSerializeFMUstate`, which unit `{name}` (FMU `{fmu}`) does not offer: run it without checkpoints"
            )));
        }
    }
    Ok(())
}

/// The scenario, and the file that rows go to.
fn rows(
    arguments: &RunArguments,
    simulation: &Simulation,
    scenario: &Scenario,
    resumed: Option<&Checkpoint>,
) -> Result<Rows, Failure> {
    let mut rows = Rows { last_s: f64::NAN, ..Rows::default() };
    let Some(folder) = &arguments.out else { return Ok(rows) };
    let names = simulation.columns().iter().map(|c| c.name.as_str());
    let path = folder.join("trace.csv");
    let stream = match resumed {
        Some(at) => Stream::resume(&path, names, at.rows, at.file_bytes)?,
        None => Stream::create(&path, names)?,
    };
    write_text(&stream.path().with_file_name("scenario.toml"), &macrostep_system::toml::write(scenario))?;
    rows.stream = Some(stream);
    Ok(rows)
}

/// Result and pictures beside the rows.
fn write(arguments: &RunArguments, scenario: &Scenario, outcome: &Outcome, rows: &Rows) -> Result<(), Failure> {
    let Some(stream) = &rows.stream else { return Ok(()) };
    write_text(&stream.path().with_file_name("result.json"), &outcome.summary(scenario, rows).json()?)?;
    if arguments.no_pictures {
        return Ok(());
    }
    let trace = trace(stream.path(), outcome.columns())?;
    let folder = stream.path().parent().unwrap_or(Path::new("."));
    Ok(pictures::write(folder, scenario, &trace)?)
}

/// The rows of a file, with units.
fn trace(path: &Path, columns: &[Column]) -> Result<Trace, Failure> {
    let read = Trace::read(File::open(path).map_err(Failure::file(path))?)?;
    let mut trace = Trace::new(columns.iter().cloned());
    trace.reserve(read.len());
    read.rows().filter_map(<[f64]>::split_first).for_each(|(t_s, values)| trace.push(*t_s, values));
    Ok(trace)
}
