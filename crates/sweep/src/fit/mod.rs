//! The *fit* of parameters to measured data: bounded least squares from several starts, what the data say about each parameter, and
//! how much of it is error of the coupling.
//!
//! The error of the coupling e at the data's times is found from runs with H, H/2 and H/4. The fit is then made again with run
//! less e, from the minimum before. The difference of both is the `coupling_error` of each parameter, which its value no longer
//! has. To first order it is
//!
//! ```text
//! δ = −(JᵀJ)⁻¹ Jᵀ e
//! ```
//!
//! What is left of it is estimated and makes the intervals wider.

mod coupling;
mod data;
mod dependence;
mod free;
mod known;
mod least_squares;
mod picture;
mod problem;
mod statistics;

use macrostep_import::isolation::interrupt;
use macrostep_system::Finding;
use macrostep_system::scenario::{Endpoint, Scenario, Value};
use nalgebra::DVector;
use serde::Serialize;

use crate::design::Design;
use crate::refused::Refused;
use crate::runner::{Runner, way};
use crate::samples::Samples;
use crate::study::{Study, Units};
use crate::vary::{Levels, Target, Vary};
use coupling::corrected;
use data::signals;
use known::with_statistics;
use least_squares::{Minimum, jacobian, minimise};
use problem::Problem;

pub use dependence::Dependence;
pub use free::Free;

/// A column of derivatives shorter than this, for each value, is that of a parameter without influence.
const INFLUENCE_MIN: f64 = 1e-9;

/// How often the noise of the variables is estimated at most.
const NOISE_ROUNDS: usize = 10;

/// Up to which ratio of an estimated noise to the one before the fit is not made again. Differences that are no noise, such as those of
/// the coupling, change it as well.
const NOISE_RATIO: f64 = 2.0;

/// The data and free parameters of a fit.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The parameters.
    pub free: Vec<Free>,
    /// Weights of variables, `UNIT.VARIABLE` and what its differences are multiplied with; of all others the noise is estimated.
    pub weights: Vec<(String, f64)>,
    /// Added to the times of the data \[s\].
    pub offset_s: f64,
    /// From how many points it goes down.
    pub starts: usize,
    /// Of the points it may go down from.
    pub seed: u64,
    /// Runs at the same time.
    pub workers: usize,
}

/// The result of a fit.
#[derive(Debug, Clone, Serialize)]
pub struct Fit {
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// Covariance of the parameters in their order; null for those at a bound.
    pub covariance: Vec<Vec<Option<f64>>>,
    /// Each measured variable.
    pub signals: Vec<Fitted>,
    /// What the data can tell, in sentences.
    pub identifiability: Vec<String>,
    /// Starts that were gone down from, and how many of them reached the same minimum.
    pub starts: [usize; 2],
    /// Observed order of the coupling; null where its error is as small as rounding, or was not looked at.
    pub coupling_order: Option<f64>,
    /// Runs made.
    pub runs: u64,
    /// Whether the minimum is one by the tests of convergence.
    pub converged: bool,
    #[serde(skip)]
    curves: Vec<picture::Curve>,
}

/// A fitted parameter.
#[derive(Debug, Clone, Serialize)]
pub struct Parameter {
    /// `UNIT.VARIABLE`.
    pub name: String,
    /// Unit of measurement.
    pub unit: String,
    /// Its value, without the error of the coupling.
    pub value: f64,
    /// The value that runs with this step meet the data best with: `value` and `coupling_error`.
    pub fitted: f64,
    /// Its standard deviation; null at a bound.
    pub sigma: Option<f64>,
    /// Half the width of its interval of 95 %, with what is left of the error of the coupling.
    pub confidence: Option<f64>,
    /// The error of the coupling that was taken out of the value; null at a bound, or where it was not looked at.
    pub coupling_error: Option<f64>,
    /// How much of the error of the coupling may be left in the value; null as before.
    pub coupling_rest: Option<f64>,
    /// `lower` or `upper` where the value is at a bound.
    pub bound: Option<&'static str>,
}

