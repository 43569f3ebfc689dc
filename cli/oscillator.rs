//! `macrostep oscillator`: one run, compared with the exact solution.

use std::collections::HashSet;
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use macrostep_analysis::pair::{Compared, Comparison, Outcome, Recorder};
use macrostep_description::shown;
use macrostep_import::isolation::interrupt;
use macrostep_master::record::Observer;
use macrostep_master::{Account, Course, Grade, RunError, SavedState, Simulation, Verdict};
use macrostep_plot::Table;
use macrostep_system::Scenario;

use crate::arguments::OscillatorArguments;
use crate::checkpoint::{Checkpoint, CheckpointWriter};
use crate::claim::folder_at;
use crate::distinct::Files;
use crate::failure::Failure;
use crate::forces::Forces;
use crate::options::OscillatorOptions;
use crate::pictures::Curves;
use crate::single::kept;
use crate::slaves::SlaveArguments;
use crate::stream::Stream;
use crate::summary::Summary;
use crate::system::steps::{Rows, Sink, Steps};
use crate::terms::Control;
use crate::thinned::Thinned;
use crate::{pictures, print, simulate};

/// Runs, prints, writes, and compares with the tolerance asked for.
///
/// # Errors
/// [`Failure`] of the options, the run or the files; [`Failure::OutOfTolerance`] after everything is written.
pub fn run(arguments: &OscillatorArguments) -> Result<(), Failure> {
    let options = OscillatorOptions::new(arguments)?;
    // Where the slaves run makes no difference to a run.
    let anywhere = OscillatorOptions { slaves: SlaveArguments::default(), ..options.clone() };
    let run = format!("oscillator\n{}", scenario(&anywhere)?);
    let before = kept_run(arguments, &options, &run)?;
    let mut rows = begun(arguments, before.as_ref())?;
    let mut writer = CheckpointWriter::new(&arguments.checkpoints, &run)?;
    // The run.
    interrupt::note();
    let compared = simulate::compared(&options).map_err(|failure| kept_rows(failure, &rows))?;
    let (outcome, ended) = watched(compared, &options, (&mut rows, writer.as_mut()), before)
        .map_err(|failure| kept_rows(failure, &rows))?;
    // What ended it early, but for signals that have grown beyond all bounds: these are a result.
    if let Some(failure) = ended.err().filter(|_| outcome.diverged.is_none()) {
        return Err(kept_rows(failure, &rows));
    }
    if let Some(stream) = &mut rows.stream {
        stream.close()?;
    }

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
    if let Some(at) = kept {
        compared.resume(at.saved)?;
        steps.go_on_after(at.steps);
    }
    let Compared { coupled, comparison } = &mut compared;
    let ended = steps.run(&mut coupled.simulation, &mut ComparedRows { comparison, rows }, writer);
    Ok((compared.finish(steps.wall.as_secs_f64()), ended))
}

/// Rows of a new file, or of the one of the run that is continued.
fn begun(arguments: &OscillatorArguments, kept: Option<&Checkpoint>) -> Result<Rows, Failure> {
    let Some(folder) = &arguments.out else { return Ok(Rows::default()) };
    let path = folder.join("trace.csv");
    let columns = Recorder::columns();
    let names = columns.iter().map(|column| column.name.as_str());
    let mut curves = Thinned::new(&columns, &HashSet::new());
    let mut stream = Stream::open(&path, names, kept)?;
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

/// A bar on standard error that is seen on a terminal only.
pub fn progress_bar(length: u64, unit: &str) -> ProgressBar {
    let bar = if crate::print::is_quiet() { ProgressBar::hidden() } else { ProgressBar::new(length) };
    let template = format!("{{bar:40}} {{human_pos}}/{{human_len}} {unit}  {{elapsed}}");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style.progress_chars("━╸─"));
    }
    bar
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
    write_system(&folder.join("scenario.toml"), &scenario(options)?, options.system())?;
    if let Some(forces) = &options.force {
        std::fs::copy(&forces.file, folder.join(Forces::BESIDE)).map_err(Failure::file(&forces.file))?;
    }
    write_text(&folder.join("result.json"), &json(options, outcome)?)?;
    pictures::write(folder, options, curves)?;
    Ok(())
}

