//! Stability thresholds of the coupling schemes against linear theory, table by table entry.

use std::sync::Arc;

use macrostep_crane::{
    cosim::{Order, Scheme},
    oscillator::{growth, mass},
};
use macrostep_hydraulics::{Delivery, Prediction};
use macrostep_multibody::System;

const MACRO_S: f64 = 0.01;

fn unstable(system: &Arc<System>, scheme: Scheme, x: f64, zeta: f64) -> bool {
    // Divergence to infinity is an error of the step.
    growth(system, scheme, x, zeta, 20_000).map_or(true, |growth| growth > 100.0)
}

#[test]
fn thresholds_are_those_of_linear_theory() {
    let system = mass(10.0).expect("valid");
    let base = Scheme::recommended(MACRO_S, MACRO_S / 200.0);
    use Delivery::{End, Mean};
    use Order::{FastFirst, Jacobi};
    use Prediction::{Hold, InterfaceModel, Linear};
    // (scheme, largest stable x at ζ = 0, at ζ = 0.1)
    let table = [
        (base.with(Hold, Jacobi, End), 0.0, 0.20),
        (base.with(Hold, FastFirst, End), 2.00, 2.01),
        (base.with(Linear, FastFirst, End), 1.41, 1.40),
        (base.with(InterfaceModel, Jacobi, End), 0.0, 0.41),
        (base.with(InterfaceModel, FastFirst, End), 1.72, 1.80),
    ];
    for (scheme, undamped, damped) in table {
        for (zeta, x) in [(0.0, undamped), (0.1, damped)] {
            if x == 0.0 {
                assert!(unstable(&system, scheme, 0.05, zeta), "{scheme:?} must be unstable at any step");
                continue;
            }
            assert!(!unstable(&system, scheme, 0.98 * x, zeta), "{scheme:?} ζ = {zeta} below {x}");
            assert!(unstable(&system, scheme, 1.02 * x, zeta), "{scheme:?} ζ = {zeta} above {x}");
        }
    }
    let best = base.with(InterfaceModel, FastFirst, Mean);
    for zeta in [0.0, 0.1] {
        for k in 1..=16 {
            assert!(!unstable(&system, best, 0.5 * f64::from(k), zeta), "x = {}", 0.5 * f64::from(k));
        }
    }
}
