//! Joints in maximal coordinates: each removes velocity components between two bodies.
//!
//! With `r` the arm from a centre of mass to the joint, `a` the axis and `t₁, t₂` normal to it, all carried by the
//! bodies, `d = P_B − P_A` and `e_k` the axes of body A:
//!
//! | joint | violation φ (rows) | coordinate |
//! |---|---|---|
//! | spherical | `d` (3) | – |
//! | revolute | `d` (3), `t_k·a_B` (2) | angle of B about `a` |
//! | prismatic | `t_k·d` (2), `2 vec(q_A⁻¹ q_B q₀⁻¹)` (3) | slide `a·d` |
//! | fixed | `d` (3), `2 vec(q_A⁻¹ q_B q₀⁻¹)` (3) | – |
//!
//! The rows of `A` are the time derivatives of φ; only the derivative of the rotation vector is taken at φ = 0.

use nalgebra::UnitQuaternion;

use crate::{
    BodyId,
    algebra::{Pose, Twist, Vec3, tangent, twist},
};

/// Names a joint of a [`System`](crate::System).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct JointId(pub(crate) usize);

/// The kind of a joint: the motions that it leaves free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// Rotation about an axis.
    Revolute,
    /// Translation along an axis.
    Prismatic,
    /// All rotations.
    Spherical,
    /// Nothing.
    Fixed,
}

impl JointKind {
    /// Number of rows.
    #[must_use]
    pub fn rows(self) -> usize {
        match self {
            JointKind::Spherical => 3,
            JointKind::Revolute | JointKind::Prismatic => 5,
            JointKind::Fixed => 6,
        }
    }
}

/// A joint between two bodies; made by [`SystemBuilder::joint`](crate::SystemBuilder::joint).
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Name for reports.
    pub name: String,
    /// What it leaves free.
    pub kind: JointKind,
    /// Bodies A and B.
    pub bodies: [BodyId; 2],
    /// Compliance of each row, C of the MLCP (1/kg in translation rows), > 0 where rows may be redundant.
    pub compliance: f64,
    pub(crate) anchors: [Vec3; 2],
    pub(crate) axes: [Vec3; 2],
    pub(crate) tangents: [Vec3; 2],
    pub(crate) reference: UnitQuaternion<f64>,
}

/// One row of a joint: violation and the wrench on each body.
pub(crate) struct JointRow {
    pub phi: f64,
    pub jacobian: [Twist; 2],
}

/// Where a joint is at assembly, in world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointFrame {
    /// A point of it \[m\].
    pub point: Vec3,
    /// Its axis, of any length; not used by spherical and fixed joints.
    pub axis: Vec3,
}

impl Joint {
    /// A rigid joint at a frame, for the poses of the bodies at assembly.
    pub(crate) fn assemble(
        name: &str,
        kind: JointKind,
        bodies: [BodyId; 2],
        poses: [Pose; 2],
        JointFrame { point, axis }: JointFrame,
    ) -> Self {
        let across = tangent(&axis, &Vec3::zeros());
        let inverse = [poses[0].rotation.inverse(), poses[1].rotation.inverse()];
        Self {
            name: name.to_owned(),
            kind,
            bodies,
            compliance: 0.0,
            anchors: [poses[0].local(&point), poses[1].local(&point)],
            axes: [inverse[0] * axis, inverse[1] * axis],
            tangents: [inverse[0] * across, inverse[0] * axis.cross(&across)],
            reference: inverse[0] * poses[1].rotation,
        }
    }

