//! Rows of the constraint Jacobian A, of the interface Jacobian D, and the bounds of their forces.

use crate::{
    BodyId,
    algebra::{Twist, ZERO, add_scaled, dot},
};

/// A row that touches at most two bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub bodies: [BodyId; 2],
    /// Entries of A (or D) on each body.
    pub jacobian: [Twist; 2],
    /// Entries of M⁻¹ Aᵀ on each body.
    pub response: [Twist; 2],
    /// φ of the MLCP, m or rad.
    pub phi: f64,
    /// Diagonal entry of C.
    pub compliance: f64,
}

impl Row {
    pub fn new(bodies: [BodyId; 2], jacobian: [Twist; 2], phi: f64, compliance: f64) -> Self {
        Self { bodies, jacobian, response: [ZERO; 2], phi, compliance }
    }

    /// `A v` of this row.
    pub fn rate(&self, velocities: &[Twist]) -> f64 {
        let side = |k: usize| self.bodies[k].index().map_or(0.0, |i| dot(&self.jacobian[k], &velocities[i]));
        side(0) + side(1)
    }

    /// `v += M⁻¹ Aᵀ z` of this row.
    pub fn push(&self, velocities: &mut [Twist], z: f64) {
        for (body, response) in self.bodies.iter().zip(&self.response) {
            if let Some(i) = body.index() {
                add_scaled(&mut velocities[i], z, response);
            }
        }
    }

    /// `A M⁻¹ Bᵀ` for another row B.
    pub fn couple(&self, other: &Row) -> f64 {
        let mut sum = 0.0;
        for (body, jacobian) in self.bodies.iter().zip(&self.jacobian) {
            for (other_body, response) in other.bodies.iter().zip(&other.response) {
                if body == other_body && *body != BodyId::GROUND {
                    sum += dot(jacobian, response);
                }
            }
        }
        sum
    }
}

/// Bounds of the force of a bounded row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bounds {
    /// Between two forces, N or N m.
    Force(f64, f64),
    /// Not negative.
    Unilateral,
    /// Within ±μ of the force of another bounded row.
    Friction { normal: usize, coefficient: f64 },
}

/// A row with bounds and a name that persists from step to step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundedRow {
    pub row: Row,
    pub bounds: Bounds,
    pub id: u64,
}

/// Ids of motor rows.
pub(crate) fn motor_id(motor: usize) -> u64 {
    1 << 60 | motor as u64
}

/// Ids of end stops; `side` 0 is the lower.
pub(crate) fn limit_id(limit: usize, side: usize) -> u64 {
    2 << 60 | (2 * limit + side) as u64
}

/// Ids of contact rows; `row` 0 is the normal, the others are friction.
pub(crate) fn contact_id(pair: usize, feature: u8, row: u64) -> u64 {
    3 << 60 | (pair as u64) << 16 | u64::from(feature) << 4 | row
}
