//! Which scheme and which macro step for a scenario and a tolerance, with the error and growth to expect.
//!
//! Nothing is known of the solution. Every scheme is tried at H, H/2 and H/4, beginning with a guess of H that is halved
//! while the run grows or its error does not shrink; from the differences of the three runs
//!
//! ```text
//! d_1 = |x_H − x_{H/2}|,   d_2 = |x_{H/2} − x_{H/4}|,   p = log₂(d_1/d_2)
//! error(H') = d_2 · 2^p/(2^p − 1) · (2 H'/H)^p                                    Richardson
//! ```
//!
//! and H' is what half the tolerance allows. Of the schemes whose one-step map does not grow over the run the one with the
//! fewest calls of `fmi2DoStep` is advised.

use crate::lab::scenario::{Scenario, Setup};
use crate::lab::signal::{frequencies, rms};
use crate::lab::sweep;
use crate::pair::Foundry;
use crate::scheme::{Correct, Predict, Schedule, Scheme};
use macrostep_master::unit::Unit;
use macrostep_master::{RunError, loop_gain};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Trials of one scheme.
const TRIALS_MAX: usize = 20;
/// Calls of a trial run, at most.
const DO_STEPS_MAX: u64 = 400_000;
/// Errors above this are beyond Richardson's reach.
const ERROR_MAX: f64 = 0.2;
/// ln of the growth over a run that is accepted.
const GROWTH_MAX: f64 = 1.0;

/// A unit from a model's identifier and an instance name, from any thread.
pub type MakeUnit = fn(&str, &str) -> Result<Box<dyn Unit>, RunError>;

/// What is asked.
#[derive(Clone, Copy)]
pub struct Question {
    /// Error relative to the amplitudes that is allowed.
    pub tolerance: f64,
    /// End of the run \[s\].
    pub stop_s: f64,
    /// First guess of the macro step \[s\].
    pub guess_s: f64,
    /// Where units of the trials come from.
    pub foundry: MakeUnit,
}

/// What was found of one scheme.
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    /// The scheme.
    pub scheme: Scheme,
    /// The macro step for the tolerance \[s\].
    pub step_s: f64,
    /// Error to expect, relative to the amplitudes.
    pub error: f64,
    /// Order observed.
    pub order: f64,
    /// Growth rate ln ρ / H \[1/s\] of the one-step map.
    pub growth_rate: f64,
    /// Calls of `fmi2DoStep` of all units to expect.
    pub do_steps: u64,
}

/// The scheme one would think of first, at the macro step guessed.
#[derive(Debug, Clone, Copy)]
pub struct FirstGuess {
    /// First cut, Jacobi, linear.
    pub scheme: Scheme,
    /// The macro step \[s\].
    pub step_s: f64,
    /// Growth rate \[1/s\].
    pub growth_rate: f64,
    /// Whether a run grows by it beyond `GROWTH_MAX`, more than the solution does.
    pub unstable: bool,
}

/// One interface, as measured in a run of the scheme advised.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Connection {
    /// Unit, effort and flow.
    pub name: String,
    /// Largest power through the interface \[W\].
    pub power_max_w: f64,
    /// Root mean square of the power \[W\].
    pub power_rms_w: f64,
    /// Strongest frequency of the flow \[Hz\].
    pub frequency_hz: Option<f64>,
    /// Frequency below which 99 % of the flow's power lies \[Hz\].
    pub frequency_99_hz: Option<f64>,
}

/// What a unit can do.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Capabilities {
    /// Name of the unit.
    pub unit: String,
    /// `canInterpolateInputs`.
    pub interpolates_inputs: bool,
    /// `maxOutputDerivativeOrder`.
    pub output_derivatives: u32,
    /// `canGetAndSetFMUstate`: implicit coupling.
    pub rollback: bool,
    /// `providesDirectionalDerivative`.
    pub directional_derivatives: bool,
}

/// The answer.
#[derive(Debug, Clone)]
pub struct Advice {
    /// All that meet the tolerance, the cheapest first.
    pub candidates: Vec<Candidate>,
    /// The first guess.
    pub first: FirstGuess,
    /// Interfaces.
    pub connections: Vec<Connection>,
    /// Spectral radius of the interface Jacobian at the step advised, where units offer derivatives.
    pub loop_gain: Option<f64>,
    /// Units.
    pub capabilities: Vec<Capabilities>,
}

