//! The main job: every coupling × schedule × predictor × corrector, both cases, each a scenario beside its exact solution, and the
//! oscillator in one piece by the benchmark's own integrator.

use std::path::Path;
use std::time::Instant;

use macrostep_analysis::scheme::Scheme;
use macrostep_analysis::solution_of;
use macrostep_answers::api::{Asked, Asker, Collected, Fault};
use macrostep_answers::choices::{Case, Correct, Coupling, Integrator, Predict, Schedule, typed};
use macrostep_answers::failure::Failure;
use macrostep_answers::files::{write_text, write_trace};
use macrostep_answers::print;
use macrostep_answers::progress::progress_bar;
use macrostep_answers::system::solution;
use macrostep_benchmarks::Oscillator;
use macrostep_import::isolation::Cut;
use macrostep_master::record::{Column, Observer, Trace};
use macrostep_oscillator::Monolithic;
use macrostep_plot::table::{Table, short};
use macrostep_run::{Comparison, OutputError, Rows};
use macrostep_system::scenario::{Place, Solution, SolutionOf};
use macrostep_system::verify::slope;
use macrostep_system::{Document, Scenario};
use rayon::prelude::*;
use serde_json::Value;

use crate::factory::{CARRIED, open_all};
use crate::oscillator::case_parameters;

mod charts;
mod pictures;

/// Macro step and end of all runs \[s\]: H = 1 ms, 10 s, exact subsystems, so that what is seen is the coupling's error alone.
const TIMES_S: [f64; 2] = [1e-3, 10.0];

/// Every how many communication points a row is written. Errors are those of all points.
const EVERY: usize = 10;

/// A run whose energy grows by less than this factor, in logarithms, does not grow.
const GROWTH_MIN: f64 = 0.01;

/// One run of the main job.
pub struct Entry {
    case: Case,
    scheme: Scheme,
    found: Found,
    /// What `macrostep run --json` prints of it.
    result: Value,
}

/// What a run gave.
pub struct Found {
    /// Rows, every [`EVERY`]-th.
    rows: Trace,
    /// The larger error of both positions, relative to their amplitudes; NaN where a position was.
    error: f64,
    /// Largest energy error, relative to the energy at the start.
    drift: f64,
    /// Growth rate of the amplitudes \[1/s\], where they grow.
    growth: Option<f64>,
}

/// Runs all of them, prints the table, writes results and pictures.
///
/// # Errors
/// [`Failure`] of the first run that failed, or of a file.
pub fn run(folder: &Path) -> Result<(), Failure> {
    // A folder that cannot be made is known before the first run; FMUs stay unpacked between runs.
    let runs = folder.join("runs");
    std::fs::create_dir_all(&runs).map_err(Failure::file(&runs))?;
    let _open = open_all().map_err(Failure::run)?;
    // Runs beside each other; each writes its files when it is done.
    let all = schemes();
    let bar = progress_bar(all.len() as u64, "runs");
    let entries = all
        .into_par_iter()
        .map(|(case, scheme)| {
            let entry = Entry::run(case, scheme, &runs)?;
            bar.inc(1);
            Ok(entry)
        })
        .collect::<Result<Vec<Entry>, Failure>>()?;
    bar.finish_and_clear();

    // Below the coupled runs, those in one piece.
    let mut table = table(&entries);
    for case in [Case::One, Case::Two] {
        in_one_piece(&runs, case, &mut table)?;
    }
    print::line(table.terminal())?;
    // Table, results and pictures.
    write_text(&folder.join("table.md"), &table.markdown())?;
    let results: Vec<&Value> = entries.iter().map(|entry| &entry.result).collect();
    write_text(&folder.join("summary.json"), &serde_json::to_string_pretty(&results)?)?;
    for case in [Case::One, Case::Two] {
        charts::write(folder, case, &entries)?;
    }
    let (count, folder) = (entries.len(), folder.display());
    print::remark!("wrote {count} runs, two in one piece, the table and pictures to `{folder}`");
    Ok(())
}

