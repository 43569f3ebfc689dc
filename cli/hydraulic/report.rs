//! The JSON object of a coupled run.

use macrostep_analysis::multirate::{Energy, Multirate, Outcome, Verdict};
use macrostep_crane::crane::{CraneOptions, system};
use macrostep_master::Verdict as RunVerdict;
use macrostep_multibody::Simulation;
use serde::Serialize;

use crate::failure::Failure;

/// The object of `--json`, in full double precision.
#[derive(Debug, Serialize)]
pub struct Summary<'a> {
    scenario: &'a Multirate,
    stable: bool,
    verdict: RunVerdict,
    rms_velocity: Option<&'a [f64]>,
    rms_force: Option<&'a [f64]>,
    energy_mismatch_j: f64,
    real_time_factor: f64,
    max_violation_m: f64,
    max_interface_speed: f64,
    max_solver_residual: f64,
    energy: Energy,
    do_steps: [u64; 2],
    units: &'static str,
    ended_by: Option<&'a str>,
    /// Time of the last values \[s\].
    end_s: f64,
    #[serde(flatten)]
    structure: Option<Structure>,
    #[serde(skip_serializing_if = "Option::is_none")]
    log_height: Option<Vec<[f64; 2]>>,
}

/// The crane's joints.
#[derive(Debug, Clone, Copy, Serialize)]
struct Structure {
    /// Rows of all joints.
    joint_rows: usize,
    /// Rank of their Jacobian: singular values above 1e-9 of the largest.
    joint_rank: usize,
    /// Degrees of freedom.
    mobility: usize,
}

impl Structure {
    /// Counts the crane at its assembly.
    ///
    /// # Errors
    /// [`Failure::Run`] never for the crane's own data.
    fn of_the_crane() -> Result<Self, Failure> {
        let system = system(&CraneOptions::default()).map_err(Failure::run)?;
        let values = Simulation::new(system.clone()).joint_jacobian().singular_values();
        let joint_rank = values.iter().filter(|s| **s > 1e-9 * values.max()).count();
        let mobility = 6 * system.bodies().len() - joint_rank;
        Ok(Self { joint_rows: system.bilateral_rows(), joint_rank, mobility })
    }
}

impl<'a> Summary<'a> {
    /// Of a run, its scenario and its comparison with the reference.
    ///
    /// # Errors
    /// [`Failure::Run`] never for the crane's own data.
    pub fn new(
        scenario: &'a Multirate,
        outcome: &'a Outcome,
        verdict: Option<&'a Verdict>,
        stable: bool,
    ) -> Result<Self, Failure> {
        // The course of the log over time, in pairs.
        let heights = |z: Vec<f64>| {
            let time = outcome.trace.column("time").unwrap_or_default();
            time.into_iter().zip(z).map(|(t, z)| [t, z]).collect()
        };
        // What the run and the comparison gave, and of the crane its structure.
        Ok(Self {
            scenario,
            stable,
            verdict: super::graded(outcome, stable),
            rms_velocity: verdict.map(|v| v.rms_velocity.as_slice()),
            rms_force: verdict.map(|v| v.rms_force.as_slice()),
            energy_mismatch_j: outcome.energy_mismatch_j,
            real_time_factor: outcome.real_time_factor,
            max_violation_m: outcome.violation_max_m,
            max_interface_speed: outcome.speed_max_ms,
            max_solver_residual: outcome.residual_max,
            energy: outcome.energy,
            do_steps: outcome.do_steps,
            units: outcome.units,
            ended_by: outcome.ended_by.as_deref(),
            end_s: outcome.end_s,
            structure: if scenario.plant.is_crane() { Some(Structure::of_the_crane()?) } else { None },
            log_height: outcome.trace.column("log_height").map(heights),
        })
    }

    /// One line.
    ///
    /// # Errors
    /// [`Failure::Json`].
    pub fn json(&self) -> Result<String, Failure> {
        Ok(serde_json::to_string(self)?)
    }
}
