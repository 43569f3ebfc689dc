//! One run step by step: rows during the run, interrupts and checkpoints.

use macrostep_analysis::multirate::{Limits, Multirate, Outcome, Recording, Watched};
use macrostep_import::isolation::interrupt;
use macrostep_master::record::Observer;
use macrostep_master::{RunError, SavedState, Simulation};
use macrostep_run::{Checkpoint, CheckpointWriter, Error, Sink, Steps, Stream, goes_on};

use super::arguments::MultirateArguments;
use super::with_units;
use crate::distinct::Files;
use crate::failure::{Failure, kept};
use crate::files::rows_at;
use crate::progress;

/// Makes the run the options say, with `trace.csv` and checkpoints where they are asked for.
///
/// # Errors
/// [`Failure`] of a unit before its first step, of a file, or of an interrupt. A unit that fails in a step ends the run, and the
/// outcome says so.
pub fn run(scenario: &Multirate, a: &MultirateArguments) -> Result<Outcome, Failure> {
    let identity = identity(scenario, a)?;
    let steps_max = (scenario.end_s() / scenario.step_s).round() as u64;
    let resume = a.checkpoints.resume.as_deref();
    let at = resume.map(|path| Checkpoint::read(path, &identity, steps_max, false)).transpose()?;
    apart(a)?;
    // What is kept of an earlier part has poses, whether they are shown then or now.
    let is_kept = a.checkpoints.checkpoint.is_some() || at.is_some();
    let limits = if a.out.is_some() || is_kept { Limits::WATCHED } else { Limits::BRIEF };
    let mut watched = with_units(a, |units| Watched::new(scenario, units, limits))?;
    let mut stream = stream(&watched.recording, a, at.as_ref())?;
    let mut writer = a.checkpoints.writer(&identity)?;
    let mut steps = Steps::new(&watched.simulation, (0.0, scenario.end_s()), 1)?;
    if let Some(at) = at {
        watched.resume(at.saved)?;
        steps.go_on_after(at.steps);
    }
    interrupt::note();
    let ended = stepped(&mut watched, &mut steps, stream.as_mut(), writer.as_mut());
    let failure = ended.map_err(|failure| kept(failure, stream.as_ref()))?;
    stream.as_mut().map_or(Ok(()), Stream::close)?;
    Ok(watched.finish(steps.wall.as_secs_f64(), failure))
}

/// Makes a run of which nothing is written, which others are compared with.
///
/// # Errors
/// As [`run`].
pub fn reference(scenario: &Multirate, a: &MultirateArguments) -> Result<Outcome, Failure> {
    let mut watched = with_units(a, |units| Watched::new(scenario, units, Limits::BRIEF))?;
    let mut steps = Steps::new(&watched.simulation, (0.0, scenario.end_s()), 1)?;
    interrupt::note();
    let ended = stepped(&mut watched, &mut steps, None, None);
    let failure = ended.map_err(|failure| Failure::Run(format!("run of the reference: {failure}")))?;
    Ok(watched.finish(steps.wall.as_secs_f64(), failure))
}

/// Steps to the end; what ended it early, where that is a unit's failure.
fn stepped(
    watched: &mut Watched,
    steps: &mut Steps,
    stream: Option<&mut Stream>,
    writer: Option<&mut CheckpointWriter>,
) -> Result<Option<String>, Failure> {
    let Watched { simulation, recording } = watched;
    steps.progress = Some(progress::of_run());
    match steps.run(simulation, &mut Rows { recording, stream }, writer) {
        Ok(()) => Ok(None),
        Err(Error::Simulation(error)) => Ok(Some(error.to_string())),
        Err(error) => Err(error.into()),
    }
}

/// What tells this run from others. Where its slaves run makes no difference.
fn identity(scenario: &Multirate, a: &MultirateArguments) -> Result<String, Failure> {
    let name = if scenario.plant.is_crane() { "crane" } else { "actuator" };
    Ok(format!("{name}\nunits {:?}\n{}", a.units, super::settings(scenario)?))
}

/// What is written is not what is read.
fn apart(a: &MultirateArguments) -> Result<(), Failure> {
    let mut files = Files::default();
    files.writes_option("--out", a.out.as_ref().map(|folder| folder.join("trace.csv")).as_deref());
    files.checkpoints(&a.checkpoints);
    files.are_apart()
}

/// The file that rows go to: a new one, or the one of the run that is continued.
fn stream(recording: &Recording, a: &MultirateArguments, at: Option<&Checkpoint>) -> Result<Option<Stream>, Failure> {
    let Some(folder) = &a.out else { return Ok(None) };
    let path = folder.join("trace.csv");
    let names = recording.trace().columns()[1..].iter().map(|column| column.name.as_str());
    let mut stream = rows_at(&path, names, at)?;
    stream.cut()?;
    Ok(Some(stream))
}

/// Rows that are kept in memory and go to a file.
struct Rows<'a> {
    recording: &'a mut Recording,
    stream: Option<&'a mut Stream>,
}

impl Observer for Rows<'_> {
    fn row(&mut self, t_s: f64, values: &[f64]) {
        if let Some(stream) = &mut self.stream {
            // Without the poses behind them.
            stream.row(t_s, &values[..self.recording.trace().columns().len() - 1]);
        }
        self.recording.row(t_s, values);
    }

    #[inline]
    fn goes_on(&mut self) -> bool {
        self.recording.goes_on() && goes_on(self.stream.as_deref())
    }
}

impl Sink for Rows<'_> {
    fn stream(&mut self) -> Option<&mut Stream> {
        self.stream.as_deref_mut()
    }

    fn end(&mut self, _: &mut Simulation) -> Result<(), RunError> {
        // The recording has kept the last row.
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.recording.is_too_fast()
    }

    fn saved_state(&mut self, simulation: &mut Simulation) -> Result<SavedState, RunError> {
        let saved = simulation.saved_state()?;
        self.recording.keep(simulation, saved)
    }
}
