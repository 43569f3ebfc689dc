//! Accelerations of connectors, which follow the inputs at once, and their derivatives.
//!
//! They are solved for from the equations of motion, and are linear in forces, torques and gravity: a difference over any change of
//! these is exact but for rounding. Jerks and derivatives by start values are central differences.

use macrostep_flexible::{Error, Loads};
use macrostep_slave::{Fault, Memory, Phase};
use nalgebra::{UnitQuaternion, Vector3};

use super::advance::fill;
use super::{ACCELERATION, Body, INPUTS, PARAMETERS, V_OF_MOTION, chosen};

/// Step of differences in time (s): elastic terms are linear, only turning bends the curve.
const DIFFERENCE_S: f64 = 1e-5;
/// Step of differences by start values.
const DIFFERENCE: f64 = 1e-5;

impl Body {
    /// Solves for the accelerations at [`Body::state`] under the loads of these inputs, by their place.
    pub(super) fn solve(&mut self, memory: &Memory, input: impl Fn(usize) -> f64) -> Result<(), Fault> {
        let failed = |e: Error| Fault::Model { t_s: memory.time_s, message: e.to_string() };
        self.micro.hold(Self::joint(memory));
        let body = chosen(&self.data, &self.plain, memory);
        let loads = |loads: &mut Loads| fill(body, input, loads);
        self.micro.accelerations(body, self.state.values(), &mut self.acceleration, loads).map_err(failed)
    }

    /// Takes up the state of the memory and solves for its accelerations.
    pub(super) fn solve_now(&mut self, memory: &Memory) -> Result<(), Fault> {
        let size = self.size();
        self.state.values_mut().copy_from_slice(&memory.hidden_reals[..size]);
        self.solve(memory, |i| memory.inputs.value(i, 0.0))
    }

    /// Acceleration of a connector in world axes, of the solution.
    fn connector_acceleration(&self, memory: &Memory, connector: usize) -> Vector3<f64> {
        Vector3::from_column_slice(&self.connector_rate(self.body(memory), connector)[V_OF_MOTION..][..ACCELERATION])
    }

    /// Accelerations of all connectors into the memory.
    pub(super) fn show_accelerations(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        self.solve_now(memory)?;
        for c in 0..self.connectors() {
            let first = self.accelerations() + ACCELERATION * c;
            let a = self.connector_acceleration(memory, c);
            memory.reals[first..first + ACCELERATION].copy_from_slice(a.as_slice());
        }
        Ok(())
    }

    /// Time derivatives of the accelerations among `refs`, along motion and input polynomials.
    pub(super) fn jerks(&mut self, memory: &Memory, refs: &[u32], values: &mut [f64]) -> Result<(), Fault> {
        let asked = |body: &Body, r: u32| body.acceleration_at(r);
        if !refs.iter().any(|r| asked(self, *r).is_some()) {
            return Ok(());
        }
        refs.iter().zip(values.iter_mut()).filter(|(r, _)| asked(self, **r).is_some()).for_each(|(_, v)| *v = 0.0);
        for step_s in [DIFFERENCE_S, -DIFFERENCE_S] {
            // The state a little later, or before, by what it changes by now.
            self.solve_now(memory)?;
            self.drift(step_s);
            self.solve(memory, |i| memory.inputs.value(i, step_s))?;
            for (reference, value) in refs.iter().zip(values.iter_mut()) {
                if let Some((c, i)) = asked(self, *reference) {
                    *value += self.connector_acceleration(memory, c)[i] / (2.0 * step_s);
                }
            }
        }
        Ok(())
    }

    /// Moves the state along its velocities and the accelerations just solved for.
    fn drift(&mut self, step_s: f64) {
        let vector = |i: usize| Vector3::from_column_slice(&self.acceleration[i..i + 3]);
        let (a, spin_rate, spin) = (vector(0), vector(3), self.state.spin());
        self.state.set_position(self.state.position() + self.state.velocity() * step_s);
        self.state.set_orientation(self.state.orientation() * UnitQuaternion::from_scaled_axis(spin * step_s));
        self.state.set_velocity(self.state.velocity() + a * step_s);
        self.state.set_spin(spin + spin_rate * step_s);
        for k in 0..self.state.modes() {
            let rate = self.state.elastic_rate()[k];
            self.state.elastic_mut()[k] += rate * step_s;
            self.state.elastic_rate_mut()[k] += self.acceleration[6 + k] * step_s;
        }
    }

    /// Change of the accelerations among `unknown` by changes of inputs, and at the start of parameters, added to `d_unknown`.
    pub(super) fn acceleration_tangents(
        &mut self,
        memory: &Memory,
        unknown: &[u32],
        (known, d_known): (&[u32], &[f64]),
        d_unknown: &mut [f64],
    ) -> Result<(), Fault> {
        if !unknown.iter().any(|r| self.acceleration_at(*r).is_some()) {
            return Ok(());
        }
        let change = |place: usize| -> f64 {
            let of = known.iter().zip(d_known).filter(|(r, _)| **r as usize == place);
            of.map(|(_, d)| d).sum()
        };
        // While running only loads change, and linearly.
        let at_start = memory.phase == Phase::Initialization;
        let largest = d_known.iter().fold(0.0_f64, |m, d| m.max(d.abs()));
        let scale = if at_start && largest > 0.0 { DIFFERENCE / largest } else { 1.0 };
        let size = self.size();
        for step in [scale, -scale] {
            if at_start {
                let parameter = |i: usize| memory.reals[i] + if i < PARAMETERS { step * change(i) } else { 0.0 };
                self.set_start(Self::joint(memory), parameter);
            } else {
                self.state.values_mut().copy_from_slice(&memory.hidden_reals[..size]);
            }
            let load = |i: usize| memory.inputs.value(i, 0.0) + step * change(INPUTS + i);
            self.solve(memory, load)?;
            for (reference, d) in unknown.iter().zip(d_unknown.iter_mut()) {
                if let Some((c, i)) = self.acceleration_at(*reference) {
                    *d += self.connector_acceleration(memory, c)[i] / (2.0 * step);
                }
            }
        }
        Ok(())
    }

    /// Connector and component of an acceleration.
    fn acceleration_at(&self, reference: u32) -> Option<(usize, usize)> {
        let place = (reference as usize).checked_sub(self.accelerations())?;
        (place < ACCELERATION * self.connectors()).then_some((place / ACCELERATION, place % ACCELERATION))
    }
}
