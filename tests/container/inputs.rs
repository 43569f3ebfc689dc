//! Inputs from outside: polynomials, and values of other types; derivatives of outputs.

use macrostep_import::fmu::{Fmu, FmuOptions};
use macrostep_master::unit::{Derivatives, States, Steps, Tangent, Unit, Values};

use super::{Instance, empty, exported};

const ALONE: &str = include_str!("../cases/container/alone.toml");

/// A polynomial over one outer step of 20 windows is what the FMU itself makes of it in one step.
#[test]
fn derivatives_of_inputs_reach_the_units() {
    let folder = empty("polynomials");
    std::fs::write(folder.join("alone.toml"), ALONE).expect("a scenario");
    let fmu = exported(&folder, "alone.toml", &[]);
    let mut outer = Instance::begun(&fmu, None);
    let bytes = macrostep::embedded::fmu("oscillator2_force").expect("the FMU");
    let bare = Fmu::from_bytes("bare", bytes).expect("the FMU");
    let mut unit = bare.instantiate("mass", &FmuOptions::default()).expect("an instance");
    let reference = |name: &str| bare.description().variable(name).expect("a variable").value_reference;
    unit.setup(0.0, None, None).expect("set up");
    unit.set_integer(&[reference("integrator")], &[3]).expect("exact");
    unit.enter_initialization().expect("initialisation");
    unit.exit_initialization().expect("initialised");
    let f = outer.reference("mass.f");
    for n in 0..10 {
        let (t_s, value) = (0.02 * f64::from(n), 100.0 - 30.0 * f64::from(n));
        let (orders, derivatives) = ([1, 2, 3], [4e3, -2e5, 7e6]);
        outer.unit.set_real(&[f], &[value]).expect("set");
        outer.unit.set_input_derivatives(&[f; 3], &orders, &derivatives).expect("set");
        unit.set_real(&[reference("f")], &[value]).expect("set");
        unit.set_input_derivatives(&[reference("f"); 3], &orders, &derivatives).expect("set");
        outer.step(0.02);
        unit.step(t_s, 0.02, true).expect("a step");
        let mut x = [0.0; 3];
        unit.get_real(&["x", "v", "a"].map(reference), &mut x).expect("got");
        for (name, x) in ["mass.x", "mass.v", "mass.a"].into_iter().zip(x) {
            let found = outer.get(name);
            assert!((found - x).abs() <= 1e-11 * x.abs().max(1.0), "{name} at step {n}: {found} and {x}");
        }
        // Derivatives of outputs are those of the unit.
        let (x_outer, mut a, mut b) = (outer.reference("mass.x"), [0.0; 2], [0.0; 2]);
        outer.unit.get_output_derivatives(&[x_outer; 2], &[1, 2], &mut a).expect("derivatives");
        unit.get_output_derivatives(&[reference("x"); 2], &[1, 2], &mut b).expect("derivatives");
        assert!(
            (a[0] - b[0]).abs() <= 1e-11 * b[0].abs().max(1.0) && (a[1] - b[1]).abs() <= 1e-10 * b[1].abs().max(1.0)
        );
    }
}

/// An output with direct feed-through follows an input that is set, without a step.
#[test]
fn outputs_follow_inputs_at_once() {
    let folder = empty("at-once");
    std::fs::write(folder.join("alone.toml"), ALONE).expect("a scenario");
    let fmu = exported(&folder, "alone.toml", &[]);
    let mut outer = Instance::begun(&fmu, None);
    outer.step(0.01);
    let (x, a) = (outer.get("mass.x"), outer.get("mass.a"));
    outer.set("mass.f", 50.0);
    assert_eq!(outer.get("mass.x").to_bits(), x.to_bits());
    let moved = outer.get("mass.a") - a;
    outer.set("mass.f", 100.0);
    assert!(moved != 0.0 && (outer.get("mass.a") - a - 2.0 * moved).abs() < 1e-9 * moved.abs());
}

