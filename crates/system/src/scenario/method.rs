//! The method of a scenario: `[coupling]`.

use super::place::Place;
use crate::words::{Control, Correct, Derivative, Energy, Named, Predict, Sampling, Schedule, Variant};

/// Shortest steps in a longest one, unless said otherwise.
const PARTS: u32 = 1024;

/// More of them would leave no room to count them over a run.
const PARTS_MAX: u32 = 1 << 20;

/// The method.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Coupling {
    /// A method with a name; schedule, prediction and correction are then its own.
    pub method: Option<Named>,
    /// Who steps when.
    pub schedule: Schedule,
    /// Order of the units for Gauss–Seidel and palindromic; empty: the order of the file, or its opposite.
    pub order: Vec<String>,
    /// Prediction of inputs.
    pub predict: Predict,
    /// What integrated acceleration makes of a known end.
    pub gs_variant: Variant,
    /// Where derivatives of motions come from.
    pub derivative: Derivative,
    /// Correction of a macro step.
    pub correct: Correct,
    /// Relative residual at which a correction ends, default 1e-12.
    pub corrector_tolerance: Option<f64>,
    /// Most corrections in a window.
    pub corrections_max: Option<usize>,
    /// Evaluation of feed-through outputs.
    pub sampling: Sampling,
    /// What is done about the energy that power bonds make.
    pub energy: Energy,
    /// Choice of the communication step.
    pub control: StepChoice,
    /// Steps per communication step of units that cannot interpolate their inputs; 0: one.
    pub sub_steps: usize,
    /// Where.
    pub place: Place,
}

/// How the communication step is chosen as a run goes on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepChoice {
    /// By what.
    pub kind: Control,
    /// Of the inputs predicted, or of residual power; relative.
    pub tolerance: f64,
    /// Shortest step \[s\]; `None`: 1/1024 of the longest. What is used is the part 1/n of the longest that comes next above.
    pub step_min_s: Option<f64>,
    /// Longest step \[s\]; `None`: the step of the experiment.
    pub step_max_s: Option<f64>,
}

/// Steps of one length.
impl Default for StepChoice {
    fn default() -> Self {
        StepChoice { kind: Control::Fixed, tolerance: 1e-4, step_min_s: None, step_max_s: None }
    }
}

impl StepChoice {
    /// Shortest steps in a longest one of `step_s` seconds.
    pub fn parts(&self, step_s: f64) -> u32 {
        let shortest = |min_s: f64| (step_s / min_s * (1.0 + 1e-9)).floor().clamp(1.0, f64::from(PARTS_MAX)) as u32;
        self.step_min_s.map_or(PARTS, shortest)
    }
}

impl Coupling {
    /// Whether the method repeats steps.
    pub fn repeats_steps(&self) -> bool {
        self.correct.repeats() || self.control.kind != Control::Fixed
    }

    /// Takes a method with a name: its schedule, prediction and correction, and its choice of steps where there is no other one.
    pub fn take(&mut self, method: Named) {
        // What another name has brought goes with it.
        if self.method.take().and_then(Named::control) == Some((self.control.kind, self.control.tolerance)) {
            self.control = StepChoice::default();
        }
        if let Some((kind, tolerance)) = method.control().filter(|_| self.control.kind == Control::Fixed) {
            (self.control.kind, self.control.tolerance) = (kind, tolerance);
        }
        self.method = Some(method);
        (self.schedule, self.predict, self.correct) = method.parts();
    }
}
