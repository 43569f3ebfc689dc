//! Properties of fitted parameters: spread, error of the coupling, and sentences about them.

use nalgebra::DVector;

use super::coupling::{Corrected, no_spread};
use super::data::{Rows, Signal};
use super::dependence::{Correlation, Dependence};
use super::least_squares::Minimum;
use super::problem::Problem;
use super::statistics::Spread;
use super::{Fit, Fitted, Parameter, picture};
use crate::refused::Refused;

/// The parameters with their statistics, given the minimum of runs, and that without the error of the coupling.
pub fn with_statistics(
    problem: &mut Problem<'_, '_>,
    fitted: &Minimum,
    starts: [usize; 2],
    corrected: Option<Corrected>,
) -> Result<Fit, Refused> {
    // Values are those without the error of the coupling, where it is known.
    let minimum = corrected.as_ref().map_or(fitted, |c| &c.minimum);
    let lengths: Vec<usize> = problem.signals.iter().map(|s| s.values.len()).collect();
    let inner = minimum.inner();
    let j = minimum.jacobian.select_columns(&inner);
    let correlation = Correlation::of(&minimum.residual, &j, &lengths);
    let spread = spread(problem, minimum, &correlation)?;
    let parameters = parameters(problem, [fitted, minimum], &spread, corrected.as_ref().map(|c| &c.rest));
    // Sentences about what the data tell.
    let mut words = spread.words;
    words.extend(sentences(problem, &parameters));
    let tests = correlation.tests();
    let dependent =
        problem.signals.iter().zip(&tests).filter_map(|(s, test)| Some((s, (*test).filter(|t| t.is_seen())?)));
    let dependent: Vec<String> = dependent.map(|(s, test)| dependence(&s.variable, &test)).collect();
    words.extend(dependent);
    if words.is_empty() {
        words.push("the data tell all parameters apart".to_owned());
    }
    // How well each signal is met by runs, at the same times.
    let rms = problem.rms(&fitted.residual);
    let signal = |((s, rms), dependence): ((&Signal, f64), Option<Dependence>)| Fitted {
        variable: s.variable.clone(),
        values: s.values.len(),
        rms,
        weight: s.weight,
        dependence,
    };
    let signals = problem.signals.iter().zip(rms).zip(tests).map(signal).collect();
    let curves = curves(problem, fitted)?;
    // All of it, with what it took.
    Ok(Fit {
        parameters,
        covariance: spread.covariance,
        signals,
        identifiability: words,
        starts,
        coupling_order: corrected.as_ref().and_then(|c| c.order),
        runs: problem.runs,
        converged: fitted.is_converged && minimum.is_converged,
        curves,
    })
}

/// Covariance in units of the parameters, and what it says.
struct Known {
    covariance: Vec<Vec<Option<f64>>>,
    /// Half the width of an interval of 95 % in standard deviations.
    quantile: f64,
    words: Vec<String>,
}

/// The spread of the parameters that are not at a bound: those at one do not move, and have none.
fn spread(problem: &Problem<'_, '_>, minimum: &Minimum, correlation: &Correlation) -> Result<Known, Refused> {
    let (inner, n) = (minimum.inner(), minimum.z.len());
    let mut known = Known { covariance: vec![vec![None; n]; n], quantile: 1.96, words: Vec::new() };
    if inner.is_empty() {
        return Ok(known);
    }
    // By the singular values of the derivatives.
    let j = minimum.jacobian.select_columns(&inner);
    let spread = Spread::of(&j).ok_or_else(no_spread)?;
    let names: Vec<String> = inner.iter().map(|i| problem.free[*i].name.to_string()).collect();
    known.words = spread.words(&names);
    let uncertainty = spread.uncertainty(&j, &minimum.residual, correlation);
    known.quantile = uncertainty.quantile();
    // Slopes of values over places between 0 and 1 give the units.
    let slope = |i: usize| problem.free[i].slope(minimum.z[i]);
    for (a, i) in inner.iter().enumerate() {
        for (b, k) in inner.iter().enumerate() {
            known.covariance[*i][*k] = Some(uncertainty.covariance[(a, b)] * slope(*i) * slope(*k));
        }
    }
    Ok(known)
}

/// Values, spread and error in units of the parameters, of the minimum of runs and of that without the error of the coupling.
fn parameters(
    problem: &Problem<'_, '_>,
    [fitted, minimum]: [&Minimum; 2],
    spread: &Known,
    rest: Option<&DVector<f64>>,
) -> Vec<Parameter> {
    let parameter = |i: usize| {
        let free = &problem.free[i];
        let bound = minimum.bound(i);
        let sigma = spread.covariance[i][i].map(|v: f64| v.max(0.0).sqrt());
        let (value, before) = (free.value(minimum.z[i]), free.value(fitted.z[i]));
        let rest = rest.filter(|_| bound.is_none()).map(|rest| rest[i] * free.slope(minimum.z[i]));
        Parameter {
            name: free.name.to_string(),
            unit: problem.study.unit(&problem.study.targets[i]),
            value,
            fitted: before,
            sigma,
            confidence: sigma.map(|sigma| spread.quantile * sigma + rest.unwrap_or(0.0)),
            coupling_error: rest.map(|_| before - value),
            coupling_rest: rest,
            bound,
        }
    };
    (0..minimum.z.len()).map(parameter).collect()
}

/// Sentences about parameters whose value means little.
fn sentences(problem: &Problem<'_, '_>, parameters: &[Parameter]) -> Vec<String> {
    let mut words = Vec::new();
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
        // What is left of the coupling's error is seen where it is larger than the noise.
        if let (Some(rest), Some(sigma)) = (p.coupling_rest, p.sigma)
            && rest > sigma
        {
            words.push(format!(
                "`{}`: what is left of the error of the coupling, up to {rest:.1e}, is larger than the standard deviation; choose a smaller step",
                p.name
            ));
        }
    }
    words
}

/// A sentence about residuals that depend on each other.
fn dependence(variable: &str, test: &Dependence) -> String {
    let Dependence { lags, statistic, p_value } = test;
    format!(
        "residuals of `{variable}` depend on each other (Breusch-Godfrey with {lags} lags: LM = {statistic:.1}, p = {p_value:.1e}): \
         noise with a memory, for which the intervals allow, or a model that does not describe the data: look at the differences"
    )
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