/// Writes a scenario that `macrostep run` runs again to the same numbers, below the settings it was made of. Where no key says
/// what was run, there is no file, and standard error says why.
pub fn write_system(path: &Path, settings: &str, system: Result<Scenario, String>) -> Result<(), Failure> {
    match system {
        Ok(system) => {
            let settings: String =
                settings.trim_end().lines().map(|line| format!("{}\n", format!("# {line}").trim_end())).collect();
            write_text(path, &format!("{settings}\n{}", macrostep_system::toml::write(&system)))
        }
        Err(unsaid) => {
            crate::print::remark!("note: no `{}`: a scenario has no key for {unsaid}", path.display());
            // One of an earlier run would say something else.
            if path.exists() { std::fs::remove_file(path).map_err(Failure::file(path)) } else { Ok(()) }
        }
    }
}

/// The settings of a run, every default filled in.
pub fn scenario(options: &OscillatorOptions) -> Result<String, Failure> {
    Ok(toml::to_string(options)?)
}

/// Writes a text that ends in a line end.
pub fn write_text(path: &Path, text: &str) -> Result<(), Failure> {
    path.parent().map_or(Ok(()), folder_at)?;
    std::fs::write(path, format!("{}\n", text.trim_end())).map_err(Failure::file(path))
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

/// A line about a power bond, on a line of its own.
pub fn bond_line(account: &Account) -> String {
    format!(
        "\npower bond `{}`: residual energy {:.3e} J, at most {:.3e} J, of {:.3e} J that went through · residual power at most {:.3e} W of {:.3e} W",
        account.name,
        account.residual_energy_j,
        account.residual_energy_max_j,
        account.passed_j,
        account.residual_power_max_w,
        account.power_max_w
    )
}

/// The steps of step control, as a line that follows another.
pub fn course_line(course: &Course, windows: u64) -> String {
    let Course { rejected, window_s: [shortest, longest], degree: [lowest, highest] } = course;
    let degrees = if *highest > 0 { format!(" · degree {lowest} to {highest}") } else { String::new() };
    format!("\n{windows} steps of {shortest:.3e} to {longest:.3e} s, {rejected} rejected{degrees}")
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

/// Which verdicts are no failure.
#[derive(Debug, Clone, Copy, Default)]
pub struct Accepted {
    /// Macro steps that did not converge, and joints that are torn.
    pub unconverged: bool,
    /// Runs that grow.
    pub growth: bool,
}

impl Accepted {
    /// As the options say.
    pub fn new(unconverged: bool, growth: bool) -> Self {
        Accepted { unconverged, growth }
    }

    /// Or as the scenario says.
    #[must_use]
    pub fn of(self, scenario: &Scenario) -> Self {
        Accepted { growth: self.growth || scenario.experiment.expect_growth, ..self }
    }
}

/// Whether the result is one to rely on, or that is asked for; if not, why. What is doubtful is a warning.
///
/// # Errors
/// [`Failure::Run`] with the reason, after everything is printed and written.
pub fn met(verdict: &Verdict, accepted: Accepted) -> Result<(), Failure> {
    match refused(verdict, accepted) {
        Some(failure) => return Err(failure),
        None if verdict.grade > Grade::Ok => eprintln!("warning: {verdict}"),
        None => {}
    }
    Ok(())
}

/// The failure that a verdict is, where it is not accepted.
pub fn refused(verdict: &Verdict, accepted: Accepted) -> Option<Failure> {
    let option = match verdict.grade {
        Grade::Failed if !accepted.unconverged => "`--accept-unconverged`",
        Grade::Growing if !accepted.growth => "`--accept-growth`, or `expect_growth = true` in `[experiment]`,",
        Grade::Ok | Grade::Doubtful | Grade::Growing | Grade::Failed => return None,
    };
    // What did not converge says so itself.
    let said = if verdict.grade == Grade::Failed { verdict.reason.clone() } else { verdict.to_string() };
    Some(Failure::Run(format!("{said}; {option} accepts the result")))
}
