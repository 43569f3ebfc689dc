//! Closed forms: a block on an incline, a resting ball, a double pendulum.

use std::sync::Arc;

use macrostep::factory;
use macrostep_multibody::{Body, BodyId, JointKind, Pose, Shape, Simulation, Surface, SystemBuilder, Vec3};

use super::Finding;
use crate::failure::Failure;

const TOPIC: &str = "mechanics";
/// Gravity \[m/s²\].
const G: f64 = 9.81;

/// The three of them.
pub fn findings() -> Result<Vec<Finding>, Failure> {
    // An incline at both sides of the angle at which a body begins to slide.
    let [_, rest] = incline(26.56)?;
    let [half, whole] = incline(26.57)?;
    let angle = 26.57_f64.to_radians();
    let acceleration = G * (angle.sin() - 0.5 * angle.cos());
    // A ball at rest, and a double pendulum over the step, against a fine solution.
    let ball = ball_force()?;
    let reference = pendulum_reference();
    let errors =
        [4e-3, 2e-3, 1e-3, 5e-4].map(|h| pendulum(h).map(|p| (p[0] - reference[0]).hypot(p[1] - reference[1])));
    let errors: Vec<f64> = errors.into_iter().collect::<Result<_, Failure>>()?;
    let order = (errors[0] / errors[3]).log2() / 3.0;
    // Rest, acceleration, force and order.
    Ok(vec![
        Finding::at_most(TOPIC, "incline 26.56°, μ = 0.5, FMU: speed after 1 s [m/s]", rest.abs(), 1e-7),
        Finding::at_most(
            TOPIC,
            "incline 26.57°: acceleration against the closed form [m/s²]",
            ((whole - half) / 0.5 - acceleration).abs(),
            1e-9,
        ),
        Finding::at_most(TOPIC, "resting ball: force / (m g) − 1", (ball / (3.0 * G) - 1.0).abs(), 1e-9),
        Finding::new(
            TOPIC,
            "double pendulum: order of the error over h",
            format!("{order:.3}"),
            "1.0 ± 0.1",
            (order - 1.0).abs() <= 0.1,
        ),
    ])
}

/// Speed of the block after 0.5 s and 1 s.
fn incline(degrees: f64) -> Result<[f64; 2], Failure> {
    let mut unit = factory::fmu("incline_block", "block").map_err(Failure::run)?;
    let reference = |name: &str| {
        let found = unit.description().variable(name).map(|v| v.value_reference);
        found.ok_or_else(|| Failure::Run(format!("`incline_block` has no variable `{name}`")))
    };
    let (angle, friction, speed) = (reference("angle")?, reference("friction")?, reference("w[1]")?);
    unit.set_real(&[angle, friction], &[degrees.to_radians(), 0.5]).map_err(Failure::run)?;
    unit.setup(0.0, None, None).map_err(Failure::run)?;
    unit.enter_initialization().map_err(Failure::run)?;
    unit.exit_initialization().map_err(Failure::run)?;
    let mut speeds = [0.0; 2];
    for n in 0..200 {
        unit.step(f64::from(n) * 0.005, 0.005, true).map_err(Failure::run)?;
        if n % 100 == 99 {
            unit.get_real(&[speed], &mut speeds[n as usize / 100..=n as usize / 100]).map_err(Failure::run)?;
        }
    }
    Ok(speeds)
}

fn at(x: f64, z: f64) -> Pose {
    Pose { position: Vec3::new(x, 0.0, z), ..Pose::world() }
}

/// Contact force of a ball of 3 kg at rest.
fn ball_force() -> Result<f64, Failure> {
    let mut builder = SystemBuilder::new(Vec3::new(0.0, 0.0, -G));
    let ball = builder.body(Body::new("ball", 3.0, [0.1; 3], at(0.0, 0.5)));
    let sphere = builder.shape(ball, Shape::Sphere { centre: Vec3::zeros(), radius: 0.5 });
    let plane = Shape::Plane { point: Vec3::zeros(), normal: Vec3::z(), tangent: Vec3::x() };
    let ground = builder.shape(BodyId::GROUND, plane);
    builder.pair("ball on ground", [sphere, ground], Surface { friction: 0.5, ..Surface::default() });
    let mut simulation = Simulation::new(Arc::new(builder.build().map_err(Failure::run)?));
    for _ in 0..20 {
        simulation.step(0.01, &[]).map_err(Failure::run)?;
    }
    Ok(simulation.report().contact_force_n)
}

/// Two rods of 1 m and 1 kg, level at first: place of the lower one after 1 s.
fn pendulum(h: f64) -> Result<[f64; 2], Failure> {
    let mut builder = SystemBuilder::new(Vec3::new(0.0, 0.0, -G));
    let inertia = [0.001, 1.0 / 12.0, 1.0 / 12.0];
    let a = builder.body(Body::new("upper", 1.0, inertia, at(0.5, 0.0)));
    let b = builder.body(Body::new("lower", 1.0, inertia, at(1.5, 0.0)));
    builder.joint("hip", JointKind::Revolute, [BodyId::GROUND, a], (Vec3::zeros(), Vec3::y()), 1e-9);
    builder.joint("knee", JointKind::Revolute, [a, b], (Vec3::x(), Vec3::y()), 1e-9);
    let mut simulation = Simulation::new(Arc::new(builder.build().map_err(Failure::run)?));
    for _ in 0..(1.0 / h).round() as usize {
        simulation.step(h, &[]).map_err(Failure::run)?;
    }
    let position = simulation.state().poses[1].position;
    Ok([position.x, position.z])
}

/// The same by Runge–Kutta of order 4 with 0.1 ms, in angles below the horizontal.
fn pendulum_reference() -> [f64; 2] {
    let rate = |y: [f64; 4]| {
        let (c, s) = ((y[0] - y[1]).cos(), (y[0] - y[1]).sin());
        let (m11, m12, m22) = (4.0 / 3.0, 0.5 * c, 1.0 / 3.0);
        let f1 = 1.5 * G * y[0].cos() - 0.5 * s * y[3] * y[3];
        let f2 = 0.5 * G * y[1].cos() + 0.5 * s * y[2] * y[2];
        let d = m11 * m22 - m12 * m12;
        [y[2], y[3], (m22 * f1 - m12 * f2) / d, (m11 * f2 - m12 * f1) / d]
    };
    let plus = |y: [f64; 4], k: [f64; 4], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
    let (mut y, h) = ([0.0; 4], 1e-4);
    for _ in 0..10_000 {
        let k1 = rate(y);
        let k2 = rate(plus(y, k1, h / 2.0));
        let k3 = rate(plus(y, k2, h / 2.0));
        let k4 = rate(plus(y, k3, h));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    [y[0].cos() + 0.5 * y[1].cos(), -y[0].sin() - 0.5 * y[1].sin()]
}
