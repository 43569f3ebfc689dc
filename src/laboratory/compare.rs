//! `macrostep compare`: accuracy against work.

use macrostep::lab::measure::{Reference, Work, run as run_scheme};
use macrostep::lab::{Scheme, Setup};
use macrostep_master::report::table::{Align, Table, short};
use rayon::prelude::*;
use serde::Serialize;

use super::arguments::{CompareArguments, foundry, ladder, scenario};
use super::json::{self, Parts};
use crate::failure::Failure;
use crate::oscillator::{progress_bar, write_text};
use crate::print;
use crate::terms::Start;

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
    scenario: &'static str,
    stop_s: f64,
    runs: Vec<Run<'a>>,
}

#[derive(Serialize)]
struct Run<'a> {
    step_s: f64,
    /// Largest errors relative to the amplitudes; `null` where the run diverged.
    position: Option<f64>,
    velocity: Option<f64>,
    do_steps: u64,
    wall_s: f64,
    units: &'a str,
}

/// Runs, prints, writes.
///
/// # Errors
/// [`Failure`] of the options, the runs or the files.
pub fn run(arguments: &CompareArguments) -> Result<(), Failure> {
    let scenario = scenario(&arguments.scenario)?;
    let card = scenario.card();
    let schemes = arguments.schemes.schemes(card.couplings)?;
    let stop_s = arguments.stop.unwrap_or(card.stop_s);
    let steps = ladder("steps", &arguments.steps, card.step_s, &STEPS)?;
    let failed = |e: macrostep_master::RunError| Failure::Run(e.to_string());
    let _open = macrostep::foundry::open_all().map_err(failed)?;
    let bar = progress_bar((schemes.len() * steps.len()) as u64, "runs");
    let references = steps
        .par_iter()
        .map(|&h| Reference::new(scenario.as_ref(), h, stop_s).map(|r| (h, r)).map_err(failed))
        .collect::<Result<Vec<_>, Failure>>()?;
    let start = match arguments.start {
        Start::Ramp => macrostep::pair::Start::Ramp,
        Start::Exact => macrostep::pair::Start::Exact,
    };
    let entries = schemes
        .par_iter()
        .map(|scheme| {
            let one = |(step_s, reference): &(f64, Reference)| {
                let setup = Setup { scheme, step_s: *step_s, from_s: 0.0, start, foundry: foundry(arguments.units) };
                let one = || run_scheme(scenario.as_ref(), &setup, reference);
                let work = one().and_then(|mut work| {
                    // The shortest of several times is the one least disturbed.
                    for _ in 1..arguments.repeat {
                        work.wall_s = work.wall_s.min(one()?.wall_s);
                    }
                    Ok(work)
                });
                bar.inc(1);
                work.map_err(|e| Failure::Run(format!("{scheme}, H = {step_s} s: {e}")))
            };
            Ok(Entry { scheme: *scheme, runs: references.iter().map(one).collect::<Result<_, Failure>>()? })
        })
        .collect::<Result<Vec<Entry>, Failure>>()?;
    bar.finish_and_clear();

    let line = format!(
        "scenario {} · T = {stop_s} s · largest errors relative to amplitudes · do_steps of all units",
        card.name
    );
    let answers = entries.iter().map(|entry| Answer {
        scheme: entry.scheme.to_string(),
        parts: Parts::new(&entry.scheme),
        scenario: card.name,
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
    if let Some(folder) = &arguments.output.out {
        std::fs::create_dir_all(folder).map_err(Failure::file(folder))?;
        write_text(&folder.join("compare.json"), &text)?;
        write_text(&folder.join("compare.md"), &table(&entries).markdown())?;
        write_csv(&folder.join("compare.csv"), &entries)?;
        super::work::write(folder, &entries, &line)?;
        eprintln!("wrote work and accuracy of {} schemes to `{}`", entries.len(), folder.display());
    }
    Ok(())
}

fn answer(work: &Work) -> Run<'_> {
    let finite = |x: f64| x.is_finite().then_some(x);
    Run {
        step_s: work.step_s,
        position: finite(work.error.position),
        velocity: finite(work.error.velocity),
        do_steps: work.do_steps,
        wall_s: work.wall_s,
        units: &work.units,
    }
}

fn table(entries: &[Entry]) -> Table {
    let mut table = Table::new([
        ("scheme", Align::Left),
        ("H [s]", Align::Right),
        ("position error", Align::Right),
        ("velocity error", Align::Right),
        ("do_steps", Align::Right),
        ("time [s]", Align::Right),
    ]);
    for entry in entries {
        for work in &entry.runs {
            let error = |e: f64| if e.is_finite() { short(e) } else { "diverged".to_owned() };
            table.row([
                entry.scheme.to_string(),
                format!("{:.4e}", work.step_s),
                error(work.error.position),
                error(work.error.velocity),
                work.do_steps.to_string(),
                format!("{:.4}", work.wall_s),
            ]);
        }
    }
    table
}

fn write_csv(path: &std::path::Path, entries: &[Entry]) -> Result<(), Failure> {
    let header = ["scheme", "step_s", "position_error", "velocity_error", "do_steps", "wall_s", "units"];
    let rows = entries.iter().flat_map(|entry| {
        entry.runs.iter().map(|w| {
            let (scheme, h) = (entry.scheme.to_string(), w.step_s.to_string());
            let errors = [w.error.position.to_string(), w.error.velocity.to_string()];
            [vec![scheme, h], errors.to_vec(), vec![w.do_steps.to_string(), w.wall_s.to_string(), w.units.clone()]]
                .concat()
        })
    });
    json::csv(path, &header, rows)
}
