//! Projected Gauss–Seidel: slow, simple, and independent of the pivoting.
//!
//! ```text
//! z_i ← clip(z_i − (q_i + Σ_j N_ij z_j)/N_ii, lo_i, hi_i),      i = 1 … m, 1 … m, …
//! ```
//!
//! Friction bounds follow the latest `z_n` inside the sweep.

use crate::{Failure, Problem, dense, problem::clip, problem::scale};

/// When to stop sweeping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GaussSeidelOptions {
    /// Accept when the natural residual is at most this times `1 + ‖z‖∞`. Default 1e-10.
    pub tolerance: f64,
    /// Limit of sweeps. Default 100 000: convergence is linear with a rate close to 1 for chains of bodies.
    pub sweeps_max: usize,
}

impl Default for GaussSeidelOptions {
    fn default() -> Self {
        Self { tolerance: 1e-10, sweeps_max: 100_000 }
    }
}

/// Improves `z` (m entries, the start) until it solves `problem`; returns the number of sweeps.
///
/// # Errors
/// [`Failure::IllPosed`] also for a start of the wrong size, [`Failure::Singular`] for a diagonal entry that is not
/// positive, [`Failure::NotConverged`] at the limit of sweeps.
pub fn gauss_seidel(problem: &Problem, options: &GaussSeidelOptions, z: &mut [f64]) -> Result<usize, Failure> {
    // Each row is divided by its diagonal entry, which must be positive.
    problem.check()?;
    let m = problem.rows();
    if z.len() != m {
        return Err(crate::Flaw::Size { field: "z", found: z.len(), expected: m }.into());
    }
    for row in 0..m {
        let pivot = problem.matrix_row(row)[row];
        if !(pivot > 0.0) {
            return Err(Failure::Singular { row, pivot });
        }
    }
    // Sweeps until the natural residual is small beside z.
    let (mut residual, mut tolerance) = (f64::INFINITY, 0.0);
    for sweep in 1..=options.sweeps_max {
        for i in 0..m {
            let row = problem.matrix_row(i);
            let (lower, upper) = problem.bounds(i, z);
            z[i] = clip(z[i] - (problem.offset[i] + dense::dot(row, z)) / row[i], lower, upper);
        }
        residual = problem.natural_residual(z);
        tolerance = options.tolerance * scale(z);
        if residual <= tolerance {
            return Ok(sweep);
        }
    }
    Err(Failure::NotConverged { iterations: options.sweeps_max, residual, tolerance })
}
