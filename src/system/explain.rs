//! `macrostep explain`: what a run does, in words.

use macrostep_master::report::Table;
use macrostep_master::report::table::{Align, short};
use macrostep_system::explain::{Residual, delays, order, residuals, steps};

use super::arguments::ExplainArguments;
use super::{Opened, findings_failure};
use crate::failure::Failure;
use crate::print;

/// Explains the scenario.
///
/// # Errors
/// [`Failure`] where the scenario cannot run.
pub fn run(arguments: &ExplainArguments) -> Result<(), Failure> {
    let opened = Opened::new(&arguments.system)?;
    let assembly = opened.assemble()?;
    let failed = |e: macrostep_master::RunError| Failure::Run(e.to_string());
    let order = order(&assembly).map_err(failed)?;
    let s = &assembly.effective;
    let c = &s.coupling;
    let (h, stop) = (s.experiment.step_s.unwrap_or(f64::NAN), s.experiment.stop_s.unwrap_or(f64::NAN));
    print::line(format_args!(
        "{}: {} units, {} · {} · {} · {} · H = {h} s to t = {stop} s",
        s.name,
        s.units.len(),
        c.schedule,
        c.predict,
        c.correct,
        c.sampling
    ))?;
    print::line(format_args!("\nOrder of execution in a window of {} s", order.window_s))?;
    for (n, step) in steps(&assembly, &order).iter().enumerate() {
        print::line(format_args!("{:>4}  {step}", n + 1))?;
    }
    let mut table = Table::new([
        ("input", Align::Left),
        ("from", Align::Left),
        ("over the receiver's step", Align::Left),
        ("error", Align::Left),
        ("sampling", Align::Left),
    ]);
    for d in delays(&assembly, &order) {
        let from: Vec<String> = d.from.iter().map(ToString::to_string).collect();
        let from = if d.through_law { format!("law of {}", from.join(", ")) } else { from.join(", ") };
        let error = if d.error_order == 0 { "tolerance".to_owned() } else { format!("O(H^{})", d.error_order) };
        table.row([d.to.to_string(), from, d.way, error, d.sampling.to_owned()]);
    }
    print::line(format_args!("\nDelays\n{}", table.terminal()))?;
    let loops: Vec<String> = order
        .loops
        .iter()
        .map(|l| l.iter().map(|&u| format!("`{}`", s.units[u].name)).collect::<Vec<_>>().join(" – "))
        .collect();
    let loops = if loops.is_empty() { "none".to_owned() } else { format!("through {}", loops.join("; ")) };
    print::line(format_args!("\nAlgebraic loops: {loops}"))?;
    drop(assembly);
    if arguments.no_run {
        return Ok(());
    }
    let run = residuals(&opened.document.scenario, &opened.fmus).map_err(|f| findings_failure(&f))?;
    energy(&run.map_err(failed)?)
}

fn energy(residuals: &[Residual]) -> Result<(), Failure> {
    if residuals.is_empty() {
        return print::line("\nEnergy residuals: no power bond (two signals in opposite directions whose product is in W)");
    }
    let mut table = Table::new([
        ("power bond", Align::Left),
        ("exchanged [J]", Align::Right),
        ("residual at the end [J]", Align::Right),
        ("largest [J]", Align::Right),
        ("largest/exchanged", Align::Right),
    ]);
    for r in residuals {
        let relative = if r.exchanged > 0.0 { Some(r.energy_max / r.exchanged) } else { None };
        table.row([r.bond.name.clone(), short(r.exchanged), short(r.energy), short(r.energy_max), short(relative)]);
    }
    print::line(format_args!("\nEnergy residuals of the run, received less given, as the signals of each bond say\n{}", table.terminal()))
}
