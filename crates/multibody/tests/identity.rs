//! The interface model predicts the step: identity (I) on random systems, and its failure for seeded faults.

use std::sync::Arc;

use macrostep_multibody::{
    Body, BodyId, Coordinate, FrictionForm, InterfaceOptions, JointFrame, JointKind, Motor, Pose, Shape, Simulation,
    Spring, Steps, Surface, SystemBuilder, Vec3,
};
use nalgebra::UnitQuaternion;
use rand::{RngExt, SeedableRng, rngs::StdRng};

fn vector(rng: &mut StdRng, size: f64) -> Vec3 {
    Vec3::from_fn(|_, _| rng.random_range(-size..size))
}

/// A chain of bodies hanging from the ground, touching a floor, with motors, a spring and an interface; positions are
/// off the joints (φ ≠ 0), velocities arbitrary.
fn random_system(rng: &mut StdRng) -> Simulation {
    let mut builder = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
    let compliance = 10.0_f64.powf(rng.random_range(-8.0..-4.0));
    let floor =
        builder.shape(BodyId::GROUND, Shape::Plane { point: Vec3::zeros(), normal: Vec3::z(), tangent: Vec3::x() });
    let mut previous = BodyId::GROUND;
    for k in 0..rng.random_range(2..6) {
        let place = Vec3::new(0.5 * k as f64, 0.0, 0.2) + vector(rng, 0.05);
        let pose = Pose { position: place, rotation: UnitQuaternion::from_scaled_axis(vector(rng, 1.0)) };
        let moments = [0.5, 0.7, 0.9].map(|m| m * rng.random_range(0.5..2.0));
        let body = builder.body(Body::new("link", rng.random_range(1.0..20.0), moments, pose));
        let kind = [JointKind::Revolute, JointKind::Prismatic, JointKind::Spherical][rng.random_range(0..3)];
        let frame = JointFrame { point: place - Vec3::x() * 0.25, axis: vector(rng, 1.0) };
        let joint = builder.joint("joint", kind, [previous, body], frame, compliance);
        if kind != JointKind::Spherical {
            let coordinate = Coordinate::Joint(joint);
            let force = rng.random_range(1.0..50.0);
            let speed = Steps::constant(rng.random_range(-0.2..0.2));
            match rng.random_range(0..4) {
                0 => builder.interface(coordinate),
                1 => builder.spring(Spring {
                    name: "spring".into(),
                    coordinate,
                    stiffness: 500.0,
                    damping: 5.0,
                    rest: 0.1,
                }),
                _ => builder.motor(Motor {
                    name: "motor".into(),
                    coordinate,
                    speed,
                    lower_n: -force,
                    upper_n: force,
                    compliance,
                }),
            }
        }
        let ball = builder.shape(body, Shape::Sphere { centre: vector(rng, 0.05), radius: 0.2 });
        let friction = if rng.random_bool(0.2) { 0.0 } else { rng.random_range(0.1..0.8) };
        builder.pair("floor", [ball, floor], Surface { friction, compliance, margin_m: 0.05, ..Default::default() });
        previous = body;
    }
    for _ in 0..rng.random_range(1..3) {
        let direction = vector(rng, 1.0).normalize();
        builder.interface(Coordinate::Point { body: previous, point: vector(rng, 0.2), direction });
    }
    let mut simulation = Simulation::new(Arc::new(builder.build().expect("valid")));
    let mut state = simulation.state().clone();
    for pose in &mut state.poses {
        pose.position += vector(rng, 1e-3);
        pose.rotation = UnitQuaternion::from_scaled_axis(vector(rng, 1e-3)) * pose.rotation;
    }
    for velocity in &mut state.velocities {
        *velocity = std::array::from_fn(|_| rng.random_range(-0.5..0.5));
    }
    state.interface_forces = state.interface_forces.iter().map(|_| rng.random_range(-20.0..20.0)).collect();
    simulation.restore(&state).expect("fits");
    // A step gives lagged bounds and a warm start.
    simulation.step(0.005, &state.interface_forces).expect("step");
    simulation
}

/// Left and right side of (I) and a scale for the difference.
struct Sides {
    stepped: Vec<f64>,
    predicted: Vec<f64>,
    scale: f64,
    same_set: bool,
    flips: [Vec<f64>; 4],
    mismatch: f64,
}

