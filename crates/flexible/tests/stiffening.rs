//! Geometric stiffening: a rotating arm against Southwell's formula, a tie and a strut against beam theory, conservation.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

mod common;

use common::{l_material, t_material, tie};
use macrostep_flexible::mesh::{arm, l_beam};
use macrostep_flexible::moving::{Dopri, Rayleigh};
use macrostep_flexible::{Basis, BodyState, Error, FlexibleBody, Joint, Loads, Structure, Tied, Workspace};
use nalgebra::{DMatrix, UnitQuaternion, Vector3};
use std::f64::consts::TAU;

fn tied_arm() -> (Structure, Tied) {
    tie(&arm(), &t_material(), &["HINGE", "TIP"])
}

/// The steel arm of 1 m × 6 mm × 30 mm, stiffened or not.
fn body(stiffened: bool) -> FlexibleBody {
    let (structure, tied) = tied_arm();
    let basis = Basis::craig_bampton(&tied.chain, 10).unwrap();
    let make = if stiffened { FlexibleBody::stiffened } else { FlexibleBody::new };
    make(&structure, &tied, &basis, 0, Rayleigh { alpha_per_s: 0.0, beta_s: 1e-4 }).unwrap()
}

/// Forces on the elastic coordinates with the frame at rest or in uniform rotation.
fn elastic(body: &FlexibleBody, state: &BodyState, loads: &Loads) -> Vec<f64> {
    body.held_forces(state, loads, Joint::Clamp).unwrap()[6..].to_vec()
}

/// −∂Q/∂q by central differences: elastic, geometric and centrifugal stiffness.
fn stiffness(body: &FlexibleBody, at: &BodyState, loads: &Loads) -> DMatrix<f64> {
    let n = body.modes();
    let mut all = DMatrix::zeros(n, n);
    for k in 0..n {
        let step = 1e-4 / body.stiffness[k].sqrt();
        let moved = |by: f64| {
            let mut state = at.clone();
            state.elastic_mut()[k] += by;
            elastic(body, &state, loads)
        };
        let (plus, minus) = (moved(step), moved(-step));
        (0..n).for_each(|i| all[(i, k)] = (minus[i] - plus[i]) / (2.0 * step));
    }
    all
}

/// Where the body rests under loads and spin, by Newton's method.
fn equilibrium(body: &FlexibleBody, spin: Vector3<f64>, loads: &Loads) -> BodyState {
    let mut state = BodyState::rest(body.modes());
    state.set_spin(spin);
    for _ in 0..30 {
        let force = nalgebra::DVector::from_vec(elastic(body, &state, loads));
        let step = stiffness(body, &state, loads).lu().solve(&force).unwrap();
        state.elastic_mut().iter_mut().zip(step.iter()).for_each(|(q, d)| *q += d);
    }
    state
}

/// The frequencies (Hz) of small motions across the plane of rotation, where nothing gyroscopic acts.
fn flap_hz(body: &FlexibleBody, spin: f64) -> f64 {
    let loads = Loads::none(2);
    let state = equilibrium(body, Vector3::z() * spin, &loads);
    // Modes that move the tip along z.
    let flap: Vec<usize> = (0..body.modes()).filter(|k| body.connectors[1].translation[*k].z.abs() > 1e-3).collect();
    let all = stiffness(body, &state, &loads);
    let own = DMatrix::from_fn(flap.len(), flap.len(), |i, j| all[(flap[i], flap[j])]);
    let symmetric = (&own + own.transpose()) * 0.5;
    symmetric.symmetric_eigenvalues().min().sqrt() / TAU
}

#[test]
fn flap_frequencies_follow_southwell() {
    let (stiff, plain) = (body(true), body(false));
    let rest = flap_hz(&stiff, 0.0);
    assert!((rest / 24.522 - 1.0).abs() < 5e-4, "{rest}");
    for (ratio, [low, high]) in [(0.1, [24.67, 24.67]), (0.3, [25.78, 25.80]), (0.5, [27.89, 27.94])] {
        let spin = ratio * rest * TAU;
        let (found, without) = (flap_hz(&stiff, spin), flap_hz(&plain, spin));
        println!("Ω = {ratio} ω₀: {found:.3} Hz, Southwell {low} … {high} Hz, without stiffening {without:.3} Hz");
        assert!(found > low * 0.998 && found < high * 1.002, "{ratio}: {found}");
        assert!((without / rest - 1.0).abs() < 1e-3);
    }
}

