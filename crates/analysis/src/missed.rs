//! What is said where no scheme meets a tolerance: how near the nearest one comes, what it would take, and why schemes were left out.

use crate::advise::{DO_STEPS_MAX, LeftOut};
use crate::measure::FLOOR;
use crate::scenario::Benchmark;
use crate::scheme::Scheme;
use macrostep_master::RunError;
use std::fmt;

/// Why there is no advice.
#[derive(Debug)]
pub enum Unadvised {
    /// No scheme meets the tolerance.
    Missed(Box<Missed>),
    /// No quantity moves.
    AtRest(AtRest),
    /// The scheme that is advised cannot be looked at.
    Run(RunError),
}

impl From<RunError> for Unadvised {
    fn from(why: RunError) -> Self {
        Unadvised::Run(why)
    }
}

impl fmt::Display for Unadvised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unadvised::Missed(missed) => missed.fmt(f),
            Unadvised::AtRest(rest) => rest.fmt(f),
            Unadvised::Run(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for Unadvised {}

/// A system in which nothing moves.
#[derive(Debug, Clone, PartialEq)]
pub struct AtRest {
    /// Each quantity that was compared, and the value at which it stays.
    pub values: Vec<(String, f64)>,
    /// Length of the run \[s\].
    pub stop_s: f64,
}

impl AtRest {
    pub(crate) fn new(benchmark: &dyn Benchmark, values: &[f64], stop_s: f64) -> AtRest {
        let names = benchmark.quantities();
        AtRest { values: names.iter().map(|q| q.name.to_string()).zip(values.iter().copied()).collect(), stop_s }
    }
}

impl fmt::Display for AtRest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told: Vec<String> =
            self.values.iter().take(TOLD_MAX).map(|(name, value)| format!("`{name}` at {value}")).collect();
        let more = match self.values.len().saturating_sub(TOLD_MAX) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        write!(
            f,
            "nothing moves within {} s: {}{more} stay as they are, and an error relative to the size of a motion has no meaning\n\
             give other start values by `--set UNIT.NAME=VALUE`, inputs, a later `--stop`, or quantities that move by `--record`",
            self.stop_s,
            told.join(", ")
        )
    }
}

/// The smallest error that trials have shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// The scheme.
    pub scheme: Scheme,
    /// The macro step of its finest trial \[s\].
    pub step_s: f64,
    /// Error of that, relative to the amplitudes, as estimated.
    pub error: f64,
    /// Observed order, no higher than that of the scheme.
    pub order: f64,
}

impl Nearest {
    /// The run with H/4, from how far H is from H/2 and this from H/4; `None` where differences do not shrink.
    pub(crate) fn of(scheme: &Scheme, step_s: f64, d1: f64, d2: f64) -> Option<Nearest> {
        let order = (d1 / d2).log2().min(scheme.global_order());
        let error = (d2 / (order.exp2() - 1.0)).max(FLOOR);
        (order > 0.5 && error.is_finite()).then_some(Nearest { scheme: *scheme, step_s, error, order })
    }

    /// The macro step that a tolerance would take by the observed order \[s\]; `None` where rounding hides such an error.
    pub fn step_for(&self, tolerance: f64) -> Option<f64> {
        (tolerance > FLOOR).then(|| self.step_s * (tolerance / self.error).powf(1.0 / self.order))
    }
}

/// A tolerance that no scheme meets.
#[derive(Debug, Clone, PartialEq)]
pub struct Missed {
    /// Error allowed.
    pub tolerance: f64,
    /// The scheme that comes nearest, where differences of any shrink.
    pub nearest: Option<Nearest>,
    /// Schemes that could not be tried to the end, by reason.
    pub left_out: Vec<LeftOut>,
    /// Why those that ran do not meet it, by reason.
    pub short: Vec<LeftOut>,
}

/// Reasons of one kind that are told; more would bury the message.
const TOLD_MAX: usize = 6;

impl fmt::Display for Missed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The nearest miss comes first: it is what a reader can use.
        write!(f, "no scheme meets a tolerance of {:e} within {DO_STEPS_MAX} calls of the units", self.tolerance)?;
        match &self.nearest {
            Some(near) => {
                write!(
                    f,
                    "\nnearest: {} with H = {:.3e} s has an error of about {:.1e}",
                    near.scheme, near.step_s, near.error
                )?;
                match near.step_for(self.tolerance) {
                    Some(step_s) if step_s < near.step_s => {
                        write!(f, "; for {:e} it would take about H = {step_s:.1e} s", self.tolerance)?;
                    }
                    Some(_) => (),
                    None => write!(f, "; rounding hides errors below {FLOOR:.0e}")?,
                }
            }
            None => write!(f, "\nno scheme has an error that shrinks with the macro step")?,
        }
        // Each reason once, the most frequent first.
        for (what, reasons) in [("does not meet it", &self.short), ("was left out", &self.left_out)] {
            let mut reasons: Vec<&LeftOut> = reasons.iter().collect();
            reasons.sort_by_key(|left| std::cmp::Reverse(left.schemes.len()));
            for left in reasons.iter().take(TOLD_MAX) {
                let first = left.schemes.first().map_or("", String::as_str);
                let more = match left.schemes.len() {
                    0 | 1 => String::new(),
                    n => format!(" and {} more", n - 1),
                };
                write!(f, "\n{what}: {first}{more}: {}", left.why)?;
            }
            if reasons.len() > TOLD_MAX {
                write!(f, "\n{what}: others for {} more reasons", reasons.len() - TOLD_MAX)?;
            }
        }
        // The next thing to do.
        write!(
            f,
            "\ntry a larger `--tolerance`, a larger `--limit`, an earlier `--stop`, or other quantities with `--record`"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheme::{Predict, Schedule};
    use macrostep_benchmarks::Coupling;

    fn linear() -> Scheme {
        Scheme::new(Coupling::ForceForce, Schedule::Jacobi, Predict::classical(1))
    }

    /// An error of c h² from three runs, and the step for a hundredth of it.
    #[test]
    fn the_nearest_miss_is_that_of_the_finest_run() {
        let error = |h: f64| 3.0 * h * h;
        let (d1, d2) = (error(0.4) - error(0.2), error(0.2) - error(0.1));
        let near = Nearest::of(&linear(), 0.1, d1, d2).expect("it shrinks");
        assert!((near.error / error(0.1) - 1.0).abs() < 1e-12, "{near:?}");
        let step_s = near.step_for(near.error / 100.0).expect("a step");
        assert!((step_s / 0.01 - 1.0).abs() < 1e-12, "{step_s}");
        assert_eq!(Nearest::of(&linear(), 0.1, d2, d1), None);
    }
}
