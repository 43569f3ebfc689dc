//! Model exchange: states and derivatives as variables, modes, directional derivatives, and what is refused.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

use macrostep_description::{Declared, Dependencies, DependencyKind, ModelDescription, Unknown};
use macrostep_ode::{Point, Scalar, System};
use macrostep_slave::{Declaration, Equations, Fault, Instance, Ode, Phase, Slave, Snapshot, Tangent};

/// ẇ = u − 2 w, ẋ = v, v̇ = (u − w)/m + t, from w = m, x = x0, v = 0.5. No output shows w; the output v is the rate of x.
#[derive(Debug)]
struct Train;

impl System for Train {
    type Parameters<S: Scalar> = [S; 2];
    type States<S: Scalar> = [S; 3];
    type Inputs<S: Scalar> = [S; 1];
    type Outputs<S: Scalar> = [S; 3];
    const POSITIONS: usize = 0;
    const LINEAR: bool = false;

    fn start<S: Scalar>(p: &[S; 2]) -> [S; 3] {
        [p[0], p[1], S::from(0.5)]
    }
    fn rates<S: Scalar>(at: &Point<Self, S>) -> [S; 3] {
        [at.u[0] - at.z[0] * 2.0, at.z[2], (at.u[0] - at.z[0]) / at.p[0] + at.t]
    }
    fn outputs<S: Scalar>(at: &Point<Self, S>) -> [S; 3] {
        [at.z[1], at.z[2], at.u[0] * at.z[2]]
    }
}

impl Equations for Train {
    const IDENTIFIER: &'static str = "train";
    const ABOUT: &'static str = "A state that no output shows";

    fn declare(d: &mut Declaration) {
        d.parameter(Declared::parameter("m", 2.0));
        d.parameter(Declared::parameter("x0", 1.0));
        d.input(Declared::input("u", 3.0));
        let x = d.output(Declared::output("x").nominal(100.0));
        let v = d.output(Declared::output("v"));
        let power = d.output(Declared::output("power"));
        d.shows_state(x, 1);
        d.shows_state(v, 2);
        d.derivative(v, x);
        d.dense(x, "position");
        d.dense(power, "power");
    }
    fn documentation_html() -> String {
        String::new()
    }
}

type Slaves = Instance<Ode<Train>>;

fn stepped() -> Slaves {
    Instance::new("train", None).unwrap()
}

fn references<const N: usize>(names: [&str; N]) -> [u32; N] {
    let d = Slaves::describe(None).unwrap();
    names.map(|name| d.variable(name).unwrap().value_reference)
}

/// In event mode, at t = 0.
fn initialized() -> Slaves {
    let mut s = stepped().exchanged().unwrap();
    s.setup_experiment(0.0, None, None).unwrap();
    s.enter_initialization().unwrap();
    s.exit_initialization().unwrap();
    s
}

fn continuous() -> Slaves {
    let mut s = initialized();
    s.enter_continuous_time_mode().unwrap();
    s
}

fn derivatives(s: &mut Slaves) -> [f64; 3] {
    let mut found = [f64::NAN; 3];
    s.get_derivatives(&mut found).unwrap();
    found
}

fn states(s: &mut Slaves) -> [f64; 3] {
    let mut found = [f64::NAN; 3];
    s.get_continuous_states(&mut found).unwrap();
    found
}

