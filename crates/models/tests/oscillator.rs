//! The oscillator models against formulas that are not theirs.

use macrostep_models::{all, case_1, find};
use macrostep_slave::{Slave, Snapshot, Tangent};

/// Value reference of a variable.
fn reference(slave: &dyn Slave, name: &str) -> u32 {
    slave.description().variable(name).unwrap_or_else(|| panic!("`{name}` is declared")).value_reference
}

fn set(slave: &mut dyn Slave, name: &str, value: f64) {
    let r = reference(slave, name);
    slave.set_real(&[r], &[value]).expect("settable");
}

fn get(slave: &mut dyn Slave, name: &str) -> f64 {
    let (r, mut value) = (reference(slave, name), [0.0]);
    slave.get_real(&[r], &mut value).expect("readable");
    value[0]
}

fn set_rate(slave: &mut dyn Slave, name: &str, order: i32, value: f64) {
    let r = reference(slave, name);
    slave.set_real_input_derivatives(&[r], &[order], &[value]).expect("an input");
}

/// An instance before initialisation, with damping everywhere and an integrator (1 semi-implicit Euler, 2 Runge–Kutta,
/// 3 exact).
fn fresh(identifier: &str, integrator: i32) -> Box<dyn Slave> {
    let mut slave = find(identifier).expect("a model").instantiate("test");
    for (name, value) in [("m", 1.5), ("k", 20.0), ("c", 0.3), ("x0", -0.2), ("v0", 0.5), ("k_c", 15.0), ("c_c", 0.5)] {
        if slave.description().variable(name).is_some() {
            set(slave.as_mut(), name, value);
        }
    }
    if slave.description().variable("integrator").is_some() {
        let r = reference(slave.as_ref(), "integrator");
        slave.set_integer(&[r], &[integrator]).expect("settable");
    }
    slave
}

fn initialised(identifier: &str, integrator: i32) -> Box<dyn Slave> {
    let mut slave = fresh(identifier, integrator);
    slave.setup_experiment(0.0, None, None).expect("legal");
    slave.enter_initialization().expect("legal");
    slave.exit_initialization().expect("legal");
    slave
}

/// Input polynomials of some degree, set at the present time.
fn drive(slave: &mut dyn Slave, degree: i32) {
    let inputs: Vec<(u32, usize)> = slave
        .description()
        .variables
        .iter()
        .filter(|v| v.causality == macrostep_description::Causality::Input)
        .enumerate()
        .map(|(i, v)| (v.value_reference, i))
        .collect();
    for (r, i) in inputs {
        slave.set_real(&[r], &[0.3 - 0.2 * i as f64]).expect("settable");
        for order in 1..=degree {
            let value = (1.0 + (i as f64) + 2.0 * f64::from(order)).sin() * 2f64.powi(order);
            slave.set_real_input_derivatives(&[r], &[order], &[value]).expect("an input");
        }
    }
}

const OSCILLATORS: [&str; 4] =
    ["oscillator1_displacement", "oscillator2_displacement", "oscillator1_force", "oscillator2_force"];

#[test]
fn every_declaration_is_legal_and_starts_with_case_1() {
    for entry in all() {
        let description = entry.try_describe().expect("legal");
        let identifier = &description.co_simulation.as_ref().expect("co-simulation").model_identifier;
        assert_eq!(identifier, entry.identifier);
        assert!(entry.documentation_html().contains("<pre>"));
    }
    let case = case_1();
    for (side, identifier) in [(1, "oscillator1_displacement"), (2, "oscillator2_displacement")] {
        let description = find(identifier).expect("a model").describe();
        for (name, value) in case.parameters(side) {
            let start = description.variable(name).and_then(|v| v.start.as_ref()).and_then(|s| s.as_real());
            assert_eq!(start, Some(value), "{identifier}.{name}");
        }
    }
}