/// All combinations, in the order of the table.
fn schemes() -> Vec<(Case, Scheme)> {
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

impl Entry {
    /// Runs the scenario, as `macrostep run` does it; writes it and its rows.
    fn run(case: Case, scheme: Scheme, folder: &Path) -> Result<Entry, Failure> {
        let scenario = scenario(case, &scheme);
        let name = folder.join(&scenario.name);
        let document = Document { scenario, findings: Vec::new(), unpacked: Vec::new() };
        let failed = |fault: Fault| Failure::Run(fault.sentence);
        let ran = Asked::new(&CARRIED, document, &[], Asker::default()).and_then(|asked| asked.run(None));
        let ran = ran.map_err(failed)?;
        // A run that grows beyond all bounds has the rows until then, and a verdict.
        let result: Value = serde_json::from_str(&ran.summary)?;
        let has_failed = !result["error"].is_null() && result["diverged_at_s"].is_null();
        if let Some(fault) = ran.fault.filter(|_| has_failed) {
            return Err(failed(fault));
        }
        let found = Found::of(&ran.columns, &ran.rows, &ran.errors);
        write_text(&name.with_extension("toml"), &ran.scenario)?;
        write_trace(&name.with_extension("csv"), &found.rows)?;
        Ok(Entry { case, scheme, found, result })
    }

    /// One line that tells runs apart, letters beside the name of the coupling.
    fn line(&self) -> String {
        let [coupling, schedule, predict, correct] = words(&self.scheme);
        let (case, letters, step_s) = (typed(self.case), self.scheme.coupling.letters(), TIMES_S[0]);
        let integrator = typed(Integrator::Exact);
        format!(
            "case {case} · {coupling} ({letters}) · {schedule} · {predict} · {correct} · H = {step_s} s · integrator {integrator}"
        )
    }
}

/// What tells runs apart: cut, schedule, predictor, corrector.
fn words(scheme: &Scheme) -> [String; 4] {
    let Scheme { coupling, schedule, predict, correct, .. } = scheme;
    [typed(*coupling), schedule.short().to_owned(), predict.to_string(), typed(*correct)]
}

/// The scenario of a run, whose name is that of its files.
fn scenario(case: Case, scheme: &Scheme) -> Scenario {
    let mut run = Oscillator::new(case_parameters(case), scheme.coupling, TIMES_S);
    (run.method.schedule, run.method.predict, run.method.correct) = (scheme.schedule, scheme.predict, scheme.correct);
    let name = format!("case{}_{}", typed(case), words(scheme).join("_"));
    let of = SolutionOf::Named(solution::PAIR.to_owned());
    let solution = Solution { of, columns: Vec::new(), tolerance: None, place: Place::default() };
    Scenario { name, solution: Some(solution), ..run.scenario() }
}

impl Found {
    /// Of all rows of a run.
    fn of(columns: &[Column], all: &Collected, errors: &[OutputError]) -> Found {
        let mut rows = Trace::new(columns.iter().cloned());
        let last = all.time_s.len().saturating_sub(1);
        for (n, (t_s, row)) in all.time_s.iter().zip(all.values.chunks(columns.len().max(1))).enumerate() {
            if n.is_multiple_of(EVERY) || n == last {
                rows.push(*t_s, row);
            }
        }
        let error = |name: &str| errors.iter().find(|e| e.name == name).map_or(f64::NAN, |e| e.relative);
        // NaN is larger than any.
        let [x1, x2] = ["mass1.x", "mass2.x"].map(error);
        let error_of_both = if x1.is_nan() || x2.is_nan() { f64::NAN } else { x1.max(x2) };
        Found { growth: growth(&rows), rows, error: error_of_both, drift: error("energy") }
    }

    /// Cells of the table: errors, what the run says of itself, steps and time.
    fn cells(&self, verdict: &str, steps: String, wall_s: f64) -> [String; 6] {
        let growth = self.growth.map_or_else(String::new, |rate| format!("{rate:.3}"));
        [short(self.error), short(self.drift), growth, verdict.to_owned(), steps, format!("{wall_s:.3}")]
    }
}

/// Growth rate of the amplitudes \[1/s\], ½ d(ln E)/dt by least squares, where they grow.
fn growth(rows: &Trace) -> Option<f64> {
    let (times_s, energies) = (pictures::column(rows, "time"), pictures::column(rows, "energy"));
    let points = times_s.into_iter().zip(energies).map(|(t_s, energy)| (t_s, 0.5 * energy.ln()));
    let (times_s, logarithms): (Vec<f64>, Vec<f64>) = points.filter(|(_, y)| y.is_finite()).unzip();
    slope(&times_s, &logarithms).filter(|rate| rate * TIMES_S[1] > GROWTH_MIN)
}

/// The oscillator in one piece with the same step: its rows, and a row of the table.
fn in_one_piece(folder: &Path, case: Case, table: &mut Table) -> Result<(), Failure> {
    // The solution of any cut is that of the whole, and so are the columns.
    let [step_s, stop_s] = TIMES_S;
    let parameters = case_parameters(case);
    let scenario = Oscillator::new(parameters, Coupling::ForceForce, TIMES_S).scenario();
    let known = solution::beside(solution_of(&scenario, Some(step_s)).map_err(Failure::Run)?, 0.0);
    let columns = [("mass1.x", "m"), ("mass1.v", "m/s"), ("mass2.x", "m"), ("mass2.v", "m/s")];
    let comparison = Comparison::new(known, &columns.map(|(name, unit)| Column::new(name, unit)), str::to_owned);
    let mut rows = Rows { comparison: Some(comparison), ..Rows::collected(Cut::default()) };
    let steps = (stop_s / step_s).round();
    let began = Instant::now();
    let states = Monolithic::new(&parameters, step_s).map_err(Failure::run)?;
    for (n, z) in states.take(steps as usize + 1).enumerate() {
        rows.row(n as f64 * step_s, &[z[0], z[2], z[1], z[3]]);
    }
    let wall_s = began.elapsed().as_secs_f64();
    let (Some(comparison), Some(all)) = (rows.comparison, rows.collected) else { return Ok(()) };
    let found = Found::of(comparison.columns(), &all, &comparison.errors());
    write_trace(&folder.join(format!("case{}_one_piece.csv", typed(case))), &found.rows)?;
    let integrator = typed(Integrator::SemiImplicitEuler);
    let words = [typed(case), "in one piece".into(), String::new(), String::new(), String::new(), integrator];
    table.row(words.into_iter().chain(found.cells("", format!("{steps}"), wall_s)));
    Ok(())
}

fn table(entries: &[Entry]) -> Table {
    // A row for each run.
    let mut table = Table::new(
        "case | coupling | kinds | schedule | predictor | corrector | > error | > energy drift | > growth [1/s] | \
         verdict | > do_steps | > time [s]",
    );
    // The scheme, then what it gives and what it costs.
    for entry in entries {
        let cut = entry.scheme.coupling;
        let [coupling, schedule, predict, correct] = words(&entry.scheme);
        let coupling = format!("{coupling} {}", cut.words());
        let scheme = [typed(entry.case), coupling, cut.letters().to_owned(), schedule, predict, correct];
        let steps = |i: usize| &entry.result["units"][i]["do_steps"];
        let (steps, wall_s) = (format!("{} + {}", steps(0), steps(1)), entry.result["wall_s"].as_f64());
        let verdict = entry.result["verdict"]["grade"].as_str().unwrap_or_default();
        table.row(scheme.into_iter().chain(entry.found.cells(verdict, steps, wall_s.unwrap_or(f64::NAN))));
    }
    table
}