/// In the order of their derivatives, x, w and v, against the equations by hand.
#[test]
fn derivatives_follow_time_states_inputs_and_start_values() {
    let mut s = continuous();
    assert_eq!((states(&mut s), derivatives(&mut s)), ([1.0, 2.0, 0.5], [0.5, -1.0, 0.5]));
    s.set_time(0.25).unwrap();
    assert_eq!((s.time_s(), derivatives(&mut s)), (0.25, [0.5, -1.0, 0.75]));
    s.set_continuous_states(&[10.0, -1.0, 4.0]).unwrap();
    assert_eq!((states(&mut s), derivatives(&mut s)), ([10.0, -1.0, 4.0], [4.0, 5.0, 2.25]));
    let [u, x, power, rate] = references(["u", "x", "power", "der(v)"]);
    s.set_real(&[u], &[5.0]).unwrap();
    let mut found = [f64::NAN; 3];
    s.get_real(&[x, power, rate], &mut found).unwrap();
    assert_eq!(found, [10.0, 20.0, 3.25]);
    // During initialisation they follow the parameters.
    let mut s = stepped().exchanged().unwrap();
    let [m, x0] = references(["m", "x0"]);
    s.enter_initialization().unwrap();
    s.set_real(&[m, x0], &[4.0, -7.0]).unwrap();
    assert_eq!((states(&mut s), derivatives(&mut s)), ([-7.0, 4.0, 0.5], [0.5, -5.0, -0.25]));
    let mut nominals = [f64::NAN; 3];
    s.get_nominals(&mut nominals).unwrap();
    assert_eq!(nominals, [100.0, 1.0, 1.0]);
}

/// FMI 2.0.5, section 3.2.3: each mode has calls of its own.
#[test]
fn modes_follow_one_another() {
    let refused = |r: Result<(), Fault>| assert!(matches!(r, Err(Fault::NotAllowed { .. })), "{r:?}");
    let mut s = initialized();
    assert_eq!(s.phase(), Phase::EventMode);
    refused(s.enter_event_mode());
    refused(s.completed_integrator_step());
    refused(s.set_continuous_states(&[0.0; 3]));
    refused(s.do_step(0.0, 0.1, true).map(|_| ()));
    s.new_discrete_states().unwrap();
    s.enter_continuous_time_mode().unwrap();
    assert_eq!(s.phase(), Phase::ContinuousTimeMode);
    refused(s.new_discrete_states());
    refused(s.enter_continuous_time_mode());
    s.completed_integrator_step().unwrap();
    s.enter_event_mode().unwrap();
    assert_eq!(s.phase(), Phase::EventMode);
    s.terminate().unwrap();
    refused(s.set_time(1.0));
    assert_eq!(derivatives(&mut s), [0.5, -1.0, 0.5], "readable after termination");
    refused(stepped().exchanged().unwrap().get_derivatives(&mut [0.0; 3]));
}

/// Lengths, numbers that are not finite, indicators of events that do not exist: nothing is changed.
#[test]
fn wrong_lists_and_numbers_are_refused() {
    let mut s = continuous();
    let before = s.memory().clone();
    let is_length = |r: Result<(), Fault>| assert!(matches!(r, Err(Fault::Length { .. })), "{r:?}");
    is_length(s.set_continuous_states(&[0.0; 2]));
    is_length(s.get_continuous_states(&mut [0.0; 4]));
    is_length(s.get_derivatives(&mut [0.0; 2]));
    is_length(s.get_nominals(&mut [0.0; 2]));
    is_length(s.get_event_indicators(&mut [0.0]));
    s.get_event_indicators(&mut []).unwrap();
    let error = s.set_continuous_states(&[0.0, f64::NAN, 0.0]).unwrap_err().to_string();
    assert!(error.contains("`state[1]` = NaN"), "{error}");
    assert!(matches!(s.set_time(f64::INFINITY), Err(Fault::Time { .. })));
    assert_eq!(*s.memory(), before);
}