/// Looks at all schemes the scenario allows; `done` is called after each.
///
/// # Errors
/// What units and master answer; [`RunError::Grid`] where no scheme meets the tolerance.
pub fn advise(scenario: &dyn Scenario, question: &Question, done: &(dyn Fn() + Sync)) -> Result<Advice, RunError> {
    let card = scenario.card();
    let first_scheme = Scheme::new(card.couplings[0], Schedule::Jacobi, Predict::classical(1));
    let growth_rate = growth_rate(scenario, &first_scheme, question.guess_s)?;
    let unstable = growth_rate * question.stop_s > GROWTH_MAX;
    let first = FirstGuess { scheme: first_scheme, step_s: question.guess_s, growth_rate, unstable };
    let cheapest = AtomicU64::new(u64::MAX);
    let schemes = candidates(scenario);
    let mut candidates: Vec<Candidate> = schemes
        .par_iter()
        .map(|scheme| {
            let found = explore(scenario, scheme, question, &cheapest);
            done();
            found
        })
        .collect::<Result<Vec<_>, RunError>>()?
        .into_iter()
        .flatten()
        .collect();
    candidates.sort_by_key(|c| c.do_steps);
    let Some(best) = candidates.first().copied() else {
        return Err(RunError::Grid {
            what: "tolerance",
            found: format!("{:e}, met by no scheme with {DO_STEPS_MAX} calls of a unit", question.tolerance),
            expected: "a larger one".to_string(),
        });
    };
    let (connections, capabilities) = observe(scenario, &best, question)?;
    let loop_gain = gain(scenario, &best, question)?;
    Ok(Advice { candidates, first, connections, loop_gain, capabilities })
}

/// The schemes that are tried; high orders first, they bound what the others may cost.
pub fn candidates(scenario: &dyn Scenario) -> Vec<Scheme> {
    let mut all = Vec::new();
    let predictors = [
        Predict::integrated(1),
        Predict::integrated(2),
        Predict::integrated(0),
        Predict::classical(2),
        Predict::classical(1),
        Predict::classical(0),
    ];
    for predict in predictors {
        for &coupling in scenario.card().couplings {
            for schedule in [Schedule::GaussSeidel, Schedule::GaussSeidelReversed, Schedule::Jacobi] {
                all.push(Scheme::new(coupling, schedule, predict));
            }
        }
    }
    for &coupling in scenario.card().couplings {
        let scheme = Scheme::new(coupling, Schedule::Jacobi, Predict::classical(2));
        all.push(Scheme { correct: Correct::Newton, ..scheme });
    }
    all
}

/// ln ρ / H; infinite where the map is not finite.
fn growth_rate(scenario: &dyn Scenario, scheme: &Scheme, step_s: f64) -> Result<f64, RunError> {
    let rate = sweep::radius(scenario, scheme, step_s)?.ln() / step_s;
    Ok(if rate.is_nan() { f64::INFINITY } else { rate })
}

/// States at all communication points, and the calls they took; `None` where the run leaves all bounds.
type Trial = Option<(Vec<Vec<f64>>, u64)>;

fn trial(
    scenario: &dyn Scenario,
    scheme: &Scheme,
    (step_s, windows): (f64, u64),
    foundry: Foundry<'_>,
) -> Result<Trial, RunError> {
    let setup = Setup::new(scheme, step_s, foundry);
    let mut coupled = scenario.couple(&setup)?;
    let mut states = Vec::with_capacity(windows as usize + 1);
    for n in 0..=windows {
        // A unit that refuses what has grown beyond all numbers has diverged as well.
        if n > 0 && coupled.simulation.step().is_err() {
            return Ok(None);
        }
        let mut state = Vec::new();
        coupled.state(&mut state);
        if !state.iter().all(|x| x.abs() < 1e100) {
            return Ok(None);
        }
        states.push(state);
    }
    Ok(Some((states, coupled.simulation.do_steps().iter().sum())))
}

/// Largest difference of quantities at common points, relative to their amplitudes in the finer run.
fn difference(coarse: &[Vec<f64>], fine: &[Vec<f64>]) -> f64 {
    let motions = coarse.first().map_or(0, |row| row.len() / 2);
    let worst = |i: usize| {
        let amplitude = fine.iter().fold(0.0f64, |max, row| max.max(row[i].abs()));
        let off = coarse.iter().zip(fine.iter().step_by(2)).fold(0.0f64, |max, (c, f)| max.max((c[i] - f[i]).abs()));
        if amplitude > 0.0 { off / amplitude } else { off }
    };
    (0..motions).map(worst).fold(0.0, f64::max)
}

