//! The compact form of a reduced body, and the cost of its right-hand side.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

mod common;
#[path = "../../../tests/kit/counting.rs"]
mod counting;

use counting::allocations;
use macrostep_flexible::moving::{Base, Dopri, GeneralizedAlpha, Rayleigh, StepEnd};
use macrostep_flexible::{BodyState, Error, FlexibleBody, Loads, Workspace};
use nalgebra::Vector3;
use std::time::Instant;

/// The T-square with 16 elastic coordinates: 12 of its two free connectors and 4 modes.
fn body() -> FlexibleBody {
    common::t_body(4, 0, Rayleigh { alpha_per_s: 1.0, beta_s: 1e-6 })
}

fn moving_state(body: &FlexibleBody) -> BodyState {
    let mut state = BodyState::rest(body.modes());
    state.set_spin(Vector3::new(3.0, -2.0, 5.0));
    state.elastic_mut().iter_mut().enumerate().for_each(|(k, q)| *q = 1e-6 * (k as f64 + 1.0));
    state.elastic_rate_mut().iter_mut().enumerate().for_each(|(k, r)| *r = 1e-4 / (k as f64 + 1.0));
    state
}

#[test]
fn round_trip_keeps_every_bit_and_the_hash() {
    let body = body();
    let bytes = body.to_bytes().unwrap();
    let read = FlexibleBody::from_bytes(&bytes).unwrap();
    assert_eq!(read, body);
    assert_eq!(read.hash().unwrap(), body.hash().unwrap());
    println!("{} bytes, hash {}", bytes.len(), body.hash().unwrap());
    let mut other = body.clone();
    other.stiffness[0] = f64::from_bits(other.stiffness[0].to_bits() + 1);
    assert_ne!(other.hash().unwrap(), body.hash().unwrap());

    for damaged in [&bytes[..bytes.len() - 1], &bytes[1..], b"FLEXBODY", &[bytes.as_slice(), &[0]].concat()] {
        assert!(matches!(FlexibleBody::from_bytes(damaged), Err(Error::Stored(_))));
    }
    let mut version = bytes.clone();
    version[8] = 9;
    assert!(matches!(FlexibleBody::from_bytes(&version), Err(Error::Stored(what)) if what.contains("version 9")));
    let mut inconsistent = body.clone();
    inconsistent.damping.pop();
    assert!(FlexibleBody::from_bytes(&inconsistent.to_bytes().unwrap()).is_err());
}

#[test]
fn nothing_is_allocated_per_right_hand_side_and_it_is_fast() {
    let body = body();
    assert_eq!(body.modes(), 16);
    let state = moving_state(&body);
    let mut loads = Loads::none(3);
    loads.gravity = Vector3::new(0.0, 0.0, -9.81);
    loads.wrenches[1].force = Vector3::new(1.0, 2.0, 3.0);
    let mut work = Workspace::new(&body);
    let count = 200_000;
    let before = allocations();
    let start = Instant::now();
    for _ in 0..count {
        body.accelerations(std::hint::black_box(&state), &loads, &mut work).unwrap();
    }
    let each = start.elapsed() / count;
    assert_eq!(allocations(), before);
    println!("right-hand side with 16 elastic coordinates: {each:?}");
    // Times do not gate: the bound is an order of magnitude above what is measured.
    assert!(each.as_nanos() < 50_000);
}

#[test]
fn nothing_is_allocated_in_a_step() {
    let body = body();
    let mut state = moving_state(&body);
    let loads = Loads::none(3);
    let mut scheme = GeneralizedAlpha::new(&body, 0.8);
    let mut memory = scheme.start(&body, &state, &loads, &Base::Free).unwrap();
    let mut dopri = Dopri::new(&body);
    let before = allocations();
    for i in 1..=10 {
        let end = 1e-4 * f64::from(i);
        scheme
            .step(
                &body,
                &mut state,
                &mut memory,
                StepEnd { end_s: end, step_s: 1e-4, loads: &loads, base: &Base::Free },
            )
            .unwrap();
    }
    dopri.advance(&body, &mut state, (1e-3, 1.1e-3), |_, _| ()).unwrap();
    assert_eq!(allocations(), before);
}

#[test]
fn states_of_another_body_are_refused() {
    let body = body();
    let state = BodyState::rest(3);
    let mut work = Workspace::new(&body);
    let expected = Err(Error::Shape { what: "elastic coordinates", found: 3, expected: 16 });
    assert_eq!(body.accelerations(&state, &Loads::none(3), &mut work), expected);
    assert!(BodyState::from_values(vec![0.0; 14], 1).is_err());
    assert!(body.motion(&BodyState::rest(16), 3).is_err());
}
