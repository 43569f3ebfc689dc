//! `macrostep oscillator`: one run, compared with the exact solution.

use std::collections::HashSet;
use std::path::Path;

use macrostep_analysis::pair::{Compared, Comparison, Outcome, Recorder};
use macrostep_description::shown;
use macrostep_import::isolation::interrupt;
use macrostep_master::record::Observer;
use macrostep_master::{RunError, SavedState, Second, Simulation};
use macrostep_plot::Table;
use macrostep_run::{Checkpoint, CheckpointWriter, Rows, Sink, Steps, Stream, Thinned};

use crate::accounts::{bond_line, course_line};
use crate::arguments::OscillatorArguments;
use crate::distinct::Files;
use crate::failure::{Failure, kept};
use crate::files::{rows_at, write_system, write_text};
use crate::forces::Forces;
use crate::options::OscillatorOptions;
use crate::pictures::Curves;
use crate::slaves::SlaveArguments;
use crate::summary::Summary;
use crate::terms::Control;
use crate::verdict::{Accepted, met};
use crate::{pictures, print, progress, simulate};

/// Runs, prints, writes, and compares with the tolerance asked for.
///
/// # Errors
/// [`Failure`] of the options, the run or the files; [`Failure::OutOfTolerance`] after everything is written.
pub fn run(arguments: &OscillatorArguments) -> Result<(), Failure> {
    let options = OscillatorOptions::new(arguments)?;
    // Where the slaves run makes no difference to a run.
    let anywhere = OscillatorOptions { slaves: SlaveArguments::default(), ..options.clone() };
    let run = format!("oscillator\n{}", anywhere.settings()?);
    let before = kept_run(arguments, &options, &run)?;
    let mut rows = begun(arguments, before.as_ref())?;
    let mut writer = arguments.checkpoints.writer(&run)?;
    // The run.
    interrupt::note();
    let compared = simulate::compared(&options).map_err(|failure| kept_rows(failure, &rows))?;
    let (mut outcome, ended) = watched(compared, &options, (&mut rows, writer.as_mut()), before)
        .map_err(|failure| kept_rows(failure, &rows))?;
    // What ended it early, but for signals that have grown beyond all bounds: these are a result.
    if let Some(failure) = ended.err().filter(|_| outcome.diverged.is_none()) {
        return Err(kept_rows(failure, &rows));
    }
    if let Some(stream) = &mut rows.stream {
        stream.close()?;
    }
    look_again(&mut outcome, &options);

    if arguments.json {
        print::line(json(&options, &outcome)?)?;
    } else {
        print::prose(table(&options, &outcome))?;
    }
    if let (Some(folder), Some(curves)) = (&arguments.out, &rows.curves) {
        write(folder, &options, &outcome, curves)?;
        crate::print::remark!("wrote trace, scenario, result and pictures to `{}`", folder.display());
    }
    // What the verdict says is told with it.
    let others = outcome.warnings.iter().filter(|warning| **warning != outcome.verdict.reason);
    others.for_each(|warning| eprintln!("warning: {warning}"));
    judge(&outcome, arguments)
}

/// What ended a run, and where its rows are.
fn kept_rows(failure: Failure, rows: &Rows) -> Failure {
    kept(failure, rows.stream.as_ref())
}

/// The run that is continued, where there is one; no file is meant twice.
fn kept_run(
    arguments: &OscillatorArguments,
    options: &OscillatorOptions,
    run: &str,
) -> Result<Option<Checkpoint>, Failure> {
    // Steps that are chosen as the run goes on are as many as it takes.
    let steps_max = if options.control == Control::Fixed { options.steps() } else { u64::MAX };
    let resume = arguments.checkpoints.resume.as_deref();
    let kept = resume.map(|path| Checkpoint::read(path, run, steps_max, false)).transpose()?;
    let mut files = Files::default();
    files.reads_option("--force", arguments.force.as_deref());
    for name in ["trace.csv"].into_iter().chain(arguments.force.is_some().then_some(Forces::BESIDE)) {
        files.writes_option("--out", arguments.out.as_ref().map(|folder| folder.join(name)).as_deref());
    }
    files.checkpoints(&arguments.checkpoints);
    files.are_apart()?;
    Ok(kept)
}

/// Steps to the end, to an interrupt or to a failure; what was reached, and what ended it.
fn watched(
    mut compared: Compared,
    options: &OscillatorOptions,
    (rows, writer): (&mut Rows, Option<&mut CheckpointWriter>),
    kept: Option<Checkpoint>,
) -> Result<(Outcome, Result<(), Failure>), Failure> {
    let mut steps = Steps::new(&compared.coupled.simulation, (0.0, options.stop_s), 1)?;
    steps.progress = Some(progress::of_run());
    if let Some(at) = kept {
        compared.resume(at.saved)?;
        steps.go_on_after(at.steps);
    }
    let Compared { coupled, comparison } = &mut compared;
    let ended =
        steps.run(&mut coupled.simulation, &mut ComparedRows { comparison, rows }, writer).map_err(Failure::from);
    Ok((compared.finish(steps.wall.as_secs_f64()), ended))
}

/// After a second look, where one is to decide and its steps are not chosen as it goes on.
fn look_again(outcome: &mut Outcome, options: &OscillatorOptions) {
    if outcome.verdict.second == Second::Nothing || options.control != Control::Fixed {
        return;
    }
    let before = outcome.verdict.clone();
    print::remark!("note: {}", before.at_first_look());
    outcome.warnings.retain(|warning| *warning != before.reason);
    let looked = before.second_look(&mut |parts| simulate::divided(options, parts), outcome.statistics.windows);
    // Where a unit does not run so, the first look stands.
    if let Ok(verdict) = looked {
        outcome.verdict = verdict;
    }
}

