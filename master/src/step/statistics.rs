//! Numbers of calls of a run, and windows whose result is not reliable.

use serde::{Deserialize, Serialize};

/// Numbers of calls and steps of a run so far.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Statistics {
    /// Windows completed.
    pub windows: u64,
    /// Runs of windows, repetitions included; equal to `windows` for explicit coupling.
    pub runs: u64,
    /// Windows whose correction did not converge, or whose nodes have nothing to do with a signal; see
    /// [`crate::Simulation::unconverged`].
    pub unconverged: u64,
    /// Other windows whose nodes resolve a signal less than their number promises, or whose interface model stayed wrong; see [`crate::Simulation::coarse`].
    pub coarse: u64,
    /// Largest relative residual a window was accepted with.
    pub residual_max: f64,
    /// Largest relative defect of virtual work of the pairs of maps under watch; 0 without any.
    pub work_defect: f64,
}
