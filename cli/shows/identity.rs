//! D v⁺ = D v + h (W λ + b) on random systems, and its failure with a wrong sign or another active set.

use std::sync::Arc;

use macrostep_multibody::{
    Body, BodyId, Coordinate, FrictionForm, InterfaceOptions, JointKind, Motor, Pose, Shape, Simulation, Steps,
    Surface, SystemBuilder, Vec3,
};
use rand::{Rng, SeedableRng, rngs::StdRng};

use super::Finding;
use crate::failure::Failure;

const TOPIC: &str = "identity";
const TERMS: [&str; 4] = ["(I − P) M⁻¹ (f − c)", "(I − P) M⁻¹ Aₜᵀ λₜ", "−P v/h", "−φ̃/h²"];

/// Counts over random systems with C > 0 and φ ≠ 0.
#[derive(Default)]
struct Census {
    cases: usize,
    worst: f64,
    flips_seen: [usize; 4],
    flips: [usize; 4],
    same: usize,
    same_worst: f64,
    changed: usize,
    changed_seen: usize,
}

/// The identity, its four sign flips, and changed sets.
pub fn findings() -> Result<Vec<Finding>, Failure> {
    // Random systems, the same ones each time.
    let mut rng = StdRng::seed_from_u64(102);
    let mut census = Census::default();
    // The identity for forces as they are, then for others that keep the active set or change it.
    for case in 0..1200 {
        let mut simulation = chain(&mut rng)?;
        let forces = simulation.state().interface_forces.clone();
        exact(&mut census, &mut simulation, &forces)?;
        let mut simulation = chain(&mut rng)?;
        let spread = if case % 3 == 0 { 300.0 } else { 3.0 };
        // A third of them by so much that the set changes more often.
        let shift = |f: &f64| f + rng.random_range(-spread..spread);
        let forces: Vec<f64> = simulation.state().interface_forces.iter().map(shift).collect();
        changed(&mut census, &mut simulation, &forces)?;
    }
    // The identity holds, and a changed set or a flipped sign of a term does not go unseen.
    let mut list = vec![
        Finding::at_most(TOPIC, format!("error relative, {} random systems", census.cases), census.worst, 1e-10),
        Finding::at_most(TOPIC, format!("other forces, same set, {} systems", census.same), census.same_worst, 1e-10),
        share("another active set is seen", census.changed_seen, census.changed),
    ];
    for (k, term) in TERMS.iter().enumerate() {
        list.push(share(&format!("flipped sign of {term} is seen"), census.flips_seen[k], census.flips[k]));
    }
    Ok(list)
}

/// A fault must be seen in nine of ten systems where it is there.
fn share(what: &str, seen: usize, all: usize) -> Finding {
    let holds = all >= 100 && 10 * seen >= 9 * all;
    Finding::new(TOPIC, what, format!("{seen} of {all}"), "nine of ten", holds)
}

/// Step size of all cases \[s\].
const H: f64 = 0.01;

/// Forces of the look-ahead: same set and same tight forces.
fn exact(census: &mut Census, simulation: &mut Simulation, forces: &[f64]) -> Result<(), Failure> {
    let options = InterfaceOptions::default();
    let terms = simulation.bias_terms(H, &options).map_err(Failure::run)?;
    let (predicted, scale, _) = prediction(simulation, forces, &options)?;
    let terms = [terms.applied, terms.tight, terms.centripetal, terms.stabilisation];
    // Relative to the largest term: their sum is smaller where they cancel.
    let scale = terms.iter().flatten().fold(scale, |m, t| m.max(H * t.abs()));
    simulation.step(H, forces).map_err(Failure::run)?;
    let found = &simulation.report().speed_after;
    let error = |predicted: &[f64]| predicted.iter().zip(found).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / scale;
    census.cases += 1;
    census.worst = census.worst.max(error(&predicted));
    for (k, term) in terms.iter().enumerate() {
        if term.iter().all(|t| t.abs() * H < 1e-9 * scale) {
            continue;
        }
        let flipped: Vec<f64> = predicted.iter().zip(term).map(|(p, t)| p - 2.0 * H * t).collect();
        census.flips[k] += 1;
        census.flips_seen[k] += usize::from(error(&flipped) > 1e-10);
    }
    Ok(())
}

