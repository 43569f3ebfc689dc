//! Integrators against closed forms: orders, exactness, series of outputs.

use macrostep_ode::exact::{LinearMap, Propagator};
use macrostep_ode::micro::{self, Method, Span};
use macrostep_ode::{Dual, Matrix, Point, Polynomials, Scalar, System, Taylor, Trace, output_series, phi_functions};

/// ẍ + c ẋ + k x = u(t) + b, p = (k, c, b), y = (x, ẋ, ẍ).
#[derive(Debug)]
struct Mass;

impl System for Mass {
    type Parameters<S: Scalar> = [S; 3];
    type States<S: Scalar> = [S; 2];
    type Inputs<S: Scalar> = [S; 1];
    type Outputs<S: Scalar> = [S; 3];
    const POSITIONS: usize = 1;
    const LINEAR: bool = true;

    fn start<S: Scalar>(_: &[S; 3]) -> [S; 2] {
        [S::from(0.0); 2]
    }
    fn rates<S: Scalar>(at: &Point<Self, S>) -> [S; 2] {
        let ([k, c, b], [x, v]) = (at.p, at.z);
        [v, at.u[0] + b - k * x - c * v]
    }
    fn outputs<S: Scalar>(at: &Point<Self, S>) -> [S; 3] {
        [at.z[0], at.z[1], Self::rates(at)[1]]
    }
}

/// The solution at `t`, by undetermined coefficients and the three cases of damping.
fn closed_form([k, c, b]: [f64; 3], z: [f64; 2], g: &[f64], t: f64) -> [f64; 2] {
    let mut particular = vec![0.0; g.len() + 2];
    for j in (0..g.len()).rev() {
        let (n, force) = (j as f64, g[j] + if j == 0 { b } else { 0.0 });
        particular[j] = (force - c * (n + 1.0) * particular[j + 1] - (n + 2.0) * (n + 1.0) * particular[j + 2]) / k;
    }
    let value = |t: f64| particular.iter().rev().fold(0.0, |sum, a| sum * t + a);
    let rate = |t: f64| particular.iter().enumerate().skip(1).rev().fold(0.0, |sum, (j, a)| sum * t + j as f64 * a);
    let (x, v) = (z[0] - value(0.0), z[1] - rate(0.0));
    let (d, discriminant) = (0.5 * c, 0.25 * c * c - k);
    // Cosine-like and sine-like fundamental solutions of the system shifted by d.
    let (cosine, sine, derivative_of_cosine) = if discriminant < 0.0 {
        let w = (-discriminant).sqrt();
        ((w * t).cos(), (w * t).sin() / w, -w * (w * t).sin())
    } else if discriminant == 0.0 {
        (1.0, t, 0.0)
    } else {
        let w = discriminant.sqrt();
        ((w * t).cosh(), (w * t).sinh() / w, w * (w * t).sinh())
    };
    let decay = (-d * t).exp();
    let y = v + d * x;
    let position = decay * (x * cosine + y * sine);
    [position + value(t), decay * (x * derivative_of_cosine + y * cosine) - d * position + rate(t)]
}

fn polynomials(g: &[f64]) -> Polynomials {
    let mut u = Polynomials::new(1);
    for (j, coefficient) in g.iter().enumerate() {
        u.set(0, j, *coefficient);
    }
    u
}

fn exact(p: [f64; 3], mut z: [f64; 2], u: &Polynomials, h: f64) -> [f64; 2] {
    let map = LinearMap::of::<Mass>(&p);
    Propagator::new(&map, h, u.degree()).expect("finite").advance(&map, u, &mut z);
    z
}

const DAMPINGS: [(&str, [f64; 3]); 5] = [
    ("undamped", [1010.0, 0.0, 0.7]),
    ("underdamped", [110.0, 0.3, 0.7]),
    ("critically damped", [4.0, 4.0, 0.7]),
    ("overdamped", [4.0, 9.0, 0.7]),
    ("strongly overdamped", [400.0, 120.0, 0.7]),
];

#[test]
fn exact_steps_follow_the_closed_form() {
    let g = [0.4, -1.3, 0.8, 2.1];
    for (name, p) in DAMPINGS {
        for h in [1e-4, 1e-2, 0.2, 1.0] {
            let z = [0.3, -1.1];
            let (found, expected) = (exact(p, z, &polynomials(&g), h), closed_form(p, z, &g, h));
            let scale = [1.0, p[0].sqrt().max(1.0)];
            for i in 0..2 {
                let error = (found[i] - expected[i]).abs() / scale[i];
                assert!(error < 1e-13, "{name}, h = {h}, component {i}: {} {}", found[i], expected[i]);
            }
        }
    }
}

