//! One mass of the two-mass oscillator, with its spring and damper to the ground.
//!
//! # Equations
//! ```text
//! ẋ = v,   v̇ = a = (−k x − c v − σ f^c + f_ext)/m
//! jerk = (−k v − c a − σ ḟ^c + ḟ_ext)/m
//! E_kin = m v²/2,   E_pot = k x²/2
//! ```
//! f^c and ḟ^c as the [`Drive`] has them. The energy of the coupling spring belongs to the coupling: the sum of E_kin and
//! E_pot over both masses and the coupling's k_c (x₁ − x₂)²/2 is the energy of the oscillator.
//!
//! # Notation
//! | symbol | code | meaning |
//! |---|---|---|
//! | x, v, a, jerk | `x`, `v`, `a`, `jerk` | displacement (m) and its time derivatives |
//! | m, k, c | `m`, `k`, `c` | mass (kg), stiffness (N/m), damping (N·s/m) |
//! | f_ext | `f_ext` | external force, positive along x (N) |
//! | σ | `SIGN` | +1 for mass 1, −1 for mass 2 |
//!
//! Reference: [LIM 2021], eq. (1), (2) and (8).

use std::marker::PhantomData;

use macrostep_description::Declared;
use macrostep_ode::{Point, Scalar, System, Vector};
use macrostep_slave::{Declaration, Equations};

use crate::{Drive, case_1};

/// Mass `SIDE` (1 or 2), driven by `D`.
#[derive(Debug)]
pub struct Oscillator<D, const SIDE: usize>(PhantomData<D>);

impl<D: Drive, const SIDE: usize> Oscillator<D, SIDE> {
    /// σ: the force on the mass is −σ f^c.
    const SIGN: f64 = if SIDE == 1 { 1.0 } else { -1.0 };

    /// f^c and a.
    #[inline]
    fn force_and_acceleration<S: Scalar>(at: &Point<Self, S>) -> (S, S) {
        let (p, u, [x, v]) = (at.p.as_slice(), at.u.as_slice(), at.z);
        let [m, k, c, ..] = p else { unreachable!("an oscillator has m, k and c") };
        let force = D::force(Self::SIGN, p, u, x, v);
        let external = u[u.len() - 1];
        (force, (external - *k * x - *c * v - force * Self::SIGN) / *m)
    }
}

impl<D: Drive, const SIDE: usize> System for Oscillator<D, SIDE> {
    type Parameters<S: Scalar> = D::Parameters<S>;
    type States<S: Scalar> = [S; 2];
    type Inputs<S: Scalar> = D::Inputs<S>;
    type Outputs<S: Scalar> = D::Outputs<S>;
    const POSITIONS: usize = 1;
    const LINEAR: bool = D::LINEAR;

    fn start<S: Scalar>(p: &D::Parameters<S>) -> [S; 2] {
        [p.as_slice()[3], p.as_slice()[4]]
    }

    #[inline]
    fn rates<S: Scalar>(at: &Point<Self, S>) -> [S; 2] {
        [at.z[1], Self::force_and_acceleration(at).1]
    }

    #[inline]
    fn outputs<S: Scalar>(at: &Point<Self, S>) -> D::Outputs<S> {
        let (p, u, du, [x, v]) = (at.p.as_slice(), at.u.as_slice(), at.du.as_slice(), at.z);
        let (m, k, c) = (p[0], p[1], p[2]);
        let (force, a) = Self::force_and_acceleration(at);
        let force_rate = D::force_rate(Self::SIGN, p, u, du, [x, v, a]);
        let jerk = (du[du.len() - 1] - k * v - c * a - force_rate * Self::SIGN) / m;
        let y = [x, v, a, jerk, m * v * v * 0.5, k * x * x * 0.5, force];
        D::Outputs::<S>::from_fn(|i| y[i])
    }
}

impl<D: Drive, const SIDE: usize> Equations for Oscillator<D, SIDE> {
    const IDENTIFIER: &'static str = D::IDENTIFIERS[SIDE - 1];
    const ABOUT: &'static str = D::ABOUT[SIDE - 1];

