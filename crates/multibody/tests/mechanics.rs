//! The time step against closed forms and an accurate ODE solution.

use std::sync::Arc;

use macrostep_multibody::{
    Body, BodyId, Coordinate, DefinitionError, JointFrame, JointKind, Limit, Motor, Pose, Shape, Simulation, Spring,
    State, StateError, StepError, Steps, Surface, SystemBuilder, Vec3,
};
use nalgebra::UnitQuaternion;

const G: f64 = 9.81;

fn gravity() -> Vec3 {
    Vec3::new(0.0, 0.0, -G)
}

fn at(position: Vec3) -> Pose {
    Pose { position, rotation: UnitQuaternion::identity() }
}

fn run(simulation: &mut Simulation, h: f64, steps: usize) {
    for _ in 0..steps {
        simulation.step(h, &[]).expect("step");
    }
}

#[test]
fn ball_at_rest_is_carried_by_its_weight() {
    let mut builder = SystemBuilder::new(gravity());
    let ball = builder.body(Body::new("ball", 3.0, [0.1; 3], at(Vec3::new(0.0, 0.0, 0.5))));
    let sphere = builder.shape(ball, Shape::Sphere { centre: Vec3::zeros(), radius: 0.5 });
    let ground =
        builder.shape(BodyId::GROUND, Shape::Plane { point: Vec3::zeros(), normal: Vec3::z(), tangent: Vec3::x() });
    builder.pair("ball on ground", [sphere, ground], Surface { friction: 0.5, ..Default::default() });
    let mut simulation = Simulation::new(Arc::new(builder.build().expect("valid")));
    run(&mut simulation, 0.01, 20);
    let force = simulation.report().contact_force_n;
    assert!((force / (3.0 * G) - 1.0).abs() < 1e-9, "{force}");
    assert_eq!(simulation.report().contacts, 1);
    assert!(simulation.state().velocities[0].iter().all(|v| v.abs() < 1e-9));
}

/// A block on an incline of `degrees` with μ = 0.5 after 1 s: speed down the slope at 0.5 s and at 1 s.
fn block_on_incline(degrees: f64, surface: Surface) -> [f64; 2] {
    block_askew(degrees, 0.0, surface)
}

/// The same with the first direction of friction at an angle `askew` (rad) to the slope.
fn block_askew(degrees: f64, askew: f64, surface: Surface) -> [f64; 2] {
    let tilt = UnitQuaternion::from_axis_angle(&Vec3::y_axis(), degrees.to_radians());
    let (normal, down) = (tilt * Vec3::z(), tilt * Vec3::x());
    let mut builder = SystemBuilder::new(gravity());
    let pose = Pose { position: normal * 0.1, rotation: tilt };
    let block = builder.body(Body::new("block", 2.0, [0.1, 0.1, 0.15], pose));
    let half = Vec3::new(0.5, 0.4, 0.1);
    let cube = builder.shape(block, Shape::Box { centre: Vec3::zeros(), rotation: UnitQuaternion::identity(), half });
    let tangent = UnitQuaternion::from_scaled_axis(normal * askew) * down;
    let plane = builder.shape(BodyId::GROUND, Shape::Plane { point: Vec3::zeros(), normal, tangent });
    builder.pair("block on incline", [cube, plane], surface);
    let mut simulation = Simulation::new(Arc::new(builder.build().expect("valid")));
    [0, 1].map(|_| {
        run(&mut simulation, 0.005, 100);
        let v = simulation.state().velocities[0];
        Vec3::new(v[0], v[1], v[2]).dot(&down)
    })
}

#[test]
fn block_rests_below_and_slides_above_the_friction_angle() {
    let surface = Surface { friction: 0.5, ..Default::default() };
    let rest = block_on_incline(26.56, surface);
    assert!(rest[1].abs() < 1e-7, "creeps at {} m/s", rest[1]);
    let slide = block_on_incline(26.57, surface);
    let angle = 26.57_f64.to_radians();
    let expected = G * (angle.sin() - 0.5 * angle.cos());
    let found = (slide[1] - slide[0]) / 0.5;
    assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    // The test sees a friction coefficient that is off by 1e-4.
    let other = block_on_incline(26.57, Surface { friction: 0.5001, ..surface });
    assert!((other[1] - other[0]) / 0.5 < expected - 1e-4);
}

