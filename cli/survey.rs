//! The main job: every coupling × schedule × predictor × corrector, both cases, beside the exact solution, and the oscillator
//! in one piece by the benchmark's own integrator.

use std::path::Path;

use macrostep_analysis::pair::{self, Outcome};
use macrostep_plot::table::{Table, short};
use rayon::prelude::*;

use crate::failure::Failure;
use crate::files::{write_text, write_trace};
use crate::options::OscillatorOptions;
use crate::progress::progress_bar;
use crate::summary::Summary;
use crate::terms::{Case, Correct, Coupling, Integrator, Predict, Schedule, typed};
use crate::{print, simulate};

mod charts;

/// One run of the main job.
pub struct Entry {
    options: OscillatorOptions,
    outcome: Outcome,
}

/// Runs all of them, prints the table, writes results and pictures.
///
/// # Errors
/// [`Failure`] of the first run that failed, or of a file.
pub fn run(folder: &Path) -> Result<(), Failure> {
    // A folder that cannot be made is known before the first run; FMUs stay unpacked between runs.
    let _open = macrostep::factory::open_all().map_err(Failure::run)?;
    // Runs beside each other; each writes its files when it is done.
    let all = scenarios()?;
    let bar = progress_bar(all.len() as u64, "runs");
    let entries = all
        .into_par_iter()
        .map(|options| {
            let outcome = simulate::run(&options)?;
            write_run(folder, &options, &outcome)?;
            bar.inc(1);
            Ok(Entry { options, outcome })
        })
        .collect::<Result<Vec<Entry>, Failure>>()?;
    bar.finish_and_clear();

    // Below the coupled runs, those in one piece.
    let mut table = table(&entries);
    for case in [Case::One, Case::Two] {
        in_one_piece(folder, case, &mut table)?;
    }
    print::line(table.terminal())?;
    // Table, summary and pictures.
    write_text(&folder.join("table.md"), &table.markdown())?;
    write_summary(folder, &entries)?;
    for case in [Case::One, Case::Two] {
        charts::write(folder, case, &entries)?;
    }
    crate::print::remark!(
        "wrote {} runs, two in one piece, the table and pictures to `{}`",
        entries.len(),
        folder.display()
    );
    Ok(())
}

/// All combinations, in the order of the table.
fn scenarios() -> Result<Vec<OscillatorOptions>, Failure> {
    let couplings = [
        Coupling::ForceDisplacement,
        Coupling::DisplacementForce,
        Coupling::DisplacementDisplacement,
        Coupling::ForceForce,
    ];
    let mut all = Vec::new();
    for common in [common(Case::One)?, common(Case::Two)?] {
        for coupling in couplings {
            for schedule in [Schedule::Jacobi, Schedule::GaussSeidel] {
                for degree in [0, 1, 2] {
                    for correct in [Correct::Explicit, Correct::Newton] {
                        let predict = Predict::classical(degree);
                        all.push(OscillatorOptions { coupling, schedule, predict, correct, ..common.clone() });
                    }
                }
            }
        }
    }
    Ok(all)
}

/// What all runs share: H = 1 ms, 10 s, exact subsystems, so that what is seen is the coupling's error alone.
pub fn common(case: Case) -> Result<OscillatorOptions, Failure> {
    OscillatorOptions::typed(&format!("--case {} --predict hold --record-every 10", typed(case)))
}

/// The oscillator in one piece with the same step: its rows, and a row of the table.
fn in_one_piece(folder: &Path, case: Case, table: &mut Table) -> Result<(), Failure> {
    let OscillatorOptions { parameters, step_s, stop_s, record_every, .. } = common(case)?;
    let outcome = pair::in_one_piece(&parameters, (step_s, stop_s), record_every);
    let outcome = outcome.map_err(Failure::run)?;
    let path = folder.join("runs").join(format!("case{}_one_piece.csv", typed(case)));
    write_trace(&path, &outcome.trace)?;
    let words = [
        typed(case),
        "in one piece".into(),
        String::new(),
        String::new(),
        String::new(),
        typed(Integrator::SemiImplicitEuler),
    ];
    let numbers =
        [short(outcome.max_relative_position()), short(outcome.drift), format!("{}", (stop_s / step_s).round())];
    let (time, growth) = (format!("{:.3}", outcome.wall_s), growth(&outcome));
    table.row(words.into_iter().chain(numbers).chain([time, growth]).collect::<Vec<_>>());
    Ok(())
}

/// Growth of the amplitudes, where there is any.
fn growth(outcome: &Outcome) -> String {
    outcome.growth_rate.map_or_else(String::new, |rate| format!("{rate:.3}"))
}

/// Name of the files of one run.
fn name(options: &OscillatorOptions) -> String {
    format!(
        "case{}_{}_{}_{}_{}",
        typed(options.case),
        typed(options.coupling),
        options.schedule.short(),
        options.predict,
        typed(options.correct)
    )
}

fn write_run(folder: &Path, options: &OscillatorOptions, outcome: &Outcome) -> Result<(), Failure> {
    let folder = folder.join("runs");
    std::fs::create_dir_all(&folder).map_err(Failure::file(&folder))?;
    let path = folder.join(format!("{}.csv", name(options)));
    write_trace(&path, &outcome.trace)?;
    write_text(&folder.join(format!("{}.toml", name(options))), &options.settings()?)
}

/// `summary.json`: an array of what `macrostep oscillator --json` prints.
fn write_summary(folder: &Path, entries: &[Entry]) -> Result<(), Failure> {
    let summaries: Vec<_> = entries.iter().map(|entry| Summary::new(&entry.options, &entry.outcome)).collect();
    let text = serde_json::to_string_pretty(&summaries)?;
    write_text(&folder.join("summary.json"), &text)
}

fn table(entries: &[Entry]) -> Table {
    // A row for each run.
    let mut table = Table::new(
        "case | coupling | kinds | schedule | predictor | corrector | > error | > energy drift | \
         > do_steps | > time [s] | > growth [1/s]",
    );
    // The scheme, then what it gives and what it costs.
    for Entry { options, outcome } in entries {
        table.row([
            typed(options.case),
            format!("{} {}", typed(options.coupling), options.coupling.words()),
            options.coupling.letters().to_owned(),
            options.schedule.short().to_owned(),
            options.predict.to_string(),
            typed(options.correct),
            short(outcome.max_relative_position()),
            short(outcome.drift),
            format!("{} + {}", outcome.do_steps[0], outcome.do_steps[1]),
            format!("{:.3}", outcome.wall_s),
            growth(outcome),
        ]);
    }
    table
}
