//! The crane and the actuator through the master: the two places of the interface model, FMUs and native units, stability.

use macrostep::factory;
use macrostep_analysis::models;
use macrostep_benchmarks::{Delivery::*, Manoeuvre, Multirate, Order::*, Place, Plant, Prediction::*, Scheme};
use macrostep_master::record::Trace;

use crate::crane::runs::{Columns, Limits, Outcome, build, errors, judge, run};

const CRANE: Plant = Plant::Crane(Manoeuvre::Usual);
const BEST: Scheme = Scheme::RECOMMENDED;

fn native(m: &Multirate) -> Outcome {
    run(m, &models::native, Limits::BRIEF).expect("it starts")
}

fn through_fmus(m: &Multirate) -> Outcome {
    run(m, &factory::fmu, Limits::BRIEF).expect("it starts")
}

fn last(outcome: &Outcome, column: &str) -> f64 {
    *outcome.trace.column(column).expect("recorded").last().expect("rows")
}

fn bits(outcome: &Outcome) -> Vec<u64> {
    outcome.trace.rows().flatten().map(|v| v.to_bits()).collect()
}

/// Inside the fast unit and in the master the interface model gives the same motion: no macro step moves them apart by
/// more than 1e-12, through contact and grasp.
#[test]
fn the_two_places_agree_in_every_macro_step() {
    for (plant, step_s, steps) in [(Plant::Actuator, 0.008, 300), (CRANE, 0.016, 300)] {
        for (look_ahead, repeat) in [(false, 0), (true, 0), (false, 2)] {
            let [mut a, mut b] = [Place::Fast, Place::Master].map(|place| {
                let scheme = Scheme { place, look_ahead, repeat, ..BEST };
                build(&Multirate::new(plant, scheme, step_s), &models::native, false).expect("built")
            });
            let (mut apart, mut worst) = (0.0_f64, 0.0_f64);
            for n in 0..steps {
                let [mut x, mut y] = [&a, &b].map(|simulation| Trace::new(simulation.columns().to_vec()));
                a.run(1, 1, &mut x).expect("a step");
                b.run(1, 1, &mut y).expect("a step");
                let before = std::mem::take(&mut apart);
                let (x, y) = (x.rows().next_back().expect("a row"), y.rows().next_back().expect("a row"));
                // Positions and speeds come first.
                for i in 1..=2 * plant.rows() {
                    apart = apart.max((x[i] - y[i]).abs());
                }
                assert!(apart - before <= 1e-12, "{plant:?} step {n}: {before:e} before, {apart:e} after");
                worst = worst.max(apart - before);
            }
            println!(
                "{plant:?} look-ahead {look_ahead} repeat {repeat}: {worst:e} in a step, {apart:e} after {steps} steps"
            );
        }
    }
}

#[test]
fn native_and_fmu_runs_are_bit_equal() {
    let _open = factory::open_all().expect("the FMUs open");
    let master = Scheme { place: Place::Master, look_ahead: true, ..BEST };
    let schemes = [BEST, master, Scheme::REPEATED, Scheme::of(Linear, Jacobi, End)];
    for scheme in schemes {
        for plant in [Plant::Actuator, CRANE] {
            let m = Multirate { stop_s: 3.0, ..Multirate::new(plant, scheme, 0.008) };
            assert!(bits(&native(&m)) == bits(&through_fmus(&m)), "{plant:?} {scheme}");
        }
    }
}

#[test]
fn the_crane_lifts_the_log_where_extrapolation_fails() {
    for h in [0.016, 0.032, 0.048] {
        for place in [Place::Fast, Place::Master] {
            let m = Multirate::new(CRANE, Scheme { place, ..BEST }, h);
            let outcome = native(&m);
            assert!(judge(&outcome, None, true), "H = {h}: {:?} {}", outcome.ended_by, outcome.speed_max_ms);
            assert!(last(&outcome, "log_height") > 2.2 && outcome.violation_max_m <= 1e-5, "H = {h}");
        }
        let others = [(Hold, End), (Hold, Mean), (Linear, End), (Linear, Mean)];
        for scheme in others.map(|(prediction, delivery)| Scheme::of(prediction, Jacobi, delivery)) {
            let outcome = native(&Multirate::new(CRANE, scheme, h));
            assert!(!judge(&outcome, None, true), "H = {h} {scheme}");
        }
    }
}

#[test]
fn the_actuator_follows_its_reference() {
    let verdict = |scheme, h| {
        let m = Multirate::new(Plant::Actuator, scheme, h);
        let (found, reference) = (native(&m), native(&m.reference()));
        judge(&found, Some(&errors(&found, &reference, 1)), false)
    };
    for (scheme, h) in [(BEST, 0.004), (BEST, 0.016), (BEST, 0.024), (Scheme { look_ahead: true, ..BEST }, 0.024)] {
        assert!(verdict(scheme, h), "{scheme} H = {h}");
    }
    let unstable = [
        (Scheme::of(Hold, Jacobi, End), 0.004),
        (Scheme::of(Hold, Jacobi, Mean), 0.004),
        (Scheme::of(Linear, FastFirst, Mean), 0.016),
        (Scheme::of(InterfaceModel, Jacobi, Mean), 0.016),
        (Scheme::of(InterfaceModel, FastFirst, End), 0.016),
    ];
    for (scheme, h) in unstable {
        assert!(!verdict(scheme, h), "{scheme} H = {h}");
    }
}