/// Other forces: the identity holds where the set does.
fn changed(census: &mut Census, simulation: &mut Simulation, forces: &[f64]) -> Result<(), Failure> {
    let options = InterfaceOptions { friction: FrictionForm::Slaved, look_ahead: true };
    let (predicted, scale, hash) = prediction(simulation, forces, &options)?;
    simulation.step(H, forces).map_err(Failure::run)?;
    let report = simulation.report();
    if report.solver.friction_mismatch > 0.0 {
        return Ok(());
    }
    let apart = predicted.iter().zip(&report.speed_after).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / scale;
    if report.active_hash == hash {
        census.same += 1;
        census.same_worst = census.same_worst.max(apart);
    } else {
        census.changed += 1;
        census.changed_seen += usize::from(apart > 1e-10);
    }
    Ok(())
}

/// D v + h (W λ + b), a scale for its error, and the hash of its set.
fn prediction(
    simulation: &mut Simulation,
    forces: &[f64],
    options: &InterfaceOptions,
) -> Result<(Vec<f64>, f64, u64), Failure> {
    let model = simulation.interface_model(H, options).map_err(Failure::run)?;
    let (r, mut scale, mut predicted) = (model.size(), 1e-3_f64, Vec::new());
    for i in 0..r {
        let push: f64 = (0..r).map(|j| model.mobility[i * r + j] * forces[j]).sum();
        predicted.push(model.speed[i] + H * (push + model.bias[i]));
        scale = scale.max(model.speed[i].abs()).max(H * push.abs()).max(H * model.bias[i].abs());
    }
    Ok((predicted, scale, model.active_hash))
}

/// A chain of bodies with motors that touches a floor with friction, off its joints and in motion.
fn chain(rng: &mut StdRng) -> Result<Simulation, Failure> {
    // The floor below, and a compliance for all that touches or is joined.
    let vector = |rng: &mut StdRng, size: f64| Vec3::from_fn(|_, _| rng.random_range(-size..size));
    let mut builder = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
    let compliance = 10.0_f64.powf(rng.random_range(-8.0..-4.0));
    let plane = Shape::Plane { point: Vec3::zeros(), normal: Vec3::z(), tangent: Vec3::x() };
    let floor = builder.shape(BodyId::GROUND, plane);
    let mut previous = BodyId::GROUND;
    // Links in a row, each jointed to the one before.
    for k in 0..rng.random_range(2..6) {
        let place = Vec3::new(0.5 * f64::from(k), 0.0, 0.2) + vector(rng, 0.05);
        let pose = Pose { position: place, ..Pose::world() };
        let moments = [0.5, 0.7, 0.9].map(|m| m * rng.random_range(0.5..2.0));
        let body = builder.body(Body::new("link", rng.random_range(1.0..20.0), moments, pose));
        // A joint of any kind, with a motor of limited force where it has an axis.
        let kind = [JointKind::Revolute, JointKind::Prismatic, JointKind::Spherical][rng.random_range(0..3)];
        let frame = (place - Vec3::x() * 0.25, vector(rng, 1.0));
        let joint = builder.joint("joint", kind, [previous, body], frame, compliance);
        if kind != JointKind::Spherical {
            let force = rng.random_range(1.0..50.0);
            builder.motor(Motor {
                name: "motor".into(),
                coordinate: Coordinate::Joint(joint),
                speed: Steps::constant(rng.random_range(-0.2..0.2)),
                lower_n: -force,
                upper_n: force,
                compliance,
            });
        }
        // A ball of the link may touch the floor, with friction.
        let ball = builder.shape(body, Shape::Sphere { centre: vector(rng, 0.05), radius: 0.2 });
        let friction = rng.random_range(0.0..0.8);
        let surface = Surface { friction, compliance, margin_m: 0.05, ..Surface::default() };
        builder.pair("floor", [ball, floor], surface);
        previous = body;
    }
    // One or two interfaces at the last link.
    for _ in 0..rng.random_range(1..3) {
        let direction = vector(rng, 1.0).normalize();
        builder.interface(Coordinate::Point { body: previous, point: vector(rng, 0.2), direction });
    }
    // In motion, with joints a little apart and forces at the interfaces.
    let mut simulation = Simulation::new(Arc::new(builder.build().map_err(Failure::run)?));
    let mut state = simulation.state().clone();
    for pose in &mut state.poses {
        pose.position += vector(rng, 1e-3);
    }
    for velocity in &mut state.velocities {
        *velocity = std::array::from_fn(|_| rng.random_range(-0.5..0.5));
    }
    state.interface_forces = state.interface_forces.iter().map(|_| rng.random_range(-20.0..20.0)).collect();
    simulation.restore(&state).map_err(Failure::run)?;
    // A step gives lagged bounds and a warm start.
    simulation.step(0.005, &state.interface_forces).map_err(Failure::run)?;
    Ok(simulation)
}
