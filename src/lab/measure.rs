//! Errors of a scheme on a scenario: over a run, and of a single macro step.
//!
//! ```text
//! global = max_n max_i |x_i(t_n) − x_i*(t_n)| / max_t |x_i*|     over a run, the same for the rates
//! local  = the same after one macro step from the solution's state and history, the largest over several starting times
//! order  = slope of the least-squares line through (ln H, ln error)
//! ```
//!
//! Errors below 1e-11 say more of rounding than of a scheme and are left out of the line; it needs three points.

use crate::lab::Scheme;
use crate::lab::scenario::{Scenario, Setup, check_cut};
use crate::pair::{Foundry, Start, slope};
use macrostep_master::RunError;
use std::time::Instant;

/// Relative errors below this are rounding.
pub const FLOOR: f64 = 1e-11;
/// Starting times of local errors, as parts of the run's length: none is a zero of a motion by design.
const STARTS: [f64; 7] = [0.0, 0.105, 0.21, 0.315, 0.42, 0.525, 0.63];
/// States this many times the amplitude have diverged.
const DIVERGED: f64 = 1e6;

/// Largest errors relative to the amplitudes.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct Errors {
    /// Of quantities (positions).
    pub position: f64,
    /// Of their rates (velocities).
    pub velocity: f64,
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Work {
    /// The macro step [s].
    pub step_s: f64,
    /// Errors; infinite where the run diverged.
    pub error: Errors,
    /// Calls of `fmi2DoStep` of all units.
    pub do_steps: u64,
    /// Time of the macro steps [s].
    pub wall_s: f64,
    /// "fmu", "native".
    pub units: String,
}

/// The solution on the grid of a macro step, with its amplitudes.
pub struct Reference {
    rows: Vec<Vec<f64>>,
    amplitude: Vec<f64>,
}

impl Reference {
    /// At 0, H, 2H, … `stop_s`.
    ///
    /// # Errors
    /// Where the scenario has no solution.
    pub fn new(scenario: &dyn Scenario, step_s: f64, stop_s: f64) -> Result<Self, RunError> {
        let n = (stop_s / step_s).round().max(1.0) as usize;
        let times: Vec<f64> = (0..=n).map(|i| i as f64 * step_s).collect();
        let rows = scenario.solution(&times)?;
        Ok(Reference { amplitude: amplitude(&rows), rows })
    }
}

fn amplitude(rows: &[Vec<f64>]) -> Vec<f64> {
    let width = rows.first().map_or(0, Vec::len);
    let largest = |i: usize| rows.iter().fold(0.0f64, |max, row| max.max(row[i].abs()));
    // What does not move is measured in its own unit.
    (0..width).map(largest).map(|a| if a > 0.0 { a } else { 1.0 }).collect()
}

impl Errors {
    fn take(&mut self, state: &[f64], exact: &[f64], amplitude: &[f64]) {
        let half = state.len() / 2;
        for i in 0..state.len() {
            let e = (state[i] - exact[i]).abs() / amplitude[i];
            let worst = if i < half { &mut self.position } else { &mut self.velocity };
            // What is not a number is the largest of errors.
            *worst = if e.is_nan() { f64::INFINITY } else { worst.max(e) };
        }
    }
}

/// A run to the end of the reference.
///
/// # Errors
/// What units and master answer; diverging is a result.
pub fn run(scenario: &dyn Scenario, setup: &Setup<'_>, reference: &Reference) -> Result<Work, RunError> {
    check_cut(&scenario.card(), setup.scheme.coupling)?;
    let mut coupled = scenario.couple(setup)?;
    let (mut error, mut state, mut wall_s) = (Errors::default(), Vec::new(), 0.0);
    for exact in reference.rows.iter().skip(1) {
        let began = Instant::now();
        coupled.simulation.step()?;
        wall_s += began.elapsed().as_secs_f64();
        coupled.state(&mut state);
        error.take(&state, exact, &reference.amplitude);
        if !(error.position < DIVERGED) {
            error = Errors { position: f64::INFINITY, velocity: f64::INFINITY };
            break;
        }
    }
    let (do_steps, kinds) = (coupled.simulation.do_steps().iter().sum(), coupled.simulation.kinds());
    let units = if kinds.windows(2).all(|k| k[0] == k[1]) { kinds[0].to_string() } else { kinds.join(" + ") };
    Ok(Work { step_s: setup.step_s, error, do_steps, wall_s, units })
}

/// Errors over a run to `stop_s` [s].
///
/// # Errors
/// As [`run`].
pub fn global(scenario: &dyn Scenario, setup: &Setup<'_>, stop_s: f64) -> Result<Errors, RunError> {
    Ok(run(scenario, setup, &Reference::new(scenario, setup.step_s, stop_s)?)?.error)
}

/// Errors of one macro step from the solution, starting in the first two thirds of `stop_s` [s].
///
/// # Errors
/// As [`run`].
pub fn local(scenario: &dyn Scenario, setup: &Setup<'_>, stop_s: f64) -> Result<Errors, RunError> {
    check_cut(&scenario.card(), setup.scheme.coupling)?;
    // Amplitudes are those of the whole run, sampled finely enough for their first digits.
    let amplitude = Reference::new(scenario, stop_s / 400.0, stop_s)?.amplitude;
    let (mut error, mut state) = (Errors::default(), Vec::new());
    for part in STARTS {
        let from_s = part * stop_s;
        let mut coupled = scenario.couple(&Setup { from_s, start: Start::Exact, ..*setup })?;
        coupled.simulation.step()?;
        coupled.state(&mut state);
        let exact = scenario.solution(&[from_s + setup.step_s])?;
        error.take(&state, &exact[0], &amplitude);
    }
    Ok(error)
}

/// Errors of a scheme over macro steps, and the orders they show.
#[derive(Debug, Clone)]
pub struct Convergence {
    /// The scheme.
    pub scheme: Scheme,
    /// H and the errors over a run.
    pub global: Vec<(f64, Errors)>,
    /// H and the errors of single steps.
    pub local: Vec<(f64, Errors)>,
}

/// Slopes of errors over H, where three of them lie above rounding.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Orders {
    /// Of positions.
    pub position: Option<f64>,
    /// Of velocities.
    pub velocity: Option<f64>,
}

/// The slopes of a list of errors.
pub fn orders(errors: &[(f64, Errors)]) -> Orders {
    let of = |f: fn(&Errors) -> f64| {
        let points: Vec<(f64, f64)> = errors.iter().map(|(h, e)| (*h, f(e))).filter(|(_, e)| *e < 1.0).collect();
        slope(&points, FLOOR)
    };
    Orders { position: of(|e| e.position), velocity: of(|e| e.velocity) }
}

/// Errors of a scheme at macro steps `global_s` over a run, and at `local_s` of single steps [s].
///
/// # Errors
/// As [`run`].
pub fn converge(
    scenario: &dyn Scenario,
    scheme: &Scheme,
    (global_s, local_s): (&[f64], &[f64]),
    stop_s: f64,
    foundry: Foundry<'_>,
) -> Result<Convergence, RunError> {
    let setup = |step_s| Setup { scheme, step_s, from_s: 0.0, start: Start::Exact, foundry };
    let of = |steps: &[f64], error: &dyn Fn(&Setup<'_>) -> Result<Errors, RunError>| {
        steps.iter().map(|&h| Ok((h, error(&setup(h))?))).collect::<Result<Vec<_>, RunError>>()
    };
    Ok(Convergence {
        scheme: *scheme,
        global: of(global_s, &|s| global(scenario, s, stop_s))?,
        local: of(local_s, &|s| local(scenario, s, stop_s))?,
    })
}
