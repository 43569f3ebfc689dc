//! A *method*: how a system is coupled. Prediction, schedule and correction are chosen one by one; any combination is a
//! method.

use crate::control::StepControl;
use crate::correct::Correction;
use crate::power::EnergyCorrection;
use crate::predict::{Lagrange, Predictor};
use crate::schedule::Schedule;
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
    /// Macro step control; `None` for steps of one length.
    pub control: Option<StepControl>,
    /// Steps per communication step for units that cannot interpolate their inputs, default 1.
    pub sub_steps: usize,
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
        }
    }
}
