//! `macrostep run`: a scenario from start to end.
//!
//! Rows go to `trace.csv` as they are recorded, and the scenario is there before the first one: what was reached is on
//! disk after any failure, and after the program was killed.

use std::collections::HashSet;
use std::path::Path;

use macrostep_answers::checkpoint::CheckpointArguments;
use macrostep_answers::distinct::Files;
use macrostep_answers::failure::{Failure, kept};
use macrostep_answers::files::{rows_at, write_text};
use macrostep_answers::formats::units;
use macrostep_answers::system::outcome::Outcome;
use macrostep_answers::system::report::{Live, Shown};
use macrostep_answers::system::verify::failed;
use macrostep_answers::system::{Opened, convert, findings_failure, pictures, report, solution, start, tell};
use macrostep_answers::verdict::{Accepted, met};
use macrostep_answers::{print, progress};
use macrostep_import::address;
use macrostep_import::isolation::interrupt;
use macrostep_master::Simulation;
use macrostep_master::record::Column;
use macrostep_run::{Checkpoint, CheckpointWriter, Clock, Comparison, Rows, Steps, Thinned};
use macrostep_system::assemble::unmeasured;
use macrostep_system::check::contents;
use macrostep_system::scenario::Source;
use macrostep_system::verify::{Bound, bound};
use macrostep_system::words::Family;
use macrostep_system::{Assembly, Document, Scenario, toml};
use sha2::{Digest, Sha256};

use super::arguments::RunArguments;
use super::bundle;
use crate::factory::CARRIED;

/// Runs a scenario as the options say.
///
/// # Errors
/// [`Failure`] where it cannot start, fails on the way (what was recorded is on disk all the same), or files cannot be
/// written.
pub fn run(arguments: &RunArguments) -> Result<(), Failure> {
    has_folder(arguments)?;
    go(arguments, Opened::new(&CARRIED, &arguments.system)?)
}

/// Runs a scenario that is no file.
///
/// # Errors
/// As of [`run`].
pub fn of(arguments: &RunArguments, document: Document) -> Result<(), Failure> {
    has_folder(arguments)?;
    go(arguments, Opened::made(&CARRIED, document, &arguments.system)?)
}