/// The macro step of one scheme; `None` where it costs too much or grows.
fn explore(
    scenario: &dyn Scenario,
    scheme: &Scheme,
    question: &Question,
    cheapest: &AtomicU64,
) -> Result<Option<Candidate>, RunError> {
    let windows_of = |h: f64| (question.stop_s / h).ceil().max(1.0) as u64;
    let units = scenario.card().units as u64;
    let mut windows = windows_of(question.guess_s);
    for _ in 0..TRIALS_MAX {
        // The finest trial may cost some times what the best does.
        let bound = cheapest.load(Ordering::Relaxed).saturating_mul(8).min(DO_STEPS_MAX);
        if 4 * windows * units > bound {
            return Ok(None);
        }
        let run = |factor: u64| {
            let n = windows * factor;
            trial(scenario, scheme, (question.stop_s / n as f64, n), &question.foundry)
        };
        let (Some((a, _)), Some((b, calls)), Some((c, _))) = (run(1)?, run(2)?, run(4)?) else {
            windows *= 2;
            continue;
        };
        let (d1, d2) = (difference(&a, &b), difference(&b, &c));
        let p = (d1 / d2).log2();
        let error = d2 * p.exp2() / (p.exp2() - 1.0);
        // An order that theory does not know is a coincidence of two differences.
        if !(p > 0.7 && p < scheme.global_order() + 1.6 && error < ERROR_MAX) {
            windows *= 2;
            continue;
        }
        // `error` is that of the run with 2·windows.
        let wanted = windows as f64 * 2.0 * (error / (0.5 * question.tolerance)).powf(1.0 / p);
        let chosen = wanted.ceil().max(windows as f64) as u64;
        if chosen > 6 * windows {
            windows = (chosen / 3).min(8 * windows);
            continue;
        }
        let (step_s, factor) = (question.stop_s / chosen as f64, 2.0 * windows as f64 / chosen as f64);
        let growth_rate = growth_rate(scenario, scheme, step_s)?;
        if growth_rate * question.stop_s > GROWTH_MAX {
            windows *= 2;
            continue;
        }
        let do_steps = (calls as f64 / factor) as u64;
        cheapest.fetch_min(do_steps, Ordering::Relaxed);
        let error = error * factor.powf(p);
        return Ok(Some(Candidate { scheme: *scheme, step_s, error, order: p, growth_rate, do_steps }));
    }
    Ok(None)
}

/// Power and frequency content at every interface, and what units can do.
fn observe(
    scenario: &dyn Scenario,
    best: &Candidate,
    question: &Question,
) -> Result<(Vec<Connection>, Vec<Capabilities>), RunError> {
    /// Samples a frequency content is taken from, at most: it is worked out the plain way.
    const SAMPLES_MAX: u64 = 1000;
    let (scheme, step_s) = (&best.scheme, best.step_s);
    let setup = Setup::new(scheme, step_s, &question.foundry);
    let mut coupled = scenario.couple(&setup)?;
    for bond in &coupled.bonds {
        for variable in [bond.effort, bond.flow] {
            coupled.simulation.record(bond.unit, variable, variable)?;
        }
    }
    let windows = (question.stop_s / step_s).round() as u64;
    let every = windows.div_ceil(SAMPLES_MAX).max(1);
    let mut rows = Rows::default();
    coupled.simulation.run(windows, every, &mut rows)?;
    let mut connections = Vec::new();
    let mut capabilities: Vec<Capabilities> = Vec::new();
    for (i, bond) in coupled.bonds.iter().enumerate() {
        let flow: Vec<f64> = rows.0.iter().map(|row| row[2 * i + 1]).collect();
        let power: Vec<f64> = rows.0.iter().map(|row| row[2 * i] * row[2 * i + 1]).collect();
        let content = frequencies(&flow, step_s * every as f64);
        let unit = coupled.simulation.unit_mut(bond.unit);
        connections.push(Connection {
            name: format!("{}: {} · {}", unit.name(), bond.effort, bond.flow),
            power_max_w: power.iter().fold(0.0, |max, p| f64::max(max, p.abs())),
            power_rms_w: rms(&power),
            frequency_hz: content.map(|c| c[0]),
            frequency_99_hz: content.map(|c| c[1]),
        });
        let name = unit.name().to_owned();
        if capabilities.iter().all(|c| c.unit != name) {
            let co = unit.description().co_simulation.as_ref();
            capabilities.push(Capabilities {
                unit: name,
                interpolates_inputs: co.is_some_and(|c| c.can_interpolate_inputs),
                output_derivatives: co.map_or(0, |c| c.max_output_derivative_order),
                rollback: co.is_some_and(|c| c.can_get_and_set_fmu_state),
                directional_derivatives: co.is_some_and(|c| c.provides_directional_derivative),
            });
        }
    }
    Ok((connections, capabilities))
}

/// Rows as they come.
#[derive(Default)]
struct Rows(Vec<Vec<f64>>);

impl macrostep_master::record::Observer for Rows {
    fn row(&mut self, _: f64, values: &[f64]) {
        self.0.push(values.to_vec());
    }
}

/// Loop gain of the cut advised with constant guesses of the window's end.
fn gain(scenario: &dyn Scenario, best: &Candidate, question: &Question) -> Result<Option<f64>, RunError> {
    let hold = Scheme::new(best.scheme.coupling, Schedule::Jacobi, Predict::classical(0));
    let scheme = Scheme { correct: Correct::Newton, ..hold };
    let (step_s, foundry): (f64, Foundry<'_>) = (best.step_s, &question.foundry);
    let mut coupled = scenario.couple(&Setup::new(&scheme, step_s, foundry))?;
    coupled.simulation.step()?;
    loop_gain(&mut coupled.simulation)
}
