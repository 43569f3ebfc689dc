//! Contact between round shapes: nearest points of segments, of a segment and a solid cylinder, of a point and a box.

use super::ContactPoint;
use crate::{
    algebra::{Pose, Vec3},
    shape::Shape,
};

/// Centre segment in world axes and radius of a sphere or capsule.
fn segment(shape: &Shape, pose: &Pose) -> ([Vec3; 2], f64) {
    match shape {
        Shape::Sphere { centre, radius } => ([pose.point(centre); 2], *radius),
        Shape::Capsule { ends, radius } => ([pose.point(&ends[0]), pose.point(&ends[1])], *radius),
        _ => ([pose.position; 2], 0.0),
    }
}

/// Contact of two points inflated by radii; `fallback` is the normal where the points coincide.
fn inflate(points: [Vec3; 2], radii: [f64; 2], fallback: Vec3, tangent: Vec3) -> ContactPoint {
    let apart = points[0] - points[1];
    let distance = apart.norm();
    let normal = if distance > 1e-12 { apart / distance } else { fallback };
    let surface = [points[0] - normal * radii[0], points[1] + normal * radii[1]];
    ContactPoint { points: surface, normal, gap_m: distance - radii[0] - radii[1], tangent, feature: 0 }
}

/// Two spheres or capsules: one point.
pub(super) fn capsules(a: (&Shape, &Pose), b: (&Shape, &Pose)) -> ContactPoint {
    let ((p, radius_a), (q, radius_b)) = (segment(a.0, a.1), segment(b.0, b.1));
    let (s, t) = nearest(&p, &q);
    let points = [p[0] + (p[1] - p[0]) * s, q[0] + (q[1] - q[0]) * t];
    inflate(points, [radius_a, radius_b], Vec3::z(), q[1] - q[0])
}

/// Parameters of the nearest points of two segments, each within [0, 1].
fn nearest(p: &[Vec3; 2], q: &[Vec3; 2]) -> (f64, f64) {
    let (u, v, w) = (p[1] - p[0], q[1] - q[0], p[0] - q[0]);
    let (uu, vv, uv) = (u.dot(&u), v.dot(&v), u.dot(&v));
    let (uw, vw) = (u.dot(&w), v.dot(&w));
    let on_p = |t: f64| if uu > 0.0 { ((t * uv - uw) / uu).clamp(0.0, 1.0) } else { 0.0 };
    let on_q = |s: f64| if vv > 0.0 { ((s * uv + vw) / vv).clamp(0.0, 1.0) } else { 0.0 };
    let determinant = uu * vv - uv * uv;
    // Parallel segments have no unique pair: start in the middle.
    let s = if determinant > 1e-12 * uu * vv { ((uv * vw - vv * uw) / determinant).clamp(0.0, 1.0) } else { 0.5 };
    let t = on_q(s);
    let s = on_p(t);
    (s, on_q(s))
}

/// A sphere or capsule against a solid cylinder: one point.
pub(super) fn capsule_cylinder(a: (&Shape, &Pose), b: (&Shape, &Pose)) -> ContactPoint {
    // Nearest points of the two axes.
    let (p, radius_a) = segment(a.0, a.1);
    let Shape::Cylinder { centre, axis, half_length, radius } = b.0 else {
        return capsules(a, b);
    };
    let (centre, axis) = (b.1.point(centre), b.1.rotation * axis);
    let ends = [centre - axis * *half_length, centre + axis * *half_length];
    let (s, t) = nearest(&p, &ends);
    let at = p[0] + (p[1] - p[0]) * s;
    // Beside the cylinder, both are round about their axes.
    if t > 0.0 && t < 1.0 {
        let radial = crate::algebra::tangent(&axis, &Vec3::zeros());
        return inflate([at, ends[0] + (ends[1] - ends[0]) * t], [radius_a, *radius], radial, axis);
    }

    // Beyond an end: the distance to the solid is convex along the segment.
    let onto = |s: f64| {
        let at = p[0] + (p[1] - p[0]) * s;
        let (along, across) = split(&(at - centre), &axis);
        let reach = across.norm();
        let across = if reach > *radius { across * (*radius / reach) } else { across };
        (at, centre + axis * along.clamp(-half_length, *half_length) + across)
    };
    // Search by thirds.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        let distance = |s: f64| {
            let (at, on) = onto(s);
            (at - on).norm_squared()
        };
        if distance(left) <= distance(right) {
            high = right;
        } else {
            low = left;
        }
    }
    let (at, on) = onto(0.5 * (low + high));
    inflate([at, on], [radius_a, 0.0], if t > 0.5 { axis } else { -axis }, Vec3::zeros())
}

