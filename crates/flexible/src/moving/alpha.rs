//! Generalised-α on the motion group: implicit, second order, with damping of unresolved modes.
//!
//! ```text
//! (1 − α_m) a₊ + α_m a = (1 − α_f) u̇₊ + α_f u̇
//! x₊ = x ∘ exp(h u + h² ((½ − β) a + β a₊)),   u₊ = u + h ((1 − γ) a + γ a₊)
//! α_m = (2ρ − 1)/(ρ + 1),  α_f = ρ/(ρ + 1),  γ = ½ + α_f − α_m,  β = ¼ (½ + γ)²
//! ```
//!
//! with the equations of motion satisfied at the end of the step. Newton's matrix takes inertia, damping and stiffness
//! and leaves the gyroscopic terms out, so its elastic block stays diagonal.
//!
//! # Notation
//! | symbol | meaning |
//! |---|---|
//! | x, u | pose and elastic coordinates, their rates (spin for the orientation) |
//! | a | algorithmic acceleration |
//! | ρ | spectral radius at infinite frequency, 0 … 1 |
//!
//! # References
//! Brüls, Cardona, Arnold, *Lie group generalized-α time integration of constrained flexible multibody systems*,
//! Mechanism and Machine Theory 48 (2012), equations 32 to 38.

use super::state::{FRAME, Loads};
use super::{BodyState, FlexibleBody, Workspace};
use crate::Error;
use nalgebra::{UnitQuaternion, Vector3, Vector6};
use serde::{Deserialize, Serialize};

/// Prescribed motion of the reference frame at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameMotion {
    /// Position of the origin in m.
    pub position: Vector3<f64>,
    /// Orientation, body to world.
    pub orientation: UnitQuaternion<f64>,
    /// Velocity in world axes, m/s.
    pub velocity: Vector3<f64>,
    /// Spin in body axes, rad/s.
    pub spin: Vector3<f64>,
    /// Acceleration in world axes, m/s².
    pub acceleration: Vector3<f64>,
    /// Rate of spin in body axes, rad/s².
    pub spin_rate: Vector3<f64>,
}

/// The support of the reference frame during a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Base {
    /// Nothing: the body is free.
    Free,
    /// The frame is driven and has this motion at the end of the step.
    Driven(FrameMotion),
}

impl Base {
    /// Acceleration of the origin and rate of spin of a driven frame with this orientation, in body axes.
    fn acceleration(&self, turn: &UnitQuaternion<f64>) -> Option<(Vector3<f64>, Vector3<f64>)> {
        match self {
            Base::Free => None,
            Base::Driven(motion) => Some((turn.inverse() * motion.acceleration, motion.spin_rate)),
        }
    }
}

/// Accelerations an implicit step carries to the next; part of the savable state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AlphaMemory {
    /// True accelerations: origin (world axes), spin (body axes), q̈.
    rates: Vec<f64>,
    /// Algorithmic accelerations in the same order.
    algorithmic: Vec<f64>,
}

/// Where a step ends, and what acts there.
#[derive(Debug, Clone, Copy)]
pub struct StepEnd<'a> {
    /// Time \[s\].
    pub end_s: f64,
    /// Its length \[s\].
    pub step_s: f64,
    /// Loads on the body.
    pub loads: &'a Loads,
    /// What the moving frame does.
    pub base: &'a Base,
}

/// The integrator with its parameters and scratch memory.
#[derive(Debug, Clone)]
pub struct GeneralizedAlpha {
    /// Bound on the Newton residual relative to the largest term of it. Default 1e-12.
    pub tolerance: f64,
    /// Most Newton iterations of a step. Default 20.
    pub iterations_max: usize,
    /// Newton iterations made so far.
    pub iterations: usize,
    alpha_m: f64,
    alpha_f: f64,
    beta: f64,
    gamma: f64,
    work: Workspace,
    next: AlphaMemory,
    trial: BodyState,
}

