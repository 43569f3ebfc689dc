//! A ball in free fall, and the ground under it: a system that is divided at a contact.
//!
//! # Equations
//! ```text
//! ball:    ḣ = v,   v̇ = a = f/m − g,   v = w + p/m,   ẇ = a
//! ground:  z̈ = −ω² z,   p⁺ = p − (1 + e) m (v − ż)
//! ```
//! The ball has no contact: it falls until it is given another momentum p, the sum of all impulses so far. The ground says what
//! p is after an impact at this instant, by Newton's law of restitution: v⁺ − ż = −e (v⁻ − ż). Who couples the two says when that is.
//!
//! # Notation
//! | symbol | code | meaning |
//! |---|---|---|
//! | h, v, a | `height`, `v`, `a` | height (m) and its time derivatives |
//! | w | | velocity without the impulses (m/s) |
//! | p, p⁺ | `p`, `p_after` | sum of all impulses before and after an impact, positive upwards (N·s) |
//! | f | `f` | force, positive upwards (N) |
//! | m, g | `m`, `g` | mass (kg), gravity (m/s²) |
//! | z, ż | `z`, `z_rate` | height of the ground (m) and its rate |
//! | e, ω | `restitution`, `omega` | coefficient of restitution, angular frequency of the ground (rad/s) |
//!
//! Reference: \[Pfeiffer 1996\], Newton's law of impact.

use macrostep_description::Declared;
use macrostep_ode::{Point, Scalar, System};
use macrostep_slave::{Declaration, Equations};

/// A ball in free fall.
#[derive(Debug)]
pub struct FreeBall;

/// The ground that a ball falls on.
#[derive(Debug)]
pub struct ImpactGround;

impl System for FreeBall {
    type Parameters<S: Scalar> = [S; 4];
    type States<S: Scalar> = [S; 2];
    type Inputs<S: Scalar> = [S; 2];
    type Outputs<S: Scalar> = [S; 4];
    const POSITIONS: usize = 1;
    const LINEAR: bool = false;

    fn start<S: Scalar>(p: &[S; 4]) -> [S; 2] {
        [p[2], p[3]]
    }

    #[inline]
    fn rates<S: Scalar>(at: &Point<Self, S>) -> [S; 2] {
        let ([m, g, ..], [f, p]) = (at.p, at.u);
        [at.z[1] + p / m, f / m - g]
    }

    #[inline]
    fn outputs<S: Scalar>(at: &Point<Self, S>) -> [S; 4] {
        let [v, a] = Self::rates(at);
        let [m, g, ..] = at.p;
        [at.z[0], v, a, m * v * v * 0.5 + m * g * at.z[0]]
    }
}

impl Equations for FreeBall {
    const IDENTIFIER: &'static str = "free_ball";
    const ABOUT: &'static str = "Ball in free fall that takes impulses";

    fn declare(d: &mut Declaration) {
        d.si_units(&["s", "kg", "m", "m/s", "m/s2", "N", "N.s", "J"]);
        let parameter = Declared::parameter;
        d.parameter(parameter("m", 1.0).unit("kg").range(1e-9, f64::INFINITY).about("mass"));
        d.parameter(parameter("g", 9.81).unit("m/s2").about("gravity"));
        d.parameter(parameter("height0", 1.0).unit("m").about("height at the start"));
        d.parameter(parameter("v0", 0.0).unit("m/s").about("velocity at the start, positive upwards"));
        d.input(Declared::input("f", 0.0).unit("N").about("force, positive upwards"));
        d.input(Declared::input("p", 0.0).unit("N.s").about("sum of all impulses so far, positive upwards"));
        let height = d.output(Declared::output("height").unit("m").about("height"));
        let v = d.output(Declared::output("v").unit("m/s").about("velocity"));
        let a = d.output(Declared::output("a").unit("m/s2").about("acceleration"));
        d.output(Declared::output("e").unit("J").about("kinetic energy, and potential energy above height 0"));
        d.shows_state(height, 0);
        d.derivative(v, height);
        d.derivative(a, v);
        d.micro_step(1e-3);
        d.experiment(0.0, 3.0, 1e-2);
    }

    fn documentation_html() -> String {
        "<h2>Equations</h2>\n<pre>d height/dt = v\ndv/dt = a = f/m - g\n</pre>\n\
         <p>A change of p by dp changes v by dp/m at once.</p>\n"
            .to_string()
    }
}

impl System for ImpactGround {
    type Parameters<S: Scalar> = [S; 4];
    type States<S: Scalar> = [S; 2];
    type Inputs<S: Scalar> = [S; 2];
    type Outputs<S: Scalar> = [S; 3];
    const POSITIONS: usize = 1;
    const LINEAR: bool = false;

    fn start<S: Scalar>(p: &[S; 4]) -> [S; 2] {
        [S::from(0.0), p[2] * p[3]]
    }

    #[inline]
    fn rates<S: Scalar>(at: &Point<Self, S>) -> [S; 2] {
        let omega = at.p[3];
        [at.z[1], -(omega * omega * at.z[0])]
    }

    #[inline]
    fn outputs<S: Scalar>(at: &Point<Self, S>) -> [S; 3] {
        let ([restitution, m, ..], [v, p], [z, rate]) = (at.p, at.u, at.z);
        [z, rate, p - (restitution + 1.0) * m * (v - rate)]
    }
}

impl Equations for ImpactGround {
    const IDENTIFIER: &'static str = "impact_ground";
    const ABOUT: &'static str = "Ground that computes the momentum of a ball after an impact";

    fn declare(d: &mut Declaration) {
        d.si_units(&["s", "kg", "m", "m/s", "N.s", "rad/s"]);
        let parameter = Declared::parameter;
        d.parameter(parameter("restitution", 0.8).range(0.0, 1.0).about("coefficient of restitution"));
        d.parameter(parameter("m", 1.0).unit("kg").range(1e-9, f64::INFINITY).about("mass of the ball"));
        d.parameter(parameter("amplitude", 0.0).unit("m").about("amplitude of the ground's motion"));
        d.parameter(parameter("omega", 0.0).unit("rad/s").about("angular frequency of the ground's motion"));
        d.input(Declared::input("v", 0.0).unit("m/s").about("velocity of the ball, positive upwards"));
        d.input(Declared::input("p", 0.0).unit("N.s").about("sum of all impulses before the impact"));
        let z = d.output(Declared::output("z").unit("m").about("height of the ground"));
        let rate = d.output(Declared::output("z_rate").unit("m/s").about("velocity of the ground"));
        d.output(Declared::output("p_after").unit("N.s").about("sum of all impulses after an impact now"));
        d.shows_state(z, 0);
        d.shows_state(rate, 1);
        d.derivative(rate, z);
        d.micro_step(1e-3);
        d.experiment(0.0, 3.0, 1e-2);
    }

    fn documentation_html() -> String {
        "<h2>Equations</h2>\n<pre>z = amplitude sin(omega t)\np_after = p - (1 + restitution) m (v - z_rate)\n</pre>\n\
         <p>Newton's law of restitution.</p>\n"
            .to_string()
    }
}
