//! Integrated acceleration: orders of convergence and figures, natively and through the FMUs.

use crate::common::*;
use crate::errors::{Errors, global_errors, local_errors};
use macrostep::factory;
use macrostep_analysis::models;
use macrostep_analysis::models::Factory;
use macrostep_analysis::pair::{Coupling, Pair, slope};
use macrostep_master::predict::{IntegratedAcceleration, Variant};
use macrostep_master::{Method, Sampling, Schedule};

/// 1e-11 of the amplitude of the test model, which is about 0.3.
const FLOOR: f64 = 3e-12;

fn integrated(degree: usize, variant: Variant, schedule: Schedule) -> Method {
    method(IntegratedAcceleration { variant, ..IntegratedAcceleration::new(degree) }, schedule)
}

fn orders(steps: &[f64], error: impl Fn(f64) -> Errors) -> [f64; 2] {
    let e: Vec<(f64, Errors)> = steps.iter().map(|&h| (h, error(h))).collect();
    let of = |f: fn(&Errors) -> f64| {
        let points: Vec<(f64, f64)> = e.iter().map(|(h, e)| (*h, f(e))).collect();
        slope(&points, FLOOR).unwrap_or_else(|| panic!("too few errors above the floor: {points:?}"))
    };
    [of(|e| e.position), of(|e| e.velocity)]
}

/// Steps at which the errors of degree `k` are small enough for theory and large enough for rounding.
fn steps(k: usize) -> [f64; 4] {
    let h = [1e-2, 1e-2, 2e-2][k];
    [h, h / 2.0, h / 4.0, h / 8.0]
}

fn check_orders(coupling: Coupling, name: &str, k: usize, method: &Method, factory: Factory<'_>) {
    let starts: Vec<f64> = (0..7).map(|i| 0.21 * f64::from(i)).collect();
    let pair = |h| test_pair(coupling, method.clone(), h);
    let found = orders(&steps(k), |h| global_errors(&pair(h), factory).expect("the run"));
    let [x, v] = found.map(|order| (order - (k as f64 + 2.0)).abs() <= 0.1);
    assert!(x && v, "global {coupling} {name} ia{k}: {found:.3?}, expected {}", k + 2);
    let long = [1.0, 0.7, 0.5, 0.35].map(|part| part * [1e-2, 2e-2, 3e-2][k]);
    let found = orders(&long, |h| local_errors(&pair(h), factory, &starts).expect("the run"));
    let [x, v] = [(found[0] - (k as f64 + 4.0)).abs() <= 0.1, (found[1] - (k as f64 + 3.0)).abs() <= 0.1];
    assert!(x && v, "local {coupling} {name} ia{k}: {found:.3?}, expected {} and {}", k + 4, k + 3);
}

#[test]
fn degree_k_is_of_global_order_k_plus_2_and_local_orders_k_plus_4_and_k_plus_3() {
    for coupling in Coupling::ALL {
        for (name, schedule) in schedules() {
            for k in 0..=2 {
                // The derivative of a cubic is off by H³, which with c_c ≠ 0 makes a local position error of order 5: of no
                // weight for degrees 0 and 1, one order too few for degree 2.
                let variant = if k == 2 { Variant::H5 } else { Variant::H3 };
                check_orders(coupling, name, k, &integrated(k, variant, schedule.clone()), &models::native);
            }
        }
    }
}

#[test]
fn every_variant_keeps_the_order() {
    for coupling in Coupling::ALL {
        for (name, schedule) in schedules().into_iter().skip(1) {
            for (label, variant) in [("n0", Variant::N0), ("n1", Variant::N1), ("h5", Variant::H5)] {
                for k in 0..=1 {
                    let name = format!("{name} {label}");
                    check_orders(coupling, &name, k, &integrated(k, variant, schedule.clone()), &models::native);
                }
            }
        }
    }
}

#[test]
fn the_fmus_show_the_same_orders() {
    let _open = factory::open_all().expect("the FMUs");
    for (coupling, k) in [(Coupling::ForceForce, 0), (Coupling::DisplacementDisplacement, 1), (Coupling::ForceForce, 2)]
    {
        for (name, schedule) in schedules().into_iter().take(2) {
            check_orders(coupling, name, k, &integrated(k, Variant::H3, schedule), &factory::fmu);
        }
    }
}

/// The error of classical quadratic extrapolation is of the same order as that of degree 1, and many times larger.
#[test]
fn degree_1_is_better_than_classical_quadratic() {
    let pair = |method: Method| test_pair(Coupling::ForceForce, method, 5e-3);
    let e = |method: Method| global_errors(&pair(method), &models::native).expect("the run").position;
    let gain = e(classical(2, Schedule::Jacobi)) / e(integrated(1, Variant::H3, Schedule::Jacobi));
    assert!((12.0..16.0).contains(&gain), "global: {gain}");
    let starts: Vec<f64> = (0..7).map(|i| 0.21 * f64::from(i)).collect();
    let e = |method: Method| local_errors(&pair(method), &models::native, &starts).expect("the run").position;
    let gain = e(classical(2, Schedule::Jacobi)) / e(integrated(1, Variant::H3, Schedule::Jacobi));
    assert!((13.0..18.0).contains(&gain), "local, worst of the starting times: {gain}");
}

/// Accelerations with the force that was predicted, not the true one, keep the order; what they lose is stability.
#[test]
fn stale_accelerations_keep_the_order() {
    for k in 0..=1 {
        let mut stale = integrated(k, Variant::H3, Schedule::Jacobi);
        stale.sampling = Sampling::Lagged;
        let error =
            |h| global_errors(&test_pair(Coupling::ForceForce, stale.clone(), h), &models::native).expect("the run");
        let found = orders(&steps(k), error);
        assert!(found.iter().all(|order| (order - (k as f64 + 2.0)).abs() <= 0.1), "ia{k}: {found:?}");
    }
}

/// Largest relative position error of case 1 over 10 s, H = 1e-2, 1e-3, 1e-4.
#[test]
fn figures_of_case_1() {
    let figures = [
        (Coupling::ForceForce, 0, [2.2e-2, 2.2e-5, 2.2e-8]),
        (Coupling::ForceForce, 1, [5.0e-3, 5.1e-7, 5.1e-11]),
        (Coupling::DisplacementDisplacement, 1, [8.3e-4, 8.5e-8, 1.0e-11]),
    ];
    for (coupling, degree, expected) in figures {
        for (step_s, expected) in [1e-2, 1e-3, 1e-4].into_iter().zip(expected) {
            let method = integrated(degree, Variant::H3, Schedule::Jacobi);
            let found = position_error(&Pair::new(coupling, method, step_s, 10.0));
            let unit = 10f64.powi(f64::log10(expected).floor() as i32 - 1);
            // Two digits are given; at 1e-11 rounding over 100000 steps counts.
            let allowed = if expected < 1e-10 { 3e-12 } else { 0.5000001 * unit };
            assert!(
                (found - expected).abs() <= allowed,
                "{coupling} ia{degree} H = {step_s}: {found:.4e}, {expected:e}"
            );
        }
    }
}