fn sides(simulation: &mut Simulation, h: f64, forces: &[f64], options: &InterfaceOptions) -> Sides {
    let model = simulation.interface_model(h, options).expect("model").clone();
    let terms = simulation.bias_terms(h, options).expect("terms");
    simulation.step(h, forces).expect("step");
    let report = simulation.report();
    let r = model.size();
    let (mut predicted, mut scale) = (Vec::new(), 1e-3_f64);
    for i in 0..r {
        let push: f64 = (0..r).map(|j| model.mobility[i * r + j] * forces[j]).sum();
        predicted.push(model.speed[i] + h * (push + model.bias[i]));
        let parts = [terms.applied[i], terms.tight[i], terms.centripetal[i], terms.stabilisation[i]];
        let (sum, size) = parts.iter().fold((0.0, 1.0), |(sum, size), t| (sum + t, size + t.abs()));
        assert!((sum - model.bias[i]).abs() <= 1e-10 * size, "{parts:?} {}", model.bias[i]);
        scale = scale.max(model.speed[i].abs()).max(h * push.abs()).max(h * model.bias[i].abs());
    }
    Sides {
        stepped: report.speed_after.clone(),
        predicted,
        scale,
        same_set: report.active_hash == model.active_hash,
        flips: [terms.applied, terms.tight, terms.centripetal, terms.stabilisation],
        mismatch: report.solver.friction_mismatch,
    }
}

impl Sides {
    fn error(&self) -> f64 {
        let difference = self.stepped.iter().zip(&self.predicted).map(|(a, b)| (a - b).abs());
        difference.fold(0.0, f64::max) / self.scale
    }

    /// The error with the sign of one term of b flipped.
    fn flipped(&self, term: usize, h: f64) -> f64 {
        let wrong = self.predicted.iter().zip(&self.flips[term]).map(|(p, t)| p - 2.0 * h * t);
        let difference = self.stepped.iter().zip(wrong).map(|(a, b)| (a - b).abs());
        difference.fold(0.0, f64::max) / self.scale
    }
}

#[test]
fn identity_holds_and_every_term_of_b_matters() {
    let mut rng = StdRng::seed_from_u64(11);
    let (mut cases, mut tight, mut seen) = (0, 0, [0; 4]);
    let mut worst = 0.0_f64;
    for _ in 0..1200 {
        let mut simulation = random_system(&mut rng);
        let h = rng.random_range(0.001..0.02);
        // Frozen friction, the forces of the look-ahead: same active set, same tight forces.
        let forces = simulation.state().interface_forces.clone();
        let sides = sides(&mut simulation, h, &forces, &InterfaceOptions::default());
        assert!(sides.same_set);
        assert!(sides.error() <= 1e-10, "case {cases}: {:e}", sides.error());
        worst = worst.max(sides.error());
        tight += usize::from(sides.flips[1].iter().any(|t| *t != 0.0));
        for (term, count) in seen.iter_mut().enumerate() {
            *count += usize::from(sides.flipped(term, h) > 1e-10);
        }
        cases += 1;
    }
    assert!(cases >= 1000 && tight > 500, "{cases} cases, {tight} with tight forces");
    println!("worst error {worst:e}, flips seen {seen:?}");
    // A flipped sign is seen wherever the term is there at all.
    assert!(seen[0] > 1100 && seen[1] >= tight * 9 / 10 && seen[2] > 1100 && seen[3] > 1100, "{seen:?}");
}

#[test]
fn identity_holds_for_other_forces_and_fails_for_another_active_set() {
    let mut rng = StdRng::seed_from_u64(12);
    let (mut same, mut changed, mut failed) = (0, 0, 0);
    let options = InterfaceOptions { friction: FrictionForm::Slaved, look_ahead: true };
    for case in 0..2500 {
        let mut simulation = random_system(&mut rng);
        let spread = if case % 4 == 0 { 300.0 } else { 3.0 };
        let forces: Vec<f64> =
            simulation.state().interface_forces.iter().map(|f| f + rng.random_range(-spread..spread)).collect();
        let sides = sides(&mut simulation, 0.01, &forces, &options);
        if sides.mismatch > 0.0 {
            continue;
        }
        if sides.same_set {
            same += 1;
            assert!(sides.error() <= 1e-10, "case {case}: {:e}", sides.error());
        } else {
            changed += 1;
            failed += usize::from(sides.error() > 1e-10);
        }
    }
    println!("{same} same, {changed} changed, {failed} of them failed");
    assert!(same >= 1000 && changed >= 100, "{same} same, {changed} changed");
    assert!(failed * 10 >= changed * 9, "{failed} of {changed} changed sets were seen");
}

#[test]
fn frozen_mobility_is_symmetric_and_not_negative() {
    let mut rng = StdRng::seed_from_u64(13);
    for _ in 0..200 {
        let mut simulation = random_system(&mut rng);
        let model = simulation.interface_model(0.01, &InterfaceOptions::default()).expect("model");
        let w = model.mobility_matrix();
        assert!((&w - w.transpose()).norm() <= 1e-12 * (1.0 + w.norm()));
        assert!(w.symmetric_eigenvalues().min() >= -1e-12 * (1.0 + w.norm()));
    }
}

