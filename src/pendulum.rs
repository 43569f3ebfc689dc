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

use std::sync::Arc;

use macrostep_flexible::moving::{Loads, Workspace};
use macrostep_flexible::{BodyState, FlexibleBody, Joint};
use macrostep_master::predict::Lagrange;
use macrostep_master::record::Trace;
use macrostep_master::unit::Unit;
use macrostep_master::{Grid, Method, RunError, Simulation, System, SystemError};
use macrostep_models_flexible::{ARM, ImportedBody, Stored};
use nalgebra::Vector3;

use crate::pair::Factory;
pub use macrostep_benchmarks::{GRAVITY_M_S2, MICRO_STEP_S, PAYLOAD};

/// A coupled run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pendulum {
    /// Macro step H (s).
    pub step_s: f64,
    /// Macro steps.
    pub steps: u64,
    /// Macro steps between two recorded points.
    pub every: u64,
    /// Degree of the extrapolation.
    pub degree: usize,
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

fn set(unit: &mut dyn Unit, name: &str, value: f64) -> Result<(), RunError> {
    let found = unit.description().variable(name).map(|v| v.value_reference);
    let missing = || SystemError::UnknownVariable {
        unit: unit.name().to_string(),
        variable: name.to_string(),
        hint: "is this the arm, or the payload?".to_string(),
    };
    let reference = found.ok_or_else(missing)?;
    Ok(unit.set_real(&[reference], &[value])?)
}

impl Pendulum {
    /// Runs arm and payload as two units in Jacobi, from rest in the horizontal.
    ///
    /// # Errors
    /// Where a unit is missing, refuses a value or fails.
    pub fn run(&self, factory: Factory<'_>) -> Result<Vec<Point>, RunError> {
        let mut system = System::new();
        let (mut arm, mut payload) = (factory("flexible_body", "arm")?, factory("payload", "payload")?);
        set(arm.as_mut(), "micro_step", MICRO_STEP_S)?;
        set(arm.as_mut(), "gravity[2]", -GRAVITY_M_S2)?;
        set(payload.as_mut(), "gravity[2]", -GRAVITY_M_S2)?;
        for (name, value) in ["m", "k", "c"].into_iter().zip(PAYLOAD) {
            set(payload.as_mut(), name, value)?;
        }
        set(payload.as_mut(), "r0[1]", 1.0)?;
        set(payload.as_mut(), "micro_step", MICRO_STEP_S)?;
        let (arm, payload) = (system.add(arm), system.add(payload));
        for (name, input) in [("tip.r", "r_tip"), ("tip.v", "v_tip")] {
            for i in 1..=3 {
                let channel = system.channel(arm, &[&format!("{name}[{i}]")])?;
                system.connect(channel.component(0), payload, &format!("{input}[{i}]"))?;
            }
        }
        for i in 1..=3 {
            let channel = system.channel(payload, &[&format!("force[{i}]")])?;
            system.connect(channel.component(0), arm, &format!("tip.force[{i}]"))?;
        }
        let method = Method { predictor: Arc::new(Lagrange::new(self.degree)), ..Method::default() };
        let stop_s = self.step_s * self.steps as f64;
        let mut simulation = Simulation::new(system, &method, Grid::uniform(self.step_s, stop_s))?;
        for name in ["tip.r[1]", "tip.r[2]", "tip.r[3]", "hinge.R[1,1]", "hinge.R[2,1]"] {
            simulation.record(arm, name, name)?;
        }
        for name in ["r[1]", "r[2]", "r[3]"] {
            simulation.record(payload, name, name)?;
        }
        simulation.initialise()?;
        let mut trace = Trace::new(simulation.columns().to_vec());
        simulation.run(self.steps, self.every, &mut trace)?;
        simulation.terminate()?;
        let point = |row: &[f64]| Point {
            t_s: row[0],
            tip: Vector3::new(row[1], row[2], row[3]),
            angle: row[5].atan2(row[4]),
            payload: Vector3::new(row[6], row[7], row[8]),
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
