//! What a declaration of equations becomes, and declarations that are refused.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

use macrostep_description::{BaseUnit, Declared, Kind, ModelDescription, Value};
use macrostep_ode::{Point, Scalar, System};
use macrostep_slave::{Declaration, Equations, Fault, Instance, Ode, Slave, capabilities};

/// ż = u, y = (z, u), declared in one of several ways.
#[derive(Debug)]
struct Declares<const WAY: usize>;

/// The ways; every other one is refused.
const PLAIN: usize = 0;
const WHOLE: usize = 1;

impl<const WAY: usize> System for Declares<WAY> {
    type Parameters<S: Scalar> = [S; 1];
    type States<S: Scalar> = [S; 1];
    type Inputs<S: Scalar> = [S; 1];
    type Outputs<S: Scalar> = [S; 2];
    const POSITIONS: usize = 0;
    const LINEAR: bool = WAY == WHOLE;

    fn start<S: Scalar>(p: &[S; 1]) -> [S; 1] {
        *p
    }
    fn rates<S: Scalar>(at: &Point<Self, S>) -> [S; 1] {
        at.u
    }
    fn outputs<S: Scalar>(at: &Point<Self, S>) -> [S; 2] {
        [at.z[0], at.u[0]]
    }
}

impl<const WAY: usize> Equations for Declares<WAY> {
    const IDENTIFIER: &'static str = "declares";
    const ABOUT: &'static str = "Declared in several ways";

    fn declare(d: &mut Declaration) {
        d.si_units(&["m", "furlong"]);
        d.unit("mm", BaseUnit { m: 1, factor: 1e-3, ..BaseUnit::default() });
        d.parameter(match WAY {
            2 => Declared::parameter("p", 1),
            // A unit that nobody has defined.
            14 => Declared::parameter("p", 1.0).unit("furlong"),
            _ => Declared::parameter("p", 1.0).unit("mm"),
        });
        d.input(if WAY == 3 { Declared::input("u", true) } else { Declared::input("u", 0.0) });
        let z = d.output(Declared::output("z"));
        let y = d.output(if WAY == 4 { Declared::discrete_output("y", 1) } else { Declared::output("y") });
        match WAY {
            WHOLE => {
                d.shows_state(z, 0);
                d.derivative(y, z);
                d.dense(z, "z");
                d.micro_step(0.25);
                d.experiment(1.0, 3.0, 0.5);
            }
            5 => d.parameter(Declared::parameter("q", 1.0)),
            6 => d.input(Declared::input("w", 1.0)),
            7 => drop(d.output(Declared::output("x"))),
            // A derivative of itself, of a later output, and one that is no output.
            8 => d.derivative(y, y),
            9 => d.derivative(z, y),
            10 => d.derivative(2, z),
            // A state that there is not, one shown by no output, and nodes of none.
            11 => d.shows_state(z, 1),
            12 => d.shows_state(2, 0),
            13 => d.dense(2, "nothing"),
            _ => {}
        }
    }
    fn documentation_html() -> String {
        String::new()
    }
}

fn described<E: Equations>() -> Result<ModelDescription, Fault> {
    Instance::<Ode<E>>::describe(None)
}

/// The message of a refused declaration.
fn refused<E: Equations>() -> String {
    match described::<E>() {
        Err(Fault::Declaration(message)) => message,
        other => panic!("{other:?}"),
    }
}

/// Each message says what was found, or what would have been right.
#[test]
fn a_declaration_that_differs_from_the_equations_is_refused() {
    described::<Declares<PLAIN>>().unwrap();
    let kinds = [refused::<Declares<2>>(), refused::<Declares<3>>(), refused::<Declares<4>>()];
    assert!(kinds.iter().all(|m| m.contains("real parameters, inputs and outputs only")), "{kinds:?}");
    assert_eq!(refused::<Declares<5>>(), "2 parameters declared, expected 1");
    assert_eq!(refused::<Declares<6>>(), "2 inputs declared, expected 1");
    assert_eq!(refused::<Declares<7>>(), "3 outputs declared, expected 2");
    let places = [
        [refused::<Declares<8>>(), refused::<Declares<9>>(), refused::<Declares<10>>()],
        [refused::<Declares<11>>(), refused::<Declares<12>>(), refused::<Declares<13>>()],
    ];
    assert!(places.as_flattened().iter().all(|m| m.contains("names no output declared before")), "{places:?}");
    assert!(refused::<Declares<14>>().contains("undefined unit `furlong`"));
}

/// Start value, lowest value and unit.
fn real(d: &ModelDescription, name: &str) -> (Option<f64>, Option<f64>, String) {
    let v = d.variable(name).unwrap();
    (v.start.as_ref().and_then(Value::as_real), v.real().unwrap().min, v.unit().to_owned())
}

/// Start value, lowest and highest value.
fn integer(d: &ModelDescription, name: &str) -> (Option<Value>, Option<i32>, Option<i32>) {
    let v = d.variable(name).unwrap();
    match v.kind {
        Kind::Integer { min, max } | Kind::Enumeration { min, max, .. } => (v.start.clone(), min, max),
        _ => panic!("{name}"),
    }
}

