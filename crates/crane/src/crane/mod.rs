//! The hydraulic crane: 18 bodies, 22 joints, two hydraulic cylinders, a gripper and a 500 kg log.
//!
//! World axes: z up, x forward, the crane in the plane y = 0. 13 revolute, 4 prismatic and 5 spherical joints make 100
//! rows of rank 95; of the 13 degrees of freedom 7 are the crane's (slew, boom, jib, telescope, hanger twice, grip) and
//! 6 the log's. The interface is the extension of lift and jib cylinder.
//!
//! The manoeuvre lowers the open gripper over the log, closes it, lifts, and swings the jib out.

mod bodies;
mod claws;
mod hydraulics;

use std::sync::Arc;

use macrostep_multibody::{
    BodyId, Coordinate, DefinitionError, JointFrame, JointId, JointKind, Limit, Motor, Steps, System, SystemBuilder,
    Vec3,
};

pub use hydraulics::{Manoeuvre, circuit, circuit_for, start};

/// Gravity, m/s².
pub const GRAVITY: f64 = 9.81;
/// Number of the log among the bodies.
pub const LOG: usize = 17;
/// Micro step of the hydraulics, s.
pub const MICRO_S: f64 = 2e-4;
/// Interface speed above which a run counts as unstable, m/s.
pub const SPEED_LIMIT_MS: f64 = 0.5;
/// Initial extension of lift and jib cylinder, m.
pub const START_M: [f64; 2] = [0.3375, 0.5437];
/// Stroke of both cylinders unless another is set, m.
pub const STROKE_M: f64 = 0.8;

/// Compliance of joint and motor rows.
const JOINT_COMPLIANCE: f64 = 1e-9;

/// The options of the crane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CraneOptions {
    /// Largest force of the grip cylinder, N.
    pub grip_n: f64,
    /// Friction between claws and log.
    pub claw_friction: f64,
    /// Friction of the ground.
    pub ground_friction: f64,
    /// Facets of both friction cones: 4, 8, 12 or 16. Default 4.
    pub friction_facets: u8,
    /// Speed at which the slew motor turns the pillar from 4.5 s to 6.5 s, rad/s; its torque is that of the brake.
    pub slew_rads: f64,
    /// Angle of the log about the vertical, rad; 0 across the crane.
    pub log_yaw_rad: f64,
    /// Corrections of the positions after each step. Default 2: keeps the joints within 1e-5 m at all step sizes used;
    /// 0 is the plain semi-implicit rule.
    pub position_passes: usize,
    /// Masses of the bodies, kg; with them go the moments of inertia.
    pub masses_kg: [f64; LOG + 1],
    /// Radius and length of the log, m; it lies on the ground at the start.
    pub log_m: [f64; 2],
    /// Stroke of lift and jib cylinder, m.
    pub strokes_m: [f64; 2],
}

impl Default for CraneOptions {
    fn default() -> Self {
        Self {
            grip_n: 20e3,
            claw_friction: 0.4,
            ground_friction: 0.5,
            friction_facets: 4,
            slew_rads: 0.0,
            log_yaw_rad: 0.0,
            position_passes: 2,
            masses_kg: bodies::TABLE.map(|body| body.1),
            log_m: [claws::LOG_RADIUS, 2.0 * claws::LOG_HALF_LENGTH],
            strokes_m: [STROKE_M; 2],
        }
    }
}

/// Names of the bodies in their order.
#[must_use]
pub fn body_names() -> [&'static str; LOG + 1] {
    bodies::TABLE.map(|body| body.0)
}

/// A point of the crane plane.
fn point(x: f64, z: f64) -> Vec3 {
    Vec3::new(x, 0.0, z)
}

/// The crane as a multibody system.
///
/// # Errors
/// [`DefinitionError`] for options that are not physical.
pub fn system(options: &CraneOptions) -> Result<Arc<System>, DefinitionError> {
    let mut builder = SystemBuilder::new(Vec3::new(0.0, 0.0, -GRAVITY));
    builder.position_passes(options.position_passes);
    let bodies = bodies::add(&mut builder, options);
    let joints = add_joints(&mut builder, &bodies);
    add_motors(&mut builder, &joints, options);
    for (k, joint) in [joints.lift, joints.jib].into_iter().enumerate() {
        let (name, coordinate) = (["lift stops", "jib stops"][k].to_owned(), Coordinate::Joint(joint));
        let (lower, upper) = (-START_M[k], options.strokes_m[k] - START_M[k]);
        builder.limit(Limit { name, coordinate, lower, upper, compliance: JOINT_COMPLIANCE });
        builder.interface(coordinate);
    }
    claws::add(&mut builder, &bodies, options);
    Ok(Arc::new(builder.build()?))
}

