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
    let (do_steps, kinds) = (coupled.simulation.do_steps(), coupled.simulation.kinds());
    let units = if kinds[0] == kinds[1] { kinds[0].to_string() } else { kinds.join(" + ") };
    let statistics = coupled.simulation.statistics();
    let warnings = coupled.simulation.warnings().to_vec();
    coupled.simulation.terminate()?;
    let do_steps = [do_steps[0], do_steps[1]];
    Ok(Outcome { do_steps, wall_s, units, statistics, diverged_at_s, warnings, ..recorder.finish() })
}

/// (x1, x2, v1, v2) now.
#[inline]
pub fn state(coupled: &Coupled) -> State {
    let [a, b] = coupled.motions.map(|m| coupled.simulation.latest(m));
    State::new(a[0], b[0], a[1], b[1])
}
