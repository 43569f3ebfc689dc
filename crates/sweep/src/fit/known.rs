//! Properties of fitted parameters: spread, error of the coupling, and sentences about them.

use macrostep_system::scenario::{Scenario, Value};
use macrostep_system::words::Control;
use nalgebra::DVector;
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::data::{Rows, Signal};
use super::least_squares::Minimum;
use super::problem::Problem;
use super::statistics::Spread;
use super::{Fit, Fitted, Parameter, picture};
use crate::refused::Refused;
use crate::runner::{Runner, Way};
use crate::study::{Study, Units};
use crate::vary::{Key, Target};

/// Weighted error of the coupling at the data's times, and its observed order; `None` where steps are chosen.
pub fn coupling(
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

/// The parameters with their statistics.
pub fn told(
    problem: &mut Problem<'_, '_>,
    minimum: &Minimum,
    starts: [usize; 2],
    coupling: Option<(DVector<f64>, Option<f64>)>,
) -> Result<Fit, Refused> {
    // Parameters at a bound do not move, and have no spread.
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
    // Names, and slopes of values over places between 0 and 1.
    let name = |i: usize| problem.free[i].name.to_string();
    let names: Vec<String> = inner.iter().map(|i| name(*i)).collect();
    let slopes: Vec<f64> = (0..n).map(|i| problem.free[i].slope(minimum.z[i])).collect();
    let (mut covariance, mut moved) = (vec![vec![None; n]; n], vec![None; n]);
    let mut words = Vec::new();
    // By the singular values of the derivatives: the covariance, and by how much the coupling's error has moved them.
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
    // Intervals of 95 %, in the parameters' own units.
    let quantile = StudentsT::new(0.0, 1.0, freedom).map_or(1.96, |t| t.inverse_cdf(0.975));
    // Values, spread and error in units of the parameters.
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
    // Sentences about parameters whose value means little.
    for (p, free) in parameters.iter().zip(problem.free) {
        match (p.bound, p.confidence) {
            // At a bound the data ask for more; without one, an interval may be wider than the range.
            (Some(bound), _) => {
                words.push(format!("`{}` is at its {bound} bound: its range may be too narrow", p.name))
            }
            (None, Some(half)) if half > 0.5 * (free.high - free.low) => {
                words.push(format!("`{}` is hardly determined: its interval of 95 % is wider than its range", p.name));
            }
            _ => {}
        }
        // The coupling's error is seen where it is larger than the noise.
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
    // How well each signal is met, at the same times.
    let rms = problem.rms(&minimum.residual);
    let fitted = |(s, rms): (&Signal, f64)| Fitted {
        variable: s.variable.clone(),
        values: s.values.len(),
        rms,
        weight: s.weight,
    };
    let signals = problem.signals.iter().zip(rms).map(fitted).collect();
    let curves = curves(problem, minimum)?;
    // All of it, with what it took.
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