/// Along an axis of friction the force is μ λ_n, half-way between two axes μ λ_n / cos(π/facets).
#[test]
fn facets_bring_friction_closer_to_the_cone() {
    let angle = 40_f64.to_radians();
    for facets in [4, 8, 12, 16] {
        let surface = Surface { friction: 0.5, facets, ..Default::default() };
        let half = std::f64::consts::PI / f64::from(facets);
        for (askew, factor) in [(0.0, 1.0), (half, 1.0 / half.cos())] {
            let speeds = block_askew(40.0, askew, surface);
            let expected = G * (angle.sin() - factor * 0.5 * angle.cos());
            let found = (speeds[1] - speeds[0]) / 0.5;
            assert!((found - expected).abs() < 1e-6, "{facets} facets at {askew} rad: {found} {expected}");
        }
    }
}

#[test]
fn free_flight_keeps_momentum() {
    let mut builder = SystemBuilder::new(Vec3::zeros());
    let rod = |x: f64| Body::new("rod", 1.0, [0.02, 0.1, 0.11], at(Vec3::new(x, 0.0, 0.0)));
    let (a, b) = (builder.body(rod(0.0)), builder.body(rod(1.0)));
    builder.joint(
        "elbow",
        JointKind::Spherical,
        [a, b],
        JointFrame { point: Vec3::new(0.5, 0.0, 0.0), axis: Vec3::z() },
        1e-9,
    );
    let mut simulation = Simulation::new(Arc::new(builder.build().expect("valid")));
    let mut state = simulation.state().clone();
    state.velocities[0] = [0.3, 0.1, 0.0, 0.1, 0.2, 0.3];
    state.velocities[1] = [0.3, 0.1, -0.1, 0.0, -0.2, 0.3];
    simulation.restore(&state).expect("fits");
    run(&mut simulation, 1e-3, 1);
    let before = simulation.momentum();
    run(&mut simulation, 1e-3, 1000);
    let after = simulation.momentum();
    assert!((after.linear - before.linear).norm() < 1e-12);
    // Angular momentum is kept to first order: the gyroscopic moment is explicit.
    assert!((after.angular - before.angular).norm() < 1e-3);
    assert!(simulation.violation().length_m < 1e-6);
}

/// Double pendulum of two rods of 1 m, 1 kg: x of the tip body after 1 s with steps of `h`.
fn double_pendulum(h: f64) -> [f64; 2] {
    let mut builder = SystemBuilder::new(gravity());
    let inertia = [0.001, 1.0 / 12.0, 1.0 / 12.0];
    let a = builder.body(Body::new("upper", 1.0, inertia, at(Vec3::new(0.5, 0.0, 0.0))));
    let b = builder.body(Body::new("lower", 1.0, inertia, at(Vec3::new(1.5, 0.0, 0.0))));
    builder.joint(
        "hip",
        JointKind::Revolute,
        [BodyId::GROUND, a],
        JointFrame { point: Vec3::zeros(), axis: Vec3::y() },
        1e-9,
    );
    builder.joint("knee", JointKind::Revolute, [a, b], JointFrame { point: Vec3::x(), axis: Vec3::y() }, 1e-9);
    let mut simulation = Simulation::new(Arc::new(builder.build().expect("valid")));
    run(&mut simulation, h, (1.0 / h).round() as usize);
    assert!(simulation.violation().length_m < 20.0 * h * h);
    let position = simulation.state().poses[1].position;
    [position.x, position.z]
}

