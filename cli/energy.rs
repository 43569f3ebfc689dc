//! `macrostep energy`: energy errors of a coupling for both cases of the benchmark, without and with energy correction.

use std::path::Path;

use macrostep_analysis::pair::Outcome;
use macrostep_plot::table::{Table, short};
use macrostep_plot::{Axis, Chart, Figure, Series};
use rayon::prelude::*;
use serde::Serialize;

use crate::arguments::EnergyArguments;
use crate::failure::Failure;
use crate::files::write_text;
use crate::options::{OscillatorOptions, STEPS_MAX};
use crate::pictures::{column, running_maximum};
use crate::progress::progress_bar;
use crate::terms::{Case, Coupling, Energy, Predict, typed};
use crate::{print, simulate, survey};

/// Macro step and end of the runs of the benchmark \[s\], where nothing else is typed.
const STEP_S: f64 = 1e-3;
const STOP_S: f64 = 100.0;

/// One run.
struct Entry {
    options: OscillatorOptions,
    outcome: Outcome,
}

/// One run in `--json`.
#[derive(Debug, Serialize)]
struct Line<'a> {
    case: Case,
    coupling: Coupling,
    predict: Predict,
    energy: Energy,
    step_s: f64,
    stop_s: f64,
    max_relative_drift: f64,
    max_relative_position: f64,
    residual_energy_j: f64,
    drift_ratio: f64,
    do_steps: [u64; 2],
    units: &'a str,
}

/// Runs, prints the table or JSON, and with `--out` writes table and picture.
///
/// # Errors
/// [`Failure`] of the first run that failed, or of a file.
pub fn run(arguments: &EnergyArguments) -> Result<(), Failure> {
    // A scenario of one's own is another command by the same name.
    if arguments.system.file.is_some() {
        return crate::laboratory::energy::run(arguments);
    }
    // A run of too many macro steps would not end.
    let (step_s, stop_s) = (arguments.step.unwrap_or(STEP_S), arguments.stop.unwrap_or(STOP_S));
    let (steps, longest) = (stop_s / step_s, STEPS_MAX * step_s);
    if steps > STEPS_MAX {
        return Err(Failure::Usage(format!(
            "`--stop`: found {stop_s:?} s, expected at most {longest:?} s, for at most {STEPS_MAX:e} macro steps",
        )));
    }
    // FMUs stay unpacked while runs come and go.
    let _open = macrostep::factory::open_all().map_err(Failure::run)?;
    let all = scenarios(arguments.coupling, [step_s, stop_s])?;
    // Runs side by side, each case with each predictor and correction.
    let bar = progress_bar(all.len() as u64, "runs");
    let entries = all
        .into_par_iter()
        .map(|options| {
            let outcome = simulate::run(&options)?;
            bar.inc(1);
            Ok(Entry { options, outcome })
        })
        .collect::<Result<Vec<Entry>, Failure>>()?;
    bar.finish_and_clear();

    // What is printed.
    let table = table(&entries);
    if arguments.json {
        let text = serde_json::to_string(&lines(&entries))?;
        print::line(text)?;
    } else {
        print::line(table.terminal())?;
    }
    // What is written.
    if let Some(folder) = &arguments.out {
        write(folder, &entries, &table)?;
    }
    Ok(())
}

/// Both cases × hold and linear × watched, NEPCE, leak.
fn scenarios(coupling: Coupling, [step_s, stop_s]: [f64; 2]) -> Result<Vec<OscillatorOptions>, Failure> {
    let mut all = Vec::new();
    for common in [survey::common(Case::One)?, survey::common(Case::Two)?] {
        for degree in [0, 1] {
            for energy in [Energy::Monitor, Energy::Nepce, Energy::Leak] {
                all.push(OscillatorOptions {
                    coupling,
                    predict: Predict::classical(degree),
                    energy,
                    step_s,
                    macro_s: [step_s; 2],
                    micro_s: [step_s; 2],
                    stop_s,
                    record_every: ((stop_s / step_s / 2000.0) as u64).max(1),
                    ..common.clone()
                });
            }
        }
    }
    Ok(all)
}

