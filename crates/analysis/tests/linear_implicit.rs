//! Linear-implicit coupling of two masses: orders, stability beside explicit coupling, and one run a macro step.

#[path = "../../../tests/kit/errors.rs"]
#[allow(dead_code)] // not all of the kit is used here
mod errors;

use errors::global_errors;
use macrostep_analysis::dimensionless::Ratios;
use macrostep_analysis::models;
use macrostep_analysis::pair::{Coupling, Pair, Start, run, slope};
use macrostep_analysis::region::{Rays, Window, regions};
use macrostep_analysis::scheme::{Correct, Predict, Schedule, Scheme};
use macrostep_oscillator::Parameters;

const SCHEDULES: [Schedule; 3] = [Schedule::Jacobi, Schedule::GaussSeidel, Schedule::GaussSeidelReversed];

fn scheme(coupling: Coupling, schedule: Schedule, degree: u32) -> Scheme {
    Scheme { correct: Correct::LinearImplicit, ..Scheme::new(coupling, schedule, Predict::classical(degree)) }
}

/// The order is that of the predictor, 3 at most, and 2 at most where a force that follows inputs has to be foreseen.
#[test]
fn the_order_is_that_of_the_predictor() {
    for coupling in Coupling::ALL {
        for schedule in SCHEDULES {
            for degree in 0..=3 {
                let scheme = scheme(coupling, schedule, degree);
                let errors = [1e-2, 5e-3, 2.5e-3, 1.25e-3].map(|step_s| {
                    let pair = Pair::new(coupling, scheme.method(2), step_s, 2.0);
                    let pair = Pair { parameters: Parameters::test_model(), start: Start::Exact, ..pair };
                    (step_s, global_errors(&pair, &models::native).expect("the run").position)
                });
                let (order, theory) = (slope(&errors, 3e-12).expect("errors above rounding"), scheme.global_order());
                // Where the unit that sends the force steps first, the force is known.
                let is_least = schedule != Schedule::Jacobi && theory == 2.0;
                assert!(
                    (order - theory).abs() < 0.15 || (is_least && order > theory),
                    "{scheme}: {order:.2} {errors:?}"
                );
            }
        }
    }
}

/// The first step needs no past: units tell what they do by themselves. So the order is 3 where nothing is known before the start.
#[test]
fn the_first_step_needs_no_past() {
    for coupling in [Coupling::ForceForce, Coupling::DisplacementDisplacement] {
        let scheme = scheme(coupling, Schedule::Jacobi, 2);
        let errors = [1e-2, 5e-3, 2.5e-3, 1.25e-3].map(|step_s| {
            let pair = Pair::new(coupling, scheme.method(2), step_s, 2.0);
            let pair = Pair { parameters: Parameters::test_model(), ..pair };
            (step_s, global_errors(&pair, &models::native).expect("the run").position)
        });
        let order = slope(&errors, 3e-12).expect("errors above rounding");
        assert!((order - 3.0).abs() < 0.15, "{scheme}: {order:.2} {errors:?}");
    }
}

/// A law of the master is implicit: stable on 13 times as much of the window as the explicit scheme. A spring in the units is not.
#[test]
fn what_goes_through_the_inputs_is_implicit() {
    let expected = [
        (Coupling::ForceForce, Schedule::Jacobi, 0, [0.0552, 0.8210]),
        (Coupling::ForceForce, Schedule::Jacobi, 1, [0.0219, 0.2841]),
        (Coupling::DisplacementDisplacement, Schedule::Jacobi, 1, [0.0604, 0.0333]),
    ];
    let rays = Rays { angles_deg: Vec::new(), ..Rays::default() };
    for (coupling, schedule, degree, expected) in expected {
        let implicit = scheme(coupling, schedule, degree);
        let schemes = [Scheme { correct: Correct::Explicit, ..implicit }, implicit];
        let found = regions(&schemes, Ratios::default(), &Window::default(), &rays, &|| ()).expect("the maps");
        for (region, expected) in found.iter().zip(expected) {
            let fraction = region.stable_fraction;
            assert!((fraction - expected).abs() < 0.003, "{implicit}: {fraction:.4}, expected {expected}");
        }
    }
}

/// One run a macro step, with the error of the scheme that repeats until it has converged.
#[test]
fn steps_are_never_repeated() {
    let pair = |correct| {
        let scheme = Scheme { correct, ..scheme(Coupling::ForceForce, Schedule::Jacobi, 1) };
        Pair::new(Coupling::ForceForce, scheme.method(2), 2e-3, 1.0)
    };
    let of = |correct| run(&pair(correct), &models::native, u64::MAX).expect("the run");
    let [explicit, linear, newton] = [Correct::Explicit, Correct::LinearImplicit, Correct::Newton].map(of);
    assert_eq!((linear.statistics.runs, linear.do_steps), (500, [500, 500]));
    let [explicit, linear, newton] = [explicit, linear, newton].map(|r| r.max_relative_position());
    assert!(linear < 1.3 * newton && linear < 0.3 * explicit, "{explicit:e} {linear:e} {newton:e}");
}
