//! `macrostep crane` and `macrostep actuator`: one run, or the study.

pub mod arguments;
mod charts;
mod report;
mod stepped;
mod study;

use std::path::Path;

use macrostep::factory;
use macrostep_analysis::models;
use macrostep_analysis::multirate::{
    Limits, Manoeuvre, Multirate, Outcome, Plant, Prediction, Scheme, Verdict, animation, check, errors, judge, run,
};
use macrostep_benchmarks::STEP_S;
use macrostep_description::shown;
use macrostep_master::{Grade, RunError, Verdict as RunVerdict};
use macrostep_plot::Table;

use crate::failure::Failure;
use crate::files::{write_system, write_text, write_trace};
use crate::print;
use crate::slaves;
use crate::terms::Units;
use crate::verdict::{Accepted, met};
use arguments::{ActuatorArguments, CraneArguments, MultirateArguments};
use report::Summary;

/// `macrostep crane`.
///
/// # Errors
/// [`Failure`] of the options, of a unit before its first step, or of a file. An unstable run is a result.
pub fn crane(arguments: &CraneArguments) -> Result<(), Failure> {
    let plant = Plant::Crane(arguments.manoeuvre.unwrap_or_default());
    run_or_study(plant, &arguments.run)
}

/// `macrostep actuator`.
///
/// # Errors
/// As [`crane`].
pub fn actuator(arguments: &ActuatorArguments) -> Result<(), Failure> {
    run_or_study(Plant::Actuator, &arguments.run)
}

fn run_or_study(plant: Plant, arguments: &MultirateArguments) -> Result<(), Failure> {
    if arguments.study { study::run(plant, arguments) } else { one(plant, arguments) }
}

/// More macro steps than this are taken for a mistake.
const STEPS_MAX: f64 = 1e6;

/// A run with all defaults filled in.
fn scenario(plant: Plant, a: &MultirateArguments) -> Multirate {
    let d = Scheme::REPEATED;
    let prediction = a.predict.unwrap_or(d.prediction);
    // Only an interface model can be found wrong.
    let repeat = if prediction == Prediction::InterfaceModel { d.repeat } else { 0 };
    let scheme = Scheme {
        prediction,
        order: a.schedule.unwrap_or(d.order),
        delivery: a.force.unwrap_or(d.delivery),
        look_ahead: a.lookahead,
        place: a.place.unwrap_or(d.place),
        repeat: a.repeat.unwrap_or(repeat),
    };
    let mut run = Multirate::new(plant, scheme, a.step.unwrap_or(STEP_S));
    run.stop_s = a.stop.unwrap_or(run.stop_s);
    run
}

/// Calls `run` with the source of units that is asked for.
fn with_units<T>(
    a: &MultirateArguments,
    run: impl FnOnce(models::Factory<'_>) -> Result<T, RunError>,
) -> Result<T, Failure> {
    let isolation = slaves::isolation(&a.slaves)?;
    let isolated = |model: &str, name: &str| match &isolation {
        Some(isolation) => factory::isolated(isolation, model, name),
        None => factory::fmu(model, name),
    };
    let units: models::Factory<'_> = match a.units {
        Units::Fmu => &isolated,
        Units::Native => &models::native,
    };
    run(units).map_err(Failure::run)
}

/// Runs natively or through the FMUs, without rows and checkpoints.
fn simulate(scenario: &Multirate, a: &MultirateArguments, limits: Limits) -> Result<Outcome, Failure> {
    with_units(a, |units| run(scenario, units, limits))
}

fn one(plant: Plant, a: &MultirateArguments) -> Result<(), Failure> {
    // The run.
    let scenario = scenario(plant, a);
    can_run(&scenario)?;
    let outcome = stepped::run(&scenario, a)?;
    // Macro steps have one length, so that a run may end before the time it was asked for.
    if outcome.ended_by.is_none() && scenario.stop_s - outcome.end_s > 1e-6 * scenario.step_s {
        let (end_s, stop_s, step_s) = (shown::time(outcome.end_s), scenario.stop_s, scenario.step_s);
        eprintln!("warning: {stop_s} s is not a whole number of macro steps of {step_s} s; the run ends at {end_s} s");
    }
    // The reference: always for the actuator, which cannot be judged without; for the crane, where it is asked for.
    let reference = if a.reference || plant == Plant::Actuator {
        Some(stepped::reference(&Multirate { stop_s: scenario.stop_s, ..scenario.reference() }, a)?)
    } else {
        None
    };
    // How far off it is, whether it is stable, and all of that as one object.
    let verdict = reference.as_ref().map(|reference| errors(&outcome, reference, plant.rows()));
    let stable = judge(&outcome, verdict.as_ref(), plant.is_crane()) && outcome.verdict.grade < Grade::Growing;
    let summary = Summary::new(&scenario, &outcome, verdict.as_ref(), stable)?;
    if a.json {
        print::line(summary.json()?)?;
    } else {
        print::line(table(&scenario, &outcome, verdict.as_ref(), stable))?;
    }
    // Files, the animation of the crane among them.
    if let Some(folder) = &a.out {
        write_text(&folder.join("result.json"), &summary.json()?)?;
        write_system(&folder.join("scenario.toml"), &settings(&scenario)?, scenario.scenario())?;
        write_page(folder, &scenario, &outcome)?;
        charts::interface(&[(&scenario, &outcome)], reference.as_ref()).write(folder, "interface")?;
        crate::print::remark!("wrote trace, scenario, result and pictures to `{}`", folder.display());
    }
    // A run that ended early has written everything that it reached.
    if let Some(why) = &outcome.ended_by {
        let (end_s, stop_s) = (shown::time(outcome.end_s), scenario.stop_s);
        return Err(Failure::Run(format!(
            "ended early; the last values are those at t = {end_s} s of {stop_s} s: {why}"
        )));
    }
    met(&graded(&outcome, stable), Accepted::new(false, a.accept_growth))
}

