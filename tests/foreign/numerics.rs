//! The numbers of units that offer less than our own: outputs brought to the inputs' true values by directional derivatives
//! or not at all, inputs that are held over sub-steps. The same models, cut down, must give the same bits, the same numbers
//! to rounding, or the order of the theory.

use crate::common::{self, classical, method, schedules, states_by, test_pair};
use crate::limited::{Limited, cut_fmu};
use macrostep::factory;
use macrostep_analysis::models;
use macrostep_analysis::pair::{Coupling, Pair, build};
use macrostep_description::CoSimulation;
use macrostep_import::fmu::{Fmu, FmuOptions};
use macrostep_master::correct::{
    Correction, FixedPoint, InterfaceJacobian, Newton, NewtonKrylov, QuasiNewton, Relaxation, SemiImplicit,
};
use macrostep_master::predict::IntegratedAcceleration;
use macrostep_master::record::Observer;
use macrostep_master::unit::Unit;
use macrostep_master::{Method, RunError, Sampling, Schedule};
use macrostep_oscillator::State;

use crate::{make, run};

type Made = Result<Box<dyn Unit>, RunError>;

/// Our models without the annotation that they may be read after they were set.
fn foreign(cut: impl Fn(&mut CoSimulation) + Copy) -> impl Fn(&str, &str) -> Made {
    move |model, name| Ok(Limited::foreign(models::native(model, name)?, cut))
}

/// As they are but for some attributes.
fn reduced(cut: impl Fn(&mut CoSimulation) + Copy) -> impl Fn(&str, &str) -> Made {
    move |model, name| Ok(Limited::boxed(models::native(model, name)?, cut))
}

/// As [`foreign`], FMUs behind the C interface.
fn foreign_fmu(attributes: &'static [&'static str]) -> impl Fn(&str, &str) -> Made {
    move |model, name| {
        let fmu = Fmu::from_bytes(model, &cut_fmu(model, attributes)).expect("an FMU");
        Ok(Box::new(fmu.instantiate(name, &FmuOptions::default()).expect("an instance")))
    }
}

/// Largest difference of positions and velocities, each relative to the largest of its kind.
fn difference(a: &[State], b: &[State]) -> f64 {
    assert_eq!(a.len(), b.len());
    let column = |i: usize| {
        let size = a.iter().map(|s| s[i].abs()).fold(0.0, f64::max);
        let differences = a.iter().zip(b).map(|(a, b)| (a[i] - b[i]).abs());
        differences.fold(0.0, |m: f64, d| if d.is_nan() { f64::INFINITY } else { m.max(d) }) / size
    };
    (0..4).map(column).fold(0.0, f64::max)
}

const STEP_S: f64 = 1e-2;

/// Each coupling with each predictor, schedule and rate that samples an output with feed-through: forces of the mass that owns
/// the spring, accelerations where the law stands in the master.
fn sampled_feed_through() -> impl Iterator<Item = (String, Pair)> {
    let owned = [Coupling::ForceDisplacement, Coupling::DisplacementForce];
    let force =
        owned.into_iter().flat_map(|c| (0..3).map(move |k| (c, format!("degree {k}"), classical(k, Schedule::Jacobi))));
    let motion = Coupling::ALL.into_iter().flat_map(|c| {
        (0..2).map(move |k| (c, format!("ia{k}"), method(IntegratedAcceleration::new(k), Schedule::Jacobi)))
    });
    force.chain(motion).flat_map(|(coupling, predictor, method)| {
        schedules().into_iter().flat_map(move |(name, schedule)| {
            let method = Method { schedule, ..method.clone() };
            let what = format!("{coupling}, {predictor}, {name}");
            [[(1, 1), (1, 1)], [(1, 1), (1, 2)]].map(|shares| {
                let pair = Pair { shares, ..test_pair(coupling, method.clone(), STEP_S) };
                (format!("{what}, rates {shares:?}"), pair)
            })
        })
    })
}

