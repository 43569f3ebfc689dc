//! Micro steps of fixed length.
//!
//! *Linearly implicit*: the trapezoidal rule for stiffness and damping, the midpoint for everything else, one right-hand
//! side and one solution a step. With a the accelerations of this step and a⁻ those of the step before,
//!
//! ```text
//! midpoint   ω_m = ω + h ω̇⁻/2,  q_m = q + h q̇/2,  q̇_m = q̇ + h q̈⁻/2,  A_m = A exp(h ω/2)
//! solve      Mass(q_m) a = loads_m − quadratic(q_m, ω_m, q̇_m) − K (q + h q̇/2 + h² q̈/4) − D (q̇ + h q̈/2)
//! advance    x₊ = x + h v + h² a/2,  v₊ = v + h a,  A₊ = A exp(h ω + h² ω̇/2)
//! ```
//!
//! Second order; stiffness and damping set no bound on the step, the gyroscopic terms h |ω| < 1.
//!
//! *Runge–Kutta 4*: the classical scheme on the flat state; its step is bounded by the highest frequency, h ω_n < 2.8.

use super::state::{FRAME, orientation, vector};
use super::{FlexibleBody, Joint, Loads, Workspace};
use crate::Error;
use nalgebra::{UnitQuaternion, Vector3};

/// Scratch memory of micro steps of one body; nothing in it outlives a step.
#[derive(Debug, Clone)]
pub struct MicroStep {
    work: Workspace,
    trial: Vec<f64>,
    stages: [Vec<f64>; 4],
    loads: Loads,
}

impl MicroStep {
    /// Memory for a body; the frame is held by `joint`.
    pub fn new(body: &FlexibleBody, joint: Joint) -> Self {
        let size = FRAME + 2 * body.modes();
        let mut work = Workspace::new(body);
        work.hold(joint);
        Self {
            work,
            trial: vec![0.0; size],
            stages: std::array::from_fn(|_| vec![0.0; size]),
            loads: Loads::none(body.connectors.len()),
        }
    }

    /// Holds the frame by another joint from now on.
    pub fn hold(&mut self, joint: Joint) {
        self.work.hold(joint);
    }

    /// Accelerations at a flat state: of the origin in world axes, of the spin, of the elastic coordinates (6 + n).
    ///
    /// # Errors
    /// [`Error::Factorisation`] when the mass matrix is singular.
    pub fn accelerations(
        &mut self,
        body: &FlexibleBody,
        values: &[f64],
        acceleration: &mut [f64],
        loads: impl FnOnce(&mut Loads),
    ) -> Result<(), Error> {
        loads(&mut self.loads);
        body.balance(values, &self.loads, &mut self.work);
        self.work.diagonal.fill(1.0);
        body.solve_free(&mut self.work)?;
        self.keep(&orientation(values), acceleration);
        Ok(())
    }

    /// The solution in the workspace, as [`MicroStep::accelerations`] orders it.
    fn keep(&self, turn: &UnitQuaternion<f64>, acceleration: &mut [f64]) {
        let (a, spin_rate) = self.work.frame_acceleration();
        acceleration[..3].copy_from_slice((turn * a).as_slice());
        acceleration[3..6].copy_from_slice(spin_rate.as_slice());
        acceleration[6..].copy_from_slice(&self.work.elastic_acceleration);
    }

