//! Thresholds of linear theory, the actuator on its stop, the crane.

use macrostep::factory;
use macrostep_analysis::multirate::{
    Delivery, Limits, Manoeuvre, Multirate, Order, Outcome, Place, Plant, Prediction, Scheme, build, errors, judge, run,
};
use macrostep_crane::{cosim, oscillator};
use macrostep_hydraulics as hydraulics;
use macrostep_master::record::Trace;
use macrostep_multibody::System;
use rayon::prelude::*;

use super::Finding;
use crate::failure::Failure;
use crate::hydraulic::Structure;

const CRANE: Plant = Plant::Crane(Manoeuvre::Usual);
/// Macro step of the oscillator, which its frequency is scaled with \[s\].
const MACRO_S: f64 = 0.01;

/// Largest stable ω H of `m v' = λ` against an exact oscillator.
pub fn thresholds() -> Result<Vec<Finding>, Failure> {
    use cosim::Order::{FastFirst, Jacobi};
    use hydraulics::Delivery::{End, Mean};
    use hydraulics::Prediction::{Hold, InterfaceModel, Linear};
    // The mass, and the scheme that others are variants of.
    let system = oscillator::mass(10.0).map_err(Failure::run)?;
    let base = cosim::Scheme::recommended(MACRO_S, MACRO_S / 200.0);
    // Schemes with the thresholds that are known, without damping and with a tenth of the critical one.
    let table = [
        ("hold, Jacobi, end", base.with(Hold, Jacobi, End), [0.0, 0.20]),
        ("hold, fast first, end", base.with(Hold, FastFirst, End), [2.00, 2.01]),
        ("linear, fast first, end", base.with(Linear, FastFirst, End), [1.41, 1.40]),
        ("interface model, Jacobi, end", base.with(InterfaceModel, Jacobi, End), [0.0, 0.41]),
        ("interface model, fast first, end", base.with(InterfaceModel, FastFirst, End), [1.72, 1.80]),
        ("interface model, fast first, mean", base.with(InterfaceModel, FastFirst, Mean), [8.0, 8.0]),
    ];
    let cases: Vec<_> = table.iter().flat_map(|(w, s, x)| [(*w, *s, 0.0, x[0]), (*w, *s, 0.1, x[1])]).collect();
    // A threshold of 0 is shown a little above it, one that no step reaches up to 8.
    let finding = |(words, scheme, zeta, expected): (&str, cosim::Scheme, f64, f64)| {
        let what = format!("largest stable ω H, {words}, ζ = {zeta}");
        let stable = |x: f64| is_stable(&system, scheme, x, zeta);
        if expected == 0.0 {
            return Finding::new("thresholds", what, format!("stable at 0.05: {}", stable(0.05)), "0", !stable(0.05));
        }
        if expected == 8.0 {
            let all = (1..=16).all(|k| stable(0.5 * f64::from(k)));
            return Finding::new("thresholds", what, format!("stable up to 8: {all}"), "above 8", all);
        }
        // The others lie between a half of what is expected and twice that.
        let (mut low, mut high) = (0.5 * expected, 2.0 * expected);
        for _ in 0..9 {
            let middle = 0.5 * (low + high);
            if stable(middle) { low = middle } else { high = middle }
        }
        Finding::near("thresholds", what, (low, expected), 0.02)
    };
    // Cases beside each other.
    Ok(cases.into_par_iter().map(finding).collect())
}

fn is_stable(system: &std::sync::Arc<System>, scheme: cosim::Scheme, x: f64, zeta: f64) -> bool {
    // Divergence to infinity is an error of the step.
    oscillator::growth(system, scheme, x, zeta, 20_000).is_ok_and(|growth| growth <= 100.0)
}

fn simulated(plant: Plant, scheme: Scheme, step_s: f64) -> Result<Outcome, Failure> {
    run(&Multirate::new(plant, scheme, step_s), &factory::fmu, Limits::BRIEF).map_err(Failure::run)
}

