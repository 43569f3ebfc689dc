//! The default experiment, as far as a run can use it.

use crate::{DefaultExperiment, shown};

/// Steps a run may have at most: a step size that asks for more is a mistake.
const STEPS_MAX: f64 = 1e8;

/// A value of `DefaultExperiment` that no run can use.
#[derive(Debug, Clone, PartialEq)]
pub struct Unusable {
    /// Its attribute: `startTime`, `stopTime`, `tolerance` or `stepSize`.
    pub attribute: &'static str,
    /// What it is.
    pub found: f64,
    /// What it could be.
    pub expected: String,
}

impl std::fmt::Display for Unusable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Unusable { attribute, found, expected } = self;
        write!(f, "`{attribute}` of the default experiment: found {}, expected {expected}", shown::number(*found))
    }
}

impl DefaultExperiment {
    /// The values a run can use, and those it cannot. Times are finite, the stop is after the start (0 where none is given),
    /// the tolerance is above 0, the step is above 0 and makes at most 1e8 steps of the run.
    pub fn usable(&self) -> (DefaultExperiment, Vec<Unusable>) {
        // A value that is given and of no use is left out, and listed with what is expected.
        let mut unusable = Vec::new();
        let mut keep = |attribute, value: Option<f64>, is_usable: bool, expected: String| {
            let found = value?;
            if is_usable {
                return Some(found);
            }
            unusable.push(Unusable { attribute, found, expected });
            None
        };
        let is_above = |value: Option<f64>, low: f64| value.is_some_and(|x| x.is_finite() && x > low);

        // Start and stop: each later bound goes by the values that are kept.
        let start_is_finite = self.start_time.is_some_and(f64::is_finite);
        let start_time = keep("startTime", self.start_time, start_is_finite, "a finite time".to_owned());
        let start_s = start_time.unwrap_or(0.0);
        let after = format!("a finite time after the start at {} s", shown::number(start_s));
        let stop_time = keep("stopTime", self.stop_time, is_above(self.stop_time, start_s), after);
        // Tolerance and step; a step that is short beside the run would make too many.
        let tolerance = keep("tolerance", self.tolerance, is_above(self.tolerance, 0.0), "a number above 0".to_owned());
        let shortest_s = stop_time.map_or(0.0, |stop_s| (stop_s - start_s) / STEPS_MAX);
        let (low, expected) = match self.step_size {
            Some(step_s) if step_s > 0.0 && step_s < shortest_s => {
                (shortest_s, format!("at least {} s, for at most {STEPS_MAX:e} steps", shown::number(shortest_s)))
            }
            _ => (0.0, "a finite length above 0".to_owned()),
        };
        let step_size = keep("stepSize", self.step_size, is_above(self.step_size, low), expected);
        (DefaultExperiment { start_time, stop_time, tolerance, step_size }, unusable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left_out(start: f64, stop: f64, tolerance: f64, step: f64) -> Vec<&'static str> {
        let declared = DefaultExperiment {
            start_time: Some(start),
            stop_time: Some(stop),
            tolerance: Some(tolerance),
            step_size: Some(step),
        };
        let (usable, unusable) = declared.usable();
        let kept = [usable.start_time, usable.stop_time, usable.tolerance, usable.step_size];
        assert_eq!(kept.iter().filter(|x| x.is_none()).count(), unusable.len());
        unusable.into_iter().map(|u| u.attribute).collect()
    }

    #[test]
    fn only_what_a_run_can_use_is_kept() {
        assert_eq!(left_out(0.0, 1.0, 1e-4, 0.1), [""; 0]);
        assert_eq!(left_out(f64::NAN, 1.0, 1e-4, 0.1), ["startTime"]);
        assert_eq!(left_out(2.0, 1.0, 1e-4, 0.1), ["stopTime"]);
        assert_eq!(left_out(0.0, f64::INFINITY, 1e-4, 0.1), ["stopTime"]);
        assert_eq!(left_out(0.0, 1.0, -1.0, 0.1), ["tolerance"]);
        for step in [0.0, -0.1, f64::NAN, f64::INFINITY, 1e-12] {
            assert_eq!(left_out(0.0, 1.0, 1e-4, step), ["stepSize"], "{step}");
        }
    }
}
