//! The multibody systems: their declarations beside the interface that all have.

use std::sync::Arc;

use macrostep_crane::{actuator, crane};
use macrostep_description::Declared;
use macrostep_multibody::{
    Body, BodyId, Coordinate, DefinitionError, FACETS_MAX, Pose, Shape, Simulation, Surface, System, SystemBuilder,
    Vec3,
};

/// Gravity, m/s².
const GRAVITY: f64 = 9.81;

/// A multibody system with an interface.
pub trait Plant: std::fmt::Debug + Send + 'static {
    /// `modelIdentifier`.
    const IDENTIFIER: &'static str;
    /// One sentence.
    const ABOUT: &'static str;
    /// Interface coordinates r, and what they are.
    const INTERFACE: &'static [&'static str];
    /// `communication_step` if nothing is set, and the end of the experiment, s.
    const EXPERIMENT: (f64, f64);
    /// Interface forces at the start if nothing is set, N.
    const START_N: &'static [f64];

    /// Its own real parameters, in the order `system` takes them.
    fn reals() -> Vec<Declared> {
        Vec::new()
    }

    /// Its own integer parameters.
    fn integers() -> Vec<Declared> {
        Vec::new()
    }

    /// The system.
    ///
    /// # Errors
    /// [`DefinitionError`] for values that are not physical.
    fn system(reals: &[f64], integers: &[i32]) -> Result<Arc<System>, DefinitionError>;

    /// Its own outputs: name, unit, description.
    fn outputs() -> Vec<(String, &'static str, String)> {
        Vec::new()
    }

    /// Writes its own outputs.
    fn evaluate(_simulation: &Simulation, _outputs: &mut [f64]) {}

    /// Mends its own outputs after each was taken from the line between two points.
    fn mend(_outputs: &mut [f64]) {}
}

/// The mass on a vertical guide with dry friction and a stop.
#[derive(Debug)]
pub struct StopPlant;

impl Plant for StopPlant {
    const IDENTIFIER: &'static str = "stop_mass";
    const ABOUT: &'static str = "A mass of 1000 kg on a vertical guide with dry friction, below a stop";
    const INTERFACE: &'static [&'static str] = &["travel of the mass, up, from its start 0.3 m below the stop"];
    const EXPERIMENT: (f64, f64) = (0.004, actuator::END_S);
    const START_N: &'static [f64] = &[actuator::MASS_KG * actuator::GRAVITY];

    fn reals() -> Vec<Declared> {
        let d = actuator::MassOptions::default();
        let above = |name, start, unit, about| Declared::parameter(name, start).unit(unit).range(0.0, 1e9).about(about);
        vec![
            above("mass", d.mass_kg, "kg", "mass; hold it at the start by the force mass times 9.81 m/s2"),
            above("friction", d.friction_n, "N", "dry friction of the guide"),
            above("way", d.way_m, "m", "way from the start to the stop"),
        ]
    }

    fn system(reals: &[f64], _: &[i32]) -> Result<Arc<System>, DefinitionError> {
        actuator::system_for(actuator::MassOptions { mass_kg: reals[0], friction_n: reals[1], way_m: reals[2] })
    }
}

/// Facets of the friction cones.
fn facets(default: u8) -> Declared {
    let about = "facets of the cone of friction: 4, 8, 12 or 16; with n of them friction is between 1 and 1/cos(pi/n) times that of the cone";
    Declared::parameter("friction_facets", i32::from(default)).bounds(4, i32::from(FACETS_MAX)).about(about)
}

/// The crane with its log.
#[derive(Debug)]
pub struct CranePlant;

/// Names of a pose's numbers.
const POSE: [&str; 7] = ["x", "y", "z", "qx", "qy", "qz", "qw"];

