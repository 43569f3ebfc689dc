//! A uniform rod in a vertical plane, hinged at its first end or free, with forces and moments at its ends: what joints between
//! units are tried on.
//!
//! # Equations
//! ```text
//! d = (sin φ, −cos φ),  n = (cos φ, sin φ)                        along the rod and across it
//! r_B = r_A + l d,      v_B = v_A + l ω n,   a_B = a_A + l (α n − ω² d)
//! m l²/3 α = −m g l/2 sin φ + l n·f_B + m_B                       hinged: r_A = (x_0, y_0)
//! m a_C = f_A + f_B − (0, m g)                                    free: r_A = r_C − l/2 d
//! m l²/12 α = l/2 n·(f_B − f_A) + m_A + m_B
//! E = m/2 v_C² + m l²/24 ω² + m g y_C
//! ```
//!
//! # Notation
//! | symbol | code | meaning |
//! |---|---|---|
//! | m, l | `m`, `l` | mass (kg), length (m) |
//! | g | `g` | gravity (m/s²), against y |
//! | φ, ω, α | `phi`, `omega`, `alpha` | angle from the hanging position (rad), its rates |
//! | r_A, v_A, a_A | `x_a`, `vx_a`, `ax_a`, … | motion of the first end (m), (m/s), (m/s²) |
//! | r_B, v_B, a_B | `x_b`, `vx_b`, `ax_b`, … | motion of the second end |
//! | f_A, m_A, f_B, m_B | `fx_a`, `fy_a`, `m_a`, … | force (N) and moment (N·m) on the rod at either end |
//! | E | `energy` | kinetic and potential energy (J) |

use macrostep_description::Declared;
use macrostep_ode::{Point, Scalar, System};
use macrostep_slave::{Declaration, Equations};

/// A rod that turns about its first end.
#[derive(Debug)]
pub struct RodHinged;

/// A rod that flies.
#[derive(Debug)]
pub struct RodFree;

/// Position, velocity and acceleration of a point.
type Motion<S> = [[S; 2]; 3];

/// φ, ω, α.
type Turn<S> = [S; 3];

/// The motion of the point at distance `s` along the rod from one that moves so.
#[inline]
fn along<S: Scalar>([r, v, a]: Motion<S>, [phi, omega, alpha]: Turn<S>, s: S) -> Motion<S> {
    let (d, n) = ([phi.sin(), -phi.cos()], [phi.cos(), phi.sin()]);
    let point = |i: usize| (r[i] + s * d[i], v[i] + s * omega * n[i], a[i] + s * (alpha * n[i] - omega * omega * d[i]));
    let (x, y) = (point(0), point(1));
    [[x.0, y.0], [x.1, y.1], [x.2, y.2]]
}

/// E from mass, length, gravity, the motion of the centre and ω.
#[inline]
fn energy<S: Scalar>([m, l, g]: [S; 3], [r, v, _]: Motion<S>, omega: S) -> S {
    m * (v[0] * v[0] + v[1] * v[1]) * 0.5 + m * l * l * omega * omega / 24.0 + m * g * r[1]
}

impl RodHinged {
    /// α.
    #[inline]
    fn alpha<S: Scalar>(at: &Point<Self, S>) -> S {
        let ([m, l, g, ..], [fx, fy, moment]) = (at.p, at.u);
        let (sin, cos) = (at.z[0].sin(), at.z[0].cos());
        (moment + l * (cos * fx + sin * fy) - m * g * l * sin * 0.5) * 3.0 / (m * l * l)
    }
}

impl System for RodHinged {
    type Parameters<S: Scalar> = [S; 7];
    type States<S: Scalar> = [S; 2];
    type Inputs<S: Scalar> = [S; 3];
    type Outputs<S: Scalar> = [S; 10];
    const POSITIONS: usize = 1;
    const LINEAR: bool = false;

    fn start<S: Scalar>(p: &[S; 7]) -> [S; 2] {
        [p[5], p[6]]
    }

    #[inline]
    fn rates<S: Scalar>(at: &Point<Self, S>) -> [S; 2] {
        [at.z[1], Self::alpha(at)]
    }