    /// One linearly implicit step of `step_s` (s); `before` holds the accelerations of the step before (6 + n, in the
    /// order of [`MicroStep::accelerations`]) and then those of this one; `loads` fills in those at the step's middle.
    ///
    /// # Errors
    /// [`Error::Factorisation`] when the mass matrix is singular.
    pub fn linearly_implicit(
        &mut self,
        body: &FlexibleBody,
        (values, before): (&mut [f64], &mut [f64]),
        step_s: f64,
        loads: impl FnOnce(&mut Loads),
    ) -> Result<(), Error> {
        let (h, n) = (step_s, body.modes());
        // Midpoint: half a step with the rates of now and the accelerations of the step before.
        let (turn, spin) = (orientation(values), vector(values, 10));
        let middle = turn * UnitQuaternion::from_scaled_axis(spin * (0.5 * h));
        self.trial.copy_from_slice(values);
        self.trial[3..7].copy_from_slice(middle.coords.as_slice());
        for i in 0..3 {
            self.trial[i] += 0.5 * h * values[7 + i];
            self.trial[7 + i] += 0.5 * h * before[i];
            self.trial[10 + i] += 0.5 * h * before[3 + i];
        }
        for k in 0..n {
            self.trial[FRAME + k] += 0.5 * h * values[FRAME + n + k];
            self.trial[FRAME + n + k] += 0.5 * h * before[6 + k];
        }
        // Right-hand side at the midpoint.
        loads(&mut self.loads);
        body.balance(&self.trial, &self.loads, &mut self.work);
        for k in 0..n {
            // The balance damps the predicted rate; the trapezoidal rule damps that of the start and what E adds.
            self.work.elastic[k] += body.damping[k] * (self.trial[FRAME + n + k] - values[FRAME + n + k]);
            self.work.diagonal[k] = 1.0 + 0.5 * h * body.damping[k] + 0.25 * h * h * body.stiffness[k];
        }
        // Accelerations of this step; they are kept for the next.
        body.solve_free(&mut self.work)?;
        self.keep(&middle, before);
        // x₊ = x + h v + h² a/2, v₊ = v + h a, A₊ = A exp(h ω + h² ω̇/2).
        let advance = |x: &mut f64, v: f64, a: f64| *x += h * (v + 0.5 * h * a);
        for i in 0..3 {
            let v = values[7 + i];
            advance(&mut values[i], v, before[i]);
            values[7 + i] += h * before[i];
            values[10 + i] += h * before[3 + i];
        }
        let turned = Vector3::from_fn(|i, _| h * (spin[i] + 0.5 * h * before[3 + i]));
        let turn = turn * UnitQuaternion::from_scaled_axis(turned);
        values[3..7].copy_from_slice(turn.coords.as_slice());
        for k in 0..n {
            let rate = values[FRAME + n + k];
            advance(&mut values[FRAME + k], rate, before[6 + k]);
            values[FRAME + n + k] += h * before[6 + k];
        }
        Ok(())
    }

    /// One step of the classical Runge–Kutta scheme; `loads` fills in those at a time since the step's start.
    ///
    /// # Errors
    /// [`Error::Factorisation`] when the mass matrix is singular.
    pub fn runge_kutta_4(
        &mut self,
        body: &FlexibleBody,
        values: &mut [f64],
        step_s: f64,
        mut loads: impl FnMut(f64, &mut Loads),
    ) -> Result<(), Error> {
        const AT: [f64; 4] = [0.0, 0.5, 0.5, 1.0];
        const WEIGHT: [f64; 4] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];
        // Four stages, each from the slope of the one before.
        for stage in 0..4_usize {
            self.trial.copy_from_slice(values);
            if let Some(before) = stage.checked_sub(1) {
                let slope = self.stages[before].iter();
                self.trial.iter_mut().zip(slope).for_each(|(y, k)| *y += step_s * AT[stage] * k);
            }
            loads(AT[stage] * step_s, &mut self.loads);
            body.rate(&self.trial, &self.loads, &mut self.work, &mut self.stages[stage])?;
        }
        // Their weighted sum; the orientation is made of length 1 again.
        for (stage, weight) in self.stages.iter().zip(WEIGHT) {
            values.iter_mut().zip(stage).for_each(|(y, k)| *y += step_s * weight * k);
        }
        let turn = orientation(values);
        values[3..7].copy_from_slice(turn.coords.as_slice());
        Ok(())
    }
}
