//! The actuator on its stop, the crane.

use macrostep::factory;
use macrostep_analysis::multirate::{
    Delivery, Limits, Manoeuvre, Multirate, Order, Outcome, Place, Plant, Prediction, Scheme, build, errors, judge, run,
};
use macrostep_master::record::Trace;

use super::Finding;
use crate::failure::Failure;
use crate::hydraulic::Structure;

const CRANE: Plant = Plant::Crane(Manoeuvre::Usual);

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

/// Structure, lift, stability, and the two places of the interface model.
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