    #[inline]
    fn outputs<S: Scalar>(at: &Point<Self, S>) -> [S; 10] {
        let ([m, l, g, x0, y0, ..], [phi, omega], zero) = (at.p, at.z, S::from(0.0));
        let (turn, hinge) = ([phi, omega, Self::alpha(at)], [[x0, y0], [zero; 2], [zero; 2]]);
        let [r, v, a] = along(hinge, turn, l);
        let energy = energy([m, l, g], along(hinge, turn, l * 0.5), omega);
        [turn[0], turn[1], turn[2], r[0], r[1], v[0], v[1], a[0], a[1], energy]
    }
}

impl RodFree {
    /// Acceleration of the centre, and α.
    #[inline]
    fn accelerations<S: Scalar>(at: &Point<Self, S>) -> [S; 3] {
        let ([m, l, g, ..], [fx_a, fy_a, m_a, fx_b, fy_b, m_b]) = (at.p, at.u);
        let (sin, cos) = (at.z[2].sin(), at.z[2].cos());
        let moment = m_a + m_b + l * 0.5 * (cos * (fx_b - fx_a) + sin * (fy_b - fy_a));
        [(fx_a + fx_b) / m, (fy_a + fy_b) / m - g, moment * 12.0 / (m * l * l)]
    }
}

impl System for RodFree {
    type Parameters<S: Scalar> = [S; 9];
    type States<S: Scalar> = [S; 6];
    type Inputs<S: Scalar> = [S; 6];
    type Outputs<S: Scalar> = [S; 16];
    const POSITIONS: usize = 3;
    const LINEAR: bool = false;

    fn start<S: Scalar>(p: &[S; 9]) -> [S; 6] {
        let [_, l, _, x, y, vx, vy, phi, omega] = *p;
        let zero = [S::from(0.0); 2];
        let [r, v, _] = along([[x, y], [vx, vy], zero], [phi, omega, S::from(0.0)], l * 0.5);
        [r[0], r[1], phi, v[0], v[1], omega]
    }

    #[inline]
    fn rates<S: Scalar>(at: &Point<Self, S>) -> [S; 6] {
        let [ax, ay, alpha] = Self::accelerations(at);
        [at.z[3], at.z[4], at.z[5], ax, ay, alpha]
    }

    #[inline]
    fn outputs<S: Scalar>(at: &Point<Self, S>) -> [S; 16] {
        let ([m, l, g, ..], [x, y, phi, vx, vy, omega]) = (at.p, at.z);
        let [ax, ay, alpha] = Self::accelerations(at);
        let (turn, centre) = ([phi, omega, alpha], [[x, y], [vx, vy], [ax, ay]]);
        let [ra, va, aa] = along(centre, turn, l * -0.5);
        let [rb, vb, ab] = along(centre, turn, l * 0.5);
        let ends = [[ra, va, aa], [rb, vb, ab]];
        let end = |i: usize, k: usize| ends[i][k / 2][k % 2];
        let own = [phi, omega, alpha];
        std::array::from_fn(|i| match i {
            0..3 => own[i],
            3..9 => end(0, i - 3),
            9..15 => end(1, i - 9),
            _ => energy([m, l, g], centre, omega),
        })
    }
}

/// Units, mass, length and gravity.
fn declare_body(d: &mut Declaration) {
    d.si_units(&["s", "m", "kg", "rad", "rad/s", "rad/s2", "m/s", "m/s2", "N", "N.m", "J"]);
    d.parameter(Declared::parameter("m", 1.0).unit("kg").range(1e-9, f64::INFINITY).about("mass"));
    d.parameter(Declared::parameter("l", 1.0).unit("m").range(1e-9, f64::INFINITY).about("length"));
    d.parameter(Declared::parameter("g", 9.81).unit("m/s2").about("gravity, against y"));
}

/// Angle and angular velocity at the start.
fn declare_start(d: &mut Declaration) {
    d.parameter(Declared::parameter("phi0", 0.0).unit("rad").about("angle from the hanging position at the start"));
    d.parameter(Declared::parameter("omega0", 0.0).unit("rad/s").about("angular velocity at the start"));
}

/// Force and moment at an end.
fn declare_force(d: &mut Declaration, end: &str) {
    let which = if end == "a" { "first" } else { "second" };
    d.input(Declared::input(&format!("fx_{end}"), 0.0).unit("N").about(&format!("force at the {which} end, x")));
    d.input(Declared::input(&format!("fy_{end}"), 0.0).unit("N").about(&format!("force at the {which} end, y")));
    d.input(Declared::input(&format!("m_{end}"), 0.0).unit("N.m").about(&format!("moment at the {which} end")));
}

