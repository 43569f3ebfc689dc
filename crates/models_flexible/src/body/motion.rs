//! Outputs of a body and their derivatives.

use macrostep_flexible::FlexibleBody;
use macrostep_slave::{Fault, Memory, Phase};
use nalgebra::{Matrix3, Vector3};

use super::advance::{DENSE, NODES};
use super::{Body, INPUTS, MOTION, PHI0, R0, V_OF_MOTION, V0, W0, parameter, released};

/// r (3), R (9, row after row), v (3), w (3).
type Row = [f64; MOTION];

fn row(r: &Vector3<f64>, rotation: &Matrix3<f64>, v: &Vector3<f64>, w: &Vector3<f64>) -> Row {
    std::array::from_fn(|i| match i {
        0..3 => r[i],
        3..12 => rotation[((i - 3) / 3, (i - 3) % 3)],
        12..15 => v[i - 12],
        _ => w[i - 15],
    })
}

impl Body {
    /// Poses and velocities of all connectors into the memory.
    pub(super) fn show(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        let size = self.size();
        self.state.values_mut().copy_from_slice(&memory.hidden_reals[..size]);
        let (first, mut shown) = (self.outputs(), [0.0; MOTION]);
        for (i, (c, place)) in self.motions.iter().enumerate() {
            // The values of a connector follow each other.
            if *place == 0 {
                let failed = |e: macrostep_flexible::Error| Fault::Model { t_s: memory.time_s, message: e.to_string() };
                let m = self.body(memory).motion(&self.state, *c).map_err(failed)?;
                shown = row(&m.position, &m.rotation, &m.velocity, &m.spin);
            }
            memory.reals[first + i] = shown[*place];
        }
        let fast = self.body(memory).spin_warning(self.state.spin().norm()).is_some();
        if let Some(shown) = memory.booleans.last_mut() {
            *shown = fast;
        }
        Ok(())
    }

    /// First time derivatives of poses and velocities along the equations of motion; nodes are constant between steps.
    pub(super) fn rates(&mut self, memory: &Memory, refs: &[u32], values: &mut [f64]) -> Result<(), Fault> {
        self.solve_now(memory)?;
        let first = self.outputs();
        for (reference, value) in refs.iter().zip(values) {
            let motion = self.motions.get(*reference as usize - first);
            *value = motion.map_or(0.0, |(c, place)| self.connector_rate(self.body(memory), *c)[*place]);
        }
        Ok(())
    }

    /// Time derivative of what is shown of a connector, with the accelerations just computed.
    pub(super) fn connector_rate(&self, body: &FlexibleBody, connector: usize) -> Row {
        let shape = &body.connectors[connector];
        let sum =
            |shapes: &[Vector3<f64>], by: &[f64]| shapes.iter().zip(by).map(|(s, q)| s * *q).sum::<Vector3<f64>>();
        let (q, rate) = (self.state.elastic(), self.state.elastic_rate());
        let turn = self.state.orientation();
        let spin = self.state.spin();
        let vector = |i: usize| Vector3::from_column_slice(&self.acceleration[i..i + 3]);
        let (origin, spin_rate, elastic) = (vector(0), vector(3), &self.acceleration[6..]);
        let drawn = |a: &[f64], b: &[f64]| body.drawn_in(connector, a, b);
        let at = shape.position + sum(&shape.translation, q) + drawn(q, q) * 0.5;
        let moving = sum(&shape.translation, rate) + drawn(q, rate);
        let bent = sum(&shape.translation, elastic) + drawn(rate, rate) + drawn(q, elastic);
        let (tilt, tilting, tilted) =
            (sum(&shape.rotation, q), sum(&shape.rotation, rate), sum(&shape.rotation, elastic));
        let velocity = self.state.velocity() + turn * (spin.cross(&at) + moving);
        let inner = spin_rate.cross(&at) + spin.cross(&spin.cross(&at)) + spin.cross(&moving) * 2.0 + bent;
        let frame = turn.to_rotation_matrix().into_inner();
        let (rotation, rotating) = small_rotation(&tilt, &tilting);
        let rotated = frame * (spin.cross_matrix() * rotation + rotating);
        row(&velocity, &rotated, &(origin + turn * inner), &(turn * (spin_rate + spin.cross(&tilting) + tilted)))
    }

