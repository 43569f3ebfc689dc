//! The words for a predictor on the command line; what they mean is in the crate of systems.

use clap::ValueEnum;
use macrostep_master::predict::Variant;
use serde::Serialize;

pub use macrostep_system::words::{Family, Predict};

/// What integrated acceleration makes of a body that a Gauss–Seidel schedule knows at the end of the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GsVariant {
    /// Accelerations through the end, integrated from the start of the step
    N0,
    /// Accelerations through the end, integrated from the end backwards
    N1,
    /// Cubic Hermite polynomial in (x, v)
    #[default]
    H3,
    /// Quintic Hermite polynomial in (x, v, a)
    H5,
}

impl GsVariant {
    /// As the master has it.
    pub fn of_master(self) -> Variant {
        match self {
            Self::N0 => Variant::N0,
            Self::N1 => Variant::N1,
            Self::H3 => Variant::H3,
            Self::H5 => Variant::H5,
        }
    }
}