/// The joints that something acts on.
struct Joints {
    slew: JointId,
    lift: JointId,
    jib: JointId,
    telescope: JointId,
    hanger_y: JointId,
    hanger_x: JointId,
    grip: JointId,
}

/// J1 … J22 in their order.
fn add_joints(builder: &mut SystemBuilder, b: &[BodyId]) -> Joints {
    use JointKind::{Prismatic, Revolute, Spherical};
    // Axes of the cylinders, through their joints.
    let mut join = |name: &str, kind, first, second, at, axis| {
        builder.joint(name, kind, [first, second], JointFrame { point: at, axis }, JOINT_COMPLIANCE)
    };
    let (x, y, z) = (Vec3::x(), Vec3::y(), Vec3::z());
    let lift_axis = point(0.959, 2.320) - point(0.25, 0.90);
    let jib_axis = point(2.674, 3.972) - point(1.111, 2.903);
    let telescope_axis = bodies::direction(bodies::JIB_DEGREES);

    // Slew, boom and lift cylinder.
    let slew = join("J1 ground-pillar", Revolute, BodyId::GROUND, b[0], point(0.0, 0.0), z);
    join("J2 pillar-boom", Revolute, b[0], b[1], point(0.0, 2.0), y);
    join("J3 pillar-lift barrel", Revolute, b[0], b[2], point(0.25, 0.90), y);
    let lift = join("J4 lift cylinder", Prismatic, b[2], b[3], point(0.25, 0.90), lift_axis);
    join("J5 lift rod-boom", Spherical, b[3], b[1], point(0.959, 2.320), y);
    // The jib, moved by its cylinder over two levers.
    join("J6 boom-jib", Revolute, b[1], b[4], point(3.208, 3.634), y);
    join("J7 boom-jib barrel", Revolute, b[1], b[5], point(1.111, 2.903), y);
    let jib = join("J8 jib cylinder", Prismatic, b[5], b[6], point(1.111, 2.903), jib_axis);
    join("J9 jib rod-lever 1", Spherical, b[6], b[7], point(2.674, 3.972), y);
    join("J10 boom-lever 1", Revolute, b[1], b[7], point(2.806, 3.542), y);
    join("J11 lever 1-lever 2", Revolute, b[7], b[8], point(2.674, 3.972), y);
    join("J12 lever 2-jib", Spherical, b[8], b[4], point(3.315, 3.979), y);
    // The telescope and the two axes of the hanger.
    let telescope = join("J13 telescope", Prismatic, b[4], b[9], point(4.403, 2.158), telescope_axis);
    let hanger_y = join("J14 telescope-hanger", Revolute, b[9], b[10], point(4.907, 1.536), y);
    let hanger_x = join("J15 hanger-frame", Revolute, b[10], b[11], point(4.907, 1.336), x);
    // Claws, their cylinder, and the rod that keeps them in step.
    join("J16 frame-claw left", Revolute, b[11], b[12], point(4.787, 1.086), y);
    join("J17 frame-claw right", Revolute, b[11], b[13], point(5.027, 1.086), y);
    join("J18 claw left-grip barrel", Revolute, b[12], b[14], point(4.808, 1.291), y);
    let grip = join("J19 grip cylinder", Prismatic, b[14], b[15], point(4.808, 1.291), x);
    join("J20 grip rod-claw right", Spherical, b[15], b[13], point(5.005, 1.291), y);
    join("J21 claw left-sync", Revolute, b[12], b[16], point(4.833, 1.152), y);
    join("J22 sync-claw right", Spherical, b[16], b[13], point(5.073, 1.021), y);
    Joints { slew, lift, jib, telescope, hanger_y, hanger_x, grip }
}

fn add_motors(builder: &mut SystemBuilder, joints: &Joints, options: &CraneOptions) {
    let closing = Steps { steps: vec![(2.6, 0.2), (4.0, 0.05)] };
    let slewing = Steps { steps: vec![(4.5, options.slew_rads), (6.5, 0.0)] };
    let motors = [
        ("slew brake", joints.slew, 30e3, slewing),
        ("telescope brake", joints.telescope, 60e3, Steps::default()),
        ("hanger friction about y", joints.hanger_y, 100.0, Steps::default()),
        ("hanger friction about x", joints.hanger_x, 100.0, Steps::default()),
        ("grip cylinder", joints.grip, options.grip_n, closing),
    ];
    for (name, joint, force, speed) in motors {
        builder.motor(Motor {
            name: name.to_owned(),
            coordinate: Coordinate::Joint(joint),
            speed,
            lower_n: -force,
            upper_n: force,
            compliance: JOINT_COMPLIANCE,
        });
    }
}
