//! `macrostep compare`: accuracy against work.

use macrostep_analysis::measure::{Reference, Work, run as run_scheme};
use macrostep_analysis::{Benchmark, Scheme, Setup};
use macrostep_plot::table::{Table, short};
use rayon::prelude::*;
use serde::Serialize;

use super::arguments::{CompareArguments, Ladder, factory};
use super::converge::against;
use super::json::{self, Parts};
use crate::Carried;
use crate::choices::Control;
use crate::failure::Failure;
use crate::files::write_text;
use crate::print;
use crate::progress::progress_bar;

/// Exponents of 2 of the usual macro step.
const STEPS: [f64; 6] = [3.0, 2.0, 1.0, 0.0, -1.0, -2.0];

/// A scheme with its runs, from the largest macro step to the smallest.
pub struct Entry {
    /// The scheme.
    pub scheme: Scheme,
    /// Its runs.
    pub runs: Vec<Work>,
}

/// One object of `--json`.
#[derive(Serialize)]
struct Answer<'a> {
    scheme: String,
    #[serde(flatten)]
    parts: Parts,
    scenario: &'a str,
    stop_s: f64,
    runs: Vec<Run<'a>>,
}

#[derive(Serialize)]
struct Run<'a> {
    step_s: f64,
    /// Of step control; `null` where all steps are H.
    control_tolerance: Option<f64>,
    /// Largest errors relative to the amplitudes; `null` where the run diverged.
    position: Option<f64>,
    velocity: Option<f64>,
    do_steps: u64,
    wall_s: f64,
    units: &'a str,
    unconverged_windows: u64,
    /// "done", "diverged", "unconverged macro steps: 3", "3 macro steps with too few nodes, …" or "failed: …".
    state: String,
}

/// Runs, prints, writes.
///
/// # Errors
/// [`Failure`] of the options, the runs or the files.
pub fn run(carried: &'static Carried, arguments: &CompareArguments) -> Result<(), Failure> {
    // The system, its schemes, and FMUs that stay unpacked.
    let mut subject = arguments.subject.open(carried, "case-1", arguments.stop)?;
    subject.writes(arguments.output.out.as_deref(), &["compare.json", "compare.md", "compare.csv"])?;
    let benchmark = subject.benchmark.as_ref();
    let card = benchmark.card();
    let schemes = arguments.schemes.schemes(benchmark)?;
    let stop_s = arguments.stop.unwrap_or(card.stop_s);
    let _open = (carried.open_all)().map_err(Failure::run)?;
    let entries = subject.install(|| entries(benchmark, &schemes, stop_s, (carried, arguments)))?;

    // What the errors are relative to.
    let line = format!(
        "system {} · T = {stop_s} s · largest errors relative to amplitudes{} · do_steps of all units",
        benchmark.name(),
        if benchmark.starts_anywhere() { String::new() } else { format!(", {}", against(benchmark, stop_s)?) }
    );
    // The answer, as an object or as a table.
    let answers = entries.iter().map(|entry| Answer {
        scheme: entry.scheme.to_string(),
        parts: Parts::new(&entry.scheme),
        scenario: benchmark.name(),
        stop_s,
        runs: entry.runs.iter().map(answer).collect(),
    });
    let text = json::text(&answers.collect::<Vec<_>>())?;
    if arguments.output.json {
        print::line(&text)?;
    } else {
        print::line(table(&entries).terminal())?;
        print::line(&line)?;
    }
    // Files, with pictures of accuracy over work.
    if let Some(folder) = &arguments.output.out {
        write_text(&folder.join("compare.json"), &text)?;
        write_text(&folder.join("compare.md"), &table(&entries).markdown())?;
        write_csv(&folder.join("compare.csv"), &entries)?;
        super::work::write(folder, &entries, &line)?;
        crate::print::remark!("wrote work and accuracy of {} schemes to `{}`", entries.len(), folder.display());
    }
    // Runs that fail are rows like others; the command fails at the end.
    let runs = || entries.iter().flat_map(|e| &e.runs);
    match runs().filter(|w| w.failed.is_some()).count() {
        0 => Ok(()),
        failed => Err(Failure::Run(format!("{failed} of {} runs failed; their rows say why", runs().count()))),
    }
}