/// Reported value and directional derivative × change of the inputs is what the unit says after its inputs are set, because its
/// feed-through is linear. The unit fails if it is read after a set.
#[test]
fn directional_derivatives_stand_for_a_get_after_a_set() {
    let mut lagged_differs = 0;
    for (what, pair) in sampled_feed_through() {
        let own = states_by(&pair, &models::native);
        let found = difference(&own, &states_by(&pair, &foreign(|_| {})));
        assert!(found <= 1e-13, "{what}: {found:e}");
        let lagged = Pair { method: Method { sampling: Sampling::Lagged, ..pair.method.clone() }, ..pair };
        lagged_differs += usize::from(difference(&own, &states_by(&lagged, &models::native)) > 1e-6);
    }
    assert!(lagged_differs > 20, "the inputs' change makes a difference in {lagged_differs} cases");
}

/// Every way of correcting a window repeats it with such units.
#[test]
fn directional_derivatives_go_with_every_correction() {
    let newton = |jacobian| Correction::Newton(Newton::new(jacobian));
    let corrections = [
        Correction::Explicit,
        Correction::FixedPoint(FixedPoint::new(Relaxation::Constant(1.0))),
        newton(InterfaceJacobian::FiniteDifferences),
        newton(InterfaceJacobian::Directional),
        Correction::QuasiNewton(QuasiNewton::iqn_ils()),
        Correction::QuasiNewton(QuasiNewton::anderson(5, 1.0)),
        Correction::NewtonKrylov(NewtonKrylov::default()),
        Correction::SemiImplicit(SemiImplicit::default()),
    ];
    for coupling in Coupling::ALL {
        for correction in &corrections {
            for (name, schedule) in schedules() {
                for degree in [0, 1] {
                    let method = Method { correction: correction.clone(), ..classical(degree, schedule.clone()) };
                    let pair = test_pair(coupling, method, STEP_S);
                    let own = states_by(&pair, &models::native);
                    let found = difference(&own, &states_by(&pair, &foreign(|_| {})));
                    assert!(found <= 1e-11, "{coupling}, {correction:?}, {name}, degree {degree}: {found:e}");
                }
            }
        }
    }
}

/// Held at the middle of each sub-step the input has an error of second order in their number, whatever the sampling.
#[test]
fn sub_steps_follow_the_polynomial_with_order_2() {
    for coupling in Coupling::ALL {
        for (name, schedule) in schedules() {
            for degree in [1, 2] {
                let pair = |sub_steps: usize| {
                    let method = Method { sub_steps, ..classical(degree, schedule.clone()) };
                    test_pair(coupling, method, STEP_S)
                };
                let whole = states_by(&pair(1), &models::native);
                let held = reduced(|c| c.can_interpolate_inputs = false);
                let error = |n: usize| difference(&whole, &states_by(&pair(n), &held));
                let errors = [2, 4, 8].map(error);
                for two in errors.windows(2) {
                    let order = (two[0] / two[1]).log2();
                    assert!((order - 2.0).abs() <= 0.1, "{coupling}, {name}, degree {degree}: {order} of {errors:?}");
                }
            }
        }
    }
}

/// What the unit reports after sub-steps belongs to the input it held in the last one, not to the polynomial's end.
#[test]
fn directional_derivatives_start_from_the_last_sub_step() {
    for (what, pair) in sampled_feed_through() {
        for sub_steps in [1, 3] {
            let pair = Pair { method: Method { sub_steps, ..pair.method.clone() }, ..pair.clone() };
            let own = states_by(&pair, &reduced(|c| c.can_interpolate_inputs = false));
            let found = difference(&own, &states_by(&pair, &foreign(|c| c.can_interpolate_inputs = false)));
            assert!(found <= 1e-13, "{what}, {sub_steps} sub-steps: {found:e}");
        }
    }
}

