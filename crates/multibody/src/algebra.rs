//! Vectors, twists and poses.
//!
//! A twist is `[v, ω]`: velocity of the centre of mass and angular velocity, both in world axes. The dual wrench is
//! `[f, τ]`; a Jacobian row restricted to one body is a wrench.

use nalgebra::{UnitQuaternion, Vector3};

/// A vector in space, m unless said otherwise.
pub type Vec3 = Vector3<f64>;

/// `[v_x, v_y, v_z, ω_x, ω_y, ω_z]` in world axes, m/s and rad/s; also the wrench dual to it, N and N m.
pub type Twist = [f64; 6];

/// The twist of rest, the wrench of nothing.
pub const ZERO: Twist = [0.0; 6];

/// Position of the centre of mass and orientation of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Centre of mass, m, world axes.
    pub position: Vec3,
    /// Maps vectors in body axes to world axes.
    pub rotation: UnitQuaternion<f64>,
}

impl Pose {
    /// The pose of the ground: world origin and axes.
    #[must_use]
    pub fn world() -> Self {
        Self { position: Vec3::zeros(), rotation: UnitQuaternion::identity() }
    }

    /// A point given in body axes from the centre of mass, in world axes.
    #[must_use]
    pub fn point(&self, local: &Vec3) -> Vec3 {
        self.position + self.rotation * local
    }

    /// A world point in body axes from the centre of mass.
    #[must_use]
    pub fn local(&self, point: &Vec3) -> Vec3 {
        self.rotation.inverse() * (point - self.position)
    }

    /// `q ⊕ h v`: the centre moves by `h v`, the orientation turns by the vector `h ω` in world axes.
    #[must_use]
    pub fn advanced(&self, twist: &Twist, h: f64) -> Self {
        let turn = UnitQuaternion::from_scaled_axis(angular(twist) * h);
        // One Newton step of normalisation keeps the quaternion on the unit sphere without moving it visibly.
        let mut rotation = turn * self.rotation;
        rotation.renormalize_fast();
        Self { position: self.position + linear(twist) * h, rotation }
    }
}

/// The first three entries.
#[must_use]
pub fn linear(t: &Twist) -> Vec3 {
    Vec3::new(t[0], t[1], t[2])
}

/// The last three entries.
#[must_use]
pub fn angular(t: &Twist) -> Vec3 {
    Vec3::new(t[3], t[4], t[5])
}

/// A twist or wrench from its halves.
#[must_use]
pub fn twist(first: Vec3, second: Vec3) -> Twist {
    [first.x, first.y, first.z, second.x, second.y, second.z]
}

/// Power of a wrench on a twist.
#[must_use]
pub fn dot(a: &Twist, b: &Twist) -> f64 {
    (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5])
}

/// `y += s x`.
pub fn add_scaled(y: &mut Twist, s: f64, x: &Twist) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += s * x;
    }
}

/// A unit vector normal to `n`, along `hint` where that is possible.
#[must_use]
pub fn tangent(n: &Vec3, hint: &Vec3) -> Vec3 {
    let along = hint - n * n.dot(hint);
    if along.norm() > 1e-3 * hint.norm() && hint.norm() > 0.0 {
        return along.normalize();
    }
    let (x, y, z) = (n.x.abs(), n.y.abs(), n.z.abs());
    let axis = if x <= y && x <= z {
        Vec3::x()
    } else if y <= z {
        Vec3::y()
    } else {
        Vec3::z()
    };
    (axis - n * n.dot(&axis)).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_turn_in_steps_returns() {
        let start = Pose { position: Vec3::zeros(), rotation: UnitQuaternion::from_euler_angles(0.3, 0.2, 0.1) };
        let mut pose = start;
        let turn = twist(Vec3::zeros(), Vec3::new(0.0, 0.0, std::f64::consts::TAU));
        for _ in 0..1000 {
            pose = pose.advanced(&turn, 1e-3);
        }
        assert!(pose.rotation.angle_to(&start.rotation) < 1e-12);
        assert!((pose.rotation.norm() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn tangents_are_tangent() {
        for n in [Vec3::x(), Vec3::y(), Vec3::z(), Vec3::new(1.0, 2.0, -3.0).normalize()] {
            for hint in [Vec3::zeros(), Vec3::y(), n] {
                let t = tangent(&n, &hint);
                assert!(t.dot(&n).abs() < 1e-15 && (t.norm() - 1.0).abs() < 1e-15);
            }
        }
    }
}
