//! Orders of convergence with exact subsystems, global and local, position and velocity.

use crate::common::*;
use crate::errors::{Errors, global_errors, local_errors};
use macrostep_analysis::models;
use macrostep_analysis::pair::{Coupling, Pair, Start, slope};
use macrostep_master::predict::{Derivative, Hermite, Lagrange};
use macrostep_master::{Method, Sampling, Schedule};

const STEPS: [f64; 4] = [2e-2, 1e-2, 5e-3, 2.5e-3];
/// Errors below this say more of rounding than of the scheme (1e-11 of the amplitude, which is about 0.3).
const FLOOR: f64 = 3e-12;

fn observe(steps: &[f64], error: impl Fn(f64) -> Errors) -> (f64, f64) {
    let e: Vec<(f64, Errors)> = steps.iter().map(|&h| (h, error(h))).collect();
    let of = |f: fn(&Errors) -> f64| {
        let points: Vec<(f64, f64)> = e.iter().map(|(h, e)| (*h, f(e))).collect();
        slope(&points, FLOOR).unwrap_or_else(|| panic!("too few errors above the floor: {points:?}"))
    };
    (of(|e| e.position), of(|e| e.velocity))
}

fn global_order(steps: &[f64], pair: impl Fn(f64) -> Pair) -> (f64, f64) {
    observe(steps, |h| global_errors(&pair(h), &models::native).expect("the run"))
}

fn local_order(steps: &[f64], pair: impl Fn(f64) -> Pair) -> (f64, f64) {
    let starts: Vec<f64> = (0..7).map(|i| 0.21 * f64::from(i)).collect();
    observe(steps, |h| local_errors(&pair(h), &models::native, &starts).expect("the run"))
}

fn near(found: (f64, f64), expected: (f64, f64), what: &str) {
    let ok = (found.0 - expected.0).abs() <= 0.1 && (found.1 - expected.1).abs() <= 0.1;
    assert!(ok, "{what}: observed {found:.3?}, expected {expected:?}");
}

fn each(mut check: impl FnMut(Coupling, &str, Schedule)) {
    for coupling in Coupling::ALL {
        for (name, schedule) in schedules() {
            check(coupling, name, schedule);
        }
    }
}

#[test]
fn classical_degree_k_is_of_global_order_k_plus_1() {
    each(|coupling, name, schedule| {
        for degree in 0..=2 {
            let k = degree as f64;
            let found = global_order(&STEPS, |h| test_pair(coupling, classical(degree, schedule.clone()), h));
            near(found, (k + 1.0, k + 1.0), &format!("{coupling} {name} degree {degree}"));
        }
    });
}

#[test]
fn classical_degree_k_is_of_local_order_k_plus_3_and_k_plus_2() {
    each(|coupling, name, schedule| {
        for degree in 0..=2 {
            let k = degree as f64;
            let found = local_order(&STEPS, |h| test_pair(coupling, classical(degree, schedule.clone()), h));
            near(found, (k + 3.0, k + 2.0), &format!("{coupling} {name} degree {degree}"));
        }
    });
}

#[test]
fn implicit_degree_k_is_of_global_order_k_plus_1() {
    each(|coupling, name, schedule| {
        for degree in 0..=2 {
            let k = degree as f64;
            let found = global_order(&STEPS, |h| test_pair(coupling, implicit(classical(degree, schedule.clone())), h));
            near(found, (k + 1.0, k + 1.0), &format!("implicit {coupling} {name} degree {degree}"));
        }
    });
}

#[test]
fn hermite_inputs_are_of_order_4_and_6() {
    let hermite = |jet: usize, schedule: Schedule| -> Method { implicit(method(Hermite { jet }, schedule)) };
    each(|coupling, name, schedule| {
        let found = global_order(&STEPS, |h| test_pair(coupling, hermite(2, schedule.clone()), h));
        near(found, (4.0, 4.0), &format!("H3 {coupling} {name}"));
        let found = global_order(&[0.2, 0.1, 0.05], |h| test_pair(coupling, hermite(3, schedule.clone()), h));
        near(found, (6.0, 6.0), &format!("H5 {coupling} {name}"));
    });
}

#[test]
fn multirate_keeps_the_order() {
    for coupling in Coupling::ALL {
        for degree in 0..=2 {
            for fast in 0..2 {
                let k = degree as f64;
                let found = global_order(&STEPS, |h| {
                    let mut pair = test_pair(coupling, classical(degree, Schedule::Jacobi), h);
                    pair.shares[fast] = (1, 5);
                    pair
                });
                near(found, (k + 1.0, k + 1.0), &format!("{coupling} degree {degree}, fast side {}", fast + 1));
            }
        }
    }
}

#[test]
fn a_ramp_start_costs_degree_2_an_order_and_degree_1_nothing() {
    // Small steps: what the ramp costs is small itself, and shows where the rest has gone.
    let ramp = |degree: usize| {
        global_order(&[1e-3, 5e-4, 2.5e-4, 1.25e-4], |h| Pair {
            start: Start::Ramp,
            ..test_pair(Coupling::ForceForce, classical(degree, Schedule::Jacobi), h)
        })
    };
    near(ramp(1), (2.0, 2.0), "ramp, degree 1");
    near(ramp(2), (2.0, 2.0), "ramp, degree 2");
}

#[test]
fn differentiating_the_polynomial_costs_an_order() {
    for degree in 1..=2 {
        let numdiff = Lagrange { degree, derivative: Derivative::Differentiated };
        let k = degree as f64;
        for coupling in [Coupling::DisplacementDisplacement, Coupling::ForceDisplacement] {
            let small = [5e-3, 2.5e-3, 1.25e-3, 6.25e-4];
            let found = global_order(&small, |h| test_pair(coupling, method(numdiff, Schedule::Jacobi), h));
            near(found, (k, k), &format!("numdiff {coupling} degree {degree}"));
        }
    }
}

/// "Lagged" sampling hands out the force that belongs to the input the owner still holds: the order stays, the error grows.
#[test]
fn lagged_sampling_keeps_the_order_and_costs_accuracy() {
    for coupling in [Coupling::ForceDisplacement, Coupling::DisplacementForce] {
        for degree in 0..=1 {
            let with = |sampling| Method { sampling, ..classical(degree, Schedule::Jacobi) };
            let of = |sampling, h| {
                global_errors(&test_pair(coupling, with(sampling), h), &models::native).expect("the run").position
            };
            let found = global_order(&STEPS, |h| test_pair(coupling, with(Sampling::Lagged), h));
            let k = degree as f64;
            near(found, (k + 1.0, k + 1.0), &format!("{coupling} lagged, degree {degree}"));
            let h = STEPS[3];
            let ratio = of(Sampling::Lagged, h) / of(Sampling::Updated, h);
            println!("{coupling} degree {degree}: lagged / updated = {ratio:.3}");
            assert!(ratio > 1.2, "{coupling} degree {degree}: {ratio}");
        }
    }
}