/// A unit with neither is sampled as it is with `lagged`; where its sources are known before it steps, or the window is repeated
/// until it fits, nothing is late.
#[test]
fn what_a_unit_reports_lags_where_its_inputs_are_predicted() {
    let reported = || foreign(|c| c.provides_directional_derivative = false);
    for (coupling, owner) in [(Coupling::ForceDisplacement, "gs21"), (Coupling::DisplacementForce, "gs12")] {
        for (name, schedule) in schedules() {
            for degree in 0..3 {
                let pair = test_pair(coupling, classical(degree, schedule.clone()), STEP_S);
                let what = format!("{coupling}, {name}, degree {degree}");
                let found = states_by(&pair, &reported());
                let lagged = Method { sampling: Sampling::Lagged, ..pair.method.clone() };
                let lagged = states_by(&Pair { method: lagged, ..pair.clone() }, &models::native);
                assert_eq!(difference(&lagged, &found), 0.0, "{what}");
                let late = difference(&states_by(&pair, &models::native), &found);
                if name == owner {
                    assert!(late <= 1e-13, "{what}: {late:e}");
                } else if name == "jacobi" || degree > 0 {
                    assert!(late > 1e-7, "{what}: {late:e}");
                } else {
                    // The receiver holds the value at the step's end, which is sent before the owner's input is known.
                    assert_eq!(late, 0.0, "{what}");
                }
                let newton = Pair { method: common::implicit(pair.method.clone()), ..pair };
                let late = difference(&states_by(&newton, &models::native), &states_by(&newton, &reported()));
                assert!(late <= 1e-9, "{what}, Newton: {late:e}");
            }
        }
    }
}

/// The newest row.
#[derive(Debug, Default, PartialEq)]
struct Last(Vec<f64>);

impl Observer for Last {
    fn row(&mut self, _: f64, values: &[f64]) {
        self.0 = values.to_vec();
    }
}

/// A run taken up from a snapshot goes on bit by bit, also where outputs are made from what a unit has reported.
#[test]
fn a_snapshot_of_such_units_continues_bit_by_bit() {
    let methods = [
        classical(0, Schedule::Jacobi),
        classical(2, Schedule::GaussSeidel(vec![0, 1])),
        common::implicit(classical(1, Schedule::Jacobi)),
        Method { sub_steps: 3, ..classical(1, Schedule::Jacobi) },
    ];
    for (i, method) in methods.into_iter().enumerate() {
        for coupling in Coupling::ALL {
            for shares in [[(1, 1), (1, 1)], [(1, 2), (1, 1)]] {
                let hold: fn(&mut CoSimulation) = |c| c.can_interpolate_inputs = false;
                let nothing: fn(&mut CoSimulation) = |_| {};
                let cut = foreign(if i == 3 { hold } else { nothing });
                let pair = Pair { shares, ..test_pair(coupling, method.clone(), STEP_S) };
                let built = || {
                    let mut c = build(&pair, &cut).expect("built");
                    // Accelerations follow the inputs at once, and nobody consumes them.
                    let units = c.units;
                    units.into_iter().for_each(|unit| c.simulation.record(unit, "a", "a").expect("recorded"));
                    c
                };
                let mut first = built();
                for _ in 0..37 {
                    first.simulation.step().expect("a step");
                }
                let saved = first.simulation.saved_state().expect("a saved state");
                let mut second = built();
                second.simulation.resume(&saved).expect("it fits");
                for step in 0..40 {
                    let [a, b] = [&mut first, &mut second].map(|c| {
                        let mut row = Last::default();
                        c.simulation.observe(&mut row).expect("a row");
                        c.simulation.step().expect("a step");
                        (row, crate::errors::state(c))
                    });
                    assert_eq!(a, b, "{coupling}, method {i}, rates {shares:?}, {step} steps later");
                }
            }
        }
    }
}

/// The same behind the C interface, with descriptions that say less.
#[test]
fn fmus_that_say_less_give_the_numbers_of_ours() {
    let annotation: &[&str] = &["getAfterSet"];
    let holding: &[&str] = &["getAfterSet", "canInterpolateInputs"];
    for coupling in Coupling::ALL {
        for (name, schedule) in schedules() {
            let pair = test_pair(coupling, classical(1, schedule.clone()), STEP_S);
            let own = states_by(&pair, &factory::fmu);
            let found = difference(&own, &states_by(&pair, &foreign_fmu(annotation)));
            assert!(found <= 1e-13, "{coupling}, {name}: {found:e}");
            let pair = Pair { method: Method { sub_steps: 4, ..pair.method.clone() }, ..pair };
            let native = states_by(&pair, &foreign(|c| c.can_interpolate_inputs = false));
            let found = states_by(&pair, &foreign_fmu(holding));
            assert_eq!(difference(&native, &found), 0.0, "{coupling}, {name}, held");
        }
    }
}