/// Linear equations have one method more, and only dense output asks for nodes.
#[test]
fn parameters_of_integration_follow_the_equations() {
    let (plain, whole) = (described::<Declares<PLAIN>>().unwrap(), described::<Declares<WHOLE>>().unwrap());
    assert_eq!(real(&plain, "micro_step"), (Some(1e-3), Some(1e-12), "s".into()));
    assert_eq!(real(&whole, "micro_step"), (Some(0.25), Some(1e-12), "s".into()));
    assert_eq!(integer(&plain, "integrator"), (Some(Value::Integer(2)), Some(1), Some(2)));
    assert_eq!(integer(&whole, "integrator"), (Some(Value::Integer(2)), Some(1), Some(3)));
    assert!(plain.variable("dense_nodes").is_none());
    assert_eq!(integer(&whole, "dense_nodes"), (Some(Value::Integer(12)), Some(1), Some(20)));
    assert_eq!(real(&whole, "p"), (Some(1.0), None, "mm".into()));
    // The experiment, and which output is the rate of which.
    assert!(plain.default_experiment.is_none());
    let e = whole.default_experiment.as_ref().unwrap();
    assert_eq!((e.start_time, e.stop_time, e.step_size), (Some(1.0), Some(3.0), Some(0.5)));
    let index = |name: &str| whole.variables.iter().position(|v| v.name == name);
    assert_eq!(whole.variable("y").unwrap().real().unwrap().derivative, index("z"));
    assert_eq!(plain.variable("y").unwrap().real().unwrap().derivative, None);
}

/// Units are in the description with their factors to those of the SI, and a name that is none is left out.
#[test]
fn units_are_described() {
    let d = described::<Declares<PLAIN>>().unwrap();
    let unit = |name: &str| d.units.iter().find(|u| u.name == name).map(|u| u.base);
    assert_eq!(unit("mm").flatten().map(|b| (b.m, b.factor)), Some((1, 1e-3)));
    assert_eq!(unit("m").flatten().map(|b| (b.m, b.factor)), Some((1, 1.0)));
    assert!(unit("furlong").is_none());
}

/// Masters read these before they save states, set polynomials or ask for derivatives.
#[test]
fn capabilities_are_described() {
    let d = described::<Declares<PLAIN>>().unwrap();
    let c = d.co_simulation.as_ref().unwrap();
    assert!(c.can_handle_variable_communication_step_size && c.can_interpolate_inputs);
    assert_eq!((c.max_output_derivative_order, c.model_identifier.as_str()), (20, "declares"));
    let same = capabilities();
    for c in [c, &same] {
        assert!(c.can_get_and_set_fmu_state && c.can_serialize_fmu_state && c.provides_directional_derivative);
        assert!(c.can_not_use_memory_management_functions);
    }
    assert!(!same.can_interpolate_inputs && same.max_output_derivative_order == 0);
    // The version, categories of messages, and that outputs follow inputs without a step.
    assert_eq!(d.version.as_deref(), Some(env!("CARGO_PKG_VERSION")));
    let categories: Vec<&str> = d.log_categories.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(categories, ["logStatusError", "logStatusDiscard", "logStatusFatal", "logEvents"]);
    let mut annotations = d.vendor_annotations.iter().flat_map(|a| &a.attributes);
    assert!(annotations.any(|(name, value)| (name.as_str(), value.as_str()) == ("getAfterSet", "true")));
}

/// No states: y = Σ u.
#[derive(Debug)]
struct Sum<const INPUTS: usize, const DENSE: bool>;

impl<const INPUTS: usize, const DENSE: bool> System for Sum<INPUTS, DENSE> {
    type Parameters<S: Scalar> = [S; 1];
    type States<S: Scalar> = [S; 0];
    type Inputs<S: Scalar> = [S; INPUTS];
    type Outputs<S: Scalar> = [S; 1];
    const POSITIONS: usize = 0;
    const LINEAR: bool = true;

    fn start<S: Scalar>(_: &[S; 1]) -> [S; 0] {
        []
    }
    fn rates<S: Scalar>(_: &Point<Self, S>) -> [S; 0] {
        []
    }
    fn outputs<S: Scalar>(at: &Point<Self, S>) -> [S; 1] {
        [at.u.iter().fold(S::from(0.0), |sum, u| sum + *u)]
    }
}

impl<const INPUTS: usize, const DENSE: bool> Equations for Sum<INPUTS, DENSE> {
    const IDENTIFIER: &'static str = "sum";
    const ABOUT: &'static str = "Many inputs";

    fn declare(d: &mut Declaration) {
        d.parameter(Declared::parameter("p", 1.0));
        (0..INPUTS).for_each(|i| d.input(Declared::input(&format!("u{i}"), 0.0)));
        let y = d.output(Declared::output("y"));
        if DENSE {
            d.dense(y, "y");
        }
    }
    fn documentation_html() -> String {
        String::new()
    }
}

/// Without states there is nothing to integrate; dependencies are counted up to 128 knowns.
#[test]
fn a_sum_has_no_integrator_and_at_most_128_knowns() {
    let d = described::<Sum<127, false>>().unwrap();
    assert!(d.variable("integrator").is_none() && d.variable("micro_step").is_none());
    assert_eq!(d.variables.len(), 1 + 127 + 1);
    assert!(refused::<Sum<128, false>>().contains("more than 128"));
    // It computes all the same, and steps.
    let mut s = Instance::<Ode<Sum<3, false>>>::new("sum", None).unwrap();
    let reference = |name: &str| s.description().variable(name).unwrap().value_reference;
    let [first, last, y] = ["u0", "u2", "y"].map(reference);
    s.enter_initialization().unwrap();
    s.exit_initialization().unwrap();
    s.set_real(&[first, last], &[1.5, 4.0]).unwrap();
    s.do_step(0.0, 1.0, true).unwrap();
    let mut found = [f64::NAN];
    s.get_real(&[y], &mut found).unwrap();
    assert_eq!((found, s.time_s(), s.own_step_s()), ([5.5], 1.0, None));
    assert!(refused::<Sum<2, true>>().contains("dense output without states"));
}