/// Largest distance of the tip from the axis while a torque turns the arm up to `turn_rad_s` within one second.
fn spin_up(body: &FlexibleBody, turn_rad_s: f64) -> (f64, f64) {
    let mut state = BodyState::rest(body.modes());
    let mut integrator = Dopri::new(body);
    integrator.hold(Joint::HingeZ);
    (integrator.relative, integrator.absolute) = (1e-7, 1e-10);
    let inertia = 7850.0 * 1.8e-4 / 3.0;
    let (mut far, mut spin) = (0.0_f64, 0.0_f64);
    for k in 0..60 {
        let start = 0.02 * f64::from(k);
        // A smooth pulse of one second.
        let torque = |t: f64| if t < 1.0 { inertia * turn_rad_s * 6.0 * t * (1.0 - t) } else { 0.0 };
        let advanced = integrator.advance(body, &mut state, (start, start + 0.02), |t, loads| {
            loads.wrenches[0].torque.z = torque(t);
        });
        let reached = advanced.and_then(|()| body.motion(&state, 1)).map_or(f64::INFINITY, |m| m.position.norm());
        far = far.max(reached);
        spin = state.spin().z;
        if far > 2.0 {
            break;
        }
    }
    (far, spin)
}

#[test]
fn an_arm_spun_up_to_three_times_its_first_frequency_stays_straight() {
    let (stiff, plain) = (body(true), body(false));
    let first = stiff.stiffness[0].sqrt();
    let (far, spin) = spin_up(&stiff, 3.0 * first);
    let (bent, _) = spin_up(&plain, 3.0 * first);
    println!("spin {spin:.2} rad/s of {:.2}: tip at {far:.5} m; without stiffening {bent:.3} m", 3.0 * first);
    assert!((spin / (3.0 * first) - 1.0).abs() < 2e-3 && far < 1.001, "{far}");
    assert!(bent > 1.1);
}

#[test]
fn a_tie_and_a_strut_bend_as_beam_theory_says() {
    let body = body(true);
    let ei = 2e11 * 0.03 * 0.006_f64.powi(3) / 12.0;
    let buckling = std::f64::consts::PI.powi(2) * ei / 4.0;
    let across = |axial: f64| {
        let mut loads = Loads::none(2);
        loads.wrenches[1].force = Vector3::new(axial, 0.05, 0.0);
        body.deflection(&equilibrium(&body, Vector3::zeros(), &loads), 1).unwrap().0.y
    };
    let free = across(0.0);
    for share in [2.0, 0.5, -0.3, -0.6] {
        let axial = share * buckling;
        let kappa = (axial.abs() / ei).sqrt();
        // w = F/P (L − tanh κL/κ) of a tie, F/P (tan κL/κ − L) of a strut, against F L³/3EI.
        let ratio = if axial > 0.0 {
            3.0 * (1.0 - kappa.tanh() / kappa) / kappa.powi(2)
        } else {
            3.0 * (kappa.tan() / kappa - 1.0) / kappa.powi(2)
        };
        let found = across(axial) / free;
        println!("axial force {share} of the buckling load: {found:.5} of the free deflection, theory {ratio:.5}");
        assert!((found / ratio - 1.0).abs() < 5e-3, "{share}: {found} {ratio}");
    }
}

/// A column under its own weight: the square of its first frequency is that without weight ∓ 1.5709 g/L, standing and hanging,
/// whatever its stiffness (∫ (1 − x) φ'² dx / ∫ φ² dx of a cantilever's first mode φ).
#[test]
fn a_standing_column_is_softer_and_a_hanging_one_stiffer() {
    let body = body(true);
    let square = |gravity: f64| {
        // Gravity along the arm, from the tip to the hinge where it stands.
        let loads = Loads { gravity: -Vector3::x() * gravity, ..Loads::none(2) };
        let state = equilibrium(&body, Vector3::zeros(), &loads);
        let all = stiffness(&body, &state, &loads);
        ((&all + all.transpose()) * 0.5).symmetric_eigenvalues().min()
    };
    let (standing, free, hanging) = (square(30.0), square(0.0), square(-30.0));
    println!("standing {standing:.3}, without weight {free:.3}, hanging {hanging:.3} 1/s²");
    assert!(((hanging - standing) / (2.0 * 1.5709 * 30.0) - 1.0).abs() < 5e-3);
    assert!(((hanging + standing) / (2.0 * free) - 1.0).abs() < 2e-3);
}

#[test]
fn a_bent_arm_draws_in() {
    // The tip of a cantilever under a tip force comes nearer by 3/5 w²/L.
    let body = body(true);
    let mut loads = Loads::none(2);
    loads.wrenches[1].force.y = 0.5;
    let u = body.deflection(&equilibrium(&body, Vector3::zeros(), &loads), 1).unwrap().0;
    assert!((u.x / (-0.6 * u.y * u.y) - 1.0).abs() < 0.01, "{u}");
}

