//! How far a result is from converged: the same system with H, H/2 and H/4, and with the other schedule.
//!
//! With y_h the trace of an output at the common communication points, and ‖·‖ the largest value over them,
//!
//! ```text
//! p   = log2( ‖y_H − y_{H/2}‖ / ‖y_{H/2} − y_{H/4}‖ )          observed order
//! q   = min(p, 2)
//! bar = max( 1.25 ‖y_H − y_{H/2}‖ · 2^q/(2^q − 1),  ‖y_H − y_other‖/2 )   error bar of y_H
//! ```
//!
//! the first by Richardson's extrapolation with the factor of safety of a grid refinement, the second because two results that
//! differ by s cannot both be nearer than s/2 to the solution. Without the factor and with q = p the bar is an estimate, which the error
//! exceeds as often as not; with them it is a bound for at least 95 % of the outputs of coupled masses that were compared with
//! their solution (`tests/systems/promises.rs` counts them). The drift is the slope of a straight line through |y_H − y_{H/2}| 2^p/(2^p − 1) over time, by least
//! squares: an error that stays bounded has none. What is seen is the error of the coupling, and that of micro steps only
//! where they follow H.
//!
//! An output whose values late in the run are larger with H than with H/4 by a fifth is *growing*: the coupling makes it
//! so, differences say little about its error, and p is taken as 1 at most. Outputs are listed worst first; those that do not
//! move in any run are left out, and those that depend on derivatives of inputs. What would meet a tolerance is in [`verdict`].
//!
//! Reference: \[Roache 1994\] for the error bar of a grid refinement.

mod bound;
pub mod verdict;

pub use bound::{Bound, bound};

use crate::assemble::{assemble, unmeasured};
use crate::catalogue::Catalogue;
use crate::finding::Finding;
use crate::scenario::Scenario;
use crate::words::{Control, Schedule};
use macrostep_master::record::{Column, ColumnKind, Trace};
use macrostep_master::{RunError, Unconverged, windows_and_rest};

/// An order below this is no sign of convergence; the error bar is then made with it.
const ORDER_MIN: f64 = 0.5;

/// An observed order above this is not relied on for the error bar: it may be a coincidence of two differences.
const ORDER_MAX: f64 = 2.0;

/// The factor of safety of the error bar, for three grids \[Roache 1994\].
const SAFETY: f64 = 1.25;

/// An output that is this many times as large late in the run as with H/4 grows.
const GROWN: f64 = 1.2;

/// Values of one run that are kept in memory.
const VALUES_MAX: f64 = 5e7;

/// One output.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// Name and unit of measurement.
    pub column: Column,
    /// Largest absolute value, of the runs with H and H/4 the smaller one: what grows is not to hide its own error.
    pub amplitude: f64,
    /// ‖y_H − y_{H/2}‖.
    pub halved: f64,
    /// ‖y_H − y_other‖.
    pub switched: f64,
    /// Observed order; `None` where both differences are as small as rounding, or nothing converges.
    pub order: Option<f64>,
    /// Error bar: a bound for 95 % of outputs, see the module.
    pub bar: f64,
    /// Slope of the error relative to the amplitude \[1/s\].
    pub drift_1_s: f64,
    /// How many times as large it is late in the run as with H/4, where that is much.
    pub grown: Option<f64>,
}

impl Judged {
    /// Error bar relative to the amplitude; NaN where values are, infinite where nothing but an error is there.
    pub fn relative(&self) -> f64 {
        if self.bar == 0.0 { 0.0 } else { self.bar / self.amplitude }
    }
}

/// The result of a verification.
#[derive(Debug, Clone)]
pub struct Verification {
    /// Every recorded real variable that moves, the worst first.
    pub outputs: Vec<Judged>,
    /// How many recorded variables do not move.
    pub constants: usize,
    /// What would meet the tolerance that was asked for, where one was.
    pub verdict: Option<verdict::Verdict>,
    /// Macro step H \[s\].
    pub step_s: f64,
    /// The schedule that H was also run with.
    pub other: Schedule,
    /// The scenario as it ran with H.
    pub effective: Scenario,
    /// Findings of the first assembly.
    pub findings: Vec<Finding>,
}

