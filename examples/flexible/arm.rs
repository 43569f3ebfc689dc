//! A pendulum arm as a flexible body, with a payload in a bushing at its tip: two units, coupled, and in one piece.
//!
//! ```text
//! arm (flexible_body, hinged about z)  ── r, v of the tip ──►  payload
//!                                      ◄── force on the tip ──
//! ```
//!
//! The payload's force follows the tip's motion at once, the arm's motion depends on states only: there is no algebraic loop.
//!
//! *In one piece*: the same equations as one system, by the classical Runge–Kutta scheme with steps that resolve the highest
//! mode of the arm.

use macrostep_analysis::models::{self, Factory};
use macrostep_benchmarks::{GRAVITY_M_S2, PAYLOAD, pendulum};
use macrostep_flexible::moving::{Loads, Workspace};
use macrostep_flexible::{BodyState, FlexibleBody, Joint};
use macrostep_master::RunError;
use macrostep_master::record::Trace;
use macrostep_models_flexible::{ARM, ImportedBody, Stored};
use macrostep_system::Scenario;
use macrostep_system::words::{Correct, Predict};
use nalgebra::Vector3;

/// A coupled run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pendulum {
    /// Macro step H (s).
    pub step_s: f64,
    /// Macro steps.
    pub steps: u64,
    /// Macro steps between two recorded points.
    pub every: u64,
    /// Prediction of the inputs.
    pub predict: Predict,
    /// Correction of a macro step.
    pub correct: Correct,
}

/// One point of a run: tip of the arm, direction of the arm at its hinge (angle, rad), payload.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Time (s).
    pub t_s: f64,
    /// Tip (m).
    pub tip: Vector3<f64>,
    /// Angle of the hinge about z (rad).
    pub angle: f64,
    /// Payload (m).
    pub payload: Vector3<f64>,
}

impl Point {
    /// Where the tip is across a rigid arm of 1 m at this angle: its elastic deflection (m).
    pub fn deflection(&self) -> f64 {
        let (s, c) = self.angle.sin_cos();
        self.tip.y * c - self.tip.x * s
    }
}

impl Pendulum {
    /// The run as a scenario.
    pub fn scenario(&self) -> Scenario {
        let mut s = pendulum(self.step_s, self.step_s * self.steps as f64, 1);
        (s.coupling.predict, s.coupling.correct) = (self.predict, self.correct);
        s.record.every = self.every;
        s
    }

    /// Runs arm and payload as two units in Jacobi, from rest in the horizontal.
    ///
    /// # Errors
    /// Where a unit is missing, refuses a value or fails.
    pub fn run(&self, factory: Factory<'_>) -> Result<Vec<Point>, RunError> {
        // The run.
        let mut simulation = models::simulation(&self.scenario(), factory)?;
        let mut trace = Trace::new(simulation.columns().to_vec());
        simulation.run(self.steps, self.every, &mut trace)?;
        simulation.terminate()?;
        // Recorded variables stand in the order of the FMUs' descriptions.
        let place = |name: &str| {
            trace.columns().iter().position(|c| c.name == name).ok_or_else(|| {
                RunError::grid(
                    "recorded variables",
                    format!("none of the name `{name}`"),
                    "those that the scenario records",
                )
            })
        };
        // Columns of the tip, of the payload, and of the arm's angle.
        let [tip, payload] = ["arm.tip.r", "payload.r"].map(|name| [1, 2, 3].map(|i| format!("{name}[{i}]")));
        let [cosine, sine] = [1, 2].map(|row| format!("arm.hinge.R[{row},1]"));
        let vector = |names: &[String; 3]| -> Result<[usize; 3], RunError> {
            Ok([place(&names[0])?, place(&names[1])?, place(&names[2])?])
        };
        let (tip, payload, cosine, sine) = (vector(&tip)?, vector(&payload)?, place(&cosine)?, place(&sine)?);
        let point = |row: &[f64]| Point {
            t_s: row[0],
            tip: tip.map(|i| row[i]).into(),
            angle: row[sine].atan2(row[cosine]),
            payload: payload.map(|i| row[i]).into(),
        };
        Ok(trace.rows().map(point).collect())
    }
}

/// Arm and payload as one system.
pub struct OnePiece {
    body: FlexibleBody,
    work: Workspace,
    loads: Loads,
    /// State of the body, then r and v of the payload.
    values: Vec<f64>,
    stages: [Vec<f64>; 4],
    trial: Vec<f64>,
}

