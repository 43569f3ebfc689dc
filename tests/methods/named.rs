//! Named methods and corrections on systems other than the oscillator pair: through FMUs, against fine solutions.

use macrostep::factory;
use macrostep_analysis::measure::{Reference, Work, run};
use macrostep_analysis::pair::{Coupling, slope};
use macrostep_analysis::scheme::{Control, Correct, Energy, Named, Predict, Schedule, Scheme, named};
use macrostep_analysis::{Benchmark, Setup, scenarios};

fn scenario(name: &str) -> Box<dyn Benchmark> {
    scenarios().into_iter().find(|s| s.card().name == name).expect("a scenario")
}

fn work(scenario: &dyn Benchmark, scheme: &Scheme, step_s: f64) -> Work {
    let reference = Reference::new(scenario, step_s, scenario.card().stop_s).expect("a solution");
    let setup = Setup::new(scheme, step_s, &factory::fmu);
    let work = run(scenario, &setup, &reference).unwrap_or_else(|e| panic!("{} {scheme}: {e}", scenario.card().name));
    println!("{} {scheme} H = {step_s:e}: {:.2e}, {} calls", scenario.card().name, work.error.position, work.do_steps);
    assert_eq!(work.units, "fmu");
    work
}

/// The systems whose FMUs offer what the methods need.
const SYSTEMS: [&str; 3] = ["nonlinear-spring", "chain", "circuit"];

/// Jerks make a step more accurate than accelerations of degree 1 do, by much, with the same calls and none to begin with.
#[test]
fn jerk_is_an_explicit_method_of_any_system() {
    let _open = factory::open_all().expect("the FMUs");
    for name in SYSTEMS {
        let scenario = scenario(name);
        let card = scenario.card();
        for &coupling in card.couplings {
            let (jerk, ia1) = (
                named(Named::Jerk, coupling),
                Scheme::new(coupling, Schedule::GaussSeidelReversed, Predict::integrated(1)),
            );
            let steps = [8.0, 4.0].map(|n| n * card.step_s);
            let [coarse, fine] = steps.map(|h| work(scenario.as_ref(), &jerk, h));
            let other = work(scenario.as_ref(), &ia1, steps[1]);
            assert_eq!(fine.do_steps, other.do_steps);
            assert!(fine.error.position < 0.1 * other.error.position, "{name} {coupling}");
            assert!(coarse.error.position > 12.0 * fine.error.position, "{name} {coupling}: order 4 at least");
        }
    }
}

/// Waveforms on 13 nodes, in windows of 20 to 40 usual steps.
#[test]
fn waveforms_converge_on_any_system() {
    let _open = factory::open_all().expect("the FMUs");
    for name in SYSTEMS {
        let scenario = scenario(name);
        let card = scenario.card();
        for &coupling in card.couplings {
            let windows = 10.0;
            let found = work(scenario.as_ref(), &named(Named::Waveform(Some(12)), coupling), card.stop_s / windows);
            assert!(found.error.position < 1e-8, "{name} {coupling}: {:e}", found.error.position);
            let coarse = work(scenario.as_ref(), &named(Named::Waveform(Some(6)), coupling), card.stop_s / windows);
            assert!(found.error.position < 1e-2 * coarse.error.position, "{name} {coupling}");
        }
    }
}

/// Where both subsystems are driven by motions, half steps around a whole one are a splitting of order 2.
#[test]
fn symmetric_steps_are_of_order_2_on_any_system() {
    let _open = factory::open_all().expect("the FMUs");
    let coupling = Coupling::DisplacementDisplacement;
    for name in SYSTEMS {
        let scenario = scenario(name);
        let card = scenario.card();
        if !card.couplings.contains(&coupling) {
            continue;
        }
        let scheme = named(Named::Palindromic, coupling);
        let of = |h: f64| {
            let found = work(scenario.as_ref(), &scheme, h);
            let n = (card.stop_s / h).round() as u64;
            assert_eq!(found.do_steps, 2 * n + 1, "{name}");
            (h, found.error.position)
        };
        let errors = [2.0, 1.0, 0.5, 0.25].map(|part| of(part * card.step_s));
        let order = slope(&errors, 0.0).expect("an order");
        assert!((order - 2.0).abs() < 0.1, "{name}: {order}");
    }
}

