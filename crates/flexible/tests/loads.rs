//! Loads on connectors and gravity do the work they should; outputs are consistent with each other.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

mod common;

use macrostep_flexible::moving::{Dopri, Rayleigh};
use macrostep_flexible::{BodyState, FlexibleBody, Loads, Workspace};
use nalgebra::{UnitQuaternion, Vector3};

const STEP_S: f64 = 2e-5;

fn loads() -> Loads {
    let mut loads = Loads::none(2);
    loads.gravity = Vector3::new(1.0, -3.0, -9.0);
    loads.wrenches[0].force = Vector3::new(0.5, 0.2, -0.3);
    loads.wrenches[0].torque = Vector3::new(0.03, -0.02, 0.04);
    loads.wrenches[1].force = Vector3::new(-0.3, 0.4, 0.6);
    loads.wrenches[1].torque = Vector3::new(0.01, 0.02, -0.03);
    loads
}

/// Kinetic, elastic and gravitational energy in J.
fn energy(body: &FlexibleBody, state: &BodyState, work: &mut Workspace) -> f64 {
    let momenta = body.momenta(state, work).unwrap();
    let shapes = body.first_moments[1..].iter().zip(state.elastic());
    let moment = shapes.fold(body.first_moments[0], |s, (c, q)| s + c * *q);
    let centre = state.position() * body.mass_kg + state.orientation() * moment;
    momenta.kinetic_j + momenta.elastic_j - loads().gravity.dot(&centre)
}

/// Power of the connector loads in W.
fn power(body: &FlexibleBody, state: &BodyState) -> f64 {
    (0..2)
        .map(|c| {
            let (motion, wrench) = (body.motion(state, c).unwrap(), loads().wrenches[c]);
            wrench.force.dot(&motion.velocity) + wrench.torque.dot(&motion.spin)
        })
        .sum()
}

/// States every `STEP_S` from a spinning start.
fn trajectory(body: &FlexibleBody, steps: usize) -> Vec<BodyState> {
    let mut state = BodyState::rest(body.modes());
    state.set_orientation(UnitQuaternion::from_euler_angles(0.4, -0.3, 0.9));
    state.set_velocity(Vector3::new(0.5, -1.0, 0.2));
    state.set_spin(Vector3::new(6.0, 9.0, -4.0));
    let mut integrator = Dopri::new(body);
    (integrator.relative, integrator.absolute) = (1e-11, 1e-14);
    let mut all = vec![state.clone()];
    for i in 0..steps {
        let span = (i as f64 * STEP_S, (i + 1) as f64 * STEP_S);
        integrator.advance(body, &mut state, span, |_, l| l.clone_from(&loads())).unwrap();
        all.push(state.clone());
    }
    all
}

#[test]
fn work_of_the_loads_is_the_change_of_energy() {
    let body = common::l_body(2, 0);
    let states = trajectory(&body, 200);
    let mut memory = Workspace::new(&body);
    let last = states.len() - 1;
    let change = energy(&body, &states[last], &mut memory) - energy(&body, &states[0], &mut memory);
    // Simpson's rule.
    let weight = |i: usize| if i == 0 || i == last { 1.0 } else { 2.0 + 2.0 * (i % 2) as f64 };
    let work: f64 = states.iter().enumerate().map(|(i, s)| weight(i) * power(&body, s)).sum::<f64>() * STEP_S / 3.0;
    println!("work {work:.9} J, change of energy {change:.9} J");
    assert!((work / change - 1.0).abs() < 1e-8, "{work} {change}");
}

#[test]
fn damping_takes_energy_out() {
    let mut body = common::l_body(2, 0);
    body.damping = body.stiffness.iter().map(|k| 5.0 + 1e-6 * k).collect();
    let states = trajectory(&body, 200);
    let mut memory = Workspace::new(&body);
    let change = energy(&body, &states[200], &mut memory) - energy(&body, &states[0], &mut memory);
    let work: f64 = states.windows(2).map(|s| 0.5 * (power(&body, &s[0]) + power(&body, &s[1])) * STEP_S).sum();
    println!("work {work:.9} J, change of energy {change:.9} J");
    assert!(change < work - 1e-4 * work.abs());
}

#[test]
fn velocities_are_the_rates_of_the_poses() {
    let body = common::l_body(2, 0);
    let states = trajectory(&body, 40);
    for c in 0..2 {
        for at in [10, 20, 30] {
            let [before, now, after] = [at - 1, at, at + 1].map(|i| body.motion(&states[i], c).unwrap());
            let velocity = (after.position - before.position) / (2.0 * STEP_S);
            assert!((velocity - now.velocity).norm() < 1e-6 * now.velocity.norm(), "connector {c}");
            let turned = (after.rotation - before.rotation) / (2.0 * STEP_S) * now.rotation.transpose();
            let spin = Vector3::new(turned[(2, 1)], turned[(0, 2)], turned[(1, 0)]);
            // Exact for vanishing tilts; the elastic rotation is a linearised one.
            assert!((spin - now.spin).norm() < 1e-3 * now.spin.norm(), "connector {c}");
            let gram = now.rotation.transpose() * now.rotation - nalgebra::Matrix3::identity();
            assert!(gram.amax() < 1e-14);
        }
    }
}

#[test]
fn free_fall_leaves_a_body_undeformed() {
    let body = common::t_body(2, 1, Rayleigh::default());
    let mut state = BodyState::rest(body.modes());
    let gravity = Vector3::new(0.0, 0.0, -9.81);
    Dopri::new(&body).advance(&body, &mut state, (0.0, 0.01), |_, l| l.gravity = gravity).unwrap();
    assert!((state.velocity() - gravity * 0.01).norm() < 1e-10);
    assert!(state.elastic().iter().all(|q| q.abs() < 1e-12));
}

#[test]
fn modal_mass_is_the_identity() {
    let body = common::t_body(6, 2, Rayleigh::default());
    let mass = body.mass_matrix(&BodyState::rest(body.modes())).unwrap();
    let elastic = mass.view((6, 6), (body.modes(), body.modes())).into_owned();
    assert!((elastic - nalgebra::DMatrix::identity(body.modes(), body.modes())).amax() < 1e-12);
}
