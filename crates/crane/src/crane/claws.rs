//! The gripper's tines, the log, the ground, and which of them touch.
//!
//! A claw is two tines at y = ±0.15 m, each three capsules along a polyline that surrounds the log when closed.

use macrostep_multibody::{BodyId, Pose, Shape, ShapeId, Surface, SystemBuilder, Vec3};
use nalgebra::UnitQuaternion;

use super::{CraneOptions, LOG, bodies, point};

/// Polyline of a right tine about the centre of the log when closed: radius in m, angle above x in degrees.
const POLYLINE: [(f64, f64); 4] = [(0.3118, 55.0), (0.2873, 5.0), (0.2831, -32.5), (0.2727, -58.0)];
/// Pivot of the closed right claw from the centre of the log, m.
const PIVOT: (f64, f64) = (0.12, 0.42);
/// Radius of a tine, m.
const TINE_RADIUS: f64 = 0.02;
/// Distance of the tines from the crane plane, m.
const TINE_OFFSET: f64 = 0.15;
/// Radius of the log unless another is set, m.
pub(super) const LOG_RADIUS: f64 = 0.25;
/// Half the length of the log unless another is set, m.
pub(super) const LOG_HALF_LENGTH: f64 = 1.8;
/// The underside of the frame as two balls: radius and distance from the crane plane, m.
const FRAME_BALL: (f64, f64) = (0.08, 0.2);
/// Compliance of contact rows.
const CONTACT_COMPLIANCE: f64 = 1e-7;
/// Pivots of the two claws at the start: side (−1 left, 1 right), body number, x and z in m.
const CLAWS: [(f64, usize, [f64; 2]); 2] = [(-1.0, 12, [4.787, 1.086]), (1.0, 13, [5.027, 1.086])];

pub(super) fn add(builder: &mut SystemBuilder, b: &[BodyId], options: &CraneOptions) {
    // Log and ground.
    let facets = options.friction_facets;
    let surface = |friction| Surface { friction, facets, compliance: CONTACT_COMPLIANCE, ..Default::default() };
    let (on_log, on_ground) = (surface(options.claw_friction), surface(options.ground_friction));
    let plane = Shape::Plane { point: Vec3::zeros(), normal: Vec3::z(), tangent: Vec3::x() };
    let ground = builder.shape(BodyId::GROUND, plane);
    let (centre, axis) = (Vec3::zeros(), Vec3::y());
    let [radius, length] = options.log_m;
    let cylinder = Shape::Cylinder { centre, axis, half_length: 0.5 * length, radius };
    let log = builder.shape(b[LOG], cylinder);
    builder.pair("log on ground", [log, ground], on_ground);

    // Tines may touch the log along their length, and the ground with their tips.
    for (side, claw, pivot) in CLAWS {
        for y in [-TINE_OFFSET, TINE_OFFSET] {
            let segments = tine(builder, b[claw], side, pivot, y);
            for &segment in &segments {
                builder.pair("tine on log", [segment, log], on_log);
            }
            builder.pair("tine tip on ground", [segments[2], ground], on_ground);
        }
    }
    // Balls keep the frame from sinking into the log.
    let (radius, offset) = FRAME_BALL;
    for y in [-offset, offset] {
        let ball = builder.shape(b[11], Shape::Sphere { centre: Vec3::y() * y, radius });
        builder.pair("frame on log", [ball, log], on_log);
    }
}

/// Adds the three capsules of a tine, from the pivot down.
fn tine(builder: &mut SystemBuilder, body: BodyId, side: f64, pivot: [f64; 2], y: f64) -> [ShapeId; 3] {
    // Opening turns the claw away from the log about its pivot: the right tips to +x, the left to −x.
    let open = UnitQuaternion::from_axis_angle(&Vec3::y_axis(), -side * bodies::OPEN_DEGREES.to_radians());
    let pose: Pose = builder.pose(body);
    let vertex = |k: usize| {
        let (radius, degrees) = POLYLINE[k];
        let closed = bodies::direction(degrees) * radius - point(PIVOT.0, PIVOT.1);
        let closed = Vec3::new(side * closed.x, 0.0, closed.z);
        pose.local(&(point(pivot[0], pivot[1]) + open * closed + Vec3::y() * y))
    };
    [0, 1, 2].map(|k| builder.shape(body, Shape::Capsule { ends: [vertex(k), vertex(k + 1)], radius: TINE_RADIUS }))
}
