//! `macrostep run`: a scenario from start to end.

use std::path::Path;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use macrostep_master::record::{Column, Trace};
use macrostep_master::report::Table;
use macrostep_master::report::table::Align;
use macrostep_master::{RunError, Simulation, Statistics};
use macrostep_system::Scenario;
use serde::Serialize;

use super::arguments::RunArguments;
use super::{Opened, pictures, start};
use crate::failure::Failure;
use crate::print;

/// A run that has ended, well or not.
pub struct Ended {
    pub trace: Trace,
    pub statistics: Statistics,
    pub do_steps: Vec<u64>,
    pub kinds: Vec<&'static str>,
    pub warnings: Vec<String>,
    /// Time spent in windows and recording.
    pub wall: Duration,
    /// What ended it early.
    pub failure: Option<RunError>,
}

/// Runs a scenario as the options say.
///
/// # Errors
/// [`Failure`] where it cannot start, fails on the way (what was recorded is written all the same), or files cannot be
/// written.
pub fn run(arguments: &RunArguments) -> Result<(), Failure> {
    let opened = Opened::new(&arguments.system)?;
    let assembly = opened.assemble()?;
    let scenario = assembly.effective.clone();
    let failed = |e: RunError| Failure::Run(e.to_string());
    let mut simulation = start(assembly).map_err(failed)?;
    for warning in simulation.warnings() {
        eprintln!("warning: {warning}");
    }
    let ended = to_the_end(&mut simulation, &scenario).map_err(failed)?;
    let result = Summary::new(&scenario, &ended);
    if let Some(folder) = &arguments.out {
        write(folder, &scenario, &ended, &result)?;
        if !arguments.no_pictures {
            pictures::write(folder, &scenario, &ended.trace)?;
        }
    }
    if let Some(failure) = ended.failure {
        return Err(Failure::Run(failure.to_string()));
    }
    if arguments.json { print::line(json(&result)?) } else { print::line(table(&scenario, &ended)) }
}

/// Steps and records to the scenario's stop, or to where it fails.
///
/// # Errors
/// Where the span is no whole number of windows.
pub fn to_the_end(simulation: &mut Simulation, scenario: &Scenario) -> Result<Ended, RunError> {
    let span_s = scenario.experiment.stop_s.unwrap_or(0.0) - scenario.experiment.start_s;
    let windows = simulation.windows_in(span_s)?;
    let every = scenario.record.every.max(1);
    let columns = simulation.columns().iter().map(|c| Column::new(c.name.clone(), c.unit.clone()));
    let mut trace = Trace::new(columns.collect::<Vec<_>>());
    trace.reserve(usize::try_from(windows / every + 2).unwrap_or(0).min(10_000_000));
    let bar = ProgressBar::new(windows).with_style(
        ProgressStyle::with_template("{bar:30} {percent:>3} %  {eta} left")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    let began = Instant::now();
    let mut failure = simulation.observe(&mut trace).err();
    let mut n = 0;
    while n < windows && failure.is_none() {
        let some = (windows - n).min(1000);
        for _ in 0..some {
            n += 1;
            let step = simulation.step().map(|_| ());
            let recorded = match step {
                Ok(()) if n % every == 0 || n == windows => simulation.observe(&mut trace),
                other => other,
            };
            if let Err(e) = recorded {
                failure = Some(e);
                break;
            }
        }
        bar.inc(some);
    }
    let wall = began.elapsed();
    bar.finish_and_clear();
    if failure.is_none() {
        failure = simulation.terminate().err();
    }
    Ok(Ended {
        trace,
        statistics: simulation.statistics(),
        do_steps: simulation.do_steps(),
        kinds: simulation.kinds(),
        warnings: simulation.warnings().to_vec(),
        wall,
        failure,
    })
}

/// What `--json` prints and `result.json` holds.
#[derive(Debug, Serialize)]
pub struct Summary<'a> {
    scenario: &'a str,
    start_s: f64,
    end_s: f64,
    step_s: f64,
    rows: usize,
    schedule: &'static str,
    predict: String,
    correct: &'static str,
    sampling: &'static str,
    units: Vec<UnitResult<'a>>,
    r#final: serde_json::Map<String, serde_json::Value>,
    windows: u64,
    window_runs: u64,
    unconverged_windows: u64,
    wall_s: f64,
    warnings: &'a [String],
    error: Option<String>,
}