/// The same by Runge–Kutta in angles below the horizontal.
fn double_pendulum_reference() -> [f64; 2] {
    let rate = |y: [f64; 4]| {
        let (c, s) = ((y[0] - y[1]).cos(), (y[0] - y[1]).sin());
        // M11 = 1/3 + 1, M12 = c/2, M22 = 1/3; gravity pulls both angles down.
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

#[test]
fn double_pendulum_converges_with_order_one() {
    let reference = double_pendulum_reference();
    let error = |h: f64| {
        let found = double_pendulum(h);
        ((found[0] - reference[0]).powi(2) + (found[1] - reference[1]).powi(2)).sqrt()
    };
    let errors = [error(2e-3), error(1e-3), error(5e-4), error(2.5e-4)];
    for pair in errors[1..].windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((order - 1.0).abs() <= 0.1, "order {order}, errors {errors:?}");
    }
    assert!(errors[3] < 0.01, "{errors:?}");
}

/// A body on a vertical guide.
fn guided(builder: &mut SystemBuilder, mass: f64) -> Coordinate {
    let body = builder.body(Body::new("slider", mass, [1.0; 3], at(Vec3::zeros())));
    let guide = JointFrame { point: Vec3::zeros(), axis: Vec3::z() };
    Coordinate::Joint(builder.joint("guide", JointKind::Prismatic, [BodyId::GROUND, body], guide, 1e-9))
}

#[test]
fn spring_rows_are_an_implicit_spring() {
    let (mass, stiffness, damping, rest, h) = (2.0, 300.0, 4.0, 0.1, 0.01);
    let mut builder = SystemBuilder::new(gravity());
    let coordinate = guided(&mut builder, mass);
    builder.spring(Spring { name: "spring".into(), coordinate, stiffness, damping, rest });
    let mut simulation = Simulation::new(Arc::new(builder.build().expect("valid")));
    let (mut s, mut w) = (0.0, 0.0);
    for _ in 0..200 {
        simulation.step(h, &[]).expect("step");
        // m (w⁺ − w)/h = −m g − k (s + h w⁺ − s₀) − d w⁺
        w = (mass * w - h * (mass * G + stiffness * (s - rest))) / (mass + h * damping + h * h * stiffness);
        s += h * w;
        assert!((simulation.state().poses[0].position.z - s).abs() < 1e-10);
    }
    let energy = simulation.energy();
    let elastic = 0.5 * stiffness * (s - rest) * (s - rest);
    assert!((energy.elastic_j - elastic).abs() < 1e-8);
    assert!((energy.potential_j - mass * G * s).abs() < 1e-8);
}

#[test]
fn motors_hold_up_to_their_force() {
    let motor = |coordinate, force: f64| Motor {
        name: "brake".into(),
        coordinate,
        speed: Steps { steps: vec![(0.1, 0.5)] },
        lower_n: -force,
        upper_n: force,
        compliance: 1e-9,
    };
    let end = |force: f64| {
        let mut builder = SystemBuilder::new(gravity());
        let coordinate = guided(&mut builder, 2.0);
        builder.motor(motor(coordinate, force));
        let mut simulation = Simulation::new(Arc::new(builder.build().expect("valid")));
        run(&mut simulation, 0.01, 10);
        let held = simulation.state().velocities[0][2];
        run(&mut simulation, 0.01, 10);
        (held, simulation.state().velocities[0][2])
    };
    let (held, moved) = end(100.0);
    assert!(held.abs() < 1e-7 && (moved - 0.5).abs() < 1e-7, "{held} {moved}");
    let (held, _) = end(5.0);
    assert!((held + 0.1 * (G - 2.5)).abs() < 1e-12, "slips with the rest of its weight: {held}");
}

#[test]
fn end_stops_are_not_passed() {
    let mut builder = SystemBuilder::new(gravity());
    let coordinate = guided(&mut builder, 2.0);
    builder.limit(Limit { name: "stop".into(), coordinate, lower: -0.5, upper: f64::INFINITY, compliance: 1e-8 });
    let mut simulation = Simulation::new(Arc::new(builder.build().expect("valid")));
    for _ in 0..100 {
        simulation.step(0.01, &[]).expect("step");
        assert!(simulation.state().poses[0].position.z > -0.5 - 1e-6);
    }
    assert!((simulation.state().poses[0].position.z + 0.5).abs() < 1e-6);
}

/// A free body with three different moments of inertia, spinning: drift of its angular momentum over 1 s.
fn spin_drift(h: f64) -> f64 {
    let mut builder = SystemBuilder::new(Vec3::zeros());
    builder.body(Body::new("top", 1.0, [0.1, 0.2, 0.25], at(Vec3::new(0.3, 0.2, 0.1))));
    let mut simulation = Simulation::new(Arc::new(builder.build().expect("valid")));
    let mut state = simulation.state().clone();
    state.velocities[0] = [0.1, 0.0, 0.2, 1.0, 2.0, 3.0];
    simulation.restore(&state).expect("fits");
    let before = simulation.momentum().angular;
    run(&mut simulation, h, (1.0 / h).round() as usize);
    (simulation.momentum().angular - before).norm()
}

#[test]
fn gyroscopic_moment_keeps_the_spin_to_first_order() {
    let (coarse, fine) = (spin_drift(1e-3), spin_drift(5e-4));
    let order = (coarse / fine).log2();
    assert!((order - 1.0).abs() < 0.1 && fine < 1e-3, "order {order}, {fine}");
}

#[test]
fn work_of_the_interface_is_the_gain_of_energy() {
    let mut builder = SystemBuilder::new(gravity());
    let body = builder.body(Body::new("free", 2.0, [0.1, 0.2, 0.3], at(Vec3::zeros())));
    let point = Vec3::new(0.1, 0.2, 0.3);
    builder.interface(Coordinate::Point { body, point: Vec3::zeros(), direction: Vec3::z() });
    builder.interface(Coordinate::Point { body, point, direction: Vec3::x() });
    let mut simulation = Simulation::new(Arc::new(builder.build().expect("valid")));
    for _ in 0..1000 {
        simulation.step(1e-4, &[25.0, 3.0]).expect("step");
    }
    let (energy, work) = (simulation.energy(), simulation.state().interface_work_j);
    assert!(work > 0.1 && (energy.total_j() - work).abs() < 1e-3 * work, "{energy:?} {work}");
}

#[test]
fn penetration_is_left_slowly() {
    let mut builder = SystemBuilder::new(gravity());
    let ball = builder.body(Body::new("ball", 3.0, [0.1; 3], at(Vec3::new(0.0, 0.0, 0.4))));
    let sphere = builder.shape(ball, Shape::Sphere { centre: Vec3::zeros(), radius: 0.5 });
    let plane = Shape::Plane { point: Vec3::zeros(), normal: Vec3::z(), tangent: Vec3::x() };
    let ground = builder.shape(BodyId::GROUND, plane);
    builder.pair("ball on ground", [sphere, ground], Surface::default());
    let mut simulation = Simulation::new(Arc::new(builder.build().expect("valid")));
    run(&mut simulation, 0.005, 10);
    assert!((simulation.state().velocities[0][2] - 0.2).abs() < 1e-6, "0.1 m deep, out at 0.2 m/s");
    run(&mut simulation, 0.005, 200);
    assert!((simulation.state().poses[0].position.z - 0.5).abs() < 1e-5, "and no further");
}

#[test]
fn fast_bodies_do_not_pass_through() {
    let mut builder = SystemBuilder::new(Vec3::zeros());
    let ball = builder.body(Body::new("ball", 3.0, [0.1; 3], at(Vec3::new(0.0, 0.0, 5.0))));
    let sphere = builder.shape(ball, Shape::Sphere { centre: Vec3::zeros(), radius: 0.1 });
    let plane = Shape::Plane { point: Vec3::zeros(), normal: Vec3::z(), tangent: Vec3::x() };
    let ground = builder.shape(BodyId::GROUND, plane);
    builder.pair("ball on ground", [sphere, ground], Surface::default());
    let mut simulation = Simulation::new(Arc::new(builder.build().expect("valid")));
    let mut state = simulation.state().clone();
    state.velocities[0][2] = -100.0;
    simulation.restore(&state).expect("fits");
    run(&mut simulation, 0.016, 20);
    assert!((simulation.state().poses[0].position.z - 0.1).abs() < 1e-3);
}

#[test]
fn errors_leave_the_state_as_it_was() {
    let mut builder = SystemBuilder::new(gravity());
    let coordinate = guided(&mut builder, 2.0);
    builder.interface(coordinate);
    let system = Arc::new(builder.build().expect("valid"));
    let mut simulation = Simulation::new(system.clone());
    let before = simulation.state().to_flat();
    assert!(matches!(simulation.step(0.0, &[0.0]), Err(StepError::StepSize { .. })));
    assert!(matches!(simulation.step(0.01, &[]), Err(StepError::Forces { found: 0, expected: 1, .. })));
    assert!(matches!(simulation.step(0.01, &[f64::NAN]), Err(StepError::Diverged { body: 0, .. })));
    assert_eq!(simulation.state().to_flat(), before);
    let mut flat = before.clone();
    flat.reals.pop();
    assert!(matches!(State::from_flat(&system, &flat), Err(StateError::Size { what: "reals", .. })));
    let mut flat = before;
    flat.words[1] = u64::MAX;
    assert!(State::from_flat(&system, &flat).is_err());
}

#[test]
fn definitions_are_checked() {
    let body = |mass| Body::new("body", mass, [1.0; 3], at(Vec3::zeros()));
    let mut builder = SystemBuilder::new(gravity());
    builder.body(body(0.0));
    assert!(matches!(builder.build(), Err(DefinitionError::Value { field: "mass_kg", .. })));
    let mut builder = SystemBuilder::new(gravity());
    let id = builder.body(body(1.0));
    builder.joint("loop", JointKind::Fixed, [id, id], JointFrame { point: Vec3::zeros(), axis: Vec3::x() }, 0.0);
    assert!(matches!(builder.build(), Err(DefinitionError::Bodies { .. })));
    let mut builder = SystemBuilder::new(gravity());
    let id = builder.body(body(1.0));
    let ball = builder.joint(
        "ball",
        JointKind::Spherical,
        [BodyId::GROUND, id],
        JointFrame { point: Vec3::zeros(), axis: Vec3::x() },
        0.0,
    );
    builder.interface(Coordinate::Joint(ball));
    assert!(matches!(builder.build(), Err(DefinitionError::Coordinate { .. })));
}
