//! A free, deformed, spinning body keeps momentum, angular momentum and energy; leaving terms out does not.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

mod common;

use macrostep_flexible::moving::{Base, Dopri, GeneralizedAlpha, StepEnd};
use macrostep_flexible::{BodyState, FlexibleBody, Loads, Workspace};
use nalgebra::{DVector, UnitQuaternion, Vector3};

/// Spinning, moving and deformed by 1 mm or so.
fn start(body: &FlexibleBody) -> BodyState {
    let mut state = BodyState::rest(body.modes());
    state.set_position(Vector3::new(0.3, -0.2, 0.5));
    state.set_orientation(UnitQuaternion::from_euler_angles(0.3, 0.2, -0.4));
    state.set_velocity(Vector3::new(1.0, 2.0, -0.5));
    state.set_spin(Vector3::new(8.0, -5.0, 6.0));
    for (k, q) in state.elastic_mut().iter_mut().enumerate().take(6) {
        *q = 1e-3 / (1.0 + k as f64).powi(2);
    }
    for (k, rate) in state.elastic_rate_mut().iter_mut().enumerate().take(4) {
        *rate = 0.05 / (1.0 + k as f64);
    }
    state
}

/// Largest relative drifts of momentum, angular momentum and energy after integrating to `end` seconds.
fn drifts(body: &FlexibleBody, before: &BodyState, after: &BodyState) -> [f64; 3] {
    let mut work = Workspace::new(body);
    let [a, b] = [before, after].map(|s| body.momenta(s, &mut work).unwrap());
    let energy = |m: &macrostep_flexible::moving::Momenta| m.kinetic_j + m.elastic_j;
    [
        (b.linear - a.linear).norm() / a.linear.norm(),
        (b.angular - a.angular).norm() / a.angular.norm(),
        (energy(&b) / energy(&a) - 1.0).abs(),
    ]
}

#[test]
fn conserved_to_1e_9() {
    for reference in [0, 1] {
        let body = common::l_body(4, reference);
        let before = start(&body);
        let mut after = before.clone();
        let mut integrator = Dopri::new(&body);
        (integrator.relative, integrator.absolute) = (1e-11, 1e-14);
        integrator.advance(&body, &mut after, (0.0, 0.2), |_, _| ()).unwrap();
        let drift = drifts(&body, &before, &after);
        println!("frame at connector {reference}: drifts {drift:?}, {:?}", integrator.statistics);
        assert!(drift.iter().all(|d| *d < 1e-9), "{drift:?}");
    }
}

#[test]
fn generalised_alpha_converges_with_second_order() {
    let body = common::l_body(4, 0);
    let before = start(&body);
    let mut exact = before.clone();
    Dopri::new(&body).advance(&body, &mut exact, (0.0, 0.02), |_, _| ()).unwrap();
    let loads = Loads::none(2);
    let error = |steps: usize| {
        let mut state = before.clone();
        let mut scheme = GeneralizedAlpha::new(&body, 0.9);
        let mut memory = scheme.start(&body, &state, &loads, &Base::Free).unwrap();
        let h = 0.02 / steps as f64;
        for i in 1..=steps {
            scheme
                .step(
                    &body,
                    &mut state,
                    &mut memory,
                    StepEnd { end_s: i as f64 * h, step_s: h, loads: &loads, base: &Base::Free },
                )
                .unwrap();
        }
        let tip = |s: &BodyState| body.motion(s, 1).unwrap().position;
        (tip(&state) - tip(&exact)).norm()
    };
    let order = (error(400) / error(800)).log2();
    println!("observed order {order:.3}");
    assert!((order - 2.0).abs() < 0.05, "{order}");
}

/// A term left out of the equations.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    NoCoriolis,
    FrozenInertia,
}