fn go(arguments: &RunArguments, opened: Opened) -> Result<(), Failure> {
    // A slave may change the working folder; files are where the user has named them.
    let here = std::env::current_dir().map_err(Failure::file(Path::new(".")))?;
    let checkpoints = arguments.checkpoints.within(&here);
    // The scenario with its options; an error bound of its own makes runs that find the macro step.
    let (mut opened, bound) = asked(arguments, opened)?;
    let known = solution::known(&opened).map_err(|findings| findings_failure(&findings))?;
    if has_page(arguments) || arguments.real_time.is_some() {
        opened.time_units();
    }
    // With the clock there is no second look, without which bonds that nobody names may be wrong.
    opened.document.scenario.bonds_are_all |= arguments.real_time.is_some();
    // What the run is, and what stands against it, before anything is written.
    let assembly = opened.assemble()?;
    let scenario = assembly.effective.clone();
    tell_unmeasured(&assembly, bound.is_some());
    let identity = identity(&assembly, &scenario)?;
    can_serialize(arguments, &assembly)?;
    apart(arguments, &checkpoints, &opened, &here)?;
    // What files, pictures and pages need of the assembly, which the simulation takes over.
    let parameters = pictures::parameters(&assembly);
    let picture = has_page(arguments).then(|| report::picture(&assembly)).flatten();
    let job = Job { arguments, here: &here, scenario: &scenario, parameters, picture };
    let taken = assembly.taken.clone();
    // The simulation and its steps; a checkpoint is of this run or it is refused.
    let (mut simulation, mut steps) = begun(assembly, &checkpoints, &scenario)?;
    let said = simulation.warnings().len();
    let has_events = !scenario.state_events.is_empty();
    let read = |path| Checkpoint::read(path, &identity, steps.windows(), has_events);
    let resumed = checkpoints.resume.as_deref().map(read).transpose()?;
    let mut writer = checkpoints.writer(&identity)?;
    // What the run needs, as an archive that another machine can run.
    if let Some(target) = &arguments.bundle {
        bundle::put(&here.join(target), &located(&scenario, &here))?;
    }
    // Rows, and the files beside them.
    let recorded = simulation.columns();
    let comparison = solution::compared(&scenario, known, recorded).map_err(|finding| findings_failure(&[finding]))?;
    let mut rows = job.rows(&opened, (recorded, comparison), resumed.as_ref())?;
    // The page, and the pace of a clock.
    let live = arguments.watch.map(|port| Live::serve(port, (&scenario, job.picture.clone()))).transpose()?;
    if let (Some(factor), Some(times)) = (arguments.real_time, opened.times()) {
        steps.clock = Some(Clock::new(factor, times));
    }
    // A continued run begins where its checkpoint was written.
    if let Some(at) = resumed {
        simulation.resume(&rows.resume(at.saved)?)?;
        steps.go_on_after(at.steps);
        rows.count = at.file.rows;
    }
    // From here on an interrupt ends the run at a communication point.
    interrupt::note();
    let (ended, live) = stepped(&mut steps, &mut simulation, &mut rows, (writer.as_mut(), live));
    simulation.warnings()[said..].iter().for_each(|warning| eprintln!("warning: {warning}"));
    let seen = steps.clock.map(|clock| clock.seen);
    let closed = rows.stream.as_mut().map_or(Ok(()), |stream| Ok(stream.close()?));
    let ended = ended.and(closed);
    // What came of it, whether it failed or not; units are freed before files are converted.
    let outcome = Outcome::new(&mut simulation, &rows, steps.wall, ended.as_ref().err());
    let mut outcome = outcome.timed(opened.times(), seen).tried(taken).compared(&scenario, rows.comparison.as_ref());
    outcome.bound = bound;
    drop(simulation);
    // Not where somebody waits for the clock.
    if ended.is_ok() && arguments.real_time.is_none() {
        outcome.look_again(&scenario, &opened);
    }
    job.finished((&outcome, &rows), ended, live)
}

/// A run that is asked for: what its files are written from.
struct Job<'a> {
    arguments: &'a RunArguments,
    /// The working folder at the start.
    here: &'a Path,
    scenario: &'a Scenario,
    /// Columns that are parameters.
    parameters: HashSet<String>,
    /// The picture of the system, where there is a page for it.
    picture: Option<String>,
}

impl Job<'_> {
    /// Writes and prints what a run has come to.
    fn finished(
        &self,
        (outcome, rows): (&Outcome, &Rows),
        ended: Result<(), Failure>,
        live: Option<Live>,
    ) -> Result<(), Failure> {
        // Everything is written before a failure of the run is told.
        let (arguments, scenario) = (self.arguments, self.scenario);
        let written = self.write(outcome, rows);
        let watched = live.map_or(Ok(()), |live| live.end(outcome, rows));
        // The result as one object, also of a run that failed, or in words, and a failure for a verdict that is none to rely on.
        let object = || outcome.summary(scenario, rows).json().and_then(print::line);
        let printed = if arguments.json { object() } else { Ok(()) };
        ended.map_err(|failure| kept(failure, rows.stream.as_ref()))?;
        written.and(watched).and(printed)?;
        if !arguments.json {
            print::prose(outcome.table(scenario, rows))?;
        }
        let accepted = Accepted::new(arguments.accept_unconverged, arguments.accept_growth);
        met(&outcome.verdict, accepted.of(scenario))?;
        outcome.missed(scenario).map_or(Ok(()), Err)
    }

    /// Where rows go: into a file, beside it their units and the scenario with paths as seen from there; curves are thinned on the way.
    fn rows(
        &self,
        opened: &Opened,
        (recorded, comparison): (&[Column], Option<Comparison>),
        resumed: Option<&Checkpoint>,
    ) -> Result<Rows, Failure> {
        let Job { arguments, here, scenario, parameters, .. } = self;
        let mut rows = Rows { comparison, ..Rows::new(None) };
        let columns = rows.columns(recorded).to_vec();
        let Some(folder) = &arguments.out else {
            rows.curves = has_page(arguments).then(|| Thinned::new(&columns, parameters));
            return Ok(rows);
        };
        let path = here.join(folder).join("trace.csv");
        let stream = rows_at((&path, folder.join("trace.csv")), columns.iter().map(|c| c.name.as_str()), resumed)?;
        units::write(&path, columns.iter().map(|c| (c.name.as_str(), c.unit.as_str())))?;
        let placed = placed(opened, scenario, here, &here.join(folder))?;
        write_text(&path.with_file_name("scenario.toml"), &toml::write(&placed))?;
        let are_drawn = has_page(arguments) || !arguments.no_pictures;
        let curves = are_drawn.then(|| curves(&path, &columns, parameters, resumed));
        (rows.curves, rows.stream) = (curves.transpose()?, Some(stream));
        Ok(rows)
    }

    /// Result and pictures beside the rows.
    fn write(&self, outcome: &Outcome, rows: &Rows) -> Result<(), Failure> {
        let Job { arguments, here, scenario, parameters, picture } = self;
        let Some(stream) = &rows.stream else { return Ok(()) };
        write_text(&stream.path().with_file_name("result.json"), &outcome.summary(scenario, rows).json()?)?;
        let unit = |name: &str| Some(outcome.columns().iter().find(|c| c.name == name)?.unit.clone());
        arguments.formats.convert(stream.path(), here, &unit)?;
        let Some(curves) = &rows.curves else { return Ok(()) };
        let folder = stream.path().parent().unwrap_or(Path::new("."));
        if arguments.report {
            report::write(&folder.join("report.html"), (*scenario, picture.as_deref()), (outcome, rows))?;
        }
        if arguments.no_pictures { Ok(()) } else { Ok(pictures::write(folder, scenario, curves, parameters)?) }
    }
}

