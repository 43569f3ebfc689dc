//! The 18 bodies: masses, places, inertias.
//!
//! Members have their x axis along the member; pillar, hanger, frame and log have world axes at the start; the claws have
//! world axes when closed.

use macrostep_multibody::{Body, BodyId, Pose, SystemBuilder, Vec3};
use nalgebra::UnitQuaternion;

use super::{CraneOptions, LOG, point};

/// Angle of the boom above the horizontal, degrees.
pub(super) const BOOM_DEGREES: f64 = 27.0;
/// Angle of the jib above the horizontal, degrees.
pub(super) const JIB_DEGREES: f64 = -51.0;
/// How far each claw is open at the start, degrees.
pub(super) const OPEN_DEGREES: f64 = 35.0;

/// The direction in the crane plane at an angle above x.
pub(super) fn direction(degrees: f64) -> Vec3 {
    let angle = degrees.to_radians();
    point(angle.cos(), angle.sin())
}

/// The rotation that raises x to an angle above the horizontal.
fn raised(degrees: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vec3::y_axis(), -degrees.to_radians())
}

/// The angle of the line between two points of the crane plane, degrees.
fn angle(from: (f64, f64), to: (f64, f64)) -> f64 {
    (to.1 - from.1).atan2(to.0 - from.0).to_degrees()
}

/// Name, mass in kg, centre of mass (x, z) in m, principal moments in kg m².
type Entry = (&'static str, f64, (f64, f64), [f64; 3]);

/// The bodies in their order.
pub(super) const TABLE: [Entry; LOG + 1] = [
    ("pillar", 400.0, (0.0, 1.000), [138.7, 138.7, 10.67]),
    ("boom", 420.0, (1.515, 2.772), [3.02, 455.1, 455.1]),
    ("lift barrel", 45.0, (0.473, 1.347), [0.11, 4.59, 4.59]),
    ("lift rod", 25.0, (0.736, 1.873), [0.015, 2.53, 2.53]),
    ("jib", 240.0, (3.774, 2.935), [1.2, 97.4, 97.4]),
    ("jib barrel", 35.0, (1.524, 3.185), [0.063, 3.56, 3.56]),
    ("jib rod", 18.0, (2.262, 3.690), [0.008, 1.82, 1.82]),
    ("lever 1", 18.0, (2.740, 3.757), [0.014, 0.311, 0.311]),
    ("lever 2", 20.0, (2.995, 3.975), [0.016, 0.691, 0.691]),
    ("telescope", 110.0, (4.403, 2.158), [0.352, 23.6, 23.6]),
    ("hanger link", 15.0, (4.907, 1.436), [0.063, 0.063, 0.025]),
    ("gripper frame", 90.0, (4.907, 1.206), [1.875, 1.875, 2.4]),
    ("claw left", 50.0, (4.448, 0.811), [2.271, 1.854, 0.604]),
    ("claw right", 50.0, (5.366, 0.811), [2.271, 1.854, 0.604]),
    ("grip barrel", 12.0, (4.887, 1.291), [0.010, 0.027, 0.027]),
    ("grip rod", 6.0, (4.927, 1.291), [0.001, 0.012, 0.012]),
    ("sync link", 5.0, (4.953, 1.086), [0.001, 0.035, 0.035]),
    ("log", 500.0, (4.852, 0.250), [547.8, 15.6, 547.8]),
];

/// Angles of the members in degrees, in the same order.
fn angles() -> [f64; LOG + 1] {
    let lift = angle((0.25, 0.90), (0.959, 2.320));
    let jib = angle((1.111, 2.903), (2.674, 3.972));
    let lever_1 = angle((2.806, 3.542), (2.674, 3.972));
    let lever_2 = angle((2.674, 3.972), (3.315, 3.979));
    let sync = angle((4.833, 1.152), (5.073, 1.021));
    let (boom, arm, open) = (BOOM_DEGREES, JIB_DEGREES, OPEN_DEGREES);
    [0.0, boom, lift, lift, arm, jib, jib, lever_1, lever_2, arm, 0.0, 0.0, -open, open, 0.0, 0.0, sync, 0.0]
}

/// The moments of inertia of a cylinder of this mass, radius and length, across its axis and along it, kg m².
fn of_cylinder(mass_kg: f64, [radius, length]: [f64; 2]) -> [f64; 2] {
    [mass_kg * (3.0 * radius * radius + length * length) / 12.0, mass_kg * radius * radius / 2.0]
}

/// Adds all bodies in the order of the table. Moments are those of the table, scaled with the mass and the log's size.
pub(super) fn add(builder: &mut SystemBuilder, options: &CraneOptions) -> Vec<BodyId> {
    let usual = CraneOptions::default().log_m;
    let place = |(i, (name, usual_kg, (x, z), moments)): (usize, Entry)| {
        let mass_kg = options.masses_kg[i];
        let (yaw, z) = if i == LOG { (options.log_yaw_rad, options.log_m[0]) } else { (0.0, z) };
        let moments = if i == LOG {
            let [[across, along], [usual_across, usual_along]] =
                [of_cylinder(mass_kg, options.log_m), of_cylinder(usual_kg, usual)];
            let (across, along) = (across / usual_across, along / usual_along);
            [moments[0] * across, moments[1] * along, moments[2] * across]
        } else {
            moments.map(|m| m * (mass_kg / usual_kg))
        };
        let rotation = UnitQuaternion::from_axis_angle(&Vec3::z_axis(), yaw) * raised(angles()[i]);
        Body::new(name, mass_kg, moments, Pose { position: point(x, z), rotation })
    };
    TABLE.into_iter().enumerate().map(|row| builder.body(place(row))).collect()
}