    /// Calls `push` with each row for the poses of bodies A and B.
    pub(crate) fn rows(&self, a: &Pose, b: &Pose, mut push: impl FnMut(JointRow)) {
        // Arms and d.
        let arms = [a.rotation * self.anchors[0], b.rotation * self.anchors[1]];
        let gap = (b.position + arms[1]) - (a.position + arms[0]);
        // Positions: across the slide only, else in all directions.
        if self.kind == JointKind::Prismatic {
            for t in &self.tangents {
                push(sliding_row(&(a.rotation * t), &arms, &gap));
            }
        } else {
            for e in [Vec3::x(), Vec3::y(), Vec3::z()] {
                let jacobian = [twist(-e, -arms[0].cross(&e)), twist(e, arms[1].cross(&e))];
                push(JointRow { phi: gap.dot(&e), jacobian });
            }
        }
        // Rotations: two about the normals of the axis, or all three.
        match self.kind {
            JointKind::Spherical => {}
            JointKind::Revolute => {
                let axis = b.rotation * self.axes[1];
                for t in &self.tangents {
                    let t = a.rotation * t;
                    let moment = t.cross(&axis);
                    let jacobian = [twist(Vec3::zeros(), moment), twist(Vec3::zeros(), -moment)];
                    push(JointRow { phi: t.dot(&axis), jacobian });
                }
            }
            // The rotation vector, of the shorter of the two turns that a quaternion stands for.
            JointKind::Prismatic | JointKind::Fixed => {
                let turn = self.relative(a, b);
                let vector = turn.imag() * (2.0 * turn.scalar().signum());
                for (k, e) in [Vec3::x(), Vec3::y(), Vec3::z()].iter().enumerate() {
                    let e = a.rotation * e;
                    let jacobian = [twist(Vec3::zeros(), -e), twist(Vec3::zeros(), e)];
                    push(JointRow { phi: vector[k], jacobian });
                }
            }
        }
    }

    /// `q_A⁻¹ q_B q₀⁻¹`: the rotation of B against A since assembly, in axes of A.
    fn relative(&self, a: &Pose, b: &Pose) -> UnitQuaternion<f64> {
        a.rotation.inverse() * b.rotation * self.reference.inverse()
    }

    /// Coordinate of a prismatic (m) or revolute (rad, within ±π) joint since assembly, and its Jacobian row.
    pub(crate) fn coordinate(&self, a: &Pose, b: &Pose) -> JointRow {
        let axis = a.rotation * self.axes[0];
        if self.kind == JointKind::Prismatic {
            let arms = [a.rotation * self.anchors[0], b.rotation * self.anchors[1]];
            let gap = (b.position + arms[1]) - (a.position + arms[0]);
            return sliding_row(&axis, &arms, &gap);
        }
        let turn = self.relative(a, b);
        let angle = 2.0 * turn.imag().dot(&self.axes[0]).atan2(turn.scalar());
        let tau = std::f64::consts::TAU;
        let wrapped = angle - tau * (angle / tau).round();
        JointRow { phi: wrapped, jacobian: [twist(Vec3::zeros(), -axis), twist(Vec3::zeros(), axis)] }
    }
}

/// `t·d` with `t` and the arm of A carried by A.
fn sliding_row(t: &Vec3, arms: &[Vec3; 2], gap: &Vec3) -> JointRow {
    let jacobian = [twist(-t, -(arms[0] + gap).cross(t)), twist(*t, arms[1].cross(t))];
    JointRow { phi: t.dot(gap), jacobian }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::{ZERO, dot};

    fn pose(seed: f64) -> Pose {
        let position = Vec3::new(seed, 0.3 - seed, 0.5 * seed);
        Pose { position, rotation: UnitQuaternion::from_euler_angles(seed, 0.4 * seed, -seed) }
    }

    #[test]
    fn jacobians_are_the_derivatives_of_the_violation() {
        let (a, b) = (pose(0.4), pose(0.9));
        let frame = JointFrame { point: Vec3::new(0.1, 0.2, 0.3), axis: Vec3::new(0.6, 0.0, 0.8) };
        for kind in [JointKind::Revolute, JointKind::Prismatic, JointKind::Spherical, JointKind::Fixed] {
            let joint = Joint::assemble("j", kind, [BodyId(0), BodyId(1)], [a, b], frame);
            for component in 0..12 {
                let mut twists = [ZERO; 2];
                twists[component / 6][component % 6] = 1.0;
                // Central differences, the coordinate among the rows.
                let rows = |h: f64| {
                    let (a, b) = (a.advanced(&twists[0], h), b.advanced(&twists[1], h));
                    let mut list = Vec::new();
                    joint.rows(&a, &b, |row| list.push(row));
                    if matches!(kind, JointKind::Revolute | JointKind::Prismatic) {
                        list.push(joint.coordinate(&a, &b));
                    }
                    list
                };
                let (before, at, after) = (rows(-1e-5), rows(0.0), rows(1e-5));
                for k in 0..at.len() {
                    let slope = (after[k].phi - before[k].phi) / 2e-5;
                    let row = dot(&at[k].jacobian[0], &twists[0]) + dot(&at[k].jacobian[1], &twists[1]);
                    assert!((slope - row).abs() < 1e-8, "{kind:?} row {k}: {slope} {row}");
                    assert!(at[k].phi.abs() < 1e-14);
                }
            }
        }
    }
}