/// The verdict on a run that is stable or not by its speeds, its energy and its reference.
fn graded(outcome: &Outcome, stable: bool) -> RunVerdict {
    let reason = "it is not stable, as the table says; choose a smaller macro step, the interface model, or `--repeat`";
    let unstable = RunVerdict::new(Grade::Growing, reason.to_owned(), Some(outcome.energy_mismatch_j));
    let own = outcome.verdict.clone();
    if stable { own } else { own.or(unstable) }
}

/// Refuses a step that does not fit.
fn can_run(scenario: &Multirate) -> Result<(), Failure> {
    if scenario.stop_s < scenario.step_s {
        let (stop, step) = (format!("--stop {}", scenario.stop_s), format!("--step {}", scenario.step_s));
        return Err(Failure::conflict(stop, step, "the run is shorter than one macro step"));
    }
    if scenario.stop_s / scenario.step_s > STEPS_MAX {
        let (found, longest) = (scenario.stop_s, STEPS_MAX * scenario.step_s);
        return Err(Failure::Usage(format!(
            "`--stop`: found {found:?} s, expected at most {longest:?} s, for at most {STEPS_MAX:e} macro steps"
        )));
    }
    check(scenario).map_err(|error| Failure::Usage(error.to_string()))
}

/// The settings of a run, every default filled in.
fn settings(scenario: &Multirate) -> Result<String, Failure> {
    Ok(toml::to_string(scenario)?)
}

/// `trace.csv` of a run that is over, and what [`write_page`] writes.
fn write_run(folder: &Path, scenario: &Multirate, outcome: &Outcome) -> Result<(), Failure> {
    let path = folder.join("trace.csv");
    write_trace(&path, &outcome.trace)?;
    write_page(folder, scenario, outcome)
}

/// For the crane, `crane.html`.
fn write_page(folder: &Path, scenario: &Multirate, outcome: &Outcome) -> Result<(), Failure> {
    if scenario.plant.is_crane() {
        let page = animation::page(scenario, outcome).map_err(Failure::run)?;
        write_text(&folder.join("crane.html"), &page)?;
    }
    Ok(())
}

/// Words for a user.
fn table(scenario: &Multirate, outcome: &Outcome, verdict: Option<&Verdict>, stable: bool) -> String {
    // Whether it is stable; errors, where there is a reference.
    let mut table = Table::new("quantity | > value");
    let list = |values: &[f64]| values.iter().map(|v| format!("{v:.3e}")).collect::<Vec<_>>().join("  ");
    table.row(["stable".to_owned(), if stable { "yes" } else { "no" }.to_owned()]);
    if let Some(v) = verdict {
        table.row(["rms error of the interface speed [m/s]".to_owned(), list(&v.rms_velocity)]);
        table.row(["rms error of the force [N]".to_owned(), list(&v.rms_force)]);
    }
    // Energy of the coupling and of the units, then what else tells a good run from a bad one.
    let e = &outcome.energy;
    table
        .row(["largest interface speed [m/s]".to_owned(), print::number(outcome.speed_max_ms, 4)])
        .row(["energy mismatch of the coupling [J]".to_owned(), print::number(outcome.energy_mismatch_j, 3)])
        .row(["work of the cylinders [J]".to_owned(), print::number(e.interface_work_j, 1)])
        .row(["work of motors and brakes [J]".to_owned(), print::number(e.motor_work_j, 1)])
        .row(["work of contacts, friction, stops [J]".to_owned(), print::number(e.constraint_work_j, 1)])
        .row(["change of the mechanical energy [J]".to_owned(), print::number(e.kinetic_j + e.potential_j, 1)])
        .row(["missing in the balance [J]".to_owned(), print::number(e.missing_j, 1)])
        .row(["largest joint violation [m]".to_owned(), format!("{:.2e}", outcome.violation_max_m)])
        .row(["real-time factor".to_owned(), format!("{:.1}", outcome.real_time_factor)]);
    // The crane has a log that it lifts.
    if let Some(height) = outcome.trace.column("log_height").and_then(|c| c.last().copied()) {
        let when = outcome
            .ended_by
            .as_ref()
            .map_or("at the end".to_owned(), |_| format!("at t = {} s", shown::time(outcome.end_s)));
        table.row([format!("height of the log {when} [m]"), print::number(height, 4)]);
    }
    // When and why it ended early, where it did.
    let ended = outcome.ended_by.as_ref();
    let ended = ended
        .map(|e| format!("\nended early at t = {} s of {} s: {e}", shown::time(outcome.end_s), scenario.stop_s))
        .unwrap_or_default();
    // The scheme with its steps as a heading.
    let micro = 1e3 * scenario.micro_s;
    format!(
        "{}, H = {} ms, hydraulics {micro} ms, {} s\n\n{}{ended}\nunits: {}",
        scenario.scheme,
        1e3 * scenario.step_s,
        scenario.stop_s,
        table.terminal(),
        outcome.units
    )
}

/// Name of a manoeuvre in file names and tables.
fn manoeuvre_name(manoeuvre: Manoeuvre) -> String {
    crate::terms::typed(manoeuvre)
}