    fn declare(d: &mut Declaration) {
        // Units, in the order in which the description has them.
        d.si_units(&["s", "kg", "m", "m/s", "m/s2", "m/s3", "N", "N/m", "N.s/m"]);
        if !D::LINEAR {
            d.si_units(&["N/m3"]);
        }
        d.si_units(&["J"]);
        // Parameters start as in case 1 of the benchmark.
        let start = case_1().oscillators[SIDE - 1];
        let parameter = Declared::parameter;
        d.parameter(parameter("m", start.m).unit("kg").range(1e-9, f64::INFINITY).about("mass"));
        d.parameter(parameter("k", start.k).unit("N/m").about("stiffness to the ground"));
        d.parameter(parameter("c", start.c).unit("N.s/m").about("damping to the ground"));
        d.parameter(parameter("x0", start.x0).unit("m").about("displacement at the start"));
        d.parameter(parameter("v0", start.v0).unit("m/s").about("velocity at the start"));
        D::declare_parameters(d);
        D::declare_inputs(d);
        d.input(Declared::input("f_ext", 0.0).unit("N").about("external force, positive along x"));
        // Motion and energies; displacement and velocity are the states.
        let x = d.output(Declared::output("x").unit("m").about("displacement"));
        let v = d.output(Declared::output("v").unit("m/s").about("velocity"));
        let a = d.output(Declared::output("a").unit("m/s2").about("acceleration"));
        let jerk = d.output(Declared::output("jerk").unit("m/s3").about("rate of the acceleration"));
        d.output(Declared::output("e_kin").unit("J").about("kinetic energy"));
        d.output(Declared::output("e_pot").unit("J").about("potential energy of the spring to the ground"));
        d.shows_state(x, 0);
        d.shows_state(v, 1);
        for (derivative, of) in [(v, x), (a, v), (jerk, a)] {
            d.derivative(derivative, of);
        }
        d.dense(x, "displacement");
        d.dense(v, "velocity");
        // The force, where the coupling spring belongs to this mass.
        if D::OWNS_COUPLING {
            let about = match D::HARDENING {
                None => "coupling force k_c (x1 - x2) + c_c (v1 - v2)",
                Some(_) => "coupling force k_c (x1 - x2) + k_3 (x1 - x2)^3 + c_c (v1 - v2)",
            };
            let force = d.output(Declared::output("f_c").unit("N").about(about));
            d.dense(force, "coupling force");
        }
        d.micro_step(1e-3);
        d.experiment(0.0, 10.0, 1e-3);
    }

    fn documentation_html() -> String {
        // The coupling as this side has it.
        let (sign, other) = if SIDE == 1 { ("-", 2) } else { ("+", 1) };
        let drive = if D::OWNS_COUPLING {
            let law = if SIDE == 1 {
                "f_c = k_c (x - xi) + c_c (v - xi_dot)\nd f_c/dt = k_c (v - xi_dot) + c_c (a - xi_ddot)"
            } else {
                "f_c = k_c (xi - x) + c_c (xi_dot - v)\nd f_c/dt = k_c (xi_dot - v) + c_c (xi_ddot - a)"
            };
            // What a spring that hardens has besides.
            let hardening = D::HARDENING.map_or_else(String::new, |[force, rate]| {
                let d = if SIDE == 1 { "x - xi" } else { "xi - x" };
                format!("<p>The spring hardens: with d = {d} the force has {force} besides, and its rate {rate}.</p>\n")
            });
            format!(
                "<p>The coupling belongs to this model; <code>xi</code> and <code>xi_dot</code> are displacement and \
                 velocity of mass {other}, and <code>xi_ddot</code> is the first derivative given for \
                 <code>xi_dot</code>, zero if none was given. <code>f_c</code> feeds through.</p>\n<pre>{law}</pre>\n{hardening}"
            )
        } else {
            D::SOURCE.to_string()
        };
        // Equations, integration and dense output.
        format!(
            "<h2>Equations</h2>\n<pre>dx/dt = v\ndv/dt = a = (-k x - c v {sign} f_c + f_ext)/m\n\
             jerk = (-k v - c a {sign} d f_c/dt + d f_ext/dt)/m\ne_kin = m v^2/2\ne_pot = k x^2/2</pre>\n{drive}\
             <h2>Integration</h2>\n<p>A macro step H is divided into n = round(H/h) micro steps, at least one, of length \
             H/n. Semi-implicit Euler: v := v + h a, then x := x + h v, inputs read at the micro step's start. \
             Runge-Kutta 4: inputs read at the stages. Exact: the matrix exponential over the whole macro step. Inputs \
             are polynomials in time of degree up to 20.</p>\n<h2>Dense output</h2>\n<p>x_node[i], v_node[i] (and \
             f_c_node[i]) are values at t + H (1 - cos(pi i/q))/2 inside the last step, i = 0 ... q with q = dense_nodes; \
             entries beyond q repeat the last.</p>\n<p>Source: Co-simulation benchmarks: Linear oscillator, \
             Laboratorio de Ingenieria Mecanica, Universidade da Coruna, 2021.</p>\n"
        )
    }
}