/// Why there is none.
#[derive(Debug)]
pub enum Unverified {
    /// The scenario cannot run.
    Findings(Vec<Finding>),
    /// A run failed: with which step and schedule, and why.
    Run(String, RunError),
}

/// Runs the scenario four times, and if a relative `tolerance` is not met a few times more, to find a step and a method
/// that meet it.
///
/// # Errors
/// [`Unverified`] where one of the four runs cannot be made.
pub fn verify(
    scenario: &Scenario,
    catalogue: &dyn Catalogue,
    tolerance: Option<f64>,
) -> Result<Verification, Unverified> {
    // What is run, with its times. Only steps of one length can be halved.
    let (first, mut findings) = assemble(scenario, catalogue).map_err(Unverified::Findings)?;
    let mut effective = first.effective.clone();
    let step_s = effective.experiment.step_s.unwrap_or(f64::NAN);
    if effective.coupling.control.kind != Control::Fixed {
        let what =
            format!("`control` chooses steps by `{}`, which `verify` cannot halve", effective.coupling.control.kind);
        let next = "choose `--control fixed`, or another `--control-tolerance` in two runs";
        return Err(Unverified::Findings(vec![Finding::error(&effective.coupling.place, what, next)]));
    }
    // Rows of all runs are held against each other where all have one: after whole windows.
    let span_s = |s: &Scenario| s.experiment.stop_s.unwrap_or(f64::NAN) - s.experiment.start_s;
    let window_s = step_s * first.grid.window(effective.units.len()).map_or(1.0, |(window, _)| window);
    if let (whole @ 1.., Some(_)) = windows_and_rest(span_s(&effective), window_s) {
        effective.experiment.stop_s = Some(effective.experiment.start_s + whole as f64 * window_s);
    }
    // All rows are kept, so there is a limit to them.
    let values = span_s(&effective) / window_s * (first.recorded.len() + 1) as f64;
    if values > VALUES_MAX {
        let e = &effective.experiment;
        let what = format!("{values:.3e} recorded values, which are kept in memory, expected at most {VALUES_MAX:e}");
        let next = "choose a larger step, an earlier stop, or fewer variables by `--record`";
        return Err(Unverified::Findings(vec![Finding::error(e.step_place.or(&e.place), what, next)]));
    }
    // What depends on the method has no error that would shrink with the step.
    let (left_out, note) = unmeasured(&first);
    findings.extend(note);
    drop(first);
    // Three step sizes, and the other schedule once.
    let Runs { outputs, constants, told } = runs(&effective, catalogue, &left_out)?;
    findings.extend(told);
    // The verdict needs more runs, which only a tolerance asks for.
    let verdict = tolerance.map(|tolerance| {
        let search = verdict::Search { scenario: &effective, catalogue, outputs: &outputs, left_out: &left_out };
        search.verdict(tolerance)
    });
    Ok(Verification { outputs, constants, verdict, step_s, other: other(&effective), effective, findings })
}

/// The schedule that shows what the order of units contributes.
fn other(s: &Scenario) -> Schedule {
    match s.coupling.schedule {
        Schedule::Jacobi => Schedule::GaussSeidel,
        _ => Schedule::Jacobi,
    }
}

/// What the runs of a scenario with H, H/2, H/4 and the other schedule say.
struct Runs {
    /// Outputs that move, the worst first.
    outputs: Vec<Judged>,
    /// How many do not.
    constants: usize,
    /// Runs with macro steps that did not converge.
    told: Vec<Finding>,
}