/// What is written needs a folder.
fn has_folder(arguments: &RunArguments) -> Result<(), Failure> {
    arguments.formats.need_rows(arguments.out.is_some())?;
    if arguments.report && arguments.out.is_none() {
        return Err(Failure::Usage(
            "`--report` needs `--out DIR`, the folder that `report.html` is written to".to_owned(),
        ));
    }
    Ok(())
}

/// Whether the run has a page, while it goes on or at its end.
fn has_page(arguments: &RunArguments) -> bool {
    arguments.report || arguments.watch.is_some()
}

/// The scenario with the options, and the macro step that keeps the error it allows.
fn asked(arguments: &RunArguments, mut opened: Opened) -> Result<(Opened, Option<Bound>), Failure> {
    opened.record(&arguments.record);
    arguments.solution.apply(&mut opened.document);
    let experiment = &mut opened.document.scenario.experiment;
    experiment.error = arguments.error.or(experiment.error);
    let bound = bounded(&mut opened)?;
    Ok((opened, bound))
}

/// Tells what no bound holds for, and no smaller step makes right.
fn tell_unmeasured(assembly: &Assembly, has_bound: bool) {
    if has_bound || assembly.effective.coupling.predict.family != Family::Jerk {
        tell(unmeasured(assembly).1.as_slice());
    }
}

/// The simulation, initialised, and which of its windows give rows.
fn begun(
    assembly: Assembly,
    checkpoints: &CheckpointArguments,
    scenario: &Scenario,
) -> Result<(Simulation, Steps), Failure> {
    let mut simulation = start(assembly)?;
    for warning in simulation.warnings() {
        eprintln!("warning: {warning}");
    }
    let span_s = (scenario.experiment.start_s, scenario.experiment.stop_s.unwrap_or(0.0));
    let mut steps = Steps::new(&simulation, span_s, scenario.record.every)?;
    steps.progress = Some(progress::of_run());
    if checkpoints.option().is_some() {
        // Says at once where the method keeps what no checkpoint holds.
        simulation.saved_state()?;
    }
    Ok((simulation, steps))
}

/// Steps to the end, or to what ended it early; somebody may look on.
fn stepped(
    steps: &mut Steps,
    simulation: &mut Simulation,
    rows: &mut Rows,
    (writer, live): (Option<&mut CheckpointWriter>, Option<Live>),
) -> (Result<(), Failure>, Option<Live>) {
    let Some(live) = live else {
        return (steps.run(simulation, rows, writer).map_err(Failure::from), None);
    };
    let mut shown = Shown { rows, live };
    let ended = steps.run(simulation, &mut shown, writer).map_err(Failure::from);
    (ended, Some(shown.live))
}

