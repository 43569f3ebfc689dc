//! The frame may sit at either connector: what is observed agrees up to the neglected fourth order in the spin.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

mod common;

use macrostep_flexible::moving::Rayleigh;
use macrostep_flexible::{BodyState, FlexibleBody, Loads};
use nalgebra::Vector3;

/// Steady spin about z without loads: q with Ω² q + h − Cᵀ a = 0 and m a = −ω̃² s.
fn steady(body: &FlexibleBody, spin: f64) -> BodyState {
    let mut state = BodyState::rest(body.modes());
    state.set_spin(Vector3::z() * spin);
    let loads = Loads::none(3);
    for _ in 0..200 {
        let force = body.generalized_forces(&state, &loads).unwrap();
        let a = Vector3::new(force[0], force[1], force[2]) / body.mass_kg;
        for k in 0..body.modes() {
            state.elastic_mut()[k] += (force[6 + k] - body.first_moments[k + 1].dot(&a)) / body.stiffness[k];
        }
    }
    state
}

/// Distance between the ends of crossbar and stem, which no choice of frame changes.
fn distance(body: &FlexibleBody, spin: f64) -> f64 {
    let state = steady(body, spin);
    (body.motion(&state, 1).unwrap().position - body.motion(&state, 2).unwrap().position).norm()
}

#[test]
fn difference_between_frames_falls_with_the_fourth_power_of_the_spin() {
    // Not the L-beam: its connectors are mirror images, so both frames would give the same number anyway.
    let bodies = [1, 2].map(|reference| common::t_body(8, reference, Rayleigh::default()));
    let first = bodies[0].stiffness[0].sqrt();
    println!("first frequency {first:.0} rad/s");
    let difference = |spin: f64| (distance(&bodies[0], spin) - distance(&bodies[1], spin)).abs();
    let rest = distance(&bodies[0], 0.0);
    for spin in [0.4 * first, 0.2 * first, 0.1 * first] {
        let (full, half) = (difference(spin), difference(spin / 2.0));
        let growth = distance(&bodies[0], spin) - rest;
        println!("ω {spin:.0}: growth {growth:.3e} m, difference {full:.3e} m, ratio {:.2}", full / half);
        assert!(full / half > 12.0, "{full:e} {half:e}");
        assert!(full < 0.05 * growth.abs());
    }
}
