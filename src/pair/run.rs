//! Running a pair beside the exact solution.

use super::build::{Coupled, Factory, build};
use super::order::unsolvable;
use super::{Found, Outcome, Pair, Recorder};
use macrostep_master::record::{Observer, Trace};
use macrostep_master::{Memento, RunError};
use macrostep_oscillator::State;
use std::time::Instant;

/// Windows between two comparisons with the exact solution: bounds the memory, and keeps the comparison out of the time
/// that is measured.
const CHUNK: u64 = 4096;

/// Who watches a run from outside. Rows come through [`Observer`].
pub trait Witness: Observer {
    /// So many macro points were done since the last time.
    fn progress(&mut self, points: u64);

    /// What is to happen after `points` macro points.
    fn wish(&mut self, points: u64) -> Wish;

    /// Gets the run as it is; false where it is to end.
    fn keep(&mut self, points: u64, memento: Memento) -> bool;
}

/// What a [`Witness`] may wish for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// To go on; asked again after this many macro points at most.
    GoOn(u64),
    /// To be given the run as it is, and then to go on.
    Keep,
    /// To end it here, given the run before where it wants to keep it.
    End {
        /// Whether it does.
        keeping: bool,
    },
}

/// A witness that only wants to know how far the run is.
struct Progress<'a>(&'a mut dyn FnMut(u64));

impl Observer for Progress<'_> {
    fn row(&mut self, _: f64, _: &[f64]) {}
}

impl Witness for Progress<'_> {
    fn progress(&mut self, points: u64) {
        (self.0)(points);
    }

    fn wish(&mut self, _: u64) -> Wish {
        Wish::GoOn(CHUNK)
    }

    fn keep(&mut self, _: u64, _: Memento) -> bool {
        true
    }
}

/// A run that is continued: the macro points done, the run as it was, and the rows recorded until then.
#[derive(Debug, Clone)]
pub struct Resumed {
    /// Macro points done after the first.
    pub points: u64,
    /// What a [`Witness`] was given.
    pub memento: Memento,
    /// Rows, as far as they are known.
    pub rows: Trace,
}

/// Runs a pair to its stop time and compares it with the exact solution at every point where both units meet;
/// `progress` is told how many of these were done since the last time.
///
/// # Errors
/// As [`build`], and what a unit may answer in a run.
pub fn run(
    pair: &Pair,
    factory: Factory<'_>,
    record_every: u64,
    progress: &mut dyn FnMut(u64),
) -> Result<Outcome, RunError> {
    watched(pair, factory, record_every, &mut Progress(progress), None)
}

/// As [`run`], with a witness; `resumed` goes on with a run of the same pair.
///
/// # Errors
/// As [`run`], and where the memento is one of another run.
pub fn watched(
    pair: &Pair,
    factory: Factory<'_>,
    record_every: u64,
    witness: &mut dyn Witness,
    resumed: Option<Resumed>,
) -> Result<Outcome, RunError> {
    let mut coupled = build(pair, factory)?;
    if pair.method.control.is_some() {
        return controlled(pair, coupled, record_every, witness, resumed);
    }
    let windows = coupled.simulation.windows_in(pair.stop_s)?;
    let window_s = coupled.simulation.window_s();
    let recorder = Recorder::new(&pair.parameters, window_s, windows, record_every).map_err(unsolvable)?;
    let mut run = Run { recorder, states: Vec::with_capacity(CHUNK as usize), do_steps: [0; 2], wall_s: 0.0 };
    let mut done = 0;
    match resumed {
        Some(resumed) => {
            done = resumed.points;
            run.resume(&mut coupled, resumed)?;
        }
        None => run.recorder.point(&state(&coupled), witness),
    }
    let (mut has_diverged, mut interrupted_at_s) = (false, None);
    while done < windows && !has_diverged {
        let left = match witness.wish(done) {
            Wish::GoOn(points) => points.clamp(1, CHUNK),
            Wish::Keep => {
                let memento = run.memento(&mut coupled)?;
                if !witness.keep(done, memento) {
                    interrupted_at_s = Some(coupled.simulation.time_s());
                    break;
                }
                1
            }
            Wish::End { keeping } => {
                if keeping {
                    let memento = run.memento(&mut coupled)?;
                    witness.keep(done, memento);
                }
                interrupted_at_s = Some(coupled.simulation.time_s());
                break;
            }
        };
        let chunk = (windows - done).min(left);
        has_diverged = run.chunk(&mut coupled, chunk, witness)?;
        done += chunk;
        witness.progress(chunk);
    }
    run.finish(coupled, interrupted_at_s)
}

/// A run under way.
struct Run {
    recorder: Recorder,
    states: Vec<State>,
    /// Steps of an earlier part of the run.
    do_steps: [u64; 2],
    wall_s: f64,
}

impl Run {
    /// So many windows; whether it diverged. What was reached before that, or before a failure, is recorded.
    fn chunk(&mut self, coupled: &mut Coupled, windows: u64, witness: &mut dyn Witness) -> Result<bool, RunError> {
        let began = Instant::now();
        let mut ended = Ok(false);
        for _ in 0..windows {
            match coupled.simulation.step() {
                Ok(_) => self.states.push(state(coupled)),
                Err(RunError::Diverged(_)) => ended = Ok(true),
                Err(error) => ended = Err(error),
            }
            if !matches!(ended, Ok(false)) {
                break;
            }
        }
        self.wall_s += began.elapsed().as_secs_f64();
        let Run { recorder, states, .. } = self;
        states.drain(..).for_each(|z| recorder.point(&z, witness));
        ended
    }