/// Rows of a new file, or of the one of the run that is continued.
fn begun(arguments: &OscillatorArguments, kept: Option<&Checkpoint>) -> Result<Rows, Failure> {
    let Some(folder) = &arguments.out else { return Ok(Rows::default()) };
    let path = folder.join("trace.csv");
    let columns = Recorder::columns();
    let names = columns.iter().map(|column| column.name.as_str());
    let mut curves = Thinned::new(&columns, &HashSet::new());
    let mut stream = rows_at(&path, names, kept)?;
    stream.cut()?;
    if let Some(at) = kept {
        curves.read(&path, at.file.rows)?;
    }
    Ok(Rows { curves: Some(curves), ..Rows::new(Some(stream)) })
}

/// Rows that are compared with the exact solution before they go on.
struct ComparedRows<'a> {
    comparison: &'a mut Comparison,
    rows: &'a mut Rows,
}

impl Observer for ComparedRows<'_> {
    fn row(&mut self, t_s: f64, values: &[f64]) {
        // Without a file nobody looks at the rows that are made of them.
        let rows: &mut dyn Observer = if self.rows.stream.is_some() { &mut *self.rows } else { &mut () };
        self.comparison.take(t_s, values, rows);
    }

    #[inline]
    fn goes_on(&mut self) -> bool {
        self.rows.goes_on()
    }
}

impl Sink for ComparedRows<'_> {
    fn stream(&mut self) -> Option<&mut Stream> {
        self.rows.stream.as_mut()
    }

    fn end(&mut self, _: &mut Simulation) -> Result<(), RunError> {
        // The comparison has kept the last states.
        Ok(())
    }

    fn saved_state(&mut self, simulation: &mut Simulation) -> Result<SavedState, RunError> {
        let saved = simulation.saved_state()?;
        self.comparison.keep(simulation, saved)
    }
}

/// The JSON object, in full precision, on one line.
fn json(options: &OscillatorOptions, outcome: &Outcome) -> Result<String, Failure> {
    Ok(serde_json::to_string(&Summary::new(options, outcome))?)
}

/// Beside the rows that are there: `scenario.toml`, `result.json` and the pictures.
pub fn write(
    folder: &Path,
    options: &OscillatorOptions,
    outcome: &Outcome,
    curves: &dyn Curves,
) -> Result<(), Failure> {
    write_system(&folder.join("scenario.toml"), &options.settings()?, options.system())?;
    if let Some(forces) = &options.force {
        std::fs::copy(&forces.file, folder.join(Forces::BESIDE)).map_err(Failure::file(&forces.file))?;
    }
    write_text(&folder.join("result.json"), &json(options, outcome)?)?;
    pictures::write(folder, options, curves)?;
    Ok(())
}

fn table(options: &OscillatorOptions, outcome: &Outcome) -> String {
    // Both masses side by side; digits enough to compare runs by.
    let mut table = Table::new("quantity | > mass 1 | > mass 2");
    let full = |value: f64| format!("{value:.12e}");
    let short = |value: f64| format!("{value:.3e}");
    // A run that diverged has no values at its end.
    let when = if outcome.diverged.is_some() {
        format!("at t = {} s", shown::time(outcome.end_s))
    } else {
        "at the end".to_owned()
    };
    table
        .row([format!("position {when} [m]"), full(outcome.end[0]), full(outcome.end[1])])
        .row([format!("velocity {when} [m/s]"), full(outcome.end[2]), full(outcome.end[3])])
        .row(["largest error / amplitude".to_owned(), short(outcome.error[0]), short(outcome.error[1])])
        .row(["do_steps".to_owned(), outcome.do_steps[0].to_string(), outcome.do_steps[1].to_string()]);
    // What depends on the options: bonds and chosen steps.
    let bonds: String = outcome.accounts.iter().map(bond_line).collect();
    let course = outcome.course.map(|c| course_line(&c, outcome.statistics.windows)).unwrap_or_default();
    let growth = outcome.growth_rate.map(|rate| format!(" · amplitudes grow at {rate:.3} 1/s")).unwrap_or_default();
    // The run as a heading, energy and time below.
    format!(
        "{}\n\n{}\n{}\nenergy {} J {when} · largest drift {:.3e} of the start{growth}{bonds}{course}\n{:.3} s · units: {}\nverdict: {}",
        options.line(),
        table.terminal(),
        outcome.diverged.as_ref().map(|d| format!("\n{d}\n")).unwrap_or_default(),
        print::number(outcome.energy, 6),
        outcome.drift,
        outcome.wall_s,
        outcome.units,
        outcome.verdict.grade
    )
}

fn judge(outcome: &Outcome, arguments: &OscillatorArguments) -> Result<(), Failure> {
    let found = outcome.max_relative_position();
    if let Some(diverged) = &outcome.diverged {
        return Err(Failure::Run(diverged.to_string()));
    }
    match arguments.tolerance {
        // An error that is NaN is out of any tolerance.
        Some(allowed) if found.is_nan() || found > allowed => Err(Failure::OutOfTolerance { found, allowed }),
        _ => met(&outcome.verdict, Accepted::new(arguments.accept_unconverged, arguments.accept_growth)),
    }
}
