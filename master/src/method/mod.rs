//! A *method*: how a system is coupled. Prediction, schedule and correction are chosen one by one; any combination is a
//! method.

pub mod correct;
pub mod predict;
pub(crate) mod schedule;

use crate::method::correct::Correction;
use crate::method::predict::{Lagrange, Predictor};
use crate::method::schedule::Schedule;
use std::sync::Arc;

/// Which inputs feed-through outputs are sampled with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sampling {
    /// With the true values of all signals at the communication point.
    #[default]
    Updated,
    /// With what the unit still holds from its last step.
    Lagged,
}

/// Energy corrections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EnergyCorrection {
    /// It is watched.
    #[default]
    Monitor,
    /// What the last step's extrapolation missed is added to the next (nearly energy-preserving coupling element).
    Nepce,
    /// A damper between the ports takes it out.
    Leak,
}

/// The estimate that step control compares with the tolerance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Estimate {
    /// Predicted against actual inputs.
    Error,
    /// Residual energy of power bonds.
    Ecco,
}

/// Settings of step control.
#[derive(Debug, Clone)]
pub struct StepControl {
    /// What is estimated.
    pub estimate: Estimate,
    /// Tolerance of the estimate, relative.
    pub tolerance: f64,
    /// The shortest step is this part of the largest, default 1024.
    pub parts: u32,
    /// Predictors of degree 0, 1, … to choose from, all with the same edge; the method's predictor alone where it is empty.
    pub family: Vec<Arc<dyn Predictor>>,
    /// k of the first of them: what it predicts is off by O(H^{k+1}). Default 0.
    pub lowest: usize,
}

impl StepControl {
    /// Without a choice of degree.
    pub fn new(estimate: Estimate, tolerance: f64) -> Self {
        StepControl { estimate, tolerance, parts: 1024, family: Vec::new(), lowest: 0 }
    }
}

/// The settings of a coupling scheme; a definition, never changed in a run.
#[derive(Debug, Clone)]
pub struct Method {
    /// What is believed of signals beyond what is known.
    pub predictor: Arc<dyn Predictor>,
    /// Who sees whose new outputs.
    pub schedule: Schedule,
    /// Whether and how a window is repeated until it is consistent.
    pub correction: Correction,
    /// Which inputs feed-through outputs are sampled with.
    pub sampling: Sampling,
    /// What is done about the residual energy of power bonds.
    pub energy: EnergyCorrection,
    /// Step control; `None` for steps of one length.
    pub control: Option<StepControl>,
    /// Steps per communication step for units that cannot interpolate their inputs, default 1.
    pub sub_steps: usize,
    /// How far a part of lower degree may be from the polynomial of an input, relative to the size of the input, default 1e-4: for units that
    /// take derivatives of a low order only. Parts have the moments of the whole, so the result is off by about its square.
    pub deviation: f64,
}

impl Default for Method {
    /// Jacobi with hold, explicit.
    fn default() -> Self {
        Method {
            predictor: Arc::new(Lagrange::new(0)),
            schedule: Schedule::Jacobi,
            correction: Correction::Explicit,
            sampling: Sampling::Updated,
            energy: EnergyCorrection::Monitor,
            control: None,
            sub_steps: 1,
            deviation: 1e-4,
        }
    }
}
