//! A description of a run: `macrostep explain`.

use std::collections::HashMap;

use macrostep_description::shown;
use macrostep_import::fmu::Face;
use macrostep_master::Op;
use macrostep_plot::Table;
use macrostep_plot::table::short;
use macrostep_system::assemble::{try_forks, try_inputs};
use macrostep_system::explain::{
    Allowed, Candidate, Far, Loop, Order, Residuals, Sampled, choices, corrections, delays, methods, order, residuals,
    steps,
};
use macrostep_system::scenario::Scenario;
use macrostep_system::{Catalogue, toml};

use super::{Opened, findings_failure, method_line, title};
use crate::failure::Failure;

/// Takes a text.
type Say<'a> = &'a mut dyn FnMut(std::fmt::Arguments<'_>) -> Result<(), Failure>;

/// Says it piece by piece, each as soon as it is known; `system` is what it is called in a command, and only where `runs`
/// is the system run for its residual energies.
///
/// # Errors
/// [`Failure`] where the scenario cannot run, and those of `say`.
pub fn explain(opened: &Opened, system: &str, runs: bool, say: Say<'_>) -> Result<(), Failure> {
    // The system and its order of execution, without a run.
    let mut assembly = opened.assemble()?;
    // What other methods would find, too.
    try_inputs(&mut assembly, opened);
    try_forks(&mut assembly, opened);
    let order = order(&assembly).map_err(Failure::run)?;
    let s = &assembly.effective;
    let (h, stop) = (s.experiment.step_s.unwrap_or(f64::NAN), s.experiment.stop_s.unwrap_or(f64::NAN));
    // What it is, and what a window does.
    say(format_args!("{}: {} units, {} · H = {h} s to t = {stop} s", title(s), s.units.len(), method_line(s)))?;
    say(format_args!("\nOrder of execution in a window of {} s", shown::time(order.window_s)))?;
    for (n, step) in steps(&assembly, &order).iter().enumerate() {
        say(format_args!("{:>4}  {step}", n + 1))?;
    }
    // Delays, a row for each input that another unit or a file drives.
    let mut table = Table::new("input | from | over the receiver's step | error | sampling");
    for d in delays(&assembly, &order) {
        let from: Vec<String> = d.from.iter().map(ToString::to_string).collect();
        let from = if from.is_empty() { vec!["a file".to_owned()] } else { from };
        let from = if d.through_law { format!("law of {}", from.join(", ")) } else { from.join(", ") };
        let error = if d.error_order == 0 { "tolerance".to_owned() } else { format!("O(H^{})", d.error_order) };
        table.row([d.to.to_string(), from, d.way, error, d.sampling.to_owned()]);
    }
    say(format_args!("\nDelays\n{}", table.terminal()))?;
    // Loops, with what is done about them.
    let name = |u: &usize| format!("`{}`", s.units[*u].name);
    let names = |l: &Loop| l.units.iter().map(name).collect::<Vec<_>>().join(" – ");
    let loops: Vec<String> = order.loops.iter().map(|l| format!("{} ({})", names(l), l.treatment())).collect();
    let loops = if loops.is_empty() { "none".to_owned() } else { format!("through {}", loops.join("; ")) };
    say(format_args!("\nAlgebraic loops: {loops}"))?;
    // Corrections, and start values that choose how an FMU works.
    let [energy_is, steps_are] = corrections(&assembly);
    say(format_args!("\nEnergy: {energy_is}\nSteps: {steps_are}"))?;
    // Interpreters that the scenario names.
    for unit in &s.units {
        if let Some(python) = unit.source.python() {
            say(format_args!(
                "Python: `{}` runs in the Python of `{}`, if it is written in it",
                unit.name,
                python.display()
            ))?;
        }
    }
    faces(s, opened, say)?;
    let choices = choices(&assembly);
    if !choices.is_empty() {
        say(format_args!("\nChoices of the FMUs"))?;
    }
    for (choice, is_set) in &choices {
        let whose = if *is_set { "" } else { ", the FMU's start" };
        say(format_args!("      {choice}{whose}"))?;
    }
    // Other methods; the units of the assembly go before the run makes its own.
    let allowed = methods(&assembly);
    let lines = macrostep_system::explain::which(&assembly, &order.loops, system);
    let steps: Vec<u64> = (0..s.units.len()).map(|unit| asked(&order, unit)).collect();
    let steps: HashMap<String, u64> = s.units.iter().map(|unit| unit.name.clone()).zip(steps).collect();
    drop(assembly);
    // Energy, only after a run.
    if runs {
        let run = residuals(&opened.document.scenario, opened).map_err(|f| findings_failure(&f))?;
        let run = run.map_err(Failure::run)?;
        energy(&run, say)?;
        far(&run.far, &steps, say)?;
    }
    which((&allowed, &lines), system, say)
}

/// How FMUs are driven whose equations this program can integrate.
fn faces(s: &Scenario, opened: &Opened, say: Say<'_>) -> Result<(), Failure> {
    for unit in &s.units {
        let Some(face) = unit.source.face() else { continue };
        let has_both = opened.faces(&unit.source).len() > 1;
        let other = match (face, has_both) {
            (_, false) => "its only face",
            (Face::CoSimulation, true) => "`face = \"model-exchange\"` integrates its equations here",
            (Face::ModelExchange, true) => "`face = \"co-simulation\"` takes its own solver",
        };
        let how = match (face, unit.solver_tolerance) {
            (Face::ModelExchange, Some(tolerance)) => {
                format!("integrated here by DOP853, or Radau IIA where it is stiff, relative tolerance {tolerance:e}")
            }
            _ => "by its own solver".to_owned(),
        };
        say(format_args!("Face: `{}` by {face}, {how}; {other}", unit.name))?;
    }
    Ok(())
}

/// Which method for this system: what its FMUs allow, what that comes to, and the next command.
fn which((allowed, lines): (&[Allowed], &[String]), system: &str, say: Say<'_>) -> Result<(), Failure> {
    say(format_args!("\nWhat its FMUs allow"))?;
    for group in allowed {
        let answer = match (&group.lacks, &group.how) {
            (Some(lacks), _) => format!("no: {lacks}"),
            (None, Some(how)) => format!("yes; {how}"),
            (None, None) => "yes".to_owned(),
        };
        say(format_args!("      {}: {answer}", group.methods))?;
    }
    say(format_args!("\nWhich method for this system"))?;
    for line in lines {
        say(format_args!("      {line}"))?;
    }
    say(format_args!(
        "\nNext: `macrostep verify {system} --tolerance 1e-2` says whether the step is small enough, `macrostep advise {system} \
         --tolerance 1e-3 --apply` finds the cheapest method and step"
    ))
}

/// How often a unit is asked in a window that is run once: for each step, and each time that its outputs are evaluated anew.
fn asked(order: &Order, unit: usize) -> u64 {
    let is_anew = matches!(order.refresh[unit], Sampled::Anew(_));
    let asks = order.plan.ops.iter().filter(|op| match op {
        Op::Advance { unit: u, .. } => *u == unit,
        Op::RefreshUnit { unit: u, .. } => is_anew && *u == unit,
        Op::Refresh { group, .. } => is_anew && order.groups[*group].contains(&unit),
        Op::Begin { .. } | Op::Publish { .. } => false,
    });
    asks.count() as u64
}

/// Round trips to units that are far away, and what another method would save; `steps`: how often an explicit method asks each of them.
fn far(units: &[Far], steps: &HashMap<String, u64>, say: Say<'_>) -> Result<(), Failure> {
    if !units.is_empty() {
        say(format_args!("\nDistance"))?;
    }
    for Far { unit, round_trips, windows, shortest_s } in units {
        let least = steps.get(unit).copied().unwrap_or(1) * windows;
        let each = |trips: u64| format!("{:.1}", trips as f64 / (*windows).max(1) as f64);
        let seconds = |trips: u64| format!("{:.2}", trips as f64 * shortest_s);
        say(format_args!(
            "      `{unit}`: {round_trips} round trips, {} a macro step, of {} ms at least: {} s",
            each(*round_trips),
            format_args!("{:.2}", 1e3 * shortest_s),
            seconds(*round_trips)
        ))?;
        // Nothing takes less than one for each step of the unit.
        match round_trips.checked_sub(least).filter(|more| *more > windows / 10) {
            Some(more) => say(format_args!(
                "      an explicit method takes {} a macro step, and would save {} s with this one",
                each(least),
                seconds(more)
            ))?,
            None => say(format_args!(
                "      an implicit method takes about twice as many a macro step, and saves where it allows steps more than twice as long: `--method waveform:12`"
            ))?,
        }
    }
    Ok(())
}

fn energy(residuals: &Residuals, say: Say<'_>) -> Result<(), Failure> {
    // Powers that units of measurement do not settle, and systems without any.
    let found = residuals.candidates.as_ref();
    for effort in found.iter().flat_map(|c| &c.ambiguous) {
        crate::print::remark!(
            "note: `{effort}` could make a power with more than one flow; name the power bond in [[bonds]]"
        );
    }
    if residuals.bonds.is_empty() {
        return say(format_args!(
            "\nResidual energies: the scenario has no power bond, and none was found by units of measurement; name them in [[bonds]]"
        ));
    }
    // A row for each power bond, with what is known of it.
    let mut table = Table::new(
        "power bond | > residual at the end [J] | > largest [J] | > residual power at most [W] | \
         > power at most [W] | is",
    );
    for (i, account) in residuals.accounts.iter().enumerate() {
        // Where bonds are named, none were looked for.
        let is = match found.and_then(|c| c.bonds.get(i)) {
            None => "named".to_owned(),
            Some(Candidate { displacement: None, .. }) => "found by its units".to_owned(),
            Some(Candidate { displacement: Some(input), .. }) => {
                format!("an indicator: `{input}` moves the same point")
            }
        };
        table.row([
            account.name.clone(),
            short(account.residual_energy_j),
            short(account.residual_energy_max_j),
            short(account.residual_power_max_w),
            short(account.power_max_w),
            is,
        ]);
    }
    // Bonds that were found are also shown as text for the scenario.
    say(format_args!("\nEnergy the coupling has added in the run\n{}", table.terminal()))?;
    if found.is_none() {
        return Ok(());
    }
    let named = toml::bonds(&residuals.bonds);
    say(format_args!("\nTo report them with `run`, correct the gains if needed and write\n{named}"))
}