/// Drift of the run that is watched only, over that of this one.
fn ratio(entries: &[Entry], entry: &Entry) -> f64 {
    let watched = |e: &&Entry| {
        let same = e.options.case == entry.options.case && e.options.predict == entry.options.predict;
        same && e.options.energy == Energy::Monitor
    };
    entries.iter().find(watched).map_or(f64::NAN, |e| e.outcome.drift / entry.outcome.drift)
}

fn residual_j(outcome: &Outcome) -> f64 {
    outcome.accounts.iter().map(|a| a.residual_energy_j).sum()
}

fn lines(entries: &[Entry]) -> Vec<Line<'_>> {
    entries
        .iter()
        .map(|entry| Line {
            case: entry.options.case,
            coupling: entry.options.coupling,
            predict: entry.options.predict,
            energy: entry.options.energy,
            step_s: entry.options.step_s,
            stop_s: entry.options.stop_s,
            max_relative_drift: entry.outcome.drift,
            max_relative_position: entry.outcome.max_relative_position(),
            residual_energy_j: residual_j(&entry.outcome),
            drift_ratio: ratio(entries, entry),
            do_steps: entry.outcome.do_steps,
            units: &entry.outcome.units,
        })
        .collect()
}

fn table(entries: &[Entry]) -> Table {
    // A row for each run: its drift, and how many times smaller that is than without correction.
    let mut table = Table::new(
        "case | coupling | predictor | correction | > energy drift | > × smaller | > residual energy [J] | \
         > error",
    );
    // How it was run, how much energy drifts, and how far the positions are off.
    for entry in entries {
        let Entry { options, outcome } = entry;
        table.row([
            typed(options.case),
            format!("{} ({})", typed(options.coupling), options.coupling.letters()),
            options.predict.to_string(),
            typed(options.energy),
            short(outcome.drift),
            format!("{:.1}", ratio(entries, entry)),
            short(residual_j(outcome)),
            short(outcome.max_relative_position()),
        ]);
    }
    table
}

/// `energy.md` and the picture: largest energy error so far over time, a panel a case and predictor.
fn write(folder: &Path, entries: &[Entry], table: &Table) -> Result<(), Failure> {
    // The table as text.
    write_text(&folder.join("energy.md"), &table.markdown())?;
    // What all runs have in common is said once.
    let options = &entries[0].options;
    let subtitle = format!(
        "{} ({}) · Jacobi, explicit · H = {} s · exact subsystems",
        typed(options.coupling),
        options.coupling.letters(),
        options.step_s
    );
    // The figure, with two charts in a row.
    let mut figure = Figure::new("Largest energy error so far, relative to the energy at the start")
        .subtitle(&subtitle)
        .columns(2)
        .panel_size(560.0, 300.0);
    // A chart for each case and predictor, a curve in it for each correction.
    for group in entries.chunk_by(|a, b| a.options.case == b.options.case && a.options.predict == b.options.predict) {
        let title = format!("case {} · {}", typed(group[0].options.case), group[0].options.predict);
        let mut chart = Chart::new(&title, Axis::linear("time", "s"), Axis::log("|E − E exact| / E(0)", "1"));
        for (i, Entry { options, outcome }) in group.iter().enumerate() {
            // Relative to the energy at the start; the largest so far, as the error itself passes zero again and again.
            let (energy, exact) = (column(&outcome.trace, "energy"), column(&outcome.trace, "energy_exact"));
            let start = exact.first().copied().unwrap_or(1.0);
            let drift: Vec<f64> = energy.iter().zip(&exact).map(|(e, x)| (e - x).abs() / start).collect();
            let time = column(&outcome.trace, "time");
            chart = chart.with(Series::line(&typed(options.energy), time, running_maximum(&drift)).colour(i));
        }
        figure = figure.with(chart);
    }
    // Both formats of the picture.
    figure.write(folder, "energy")?;
    Ok(())
}