/// Component along a unit axis, and the rest.
fn split(v: &Vec3, axis: &Vec3) -> (f64, Vec3) {
    let along = axis.dot(v);
    (along, v - axis * along)
}

/// A sphere against a solid box: one point.
pub(super) fn sphere_box(a: (&Shape, &Pose), b: (&Shape, &Pose)) -> ContactPoint {
    let (p, radius) = segment(a.0, a.1);
    let Shape::Box { centre, rotation, half } = b.0 else {
        return capsules(a, b);
    };
    let turn = b.1.rotation * rotation;
    let middle = b.1.point(centre);
    let local = turn.inverse() * (p[0] - middle);
    let clamped = Vec3::from_fn(|i, _| local[i].clamp(-half[i], half[i]));
    if clamped != local {
        return inflate([p[0], middle + turn * clamped], [radius, 0.0], Vec3::z(), Vec3::zeros());
    }
    // The centre is inside: out through the nearest face.
    let depth = half - local.abs();
    let face = depth.imin();
    let mut out = Vec3::zeros();
    out[face] = if local[face] < 0.0 { -1.0 } else { 1.0 };
    let normal = turn * out;
    let on_box = p[0] + normal * depth[face];
    let points = [p[0] - normal * radius, on_box];
    ContactPoint { points, normal, gap_m: -depth[face] - radius, tangent: Vec3::zeros(), feature: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::find;

    fn gap(a: &Shape, b: &Shape) -> ContactPoint {
        let mut list = Vec::new();
        find((a, &Pose::world()), (b, &Pose::world()), &mut |p| list.push(p));
        assert_eq!(list.len(), 1);
        let (point, apart) = (list[0], list[0].points[0] - list[0].points[1]);
        assert!((apart - point.normal * point.gap_m).norm() < 1e-9, "gap along the normal");
        point
    }

    #[test]
    fn distances_are_right() {
        let sphere = |x, y, z, radius| Shape::Sphere { centre: Vec3::new(x, y, z), radius };
        let log = Shape::Cylinder { centre: Vec3::zeros(), axis: Vec3::y(), half_length: 2.0, radius: 0.5 };
        assert!((gap(&sphere(3.0, 0.0, 0.0, 1.0), &sphere(0.0, 0.0, 0.0, 1.0)).gap_m - 1.0).abs() < 1e-15);
        // Side, end and edge of the cylinder.
        assert!((gap(&sphere(2.0, 1.0, 0.0, 0.1), &log).gap_m - 1.4).abs() < 1e-12);
        assert!((gap(&sphere(0.1, 3.0, 0.0, 0.1), &log).gap_m - 0.9).abs() < 1e-9);
        assert!((gap(&log, &sphere(3.5, 6.0, 0.0, 0.0)).gap_m - 5.0).abs() < 1e-9);
        // A tine across the log.
        let ends = [Vec3::new(0.6, 0.3, -1.0), Vec3::new(0.6, 0.3, 1.0)];
        let tine = gap(&Shape::Capsule { ends, radius: 0.05 }, &log);
        assert!((tine.gap_m - 0.05).abs() < 1e-12 && (tine.normal - Vec3::x()).norm() < 1e-12);
        // Outside and inside of a box.
        let cube = Shape::Box { centre: Vec3::zeros(), rotation: Default::default(), half: Vec3::new(1.0, 2.0, 3.0) };
        assert!((gap(&sphere(4.0, 6.0, 0.0, 1.0), &cube).gap_m - 4.0).abs() < 1e-12);
        assert!((gap(&sphere(0.9, 0.0, 0.0, 0.1), &cube).gap_m + 0.2).abs() < 1e-12);
    }

    #[test]
    fn skew_segments_have_their_common_normal() {
        let p = [Vec3::new(-1.0, 0.0, 1.0), Vec3::new(1.0, 0.0, 1.0)];
        let q = [Vec3::new(0.2, -1.0, 0.0), Vec3::new(0.2, 1.0, 0.0)];
        let (s, t) = nearest(&p, &q);
        assert!((s - 0.6).abs() < 1e-12 && (t - 0.5).abs() < 1e-12);
    }
}
