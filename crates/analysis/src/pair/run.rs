//! Running a pair beside the exact solution.

use crate::models::Factory;

use super::build::{Coupled, build};
use super::order::unsolvable;
use super::{Found, Outcome, Pair, Recorder};
use macrostep_master::record::{Observer, Trace};
use macrostep_master::{RunError, SavedState, Simulation};
use macrostep_oscillator::{Exact, Monolithic, ParameterError, Parameters, State};

/// A pair ready to run, whose every row is compared with the exact solution before some of them go on.
pub struct Compared {
    /// The pair; each window gives a row.
    pub coupled: Coupled,
    /// What is made of its rows.
    pub comparison: Comparison,
}

/// Takes the states at every point where both units meet.
#[derive(Debug)]
pub struct Comparison {
    recorder: Recorder,
    /// Whether steps are chosen as the run goes on.
    is_controlled: bool,
    /// Steps of an earlier part of the run.
    do_steps: [u64; 2],
}

impl Compared {
    /// The pair at its start, of which every `record_every`-th row is kept.
    ///
    /// # Errors
    /// As [`build`].
    pub fn new(pair: &Pair, factory: Factory<'_>, record_every: u64) -> Result<Compared, RunError> {
        let mut coupled = build(pair, factory)?;
        for (i, unit) in coupled.units.into_iter().enumerate() {
            for name in ["x", "v"] {
                coupled.simulation.record(unit, name, &format!("{name}{}", i + 1))?;
            }
        }
        // Points that are known before, or the longest steps there may be.
        let is_controlled = pair.method.control.is_some();
        let (window_s, windows) = if is_controlled {
            (pair.step_s, (pair.stop_s / pair.step_s).round() as u64)
        } else {
            (coupled.simulation.window_s(), coupled.simulation.windows_in(pair.stop_s)?)
        };
        let exact = pair.exact().map_err(unsolvable)?;
        let recorder = Recorder::new(exact, window_s, windows, record_every);
        Ok(Compared { coupled, comparison: Comparison { recorder, is_controlled, do_steps: [0; 2] } })
    }

    /// Goes on with a run that was kept by [`Comparison::keep`].
    ///
    /// # Errors
    /// Where the saved state is one of another run.
    pub fn resume(&mut self, saved: SavedState) -> Result<(), RunError> {
        let SavedState { units, engine } = saved;
        let (engine, found, made): (Vec<u8>, Found, [u64; 2]) =
            postcard::from_bytes(&engine).map_err(|e| unread(&e))?;
        let simulation = &mut self.coupled.simulation;
        simulation.resume(&SavedState { units, engine })?;
        self.comparison.recorder.resume(found);
        // Initialisation may have made steps of its own.
        for ((before, made), now) in self.comparison.do_steps.iter_mut().zip(made).zip(simulation.do_steps()) {
            *before = made - now.min(made);
        }
        Ok(())
    }

    /// The result of the run, without rows; it has taken `wall_s` seconds.
    pub fn finish(self, wall_s: f64) -> Outcome {
        // Taken from the simulation before it ends: its work, its accounts, what it remarks.
        let Compared { coupled: Coupled { mut simulation, .. }, comparison } = self;
        let do_steps = comparison.made(&simulation);
        let (accounts, course) = (simulation.accounts().to_vec(), simulation.course());
        let kinds = simulation.kinds();
        let units = if kinds[0] == kinds[1] { kinds[0].to_string() } else { kinds.join(" + ") };
        let (unconverged, diverged) = (simulation.unconverged(), simulation.diverged().cloned());
        let mut warnings = simulation.warnings().to_vec();
        warnings.extend(simulation.coarse().map(|coarse| coarse.to_string()));
        let verdict = simulation.verdict();
        // The rest is what the comparison has found.
        Outcome {
            do_steps,
            wall_s,
            units,
            statistics: simulation.statistics(),
            accounts,
            course,
            diverged_at_s: diverged.as_ref().map(|d| d.t_s),
            diverged,
            unconverged,
            warnings,
            verdict,
            ..comparison.recorder.finish()
        }
    }
}