impl OnePiece {
    /// At rest in the horizontal.
    ///
    /// # Errors
    /// What is wrong with the stored arm; never in a program that was built from its own sources.
    pub fn new() -> Result<Self, String> {
        let (arm, _) = ImportedBody::from_bytes(ARM).map_err(|e| e.to_string())?;
        let body = arm.body;
        let mut work = Workspace::new(&body);
        work.hold(Joint::HingeZ);
        let mut loads = Loads::none(body.connectors.len());
        loads.gravity = Vector3::y() * -GRAVITY_M_S2;
        let mut values = BodyState::rest(body.modes()).values().to_vec();
        values.extend([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let (zero, trial) = (vec![0.0; values.len()], values.clone());
        Ok(OnePiece { body, work, loads, stages: std::array::from_fn(|_| zero.clone()), trial, values })
    }

    /// The largest step (s) that resolves stiffness and damping of the arm's highest mode with a margin.
    pub fn step_s(&self) -> f64 {
        let fastest =
            self.body.stiffness.iter().zip(&self.body.damping).map(|(k, d)| k.sqrt().max(*d)).fold(0.0, f64::max);
        2.0 / fastest
    }

    fn split(&self, values: &[f64]) -> usize {
        values.len() - 6
    }

    fn body_state(&self, values: &[f64]) -> Result<BodyState, macrostep_flexible::Error> {
        BodyState::from_values(values[..self.split(values)].to_vec(), self.body.modes())
    }

    fn rate(&mut self, stage: usize) -> Result<(), macrostep_flexible::Error> {
        let n = self.split(&self.trial);
        let tip = self.body.motion(&self.body_state(&self.trial)?, 1)?;
        let vector = |i: usize| Vector3::from_column_slice(&self.trial[n + i..n + i + 3]);
        let [mass, stiffness, damping] = PAYLOAD;
        let force = (vector(0) - tip.position) * stiffness + (vector(3) - tip.velocity) * damping;
        let fall = self.loads.gravity - force / mass;
        self.loads.wrenches[1].force = force;
        let rate = &mut self.stages[stage];
        self.body.rate(&self.trial[..n], &self.loads, &mut self.work, &mut rate[..n])?;
        rate[n..n + 3].copy_from_slice(&self.trial[n + 3..]);
        rate[n + 3..].copy_from_slice(fall.as_slice());
        Ok(())
    }

    /// Advances by `span_s` seconds in equal steps of at most [`OnePiece::step_s`].
    ///
    /// # Errors
    /// Those of the body's equations.
    pub fn advance(&mut self, span_s: f64) -> Result<(), macrostep_flexible::Error> {
        let count = (span_s / self.step_s()).ceil().max(1.0) as u64;
        let h = span_s / count as f64;
        for _ in 0..count {
            for (stage, at) in [0.0, 0.5, 0.5, 1.0].into_iter().enumerate() {
                self.trial.copy_from_slice(&self.values);
                if let Some(before) = stage.checked_sub(1) {
                    self.trial.iter_mut().zip(&self.stages[before]).for_each(|(y, k)| *y += h * at * k);
                }
                self.rate(stage)?;
            }
            for (i, y) in self.values.iter_mut().enumerate() {
                let [a, b, c, d] = self.stages.each_ref().map(|stage| stage[i]);
                *y += h / 6.0 * (a + 2.0 * (b + c) + d);
            }
        }
        Ok(())
    }

    /// The point reached, called `t_s`.
    ///
    /// # Errors
    /// Never for a state of this body.
    pub fn point(&self, t_s: f64) -> Result<Point, macrostep_flexible::Error> {
        let state = self.body_state(&self.values)?;
        let hinge = self.body.motion(&state, 0)?.rotation;
        let n = self.split(&self.values);
        Ok(Point {
            t_s,
            tip: self.body.motion(&state, 1)?.position,
            angle: hinge[(1, 0)].atan2(hinge[(0, 0)]),
            payload: Vector3::from_column_slice(&self.values[n..n + 3]),
        })
    }
}

/// Root mean square distance of the tips of two runs at the same points (m).
pub fn distance_m(a: &[Point], b: &[Point]) -> f64 {
    let sum: f64 = a.iter().zip(b).map(|(a, b)| (a.tip - b.tip).norm_squared()).sum();
    (sum / a.len().min(b.len()).max(1) as f64).sqrt()
}
