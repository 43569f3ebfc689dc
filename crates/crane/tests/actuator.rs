//! The actuator on a stop: which schemes follow the reference, the interface model at H = 0.2 ms.

use Order::{FastFirst, Jacobi};
use macrostep_crane::{
    actuator::{self, Verdict},
    cosim::{Order, Scheme},
};
use macrostep_hydraulics::{
    Delivery::{self, End, Mean},
    Prediction::{self, Hold, InterfaceModel, Linear},
};

const MICRO_S: f64 = 2e-4;

fn verdicts(cases: &[(Prediction, Order, Delivery, f64)]) -> Vec<Verdict> {
    let system = actuator::system().expect("valid");
    let reference = actuator::run(&system, Scheme::recommended(MICRO_S, MICRO_S)).expect("starts");
    let run = |&(prediction, order, delivery, h): &(Prediction, Order, Delivery, f64)| {
        let scheme = Scheme::recommended(h, MICRO_S).with(prediction, order, delivery);
        actuator::compare(&actuator::run(&system, scheme).expect("starts"), h, &reference)
    };
    cases.iter().map(run).collect()
}

#[test]
fn interface_model_with_mean_force_is_stable_at_large_steps() {
    let cases = [0.004, 0.008, 0.016, 0.024].map(|h| (InterfaceModel, FastFirst, Mean, h));
    for (case, verdict) in cases.iter().zip(verdicts(&cases)) {
        assert!(verdict.stable(), "{case:?} {verdict:?}");
    }
}

#[test]
fn extrapolation_is_not() {
    let cases = [
        (Hold, Jacobi, End, 0.004),
        (Hold, Jacobi, Mean, 0.004),
        (Linear, FastFirst, Mean, 0.016),
        (Linear, Jacobi, Mean, 0.016),
        // Neither the order nor the mean force can be left out.
        (InterfaceModel, Jacobi, Mean, 0.016),
        (InterfaceModel, FastFirst, End, 0.016),
    ];
    for (case, verdict) in cases.iter().zip(verdicts(&cases)) {
        assert!(!verdict.stable(), "{case:?} {verdict:?}");
    }
}

#[test]
fn the_stop_holds_and_the_mass_returns() {
    let system = actuator::system().expect("valid");
    let mut cosim = actuator::cosim(&system, Scheme::recommended(0.004, MICRO_S)).expect("starts");
    let mut highest = 0.0_f64;
    while cosim.time_s() < 2.999 {
        cosim.step().expect("stable");
        highest = highest.max(cosim.position()[0]);
    }
    let travel = actuator::STOP_M - actuator::START_M;
    assert!((highest - travel).abs() < 1e-5, "reaches the stop and stays below: {highest}");
    assert!(cosim.position()[0] < travel - 0.05);
}
