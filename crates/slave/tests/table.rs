//! When variables may be set, derivatives of inputs of each order, and directional derivatives (FMI 2.0.5, section 4.2.4).
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

use std::path::Path;

use macrostep_description::{Builder, CoSimulation, Declared, Initial, Kind, ModelDescription};
use macrostep_ode::{Point, Scalar, System};
use macrostep_slave::{
    Declaration, Equations, Fault, Group, Instance, Memory, Model, Ode, Outcome, Shape, Slave, Span, Tangent,
};

/// A parameter whose start value is exact, one whose start value is a guess, and one that is calculated.
struct Guess;

const EXACT: u32 = 0;
const APPROX: u32 = 1;
const CALCULATED: u32 = 2;
const U: u32 = 3;

impl Model for Guess {
    fn declare(_: Option<&Path>) -> Result<(Self, ModelDescription), Fault> {
        let mut b = Builder::new("guess", "Has start values of all kinds");
        b.capabilities(CoSimulation { can_interpolate_inputs: true, ..CoSimulation::default() });
        for name in ["exact", "approx", "calculated"] {
            b.add(Declared::parameter(name, 1.0));
        }
        b.add(Declared::input("u", 0.0));
        b.add(Declared::parameter("count", 1));
        let mut description = b.finish().map_err(|e| Fault::Declaration(e.to_string()))?;
        description.variables[APPROX as usize].initial = Some(Initial::Approx);
        description.variables[CALCULATED as usize].initial = Some(Initial::Calculated);
        // Bounded on one side.
        description.variables[4].kind = Kind::Integer { min: Some(1), max: None };
        Ok((Guess, description))
    }

    fn shape(&self) -> Shape {
        Shape { hidden_reals: 1, hidden_integers: 0 }
    }

    fn initialise(&mut self, _: &mut Memory) -> Result<(), Fault> {
        Ok(())
    }

    /// Keeps the input at the end of the step.
    fn step(&mut self, memory: &mut Memory, span: Span) -> Result<Outcome, Fault> {
        memory.hidden_reals[0] = memory.last_inputs.value(0, span.step_s);
        Ok(Outcome::Done)
    }

    fn evaluate(&mut self, memory: &mut Memory, _: Group) -> Result<(), Fault> {
        memory.reals[CALCULATED as usize] = memory.hidden_reals[0];
        Ok(())
    }

    fn output_derivatives(&mut self, _: &Memory, _: &[u32], _: &[i32], _: &mut [f64]) -> Result<(), Fault> {
        Ok(())
    }

    fn directional_derivative(&mut self, _: &Memory, _: Tangent<'_>) -> Result<(), Fault> {
        Ok(())
    }
}

/// A guess is settable before initialisation only, and a calculated value never.
#[test]
fn start_values_may_be_set_as_their_initial_says() {
    let mut s = Instance::<Guess>::new("guess", None).unwrap();
    let may = |s: &mut Instance<Guess>, what: u32| match s.set_real(&[what], &[2.0]) {
        Ok(()) => true,
        Err(Fault::NotSettable { .. }) => false,
        Err(other) => panic!("{other}"),
    };
    let all = [EXACT, APPROX, CALCULATED, U];
    assert_eq!(all.map(|v| may(&mut s, v)), [true, true, false, true], "instantiated");
    s.setup_experiment(0.0, None, None).unwrap();
    s.enter_initialization().unwrap();
    assert_eq!(all.map(|v| may(&mut s, v)), [true, false, false, true], "initialization mode");
    s.exit_initialization().unwrap();
    assert_eq!(all.map(|v| may(&mut s, v)), [false, false, false, true], "step complete");
}