#[test]
fn outputs_are_the_equations() {
    for (identifier, sign) in [("oscillator1_displacement", 1.0), ("oscillator2_displacement", -1.0)] {
        let mut s = initialised(identifier, 1);
        let s = s.as_mut();
        for (name, value) in [("xi", 0.4), ("xi_dot", -0.7), ("f_ext", 2.0)] {
            set(s, name, value);
        }
        set_rate(s, "xi_dot", 1, 3.0);
        set_rate(s, "f_ext", 1, 5.0);
        let (x, v) = (-0.2, 0.5);
        let f = sign * (15.0 * (x - 0.4) + 0.5 * (v + 0.7));
        let a = (-20.0 * x - 0.3 * v - sign * f + 2.0) / 1.5;
        let f_rate = sign * (15.0 * (v + 0.7) + 0.5 * (a - 3.0));
        let jerk = (-20.0 * v - 0.3 * a - sign * f_rate + 5.0) / 1.5;
        let expected = [
            ("x", x),
            ("v", v),
            ("a", a),
            ("jerk", jerk),
            ("f_c", f),
            ("e_kin", 0.5 * 1.5 * v * v),
            ("e_pot", 0.5 * 20.0 * x * x),
        ];
        for (name, value) in expected {
            assert!((get(s, name) - value).abs() < 1e-13 * (1.0 + value.abs()), "{identifier}.{name}");
        }
    }
    for (identifier, sign) in [("oscillator1_force", 1.0), ("oscillator2_force", -1.0)] {
        let mut s = initialised(identifier, 1);
        let s = s.as_mut();
        set(s, "f", 4.0);
        assert!((get(s, "a") - (4.0 - 0.15 - sign * 4.0) / 1.5).abs() < 1e-14);
        set_rate(s, "f", 1, 7.0);
        let a = get(s, "a");
        assert!((get(s, "jerk") - (-10.0 - 0.3 * a - sign * 7.0) / 1.5).abs() < 1e-13);
    }
    let mut s = initialised("coupling", 1);
    let s = s.as_mut();
    for (name, value) in [("x1", 0.5), ("v1", 2.0), ("x2", 0.3), ("v2", -1.0)] {
        set(s, name, value);
    }
    assert!((get(s, "f") - (15.0 * 0.2 + 0.5 * 3.0)).abs() < 1e-14);
    assert!((get(s, "e_pot") - 0.5 * 15.0 * 0.04).abs() < 1e-14);
}

#[test]
fn displacement_driven_is_force_driven_with_its_own_force() {
    // One micro step of semi-implicit Euler reads the input once: both kinds must give the same motion.
    for side in [1, 2] {
        let mut d = initialised(&format!("oscillator{side}_displacement"), 1);
        let mut f = initialised(&format!("oscillator{side}_force"), 1);
        for k in 0..50 {
            let t = f64::from(k) * 1e-3;
            set(d.as_mut(), "xi", (3.0 * t).sin());
            set(d.as_mut(), "xi_dot", 3.0 * (3.0 * t).cos());
            let force = get(d.as_mut(), "f_c");
            set(f.as_mut(), "f", force);
            for s in [&mut d, &mut f] {
                s.do_step(t, 1e-3, true).expect("a step");
            }
        }
        assert_eq!(get(d.as_mut(), "x").to_bits(), get(f.as_mut(), "x").to_bits());
    }
}

#[test]
fn directional_derivatives_are_finite_differences() {
    for identifier in OSCILLATORS.into_iter().chain(["coupling"]) {
        let mut s = initialised(identifier, 3);
        let s = s.as_mut();
        drive(s, 2);
        s.do_step(0.0, 0.1, true).expect("a step");
        drive(s, 2);
        let names = |causality| {
            let variables = s.description().variables.iter();
            variables.filter(move |v| v.causality == causality && !v.name.contains('[')).map(|v| v.name.clone())
        };
        let inputs: Vec<String> = names(macrostep_description::Causality::Input).collect();
        let outputs: Vec<String> = names(macrostep_description::Causality::Output).collect();
        for u in &inputs {
            for y in &outputs {
                let (ru, ry, mut found) = (reference(s, u), reference(s, y), [f64::NAN]);
                s.directional_derivative(Tangent::new(&[ry], &[ru], &[2.5], &mut found)).expect("a derivative");
                let at = get(s, u);
                let mut value = |x: f64| {
                    set(s, u, x);
                    get(s, y)
                };
                let difference = 2.5 * (value(at + 1e-3) - value(at - 1e-3)) / 2e-3;
                value(at);
                assert!((found[0] - difference).abs() < 1e-8 * (1.0 + difference.abs()), "{identifier}: ∂{y}/∂{u}");
            }
        }
    }
}

#[test]
fn directional_derivatives_at_the_start_follow_parameters() {
    let mut s = fresh("oscillator1_displacement", 1);
    let s = s.as_mut();
    s.setup_experiment(0.0, None, None).expect("legal");
    s.enter_initialization().expect("legal");
    for known in ["m", "k", "c", "x0", "v0", "k_c", "c_c", "xi"] {
        for unknown in ["a", "jerk", "e_kin", "e_pot", "f_c", "f_c_node[3]"] {
            let (rk, ru, mut found) = (reference(s, known), reference(s, unknown), [f64::NAN]);
            s.directional_derivative(Tangent::new(&[ru], &[rk], &[1.0], &mut found)).expect("a derivative");
            let at = get(s, known);
            let mut value = |x: f64| {
                set(s, known, x);
                get(s, unknown)
            };
            let difference = (value(at + 1e-5) - value(at - 1e-5)) / 2e-5;
            value(at);
            assert!((found[0] - difference).abs() < 1e-7 * (1.0 + difference.abs()), "∂{unknown}/∂{known}");
        }
    }
}