/// Derivative of the state from the public mass matrix and forces, with a fault.
fn faulty_rate(body: &FlexibleBody, state: &BodyState, fault: Fault) -> Vec<f64> {
    let loads = Loads::none(2);
    let mut mass = body.mass_matrix(state).unwrap();
    let mut force = body.generalized_forces(state, &loads).unwrap();
    let mut other = state.clone();
    if fault == Fault::NoCoriolis {
        // Without rates only the centrifugal and stiffness terms remain.
        other.elastic_rate_mut().fill(0.0);
        force = body.generalized_forces(&other, &loads).unwrap();
    }
    if fault == Fault::FrozenInertia {
        other.elastic_mut().fill(0.0);
        let frozen = body.mass_matrix(&other).unwrap().fixed_view::<3, 3>(3, 3).into_owned();
        let spin = state.spin();
        let torque = spin.cross(&((mass.fixed_view::<3, 3>(3, 3) - frozen) * spin));
        (0..3).for_each(|i| force[3 + i] += torque[i]);
        mass.fixed_view_mut::<3, 3>(3, 3).copy_from(&frozen);
    }
    let acceleration = mass.lu().solve(&DVector::from_vec(force)).unwrap();
    let turn = state.orientation();
    let world = turn * Vector3::new(acceleration[0], acceleration[1], acceleration[2]);
    let spin = nalgebra::Quaternion::from_imag(state.spin() * 0.5);
    let mut rate = state.velocity().as_slice().to_vec();
    rate.extend((turn.quaternion() * spin).coords.iter());
    rate.extend(world.iter());
    rate.extend(acceleration.iter().skip(3).take(3));
    rate.extend(state.elastic_rate());
    rate.extend(acceleration.iter().skip(6));
    rate
}

/// Classical Runge–Kutta with the fault.
fn integrate(body: &FlexibleBody, start: &BodyState, end: f64, steps: usize, fault: Fault) -> BodyState {
    let (h, n) = (end / steps as f64, body.modes());
    let shifted = |state: &BodyState, rate: &[f64], by: f64| {
        let values = state.values().iter().zip(rate).map(|(y, k)| y + by * k).collect();
        BodyState::from_values(values, n).unwrap()
    };
    let mut state = start.clone();
    for _ in 0..steps {
        let k1 = faulty_rate(body, &state, fault);
        let k2 = faulty_rate(body, &shifted(&state, &k1, h / 2.0), fault);
        let k3 = faulty_rate(body, &shifted(&state, &k2, h / 2.0), fault);
        let k4 = faulty_rate(body, &shifted(&state, &k3, h), fault);
        let sum: Vec<f64> = (0..k1.len()).map(|i| (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]) / 6.0).collect();
        state = shifted(&state, &sum, h);
    }
    state
}

#[test]
fn conservation_breaks_without_coriolis_terms_or_with_frozen_inertia() {
    let body = common::l_body(4, 0);
    let before = start(&body);
    let drift = |fault| drifts(&body, &before, &integrate(&body, &before, 0.02, 1500, fault));
    let sound = drift(Fault::None);
    let [coriolis, frozen] = [Fault::NoCoriolis, Fault::FrozenInertia].map(drift);
    println!("sound {sound:?}, no Coriolis {coriolis:?}, frozen inertia {frozen:?}");
    assert!(sound.iter().all(|d| *d < 1e-9), "{sound:?}");
    for broken in [coriolis, frozen] {
        assert!(broken[1] > 1e-6 && broken[2] > 1e-6, "{broken:?}");
    }
}

#[test]
fn a_load_that_is_not_a_number_is_refused() {
    let body = common::l_body(4, 0);
    let (good, mut state) = (Loads::none(2), start(&body));
    let before = state.clone();
    let mut scheme = GeneralizedAlpha::new(&body, 0.9);
    let mut memory = scheme.start(&body, &state, &good, &Base::Free).unwrap();
    for wrong in [f64::NAN, f64::INFINITY] {
        let mut loads = good.clone();
        loads.wrenches[1].force.y = wrong;
        let refused = scheme
            .step(
                &body,
                &mut state,
                &mut memory,
                StepEnd { end_s: 1e-4, step_s: 1e-4, loads: &loads, base: &Base::Free },
            )
            .unwrap_err();
        assert!(refused.to_string().contains("not finite"), "{refused}");
        assert_eq!(state, before);
    }
    scheme
        .step(&body, &mut state, &mut memory, StepEnd { end_s: 1e-4, step_s: 1e-4, loads: &good, base: &Base::Free })
        .unwrap();
}

#[test]
fn the_last_step_allowed_may_meet_the_end() {
    let body = common::l_body(4, 0);
    let advance = |steps_max: usize| {
        let mut integrator = Dopri::new(&body);
        integrator.steps_max = steps_max;
        let end = integrator.advance(&body, &mut start(&body), (0.0, 0.001), |_, _| ());
        (end, integrator.statistics.accepted + integrator.statistics.rejected)
    };
    let (_, needed) = advance(1_000_000);
    assert!(advance(needed).0.is_ok());
    assert!(advance(needed - 1).0.is_err_and(|e| e.to_string().contains("too many steps")));
}
