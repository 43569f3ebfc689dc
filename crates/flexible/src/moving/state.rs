//! What changes in a run: the state of a body and the loads on it.

use crate::Error;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

/// State of a body as one flat vector, so that it can be copied, integrated and saved as it is.
///
/// Order: position r₀ (3, m), orientation A as a quaternion (4: x, y, z, w), velocity of the origin in world axes
/// (3, m/s), spin ω in body axes (3, rad/s), q (n), q̇ (n).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BodyState {
    values: Vec<f64>,
}

/// Length of the part of a state that does not depend on the elastic coordinates.
pub(crate) const FRAME: usize = 13;

impl BodyState {
    /// At rest and undeformed at the origin, with `modes` elastic coordinates.
    pub fn rest(modes: usize) -> Self {
        let mut values = vec![0.0; FRAME + 2 * modes];
        values[6] = 1.0;
        Self { values }
    }

    /// From a flat vector in the documented order.
    ///
    /// # Errors
    /// [`Error::Shape`] when its length does not fit `modes`.
    pub fn from_values(values: Vec<f64>, modes: usize) -> Result<Self, Error> {
        let (found, expected) = (values.len(), FRAME + 2 * modes);
        if found != expected {
            return Err(Error::Shape { what: "state vector", found, expected });
        }
        Ok(Self { values })
    }

    /// The flat vector.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The flat vector, to be changed in place.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Number of elastic coordinates.
    pub fn modes(&self) -> usize {
        (self.values.len() - FRAME) / 2
    }

    /// Position of the frame in m.
    pub fn position(&self) -> Vector3<f64> {
        vector(&self.values, 0)
    }

    /// Sets the position of the frame in m.
    pub fn set_position(&mut self, position: Vector3<f64>) {
        self.values[0..3].copy_from_slice(position.as_slice());
    }

    /// Orientation of the frame, body to world.
    pub fn orientation(&self) -> UnitQuaternion<f64> {
        orientation(&self.values)
    }

    /// Sets the orientation of the frame, body to world.
    pub fn set_orientation(&mut self, orientation: UnitQuaternion<f64>) {
        self.values[3..7].copy_from_slice(orientation.coords.as_slice());
    }

    /// Velocity of the frame's origin in world axes, m/s.
    pub fn velocity(&self) -> Vector3<f64> {
        vector(&self.values, 7)
    }

    /// Sets the velocity of the frame's origin in world axes, m/s.
    pub fn set_velocity(&mut self, velocity: Vector3<f64>) {
        self.values[7..10].copy_from_slice(velocity.as_slice());
    }

    /// Spin in body axes, rad/s.
    pub fn spin(&self) -> Vector3<f64> {
        vector(&self.values, 10)
    }

    /// Sets the spin in body axes, rad/s.
    pub fn set_spin(&mut self, spin: Vector3<f64>) {
        self.values[10..13].copy_from_slice(spin.as_slice());
    }

    /// Elastic coordinates q.
    pub fn elastic(&self) -> &[f64] {
        &self.values[FRAME..FRAME + self.modes()]
    }

    /// Elastic coordinates q, to be changed in place.
    pub fn elastic_mut(&mut self) -> &mut [f64] {
        let n = self.modes();
        &mut self.values[FRAME..FRAME + n]
    }

    /// Elastic rates q̇.
    pub fn elastic_rate(&self) -> &[f64] {
        &self.values[FRAME + self.modes()..]
    }

    /// Elastic rates q̇, to be changed in place.
    pub fn elastic_rate_mut(&mut self) -> &mut [f64] {
        let n = self.modes();
        &mut self.values[FRAME + n..]
    }
}

/// Three numbers of a flat state.
pub(crate) fn vector(values: &[f64], at: usize) -> Vector3<f64> {
    Vector3::new(values[at], values[at + 1], values[at + 2])
}

/// Orientation in a flat state, normalised.
pub(crate) fn orientation(values: &[f64]) -> UnitQuaternion<f64> {
    UnitQuaternion::from_quaternion(Quaternion::new(values[6], values[3], values[4], values[5]))
}

/// Force and torque on a connector, in world axes, at its deformed position.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wrench {
    /// Force in N.
    pub force: Vector3<f64>,
    /// Torque in N m.
    pub torque: Vector3<f64>,
}

/// Everything that acts on a body.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Loads {
    /// Gravity in world axes, m/s².
    pub gravity: Vector3<f64>,
    /// One wrench per connector, in the order of the body's connectors; missing ones are zero.
    pub wrenches: Vec<Wrench>,
}

impl Loads {
    /// No load on `connectors` connectors.
    pub fn none(connectors: usize) -> Self {
        Self { gravity: Vector3::zeros(), wrenches: vec![Wrench::default(); connectors] }
    }
}