    /// The simulation's memento, with what the recorder has found and the steps made beside the state of the engine.
    fn memento(&mut self, coupled: &mut Coupled) -> Result<Memento, RunError> {
        let Memento { units, engine } = coupled.simulation.memento()?;
        let steps = coupled.simulation.do_steps();
        let made = [0, 1].map(|i| self.do_steps[i] + steps[i]);
        let engine = postcard::to_stdvec(&(engine, self.recorder.found(), made)).map_err(|e| misfit(&e))?;
        Ok(Memento { units, engine })
    }

    fn resume(&mut self, coupled: &mut Coupled, resumed: Resumed) -> Result<(), RunError> {
        let Resumed { memento: Memento { units, engine }, rows, .. } = resumed;
        let (engine, found, made): (Vec<u8>, Found, [u64; 2]) =
            postcard::from_bytes(&engine).map_err(|e| misfit(&e))?;
        coupled.simulation.resume(&Memento { units, engine })?;
        self.recorder.resume(found, rows);
        // Initialisation may have made steps of its own.
        for ((before, made), now) in self.do_steps.iter_mut().zip(made).zip(coupled.simulation.do_steps()) {
            *before = made - now.min(made);
        }
        Ok(())
    }

    fn finish(self, mut coupled: Coupled, interrupted_at_s: Option<f64>) -> Result<Outcome, RunError> {
        let do_steps = coupled.simulation.do_steps();
        let (accounts, course) = (coupled.simulation.accounts().to_vec(), coupled.simulation.course());
        let kinds = coupled.simulation.kinds();
        let units = if kinds[0] == kinds[1] { kinds[0].to_string() } else { kinds.join(" + ") };
        let statistics = coupled.simulation.statistics();
        let (unconverged, diverged) = (coupled.simulation.unconverged(), coupled.simulation.diverged().cloned());
        let mut warnings = coupled.simulation.warnings().to_vec();
        warnings.extend(coupled.simulation.coarse().map(|coarse| coarse.to_string()));
        coupled.simulation.terminate()?;
        let outcome = self.recorder.finish();
        Ok(Outcome {
            do_steps: [self.do_steps[0] + do_steps[0], self.do_steps[1] + do_steps[1]],
            wall_s: self.wall_s,
            units,
            statistics,
            accounts,
            course,
            diverged_at_s: diverged.as_ref().map(|d| d.t_s),
            diverged,
            unconverged,
            interrupted_at_s,
            warnings,
            ..outcome
        })
    }
}

/// A run whose steps are chosen as it goes on, to the stop time.
fn controlled(
    pair: &Pair,
    mut coupled: Coupled,
    record_every: u64,
    witness: &mut dyn Witness,
    resumed: Option<Resumed>,
) -> Result<Outcome, RunError> {
    let longest_s = pair.step_s;
    let windows = (pair.stop_s / longest_s).round() as u64;
    let recorder = Recorder::new(&pair.parameters, longest_s, windows, record_every).map_err(unsolvable)?;
    let mut run = Run { recorder, states: Vec::new(), do_steps: [0; 2], wall_s: 0.0 };
    let (mut interrupted_at_s, mut points) = (None, 0);
    match resumed {
        Some(resumed) => {
            points = resumed.points;
            run.resume(&mut coupled, resumed)?;
        }
        None => run.recorder.point_at(0.0, &state(&coupled), witness),
    }
    let mut told = (coupled.simulation.time_s() / longest_s) as u64;
    while !coupled.simulation.is_over() {
        // Whether the run is kept here, and whether it goes on.
        let (keeps, ends) = match witness.wish(points) {
            Wish::GoOn(_) => (false, false),
            Wish::Keep => (true, false),
            Wish::End { keeping } => (keeping, true),
        };
        let goes_on = !keeps || {
            let memento = run.memento(&mut coupled)?;
            witness.keep(points, memento)
        };
        if ends || !goes_on {
            interrupted_at_s = Some(coupled.simulation.time_s());
            break;
        }
        // A step of the length chosen.
        let began = Instant::now();
        match coupled.simulation.step() {
            Err(RunError::Diverged(_)) => break,
            outcome => drop(outcome?),
        }
        run.wall_s += began.elapsed().as_secs_f64();
        points += 1;
        let (t_s, z) = (coupled.simulation.time_s(), state(&coupled));
        run.recorder.point_at(t_s, &z, witness);
        let done = (t_s / longest_s) as u64;
        witness.progress(done - told);
        told = done;
    }
    run.finish(coupled, interrupted_at_s)
}

/// (x1, x2, v1, v2) now.
#[inline]
pub fn state(coupled: &Coupled) -> State {
    let [a, b] = coupled.motions.map(|m| coupled.simulation.latest(m));
    State::new(a[0], b[0], a[1], b[1])
}

/// A run that cannot be kept or continued.
fn misfit(error: &postcard::Error) -> RunError {
    let expected = "one of this run".to_owned();
    RunError::Grid { what: "memento", found: error.to_string(), expected }
}
