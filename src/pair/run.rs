//! Running a pair beside the exact solution.

use super::build::{Coupled, Foundry, build};
use super::order::unsolvable;
use super::{Outcome, Pair, Recorder};
use macrostep_master::RunError;
use macrostep_oscillator::State;
use std::time::Instant;

/// Windows between two comparisons with the exact solution: bounds the memory, and keeps the comparison out of the time
/// that is measured.
const CHUNK: u64 = 4096;

/// States larger than this have diverged; the run ends there.
const DIVERGED: f64 = 1e100;

/// Runs a pair to its stop time and compares it with the exact solution at every point where both units meet;
/// `progress` is told how many of these were done since the last time.
///
/// # Errors
/// As [`build`], and what a unit may answer in a run.
pub fn run(
    pair: &Pair,
    foundry: Foundry<'_>,
    record_every: u64,
    progress: &mut dyn FnMut(u64),
) -> Result<Outcome, RunError> {
    let mut coupled = build(pair, foundry)?;
    if pair.method.control.is_some() {
        return controlled(pair, coupled, record_every, progress);
    }
    let windows = coupled.simulation.windows_in(pair.stop_s)?;
    let window_s = coupled.simulation.window_s();
    let mut recorder = Recorder::new(&pair.parameters, window_s, windows, record_every).map_err(unsolvable)?;
    recorder.point(&state(&coupled));
    let mut states = Vec::with_capacity(CHUNK as usize);
    let (mut done, mut wall_s, mut diverged_at_s) = (0, 0.0, None);
    while done < windows && diverged_at_s.is_none() {
        let chunk = (windows - done).min(CHUNK);
        let began = Instant::now();
        for _ in 0..chunk {
            coupled.simulation.step()?;
            let z = state(&coupled);
            states.push(z);
            // Written so that what is not a number has diverged.
            if z.amax() >= DIVERGED || z.amax().is_nan() {
                diverged_at_s = Some(coupled.simulation.time_s());
                break;
            }
        }
        wall_s += began.elapsed().as_secs_f64();
        states.drain(..).for_each(|z| recorder.point(&z));
        done += chunk;
        progress(chunk);
    }
    finish(coupled, recorder, wall_s, diverged_at_s)
}

/// A run whose steps are chosen as it goes on, to the stop time.
fn controlled(
    pair: &Pair,
    mut coupled: Coupled,
    record_every: u64,
    progress: &mut dyn FnMut(u64),
) -> Result<Outcome, RunError> {
    let longest_s = pair.step_s;
    let windows = (pair.stop_s / longest_s).round() as u64;
    let mut recorder = Recorder::new(&pair.parameters, longest_s, windows, record_every).map_err(unsolvable)?;
    recorder.point_at(0.0, &state(&coupled));
    let (mut wall_s, mut diverged_at_s, mut told) = (0.0, None, 0);
    while !coupled.simulation.is_over() && diverged_at_s.is_none() {
        let began = Instant::now();
        coupled.simulation.step()?;
        wall_s += began.elapsed().as_secs_f64();
        let (t_s, z) = (coupled.simulation.time_s(), state(&coupled));
        recorder.point_at(t_s, &z);
        let size = z.amax();
        diverged_at_s = (size >= DIVERGED || size.is_nan()).then_some(t_s);
        let done = (t_s / longest_s) as u64;
        progress(done - told);
        told = done;
    }
    finish(coupled, recorder, wall_s, diverged_at_s)
}

fn finish(
    mut coupled: Coupled,
    recorder: Recorder,
    wall_s: f64,
    diverged_at_s: Option<f64>,
) -> Result<Outcome, RunError> {
    let (do_steps, kinds) = (coupled.simulation.do_steps(), coupled.simulation.kinds());
    let (accounts, course) = (coupled.simulation.accounts().to_vec(), coupled.simulation.course());
    let units = if kinds[0] == kinds[1] { kinds[0].to_string() } else { kinds.join(" + ") };
    let statistics = coupled.simulation.statistics();
    let warnings = coupled.simulation.warnings().to_vec();
    coupled.simulation.terminate()?;
    let do_steps = [do_steps[0], do_steps[1]];
    Ok(Outcome { do_steps, wall_s, units, statistics, accounts, course, diverged_at_s, warnings, ..recorder.finish() })
}

/// (x1, x2, v1, v2) now.
#[inline]
pub fn state(coupled: &Coupled) -> State {
    let [a, b] = coupled.motions.map(|m| coupled.simulation.latest(m));
    State::new(a[0], b[0], a[1], b[1])
}
