//! Errors of a run beside known values, in its result.

use macrostep_master::{Grade, Verdict};
use macrostep_run::{Comparison, OutputError};
use macrostep_system::Scenario;
use macrostep_system::scenario::SolutionOf;
use serde::Serialize;

use crate::failure::Failure;
use crate::print::counted;

/// A signal that is smaller than this part of another one may be nothing but its rounding.
const ROUNDING: f64 = 1e-12;

/// Errors beside known values.
#[derive(Debug, Serialize)]
pub struct Errors {
    /// Where the values are from.
    pub solution: String,
    /// Rows after the first that have known values.
    pub rows: u64,
    /// Each output that has.
    pub outputs: Vec<OutputError>,
}

impl Errors {
    /// Heads of the cells of an output, behind those of its value.
    pub const HEAD: &'static str = " | > largest error | > relative";

    /// What a comparison has found; `None` where there was none.
    pub fn of(s: &Scenario, comparison: Option<&Comparison>) -> Option<Errors> {
        let (comparison, solution) = (comparison?, s.solution.as_ref()?);
        // A file by its path.
        let file = s.inputs.iter().find(|file| solution.of == SolutionOf::Rows(file.name.clone()));
        let shown = file.map_or_else(|| solution.of.to_string(), |file| file.shown.clone());
        Some(Errors { solution: shown, rows: comparison.rows(), outputs: comparison.errors() })
    }

    /// The cells of an output.
    pub fn cells(&self, name: &str) -> [String; 2] {
        let error = self.outputs.iter().find(|e| e.name == name);
        error.map_or_else(Default::default, |e| [e.largest, e.relative].map(|x| format!("{x:.3e}")))
    }

    /// The largest of all in a line.
    pub fn line(&self) -> String {
        let worst = self.worst();
        let worst = worst.map(|e| format!("{:.3e} of the amplitude (`{}`)", e.relative, e.name)).unwrap_or_default();
        format!("largest error {worst}, beside `{}` in {}", self.solution, counted(self.rows, "row"))
    }

    /// The failure where one is larger than the scenario allows; NaN is larger than any.
    pub fn missed(&self, s: &Scenario) -> Option<Failure> {
        let (allowed, worst) = (s.solution.as_ref()?.tolerance?, self.worst()?);
        let is_met = worst.relative <= allowed;
        (!is_met)
            .then(|| Failure::Inaccurate(format!("{}; `tolerance` of `[solution]` allows {allowed:e}", self.line())))
    }

    /// The verdict where an error is above one amplitude; NaN is. Outputs that are only rounding beside another one in the same unit of
    /// measurement have no amplitude.
    pub fn verdict(&self) -> Option<Verdict> {
        let amplitude = |e: &OutputError| if e.relative > 0.0 { e.largest / e.relative } else { 0.0 };
        let largest = |unit: &str| self.outputs.iter().filter(|e| e.unit == unit).map(amplitude).fold(0.0, f64::max);
        let is_off =
            |e: &&OutputError| e.relative.is_nan() || e.relative > 1.0 && amplitude(e) > ROUNDING * largest(&e.unit);
        let relative = self.outputs.iter().find(is_off)?.relative;
        Some(Verdict::new(Grade::Doubtful, self.line(), Some(relative)))
    }

    /// The output with the largest error; NaN is larger than any.
    fn worst(&self) -> Option<&OutputError> {
        self.outputs.iter().max_by(|a, b| a.relative.abs().total_cmp(&b.relative.abs()))
    }
}