#[test]
fn forcing_of_degree_twenty_is_exact() {
    let g: Vec<f64> = (0..=20).map(|j| (1.0 + j as f64).sin()).collect();
    // A free mass: the polynomial integrated twice.
    let h: f64 = 0.9;
    let found = exact([0.0, 0.0, 0.0], [0.2, -0.4], &polynomials(&g), h);
    let term = |j: usize| g[j] * h.powi(j as i32 + 2) / ((j + 1) * (j + 2)) as f64;
    let expected = 0.2 - 0.4 * h + (0..=20).map(term).sum::<f64>();
    assert!((found[0] - expected).abs() < 1e-14, "{} {expected}", found[0]);
    // One step is two half steps.
    for (name, p) in DAMPINGS {
        let z = [0.3, -1.1];
        let mut u = polynomials(&g);
        let whole = exact(p, z, &u, h);
        let half = exact(p, z, &u, 0.5 * h);
        u.shift(0.5 * h);
        let twice = exact(p, half, &u, 0.5 * h);
        for i in 0..2 {
            let scale = if i == 0 { 1.0 } else { p[0].sqrt().max(1.0) };
            assert!((whole[i] - twice[i]).abs() < 2e-13 * scale, "{name}: {whole:?} {twice:?}");
        }
    }
}

/// Error of a method at t = 1 with n micro steps, against the closed form.
fn error(method: Method, n: u64) -> f64 {
    let (p, z, g) = ([40.0, 0.6, 0.2], [0.3, -1.1], [0.4, -1.3, 0.8, 2.1]);
    let u = polynomials(&g);
    let start = Span::<Mass> { t0: 0.0, p, u: &u };
    let found = micro::advance(method, &start, z, 0..n, 1.0 / n as f64);
    let expected = closed_form(p, z, &g, 1.0);
    (0..2).map(|i| (found[i] - expected[i]).abs()).fold(0.0, f64::max)
}

#[test]
fn orders_of_the_micro_integrators() {
    for (method, order) in [(Method::SemiImplicitEuler, 1.0), (Method::RungeKutta4, 4.0)] {
        for n in [200, 400] {
            let observed = (error(method, n) / error(method, 2 * n)).log2();
            assert!((observed - order).abs() < 0.15, "{method:?}, n = {n}: order {observed}, expected {order}");
        }
    }
}

#[test]
fn semi_implicit_euler_is_equation_7() {
    let (p, z, g, h) = ([40.0, 0.6, 0.2], [0.3, -1.1], [0.4, -1.3], 1e-2);
    let u = polynomials(&g);
    let start = Span::<Mass> { t0: 0.0, p, u: &u };
    let (mut x, mut v) = (z[0], z[1]);
    for k in 0..100 {
        // The input is read at the start of the micro step.
        let input = g[0] + g[1] * (k as f64 * h);
        v += h * (input + p[2] - p[0] * x - p[1] * v);
        x += h * v;
    }
    let found = micro::advance(Method::SemiImplicitEuler, &start, z, 0..100, h);
    assert!((found[0] - x).abs() < 1e-15 && (found[1] - v).abs() < 1e-14, "{found:?} {x} {v}");
}

#[test]
fn number_of_micro_steps() {
    for (span, h, expected) in
        [(1e-3, 1e-3, 1), (1e-2, 1e-3, 10), (1e-5, 1e-3, 1), (1.4e-3, 1e-3, 1), (1.6e-3, 1e-3, 2)]
    {
        assert_eq!(micro::count(span, h), expected);
    }
}

#[test]
fn series_of_outputs_are_derivatives_of_the_closed_form() {
    let (p, z, g) = ([4.0, 0.6, 0.2], [0.3, -1.1], [0.4, -1.3, 0.8, 2.1]);
    let y = output_series::<Mass>(0.0, &p, &z, &polynomials(&g), 20);
    // The series of order 20 sums to the solution, in value and velocity, and ẍ is the derivative of ẋ.
    let t: f64 = 0.4;
    let expected = closed_form(p, z, &g, t);
    for i in 0..2 {
        let sum = (0..=20).rev().fold(0.0, |sum, j| sum * t + y[i].coefficient(j));
        assert!((sum - expected[i]).abs() < 1e-13, "{sum} {}", expected[i]);
    }
    for j in 0..20 {
        let derivative = (j + 1) as f64 * y[1].coefficient(j + 1);
        assert!((derivative - y[2].coefficient(j)).abs() < 1e-12 * (1.0 + derivative.abs()));
    }
}

/// ẍ = t + u, y = (|x|, u̇, t u): time, a branch and the rate of an input.
#[derive(Debug)]
struct Clock;

/// |x| by a branch.
fn magnitude<S: Scalar>(x: S) -> S {
    if x.value() < 0.0 { -x } else { x }
}

impl System for Clock {
    type Parameters<S: Scalar> = [S; 0];
    type States<S: Scalar> = [S; 2];
    type Inputs<S: Scalar> = [S; 1];
    type Outputs<S: Scalar> = [S; 3];
    const POSITIONS: usize = 1;
    const LINEAR: bool = false;

    fn start<S: Scalar>(_: &[S; 0]) -> [S; 2] {
        [S::from(0.0); 2]
    }
    fn rates<S: Scalar>(at: &Point<Self, S>) -> [S; 2] {
        [at.z[1], at.t + at.u[0]]
    }
    fn outputs<S: Scalar>(at: &Point<Self, S>) -> [S; 3] {
        [magnitude(at.z[0]), at.du[0], at.t * at.u[0]]
    }
}