/// What an FMU does not offer is named before the run.
#[test]
fn what_is_missing_is_named() {
    let cylinder = scenario("cylinder");
    let refusal = |scheme: &Scheme| match cylinder.couple(&Setup::new(scheme, 1e-4, &factory::fmu)) {
        Ok(_) => String::new(),
        Err(e) => e.to_string(),
    };
    let cut = Coupling::ForceDisplacement;
    for (scheme, words) in [
        (named(Named::Jerk, cut), ["`cylinder`", "`dddp`"]),
        (
            Scheme { energy: Energy::Nepce, ..Scheme::new(cut, Schedule::Jacobi, Predict::classical(1)) },
            ["power bonds", "no constant times an input"],
        ),
        (
            Scheme { control: Control::Ecco, ..Scheme::new(cut, Schedule::Jacobi, Predict::classical(1)) },
            ["power bonds", "no constant times an input"],
        ),
    ] {
        let found = refusal(&scheme);
        assert!(words.iter().all(|w| found.contains(w)), "{scheme}: {found}");
    }
}

/// Corrections of energy and choices of the step work on a chain and on a circuit as they do on the pair.
#[test]
fn energy_and_control_on_other_systems() {
    let _open = factory::open_all().expect("the FMUs");
    for name in ["chain", "circuit"] {
        let scenario = scenario(name);
        let card = scenario.card();
        for &coupling in card.couplings {
            let hold = Scheme::new(coupling, Schedule::Jacobi, Predict::classical(0));
            let plain = work(scenario.as_ref(), &hold, card.step_s);
            let nepce = work(scenario.as_ref(), &Scheme { energy: Energy::Nepce, ..hold }, card.step_s);
            assert!(nepce.error.position < 0.2 * plain.error.position, "{name} {coupling}");
            let linear = Scheme::new(coupling, Schedule::Jacobi, Predict::classical(1));
            for control in [Control::Error, Control::Ecco] {
                let of = |control_tolerance| {
                    let scheme = Scheme { control, control_tolerance, ..linear };
                    work(scenario.as_ref(), &scheme, 16.0 * card.step_s)
                };
                let (loose, tight) = (of(1e-2), of(1e-4));
                assert!(tight.error.position < 0.3 * loose.error.position, "{name} {coupling} {control:?}");
                assert!(tight.do_steps > loose.do_steps, "{name} {coupling} {control:?}");
            }
        }
    }
}

/// All correctors come to the same window.
#[test]
fn correctors_agree_on_a_chain_and_on_a_nonlinear_spring() {
    let _open = factory::open_all().expect("the FMUs");
    for name in ["chain", "nonlinear-spring"] {
        let scenario = scenario(name);
        let card = scenario.card();
        for &coupling in card.couplings {
            let of = |correct| {
                let scheme = Scheme { correct, ..Scheme::new(coupling, Schedule::Jacobi, Predict::classical(2)) };
                work(scenario.as_ref(), &scheme, 2.0 * card.step_s).error.position
            };
            let newton = of(Correct::Newton);
            for correct in [Correct::FixedPoint, Correct::IqnIls, Correct::Anderson, Correct::NewtonKrylov] {
                assert!((of(correct) / newton - 1.0).abs() < 1e-3, "{name} {coupling} {correct:?}");
            }
            // One correction is not all of it: what it changes at one end of a chain has not come to the other, nor has a force
            // that an owner sends. It makes things no worse.
            let (once, never) = (of(Correct::SemiImplicit), of(Correct::Explicit));
            assert!(once < if coupling == Coupling::ForceForce { 0.3 } else { 1.5 } * never, "{name} {coupling}");
        }
    }
}
