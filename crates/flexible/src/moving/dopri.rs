//! Dormand–Prince 5(4) with step control, for accurate explicit integration.
//!
//! # References
//! Hairer, Nørsett, Wanner, *Solving Ordinary Differential Equations I*, 2nd ed., table II.5.2 and section II.4.

use super::state::orientation;
use super::{BodyState, FlexibleBody, Joint, Loads, Workspace};
use crate::Error;

const C: [f64; 7] = [0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0];
const A: [[f64; 6]; 7] = [
    [0.0; 6],
    [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
/// Fifth minus fourth order weights.
const E: [f64; 7] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0];

/// Work counted by an integration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DopriStatistics {
    /// Accepted steps.
    pub accepted: usize,
    /// Rejected steps.
    pub rejected: usize,
    /// Evaluations of the right-hand side.
    pub evaluations: usize,
}

/// The integrator and its memory; nothing is allocated after [`Dopri::new`].
#[derive(Debug, Clone)]
pub struct Dopri {
    /// Relative tolerance per component. Default 1e-9.
    pub relative: f64,
    /// Absolute tolerance per component, in the units of the state. Default 1e-12.
    pub absolute: f64,
    /// Most steps of one call; its count is in [`Dopri::statistics`]. Default 1 000 000.
    pub steps_max: usize,
    /// Work done so far.
    pub statistics: DopriStatistics,
    /// Step size to try next, in s; part of the savable state, `None` before the first step.
    pub step_s: Option<f64>,
    stages: [Vec<f64>; 7],
    trial: Vec<f64>,
    loads: Loads,
    work: Workspace,
}

impl Dopri {
    /// Memory for a body and default tolerances.
    pub fn new(body: &FlexibleBody) -> Self {
        let size = BodyState::rest(body.modes()).values().len();
        Self {
            relative: 1e-9,
            absolute: 1e-12,
            steps_max: 1_000_000,
            statistics: DopriStatistics::default(),
            step_s: None,
            stages: std::array::from_fn(|_| vec![0.0; size]),
            trial: vec![0.0; size],
            loads: Loads::none(body.connectors.len()),
            work: Workspace::new(body),
        }
    }

    /// Holds the frame by a joint from now on.
    pub fn hold(&mut self, joint: Joint) {
        self.work.hold(joint);
    }

    /// Advances a body from `start_s` to `end_s`; `loads` fills in the loads at a time.
    ///
    /// # Errors
    /// [`Error::Step`] when the step becomes too small or too many steps are needed, and those of
    /// [`FlexibleBody::accelerations`].
    pub fn advance(
        &mut self,
        body: &FlexibleBody,
        state: &mut BodyState,
        (start_s, end_s): (f64, f64),
        mut loads: impl FnMut(f64, &mut Loads),
    ) -> Result<(), Error> {
        // The first step is the last one chosen, else a part of the shortest period.
        body.check(state)?;
        let fastest = body.stiffness.last().map_or(0.0, |k| k.max(0.0).sqrt());
        let span = end_s - start_s;
        let mut step = self.step_s.unwrap_or(span.min(0.1 / fastest.max(1.0 / span)));
        let mut time = start_s;
        for _ in 0..self.steps_max {
            if time >= end_s {
                return Ok(());
            }
            // The end is met exactly, and not by a sliver.
            let last = time + step * (1.0 + 1e-9) >= end_s;
            let h = if last { end_s - time } else { step };
            let error = self.attempt(body, state.values(), (time, h), &mut loads)?;
            // A step with an error within tolerance stands; its orientation is made of length 1 again.
            if error <= 1.0 {
                time = if last { end_s } else { time + h };
                let turn = orientation(&self.trial);
                state.values_mut().copy_from_slice(&self.trial);
                state.set_orientation(turn);
                self.statistics.accepted += 1;
            } else {
                self.statistics.rejected += 1;
            }
            // The next step; one that was cut short to meet the end says nothing about it.
            let factor = (0.9 * error.max(1e-10).powf(-0.2)).clamp(0.2, 5.0);
            if !last || error > 1.0 {
                step = h * factor;
                self.step_s = Some(step);
            }
            if step < 1e-14 * span {
                return Err(Error::Step { time_s: time, step_s: step, what: "the step became too small" });
            }
        }
        // The last step may have met the end.
        if time >= end_s {
            return Ok(());
        }
        Err(Error::Step { time_s: time, step_s: step, what: "too many steps" })
    }

    /// One trial step; returns the error relative to the tolerance, the result is in `trial`.
    fn attempt(
        &mut self,
        body: &FlexibleBody,
        values: &[f64],
        (time, h): (f64, f64),
        loads: &mut impl FnMut(f64, &mut Loads),
    ) -> Result<f64, Error> {
        for i in 0..7 {
            self.trial.copy_from_slice(values);
            for (stage, a) in self.stages[..i].iter().zip(&A[i]) {
                if *a != 0.0 {
                    self.trial.iter_mut().zip(stage).for_each(|(y, k)| *y += h * a * k);
                }
            }
            loads(time + C[i] * h, &mut self.loads);
            body.rate(&self.trial, &self.loads, &mut self.work, &mut self.stages[i])?;
            self.statistics.evaluations += 1;
        }
        // The seventh stage is evaluated at the new value, which `trial` still holds.
        let mut sum = 0.0;
        for (i, (new, old)) in self.trial.iter().zip(values).enumerate() {
            let error: f64 = self.stages.iter().zip(&E).map(|(k, e)| e * k[i]).sum::<f64>() * h;
            let scale = self.absolute + self.relative * new.abs().max(old.abs());
            sum += (error / scale).powi(2);
        }
        let error = (sum / values.len() as f64).sqrt();
        Ok(if error.is_finite() { error } else { f64::INFINITY })
    }
}