/// Steps that have proved their interface model wrong are repeated: large steps stay near the reference, where one changed set
/// throws the plain scheme far off.
#[test]
fn repeated_steps_stay_near_the_reference() {
    let reference = native(&Multirate::new(CRANE, BEST, 0.048).reference());
    for (step_s, most_ms) in [(0.032, 1.9e-3), (0.048, 2.5e-3), (0.064, 5e-3), (0.096, 1e-2)] {
        let found = native(&Multirate::new(CRANE, Scheme::REPEATED, step_s));
        let verdict = errors(&found, &reference, 2);
        let mismatch_j = found.energy_mismatch_j;
        println!("H = {step_s}: {:?} m/s, mismatch {mismatch_j} J, {:?}", verdict.rms_velocity, found.do_steps);
        assert!(verdict.rms_velocity.iter().all(|rms| *rms <= most_ms), "H = {step_s}: {verdict:?}");
        assert!(judge(&found, Some(&verdict), true), "H = {step_s}: mismatch {mismatch_j} J");
        assert!(step_s > 0.05 || mismatch_j <= 10.0, "H = {step_s}: mismatch {mismatch_j} J");
        // Only steps that went wrong are repeated, and none more than twice with a last run of the best.
        let windows = found.trace.rows().count() as u64 - 1;
        assert!(found.do_steps[0] > windows && found.do_steps[0] < 2 * windows, "{:?}", found.do_steps);
    }
    let plain = native(&Multirate::new(CRANE, BEST, 0.048));
    assert!(!judge(&plain, Some(&errors(&plain, &reference, 2)), true));
}

/// All manoeuvres end at 64 and 96 ms as at small steps: no step without a solution, no log lost or kept by the step's length.
#[test]
fn manoeuvres_end_alike_at_large_steps() {
    for manoeuvre in Manoeuvre::ALL {
        for step_s in [0.064, 0.096] {
            let found = native(&Multirate::new(Plant::Crane(manoeuvre), Scheme::REPEATED, step_s));
            let height = last(&found, "log_height");
            println!("{manoeuvre:?} {step_s}: {height:.3} m, mismatch {:.1} J", found.energy_mismatch_j);
            assert!(
                found.ended_by.is_none() && found.speed_max_ms <= 0.5,
                "{manoeuvre:?} {step_s}: {:?}",
                found.ended_by
            );
            match manoeuvre {
                Manoeuvre::WeakGrip | Manoeuvre::NoFriction => assert!(height < 0.3, "{manoeuvre:?} {height}"),
                Manoeuvre::EndStops => assert!((0.4..1.1).contains(&height), "{manoeuvre:?} {height}"),
                _ => assert!((2.2..2.3).contains(&height), "{manoeuvre:?} {height}"),
            }
        }
    }
}

/// Each manoeuvre runs, ends where it must, and accounts for its energy.
#[test]
fn manoeuvres_are_plausible() {
    for manoeuvre in Manoeuvre::ALL {
        let outcome = native(&Multirate::new(Plant::Crane(manoeuvre), BEST, 0.004));
        let height = last(&outcome, "log_height");
        let e = outcome.energy;
        println!("{manoeuvre:?}: log at {height:.3} m, speed {:.3}, {e:?}", outcome.speed_max_ms);
        assert!(outcome.ended_by.is_none(), "{manoeuvre:?}: {:?}", outcome.ended_by);
        assert!(outcome.violation_max_m < 1e-4, "{manoeuvre:?}: {:e}", outcome.violation_max_m);
        match manoeuvre {
            Manoeuvre::WeakGrip | Manoeuvre::NoFriction => assert!(height < 1.0, "{manoeuvre:?}"),
            // Extended to its stop the jib lowers the log, which then swings.
            Manoeuvre::EndStops => assert!(height > 0.4, "{manoeuvre:?}"),
            _ => assert!(height > 2.0, "{manoeuvre:?}"),
        }
        // Contacts and friction take energy; the time stepping errs by a few per cent of what was moved.
        assert!(e.constraint_work_j < 0.0, "{manoeuvre:?}: {e:?}");
        let moved = e.interface_work_j.abs() + e.motor_work_j.abs() + e.constraint_work_j.abs();
        assert!(e.missing_j.abs() < 0.03 * moved, "{manoeuvre:?}: {e:?}");
        let s = outcome.trace.column(&Columns::position(1)).expect("recorded");
        let stop = 0.8 - 0.5437;
        let highest = s.iter().copied().fold(f64::MIN, f64::max);
        assert!(highest < stop + 1e-5, "the stop is not passed: {highest}");
        if manoeuvre == Manoeuvre::EndStops {
            assert!(highest > stop - 1e-5, "the stop is reached: {highest}");
        }
    }
}
