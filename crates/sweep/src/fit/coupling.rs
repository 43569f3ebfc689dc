//! The error of the coupling in a fit: found from runs with smaller steps, and taken out of the parameters.
//!
//! With the runs y(H), y(H/2), y(H/4), their differences a = y(H) − y(H/2) and b = y(H/2) − y(H/4), and 2ᵖ = |a|/|b|, there are two
//! estimates of the error y(H) − y(0): e has terms of two orders, q = ⌊p⌋ and r = q + 1, and e' the observed order p,
//!
//! ```text
//! e  = A + B,   A = (b − 2⁻ʳ a)/((1 − 2⁻ᵠ) (2⁻ᵠ − 2⁻ʳ)),   B = (2⁻ᵠ a − b)/((1 − 2⁻ʳ) (2⁻ᵠ − 2⁻ʳ))
//! e' = a 2ᵖ/(2ᵖ − 1)
//! ```
//!
//! The first is taken out. Their difference, converted to the parameters, is an estimate of what is left; so is the change of e from the
//! parameters before to those after.

use macrostep_system::scenario::{Scenario, Value};
use macrostep_system::words::Control;
use nalgebra::DVector;

use super::least_squares::{Minimum, minimise};
use super::problem::Problem;
use super::statistics::Spread;
use crate::refused::Refused;
use crate::runner::{Runner, Way};
use crate::study::{Study, Units};
use crate::vary::{Key, Target};

/// How often the error is found again at most.
const ROUNDS: usize = 3;

/// The error is not found again where what is left is less than this part of the standard deviation of each parameter.
const REST_MAX: f64 = 0.1;

/// The minimum without the error of the coupling.
pub struct Corrected {
    /// The minimum; its residual is that of runs less the error.
    pub minimum: Minimum,
    /// How much of the error may be left in each parameter, in places between 0 and 1; zero at a bound.
    pub rest: DVector<f64>,
    /// Observed order; `None` where the error is as small as rounding.
    pub order: Option<f64>,
}

/// The error at the data's times, weighted.
struct Error {
    /// The estimate that is taken out.
    taken: DVector<f64>,
    /// The other estimate less this one.
    doubt: DVector<f64>,
    order: Option<f64>,
}

/// The minimum of runs less the error of the coupling; `None` where the coupling chooses its steps.
///
/// # Errors
/// [`Refused`] where a run with a smaller step fails.
pub fn corrected(
    problem: &mut Problem<'_, '_>,
    fitted: &Minimum,
    (scenario, units): (&Scenario, Units<'_>),
    way: Way,
) -> Result<Option<Corrected>, Refused> {
    if scenario.coupling.control.kind != Control::Fixed {
        return Ok(None);
    }
    // The same study with another macro step.
    let mut targets = problem.study.targets.clone();
    targets.push(Target::Key(Key::Step));
    let (study, _) = Study::new(scenario, units, targets, &problem.study.recorded)?;
    let runners = (0..problem.runners.len().min(3)).map(|_| Runner::new(&study, way)).collect();
    let (signals, free) = (problem.signals.clone(), problem.free);
    let mut finer = Problem { study: &study, signals, free, runners, runs: 0, failure: None };
    // Again and again: the error at the parameters, and the parameters without it.
    let mut at = fitted.clone();
    let mut error = error(&mut finer, &at.z)?;
    let mut rest = DVector::zeros(at.z.len());
    for _ in 0..ROUNDS {
        if error.order.is_none() {
            break;
        }
        let mut less = |points: &[DVector<f64>]| -> Vec<Option<DVector<f64>>> {
            problem.residuals(points).into_iter().map(|r| Some(r? - &error.taken)).collect()
        };
        at = minimise(&mut less, &at.z).ok_or_else(|| problem.failed())?;
        let next = self::error(&mut finer, &at.z)?;
        let changes = [&next.taken - &error.taken, next.doubt.clone()];
        // Both estimates of what is left, at worst with the same sign.
        let (moved, is_small) = moved(&at, &changes)?;
        rest = moved;
        error = Error { taken: error.taken, ..next };
        if is_small {
            break;
        }
        error.taken += &changes[0];
    }
    problem.runs += finer.runs;
    Ok(Some(Corrected { minimum: at, rest, order: error.order }))
}

/// The error of the coupling at parameters, by Richardson's extrapolation.
fn error(finer: &mut Problem<'_, '_>, z: &DVector<f64>) -> Result<Error, Refused> {
    let step_s = finer.study.scenario().experiment.step_s.unwrap_or(f64::NAN);
    let values = |parts: f64| [finer.values(z), vec![Value::Real(step_s / parts)]].concat();
    let points: Vec<Vec<Value>> = [1.0, 2.0, 4.0].map(values).to_vec();
    let models = finer.model(&points);
    let weights = finer.weights();
    let weighted: Option<Vec<DVector<f64>>> = models.into_iter().map(|m| Some(m?.component_mul(&weights))).collect();
    let weighted = weighted.ok_or_else(|| finer.failed())?;
    let (whole, first, second) = (&weighted[0], &weighted[0] - &weighted[1], &weighted[1] - &weighted[2]);
    // Differences as small as rounding have no order.
    let rounding = 1e-11 * whole.norm();
    if first.norm() <= rounding || second.norm() <= rounding {
        let doubt = DVector::zeros(whole.len());
        return Ok(Error { taken: first, doubt, order: None });
    }
    // Two terms; an order that is a little below a whole number is taken for that.
    let order = (first.norm() / second.norm()).log2();
    let q = (order + 0.1).floor().clamp(1.0, 7.0);
    let (q, r) = ((-q).exp2(), (-q - 1.0).exp2());
    let lower = (&second - &first * r) / ((1.0 - q) * (q - r));
    let higher = (&first * q - &second) / ((1.0 - r) * (q - r));
    let taken = lower + higher;
    // One term, of the observed order.
    let p = order.clamp(0.5, 8.0).exp2();
    let doubt = first * (p / (p - 1.0)) - &taken;
    Ok(Error { taken, doubt, order: Some(order) })
}

/// By how much changes of the residual move the parameters that are not at a bound, their amounts added, and whether that is little.
fn moved(at: &Minimum, changes: &[DVector<f64>]) -> Result<(DVector<f64>, bool), Refused> {
    let inner = at.inner();
    let mut sum = DVector::zeros(at.z.len());
    if inner.is_empty() {
        return Ok((sum, true));
    }
    let j = at.jacobian.select_columns(&inner);
    let spread = Spread::of(&j).ok_or_else(no_spread)?;
    let by: Vec<DVector<f64>> = changes.iter().map(|e| (&spread.inverse * (j.transpose() * e)).abs()).collect();
    let freedom = (at.residual.len() - inner.len()).max(1) as f64;
    let variance = at.residual.norm_squared() / freedom;
    let mut is_small = true;
    for (a, i) in inner.iter().enumerate() {
        sum[*i] = by.iter().map(|by| by[a]).sum();
        // Only the change can become smaller by another round.
        is_small &= by[0][a] <= REST_MAX * (variance * spread.inverse[(a, a)]).sqrt();
    }
    Ok((sum, is_small))
}

/// The error where a decomposition does not end.
pub fn no_spread() -> Refused {
    Refused::Run("the derivatives have no singular values".to_owned())
}