/// u(τ) = Σ u⁽ʲ⁾ τʲ/j!, with derivatives of orders 1 to 6 one at a time and all at once.
#[test]
fn derivatives_of_inputs_are_those_of_a_taylor_series() {
    let (mut s, tau) = (Instance::<Guess>::new("guess", None).unwrap(), 0.5_f64);
    s.setup_experiment(0.0, None, None).unwrap();
    s.enter_initialization().unwrap();
    s.exit_initialization().unwrap();
    let mut t_s = 0.0;
    let mut end = |orders: &[i32]| {
        let values: Vec<f64> = orders.iter().map(|j| 3.0 + f64::from(*j)).collect();
        s.set_real(&[U], &[0.25]).unwrap();
        s.set_real_input_derivatives(&vec![U; orders.len()], orders, &values).unwrap();
        s.do_step(t_s, tau, true).unwrap();
        t_s += tau;
        let mut found = [f64::NAN];
        s.get_real(&[CALCULATED], &mut found).unwrap();
        found[0]
    };
    let factorial = |j: i32| (1..=j).map(f64::from).product::<f64>();
    let term = |j: &i32| (3.0 + f64::from(*j)) * tau.powi(*j) / factorial(*j);
    let all = [1, 2, 3, 4, 5, 6];
    for j in all {
        let found = end(&[j]);
        assert!((found - 0.25 - term(&j)).abs() < 1e-15, "order {j}: {found}");
    }
    let found = end(&all);
    assert!((found - 0.25 - all.iter().map(term).sum::<f64>()).abs() < 1e-14, "{found}");
}

/// y = u u̇ + p z, ż = u.
#[derive(Debug)]
struct Product;

impl System for Product {
    type Parameters<S: Scalar> = [S; 1];
    type States<S: Scalar> = [S; 1];
    type Inputs<S: Scalar> = [S; 1];
    type Outputs<S: Scalar> = [S; 2];
    const POSITIONS: usize = 0;
    const LINEAR: bool = false;

    fn start<S: Scalar>(p: &[S; 1]) -> [S; 1] {
        [p[0] * p[0]]
    }
    fn rates<S: Scalar>(at: &Point<Self, S>) -> [S; 1] {
        [at.u[0]]
    }
    fn outputs<S: Scalar>(at: &Point<Self, S>) -> [S; 2] {
        [at.u[0] * at.du[0] + at.p[0] * at.z[0], at.z[0]]
    }
}

impl Equations for Product {
    const IDENTIFIER: &'static str = "product";
    const ABOUT: &'static str = "An output that takes the rate of its input";

    fn declare(d: &mut Declaration) {
        d.parameter(Declared::parameter("p", 2.0));
        d.input(Declared::input("u", 3.0));
        d.output(Declared::output("y"));
        let z = d.output(Declared::output("z"));
        d.shows_state(z, 0);
        d.micro_step(1e-2);
    }
    fn documentation_html() -> String {
        String::new()
    }
}

/// ∂y/∂u = u̇, which is zero where the rates of inputs are forgotten; ∂y/∂z = p; ∂y/∂p = z + p ∂z/∂p during initialisation.
#[test]
fn directional_derivatives_take_the_rates_of_inputs() {
    let mut s = Instance::<Ode<Product>>::new("product", None).unwrap();
    let reference = |name: &str| s.description().variable(name).unwrap().value_reference;
    let [p, u, y, z] = ["p", "u", "y", "z"].map(reference);
    let slope = |s: &mut Instance<Ode<Product>>, known: u32| {
        let mut slope = [f64::NAN];
        s.directional_derivative(Tangent::new(&[y], &[known], &[2.0], &mut slope)).map(|()| slope[0] / 2.0)
    };
    s.setup_experiment(0.0, None, None).unwrap();
    s.enter_initialization().unwrap();
    assert_eq!(slope(&mut s, p).unwrap(), 12.0);
    assert!(slope(&mut s, z).is_err());
    s.exit_initialization().unwrap();
    s.set_real(&[u], &[3.0]).unwrap();
    s.set_real_input_derivatives(&[u], &[1], &[7.0]).unwrap();
    assert_eq!((slope(&mut s, u).unwrap(), slope(&mut s, z).unwrap()), (7.0, 2.0));
    assert!(slope(&mut s, p).is_err());
    // Derivatives in time: ż = u, z̈ = u̇.
    let mut rates = [f64::NAN; 2];
    s.get_real_output_derivatives(&[z, z], &[1, 2], &mut rates).unwrap();
    assert_eq!(rates, [3.0, 7.0]);
}

/// A bound on one side is kept, and an error has the variable's name.
#[test]
fn an_integer_below_its_bound_is_refused_by_name() {
    let mut s = Instance::<Guess>::new("guess", None).unwrap();
    s.set_integer(&[0], &[1_000_000]).unwrap();
    let error = s.set_integer(&[0], &[0]).unwrap_err().to_string();
    assert!(error.contains("`count`"), "{error}");
    s.enter_initialization().unwrap();
    let mut found = [0];
    s.get_integer(&[0], &mut found).unwrap();
    assert_eq!(found, [1_000_000]);
}