/// Directional derivatives are those of the equations, through a connection too, and leave no trace.
#[test]
fn outputs_have_directional_derivatives_by_inputs() {
    let folder = empty("directional");
    // The force of the spring between the masses goes on to the second mass at once.
    let text = include_str!("../cases/container/chain-with-inputs.toml");
    std::fs::write(folder.join("chain.toml"), text).expect("a scenario");
    let fmu = exported(&folder, "chain.toml", &[]);
    let co = fmu.description().co_simulation.as_ref().expect("co-simulation");
    assert!(co.provides_directional_derivative);
    let (mut asked, mut left) = (Instance::begun(&fmu, None), Instance::begun(&fmu, None));
    for n in 0..20 {
        for outer in [&mut asked, &mut left] {
            outer.set("spring.xi", 1e-3 * f64::from(n * n));
            outer.set("spring.xi_dot", 0.2 * f64::from(n));
            outer.step(1e-2);
        }
        let unknown = ["spring.f_c", "mass.x", "mass.a"].map(|name| asked.reference(name));
        let known = ["spring.xi", "spring.xi_dot", "mass.f_ext"].map(|name| asked.reference(name));
        let mut out = [f64::NAN; 3];
        asked.unit.directional(Tangent::new(&unknown, &known, &[1.0, 10.0, 100.0], &mut out)).expect("derivatives");
        let f = -(700.0 + 30.0);
        let expected = [f, 0.0, (f + 100.0) / 4.0];
        for (found, expected) in out.into_iter().zip(expected) {
            assert!((found - expected).abs() <= 1e-9 * f.abs(), "{found}, expected {expected}");
        }
        for name in ["spring.f_c", "mass.x", "mass.a"] {
            assert_eq!(asked.get(name).to_bits(), left.get(name).to_bits(), "{name} at step {n}");
        }
    }
}

/// Held inputs are extrapolated where that is asked for: the bits are those of the derivatives that an outer master would give.
#[test]
fn held_inputs_are_extrapolated() {
    let folder = empty("extrapolated");
    std::fs::write(folder.join("alone.toml"), ALONE).expect("a scenario");
    // Times that are whole in binary, so that slopes are the same to the bit.
    let fmu = exported(&folder, "alone.toml", &["--step", "0.0009765625"]);
    let step_s = 0.015_625;
    let begun = |extrapolates: bool| {
        let mut outer = Instance::new(&fmu, None);
        let reference = outer.reference("extrapolate");
        outer.unit.set_boolean(&[reference], &[extrapolates]).expect("set");
        outer.begin();
        outer
    };
    let names = ["mass.x", "mass.v", "mass.a"].map(str::to_owned);
    let force = |n: i32| 1e3 * (0.3 * f64::from(n)).sin();
    let (mut held, mut given, mut left) = (begun(true), begun(false), begun(false));
    let mut other = begun(true);
    let f = held.reference("mass.f");
    for n in 0..30 {
        // A force that stands still for some steps too.
        let (value, before) = (force(n.min(20)), force((n - 1).clamp(0, 20)));
        let slope = if n == 0 { 0.0 } else { (value - before) / step_s };
        for outer in [&mut held, &mut given, &mut left] {
            outer.set("mass.f", value);
        }
        given.unit.set_input_derivatives(&[f], &[1], &[slope]).expect("set");
        // Back, and into another instance, before and after a step.
        held.unit.save(0).expect("saved");
        held.step(step_s);
        held.unit.restore(0).expect("restored");
        held.now_s = given.now_s;
        [&mut held, &mut given, &mut left].into_iter().for_each(|outer| outer.step(step_s));
        let bytes = held.unit.serialize().expect("bytes");
        other.unit.deserialize(&bytes).expect("taken up");
        assert_eq!(held.row(&names), given.row(&names), "step {n}");
        assert_eq!(other.row(&names), given.row(&names), "step {n}");
    }
    assert_ne!(left.row(&names), given.row(&names));
}
