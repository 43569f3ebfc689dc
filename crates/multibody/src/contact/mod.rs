//! Contact points between shapes.
//!
//! A contact point is a pair of nearest points `P_A`, `P_B` with the unit normal `n` from B to A and the gap
//! `φ = n·(P_A − P_B)`, negative in penetration. Its rate for rigid bodies is `n·(ṗ_A − ṗ_B)`, which needs no
//! derivative of `n` because `P_A − P_B` is parallel to it.

mod plane;
mod round;

use crate::{
    algebra::{Pose, Vec3},
    shape::Shape,
};

/// A pair of nearest points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// On shape A and on shape B, m, world axes.
    pub points: [Vec3; 2],
    /// Unit normal from B to A.
    pub normal: Vec3,
    /// Gap, m; negative in penetration.
    pub gap_m: f64,
    /// Preferred first direction of friction; zero for none.
    pub tangent: Vec3,
    /// Which feature of the shapes touches; distinguishes the points of a pair and persists while they touch.
    pub feature: u8,
}

impl ContactPoint {
    fn flipped(self) -> Self {
        Self { points: [self.points[1], self.points[0]], normal: -self.normal, ..self }
    }
}

/// Whether contact between two kinds of shape is implemented.
#[must_use]
pub fn supported(a: &Shape, b: &Shape) -> bool {
    use Shape::{Box, Capsule, Cylinder, Plane, Sphere};
    match (a, b) {
        (Plane { .. }, Plane { .. }) => false,
        (Plane { .. }, _) | (_, Plane { .. }) => true,
        (Sphere { .. } | Capsule { .. }, Sphere { .. } | Capsule { .. } | Cylinder { .. }) => true,
        (Cylinder { .. }, Sphere { .. } | Capsule { .. }) => true,
        (Sphere { .. }, Box { .. }) | (Box { .. }, Sphere { .. }) => true,
        _ => false,
    }
}

/// Calls `push` with the contact points of two placed shapes; every point is given, however far away.
pub fn find(a: (&Shape, &Pose), b: (&Shape, &Pose), push: &mut impl FnMut(ContactPoint)) {
    use Shape::{Box, Capsule, Cylinder, Plane, Sphere};
    match (a.0, b.0) {
        (Plane { .. }, Plane { .. }) => {}
        (_, Plane { .. }) => plane::find(a, b, push),
        (Plane { .. }, _) => plane::find(b, a, &mut |p| push(p.flipped())),
        (Sphere { .. } | Capsule { .. }, Sphere { .. } | Capsule { .. }) => push(round::capsules(a, b)),
        (Sphere { .. } | Capsule { .. }, Cylinder { .. }) => push(round::capsule_cylinder(a, b)),
        (Cylinder { .. }, Sphere { .. } | Capsule { .. }) => push(round::capsule_cylinder(b, a).flipped()),
        (Sphere { .. }, Box { .. }) => push(round::sphere_box(a, b)),
        (Box { .. }, Sphere { .. }) => push(round::sphere_box(b, a).flipped()),
        _ => {}
    }
}