#[test]
fn a_locked_interface_has_no_mobility() {
    let mut builder = SystemBuilder::new(Vec3::zeros());
    let body = builder.body(Body::new("block", 2.0, [1.0; 3], Pose::world()));
    builder.joint(
        "weld",
        JointKind::Fixed,
        [BodyId::GROUND, body],
        JointFrame { point: Vec3::zeros(), axis: Vec3::x() },
        1e-9,
    );
    builder.interface(Coordinate::Point { body, point: Vec3::zeros(), direction: Vec3::x() });
    let mut simulation = Simulation::new(Arc::new(builder.build().expect("valid")));
    let model = simulation.interface_model(0.01, &InterfaceOptions::default()).expect("model");
    assert!(model.mobility[0].abs() < 1e-8);
}

/// A block of 3 kg sliding along x on a floor with μ = 0.8, its interface 45° upwards: W of a friction form.
fn sliding_mobility(friction: FrictionForm) -> f64 {
    let mut builder = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
    let place = Pose { position: Vec3::new(0.0, 0.0, 0.2), rotation: UnitQuaternion::identity() };
    let block = builder.body(Body::new("block", 3.0, [1.0; 3], place));
    let ball = builder.shape(block, Shape::Sphere { centre: Vec3::zeros(), radius: 0.2 });
    let floor =
        builder.shape(BodyId::GROUND, Shape::Plane { point: Vec3::zeros(), normal: Vec3::z(), tangent: Vec3::x() });
    builder.pair("floor", [ball, floor], Surface { friction: 0.8, compliance: 1e-9, ..Default::default() });
    // A second body on a prismatic guide would do the same: keep the block from rolling.
    let frame = JointFrame { point: Vec3::new(0.0, 0.0, 0.2), axis: Vec3::z() };
    let carriage = builder.body(Body::new("carriage", 1e-6, [1e-6; 3], place));
    builder.joint(
        "along",
        JointKind::Prismatic,
        [BodyId::GROUND, carriage],
        JointFrame { axis: Vec3::x(), ..frame },
        1e-10,
    );
    builder.joint("up", JointKind::Prismatic, [carriage, block], frame, 1e-10);
    let direction = Vec3::new(1.0, 0.0, 1.0).normalize();
    builder.interface(Coordinate::Point { body: block, point: Vec3::zeros(), direction });
    let mut simulation = Simulation::new(Arc::new(builder.build().expect("valid")));
    let mut state = simulation.state().clone();
    state.velocities.iter_mut().for_each(|v| v[0] = 1.0);
    simulation.restore(&state).expect("fits");
    simulation.step(0.001, &[0.0]).expect("step");
    let options = InterfaceOptions { friction, look_ahead: true };
    simulation.interface_model(0.001, &options).expect("model").mobility[0]
}

#[test]
fn slaved_friction_changes_the_mobility_as_in_closed_form() {
    // cos α (cos α + μ sin α)/m against cos²α/m.
    let slaved = sliding_mobility(FrictionForm::Slaved);
    assert!((slaved - 0.5 * 1.8 / 3.0).abs() < 1e-6, "{slaved}");
    let frozen = sliding_mobility(FrictionForm::Frozen);
    assert!((frozen - 0.5 / 3.0).abs() < 1e-6, "{frozen}");
}

#[test]
fn save_restore_repeat_is_bit_identical() {
    let mut rng = StdRng::seed_from_u64(14);
    for _ in 0..20 {
        let mut simulation = random_system(&mut rng);
        let forces = simulation.state().interface_forces.clone();
        let flat = simulation.state().to_flat();
        let trace = |simulation: &mut Simulation| {
            let mut trace = Vec::new();
            for _ in 0..20 {
                let model = simulation.interface_model(0.004, &InterfaceOptions::default()).expect("model").clone();
                simulation.step(0.004, &forces).expect("step");
                trace.push((model, simulation.state().to_flat(), simulation.report().clone()));
            }
            trace
        };
        let first = trace(&mut simulation);
        let state = macrostep_multibody::State::from_flat(simulation.system(), &flat).expect("own state");
        simulation.restore(&state).expect("own state");
        assert_eq!(simulation.state().to_flat(), flat);
        assert!(first == trace(&mut simulation));
        // The same from a fresh simulation, whose work memory never saw the first run.
        let mut fresh = Simulation::new(simulation.system().clone());
        fresh.restore(&state).expect("own state");
        assert!(first == trace(&mut fresh));
    }
}