/// Runs an effective scenario four times, and judges all outputs but those left out.
fn runs(effective: &Scenario, catalogue: &dyn Catalogue, left_out: &[String]) -> Result<Runs, Unverified> {
    let mut told = Vec::new();
    // A run with a part of the macro step, which records as many rows as the first.
    let mut trace = |parts: u32, schedule: Schedule| {
        let s = divided(effective, parts, schedule);
        let (assembly, _) = assemble(&s, catalogue).map_err(Unverified::Findings)?;
        let which = format!("H/{parts}, {schedule}");
        let (trace, unconverged) = run(assembly, &s).map_err(|e| Unverified::Run(which.clone(), e))?;
        let found = unconverged.map(|u| Finding::warning(&s.coupling.place, format!("the run with {which}: {u}"), ""));
        told.extend(found);
        Ok(trace)
    };
    let base = effective.coupling.schedule;
    let traces = [trace(1, base)?, trace(2, base)?, trace(4, base)?, trace(1, other(effective))?];
    // Real outputs that change are judged; the others have nothing to converge.
    let columns = traces[0].columns();
    let real = |i: &usize| columns[*i].kind == ColumnKind::Real && !left_out.contains(&columns[*i].name);
    let (mut outputs, mut constants) = (Vec::new(), 0);
    for i in (1..columns.len()).filter(real) {
        if traces.iter().all(|trace| is_constant(trace, i)) {
            constants += 1;
        } else {
            outputs.push(judge(&traces, i));
        }
    }
    // NaN is the worst of all.
    let badness = |o: &Judged| if o.bar.is_nan() { f64::INFINITY } else { o.relative() };
    outputs.sort_by(|a, b| badness(b).total_cmp(&badness(a)));
    Ok(Runs { outputs, constants, told })
}

/// A scenario with a part of its macro step and rows at the same times, and a schedule.
fn divided(effective: &Scenario, parts: u32, schedule: Schedule) -> Scenario {
    let mut s = effective.clone();
    s.experiment.step_s = s.experiment.step_s.map(|step_s| step_s / f64::from(parts));
    s.record.every = u64::from(parts);
    if schedule != s.coupling.schedule {
        (s.coupling.method, s.coupling.schedule) = (None, schedule);
        s.coupling.order.clear();
    }
    s
}

/// Whether a column has one value only.
fn is_constant(trace: &Trace, i: usize) -> bool {
    let (low, high) =
        trace.rows().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), row| (a.min(row[i]), b.max(row[i])));
    high - low <= 1e-13 * low.abs().max(high.abs()) && trace.rows().all(|row| !row[i].is_nan())
}

/// The rows, and the first macro step that did not converge.
fn run(assembly: crate::assemble::Assembly, s: &Scenario) -> Result<(Trace, Option<Unconverged>), RunError> {
    let mut simulation = assembly.simulation()?;
    simulation.initialise()?;
    let windows = simulation.windows_in(s.experiment.stop_s.unwrap_or(0.0) - s.experiment.start_s)?;
    let mut trace = Trace::new(simulation.columns().to_vec());
    simulation.run(windows, s.record.every, &mut trace)?;
    Ok((trace, simulation.unconverged().or(simulation.coarse())))
}