/// The angle and its rates.
fn declare_turn(d: &mut Declaration, states: [usize; 2]) {
    let phi = d.output(Declared::output("phi").unit("rad").about("angle from the hanging position"));
    let omega = d.output(Declared::output("omega").unit("rad/s").about("angular velocity"));
    let alpha = d.output(Declared::output("alpha").unit("rad/s2").about("angular acceleration"));
    d.shows_state(phi, states[0]);
    d.shows_state(omega, states[1]);
    d.derivative(omega, phi);
    d.derivative(alpha, omega);
}

/// The motion of an end.
fn declare_end(d: &mut Declaration, end: &str) {
    let which = if end == "a" { "first" } else { "second" };
    let mut outputs = Vec::new();
    for (prefix, unit, about) in [("", "m", "position"), ("v", "m/s", "velocity"), ("a", "m/s2", "acceleration")] {
        for axis in ["x", "y"] {
            let about = format!("{about} of the {which} end, {axis}");
            outputs.push(d.output(Declared::output(&format!("{prefix}{axis}_{end}")).unit(unit).about(&about)));
        }
    }
    for i in 2..6 {
        d.derivative(outputs[i], outputs[i - 2]);
    }
}

fn declare_rest(d: &mut Declaration) {
    d.output(Declared::output("energy").unit("J").about("kinetic and potential energy"));
    d.micro_step(1e-3);
    d.experiment(0.0, 2.0, 1e-2);
}

impl Equations for RodHinged {
    const IDENTIFIER: &'static str = "rod_hinged";
    const ABOUT: &'static str =
        "Uniform rod in a vertical plane, hinged at its first end, with force and moment at the second";

    fn declare(d: &mut Declaration) {
        declare_body(d);
        d.parameter(Declared::parameter("x0", 0.0).unit("m").about("place of the hinge, x"));
        d.parameter(Declared::parameter("y0", 0.0).unit("m").about("place of the hinge, y"));
        declare_start(d);
        declare_force(d, "b");
        declare_turn(d, [0, 1]);
        declare_end(d, "b");
        declare_rest(d);
    }

    fn documentation_html() -> String {
        "<h2>Equations</h2>\n<pre>x_b = x0 + l sin phi,  y_b = y0 - l cos phi\n\
         m l^2/3 alpha = -m g l/2 sin phi + l (cos phi fx_b + sin phi fy_b) + m_b</pre>\n\
         <p>phi is 0 where the rod hangs, and grows towards x.</p>\n"
            .to_string()
    }
}

impl Equations for RodFree {
    const IDENTIFIER: &'static str = "rod_free";
    const ABOUT: &'static str =
        "Uniform rod that moves freely in a vertical plane, with forces and moments at both ends";

    fn declare(d: &mut Declaration) {
        declare_body(d);
        d.parameter(Declared::parameter("x0", 0.0).unit("m").about("place of the first end at the start, x"));
        d.parameter(Declared::parameter("y0", 0.0).unit("m").about("place of the first end at the start, y"));
        d.parameter(Declared::parameter("vx0", 0.0).unit("m/s").about("velocity of the first end at the start, x"));
        d.parameter(Declared::parameter("vy0", 0.0).unit("m/s").about("velocity of the first end at the start, y"));
        declare_start(d);
        declare_force(d, "a");
        declare_force(d, "b");
        declare_turn(d, [2, 5]);
        declare_end(d, "a");
        declare_end(d, "b");
        declare_rest(d);
    }

    fn documentation_html() -> String {
        "<h2>Equations</h2>\n<pre>x_a = x_c - l/2 sin phi,  y_a = y_c + l/2 cos phi\n\
         x_b = x_c + l/2 sin phi,  y_b = y_c - l/2 cos phi\n\
         m dvx_c/dt = fx_a + fx_b,  m dvy_c/dt = fy_a + fy_b - m g\n\
         m l^2/12 alpha = l/2 (cos phi (fx_b - fx_a) + sin phi (fy_b - fy_a)) + m_a + m_b</pre>\n\
         <p>phi is 0 where the rod hangs from its first end, and grows towards x; c is the centre.</p>\n"
            .to_string()
    }
}