    /// Change of poses and velocities, now and at nodes, by changes of parameters at the start; while running they depend on no
    /// knowns. That of accelerations is 0 here.
    pub(super) fn tangents(
        &self,
        memory: &Memory,
        unknown: &[u32],
        (known, d_known): (&[u32], &[f64]),
        d_unknown: &mut [f64],
    ) {
        // The change of each parameter at the start.
        let mut change = [0.0; INPUTS];
        if memory.phase == Phase::Initialization {
            for (reference, d) in known.iter().zip(d_known) {
                if let Some(place) = change.get_mut(*reference as usize) {
                    *place += d;
                }
            }
        }
        // Pose and velocities, and what they change by: R changes by R θ̃ with θ = J_r(φ) δφ.
        let vector = |first: usize| Vector3::from_column_slice(&change[first..first + 3]);
        let joint = Self::joint(memory);
        let (phi, spin) = (parameter(memory, PHI0), released(parameter(memory, W0), joint, 3));
        let turn = nalgebra::Rotation3::new(phi);
        let (moved, faster) = (released(vector(V0), joint, 0), released(vector(W0), joint, 3));
        let turned = right_jacobian(&phi) * vector(PHI0);
        // At each connector, with the arm from the reference.
        for (reference, d) in unknown.iter().zip(d_unknown) {
            let Some((connector, place)) = self.motion_at(*reference as usize) else {
                *d = 0.0;
                continue;
            };
            let at = self.data.body.connectors[connector].position;
            let swept = turned.cross(&spin.cross(&at)) + faster.cross(&at);
            let rows = row(
                &(vector(R0) + turn * turned.cross(&at)),
                &(turn.matrix() * turned.cross_matrix()),
                &(moved + turn * swept),
                &(turn * (turned.cross(&spin) + faster)),
            );
            *d = rows[place];
        }
    }

    /// Connector and place of a pose or velocity, or of what a node shows; none for an acceleration.
    fn motion_at(&self, reference: usize) -> Option<(usize, usize)> {
        if reference < self.accelerations() {
            return self.motions.get(reference - self.outputs()).copied();
        }
        let dense = reference.checked_sub(self.nodes())? / NODES;
        let (connector, i) = (dense / DENSE, dense % DENSE);
        Some((connector, if i < 3 { i } else { V_OF_MOTION + i - 3 }))
    }
}

/// Rotation by the angle atan |θ| about θ, I + c θ̃ + c²/(1 + c) θ̃² with c = 1/√(1 + θ²), and its time derivative.
fn small_rotation(tilt: &Vector3<f64>, tilting: &Vector3<f64>) -> (Matrix3<f64>, Matrix3<f64>) {
    let c = 1.0 / (1.0 + tilt.norm_squared()).sqrt();
    let c_rate = -c.powi(3) * tilt.dot(tilting);
    let k = c * c / (1.0 + c);
    let k_rate = (2.0 * c + c * c) / (1.0 + c).powi(2) * c_rate;
    let (a, b) = (tilt.cross_matrix(), tilting.cross_matrix());
    let rotation = Matrix3::identity() + a * c + a * a * k;
    (rotation, a * c_rate + b * c + a * a * k_rate + (a * b + b * a) * k)
}

/// J with exp(φ + dφ) = exp(φ) exp(J dφ) to first order.
fn right_jacobian(phi: &Vector3<f64>) -> Matrix3<f64> {
    let angle = phi.norm();
    let (a, b) = if angle > 1e-4 {
        ((1.0 - angle.cos()) / angle.powi(2), (angle - angle.sin()) / angle.powi(3))
    } else {
        (0.5 - angle * angle / 24.0, 1.0 / 6.0 - angle * angle / 120.0)
    };
    let skew = phi.cross_matrix();
    Matrix3::identity() - skew * a + skew * skew * b
}