/// Another micro step after a reset gives the bits of a new instance, and others than the micro step before.
#[test]
fn micro_steps_are_divided_anew() {
    let run = |s: &mut Instance<Ode<Product>>, micro_step_s: f64| {
        let reference = |name: &str| s.description().variable(name).unwrap().value_reference;
        let [u, z, micro, integrator] = ["u", "z", "micro_step", "integrator"].map(reference);
        s.set_real(&[micro], &[micro_step_s]).unwrap();
        // Semi-implicit Euler, whose order shows.
        s.set_integer(&[integrator], &[1]).unwrap();
        s.setup_experiment(0.0, None, None).unwrap();
        s.enter_initialization().unwrap();
        s.exit_initialization().unwrap();
        s.set_real_input_derivatives(&[u], &[6], &[1e6]).unwrap();
        s.do_step(0.0, 0.5, true).unwrap();
        let mut found = [f64::NAN];
        s.get_real(&[z], &mut found).unwrap();
        found[0]
    };
    let new = || Instance::<Ode<Product>>::new("product", None).unwrap();
    let mut used = new();
    let coarse = run(&mut used, 0.5);
    used.reset().unwrap();
    let fine = run(&mut used, 5e-4);
    assert_eq!(fine.to_bits(), run(&mut new(), 5e-4).to_bits());
    // z = z0 + 3 t + 1e6 t⁷/7!, of first order in the micro step.
    let exact = 4.0 + 1.5 + 1e6 * 0.5_f64.powi(7) / 5040.0;
    assert!((fine - exact).abs() < 2e-2 && (coarse - exact).abs() > 1.0, "{coarse} {fine} {exact}");
}

/// Steps that a model of equations cannot make: more micro steps than anyone waits for, and states that are no numbers any more.
#[test]
fn steps_that_cannot_be_made_fail() {
    let ready = || {
        let mut s = Instance::<Ode<Product>>::new("product", None).unwrap();
        s.enter_initialization().unwrap();
        s.exit_initialization().unwrap();
        s
    };
    let mut s = ready();
    assert_eq!(s.own_step_s(), Some(1e-2));
    let error = s.do_step(0.0, 1e7, true).unwrap_err().to_string();
    assert!(error.contains("1000000000 micro steps found, expected at most 100000000"), "{error}");
    let mut s = ready();
    let u = s.description().variable("u").unwrap().value_reference;
    s.set_real(&[u], &[1e306]).unwrap();
    s.do_step(0.0, 1.0, true).unwrap();
    let error = s.do_step(1.0, 1000.0, true).unwrap_err().to_string();
    assert!(error.contains("the states left the finite numbers in a step of 1000 s"), "{error}");
    assert_eq!(s.phase(), macrostep_slave::Phase::Error);
}

/// The number of micro steps, with the cost of each, and what is left over of a run.
#[test]
fn spans_are_divided() {
    let span = |step_s| Span { start_s: 2.0, step_s };
    assert_eq!([1.0, 1.04, 1.06, 0.01].map(|h| span(h).micro_steps(0.1, 1)), [10, 10, 11, 1].map(Ok));
    assert_eq!([0, 1, 10_000_000].map(|work| span(1.0).micro_steps(0.1, work)), [Ok(10), Ok(10), Ok(10)]);
    assert!(matches!(span(1.1).micro_steps(0.1, 10_000_000), Err(Fault::Model { t_s: 2.0, .. })));
    assert_eq!([0.9e-7, 1.1e-7, 0.1].map(|h| span(h).is_remainder(0.1)), [true, false, false]);
}

/// The status of the C function, and the name of the other version's function in its place.
#[test]
fn faults_of_calls_are_renamed_and_sorted() {
    let mut s = Instance::<Guess>::new("guess", None).unwrap();
    let range = s.set_integer(&[0], &[0]).unwrap_err();
    let order = s.set_real_input_derivatives(&[U], &[21], &[0.0]).unwrap_err();
    assert!(range.is_discard() && !order.is_discard());
    let text = order.in_call("fmi3SetFloat64").to_string();
    assert!(text.starts_with("fmi3SetFloat64: order 21 of `u` found"), "{text}");
    assert_eq!(range.clone().in_call("fmi3SetInt32"), range);
    assert!(Fault::Unavailable { call: "f", message: "not now" }.is_discard());
}
