//! Whether a tolerance is met, and what would meet it: a smaller macro step, or another method at the same one.
//!
//! Other runs are held against the extrapolation of those with H/2 and H/4,
//!
//! ```text
//! y* = y_{H/4} + (y_{H/4} − y_{H/2})/(2^p − 1)
//! ```

use super::{Judged, ORDER_MIN, run};
use crate::assemble::assemble;
use crate::catalogue::Catalogue;
use crate::scenario::{Coupling, Scenario};
use crate::words::{Correct, Predict};
use macrostep_master::record::Trace;

/// Steps smaller than this part of H are no advice.
const PARTS_MAX: f64 = 1e4;

/// Where the run with H/4 is off by more than this part of the amplitude, observed orders are not yet those of small steps, and
/// promise nothing: on two masses 19 of 27 steps promised from larger errors were too long, and none of 19 from smaller ones.
const ERROR_MAX: f64 = 0.03;

/// The verdict for a tolerance.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Largest error allowed, relative to the amplitude.
    pub tolerance: f64,
    /// Whether all outputs meet it.
    pub is_met: bool,
    /// A macro step \[s\] that would meet it, and whether it was run.
    pub step_s: Option<(f64, bool)>,
    /// Another method that meets it with H, as run: the words that differ, and the largest relative error.
    pub method: Option<(String, f64)>,
}

/// The runs that are known.
pub(super) struct Runs<'a> {
    /// As it ran with H.
    pub scenario: &'a Scenario,
    /// Its FMUs.
    pub catalogue: &'a dyn Catalogue,
    /// The outputs, worst first.
    pub outputs: &'a [Judged],
    /// With H, H/2, H/4, and the other schedule.
    pub traces: &'a [Trace; 4],
}

impl Runs<'_> {
    /// The verdict, with further runs where the tolerance is not met.
    pub fn verdict(&self, tolerance: f64) -> Verdict {
        // Where nothing was judged, nothing is met.
        let is_met = !self.outputs.is_empty() && self.outputs.iter().all(|o| o.relative() <= tolerance);
        if is_met || self.outputs.is_empty() {
            return Verdict { tolerance, is_met, step_s: None, method: None };
        }
        let step_s = self.step(tolerance);
        // Held against what is no better itself, another method means nothing.
        let method = if self.error(2) < 0.5 * tolerance { self.method(tolerance) } else { None };
        Verdict { tolerance, is_met, step_s, method }
    }

    /// y* of an output and its amplitude.
    fn best(&self, output: &Judged) -> (Vec<f64>, f64) {
        let p = output.order.unwrap_or(ORDER_MIN).max(ORDER_MIN);
        let values = |n: usize| column(&self.traces[n], &output.column.name);
        let best: Vec<f64> =
            values(2).iter().zip(values(1)).map(|(fine, coarse)| fine + (fine - coarse) / (p.exp2() - 1.0)).collect();
        let amplitude = best.iter().fold(0.0f64, |max, x| max.max(x.abs()));
        (best, amplitude)
    }

    /// Largest relative error of a trace.
    fn apart(&self, trace: &Trace) -> f64 {
        let mut worst = 0.0f64;
        for output in self.outputs {
            let (best, amplitude) = self.best(output);
            let found = column(trace, &output.column.name);
            let off = found.iter().zip(&best).map(|(a, b)| (a - b).abs());
            let off = off.fold(0.0f64, |max, x| if x.is_nan() { f64::INFINITY } else { max.max(x) });
            worst = worst.max(if amplitude > 0.0 { off / amplitude } else { off });
        }
        worst
    }

    /// The same of the n-th run.
    fn error(&self, n: usize) -> f64 {
        self.apart(&self.traces[n])
    }

    /// A smaller step: H/2 or H/4 where one of these does, else one that the observed orders promise. None of those where an output
    /// grows or the run with H/4 is far off.
    fn step(&self, tolerance: f64) -> Option<(f64, bool)> {
        let step_s = self.scenario.experiment.step_s?;
        for (n, parts) in [(1, 2.0), (2, 4.0)] {
            if self.error(n) <= tolerance {
                return Some((step_s / parts, true));
            }
        }
        let order = self.outputs.iter().filter_map(|o| o.order).fold(f64::INFINITY, f64::min);
        let (error, grows) = (self.error(2), self.outputs.iter().any(|o| o.grown.is_some()));
        if !(ORDER_MIN..=20.0).contains(&order) || grows || error.is_nan() || error > ERROR_MAX {
            return None;
        }
        let parts = (4.0 * (error / (0.8 * tolerance)).powf(1.0 / order)).ceil();
        (parts <= PARTS_MAX).then_some((step_s / parts, false))
    }

    /// The first of some other methods that meets the tolerance with H.
    fn method(&self, tolerance: f64) -> Option<(String, f64)> {
        for (words, coupling) in others(&self.scenario.coupling) {
            let s = Scenario { coupling, ..self.scenario.clone() };
            let Ok((assembly, _)) = assemble(&s, self.catalogue) else { continue };
            let Ok((trace, None)) = run(assembly, &s) else { continue };
            let error = self.apart(&trace);
            if error <= tolerance {
                return Some((words, error));
            }
        }
        None
    }
}

/// Methods that differ from one in predictor or corrector, the cheap ones first.
fn others(c: &Coupling) -> Vec<(String, Coupling)> {
    let predictors = [Predict::classical(1), Predict::classical(2), Predict::integrated(1)];
    let explicit = predictors.into_iter().filter(|p| *p != c.predict && c.correct == Correct::Explicit);
    let mut all: Vec<(String, Coupling)> =
        explicit.map(|predict| (predict.to_string(), Coupling { predict, ..c.clone() })).collect();
    for correct in [Correct::IqnIls, Correct::Newton] {
        let same = Coupling { correct, tolerance: None, corrections_max: None, ..c.clone() };
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