/// Schemes with their runs: errors from all cores at once, times from one run after the other.
fn entries(
    scenario: &dyn Benchmark,
    schemes: &[Scheme],
    stop_s: f64,
    (carried, arguments): (&'static Carried, &CompareArguments),
) -> Result<Vec<Entry>, Failure> {
    // The steps of each scheme: as typed, or a ladder that begins higher where the predictor is of high order.
    let mut plans = Vec::new();
    for scheme in schemes {
        let usual_s = scheme.step_factor() * scenario.card().step_s;
        let longest_s = (0.5 * stop_s).min(scenario.step_max_s());
        let ladder = Ladder { option: "steps", typed: &arguments.steps, usual_s, longest_s, exponents: &STEPS };
        plans.push((*scheme, ladder.steps(scenario)?));
    }
    // One reference for each step, whichever schemes take it.
    let mut steps: Vec<f64> = plans.iter().flat_map(|(_, steps)| steps.iter().copied()).collect();
    steps.sort_by(f64::total_cmp);
    steps.dedup();
    let references = steps
        .par_iter()
        .map(|&h| Reference::new(scenario, h, stop_s).map(|r| (h, r)).map_err(Failure::run))
        .collect::<Result<Vec<_>, Failure>>()?;
    // A run for each scheme, step and tolerance of step control.
    let work: Vec<(usize, Scheme, f64)> = plans
        .iter()
        .enumerate()
        .flat_map(|(n, (scheme, steps))| runs(scheme, steps, &arguments.control_tolerance).map(move |(s, h)| (n, s, h)))
        .collect();
    let bar = progress_bar(work.len() as u64, "runs");
    // A run that fails is kept as one.
    let one = |(): &mut (), (_, scheme, step_s): &&(usize, Scheme, f64)| {
        let (_, reference) = references.iter().find(|r| r.0 == *step_s)?;
        let setup = Setup { start: arguments.start, ..Setup::new(scheme, *step_s, factory(carried, arguments.units)) };
        let work = run_scheme(scenario, &setup, reference);
        Some(work.unwrap_or_else(|e| Work::failed(scheme, *step_s, e.to_string())))
    };
    // Errors come from runs beside each other, and results in their order.
    let mut entries: Vec<Entry> = schemes.iter().map(|s| Entry { scheme: *s, runs: Vec::new() }).collect();
    let mut workers = vec![(); rayon::current_num_threads()];
    macrostep_sweep::each(&mut workers, work.iter(), one, |(n, ..), done| {
        entries[*n].runs.extend(done);
        bar.inc(1);
        true
    });
    // Times are those of one run after the other, the shortest of several: runs beside each other disturb them.
    for (n, scheme, step_s) in &work {
        let Some(reference) = references.iter().find(|r| r.0 == *step_s).map(|r| &r.1) else { continue };
        let place = entries[*n].runs.iter_mut().find(|w| {
            w.step_s == *step_s && w.control_tolerance.is_none_or(|tolerance| tolerance == scheme.control_tolerance)
        });
        let Some(place) = place.filter(|w| w.failed.is_none()) else { continue };
        place.wall_s = f64::INFINITY;
        for _ in 0..arguments.repeat {
            let setup =
                Setup { start: arguments.start, ..Setup::new(scheme, *step_s, factory(carried, arguments.units)) };
            place.wall_s = place.wall_s.min(run_scheme(scenario, &setup, reference).map_err(Failure::run)?.wall_s);
        }
    }
    bar.finish_and_clear();
    Ok(entries)
}

/// The runs of a scheme: a macro step each, or a tolerance each where steps are chosen.
fn runs<'a>(
    scheme: &'a Scheme,
    steps: &'a [f64],
    tolerances: &'a [f64],
) -> Box<dyn Iterator<Item = (Scheme, f64)> + 'a> {
    match (scheme.control, steps.first()) {
        (Control::Fixed, _) => Box::new(steps.iter().map(|&h| (*scheme, h))),
        (_, Some(&longest_s)) => {
            let with = move |&control_tolerance: &f64| (Scheme { control_tolerance, ..*scheme }, longest_s);
            Box::new(tolerances.iter().map(with))
        }
        (_, None) => Box::new(std::iter::empty()),
    }
}

fn answer(work: &Work) -> Run<'_> {
    let finite = |x: f64| x.is_finite().then_some(x);
    Run {
        step_s: work.step_s,
        control_tolerance: work.control_tolerance,
        position: finite(work.error.position),
        velocity: finite(work.error.velocity),
        do_steps: work.do_steps,
        wall_s: work.wall_s,
        units: &work.units,
        unconverged_windows: work.unconverged,
        state: work.state(),
    }
}

fn table(entries: &[Entry]) -> Table {
    // A row for each scheme and step, or tolerance where steps are chosen.
    let mut table =
        Table::new("scheme | > H [s] | > position error | > velocity error | > do_steps | > time [s] | state");
    for entry in entries {
        for work in &entry.runs {
            // A run that failed or diverged may have no error.
            let error = |e: f64| if e.is_finite() { short(e) } else { "–".to_owned() };
            table.row([
                entry.scheme.to_string(),
                work.control_tolerance.map_or(format!("{:.4e}", work.step_s), |tol| format!("tolerance {tol:e}")),
                error(work.error.position),
                error(work.error.velocity),
                work.do_steps.to_string(),
                format!("{:.4}", work.wall_s),
                work.state(),
            ]);
        }
    }
    table
}

fn write_csv(path: &std::path::Path, entries: &[Entry]) -> Result<(), Failure> {
    // The columns; numbers are written in full.
    let header = [
        "scheme",
        "step_s",
        "control_tolerance",
        "position_error",
        "velocity_error",
        "do_steps",
        "wall_s",
        "units",
        "state",
    ];
    // A row for each run, of all schemes.
    let rows = entries.iter().flat_map(|entry| {
        entry.runs.iter().map(|w| {
            let (scheme, h) = (entry.scheme.to_string(), w.step_s.to_string());
            let tolerance = w.control_tolerance.map_or(String::new(), |tolerance| tolerance.to_string());
            let errors = [w.error.position.to_string(), w.error.velocity.to_string()];
            [
                vec![scheme, h, tolerance],
                errors.to_vec(),
                vec![w.do_steps.to_string(), w.wall_s.to_string(), w.units.clone(), w.state()],
            ]
            .concat()
        })
    });
    json::csv(path, &header, rows)
}
