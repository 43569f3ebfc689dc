//! The main job: every coupling × schedule × predictor × corrector, both cases, beside the exact solution, and the oscillator
//! in one piece by the benchmark's own integrator.

use std::path::Path;

use macrostep::factory;
use macrostep_analysis::pair::{self, Bonds, Outcome, Pair};
use macrostep_analysis::scheme::Scheme;
use macrostep_answers::choices::{Case, Correct, Coupling, Integrator, Predict, Schedule, typed};
use macrostep_answers::failure::Failure;
use macrostep_answers::files::{write_text, write_trace};
use macrostep_answers::print;
use macrostep_answers::progress::progress_bar;
use macrostep_benchmarks::Oscillator;
use macrostep_plot::table::{Table, short};
use macrostep_system::toml;
use rayon::prelude::*;

use crate::oscillator::case_parameters;
use summary::Summary;

mod charts;
mod pictures;
mod summary;

/// Macro step and end of all runs \[s\]: H = 1 ms, 10 s, exact subsystems, so that what is seen is the coupling's error alone.
const TIMES_S: [f64; 2] = [1e-3, 10.0];

/// Every how many communication points a row is kept.
const EVERY: u64 = 10;

/// One run of the main job.
pub struct Entry {
    case: Case,
    scheme: Scheme,
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
    let all = runs();
    let bar = progress_bar(all.len() as u64, "runs");
    let entries = all
        .into_par_iter()
        .map(|(case, scheme)| {
            let [step_s, stop_s] = TIMES_S;
            let parameters = case_parameters(case);
            let pair = Pair {
                parameters,
                bonds: Bonds::Named,
                ..Pair::new(scheme.coupling, scheme.method(2), step_s, stop_s)
            };
            let outcome = pair::run(&pair, &factory::fmu, EVERY).map_err(Failure::run)?;
            let entry = Entry { case, scheme, outcome };
            entry.write(folder)?;
            bar.inc(1);
            Ok(entry)
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
    macrostep_answers::print::remark!(
        "wrote {} runs, two in one piece, the table and pictures to `{}`",
        entries.len(),
        folder.display()
    );
    Ok(())
}

/// All combinations, in the order of the table.
fn runs() -> Vec<(Case, Scheme)> {
    let mut all = Vec::new();
    for case in [Case::One, Case::Two] {
        for coupling in Coupling::ALL {
            for schedule in [Schedule::Jacobi, Schedule::GaussSeidel] {
                for degree in [0, 1, 2] {
                    for correct in [Correct::Explicit, Correct::Newton] {
                        let scheme = Scheme::new(coupling, schedule, Predict::classical(degree));
                        all.push((case, Scheme { correct, ..scheme }));
                    }
                }
            }
        }
    }
    all
}

/// The oscillator in one piece with the same step: its rows, and a row of the table.
fn in_one_piece(folder: &Path, case: Case, table: &mut Table) -> Result<(), Failure> {
    let [step_s, stop_s] = TIMES_S;
    let outcome = pair::in_one_piece(&case_parameters(case), (step_s, stop_s), EVERY).map_err(Failure::run)?;
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

impl Entry {
    /// What tells runs apart: cut, schedule, predictor, corrector.
    fn words(&self) -> [String; 4] {
        let Scheme { coupling, schedule, predict, correct, .. } = self.scheme;
        [typed(coupling), schedule.short().to_owned(), predict.to_string(), typed(correct)]
    }

    /// One line that tells runs apart, letters beside the name of the coupling.
    fn line(&self) -> String {
        let [coupling, schedule, predict, correct] = self.words();
        let (case, letters, step_s) = (typed(self.case), self.scheme.coupling.letters(), TIMES_S[0]);
        let integrator = typed(Integrator::Exact);
        format!(
            "case {case} · {coupling} ({letters}) · {schedule} · {predict} · {correct} · H = {step_s} s · integrator {integrator}"
        )
    }

    /// Rows, and the scenario that `macrostep run` runs.
    fn write(&self, folder: &Path) -> Result<(), Failure> {
        let folder = folder.join("runs");
        std::fs::create_dir_all(&folder).map_err(Failure::file(&folder))?;
        let name = format!("case{}_{}", typed(self.case), self.words().join("_"));
        write_trace(&folder.join(format!("{name}.csv")), &self.outcome.trace)?;
        let mut run = Oscillator::new(case_parameters(self.case), self.scheme.coupling, TIMES_S);
        (run.method.schedule, run.method.predict, run.method.correct, run.every) =
            (self.scheme.schedule, self.scheme.predict, self.scheme.correct, EVERY);
        write_text(&folder.join(format!("{name}.toml")), &toml::write(&run.scenario()))
    }
}

/// `summary.json`: an array of the numbers of all runs.
fn write_summary(folder: &Path, entries: &[Entry]) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(&entries.iter().map(Summary::new).collect::<Vec<_>>())?;
    write_text(&folder.join("summary.json"), &text)
}

fn table(entries: &[Entry]) -> Table {
    // A row for each run.
    let mut table = Table::new(
        "case | coupling | kinds | schedule | predictor | corrector | > error | > energy drift | \
         > do_steps | > time [s] | > growth [1/s]",
    );
    // The scheme, then what it gives and what it costs.
    for entry in entries {
        let (cut, outcome) = (entry.scheme.coupling, &entry.outcome);
        let [coupling, schedule, predict, correct] = entry.words();
        table.row([
            typed(entry.case),
            format!("{coupling} {}", cut.words()),
            cut.letters().to_owned(),
            schedule,
            predict,
            correct,
            short(outcome.max_relative_position()),
            short(outcome.drift),
            format!("{} + {}", outcome.do_steps[0], outcome.do_steps[1]),
            format!("{:.3}", outcome.wall_s),
            growth(outcome),
        ]);
    }
    table
}