/// Which schemes follow the reference, through the FMUs.
pub fn actuator() -> Result<Vec<Finding>, Failure> {
    use {Delivery::*, Order::*, Prediction::*};
    let reference = simulated(Plant::Actuator, Scheme::RECOMMENDED, macrostep_analysis::multirate::MICRO_S)?;
    let cases = [
        (Scheme::RECOMMENDED, 0.016, true),
        (Scheme::RECOMMENDED, 0.024, true),
        (Scheme::of(Hold, Jacobi, End), 0.004, false),
        (Scheme::of(Linear, FastFirst, Mean), 0.016, false),
        (Scheme::of(InterfaceModel, Jacobi, Mean), 0.016, false),
        (Scheme::of(InterfaceModel, FastFirst, End), 0.016, false),
    ];
    let finding = |(scheme, step_s, expected): (Scheme, f64, bool)| {
        let outcome = simulated(Plant::Actuator, scheme, step_s)?;
        let stable = judge(&outcome, Some(&errors(&outcome, &reference, 1)), false);
        Ok(Finding::is("actuator", format!("stable at {} ms: {scheme}", 1e3 * step_s), stable, expected))
    };
    cases.into_iter().map(finding).collect()
}

/// Structure, lift, stability, speed, and the two places of the interface model.
pub fn crane() -> Result<Vec<Finding>, Failure> {
    use {Delivery::*, Order::*, Prediction::*};
    const TOPIC: &str = "crane";
    // Joints of the crane, some of them redundant.
    let structure = Structure::of_the_crane()?;
    let numbers = format!("{}, {}, {}", structure.joint_rows, structure.joint_rank, structure.mobility);
    let holds = numbers == "100, 95, 13";
    let mut list = vec![Finding::new(TOPIC, "rows of the joints, their rank, mobility", numbers, "100, 95, 13", holds)];
    // The lift, with a short macro step.
    let fine = simulated(CRANE, Scheme::RECOMMENDED, 0.004)?;
    list.push(Finding::above(TOPIC, "log at 8 s, H = 4 ms [m]", height(&fine), 2.2));
    list.push(Finding::at_most(TOPIC, "largest joint violation, H = 4 ms [m]", fine.violation_max_m, 1e-5));
    // Longer ones: stable by the recommended scheme, and not by others.
    for step_s in [0.016, 0.032, 0.048] {
        let words = |scheme: Scheme| format!("stable at {} ms: {scheme}", 1e3 * step_s);
        let outcome = simulated(CRANE, Scheme::RECOMMENDED, step_s)?;
        list.push(Finding::is(TOPIC, words(Scheme::RECOMMENDED), judge(&outcome, None, true), true));
        list.push(Finding::at_most(TOPIC, "  its largest joint violation [m]", outcome.violation_max_m, 1e-5));
        if step_s == 0.016 {
            list.push(Finding::above(TOPIC, "  its real-time factor through FMUs", outcome.real_time_factor, 5.0));
        }
        // What extrapolates without knowing the interface.
        for (prediction, delivery) in [(Hold, End), (Hold, Mean), (Linear, End), (Linear, Mean)] {
            let scheme = Scheme::of(prediction, Jacobi, delivery);
            let outcome = simulated(CRANE, scheme, step_s)?;
            list.push(Finding::is(TOPIC, words(scheme), judge(&outcome, None, true), false));
        }
    }
    // Two places of the interface model see the same speed.
    for plant in [Plant::Actuator, CRANE] {
        let name = if plant.is_crane() { "crane" } else { "actuator" };
        let what = format!("{name}, 16 ms: most that a macro step moves fast unit and master apart [m, m/s]");
        list.push(Finding::at_most(TOPIC, what, parting(plant)?, 1e-12));
    }
    Ok(list)
}

fn height(outcome: &Outcome) -> f64 {
    outcome.trace.column("log_height").and_then(|c| c.last().copied()).unwrap_or(f64::NAN)
}

/// The interface model in the fast unit and in the master: growth of their difference in a macro step.
fn parting(plant: Plant) -> Result<f64, Failure> {
    let start = |place| {
        let run = Multirate::new(plant, Scheme { place, ..Scheme::RECOMMENDED }, 0.016);
        build(&run, &factory::fmu, false).map_err(Failure::run)
    };
    let (mut a, mut b) = (start(Place::Fast)?, start(Place::Master)?);
    let (mut before, mut most) = (0.0_f64, 0.0_f64);
    for _ in 0..(plant.end_s() / 0.016) as usize {
        let [mut x, mut y] = [Trace::new(a.columns().to_vec()), Trace::new(b.columns().to_vec())];
        a.run(1, 1, &mut x).map_err(Failure::run)?;
        b.run(1, 1, &mut y).map_err(Failure::run)?;
        // The newest rows, whose positions and speeds come first.
        let rows = x.rows().next_back().into_iter().flatten().zip(y.rows().next_back().into_iter().flatten());
        let apart = rows.skip(1).take(2 * plant.rows()).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        most = most.max(apart - before);
        before = apart;
    }
    Ok(most)
}
