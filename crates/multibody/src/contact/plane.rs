//! Contact of convex shapes with a plane: the corners, ends or rim points that reach furthest into it.

use super::ContactPoint;
use crate::{
    algebra::{Pose, Vec3},
    shape::Shape,
};

/// Points of shape `a` against the plane `b`.
pub(super) fn find(a: (&Shape, &Pose), b: (&Shape, &Pose), push: &mut impl FnMut(ContactPoint)) {
    let Shape::Plane { point, normal, tangent } = b.0 else { return };
    // The plane in the world, and a point of it below each that reaches deepest.
    let (origin, normal, tangent) = (b.1.point(point), b.1.rotation * normal, b.1.rotation * tangent);
    let mut touch = |deepest: Vec3, feature: u8| {
        let gap_m = normal.dot(&(deepest - origin));
        push(ContactPoint { points: [deepest, deepest - normal * gap_m], normal, gap_m, tangent, feature });
    };
    // Numbers of points stay those of the shape's parts, so that a contact is known again.
    match a.0 {
        Shape::Sphere { centre, radius } => touch(a.1.point(centre) - normal * *radius, 0),
        // Both ends of a capsule, whichever reaches deeper.
        Shape::Capsule { ends, radius } => {
            for (k, end) in ends.iter().enumerate() {
                touch(a.1.point(end) - normal * *radius, k as u8);
            }
        }
        // All eight corners; bits of the number are signs.
        Shape::Box { centre, rotation, half } => {
            for k in 0..8_u8 {
                let sign = |bit: u8| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
                let corner = Vec3::new(sign(0) * half.x, sign(1) * half.y, sign(2) * half.z);
                touch(a.1.point(&(centre + rotation * corner)), k);
            }
        }
        // Points on both rims.
        Shape::Cylinder { centre, axis, half_length, radius } => {
            let axis = a.1.rotation * axis;
            let centre = a.1.point(centre);
            rims(&centre, &(axis * *half_length), *radius, &normal, &mut touch);
        }
        Shape::Plane { .. } => {}
    }
}

/// The lowest point of each end circle; for an upright cylinder three more a quarter turn apart.
fn rims(centre: &Vec3, half_axis: &Vec3, radius: f64, normal: &Vec3, touch: &mut impl FnMut(Vec3, u8)) {
    let axis = half_axis.normalize();
    let down = axis * axis.dot(normal) - normal;
    let upright = axis.dot(normal).abs() > 0.7;
    let first = if down.norm() > 1e-9 { down.normalize() } else { crate::algebra::tangent(&axis, &Vec3::zeros()) };
    let second = axis.cross(&first);
    for (end, sign) in [-1.0, 1.0].into_iter().enumerate() {
        let middle = centre + half_axis * sign;
        let feature = 4 * end as u8;
        touch(middle + first * radius, feature);
        if upright {
            touch(middle + second * radius, feature + 1);
            touch(middle - first * radius, feature + 2);
            touch(middle - second * radius, feature + 3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gaps(shape: &Shape, pose: &Pose) -> Vec<f64> {
        let plane = Shape::Plane { point: Vec3::zeros(), normal: Vec3::z(), tangent: Vec3::x() };
        let mut gaps = Vec::new();
        find((shape, pose), (&plane, &Pose::world()), &mut |p| gaps.push(p.gap_m));
        gaps
    }

    #[test]
    fn gaps_are_heights() {
        let mut pose = Pose::world();
        pose.position.z = 2.0;
        let centre = Vec3::zeros();
        assert_eq!(gaps(&Shape::Sphere { centre, radius: 0.5 }, &pose), [1.5]);
        let ends = [Vec3::new(0.0, 0.0, -0.5), Vec3::new(1.0, 0.0, 0.5)];
        assert_eq!(gaps(&Shape::Capsule { ends, radius: 0.25 }, &pose), [1.25, 2.25]);
        let lying = Shape::Cylinder { centre, axis: Vec3::y(), half_length: 1.0, radius: 0.25 };
        assert_eq!(gaps(&lying, &pose), [1.75, 1.75]);
        let upright = Shape::Cylinder { centre, axis: Vec3::z(), half_length: 1.0, radius: 0.25 };
        assert_eq!(gaps(&upright, &pose), [1.0, 1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 3.0]);
    }
}
