//! Whether a tolerance is met, and what meets it: a smaller macro step, or another method at the same one.
//!
//! Nothing is promised that was not run. A step or a method is named after the same runs that `verify` makes of it when it is asked
//! for: with its H, H/2, H/4 and the other schedule. So the next run does not deny what this one said. The observed order only chooses
//! which step is run next,
//!
//! ```text
//! n ← n · (e/(aim · tolerance))^(1/p), rounded up to a power of two        e: error bar with H/n
//! ```

use super::{Judged, ORDER_MIN, Unverified, VALUES_MAX, divided, run, runs};
use crate::assemble::assemble;
use crate::catalogue::Catalogue;
use crate::scenario::{Coupling, Scenario};
use crate::words::{Correct, Predict};
use macrostep_master::record::Trace;

/// Steps smaller than this part of H are not tried: each takes eight times as many steps as a run with it.
const PARTS_MAX: f64 = 64.0;

/// Steps that are tried.
const STEPS_MAX: usize = 3;

/// The part of the tolerance that a step is chosen for.
const AIM: f64 = 0.8;

/// Observed orders above this are none.
const ORDER_MAX: f64 = 8.0;

/// The verdict for a tolerance.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Largest error allowed, relative to the amplitude.
    pub tolerance: f64,
    /// Whether all outputs meet it.
    pub is_met: bool,
    /// A macro step \[s\] that meets it, as run.
    pub step_s: Option<f64>,
    /// Another method that meets it with H, as run: the words that differ, and the largest relative error bar.
    pub method: Option<(String, f64)>,
}

/// What is known, and what more runs need.
pub(super) struct Search<'a> {
    /// As it ran with H.
    pub scenario: &'a Scenario,
    /// Its FMUs.
    pub catalogue: &'a dyn Catalogue,
    /// The outputs, worst first.
    pub outputs: &'a [Judged],
    /// Outputs that are not judged.
    pub left_out: &'a [String],
}

impl Search<'_> {
    /// The verdict, with further runs where the tolerance is not met.
    pub fn verdict(&self, tolerance: f64) -> Verdict {
        let is_met = meets(self.outputs, tolerance);
        if is_met || self.outputs.is_empty() {
            return Verdict { tolerance, is_met, step_s: None, method: None };
        }
        Verdict { tolerance, is_met, step_s: self.step(tolerance), method: self.method(tolerance) }
    }

    /// A smaller step that meets the tolerance.
    fn step(&self, tolerance: f64) -> Option<f64> {
        let s = self.scenario;
        let mut parts = next(self.outputs, 1, tolerance)?;
        for _ in 0..STEPS_MAX {
            // As many rows as steps are kept.
            let smaller = Scenario { record: s.record.clone(), ..divided(s, parts, s.coupling.schedule) };
            let e = &smaller.experiment;
            let rows = (e.stop_s? - e.start_s) / e.step_s?;
            if rows * (self.outputs.len() + self.left_out.len() + 1) as f64 > VALUES_MAX {
                return None;
            }
            let outputs = self.runs(&smaller)?;
            if meets(&outputs, tolerance) {
                return e.step_s;
            }
            parts = next(&outputs, parts, tolerance)?;
        }
        None
    }

    /// The first of some other methods that meets the tolerance with H.
    fn method(&self, tolerance: f64) -> Option<(String, f64)> {
        for (words, coupling) in others(&self.scenario.coupling) {
            let s = Scenario { coupling, ..self.scenario.clone() };
            // Two runs tell most methods that do not meet it; four are asked of the others.
            let (Some(whole), Some(half)) = (self.trace(&s, 1), self.trace(&s, 2)) else { continue };
            if self.outputs.iter().any(|o| apart(&whole, &half, &o.column.name) > tolerance) {
                continue;
            }
            let Some(outputs) = self.runs(&s).filter(|outputs| meets(outputs, tolerance)) else { continue };
            return Some((words, outputs.first().map_or(0.0, Judged::relative)));
        }
        None
    }

    /// The outputs of a scenario as `verify` judges them; `None` where a run fails or does not converge.
    fn runs(&self, s: &Scenario) -> Option<Vec<Judged>> {
        let found: Result<_, Unverified> = runs(s, self.catalogue, self.left_out);
        found.ok().filter(|runs| runs.told.is_empty()).map(|runs| runs.outputs)
    }

    /// One run with a part of H, where it converges.
    fn trace(&self, s: &Scenario, parts: u32) -> Option<Trace> {
        let s = divided(s, parts, s.coupling.schedule);
        let (assembly, _) = assemble(&s, self.catalogue).ok()?;
        run(assembly, &s).ok().filter(|(_, unconverged)| unconverged.is_none()).map(|(trace, _)| trace)
    }
}

/// Whether all outputs meet a tolerance. Where nothing was judged, nothing is met; NaN meets none.
fn meets(outputs: &[Judged], tolerance: f64) -> bool {
    !outputs.is_empty() && outputs.iter().all(|o| o.relative() <= tolerance)
}

/// The parts of H to try after those that gave these outputs: more, and a power of two; `None` where there are too many.
fn next(outputs: &[Judged], parts: u32, tolerance: f64) -> Option<u32> {
    let order = outputs.iter().filter_map(|o| o.order).fold(ORDER_MAX, f64::min).max(ORDER_MIN);
    let worst = outputs.first().map_or(f64::NAN, Judged::relative);
    let wanted = f64::from(parts) * (worst / (AIM * tolerance)).powf(1.0 / order);
    // No order is seen in what grows.
    let wanted = if outputs.iter().any(|o| o.grown.is_some()) { 4.0 * f64::from(parts) } else { wanted };
    let wanted = wanted.max(2.0 * f64::from(parts));
    // NaN and too small steps.
    (wanted <= PARTS_MAX).then(|| (wanted.ceil() as u32).next_power_of_two())
}

/// How far two traces of an output are apart, relative to the larger absolute value of the second; infinite where one is NaN.
fn apart(whole: &Trace, half: &Trace, name: &str) -> f64 {
    let (whole, half) = (column(whole, name), column(half, name));
    let off = whole.iter().zip(&half).map(|(a, b)| (a - b).abs());
    let off = off.fold(0.0f64, |max, x| if x.is_nan() { f64::INFINITY } else { max.max(x) });
    let amplitude = half.iter().fold(0.0f64, |max, x| max.max(x.abs()));
    if amplitude > 0.0 { off / amplitude } else { off }
}

/// Methods that differ from one in predictor or corrector, the cheap ones first.
fn others(c: &Coupling) -> Vec<(String, Coupling)> {
    let predictors = [Predict::classical(1), Predict::classical(2), Predict::integrated(1)];
    let explicit = predictors.into_iter().filter(|p| *p != c.predict && c.correct == Correct::Explicit);
    let mut all: Vec<(String, Coupling)> =
        explicit.map(|predict| (predict.to_string(), Coupling { predict, ..c.clone() })).collect();
    for correct in [Correct::IqnIls, Correct::Newton] {
        let same = Coupling { correct, corrector_tolerance: None, corrections_max: None, ..c.clone() };
        all.push((correct.to_string(), same.clone()));
        let predict = Predict::classical(2);
        all.push((format!("{correct} with {predict}"), Coupling { predict, ..same }));
    }
    all.retain(|(_, other)| other != c);
    all
}

/// Values of a column.
fn column(trace: &Trace, name: &str) -> Vec<f64> {
    let Some(i) = trace.columns().iter().position(|c| c.name == name) else { return Vec::new() };
    trace.rows().map(|row| row[i]).collect()
}
