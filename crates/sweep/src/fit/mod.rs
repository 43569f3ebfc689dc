//! The *fit* of parameters to measured data: bounded least squares from several starts, what the data say about each parameter, and
//! how much of it is error of the coupling.
//!
//! The error of the coupling e at the data's times is found from runs with H, H/2 and H/4 (Richardson's extrapolation with the
//! observed order). To first order it has moved the fitted parameters by
//!
//! ```text
//! δ = −(JᵀJ)⁻¹ Jᵀ e
//! ```
//!
//! which is the `coupling_error` of each: the fitted value less the one that a coupling without error would give.

mod data;
mod least_squares;
mod picture;
mod statistics;

use macrostep_import::isolation::interrupt;
use macrostep_system::Finding;
use macrostep_system::scenario::{Endpoint, Scenario, Value};
use macrostep_system::words::Control;
use nalgebra::DVector;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::design::Design;
use crate::pool;
use crate::refused::Refused;
use crate::runner::{Ending, Runner, Way, way};
use crate::samples::Samples;
use crate::study::{Study, Units};
use crate::vary::{Key, Levels, Target, Vary};
use data::{Rows, Signal, signals};
use least_squares::{Minimum, jacobian, minimise};
use statistics::Spread;

/// A column of derivatives shorter than this, for each value, is that of a parameter without influence.
const INFLUENCE_MIN: f64 = 1e-9;

/// A range over more than this factor is gone through by equal factors.
const LOG_FROM: f64 = 10.0;

/// A parameter that is free between two bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Free {
    /// Which.
    pub name: Endpoint,
    /// Its range.
    pub levels: Levels,
    low: f64,
    high: f64,
}

/// `UNIT.VARIABLE=LOW:HIGH`.
impl std::str::FromStr for Free {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || format!("found `{text}`, expected UNIT.VARIABLE=LOW:HIGH");
        let (name, range) = text.split_once('=').ok_or_else(expected)?;
        let name = Endpoint::parse(name.trim()).ok_or_else(expected)?;
        let (low, high) = range.split_once(':').ok_or_else(expected)?;
        let real = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(expected);
        let (low, high) = (real(low)?, real(high)?);
        if low >= high {
            return Err(format!("the range from {low:?} to {high:?} is empty or reversed, expected LOW below HIGH"));
        }
        let is_log = low > 0.0 && high / low > LOG_FROM;
        let levels = Levels::Range { is_log, low, high, count: None, is_whole: false };
        Ok(Free { name, levels, low, high })
    }
}

impl Free {
    /// The value at a place between 0 and 1.
    fn value(&self, z: f64) -> f64 {
        match self.levels {
            Levels::Range { is_log: true, low, high, .. } => (low * (high / low).powf(z)).clamp(low, high),
            _ => self.low + (self.high - self.low) * z,
        }
    }

    /// Derivative of the value by the place.
    fn slope(&self, z: f64) -> f64 {
        match self.levels {
            Levels::Range { is_log: true, low, high, .. } => self.value(z) * (high / low).ln(),
            _ => self.high - self.low,
        }
    }

    /// The place of a value, where it is in the range.
    fn place(&self, value: f64) -> Option<f64> {
        let place = match self.levels {
            Levels::Range { is_log: true, low, high, .. } => (value / low).ln() / (high / low).ln(),
            _ => (value - self.low) / (self.high - self.low),
        };
        (0.0..=1.0).contains(&place).then_some(place)
    }
}

/// What is asked for.
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

/// What came out.
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
    /// Its value.
    pub value: f64,
    /// Its standard deviation; null at a bound.
    pub sigma: Option<f64>,
    /// Half the width of its interval of 95 %.
    pub confidence: Option<f64>,
    /// How much of the value is error of the coupling; null at a bound, or where it was not looked at.
    pub coupling_error: Option<f64>,
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
}

/// A study, its data, and workers with their simulations.
struct Problem<'s, 'a> {
    study: &'s Study<'a>,
    signals: Vec<Signal>,
    free: &'s [Free],
    runners: Vec<Runner<'s, 'a>>,
    runs: u64,
    /// How the last run that failed has ended.
    failure: Option<Ending>,
}

impl Problem<'_, '_> {
    fn values(&self, z: &DVector<f64>) -> Vec<Value> {
        self.free.iter().zip(z.iter()).map(|(free, z)| Value::Real(free.value(*z))).collect()
    }

    /// Runs at several points, and their values at the times of the data, signal after signal.
    fn model(&mut self, points: &[Vec<Value>]) -> Vec<Option<DVector<f64>>> {
        let signals = &self.signals;
        let (mut out, failure) = (Vec::new(), &mut self.failure);
        let work = |runner: &mut Runner<'_, '_>, values: &&Vec<Value>| {
            let mut rows = Rows::default();
            match runner.run(values, &mut rows) {
                ending if ending.is_whole() => Ok(signals.iter().flat_map(|s| rows.at(s)).collect::<Vec<f64>>()),
                ending => Err(ending),
            }
        };
        pool::each(&mut self.runners, points.iter(), work, |_, result| {
            out.push(match result {
                Ok(values) => Some(DVector::from_vec(values)).filter(|v| v.iter().all(|x| x.is_finite())),
                Err(ending) => {
                    *failure = Some(ending);
                    None
                }
            });
            true
        });
        self.runs += points.len() as u64;
        out
    }