/// An instance for co-simulation has none of these calls, and a state of one face is none of the other.
#[test]
fn faces_do_not_mix() {
    let other = |r: Result<(), Fault>| assert!(matches!(r, Err(Fault::OtherFace { .. })), "{r:?}");
    let mut s = stepped();
    s.enter_initialization().unwrap();
    other(s.get_derivatives(&mut [0.0; 3]));
    other(s.get_nominals(&mut [0.0; 3]));
    s.exit_initialization().unwrap();
    assert_eq!(s.phase(), Phase::StepComplete);
    other(s.set_time(0.0));
    let (mut ours, mut theirs, mut mode) = (Snapshot::new(), Snapshot::new(), continuous());
    s.save(&mut theirs).unwrap();
    other(mode.restore(&theirs));
    mode.save(&mut ours).unwrap();
    other(s.restore(&ours));
    // One of the same face is.
    mode.set_continuous_states(&[7.0; 3]).unwrap();
    mode.restore(&ours).unwrap();
    assert_eq!((states(&mut mode), mode.phase()), ([1.0, 2.0, 0.5], Phase::ContinuousTimeMode));
}

/// ∂power/∂v = u, ∂v̇/∂w = −1/m, ∂v̇/∂u = 1/m; the state w is known while running, and parameters during initialisation.
#[test]
fn directional_derivatives_reach_states_and_rates() {
    let names = ["m", "u", "x", "v", "power", "state[1]", "der(state[1])", "der(v)", "x_node[3]", "micro_step"];
    let [m, u, x, v, power, w, w_rate, v_rate, node, micro_step] = references(names);
    let slope = |s: &mut Slaves, unknown: u32, known: u32| {
        let mut found = [f64::NAN];
        s.directional_derivative(Tangent::new(&[unknown], &[known], &[2.0], &mut found)).map(|()| found[0])
    };
    let mut s = continuous();
    let pairs = [(power, v, 6.0), (v_rate, w, -1.0), (v_rate, u, 1.0), (w_rate, w, -4.0), (w, w, 2.0), (x, x, 2.0)];
    for (unknown, known, expected) in pairs {
        assert_eq!(slope(&mut s, unknown, known), Ok(expected), "{unknown} {known}");
    }
    // The same known twice counts twice.
    let mut found = [f64::NAN];
    s.directional_derivative(Tangent::new(&[v_rate], &[u, w, u], &[1.0, 3.0, 2.0], &mut found)).unwrap();
    assert_eq!(found, [0.0]);
    // A parameter, an output that shows no state, a rate as known; an input as unknown.
    for (unknown, known) in [(power, m), (x, power), (x, v_rate), (u, v)] {
        assert!(matches!(slope(&mut s, unknown, known), Err(Fault::NotDifferentiable { .. })), "{unknown} {known}");
    }
    let error = slope(&mut s, power, m).unwrap_err().to_string();
    assert!(error.contains("`power` with respect to `m`"), "{error}");
    // w = m at the start, v̇ = (u − m)/m, and nodes are their output; no value follows the micro step.
    let mut s = stepped();
    s.enter_initialization().unwrap();
    let [x0] = references(["x0"]);
    for (unknown, known, expected) in
        [(w, m, 2.0), (v_rate, m, -1.5), (w_rate, m, -4.0), (node, x0, 2.0), (x, micro_step, 0.0)]
    {
        assert_eq!(slope(&mut s, unknown, known), Ok(expected), "{unknown} {known}");
    }
    assert!(slope(&mut s, power, w).is_err(), "a state is no known during initialisation");
    s.exit_initialization().unwrap();
    assert_eq!(slope(&mut s, node, u), Ok(0.0), "it lies inside the last step");
}

fn dependencies(d: &ModelDescription, list: &[Unknown]) -> Vec<(String, Vec<(String, DependencyKind)>)> {
    let name = |i: usize| d.variables[i].name.clone();
    let known = |on: &Dependencies| match on {
        Dependencies::Known(list) => list.iter().map(|(i, kind)| (name(*i), *kind)).collect(),
        other => panic!("{other:?}"),
    };
    list.iter().map(|unknown| (name(unknown.index), known(&unknown.dependencies))).collect()
}

