//! Trial runs of a scheme, and how far two of them are apart.

use crate::models::Factory;
use crate::scenario::{Benchmark, Setup};
use crate::scheme::Scheme;
use macrostep_master::RunError;

/// States at all communication points, and the calls they took; `None` where the run leaves all bounds.
pub type Trial = Option<(Vec<Vec<f64>>, u64)>;

/// A run of so many macro steps of so many seconds.
///
/// # Errors
/// Where the system cannot be coupled like this.
pub fn run(
    benchmark: &dyn Benchmark,
    scheme: &Scheme,
    (step_s, windows): (f64, u64),
    factory: Factory<'_>,
) -> Result<Trial, RunError> {
    let setup = Setup::new(scheme, step_s, factory);
    let mut coupled = benchmark.couple(&setup)?;
    let mut states = Vec::with_capacity(windows as usize + 1);
    for n in 0..=windows {
        // A unit that refuses what has grown beyond all bounds has diverged as well.
        if n > 0 && coupled.simulation.step().is_err() {
            return Ok(None);
        }
        let mut state = Vec::new();
        coupled.state(&mut state)?;
        if !state.iter().all(|x| x.abs() < 1e100) {
            return Ok(None);
        }
        states.push(state);
    }
    Ok(Some((states, coupled.simulation.do_steps().iter().sum())))
}

/// Largest difference of quantities at common points, relative to their amplitudes in the finer run, which has twice as many
/// rows.
pub fn difference(coarse: &[Vec<f64>], fine: &[Vec<f64>], quantities: usize) -> f64 {
    let worst = |i: usize| {
        let amplitude = fine.iter().fold(0.0f64, |max, row| max.max(row[i].abs()));
        let off = coarse.iter().zip(fine.iter().step_by(2)).fold(0.0f64, |max, (c, f)| max.max((c[i] - f[i]).abs()));
        if amplitude > 0.0 { off / amplitude } else { off }
    };
    (0..quantities).map(worst).fold(0.0, f64::max)
}
