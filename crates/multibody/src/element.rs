//! Coordinates between bodies and the elements that act on them: motors and brakes, springs and dampers, end stops.

use crate::{
    BodyId, JointId,
    algebra::{Pose, Twist, Vec3, twist},
    joint::Joint,
};

/// A scalar coordinate `s` of the system with `ṡ = D v`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coordinate {
    /// Slide (m) of a prismatic or angle (rad, within ±π) of a revolute joint since assembly.
    Joint(JointId),
    /// World position of a body point along a world direction, m.
    Point {
        /// The body.
        body: BodyId,
        /// The point in body axes from the centre of mass, m.
        point: Vec3,
        /// Unit vector in world axes.
        direction: Vec3,
    },
    /// Distance between points of two bodies, m; must not vanish.
    Distance {
        /// Bodies A and B.
        bodies: [BodyId; 2],
        /// The points in body axes from the centres of mass, m.
        points: [Vec3; 2],
    },
}

/// The value of a coordinate and its Jacobian row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CoordinateRow {
    pub value: f64,
    pub bodies: [BodyId; 2],
    pub jacobian: [Twist; 2],
}

impl Coordinate {
    pub(crate) fn bodies(&self, joints: &[Joint]) -> [BodyId; 2] {
        match self {
            Coordinate::Joint(id) => joints[id.0].bodies,
            Coordinate::Point { body, .. } => [BodyId::GROUND, *body],
            Coordinate::Distance { bodies, .. } => *bodies,
        }
    }

    pub(crate) fn row(&self, joints: &[Joint], pose: impl Fn(BodyId) -> Pose) -> CoordinateRow {
        let bodies = self.bodies(joints);
        let (a, b) = (pose(bodies[0]), pose(bodies[1]));
        let (value, jacobian) = match self {
            Coordinate::Joint(id) => {
                let row = joints[id.0].coordinate(&a, &b);
                (row.phi, row.jacobian)
            }
            Coordinate::Point { point, direction, .. } => {
                let arm = b.rotation * point;
                let jacobian = [[0.0; 6], twist(*direction, arm.cross(direction))];
                ((b.position + arm).dot(direction), jacobian)
            }
            Coordinate::Distance { points, .. } => {
                let arms = [a.rotation * points[0], b.rotation * points[1]];
                let gap = b.position + arms[1] - a.position - arms[0];
                let e = gap.normalize();
                (gap.norm(), [twist(-e, -arms[0].cross(&e)), twist(e, arms[1].cross(&e))])
            }
        };
        CoordinateRow { value, bodies, jacobian }
    }
}

/// A function of time that is constant between its steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    /// `(time in s, value from then on)`, times increasing; 0 before the first.
    pub steps: Vec<(f64, f64)>,
}

impl Steps {
    /// The same value always.
    #[must_use]
    pub fn constant(value: f64) -> Self {
        Self { steps: vec![(f64::NEG_INFINITY, value)] }
    }

    /// The value at `time_s`; a step counts from its time on, up to rounding of the time.
    #[must_use]
    pub fn at(&self, time_s: f64) -> f64 {
        self.steps.iter().rev().find(|s| s.0 <= time_s + 1e-9).map_or(0.0, |s| s.1)
    }
}

/// A velocity motor with bounded force; a brake when its speed is 0.
///
/// One bounded row: `φ = −h v_des`, force within `[lower, upper]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Motor {
    /// Name for reports.
    pub name: String,
    /// What it moves.
    pub coordinate: Coordinate,
    /// Desired speed, m/s or rad/s.
    pub speed: Steps,
    /// Lowest force, N or N m.
    pub lower_n: f64,
    /// Highest force, N or N m.
    pub upper_n: f64,
    /// Compliance C of the row.
    pub compliance: f64,
}

/// An implicit spring and damper: `λ = −k (s⁺ − s₀) − d ṡ⁺`.
///
/// One equation row with `C = 1/(h (h k + d))` and `φ = (h k/(h k + d)) (s − s₀)`; `k`, `d` ≥ 0, not both 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Spring {
    /// Name for reports.
    pub name: String,
    /// What it acts on.
    pub coordinate: Coordinate,
    /// Stiffness k, N/m or N m/rad.
    pub stiffness: f64,
    /// Damping d, N s/m or N m s/rad.
    pub damping: f64,
    /// Coordinate without force s₀, m or rad.
    pub rest: f64,
}

/// End stops of a coordinate, unilateral rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// Name for reports.
    pub name: String,
    /// What is limited.
    pub coordinate: Coordinate,
    /// Lowest value, −∞ for none.
    pub lower: f64,
    /// Highest value, +∞ for none.
    pub upper: f64,
    /// Compliance C of the rows.
    pub compliance: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_hold_between_times() {
        let steps = Steps { steps: vec![(1.0, 2.0), (3.0, -1.0)] };
        assert_eq!([0.9, 1.0, 2.9, 3.0, 9.0].map(|t| steps.at(t)), [0.0, 2.0, 2.0, -1.0, -1.0]);
        assert_eq!(Steps::constant(4.0).at(-1.0), 4.0);
    }
}