/// Final values of a system of the two FMUs, written into `folder` with these attributes cut away.
fn final_values(folder: &std::path::Path, attributes: &[&str], options: &[&str]) -> serde_json::Value {
    for model in ["oscillator1_displacement", "oscillator2_force"] {
        std::fs::write(folder.join(format!("{model}.fmu")), cut_fmu(model, attributes)).expect("written");
    }
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/systems/oscillator-f-s.toml");
    let text = std::fs::read_to_string(example).expect("an example");
    let text = text.replace("embedded:oscillator1_displacement", "oscillator1_displacement.fmu");
    std::fs::write(folder.join("s.toml"), text.replace("embedded:oscillator2_force", "oscillator2_force.fmu"))
        .expect("written");
    let left = run::macrostep(folder, &[&["run", "s.toml", "--json", "--stop", "1"], options].concat());
    assert_eq!(left.code, Some(0), "{left:#?}");
    serde_json::from_str::<serde_json::Value>(&left.stdout).expect("JSON")["final"].take()
}

/// As a user runs them: every recorded variable, those that nobody consumes too.
#[test]
fn a_system_of_fmus_that_say_less_ends_as_ours() {
    let folder = make::folder("numerics-run");
    for options in
        [&["--predict", "hold"][..], &["--predict", "quadratic"], &["--predict", "linear", "--correct", "newton"]]
    {
        let own = final_values(&folder, &[], options);
        let cut = final_values(&folder, &["getAfterSet"], options);
        // A jerk follows the rate of the input, which a unit may forget when the input is set.
        let variables = own.as_object().expect("variables").iter().filter(|(name, _)| !name.ends_with(".jerk"));
        for (name, value) in variables {
            let (own, cut) = (value.as_f64().expect("a number"), cut[name].as_f64().expect("a number"));
            assert!((own - cut).abs() <= 1e-11 * own.abs().max(1.0), "{options:?}: `{name}` is {cut}, expected {own}");
        }
    }
}

/// First the unit of measurement, then the connection's own factor and offset: 10 °C in K, times 2 and 1 more.
#[test]
fn a_connection_converts_before_it_scales() {
    let folder = make::folder("numerics-offset");
    let unit = |name: &str, base: &str| format!("<Unit name=\"{name}\"><BaseUnit {base}/></Unit>");
    let units = unit("degC", "K=\"1\" offset=\"273.15\"") + &unit("K", "K=\"1\"");
    let xml = make::XML
        .replace("<Unit name=\"m\"><BaseUnit m=\"1\"/></Unit>", &units)
        .replace("<Real start=\"1\"/>", "<Real start=\"1\" unit=\"K\"/>")
        .replace("<Real start=\"0\" unit=\"m\"/>", "<Real start=\"0\" unit=\"degC\"/>");
    std::fs::write(folder.join("a.fmu"), make::fmu(&xml, &[("AT_EVERY_STEP", "s->u = 0; s->x = 10")]))
        .expect("written");
    std::fs::write(folder.join("b.fmu"), make::fmu(&xml, &[])).expect("written");
    let system = include_str!("../cases/foreign/converted-then-scaled.toml");
    std::fs::write(folder.join("s.toml"), system).expect("written");
    let left = run::macrostep(&folder, &["run", "s.toml", "--json"]);
    assert_eq!(left.code, Some(0), "{left:#?}");
    let end: serde_json::Value = serde_json::from_str(&left.stdout).expect("JSON");
    let value = |name: &str| end["final"][name].as_f64().expect("a number");
    assert_eq!(value("a.x"), 10.0);
    assert!((value("b.u") - (2.0 * 283.15 + 1.0)).abs() < 1e-12, "{}", value("b.u"));
}
