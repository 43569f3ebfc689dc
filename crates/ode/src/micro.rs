//! Integration by micro steps of a fixed length, inputs being polynomials in time.
//!
//! # Equations
//! Semi-implicit Euler, seed eq. (7): v_{k+1} = v_k + h v̇(x_k, v_k, u(τ_k)), x_{k+1} = x_k + h ẋ(x_k, v_{k+1}, u(τ_k)); the
//! input is read at the micro step's start. Classical Runge–Kutta of order 4 reads it at τ_k, τ_k + h/2 and τ_k + h.
//!
//! # Notation
//! | symbol | code | meaning |
//! |---|---|---|
//! | h | `h` | micro step (s) |
//! | τ_k | `tau` | time since the macro step's start, k h, not accumulated (s) |
//! | t_N | `t0` | the macro step's start (s) |

use std::ops::Range;

use crate::{Point, Polynomials, System, Vector};

/// A method for one micro step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Semi-implicit Euler, order 1.
    SemiImplicitEuler,
    /// Classical Runge–Kutta, order 4.
    RungeKutta4,
}

/// How many micro steps of about `h` make a macro step `span`: `round(span/h)`, at least 1. The micro step is then
/// `span` divided by it.
#[inline]
pub fn count(span: f64, h: f64) -> u64 {
    // Saturating: an infinite quotient becomes the largest count, which callers bound.
    (span / h).round().max(1.0) as u64
}

/// Values that do not change in a macro step.
#[derive(Debug, Clone, Copy)]
pub struct Span<'a, E: System> {
    /// Time of its start (s).
    pub t0: f64,
    /// Parameters.
    pub p: E::Parameters<f64>,
    /// Inputs, in the time since its start.
    pub u: &'a Polynomials,
}

/// Advances `z` by the micro steps `steps` of length `h`; step number k starts at τ = k `h` of the macro step.
#[inline]
pub fn advance<E: System>(
    method: Method,
    span: &Span<'_, E>,
    z: E::States<f64>,
    steps: Range<u64>,
    h: f64,
) -> E::States<f64> {
    let times = steps.map(|k| k as f64 * h);
    if span.u.degree() > 0 {
        return walk(method, z, times, h, span.arguments(|tau| inputs::<E>(span.u, tau)));
    }
    // Held inputs are read once.
    let held = inputs::<E>(span.u, 0.0);
    walk(method, z, times, h, span.arguments(|_| held))
}

/// One micro step of length `h` from time `tau` in the macro step.
#[inline]
pub fn step<E: System>(method: Method, span: &Span<'_, E>, z: E::States<f64>, tau: f64, h: f64) -> E::States<f64> {
    walk(method, z, std::iter::once(tau), h, span.arguments(|tau| inputs::<E>(span.u, tau)))
}

#[inline]
fn inputs<E: System>(u: &Polynomials, tau: f64) -> E::Inputs<f64> {
    E::Inputs::<f64>::from_fn(|i| u.value(i, tau))
}

impl<E: System> Span<'_, E> {
    /// The equations' arguments at a state and a time since the start, without the rates of the inputs, which f does not
    /// read.
    #[inline]
    fn arguments(&self, u: impl Fn(f64) -> E::Inputs<f64>) -> impl Fn(E::States<f64>, f64) -> Point<E, f64> {
        let du = E::Inputs::<f64>::from_fn(|_| 0.0);
        move |z, tau| Point { t: self.t0 + tau, p: self.p, z, u: u(tau), du }
    }
}

/// A micro step of length `h` from each of `times`.
#[inline]
fn walk<E: System>(
    method: Method,
    z: E::States<f64>,
    times: impl Iterator<Item = f64>,
    h: f64,
    at: impl Fn(E::States<f64>, f64) -> Point<E, f64>,
) -> E::States<f64> {
    match method {
        Method::SemiImplicitEuler => times.fold(z, |z, tau| semi_implicit_euler(at(z, tau), h)),
        Method::RungeKutta4 => times.fold(z, |z, tau| runge_kutta_4(&at, z, tau, h)),
    }
}

#[inline]
fn semi_implicit_euler<E: System>(mut at: Point<E, f64>, h: f64) -> E::States<f64> {
    // Velocities with everything at the start of the step …
    let rates = E::rates(&at);
    for i in E::POSITIONS..E::States::<f64>::LEN {
        at.z.as_mut_slice()[i] += h * rates.as_slice()[i];
    }
    // … and positions with the new velocities.
    let rates = E::rates(&at);
    for i in 0..E::POSITIONS {
        at.z.as_mut_slice()[i] += h * rates.as_slice()[i];
    }
    at.z
}

#[inline]
fn runge_kutta_4<E: System>(
    point: &impl Fn(E::States<f64>, f64) -> Point<E, f64>,
    z: E::States<f64>,
    tau: f64,
    h: f64,
) -> E::States<f64> {
    let along = |k: E::States<f64>, h: f64| E::States::<f64>::from_fn(|i| z.as_slice()[i] + h * k.as_slice()[i]);
    let k1 = E::rates(&point(z, tau));
    let k2 = E::rates(&point(along(k1, 0.5 * h), tau + 0.5 * h));
    let k3 = E::rates(&point(along(k2, 0.5 * h), tau + 0.5 * h));
    let k4 = E::rates(&point(along(k3, h), tau + h));
    E::States::<f64>::from_fn(|i| {
        let [k1, k2, k3, k4] = [k1, k2, k3, k4].map(|k| k.as_slice()[i]);
        z.as_slice()[i] + h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4)
    })
}