/// Read off the equations: linear with a literal factor, linear with a factor of parameters, and a product of two knowns.
#[test]
fn dependencies_are_those_of_the_equations() {
    use DependencyKind::{Constant, Dependent, Fixed};
    let d = Slaves::describe(None).unwrap();
    let rows = |list: &[(&str, &[(&str, DependencyKind)])]| -> Vec<(String, Vec<(String, DependencyKind)>)> {
        let own = |on: &[(&str, DependencyKind)]| on.iter().map(|(name, kind)| (name.to_string(), *kind)).collect();
        list.iter().map(|(name, on)| (name.to_string(), own(on))).collect()
    };
    let found = dependencies(&d, &d.structure.outputs);
    assert_eq!(
        found[..3],
        rows(&[("x", &[("x", Constant)]), ("v", &[("v", Constant)]), ("power", &[("u", Dependent), ("v", Dependent)])])
    );
    assert!(found[3..].iter().all(|(name, on)| name.contains("_node[") && on.is_empty()), "{found:?}");
    assert_eq!(found.len(), 3 + 2 * 21);
    assert_eq!(
        dependencies(&d, &d.structure.derivatives),
        rows(&[
            ("v", &[("v", Constant)]),
            ("der(state[1])", &[("u", Constant), ("state[1]", Constant)]),
            ("der(v)", &[("u", Fixed), ("state[1]", Fixed)]),
        ])
    );
    // During initialisation parameters and inputs are known, whatever the kind.
    let initially = dependencies(&d, &d.structure.initial_unknowns);
    let of = |name: &str| {
        let found = initially.iter().find(|(unknown, _)| unknown == name).unwrap();
        found.1.iter().map(|(known, _)| known.as_str()).collect::<Vec<_>>()
    };
    assert_eq!([of("x"), of("x_node[20]"), of("state[1]")], [["x0"], ["x0"], ["m"]]);
    assert_eq!((of("v"), of("power"), of("der(v)")), (vec![], vec!["u"], vec!["m", "u"]));
}

/// Nodes against shorter steps of another instance, in the second step: states, inputs, their polynomials and the time go into them.
#[test]
fn nodes_are_where_a_shorter_step_ends() {
    let names = ["u", "integrator", "dense_nodes", "power", "power_node[0]", "x_node[0]"];
    let [u, integrator, nodes, power, first, x_first] = references(names);
    for method in [1, 2] {
        // At 1 s, with an input that rises.
        let begun = || {
            let mut s = stepped();
            s.set_integer(&[integrator, nodes], &[method, 2]).unwrap();
            s.enter_initialization().unwrap();
            s.exit_initialization().unwrap();
            s.do_step(0.0, 1.0, true).unwrap();
            s.set_real(&[u], &[-1.0]).unwrap();
            s.set_real_input_derivatives(&[u], &[1], &[4.0]).unwrap();
            s
        };
        let (mut whole, mut expected) = (begun(), [f64::NAN; 3]);
        whole.do_step(1.0, 0.5, true).unwrap();
        begun().get_real(&[power], &mut expected[..1]).unwrap();
        for (step_s, expected) in [0.25, 0.5].into_iter().zip(&mut expected[1..]) {
            let mut s = begun();
            s.do_step(1.0, step_s, true).unwrap();
            s.get_real(&[power], std::slice::from_mut(expected)).unwrap();
        }
        let mut found = [f64::NAN; 21];
        whole.get_real(&std::array::from_fn::<u32, 21, _>(|i| first + i as u32), &mut found).unwrap();
        for (i, found) in found.iter().enumerate() {
            let expected = expected[i.min(2)];
            assert!((found - expected).abs() < 1e-10, "method {method}, node {i}: {found} {expected}");
        }
    }
    // Before the first step all of them are the output, which follows inputs and parameters of now.
    let (mut s, [m]) = (stepped(), references(["m"]));
    s.enter_initialization().unwrap();
    s.set_real(&[u, m], &[5.0, 8.0]).unwrap();
    let mut found = [f64::NAN; 4];
    s.get_real(&[first, first + 3, first + 20, x_first + 20], &mut found).unwrap();
    assert_eq!(found, [2.5, 2.5, 2.5, 1.0]);
}