impl Plant for CranePlant {
    const IDENTIFIER: &'static str = "crane";
    const ABOUT: &'static str = "A hydraulic crane of 18 bodies and 22 joints that grasps a log of 500 kg";
    const INTERFACE: &'static [&'static str] =
        &["extension of the lift cylinder since the start", "extension of the jib cylinder since the start"];
    const EXPERIMENT: (f64, f64) = (0.004, 8.0);
    const START_N: &'static [f64] = &[46.3e3, -18.7e3];

    fn reals() -> Vec<Declared> {
        // Ranges and starts are those of the crane's options.
        let d = crane::CraneOptions::default();
        let coefficient = |name, start, about| Declared::parameter(name, start).range(0.0, 10.0).about(about);
        let grip = Declared::parameter("grip_force", d.grip_n).unit("N").range(0.0, 1e6);
        let slew = Declared::parameter("slew_speed", d.slew_rads).unit("rad/s").range(-1.0, 1.0);
        let yaw = Declared::parameter("log_yaw", d.log_yaw_rad).unit("rad").range(-1.0, 1.0);
        let above = |name: &str, start, unit, about: &str| {
            Declared::parameter(name, start).unit(unit).range(1e-3, 1e6).about(about)
        };
        // Masses of all bodies, and sizes.
        let masses = crane::body_names().into_iter().zip(d.masses_kg).map(|(body, mass_kg)| {
            let name = format!("{}_mass", body.replace(' ', "_"));
            above(&name, mass_kg, "kg", &format!("mass of the body `{body}`; its moments of inertia go with it"))
        });
        let sizes = [
            above("log_radius", d.log_m[0], "m", "radius of the log, which lies on the ground at the start"),
            above("log_length", d.log_m[1], "m", "length of the log"),
            above("lift_stroke", d.strokes_m[0], "m", "stroke of the lift cylinder, up to its end stop"),
            above("jib_stroke", d.strokes_m[1], "m", "stroke of the jib cylinder, up to its end stop"),
        ];
        let own = [
            grip.about("greatest force of the grip cylinder"),
            coefficient("claw_friction", d.claw_friction, "coefficient of friction between claws and log"),
            coefficient("ground_friction", d.ground_friction, "coefficient of friction of the ground"),
            slew.about("speed at which the pillar is turned from 4.5 s to 6.5 s"),
            yaw.about("angle of the log about the vertical; 0 across the crane"),
        ];
        own.into_iter().chain(masses).chain(sizes).collect()
    }

    fn integers() -> Vec<Declared> {
        let about = "corrections of the positions onto the joints after each step";
        let d = crane::CraneOptions::default();
        vec![
            Declared::parameter("position_passes", d.position_passes as i32).bounds(0, 10).about(about),
            facets(d.friction_facets),
        ]
    }

    fn system(reals: &[f64], integers: &[i32]) -> Result<Arc<System>, DefinitionError> {
        let masses_kg = std::array::from_fn(|i| reals[5 + i]);
        let sizes = &reals[5 + masses_kg.len()..];
        crane::system(&crane::CraneOptions {
            grip_n: reals[0],
            claw_friction: reals[1],
            ground_friction: reals[2],
            slew_rads: reals[3],
            log_yaw_rad: reals[4],
            position_passes: integers[0] as usize,
            friction_facets: integers[1] as u8,
            masses_kg,
            log_m: [sizes[0], sizes[1]],
            strokes_m: [sizes[2], sizes[3]],
        })
    }

    fn outputs() -> Vec<(String, &'static str, String)> {
        let mut list = vec![("log_height".to_owned(), "m", "height of the centre of the log".to_owned())];
        for body in 1..=crane::LOG + 1 {
            for (k, name) in POSE.iter().enumerate() {
                let unit = if k < 3 { "m" } else { "" };
                let about = if k < 3 { "centre of mass in world axes" } else { "rotation as a quaternion" };
                list.push((format!("body[{body}].{name}"), unit, about.to_owned()));
            }
        }
        list
    }

    fn evaluate(simulation: &Simulation, outputs: &mut [f64]) {
        let poses = &simulation.state().poses;
        outputs[0] = poses[crane::LOG].position.z;
        for (pose, row) in poses.iter().zip(outputs[1..].chunks_exact_mut(7)) {
            row[..3].copy_from_slice(pose.position.as_slice());
            row[3..].copy_from_slice(pose.rotation.coords.as_slice());
        }
    }

    /// Quaternions have length 1.
    fn mend(outputs: &mut [f64]) {
        for row in outputs[1..].chunks_exact_mut(7) {
            let length = row[3..].iter().map(|q| q * q).sum::<f64>().sqrt();
            row[3..].iter_mut().for_each(|q| *q /= length);
        }
    }
}

/// The block on an incline.
#[derive(Debug)]
pub struct InclinePlant;

impl Plant for InclinePlant {
    const IDENTIFIER: &'static str = "incline_block";
    const ABOUT: &'static str = "A block of 2 kg on an incline with dry friction";
    const INTERFACE: &'static [&'static str] = &["way of the block down the incline"];
    const EXPERIMENT: (f64, f64) = (0.005, 1.0);
    const START_N: &'static [f64] = &[0.0];

    fn reals() -> Vec<Declared> {
        let angle = Declared::parameter("angle", 26.57_f64.to_radians()).unit("rad").range(0.0, 1.5);
        let friction = Declared::parameter("friction", 0.5).range(0.0, 10.0);
        vec![angle.about("slope"), friction.about("coefficient of friction")]
    }

    fn integers() -> Vec<Declared> {
        vec![facets(Surface::default().facets)]
    }

    fn system(reals: &[f64], integers: &[i32]) -> Result<Arc<System>, DefinitionError> {
        let (angle, friction, facets) = (reals[0], reals[1], integers[0] as u8);
        // Gravity is tilted instead of the ground.
        let mut builder = SystemBuilder::new(Vec3::new(angle.sin(), 0.0, -angle.cos()) * GRAVITY);
        let half = Vec3::new(0.5, 0.4, 0.1);
        let pose = Pose { position: Vec3::z() * half.z, ..Pose::world() };
        let block = builder.body(Body::new("block", 2.0, [0.1, 0.1, 0.15], pose));
        let rotation = Pose::world().rotation;
        let cube = builder.shape(block, Shape::Box { centre: Vec3::zeros(), rotation, half });
        let plane = Shape::Plane { point: Vec3::zeros(), normal: Vec3::z(), tangent: Vec3::x() };
        let ground = builder.shape(BodyId::GROUND, plane);
        builder.pair("block on incline", [cube, ground], Surface { friction, facets, ..Default::default() });
        builder.interface(Coordinate::Point { body: block, point: Vec3::zeros(), direction: Vec3::x() });
        Ok(Arc::new(builder.build()?))
    }
}