impl GeneralizedAlpha {
    /// Memory for a body; `rho` in [0, 1] is the spectral radius at infinite frequency (0.8 damps gently).
    pub fn new(body: &FlexibleBody, rho: f64) -> Self {
        let rho = rho.clamp(0.0, 1.0);
        let (alpha_m, alpha_f) = ((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
        let gamma = 0.5 + alpha_f - alpha_m;
        let n = 6 + body.modes();
        Self {
            tolerance: 1e-12,
            iterations_max: 20,
            iterations: 0,
            alpha_m,
            alpha_f,
            beta: 0.25 * (0.5 + gamma).powi(2),
            gamma,
            work: Workspace::new(body),
            next: AlphaMemory { rates: vec![0.0; n], algorithmic: vec![0.0; n] },
            trial: BodyState::rest(body.modes()),
        }
    }

    /// Consistent accelerations at the start of an integration of a free body, or of one driven by `base`.
    ///
    /// # Errors
    /// Those of [`FlexibleBody::accelerations`].
    pub fn start(
        &mut self,
        body: &FlexibleBody,
        state: &BodyState,
        loads: &Loads,
        base: &Base,
    ) -> Result<AlphaMemory, Error> {
        // What acts on the body at the start.
        body.check(state)?;
        let turn = state.orientation();
        self.work.driven = base.acceleration(&turn);
        body.balance(state.values(), loads, &mut self.work);
        self.work.diagonal.fill(1.0);
        // The frame moves freely, or as it is driven; elastic coordinates follow.
        match base {
            Base::Free => body.solve_free(&mut self.work)?,
            Base::Driven(motion) => {
                self.work.frame_acceleration = in_body(turn, motion.acceleration, motion.spin_rate);
                body.solve_driven(&mut self.work);
            }
        }
        // As the state has its rates: the acceleration of the origin in world axes, that of the spin in axes of the body.
        let (a, spin_rate) = self.work.frame_acceleration();
        let world = turn * a;
        let frame = world.iter().chain(spin_rate.iter());
        let rates: Vec<f64> = frame.chain(&self.work.elastic_acceleration).copied().collect();
        Ok(AlphaMemory { algorithmic: rates.clone(), rates })
    }

    /// One step; returns the Newton iterations it took.
    ///
    /// # Errors
    /// [`Error::Step`] when Newton's iteration does not converge, or a load or the state is not finite; the state is then
    /// unchanged.
    pub fn step(
        &mut self,
        body: &FlexibleBody,
        state: &mut BodyState,
        memory: &mut AlphaMemory,
        StepEnd { end_s, step_s, loads, base }: StepEnd<'_>,
    ) -> Result<usize, Error> {
        body.check(state)?;
        // The first guess: the accelerations of the step before.
        self.next.rates.copy_from_slice(&memory.rates);
        let mut reached = f64::INFINITY;
        for iteration in 1..=self.iterations_max {
            // The end that the guess leads to, and what the equations of motion leave there.
            self.predict(state, memory, step_s);
            if let Base::Driven(motion) = base {
                self.impose(motion);
            }
            self.work.driven = base.acceleration(&self.trial.orientation());
            let size = self.residual(body, loads);
            if let Base::Driven(_) = base {
                self.work.frame.fill(0.0);
            }
            let error = largest(self.work.elastic.iter().chain(&self.work.frame).copied());
            // Neither NaN nor infinity is small.
            if !(error.is_finite() && size.is_finite()) {
                let what = "the loads, the motion of the frame or the state are not finite";
                return Err(Error::Step { time_s: end_s, step_s, what });
            }
            // Converged, or at the rounding level where no further progress is possible.
            if error <= self.tolerance * size || (error <= 1e-9 * size && error > 0.5 * reached) {
                std::mem::swap(&mut self.next, memory);
                std::mem::swap(&mut self.trial, state);
                self.iterations += iteration;
                return Ok(iteration);
            }
            reached = error;
            self.correct(body, base, step_s)?;
        }
        Err(Error::Step { time_s: end_s, step_s, what: "Newton's iteration did not converge" })
    }

    /// Pose, rates and algorithmic accelerations that follow from the accelerations in `next`.
    fn predict(&mut self, state: &BodyState, memory: &AlphaMemory, h: f64) {
        // (1 − α_m) a₊ = (1 − α_f) u̇₊ + α_f u̇ − α_m a.
        let (am, af) = (self.alpha_m, self.alpha_f);
        for i in 0..self.next.rates.len() {
            let sum = (1.0 - af) * self.next.rates[i] + af * memory.rates[i] - am * memory.algorithmic[i];
            self.next.algorithmic[i] = sum / (1.0 - am);
        }
        // x₊ = x ∘ exp(h u + h² ((½ − β) a + β a₊)), u₊ = u + h ((1 − γ) a + γ a₊).
        let (old, new) = (&memory.algorithmic, &self.next.algorithmic);
        let (beta, gamma) = (self.beta, self.gamma);
        let increment = |i: usize, rate: f64| h * rate + h * h * ((0.5 - beta) * old[i] + beta * new[i]);
        let faster = |i: usize, rate: f64| rate + h * ((1.0 - gamma) * old[i] + gamma * new[i]);
        // The frame: orientation by the exponential, all else by addition.
        let (velocity, spin) = (state.velocity(), state.spin());
        let shift = Vector3::from_fn(|i, _| increment(i, velocity[i]));
        let turn = Vector3::from_fn(|i, _| increment(3 + i, spin[i]));
        self.trial.set_position(state.position() + shift);
        self.trial.set_orientation(state.orientation() * UnitQuaternion::from_scaled_axis(turn));
        self.trial.set_velocity(Vector3::from_fn(|i, _| faster(i, velocity[i])));
        self.trial.set_spin(Vector3::from_fn(|i, _| faster(3 + i, spin[i])));
        // Elastic coordinates.
        let n = state.modes();
        let (q, rate) = self.trial.values_mut()[FRAME..].split_at_mut(n);
        for k in 0..n {
            let old_rate = state.elastic_rate()[k];
            q[k] = state.elastic()[k] + increment(6 + k, old_rate);
            rate[k] = faster(6 + k, old_rate);
        }
    }

    fn impose(&mut self, motion: &FrameMotion) {
        self.trial.set_position(motion.position);
        self.trial.set_orientation(motion.orientation);
        self.trial.set_velocity(motion.velocity);
        self.trial.set_spin(motion.spin);
        let frame = motion.acceleration.iter().chain(motion.spin_rate.iter());
        self.next.rates.iter_mut().zip(frame).for_each(|(r, a)| *r = *a);
    }

    /// Residual of the equations of motion into the workspace; returns the size of its largest terms.
    fn residual(&mut self, body: &FlexibleBody, loads: &Loads) -> f64 {
        body.balance(self.trial.values(), loads, &mut self.work);
        let n = body.modes();
        let terms = self.trial.elastic().iter().zip(&body.stiffness).map(|(q, k)| q * k);
        let inertia = &self.next.rates[6..6 + n];
        let size = largest(self.work.frame.iter().chain(inertia).copied().chain(terms));
        let rates = &self.next.rates;
        let world = Vector3::new(rates[0], rates[1], rates[2]);
        let frame = in_body(self.trial.orientation(), world, Vector3::new(rates[3], rates[4], rates[5]));
        body.residual(&frame, &self.next.rates[6..], &mut self.work);
        if size < f64::MIN_POSITIVE { f64::MIN_POSITIVE } else { size }
    }

    /// Newton correction of the accelerations in `next`.
    fn correct(&mut self, body: &FlexibleBody, base: &Base, h: f64) -> Result<(), Error> {
        let weight = (1.0 - self.alpha_f) / (1.0 - self.alpha_m);
        let (stiff, damp) = (h * h * self.beta * weight, h * self.gamma * weight);
        for (k, d) in self.work.diagonal.iter_mut().enumerate() {
            *d = 1.0 + stiff * body.stiffness[k] + damp * body.damping[k];
        }
        match base {
            Base::Free => body.solve_free(&mut self.work)?,
            Base::Driven(_) => {
                self.work.frame_acceleration = Vector6::zeros();
                body.solve_driven(&mut self.work);
            }
        }
        let (a, spin_rate) = self.work.frame_acceleration();
        let world = self.trial.orientation() * a;
        let frame = world.iter().chain(spin_rate.iter());
        let correction = frame.chain(&self.work.elastic_acceleration);
        self.next.rates.iter_mut().zip(correction).for_each(|(r, c)| *r += c);
        Ok(())
    }
}

/// Largest absolute value; NaN where one is.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |m: f64, v| if m.is_nan() || v.is_nan() { f64::NAN } else { m.max(v.abs()) })
}

fn in_body(turn: UnitQuaternion<f64>, acceleration: Vector3<f64>, spin_rate: Vector3<f64>) -> Vector6<f64> {
    let a = turn.inverse() * acceleration;
    Vector6::new(a[0], a[1], a[2], spin_rate[0], spin_rate[1], spin_rate[2])
}
