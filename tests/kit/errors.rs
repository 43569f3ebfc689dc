//! Errors of a pair of oscillators against its exact solution.
//!
//! Global error: the largest deviation from the exact solution over a run. Local error: that of a single macro step
//! taken from the exact state with the exact history, the largest over several starting times. Both in the maximum norm
//! over the two masses, positions and velocities apart.

use macrostep_analysis::models::Factory;
use macrostep_analysis::pair::{Coupled, Pair, Start, build};
use macrostep_master::RunError;
use macrostep_oscillator::State;

/// Errors of positions \[m\] and velocities [m/s], the larger of both masses.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Errors {
    /// max |x_i − exact|.
    pub position: f64,
    /// max |v_i − exact|.
    pub velocity: f64,
}

impl Errors {
    /// The larger of both; NaN stays NaN.
    fn or(self, other: Errors) -> Errors {
        let larger = |a: f64, b: f64| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) };
        Errors { position: larger(self.position, other.position), velocity: larger(self.velocity, other.velocity) }
    }
}

/// Errors over the whole run of `pair`.
pub fn global_errors(pair: &Pair, factory: Factory<'_>) -> Result<Errors, RunError> {
    march(pair, factory, pair.stop_s)
}

/// Errors after one window from the exact state and history, over the starting times `starts_s` \[s\].
pub fn local_errors(pair: &Pair, factory: Factory<'_>, starts_s: &[f64]) -> Result<Errors, RunError> {
    let exact = pair.exact().expect("an exact solution");
    starts_s.iter().try_fold(Errors::default(), |worst, &start_s| {
        let z = exact.at(start_s);
        let mut shifted = pair.clone();
        (shifted.parameters.x0, shifted.parameters.v0) = ([z[0], z[1]], [z[2], z[3]]);
        shifted.start = Start::Exact;
        Ok(worst.or(march(&shifted, factory, 0.0)?))
    })
}

/// Runs to `stop_s`, one window at least.
fn march(pair: &Pair, factory: Factory<'_>, stop_s: f64) -> Result<Errors, RunError> {
    let mut coupled = build(pair, factory)?;
    let exact = pair.exact().expect("an exact solution");
    let windows = coupled.simulation.windows_in(stop_s)?.max(1);
    let mut worst = Errors::default();
    for exact in exact.grid(coupled.simulation.window_s()).skip(1).take(windows as usize) {
        coupled.simulation.advance(1, (0, u64::MAX), &mut ())?;
        let d = state(&coupled) - exact;
        let [x1, x2, v1, v2] = [0, 1, 2, 3].map(|i| d[i].abs());
        for (position, velocity) in [(x1, v1), (x2, v2)] {
            worst = worst.or(Errors { position, velocity });
        }
    }
    Ok(worst)
}

/// The state of both masses.
pub fn state(coupled: &Coupled) -> State {
    let [a, b] = coupled.motions.map(|m| coupled.simulation.latest(m));
    State::new(a[0], b[0], a[1], b[1])
}
