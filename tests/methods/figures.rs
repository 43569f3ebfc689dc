//! Figures of the benchmark with exact subsystems, ramp start: largest relative position error of case 1 over 10 s.

use crate::common::*;
use macrostep_analysis::pair::{Coupling, Pair};
use macrostep_master::Schedule;
use macrostep_oscillator::{Exact, Monolithic, Parameters};

/// Two significant digits are given; the last may be off by a half.
fn agrees(found: f64, expected: f64) -> bool {
    let unit = 10f64.powi(expected.log10().floor() as i32 - 1);
    (found - expected).abs() <= 0.5000001 * unit
}

#[test]
fn errors_of_case_1() {
    let figures = [
        (Coupling::ForceForce, 0, 0.31),
        (Coupling::ForceForce, 1, 6.7e-3),
        (Coupling::ForceForce, 2, 1.3e-4),
        (Coupling::DisplacementDisplacement, 1, 1.2e-3),
        (Coupling::ForceDisplacement, 1, 6.6e-3),
    ];
    for (coupling, degree, expected) in figures {
        let found = position_error(&Pair::new(coupling, classical(degree, Schedule::Jacobi), 1e-3, 10.0));
        assert!(agrees(found, expected), "{coupling} degree {degree}: {found:.4e}, expected {expected:e}");
    }
}

#[test]
fn error_of_the_monolithic_scheme() {
    let p = Parameters::case_1();
    let exact = Exact::new(&p).expect("valid");
    let amplitudes = exact.amplitudes(10.0);
    let scheme = Monolithic::new(&p, 1e-3).expect("valid");
    let worst = scheme.zip(exact.grid(1e-3)).take(10_001).fold(0.0f64, |worst, (z, e)| {
        worst.max((z[0] - e[0]).abs() / amplitudes[0]).max((z[1] - e[1]).abs() / amplitudes[1])
    });
    assert!(agrees(worst, 1.2e-2), "{worst:e}");
}

/// Explicit hold in F/F converges painfully, and grows.
#[test]
fn hold_in_force_force_grows() {
    let pair = Pair::new(Coupling::ForceForce, classical(0, Schedule::Jacobi), 1e-3, 10.0);
    let r = native_run(&pair);
    assert!(r.growth_rate.is_some_and(|g| g > 0.0), "{:?}", r.growth_rate);
}