/// The macro step that keeps the error the scenario allows, where it says one.
fn bounded(opened: &mut Opened) -> Result<Option<Bound>, Failure> {
    let found = bound(&opened.document.scenario, &*opened).map_err(failed)?;
    if let Some(bound) = found {
        let e = &mut opened.document.scenario.experiment;
        (e.step_s, e.error) = (Some(bound.step_s), None);
    }
    Ok(found)
}

/// What is written is not what is read.
fn apart(
    arguments: &RunArguments,
    checkpoints: &CheckpointArguments,
    opened: &Opened,
    here: &Path,
) -> Result<(), Failure> {
    let mut files = Files::default();
    files.reads_system(&arguments.system.system, &opened.document.scenario, here);
    let folder = arguments.out.as_ref().map(|folder| here.join(folder));
    let names = ["trace.csv", "trace.units.csv", "result.json", "scenario.toml", "report.html"];
    files.writes_in(folder.as_deref(), &names);
    arguments.formats.claim(&mut files, here);
    bundle::claim(arguments.bundle.as_ref().map(|path| here.join(path)).as_deref(), &mut files);
    files.checkpoints(checkpoints);
    files.are_apart()
}

/// What tells this run from others, a line each. Where its slaves run makes no difference.
fn identity(assembly: &Assembly, scenario: &Scenario) -> Result<String, Failure> {
    let guids = scenario.units.iter().zip(&assembly.descriptions);
    let digest = |bytes: &[u8]| format!("{:x}", Sha256::digest(bytes));
    let inputs = contents(scenario).map_err(|finding| Failure::Run(finding.to_string()))?;
    let inputs: String = inputs.iter().map(|(name, bytes)| format!("inputs `{name}` of {}\n", digest(bytes))).collect();
    let guids: String = guids.map(|(u, d)| format!("GUID `{}` of unit `{}`\n", d.guid, u.name)).collect();
    Ok(format!("run\n{guids}{inputs}{}", toml::write(scenario)))
}

/// A checkpoint needs states that can be written down.
fn can_serialize(arguments: &RunArguments, assembly: &Assembly) -> Result<(), Failure> {
    let Some(option) = arguments.checkpoints.option() else { return Ok(()) };
    for (unit, d) in assembly.effective.units.iter().zip(&assembly.descriptions) {
        if !d.co_simulation.as_ref().is_some_and(|c| c.can_serialize_fmu_state) {
            let (name, fmu) = (&unit.name, &unit.source);
            return Err(Failure::Usage(format!(
                "`{option}` needs `canSerializeFMUstate`, which unit `{name}` (FMU `{fmu}`) does not offer: run it without checkpoints"
            )));
        }
    }
    Ok(())
}

/// The scenario as it runs again from `folder`: FMUs of an archive are copied there.
fn placed(opened: &Opened, scenario: &Scenario, here: &Path, folder: &Path) -> Result<Scenario, Failure> {
    let located = located(scenario, here);
    let is_archive = !opened.document.unpacked.is_empty();
    convert::placed(&located, folder, opened.fmus(), is_archive.then_some(&convert::write))
}

/// The scenario with paths that begin `here`, wherever slaves have gone since.
fn located(scenario: &Scenario, here: &Path) -> Scenario {
    let mut located = scenario.clone();
    for unit in &mut located.units {
        if let Source::File { path, .. } = &mut unit.source {
            *path = address::placed(here, path);
        }
    }
    located
}

/// The curves of the rows to come, and of those in the file that come before a checkpoint.
fn curves(
    path: &Path,
    columns: &[Column],
    parameters: &HashSet<String>,
    resumed: Option<&Checkpoint>,
) -> Result<Thinned, Failure> {
    let mut curves = Thinned::new(columns, parameters);
    if let Some(at) = resumed.filter(|at| at.file.bytes > 0) {
        curves.read(path, at.file.rows)?;
    }
    Ok(curves)
}