#[test]
fn derivatives_by_states_and_refusals() {
    let mut s = initialised("oscillator1_force", 1);
    let s = s.as_mut();
    let [x, v, a, k] = ["x", "v", "a", "k"].map(|name| reference(s, name));
    let mut found = [0.0];
    s.directional_derivative(Tangent::new(&[a], &[x, v], &[1.0, 2.0], &mut found)).expect("states are known");
    assert!((found[0] - (-20.0 - 0.6) / 1.5).abs() < 1e-14);
    assert!(
        s.directional_derivative(Tangent::new(&[a], &[k], &[1.0], &mut found)).is_err(),
        "fixed after initialisation"
    );
    assert!(
        s.directional_derivative(Tangent::new(&[k], &[x], &[1.0], &mut found)).is_err(),
        "a parameter is no unknown"
    );
}

#[test]
fn output_derivatives_chain_and_agree_with_the_motion() {
    for identifier in OSCILLATORS {
        let mut s = initialised(identifier, 3);
        let s = s.as_mut();
        drive(s, 4);
        let [x, v, a] = ["x", "v", "a"].map(|name| reference(s, name));
        // x^{(n+1)} = v^{(n)}, v^{(n+1)} = a^{(n)}, and v itself is the first derivative of x.
        let mut first = [0.0; 2];
        s.get_real_output_derivatives(&[x, v], &[1, 1], &mut first).expect("derivatives");
        assert_eq!(first, [get(s, "v"), get(s, "a")]);
        let mut series = vec![get(s, "x")];
        for n in 1..=20 {
            let mut found = [0.0; 3];
            s.get_real_output_derivatives(&[x, v, a], &[n, n, n], &mut found).expect("derivatives");
            let (mut next, after) = ([0.0; 2], (n + 1).min(20));
            s.get_real_output_derivatives(&[x, v], &[after, after], &mut next).expect("derivatives");
            if n < 20 {
                assert!(
                    (next[0] - found[1]).abs() <= 1e-11 * found[1].abs()
                        && (next[1] - found[2]).abs() <= 1e-11 * found[2].abs()
                );
            }
            series.push(found[0] / (1..=n).map(f64::from).product::<f64>());
        }
        // The exact step arrives where the series of order 20 says.
        let h = 0.1;
        s.do_step(0.0, h, true).expect("a step");
        let expected = series.iter().rev().fold(0.0, |sum, c| sum * h + c);
        assert!((get(s, "x") - expected).abs() < 1e-14, "{identifier}: {} {expected}", get(s, "x"));
    }
}

#[test]
fn integrators_agree_in_the_limit() {
    let mut ends = Vec::new();
    for (integrator, micro) in [(1, 1e-5), (2, 1e-3), (3, 1.0)] {
        let mut s = fresh("oscillator2_displacement", integrator);
        set(s.as_mut(), "micro_step", micro);
        s.setup_experiment(0.0, None, None).expect("legal");
        s.enter_initialization().expect("legal");
        s.exit_initialization().expect("legal");
        drive(s.as_mut(), 5);
        s.do_step(0.0, 0.5, true).expect("a step");
        ends.push(get(s.as_mut(), "x"));
    }
    assert!((ends[0] - ends[2]).abs() < 1e-4 && (ends[0] - ends[2]).abs() > 1e-9, "{ends:?}");
    assert!((ends[1] - ends[2]).abs() < 1e-11, "{ends:?}");
}

#[test]
fn an_input_that_is_not_set_goes_on_along_its_polynomial() {
    let end = |steps: u32| {
        let mut s = initialised("oscillator1_displacement", 3);
        drive(s.as_mut(), 6);
        let h = 0.4 / f64::from(steps);
        for k in 0..steps {
            s.do_step(f64::from(k) * h, h, true).expect("a step");
        }
        (get(s.as_mut(), "x"), get(s.as_mut(), "xi"), get(s.as_mut(), "jerk"))
    };
    let (one, four) = (end(1), end(4));
    assert!((one.0 - four.0).abs() < 1e-13 && (one.1 - four.1).abs() < 1e-13 && (one.2 - four.2).abs() < 1e-10);
    // … and a Set ends it, in whatever order value and derivative come.
    let run = |value_first: bool| {
        let mut s = initialised("oscillator1_force", 3);
        drive(s.as_mut(), 6);
        s.do_step(0.0, 0.1, true).expect("a step");
        if value_first {
            set(s.as_mut(), "f", 1.0);
        }
        set_rate(s.as_mut(), "f", 1, 2.0);
        if !value_first {
            set(s.as_mut(), "f", 1.0);
        }
        s.do_step(0.1, 0.1, true).expect("a step");
        (get(s.as_mut(), "f"), get(s.as_mut(), "x"))
    };
    assert_eq!(run(true), run(false));
    assert!((run(true).0 - 1.2).abs() < 1e-15);
}