impl Comparison {
    /// Takes a row of the simulation; `rows` gets what is made of it, where it is kept.
    pub fn take(&mut self, t_s: f64, values: &[f64], rows: &mut dyn Observer) {
        let &[x1, v1, x2, v2] = values else { return };
        let z = State::new(x1, x2, v1, v2);
        if self.is_controlled {
            self.recorder.point_at(t_s, &z, rows);
        } else {
            self.recorder.point(&z, rows);
        }
    }

    /// The simulation's saved state, with what was found so far and the steps made beside the state of the engine.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn keep(&self, simulation: &Simulation, saved: SavedState) -> Result<SavedState, RunError> {
        let SavedState { units, engine } = saved;
        let parts = (engine, self.recorder.found(), self.made(simulation));
        let engine = postcard::to_stdvec(&parts).map_err(|e| unread(&e))?;
        Ok(SavedState { units, engine })
    }

    /// Steps made by both units, those of an earlier part of the run counted.
    fn made(&self, simulation: &Simulation) -> [u64; 2] {
        let steps = simulation.do_steps();
        [0, 1].map(|i| self.do_steps[i] + steps[i])
    }
}

/// Compares rows and keeps those that are recorded.
struct Kept<'a> {
    comparison: &'a mut Comparison,
    trace: Trace,
}

impl Observer for Kept<'_> {
    fn row(&mut self, t_s: f64, values: &[f64]) {
        self.comparison.take(t_s, values, &mut self.trace);
    }
}

/// Runs a pair to its stop time and compares it with the exact solution at every point where both units meet. A run that
/// diverges has the rows until then.
///
/// # Errors
/// As [`build`], and what a unit may answer in a run.
pub fn run(pair: &Pair, factory: Factory<'_>, record_every: u64) -> Result<Outcome, RunError> {
    let mut run = Compared::new(pair, factory, record_every)?;
    let trace = run.comparison.recorder.trace();
    let mut kept = Kept { comparison: &mut run.comparison, trace };
    let simulation = &mut run.coupled.simulation;
    let windows = if kept.comparison.is_controlled { u64::MAX } else { simulation.windows_in(pair.stop_s)? };
    let began = std::time::Instant::now();
    match simulation.run(windows, 1, &mut kept) {
        Ok(()) => simulation.terminate()?,
        Err(RunError::Diverged(_)) => {}
        Err(error) => return Err(error),
    }
    let (wall_s, trace) = (began.elapsed().as_secs_f64(), kept.trace);
    Ok(Outcome { trace, ..run.finish(wall_s) })
}

/// The oscillator in one piece by semi-implicit Euler, compared with the exact solution at every step, as a reference
/// for co-simulations. Units make no steps in it.
///
/// # Errors
/// Parameters without an exact solution.
pub fn in_one_piece(
    parameters: &Parameters,
    (step_s, stop_s): (f64, f64),
    record_every: u64,
) -> Result<Outcome, ParameterError> {
    let steps = (stop_s / step_s).round() as u64;
    let mut recorder = Recorder::new(Exact::new(parameters)?, step_s, steps, record_every);
    let mut trace = recorder.trace();
    let began = std::time::Instant::now();
    for z in Monolithic::new(parameters, step_s)?.take(steps as usize + 1) {
        recorder.point(&z, &mut trace);
    }
    let wall_s = began.elapsed().as_secs_f64();
    Ok(Outcome { trace, wall_s, units: "one piece".to_owned(), ..recorder.finish() })
}

/// A run that cannot be kept or continued.
pub(crate) fn unread(error: &postcard::Error) -> RunError {
    let expected = "one of this run".to_owned();
    RunError::grid("saved state", error.to_string(), expected)
}
