//! The name of a reduction.

use serde::{Deserialize, Serialize};

/// How a basis was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Method {
    /// One static shape per connector variable and fixed-interface modes.
    CraigBampton {
        /// Number of fixed-interface modes.
        modes: usize,
    },
    /// Moments of the connector transfer function about a real expansion point.
    Krylov {
        /// Expansion point s₀² in rad²/s² (rad/s when A₂ = 0); negative is an undamped frequency.
        shift: f64,
        /// Number of block moments.
        moments: usize,
    },
    /// Lowest free modes.
    Modal {
        /// Number of modes, rigid ones included.
        modes: usize,
    },
    /// Vectors given by the caller.
    Given,
}