#[derive(Debug, Serialize)]
struct UnitResult<'a> {
    name: &'a str,
    fmu: String,
    kind: &'a str,
    do_steps: u64,
}

impl<'a> Summary<'a> {
    fn new(s: &'a Scenario, ended: &'a Ended) -> Self {
        let last = ended.trace.rows().next_back();
        let finals = ended.trace.columns().iter().skip(1).zip(last.iter().flat_map(|row| &row[1..]));
        let units = s.units.iter().zip(&ended.kinds).zip(&ended.do_steps);
        Summary {
            scenario: &s.name,
            start_s: s.experiment.start_s,
            end_s: last.map_or(f64::NAN, |row| row[0]),
            step_s: s.experiment.step_s.unwrap_or(f64::NAN),
            rows: ended.trace.len(),
            schedule: s.coupling.schedule.word(),
            predict: s.coupling.predict.to_string(),
            correct: s.coupling.correct.word(),
            sampling: s.coupling.sampling.word(),
            units: units
                .map(|((u, kind), do_steps)| UnitResult {
                    name: &u.name,
                    fmu: u.source.to_string(),
                    kind,
                    do_steps: *do_steps,
                })
                .collect(),
            r#final: finals.map(|(c, v)| (c.name.clone(), serde_json::json!(v))).collect(),
            windows: ended.statistics.windows,
            window_runs: ended.statistics.runs,
            unconverged_windows: ended.statistics.unconverged,
            wall_s: ended.wall.as_secs_f64(),
            warnings: &ended.warnings,
            error: ended.failure.as_ref().map(ToString::to_string),
        }
    }
}

fn json(result: &Summary<'_>) -> Result<String, Failure> {
    serde_json::to_string_pretty(result).map_err(|e| Failure::Format { what: "the result", reason: e.to_string() })
}

fn write(folder: &Path, scenario: &Scenario, ended: &Ended, result: &Summary<'_>) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(Failure::file(folder))?;
    let path = folder.join("trace.csv");
    let file = std::fs::File::create(&path).map_err(Failure::file(&path))?;
    ended.trace.write(std::io::BufWriter::new(file))?;
    for (name, text) in
        [("scenario.toml", macrostep_system::toml::write(&scenario.anywhere())), ("result.json", json(result)? + "\n")]
    {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(Failure::file(&path))?;
    }
    Ok(())
}

/// Head line and values at the end.
fn table(s: &Scenario, ended: &Ended) -> String {
    let c = &s.coupling;
    let last = ended.trace.rows().next_back().unwrap_or(&[]);
    let end_s = last.first().copied().unwrap_or(f64::NAN);
    let mut table =
        Table::new([("variable", Align::Left), (&format!("at t = {end_s} s"), Align::Right), ("unit", Align::Left)]);
    for (column, value) in ended.trace.columns().iter().zip(last).skip(1) {
        table.row([column.name.clone(), format!("{value:.9e}"), column.unit.clone()]);
    }
    let steps: Vec<String> = s.units.iter().zip(&ended.do_steps).map(|(u, n)| format!("{} {n}", u.name)).collect();
    format!(
        "{} · {} · {} · {} · {} · H = {} s\n\n{}\n\n{} rows, {} windows in {:.3} s; steps: {}",
        s.name,
        c.schedule,
        c.predict,
        c.correct,
        c.sampling,
        s.experiment.step_s.unwrap_or(f64::NAN),
        table.terminal(),
        ended.trace.len(),
        ended.statistics.windows,
        ended.wall.as_secs_f64(),
        steps.join(", ")
    )
}
