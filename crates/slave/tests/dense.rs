//! Values inside a step: dense outputs of an oscillator against its solution, by micro steps and exactly.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

use macrostep_description::Declared;
use macrostep_ode::{Point, Scalar, System};
use macrostep_slave::{Declaration, Equations, Instance, Ode, Slave, Tangent};

/// ẍ = −k x + u, from x = 1 at rest.
#[derive(Debug)]
struct Swing;

impl System for Swing {
    type Parameters<S: Scalar> = [S; 1];
    type States<S: Scalar> = [S; 2];
    type Inputs<S: Scalar> = [S; 1];
    type Outputs<S: Scalar> = [S; 2];
    const POSITIONS: usize = 1;
    const LINEAR: bool = true;

    fn start<S: Scalar>(_: &[S; 1]) -> [S; 2] {
        [S::from(1.0), S::from(0.0)]
    }
    fn rates<S: Scalar>(at: &Point<Self, S>) -> [S; 2] {
        [at.z[1], at.u[0] - at.p[0] * at.z[0]]
    }
    fn outputs<S: Scalar>(at: &Point<Self, S>) -> [S; 2] {
        [at.z[0], at.z[1]]
    }
}

impl Equations for Swing {
    const IDENTIFIER: &'static str = "swing";
    const ABOUT: &'static str = "An oscillator with dense outputs";

    fn declare(d: &mut Declaration) {
        d.parameter(Declared::parameter("k", 9.0));
        d.input(Declared::input("u", 0.0));
        let x = d.output(Declared::output("x"));
        let v = d.output(Declared::output("v"));
        d.shows_state(x, 0);
        d.shows_state(v, 1);
        d.dense(x, "position inside the step");
        d.dense(v, "speed inside the step");
        d.micro_step(1e-3);
    }
    fn documentation_html() -> String {
        String::new()
    }
}

/// Two steps of unequal length with another constant input each; nodes of the second are those of Chebyshev and Lobatto.
#[test]
fn nodes_inside_a_step_are_on_the_solution() {
    for (integrator, tolerance) in [(2, 1e-10), (3, 1e-13)] {
        let mut s = Instance::<Ode<Swing>>::new("swing", None).unwrap();
        let reference = |name: &str| s.description().variable(name).unwrap().value_reference;
        let [u, which, nodes, x, v] = ["u", "integrator", "dense_nodes", "x", "v"].map(reference);
        let all: Vec<u32> =
            s.description().variables.iter().filter(|v| v.name.contains('[')).map(|v| v.value_reference).collect();
        assert_eq!(all.len(), 42);
        s.set_integer(&[which, nodes], &[integrator, 5]).unwrap();
        s.setup_experiment(0.0, None, None).unwrap();
        s.enter_initialization().unwrap();
        s.exit_initialization().unwrap();
        s.do_step(0.0, 0.2, true).unwrap();
        s.set_real(&[u], &[4.5]).unwrap();
        s.do_step(0.2, 0.3, true).unwrap();
        // x = u/k + (x0 − u/k) cos ωt + v0/ω sin ωt from the end of the first step.
        let (x0, v0) = (0.6_f64.cos(), -3.0 * 0.6_f64.sin());
        let at = |t: f64| {
            let (sin, cos) = (3.0 * t).sin_cos();
            [0.5 + (x0 - 0.5) * cos + v0 / 3.0 * sin, -3.0 * (x0 - 0.5) * sin + v0 * cos]
        };
        let mut found = vec![f64::NAN; 42];
        s.get_real(&all, &mut found).unwrap();
        for (i, (a, b)) in found[..21].iter().zip(&found[21..]).enumerate() {
            let t_s = 0.3 * 0.5 * (1.0 - (std::f64::consts::PI * i.min(5) as f64 / 5.0).cos());
            let [x, v] = at(t_s);
            assert!(
                (a - x).abs() < tolerance && (b - v).abs() < 10.0 * tolerance,
                "{integrator}, node {i}: {a} {x}, {b} {v}"
            );
        }
        // A node inside the last step does not follow present states; the output does.
        let mut slopes = [f64::NAN; 3];
        s.directional_derivative(Tangent::new(&[x, v, all[21]], &[x], &[2.0], &mut slopes)).unwrap();
        assert_eq!(slopes, [2.0, 0.0, 0.0]);
    }
}

/// At the end of initialisation, with these parameters.
fn begin(s: &mut Instance<Ode<Swing>>, k: f64) -> [u32; 3] {
    let reference = |name: &str| s.description().variable(name).unwrap().value_reference;
    let [p, u, x, integrator] = ["k", "u", "x", "integrator"].map(reference);
    s.set_real(&[p], &[k]).unwrap();
    s.set_integer(&[integrator], &[3]).unwrap();
    s.setup_experiment(0.0, None, None).unwrap();
    s.enter_initialization().unwrap();
    s.exit_initialization().unwrap();
    [u, x, p]
}

/// x = cos ωt, exactly, whatever lengths the steps have: more of them than are kept, each of them twice, and for other parameters
/// after a reset.
#[test]
fn exact_steps_of_many_lengths() {
    let mut s = Instance::<Ode<Swing>>::new("swing", None).unwrap();
    for k in [9.0_f64, 4.0] {
        let [_, x, _] = begin(&mut s, k);
        let mut t_s = 0.0;
        for i in (0..40).chain(0..40) {
            let step_s = 0.01 + 0.001 * f64::from(i);
            s.do_step(t_s, step_s, true).unwrap();
            t_s += step_s;
            let mut found = [f64::NAN];
            s.get_real(&[x], &mut found).unwrap();
            let expected = (k.sqrt() * t_s).cos();
            assert!((found[0] - expected).abs() < 1e-12, "t = {t_s}: {found:?} {expected}");
        }
        s.reset().unwrap();
    }
}

/// A line as input after a constant one, over a step of the same length: x = u/k + A cos ωτ + B/ω sin ωτ.
#[test]
fn exact_steps_follow_the_degree_of_inputs() {
    let mut s = Instance::<Ode<Swing>>::new("swing", None).unwrap();
    let [u, x, _] = begin(&mut s, 9.0);
    s.do_step(0.0, 0.25, true).unwrap();
    s.set_real(&[u], &[1.5]).unwrap();
    s.set_real_input_derivatives(&[u], &[1], &[6.0]).unwrap();
    s.do_step(0.25, 0.25, true).unwrap();
    let (sin, cos) = 0.75_f64.sin_cos();
    let (x0, v0) = (cos, -3.0 * sin);
    let expected = (1.5 + 6.0 * 0.25) / 9.0 + (x0 - 1.5 / 9.0) * cos + (v0 - 6.0 / 9.0) / 3.0 * sin;
    let mut found = [f64::NAN];
    s.get_real(&[x], &mut found).unwrap();
    assert!((found[0] - expected).abs() < 1e-13, "{found:?} {expected}");
}

/// A matrix that has no exponential in floating point: the step says so, and the instance has failed.
#[test]
fn an_exact_step_without_an_exponential_fails() {
    let mut s = Instance::<Ode<Swing>>::new("swing", None).unwrap();
    begin(&mut s, 1e300);
    let error = s.do_step(0.0, 1e10, true).unwrap_err().to_string();
    assert!(error.contains("the matrix exponential of a step of 10000000000 s does not exist"), "{error}");
    assert_eq!(s.phase(), macrostep_slave::Phase::Error);
}