/// From t = 2 with u = 1 + 3 τ: x = 1.5 τ² + 4 τ³/6 and ẋ = 3 τ + 2 τ², which Runge–Kutta has without an error.
#[test]
fn micro_steps_follow_time() {
    let u = polynomials(&[1.0, 3.0]);
    let span = Span::<Clock> { t0: 2.0, p: [], u: &u };
    let exact = |tau: f64| [1.5 * tau * tau + 4.0 * tau.powi(3) / 6.0, 3.0 * tau + 2.0 * tau * tau];
    let close = |found: [f64; 2], expected: [f64; 2]| {
        assert!((0..2).all(|i| (found[i] - expected[i]).abs() < 1e-14), "{found:?} {expected:?}");
    };
    close(micro::advance(Method::RungeKutta4, &span, [0.0; 2], 0..4, 0.25), exact(1.0));
    // The later steps alone, and one step from a time of its own.
    close(micro::advance(Method::RungeKutta4, &span, exact(0.5), 2..4, 0.25), exact(1.0));
    close(micro::step(Method::RungeKutta4, &span, exact(0.5), 0.5, 0.75), exact(1.25));
    // Semi-implicit Euler reads time and input at the start of its step.
    close(micro::step(Method::SemiImplicitEuler, &span, [1.0, 2.0], 0.5, 0.25), [1.0 + 0.25 * 3.25, 3.25]);
    // An input that is held.
    let held = polynomials(&[4.0]);
    let span = Span::<Clock> { t0: -1.0, p: [], u: &held };
    close(micro::advance(Method::RungeKutta4, &span, [0.0; 2], 0..2, 1.0), [4.0 * 2.0 - 2.0 + 8.0 / 6.0, 6.0 + 2.0]);
}

/// By hand, from u = 1 + 3 τ + 5 τ³ at t = 2, x = −1 and ẋ = 0.5.
#[test]
fn series_of_outputs_follow_time_branches_and_rates_of_inputs() {
    let y = output_series::<Clock>(2.0, &[], &[-1.0, 0.5], &polynomials(&[1.0, 3.0, 0.0, 5.0]), 5);
    let first = |y: &Taylor| [0, 1, 2, 3, 4, 5, 6].map(|j| y.coefficient(j));
    let close = |found: [f64; 7], expected: [f64; 7]| {
        assert!((0..7).all(|j| (found[j] - expected[j]).abs() < 1e-15), "{found:?} {expected:?}");
    };
    close(first(&y[0]), [1.0, -0.5, -1.5, -2.0 / 3.0, 0.0, -0.25, 0.0]);
    close(first(&y[1]), [3.0, 0.0, 15.0, 0.0, 0.0, 0.0, 0.0]);
    close(first(&y[2]), [2.0, 7.0, 3.0, 10.0, 5.0, 0.0, 0.0]);
    // The rate of a polynomial of degree 20 ends at τ¹⁹.
    let g: Vec<f64> = (0..=20).map(|j| 1.0 + j as f64).collect();
    let y = output_series::<Clock>(0.0, &[], &[0.0; 2], &polynomials(&g), 20);
    for j in 0..=20 {
        let expected = if j < 20 { (j as f64 + 1.0) * (j as f64 + 2.0) } else { 0.0 };
        assert_eq!(y[1].coefficient(j), expected, "{j}");
    }
}

/// Equations with branches take the same one in each arithmetic.
#[test]
fn branches_go_by_values() {
    for x in [-2.0, 3.0_f64] {
        let sign = x.signum();
        assert_eq!(magnitude(x), x.abs());
        assert_eq!(magnitude(Dual::new(x, 0.5)), Dual::new(x.abs(), 0.5 * sign));
        assert_eq!(magnitude(Trace::known(3, x)).value(), x.abs());
        let series = magnitude(Taylor::new(1, |j| [x, 7.0][j]));
        assert_eq!([series.coefficient(0), series.coefficient(1)], [x.abs(), 7.0 * sign]);
    }
}

/// A propagator serves its own length, and inputs up to its degree; what has no exponential in floating point has none.
#[test]
fn propagators_serve_what_they_were_made_for() {
    let map = LinearMap::of::<Mass>(&[4.0, 0.6, 0.2]);
    let propagator = Propagator::new(&map, 0.25, 2).expect("finite");
    let served = [(0.25, 0), (0.25, 2), (0.25, 3), (0.26, 2)].map(|(h, degree)| propagator.serves(h, degree));
    assert_eq!(served, [true, true, false, false]);
    assert!(Propagator::new(&map, f64::INFINITY, 0).is_none());
    let one = |x: f64| phi_functions(&Matrix::from_fn(1, |_, _| x), 0);
    assert!(one(-2f64.powi(60)).is_some_and(|phi| phi[0].at(0, 0) == 0.0));
    assert!(one(-2f64.powi(61)).is_none());
}