fn judge([whole, half, quarter, other]: &[Trace; 4], i: usize) -> Judged {
    // The trace of this output in the four runs, and how far they are apart.
    let value = |t: &Trace| t.rows().map(|row| row[i]).collect::<Vec<_>>();
    let y = value(whole);
    let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).collect::<Vec<_>>();
    let largest = |d: &[f64]| d.iter().copied().fold(0.0, larger);
    let absolute = |y: &[f64]| y.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let (ours, fine) = (absolute(&y), absolute(&value(quarter)));
    // A run of zeros beside one that moves has no size of its own.
    let amplitude = if ours.min(fine) > 0.0 { ours.min(fine) } else { ours.max(fine) };
    let first = apart(&y, &value(half));
    let (halved, next) = (largest(&first), largest(&apart(&value(half), &value(quarter))));
    let switched = largest(&apart(&y, &value(other)));
    // An order is seen only where differences stand out of rounding.
    let rounding = 1e-13 * amplitude.max(f64::MIN_POSITIVE);
    let order = Some((halved / next).log2()).filter(|p| p.is_finite() && (halved > rounding && next > rounding));
    // Where late values outgrow those of the fine run, an order above 1 is not believed.
    let grown = grown(&y, &value(quarter));
    let p = order.unwrap_or(ORDER_MIN).max(ORDER_MIN).min(if grown.is_some() { 1.0 } else { ORDER_MAX });
    let factor = SAFETY * p.exp2() / (p.exp2() - 1.0);
    let bar = larger(if halved <= rounding { halved } else { halved * factor }, switched / 2.0);
    // The drift: by how much the difference grows with time, relative to the amplitude.
    let times: Vec<f64> = whole.rows().map(|row| row[0]).collect();
    let scale = if amplitude > 0.0 { factor / amplitude } else { 0.0 };
    let column = whole.columns()[i].clone();
    Judged {
        column,
        amplitude,
        halved,
        switched,
        order,
        bar,
        drift_1_s: slope(&times, &first).unwrap_or(0.0) * scale,
        grown,
    }
}

/// The larger; NaN wins, so that it is seen.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

/// How many times as large values are late in the run as in the run with H/4, where that is more than a fifth.
fn grown(whole: &[f64], quarter: &[f64]) -> Option<f64> {
    let late = |y: &[f64]| y.iter().skip(y.len() - y.len() / 4).fold(0.0f64, |max, x| max.max(x.abs()));
    let ratio = late(whole) / late(quarter);
    (ratio > GROWN && ratio.is_finite()).then_some(ratio)
}

/// Slope of the straight line through points by least squares; `None` where no two of them lie beside each other.
pub fn slope(x: &[f64], y: &[f64]) -> Option<f64> {
    let n = x.len() as f64;
    let (xm, ym) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let (mut above, mut below) = (0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        above += (x - xm) * (y - ym);
        below += (x - xm) * (x - xm);
    }
    (below > 0.0).then(|| above / below)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A made-up result with an error of c h² t about sin t, with H = 0.1 s, and its error at the end.
    fn judged(c: f64) -> (Judged, f64) {
        let trace = |h: f64| {
            let mut trace = Trace::new([Column::new("y", "m")]);
            for k in 0..=100 {
                let t = f64::from(k) * 0.1;
                trace.push(t, &[t.sin() + c * h * h * t]);
            }
            trace
        };
        (judge(&[trace(0.1), trace(0.05), trace(0.025), trace(0.0)], 1), c * 0.1)
    }

    #[test]
    fn an_error_that_is_known_is_found() {
        let (judged, truth) = judged(0.3);
        assert!((judged.order.expect("an order") - 2.0).abs() < 1e-9);
        assert!((judged.bar / truth - SAFETY).abs() < 1e-9, "{}", judged.bar);
        assert!((judged.drift_1_s - SAFETY * truth / 10.0 / judged.amplitude).abs() < 1e-9);
        assert_eq!(judged.grown, None);
    }

    /// NaN in any of the runs is an error that nobody knows, not none.
    #[test]
    fn nan_of_one_run_is_not_lost() {
        let trace = |at: i32| {
            let mut trace = Trace::new([Column::new("y", "m")]);
            (0..=100).for_each(|k| trace.push(f64::from(k), &[if k == at { f64::NAN } else { f64::from(k).sin() }]));
            trace
        };
        for n in [0, 1, 3] {
            let judged = judge(&[0, 1, 2, 3].map(|i| trace(if i == n { 50 } else { -1 })), 1);
            assert!(judged.bar.is_nan() && judged.relative().is_nan(), "{n}: {judged:?}");
        }
    }

    /// Where values grow, no order above 1 is relied on: the bar is wider.
    #[test]
    fn growth_is_named_and_widens_the_bar() {
        let (judged, truth) = judged(3.0);
        assert!(judged.grown.is_some_and(|ratio| ratio > 1.2) && judged.bar > 1.2 * SAFETY * truth, "{judged:?}");
    }
}
