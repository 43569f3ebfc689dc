//! Poses and velocities of connectors, momenta and energies.
//!
//! ```text
//! r_c = r₀ + A x_c,   R_c = A orth(I + (Θ_c q)~)
//! v_c = ṙ₀ + A (ω × x_c + S_c q̇),   ω_c = A (ω + Θ_c q̇)
//! p = A (m v + ω × s + C q̇),   L = r₀ × p + A (s × v + Θ ω + B q̇)
//! T = ½ (m v² + ω·Θω + q̇·q̇) + v·(ω × s + C q̇) + ω·B q̇,   U = ½ q·K q
//! ```
//!
//! orth is the orthogonal polar factor: I + θ̃ turns by atan |θ| about θ and stretches across it.
//!
//! # Notation
//! | symbol | meaning |
//! |---|---|
//! | x_c | deformed position of connector c, R_c + S_c q, body axes, m |
//! | v | velocity of the origin in body axes, m/s |

use super::{BodyState, FlexibleBody, Workspace};
use crate::Error;
use nalgebra::{Matrix3, Rotation3, Vector3};

/// Pose and velocity of a connector in world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConnectorMotion {
    /// Position in m.
    pub position: Vector3<f64>,
    /// Orientation, connector to world.
    pub rotation: Matrix3<f64>,
    /// Velocity in m/s.
    pub velocity: Vector3<f64>,
    /// Angular velocity in rad/s.
    pub spin: Vector3<f64>,
}

/// Momentum, angular momentum and energies of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Momenta {
    /// Momentum in world axes, kg m/s.
    pub linear: Vector3<f64>,
    /// Angular momentum about the world origin, world axes, kg m²/s.
    pub angular: Vector3<f64>,
    /// Kinetic energy in J.
    pub kinetic_j: f64,
    /// Elastic energy in J.
    pub elastic_j: f64,
}

fn weighted(shapes: &[Vector3<f64>], by: &[f64]) -> Vector3<f64> {
    shapes.iter().zip(by).map(|(s, q)| s * *q).sum()
}

impl FlexibleBody {
    /// Elastic displacement (m) and rotation (rad) of a connector in body axes, relative to the reference connector.
    ///
    /// # Errors
    /// [`Error::NoConnector`] or [`Error::Shape`] when body, connector and state do not belong together.
    pub fn deflection(&self, state: &BodyState, connector: usize) -> Result<(Vector3<f64>, Vector3<f64>), Error> {
        self.check(state)?;
        let count = self.connectors.len();
        let shape = self.connectors.get(connector).ok_or(Error::NoConnector { index: connector, count })?;
        let q = state.elastic();
        let shift = weighted(&shape.translation, q) + self.drawn_in(connector, q, q) * 0.5;
        Ok((shift, weighted(&shape.rotation, q)))
    }

    /// Pose and velocity of a connector in world axes.
    ///
    /// # Errors
    /// As [`FlexibleBody::deflection`].
    pub fn motion(&self, state: &BodyState, connector: usize) -> Result<ConnectorMotion, Error> {
        let (shift, tilt) = self.deflection(state, connector)?;
        let shape = &self.connectors[connector];
        let rate = state.elastic_rate();
        let (turn, spin) = (state.orientation(), state.spin());
        let at = shape.position + shift;
        let angle = tilt.norm();
        let scale = if angle > 0.0 { angle.atan() / angle } else { 1.0 };
        let rotation = turn.to_rotation_matrix() * Rotation3::new(tilt * scale);
        let drawn = self.drawn_in(connector, state.elastic(), rate);
        let moving = spin.cross(&at) + weighted(&shape.translation, rate) + drawn;
        Ok(ConnectorMotion {
            position: state.position() + turn * at,
            rotation: rotation.into_inner(),
            velocity: state.velocity() + turn * moving,
            spin: turn * (spin + weighted(&shape.rotation, rate)),
        })
    }

    /// Momenta and energies at a state.
    ///
    /// # Errors
    /// [`Error::Shape`] when the state has another number of coordinates.
    pub fn momenta(&self, state: &BodyState, work: &mut Workspace) -> Result<Momenta, Error> {
        self.check(state)?;
        self.inertia(state.elastic(), work);
        let (turn, spin, rate) = (state.orientation(), state.spin(), state.elastic_rate());
        let v = turn.inverse() * state.velocity();
        let relative = spin.cross(&work.s) + weighted(&self.first_moments[1..], rate);
        let turning = weighted(&work.b, rate);
        let linear = turn * (v * self.mass_kg + relative);
        let about_origin = work.s.cross(&v) + work.theta * spin + turning;
        let squares =
            self.mass_kg * v.norm_squared() + spin.dot(&(work.theta * spin)) + rate.iter().map(|r| r * r).sum::<f64>();
        let elastic: f64 = state.elastic().iter().zip(&self.stiffness).map(|(q, k)| k * q * q).sum();
        Ok(Momenta {
            linear,
            angular: state.position().cross(&linear) + turn * about_origin,
            kinetic_j: 0.5 * squares + v.dot(&relative) + spin.dot(&turning),
            elastic_j: 0.5 * elastic,
        })
    }
}