    /// Weighted differences of run and data.
    fn residuals(&mut self, points: &[DVector<f64>]) -> Vec<Option<DVector<f64>>> {
        let values: Vec<Vec<Value>> = points.iter().map(|z| self.values(z)).collect();
        let models = self.model(&values);
        let (measured, weights) = (self.measured(), self.weights());
        models.into_iter().map(|model| Some((model? - &measured).component_mul(&weights))).collect()
    }

    fn measured(&self) -> DVector<f64> {
        DVector::from_vec(self.signals.iter().flat_map(|s| s.values.iter().copied()).collect())
    }

    fn weights(&self) -> DVector<f64> {
        DVector::from_vec(self.signals.iter().flat_map(|s| s.values.iter().map(|_| s.weight)).collect())
    }

    /// Why nothing goes on.
    fn failed(&self) -> Refused {
        match &self.failure {
            Some(Ending::Interrupted) => Refused::Run("interrupted".to_owned()),
            Some(ending) => {
                Refused::Run(format!("a run at a point that is needed has not ended well: {}", ending.status()))
            }
            None => Refused::Run("a run gives values that are not finite".to_owned()),
        }
    }

    /// Root mean square of each signal's differences, without weight.
    fn rms(&self, residual: &DVector<f64>) -> Vec<f64> {
        let mut first = 0;
        let of = |s: &Signal| {
            let own = residual.rows(first, s.values.len());
            first += s.values.len();
            own.norm() / (s.values.len() as f64).sqrt() / s.weight
        };
        self.signals.iter().map(of).collect()
    }
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
    let (study, findings) = Study::new(scenario, units, targets.clone(), &measured)?;
    for (free, target) in request.free.iter().zip(&targets) {
        if study.is_whole(target) {
            return Err(Refused::Usage(format!(
                "`--free {}`: it takes whole numbers, expected a real parameter",
                free.name
            )));
        }
        study.check(target, &Value::Real(free.low))?;
        study.check(target, &Value::Real(free.high))?;
    }
    let mut signals = signals(samples, &study, request.offset_s)?;
    for (name, weight) in &request.weights {
        let known: Vec<String> = signals.iter().map(|s| s.variable.clone()).collect();
        let signal = signals.iter_mut().find(|s| s.variable == *name);
        let missing =
            || Refused::Usage(format!("`--weights {name}`: not measured; there are `{}`", known.join("`, `")));
        signal.ok_or_else(missing)?.weight = *weight;
    }
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
    // The noise of each variable whose weight was not given, and once more with it.
    let rms = problem.rms(&minimum.residual);
    for (signal, rms) in problem.signals.iter_mut().zip(rms) {
        if !request.weights.iter().any(|(name, _)| *name == signal.variable) && rms > 0.0 {
            signal.weight = 1.0 / rms.max(1e-9 / signal.weight);
        }
    }
    let minimum = minimise(&mut |points| problem.residuals(points), &minimum.z).ok_or_else(|| problem.failed())?;
    let coupling = coupling(&mut problem, &minimum, (scenario, units), way)?;
    let fit = told(&mut problem, &minimum, starts, coupling)?;
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
                "`--free {}`: it has no influence on the measured variables; leave it out, or measure what follows it",
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

/// Weighted error of the coupling at the data's times, and its observed order; `None` where steps are chosen.
fn coupling(
    problem: &mut Problem<'_, '_>,
    minimum: &Minimum,
    (scenario, units): (&Scenario, Units<'_>),
    way: Way,
) -> Result<Option<(DVector<f64>, Option<f64>)>, Refused> {
    if scenario.coupling.control.kind != Control::Fixed {
        return Ok(None);
    }
    // The same study with another macro step.
    let mut targets = problem.study.targets.clone();
    targets.push(Target::Key(Key::Step));
    let (study, _) = Study::new(scenario, units, targets, &problem.study.recorded)?;
    let step_s = study.scenario().experiment.step_s.unwrap_or(f64::NAN);
    let values = |parts: f64| [problem.values(&minimum.z), vec![Value::Real(step_s / parts)]].concat();
    let points: Vec<Vec<Value>> = [1.0, 2.0, 4.0].map(values).to_vec();
    let runners = (0..problem.runners.len().min(3)).map(|_| Runner::new(&study, way)).collect();
    let (signals, free) = (problem.signals.clone(), problem.free);
    let mut finer = Problem { study: &study, signals, free, runners, runs: 0, failure: None };
    let models = finer.model(&points);
    problem.runs += 3;
    let weights = problem.weights();
    let weighted: Option<Vec<DVector<f64>>> = models.into_iter().map(|m| Some(m?.component_mul(&weights))).collect();
    let [whole, half, quarter] = weighted.as_deref().ok_or_else(|| finer.failed())? else { return Ok(None) };
    // Richardson's extrapolation; differences as small as rounding have no order.
    let (first, second) = (whole - half, half - quarter);
    let rounding = 1e-11 * whole.norm();
    if first.norm() <= rounding || second.norm() <= rounding {
        return Ok(Some((first, None)));
    }
    let order = (first.norm() / second.norm()).log2();
    let p = order.clamp(0.5, 8.0).exp2();
    Ok(Some((first * (p / (p - 1.0)), Some(order))))
}

/// The parameters with what is known about them.
fn told(
    problem: &mut Problem<'_, '_>,
    minimum: &Minimum,
    starts: [usize; 2],
    coupling: Option<(DVector<f64>, Option<f64>)>,
) -> Result<Fit, Refused> {
    let (m, n) = minimum.jacobian.shape();
    let bound = |i: usize| match minimum.z[i] {
        z if z <= 0.0 => Some("lower"),
        z if z >= 1.0 => Some("upper"),
        _ => None,
    };
    // Covariance of those that are not at a bound.
    let inner: Vec<usize> = (0..n).filter(|i| bound(*i).is_none()).collect();
    let freedom = (m - inner.len()).max(1) as f64;
    let variance = minimum.residual.norm_squared() / freedom;
    let name = |i: usize| problem.free[i].name.to_string();
    let names: Vec<String> = inner.iter().map(|i| name(*i)).collect();
    let slopes: Vec<f64> = (0..n).map(|i| problem.free[i].slope(minimum.z[i])).collect();
    let (mut covariance, mut moved) = (vec![vec![None; n]; n], vec![None; n]);
    let mut words = Vec::new();
    if !inner.is_empty() {
        let j = minimum.jacobian.select_columns(&inner);
        let spread =
            Spread::of(&j).ok_or_else(|| Refused::Run("the derivatives have no singular values".to_owned()))?;
        words.extend(spread.words(&names));
        let shift: Option<DVector<f64>> = coupling.as_ref().map(|(e, _)| &spread.inverse * (j.transpose() * e));
        for (a, i) in inner.iter().enumerate() {
            moved[*i] = shift.as_ref().map(|shift| -slopes[*i] * shift[a]);
            for (b, k) in inner.iter().enumerate() {
                covariance[*i][*k] = Some(variance * spread.inverse[(a, b)] * slopes[*i] * slopes[*k]);
            }
        }
    }
    let quantile = StudentsT::new(0.0, 1.0, freedom).map_or(1.96, |t| t.inverse_cdf(0.975));
    let parameters: Vec<Parameter> = (0..n)
        .map(|i| {
            let free = &problem.free[i];
            let sigma = covariance[i][i].map(|v: f64| v.max(0.0).sqrt());
            Parameter {
                name: name(i),
                unit: problem.study.unit(&problem.study.targets[i]),
                value: free.value(minimum.z[i]),
                sigma,
                confidence: sigma.map(|sigma| quantile * sigma),
                coupling_error: moved[i],
                bound: bound(i),
            }
        })
        .collect();
    for (p, free) in parameters.iter().zip(problem.free) {
        match (p.bound, p.confidence) {
            (Some(bound), _) => {
                words.push(format!("`{}` is at its {bound} bound: its range may be too narrow", p.name))
            }
            (None, Some(half)) if half > 0.5 * (free.high - free.low) => {
                words.push(format!("`{}` is hardly determined: its interval of 95 % is wider than its range", p.name));
            }
            _ => {}
        }
        if let (Some(error), Some(sigma)) = (p.coupling_error, p.sigma)
            && error.abs() > sigma
        {
            words.push(format!(
                "`{}`: the error of the coupling is larger than its standard deviation; choose a smaller step",
                p.name
            ));
        }
    }
    if words.is_empty() {
        words.push("the data tell all parameters apart".to_owned());
    }
    let rms = problem.rms(&minimum.residual);
    let fitted = |(s, rms): (&Signal, f64)| Fitted {
        variable: s.variable.clone(),
        values: s.values.len(),
        rms,
        weight: s.weight,
    };
    let signals = problem.signals.iter().zip(rms).map(fitted).collect();
    let curves = curves(problem, minimum)?;
    Ok(Fit {
        parameters,
        covariance,
        signals,
        identifiability: words,
        starts,
        coupling_order: coupling.and_then(|(_, order)| order),
        runs: problem.runs,
        converged: minimum.is_converged,
        curves,
    })
}

/// Run and data at the minimum, for the picture.
fn curves(problem: &mut Problem<'_, '_>, minimum: &Minimum) -> Result<Vec<picture::Curve>, Refused> {
    let mut rows = Rows::default();
    let values = problem.values(&minimum.z);
    let ending = problem.runners[0].run(&values, &mut rows);
    problem.runs += 1;
    if !ending.is_whole() {
        return Err(Refused::Run(ending.status()));
    }
    let of = |s: &Signal| picture::Curve {
        variable: s.variable.clone(),
        unit: s.unit.clone(),
        run: rows.curve(s.column),
        data: (s.times_s.clone(), s.values.clone()),
        residual: rows.at(s).iter().zip(&s.values).map(|(a, b)| a - b).collect(),
    };
    Ok(problem.signals.iter().map(of).collect())
}