/// Drifts of momentum, angular momentum and energy of a free spinning L-beam with deflections of this size (√kg m).
fn drifts(size: f64) -> [f64; 3] {
    let (structure, tied) = tie(&l_beam(10, 1), &l_material(), &["CLAMP", "TIP"]);
    let basis = Basis::craig_bampton(&tied.chain, 4).unwrap();
    let body = FlexibleBody::stiffened(&structure, &tied, &basis, 0, Rayleigh::default()).unwrap();
    let mut state = BodyState::rest(body.modes());
    state.set_orientation(UnitQuaternion::from_euler_angles(0.3, 0.2, -0.4));
    state.set_velocity(Vector3::new(1.0, 2.0, -0.5));
    state.set_spin(Vector3::new(8.0, -5.0, 6.0));
    state.elastic_mut().iter_mut().enumerate().take(6).for_each(|(k, q)| *q = size / (1.0 + k as f64).powi(2));
    state.elastic_rate_mut().iter_mut().enumerate().take(4).for_each(|(k, r)| *r = 50.0 * size / (1.0 + k as f64));
    let mut work = Workspace::new(&body);
    let before = body.momenta(&state, &mut work).unwrap();
    let mut integrator = Dopri::new(&body);
    (integrator.relative, integrator.absolute) = (1e-11, 1e-14);
    integrator.advance(&body, &mut state, (0.0, 0.2), |_, _| ()).unwrap();
    let after = body.momenta(&state, &mut work).unwrap();
    let energy = (after.kinetic_j + after.elastic_j) / (before.kinetic_j + before.elastic_j) - 1.0;
    let drift = |a: Vector3<f64>, b: Vector3<f64>| (b - a).norm() / a.norm();
    [drift(before.linear, after.linear), drift(before.angular, after.angular), energy.abs()]
}

#[test]
fn a_free_stiffened_body_keeps_its_momentum_and_its_energy_to_second_order() {
    let [small, large] = [2e-3, 2e-2].map(drifts);
    println!("drift of momentum, angular momentum, energy: {small:?}, ten times the deflection: {large:?}");
    for drift in [small, large] {
        assert!(drift[0] < 1e-9 && drift[1] < 1e-9);
    }
    assert!(small[2] < 1e-4 && large[2] < 1e-2);
}

#[test]
fn a_force_at_a_connector_works_on_what_is_seen_to_move() {
    let body = body(true);
    let mut state = BodyState::rest(body.modes());
    state.elastic_mut().iter_mut().enumerate().for_each(|(k, q)| *q = 3e-2 / (1.0 + k as f64).powi(3));
    state.elastic_rate_mut().iter_mut().enumerate().for_each(|(k, r)| *r = 0.4 / (1.0 + k as f64).powi(2));
    let mut loads = Loads::none(2);
    loads.wrenches[1].force = Vector3::new(3.0, -7.0, 2.0);
    let (loaded, free) = (elastic(&body, &state, &loads), elastic(&body, &state, &Loads::none(2)));
    let power: f64 = loaded.iter().zip(&free).zip(state.elastic_rate()).map(|((a, b), rate)| (a - b) * rate).sum();
    let velocity = body.motion(&state, 1).unwrap().velocity;
    let seen = velocity.dot(&loads.wrenches[1].force);
    assert!((power / seen - 1.0).abs() < 1e-12, "{power} {seen}");
    // The velocity is the rate of the position.
    let at = |h: f64| {
        let mut moved = state.clone();
        moved.elastic_mut().iter_mut().zip(state.elastic_rate()).for_each(|(q, rate)| *q += h * rate);
        body.motion(&moved, 1).unwrap().position
    };
    let rate = (at(1e-4) - at(-1e-4)) / 2e-4;
    assert!((rate - velocity).norm() < 1e-9 * velocity.norm(), "{rate} {velocity}");
}

#[test]
fn a_stiffened_body_is_stored_behind_an_older_one() {
    let (stiff, plain) = (body(true), body(false));
    let (bytes, older) = (stiff.to_bytes().unwrap(), plain.to_bytes().unwrap());
    assert_eq!((older[8], bytes[8]), (1, 2));
    assert_eq!(FlexibleBody::from_bytes(&bytes).unwrap(), stiff);
    assert_eq!(FlexibleBody::from_bytes(&older).unwrap(), plain);
    assert!(FlexibleBody::from_bytes(&bytes[..bytes.len() - 1]).is_err());
    // What was added stands behind; in front everything but the version is the same.
    assert_eq!(bytes[10..older.len()], older[10..]);
    let mut cut = stiff.clone();
    cut.geometric.as_mut().unwrap().uniform.pop();
    assert!(FlexibleBody::from_bytes(&cut.to_bytes().unwrap()).is_err());
}

#[test]
fn matrices_without_elements_have_no_stresses() {
    let (structure, tied) = tied_arm();
    let basis = Basis::craig_bampton(&tied.chain, 2).unwrap();
    let Structure { nodes, labels, dofs, stiffness, mass, .. } = structure;
    let given = Structure::new(nodes, labels, dofs, stiffness, mass).unwrap();
    let made = FlexibleBody::stiffened(&given, &tied, &basis, 0, Rayleigh::default());
    assert!(matches!(made, Err(Error::Unsupported(what)) if what.contains("elements")));
}