/// How well a measured variable is met.
#[derive(Debug, Clone, Serialize)]
pub struct Fitted {
    /// `UNIT.VARIABLE`.
    pub variable: String,
    /// Values that were compared.
    pub values: usize,
    /// Root mean square of run less data, in the unit of the variable.
    pub rms: f64,
    /// What its differences were multiplied with.
    pub weight: f64,
    /// The test whether its residuals depend on each other; null with too few values, or residuals without size.
    pub dependence: Option<Dependence>,
}

/// Fits parameters of a scenario to data.
///
/// # Errors
/// [`Refused`] for data without overlap with the run, fewer values than parameters, a parameter without influence, values out of
/// range, and where no run at a start ends well.
pub fn fit(
    (scenario, units): (&Scenario, Units<'_>),
    samples: &Samples,
    request: &Request,
) -> Result<(Fit, Vec<Finding>), Refused> {
    if request.free.is_empty() {
        return Err(Refused::Usage("nothing is free: name `--free UNIT.VARIABLE=LOW:HIGH`".to_owned()));
    }
    // What was measured, and what is free.
    let measured = measured(scenario, units, samples)?;
    let targets: Vec<Target> = request.free.iter().map(|free| Target::Variable(free.name.clone())).collect();
    let (mut study, findings) = Study::new(scenario, units, targets.clone(), &measured)?;
    study.option = "--free";
    // Real parameters, which both ends of their range fit.
    for (free, target) in request.free.iter().zip(&targets) {
        if study.is_whole(target) {
            return Err(Refused::Usage(format!("`--free {}`: it is an integer, expected a real parameter", free.name)));
        }
        study.check(target, &Value::Real(free.low))?;
        study.check(target, &Value::Real(free.high))?;
    }
    // Signals, with the weights that are given.
    let mut signals = signals(samples, &study, request.offset_s)?;
    for (name, weight) in &request.weights {
        let known: Vec<String> = signals.iter().map(|s| s.variable.clone()).collect();
        let signal = signals.iter_mut().find(|s| s.variable == *name);
        let missing =
            || Refused::Usage(format!("`--weights {name}`: not measured; there are `{}`", known.join("`, `")));
        signal.ok_or_else(missing)?.weight = *weight;
    }
    // With as few values as parameters, nothing would be left over to tell the spread by.
    let (m, n) = (signals.iter().map(|s| s.values.len()).sum::<usize>(), request.free.len());
    if m <= n {
        return Err(Refused::Usage(format!(
            "{m} values for {n} free parameters, expected more values than parameters"
        )));
    }
    // Workers, with the way that gives the bits of new instances.
    let middle = |z: f64| -> Vec<Value> { request.free.iter().map(|free| Value::Real(free.value(z))).collect() };
    let way = way(&study, [&middle(0.5), &middle(0.4)]);
    let workers = if study.is_alone() { 1 } else { request.workers.max(1) };
    let runners = (0..workers).map(|_| Runner::new(&study, way)).collect();
    let mut problem = Problem { study: &study, signals, free: &request.free, runners, runs: 0, failure: None };
    let (minimum, starts) = search(&mut problem, request, scenario)?;
    // The noise of each variable whose weight was not given, until it stays: what is noisy has moved the parameters, and with them
    // the differences of the other variables.
    let smallest: Vec<f64> = problem.signals.iter().map(|signal| 1e-9 / signal.weight).collect();
    let mut minimum = minimum;
    for round in 0..NOISE_ROUNDS {
        let rms = problem.rms(&minimum.residual);
        let mut has_changed = round == 0;
        let mut weights: Vec<f64> = problem.signals.iter().map(|signal| signal.weight).collect();
        for (i, signal) in problem.signals.iter().enumerate() {
            if !request.weights.iter().any(|(name, _)| *name == signal.variable) && rms[i] > 0.0 {
                weights[i] = 1.0 / rms[i].max(smallest[i]);
                has_changed |= (weights[i] / signal.weight).ln().abs() > NOISE_RATIO.ln();
            }
        }
        if !has_changed {
            break;
        }
        problem.signals.iter_mut().zip(weights).for_each(|(signal, weight)| signal.weight = weight);
        minimum = minimise(&mut |points| problem.residuals(points), &minimum.z).ok_or_else(|| problem.failed())?;
    }
    // Without the coupling's error, and what is known of the values.
    let corrected = corrected(&mut problem, &minimum, (scenario, units), way)?;
    let fit = with_statistics(&mut problem, &minimum, starts, corrected)?;
    Ok((fit, findings))
}

/// Names of the columns that are variables of the system.
fn measured(scenario: &Scenario, units: Units<'_>, samples: &Samples) -> Result<Vec<String>, Refused> {
    let is_known = |name: &str| {
        let Some(e) = Endpoint::parse(name) else { return false };
        let Some(u) = scenario.unit(&e.unit) else { return false };
        units
            .description(&scenario.units[u].source)
            .is_ok_and(|d| d.variable(&e.variable).is_some_and(|v| v.real().is_some()))
    };
    let found = data::variables(samples, is_known);
    if found.is_empty() {
        let names: Vec<&str> = samples.columns.iter().map(|c| c.name.as_str()).collect();
        return Err(Refused::Usage(format!(
            "`{}` has the columns `{}`: none is a real variable UNIT.VARIABLE of the system",
            samples.shown,
            names.join("`, `")
        )));
    }
    Ok(found)
}

/// Goes down from the best of many points, and gives the lowest minimum with how many starts there were and reached it.
fn search(
    problem: &mut Problem<'_, '_>,
    request: &Request,
    scenario: &Scenario,
) -> Result<(Minimum, [usize; 2]), Refused> {
    let n = request.free.len();
    // The values of the scenario, and a Sobol sequence over the box.
    let usual = |free: &Free| free.place(Study::usual(scenario, problem.study.descriptions(), &free.name)?);
    let written: Option<Vec<f64>> = request.free.iter().map(usual).collect();
    let box_of = |i: usize| Vary {
        target: Target::Variable(Endpoint { unit: "z".to_owned(), variable: i.to_string() }),
        levels: Levels::Range { is_log: false, low: 0.0, high: 1.0, count: None, is_whole: false },
    };
    let varies: Vec<Vary> = (0..n).map(box_of).collect();
    let samples = 8 * (n as u64 + 1);
    let spread = Design::Sobol { samples, seed: request.seed }.points(&varies);
    let spread = spread.map(|point| point.iter().filter_map(crate::vary::number).collect::<Vec<f64>>());
    let points: Vec<DVector<f64>> = written.into_iter().chain(spread).map(DVector::from_vec).collect();
    let residuals = problem.residuals(&points);
    let mut known: Vec<(f64, &DVector<f64>, DVector<f64>)> =
        residuals.into_iter().zip(&points).filter_map(|(r, z)| r.map(|r| (r.norm(), z, r))).collect();
    known.sort_by(|a, b| a.0.total_cmp(&b.0));
    let Some((_, best, residual)) = known.first() else { return Err(problem.failed()) };
    // Who has no influence there, and nowhere else that was looked at, has none.
    let differences =
        jacobian(&mut |points| problem.residuals(points), best, residual).ok_or_else(|| problem.failed())?;
    let size = (problem.measured().len() as f64).sqrt();
    for (free, column) in request.free.iter().zip(differences.column_iter()) {
        if column.norm() < INFLUENCE_MIN * size {
            return Err(Refused::Usage(format!(
                "`--free {}`: it has no influence on the measured variables; leave it out, or measure a variable that depends on it",
                free.name
            )));
        }
    }
    // Down from the best.
    let mut minima: Vec<Minimum> = Vec::new();
    for (_, z, _) in known.iter().take(request.starts.max(1)) {
        if interrupt::asked() {
            return Err(Refused::Run("interrupted".to_owned()));
        }
        minima.extend(minimise(&mut |points| problem.residuals(points), z));
    }
    let started = known.len().min(request.starts.max(1));
    minima.sort_by(|a, b| a.cost().total_cmp(&b.cost()));
    let Some(lowest) = minima.first().cloned() else { return Err(problem.failed()) };
    let reached = minima.iter().filter(|m| (&m.z - &lowest.z).amax() < 1e-3).count();
    Ok((lowest, [started, reached]))
}