#[test]
fn dense_output_is_the_motion_inside_the_step() {
    for integrator in [1, 2, 3] {
        for identifier in OSCILLATORS {
            let mut s = initialised(identifier, integrator);
            let s = s.as_mut();
            let h = 0.0203;
            drive(s, 3);
            s.do_step(0.0, h, true).expect("a step");
            drive(s, 3);
            let mut start = Snapshot::new();
            s.save(&mut start).expect("a state");
            s.do_step(h, h, true).expect("a step");
            let node = |s: &mut dyn Slave, name: &str, i: usize| get(s, &format!("{name}[{i}]"));
            let nodes: Vec<(f64, f64)> = (0..=20).map(|i| (node(s, "x_node", i), node(s, "v_node", i))).collect();
            let forces: Option<Vec<f64>> =
                identifier.contains("displacement").then(|| (0..=20).map(|i| node(s, "f_c_node", i)).collect());
            // The default q is 12, and the last node is the end of the step.
            assert!(nodes[12..].iter().all(|n| *n == (get(s, "x"), get(s, "v"))));
            for i in 0..=12 {
                let tau = h * macrostep_ode::lobatto_node(i, 12);
                s.restore(&start).expect("a state");
                if tau > 0.0 {
                    s.do_step(h, tau, true).expect("a step");
                }
                let tolerance = if integrator == 1 {
                    2e-4
                } else if integrator == 2 {
                    1e-12
                } else {
                    1e-14
                };
                assert!((nodes[i].0 - get(s, "x")).abs() < tolerance, "{identifier} {integrator} node {i}");
                assert!((nodes[i].1 - get(s, "v")).abs() < 20.0 * tolerance);
                if let Some(forces) = &forces {
                    assert!((forces[i] - get(s, "f_c")).abs() < 30.0 * tolerance);
                }
            }
        }
    }
}

#[test]
fn dense_output_with_micro_steps_passes_through_them() {
    // q = 2 and 8 micro steps: the middle node is the end of the fourth.
    for integrator in [1, 2] {
        let mut s = fresh("oscillator1_force", integrator);
        let s = s.as_mut();
        let q = reference(s, "dense_nodes");
        s.set_integer(&[q], &[2]).expect("settable");
        set(s, "micro_step", 0.125);
        s.setup_experiment(0.0, None, None).expect("legal");
        s.enter_initialization().expect("legal");
        s.exit_initialization().expect("legal");
        let mut start = Snapshot::new();
        s.save(&mut start).expect("a state");
        s.do_step(0.0, 1.0, true).expect("a step");
        let middle = get(s, "x_node[1]");
        s.restore(&start).expect("a state");
        s.do_step(0.0, 0.5, true).expect("a step");
        assert_eq!(middle.to_bits(), get(s, "x").to_bits());
    }
}

#[test]
fn dependencies_are_minimal() {
    use macrostep_description::Dependencies::Known;
    let names = |identifier: &str, output: &str| -> Vec<String> {
        let d = find(identifier).expect("a model").describe();
        let index = d.variables.iter().position(|v| v.name == output).expect("an output");
        let unknown = d.structure.outputs.iter().find(|u| u.index == index).expect("listed");
        match &unknown.dependencies {
            Known(list) => list.iter().map(|(i, _)| d.variables[*i].name.clone()).collect(),
            other => panic!("{other:?}"),
        }
    };
    // Inputs, and states, which are known as well.
    assert_eq!(names("oscillator1_force", "x"), ["x"]);
    assert_eq!(names("oscillator1_force", "a"), ["f", "f_ext", "x", "v"]);
    assert_eq!(names("oscillator1_displacement", "f_c"), ["xi", "xi_dot", "x", "v"]);
    assert_eq!(names("oscillator1_displacement", "e_kin"), ["v"]);
    assert_eq!(names("free_ball", "v"), ["p", "state[1]"]);
    assert_eq!(names("oscillator1_displacement", "f_c_node[3]"), [""; 0]);
    assert_eq!(names("coupling", "e_pot"), ["x1", "x2"]);
}
