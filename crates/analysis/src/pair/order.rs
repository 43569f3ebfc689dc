//! Observed orders of convergence of a pair.
//!
//! Global error: the largest deviation from the exact solution over a run. Local error: that of a single macro step
//! taken from the exact state with the exact history, the largest over several starting times. Both in the maximum norm
//! over the two masses, positions and velocities apart. The order is the slope of a least-squares line through
//! (ln H, ln error).

use crate::models::Factory;

use super::run::state_of;
use super::{Pair, Start, build, larger};
use macrostep_master::RunError;
use macrostep_oscillator::{Exact, ParameterError, State};
use macrostep_system::verify;

/// Errors of positions \[m\] and velocities [m/s], the larger of both masses.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Errors {
    /// max |x_i − exact|.
    pub position: f64,
    /// max |v_i − exact|.
    pub velocity: f64,
}

impl Errors {
    fn take(&mut self, z: &State, exact: &State) {
        let d = z - exact;
        let [x1, x2, v1, v2] = [0, 1, 2, 3].map(|i| d[i].abs());
        self.position = larger(self.position, larger(x1, x2));
        self.velocity = larger(self.velocity, larger(v1, v2));
    }
}

/// Errors over the whole run of `pair`.
pub fn global_errors(pair: &Pair, factory: Factory<'_>) -> Result<Errors, RunError> {
    march(pair, factory, pair.stop_s)
}

/// Errors after one window from the exact state and history, over the starting times `starts_s` \[s\].
pub fn local_errors(pair: &Pair, factory: Factory<'_>, starts_s: &[f64]) -> Result<Errors, RunError> {
    let exact = solution(pair)?;
    let mut worst = Errors::default();
    for &start_s in starts_s {
        let z = exact.at(start_s);
        let mut shifted = pair.clone();
        shifted.parameters.x0 = [z[0], z[1]];
        shifted.parameters.v0 = [z[2], z[3]];
        shifted.start = Start::Exact;
        let e = march(&shifted, factory, 0.0)?;
        worst.position = larger(worst.position, e.position);
        worst.velocity = larger(worst.velocity, e.velocity);
    }
    Ok(worst)
}

/// Runs to `stop_s`, one window at least.
fn march(pair: &Pair, factory: Factory<'_>, stop_s: f64) -> Result<Errors, RunError> {
    let mut coupled = build(pair, factory)?;
    let exact = solution(pair)?;
    let windows = coupled.simulation.windows_in(stop_s)?.max(1);
    let mut worst = Errors::default();
    let mut exact = exact.grid(coupled.simulation.window_s()).skip(1);
    let motions = coupled.motions;
    coupled.simulation.follow(windows, |simulation| {
        exact.next().into_iter().for_each(|exact| worst.take(&state_of(simulation, motions), &exact));
        Ok(true)
    })?;
    Ok(worst)
}

fn solution(pair: &Pair) -> Result<Exact, RunError> {
    pair.exact().map_err(unsolvable)
}

pub(crate) fn unsolvable(e: ParameterError) -> RunError {
    RunError::Grid {
        what: "parameters",
        found: e.to_string(),
        expected: "an oscillator with an exact solution".to_string(),
    }
}

/// Slope of the least-squares line through (ln H, ln error) of the points whose error exceeds `floor`; `None` with
/// fewer than three of them.
pub fn slope(points: &[(f64, f64)], floor: f64) -> Option<f64> {
    let used = points.iter().filter(|(_, e)| *e > floor && e.is_finite()).map(|(h, e)| (h.ln(), e.ln()));
    let (h, e): (Vec<f64>, Vec<f64>) = used.unzip();
    if h.len() < 3 { None } else { verify::slope(&h, &e) }
}
