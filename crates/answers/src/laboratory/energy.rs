//! `macrostep energy SYSTEM`: residual energy of the power bonds of a system from a file, without and with energy
//! correction.

use std::path::PathBuf;

use clap::Args;
use macrostep_analysis::measure::{Reference, run as run_scheme};
use macrostep_analysis::models::Factory;
use macrostep_analysis::scheme::{Control, Energy};
use macrostep_analysis::{Benchmark, Scheme, Setup};
use macrostep_description::shown;
use macrostep_master::RunError;
use macrostep_plot::table::{Table, short};
use serde::Serialize;

use super::json;
use super::subject::Subject;
use crate::Carried;
use crate::failure::Failure;
use crate::files::write_text;
use crate::numbers::STEPS_MAX;
use crate::print;
use crate::system::Opened;
use crate::system::arguments::SystemArguments;

/// `macrostep energy`.
#[derive(Debug, Args)]
#[command(mut_arg("energy", |a| a.hide(true)), mut_arg("control", |a| a.hide(true)), mut_arg("control_tolerance", |a| a.hide(true)))]
pub struct EnergyArguments {
    /// The system.
    #[command(flatten)]
    pub system: SystemArguments,
    /// Folder for the table and its numbers; made if missing [default: nothing is written]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print one JSON array instead of a table [default: off]
    #[arg(long)]
    pub json: bool,
}

/// One correction.
#[derive(Serialize)]
struct Line {
    energy: Energy,
    step_s: f64,
    stop_s: f64,
    /// Sums over all power bonds.
    residual_energy_j: f64,
    residual_energy_max_j: f64,
    /// Largest error of a recorded quantity, relative to its amplitude; `null` where the run diverged.
    error: Option<f64>,
    do_steps: u64,
}

/// Runs, prints, writes.
///
/// # Errors
/// [`Failure`] of the file, the runs or the folder.
pub fn run(carried: &'static Carried, arguments: &EnergyArguments) -> Result<(), Failure> {
    // Corrections are compared at steps of one length.
    let of = &arguments.system;
    if let Some(energy) = of.energy {
        let option = format!("--energy {energy}");
        return Err(Failure::conflict(option, "macrostep energy", "it makes a run with every energy correction"));
    }
    if of.control.is_some() || of.control_tolerance.is_some() {
        return Err(Failure::conflict("--control", "macrostep energy", "its runs have steps of one length"));
    }
    // The system with its options; steps are made whole below.
    let of = SystemArguments { step: None, ..of.clone() };
    let mut subject = Subject::of(&of.system, Opened::new(carried, &of)?)?;
    subject.writes(arguments.out.as_deref(), &["energy.json", "energy.md"])?;
    let benchmark = subject.benchmark.as_ref();
    // Corrections are compared under the method of the file.
    let Some(written) = benchmark.written() else {
        return Err(Failure::Usage("`macrostep energy SYSTEM`: expected a .toml, .ssd or .ssp file".to_owned()));
    };
    // Steps of one length, the same for all.
    let (card, asked) = (benchmark.card(), &arguments.system);
    let (step_s, stop_s) = (asked.step.unwrap_or(card.step_s), asked.stop.unwrap_or(card.stop_s));
    let stop_s = whole(step_s, stop_s)?;
    // One run for each correction; steps that a file would choose are fixed here.
    let mut lines = Vec::new();
    for energy in [Energy::Monitor, Energy::Nepce, Energy::Leak] {
        let scheme = Scheme { energy, control: Control::Fixed, ..written };
        let line = subject.install(|| line(benchmark, (&scheme, &carried.unit), (step_s, stop_s)));
        lines.push(line.map_err(|e| Failure::Run(format!("`{energy}`: {e}")))?);
    }
    // The answer, as an object or as a table.
    let table = table(&lines);
    let text = json::text(&lines)?;
    if arguments.json {
        print::line(&text)?;
    } else {
        print::line(table.terminal())?;
        print::line(format!(
            "system {} · {written} · H = {step_s:e} s · T = {} s",
            benchmark.name(),
            shown::time(stop_s)
        ))?;
    }
    // Files.
    if let Some(folder) = &arguments.out {
        write_text(&folder.join("energy.json"), &text)?;
        write_text(&folder.join("energy.md"), &table.markdown())?;
    }
    Ok(())
}

/// The end of runs of whole steps \[s\], which is said where it is another than was asked for.
///
/// # Errors
/// [`Failure::Usage`] for more steps than a run may have, and for none.
fn whole(step_s: f64, stop_s: f64) -> Result<f64, Failure> {
    let steps = stop_s / step_s;
    if steps > STEPS_MAX {
        let shortest = stop_s / STEPS_MAX;
        return Err(Failure::Usage(format!(
            "`--step`: found {step_s:?} s, expected at least {shortest:e} s, for at most {STEPS_MAX:e} macro steps"
        )));
    }
    if steps < 0.5 {
        return Err(Failure::Usage(format!("`--step`: found {step_s:?} s, expected at most the end at {stop_s:?} s")));
    }
    if (steps - steps.round()).abs() <= 1e-9 * steps {
        return Ok(stop_s);
    }
    let taken_s = steps.round() * step_s;
    crate::print::remark!(
        "note: {stop_s} s is not a whole number of steps of {step_s} s: the runs end at {} s",
        shown::time(taken_s)
    );
    Ok(taken_s)
}

/// One run, and its power bonds.
fn line(
    benchmark: &dyn Benchmark,
    (scheme, units): (&Scheme, Factory<'_>),
    (step_s, stop_s): (f64, f64),
) -> Result<Line, RunError> {
    // Without power bonds there is no energy to balance.
    let setup = Setup::new(scheme, step_s, units);
    let mut coupled = benchmark.couple(&setup)?;
    if coupled.simulation.accounts().is_empty() {
        return Err(RunError::grid(
            "power bonds",
            "none",
            "one in [[bonds]] for each connection whose energy counts; `macrostep explain SYSTEM` proposes them",
        ));
    }
    coupled.simulation.advance((stop_s / step_s).round() as u64, (0, u64::MAX), &mut ())?;
    let accounts = coupled.simulation.accounts();
    let residual_energy_j = accounts.iter().map(|a| a.residual_energy_j).sum();
    let residual_energy_max_j = accounts.iter().map(|a| a.residual_energy_max_j).sum();
    drop(coupled);
    // The error is that of another run of the same, which is held against the solution.
    let work = run_scheme(benchmark, &setup, &Reference::new(benchmark, step_s, stop_s)?)?;
    let error = Some(work.error.position).filter(|e| e.is_finite());
    let energy = scheme.energy;
    Ok(Line { energy, step_s, stop_s, residual_energy_j, residual_energy_max_j, error, do_steps: work.do_steps })
}

fn table(lines: &[Line]) -> Table {
    let mut table = Table::new("correction | > residual energy [J] | > largest [J] | > error | > do_steps");
    for line in lines {
        table.row([
            line.energy.word().to_owned(),
            short(line.residual_energy_j),
            short(line.residual_energy_max_j),
            line.error.map_or("–".to_owned(), short),
            line.do_steps.to_string(),
        ]);
    }
    table
}
