//! A payload on the tip of a body: a point mass in a bushing of springs and dampers.
//!
//! # Equations
//! ```text
//! f = k (r − r_tip) + c (v − v_tip),   ṙ = v,   m v̇ = m g − f
//! ```
//! f acts on the tip; it follows the inputs at once.
//!
//! # Notation
//! | symbol | code | meaning |
//! |---|---|---|
//! | r, v, v̇ | `r[i]`, `v[i]`, `a[i]` | payload, world axes (m), (m/s), (m/s²) |
//! | r_tip, v_tip | `r_tip[i]`, `v_tip[i]` | the tip, inputs |
//! | m, k, c | `m`, `k`, `c` | mass (kg), stiffness (N/m), damping (N·s/m) |
//! | g | `gravity[i]` | gravity, inputs (m/s²) |

use macrostep_description::Declared;
use macrostep_ode::{Point, Scalar, System};
use macrostep_slave::{Declaration, Equations, Ode};

/// The equations of the payload.
#[derive(Debug)]
pub struct TipPayload;

/// The payload as a model.
pub type Payload = Ode<TipPayload>;

/// Index of a component of the tip's velocity, and of gravity, among the inputs.
const VELOCITY: usize = 3;
const GRAVITY: usize = 6;

fn force<S: Scalar>(at: &Point<TipPayload, S>, i: usize) -> S {
    at.p[1] * (at.z[i] - at.u[i]) + at.p[2] * (at.z[3 + i] - at.u[VELOCITY + i])
}

fn acceleration<S: Scalar>(at: &Point<TipPayload, S>) -> [S; 3] {
    [0, 1, 2].map(|i| at.u[GRAVITY + i] - force(at, i) / at.p[0])
}

impl System for TipPayload {
    type Parameters<S: Scalar> = [S; 9]; // m, k, c, r₀, v₀
    type States<S: Scalar> = [S; 6]; // r, v
    type Inputs<S: Scalar> = [S; 9]; // r_tip, v_tip, gravity
    type Outputs<S: Scalar> = [S; 12]; // force, r, v, a
    const POSITIONS: usize = 3;
    const LINEAR: bool = true;

    fn start<S: Scalar>(p: &[S; 9]) -> [S; 6] {
        [p[3], p[4], p[5], p[6], p[7], p[8]]
    }

    fn rates<S: Scalar>(at: &Point<Self, S>) -> [S; 6] {
        let a = acceleration(at);
        [at.z[3], at.z[4], at.z[5], a[0], a[1], a[2]]
    }

    fn outputs<S: Scalar>(at: &Point<Self, S>) -> [S; 12] {
        let ([x, y, z, u, v, w], a) = (at.z, acceleration(at));
        [force(at, 0), force(at, 1), force(at, 2), x, y, z, u, v, w, a[0], a[1], a[2]]
    }
}

impl Equations for TipPayload {
    const IDENTIFIER: &'static str = "payload";
    const ABOUT: &'static str = "A point mass in a bushing of springs and dampers on the tip of another body";

    fn declare(d: &mut Declaration) {
        d.si_units(&["m", "m/s", "m/s2", "kg", "N", "N/m", "N.s/m"]);
        // Parameters, with position and velocity at the start.
        d.parameter(Declared::parameter("m", 1.0).unit("kg").range(1e-12, f64::INFINITY).about("mass"));
        d.parameter(Declared::parameter("k", 2e4).unit("N/m").about("stiffness of the bushing"));
        d.parameter(Declared::parameter("c", 20.0).unit("N.s/m").about("damping of the bushing"));
        let three = |name: &str| [1, 2, 3].map(|i| format!("{name}[{i}]"));
        for name in three("r0") {
            d.parameter(Declared::parameter(&name, 0.0).unit("m").about("position at the start"));
        }
        for name in three("v0") {
            d.parameter(Declared::parameter(&name, 0.0).unit("m/s").about("velocity at the start"));
        }
        // The tip, and gravity.
        for (name, unit, about) in [
            ("r_tip", "m", "position of the tip it sits on"),
            ("v_tip", "m/s", "velocity of the tip it sits on"),
            ("gravity", "m/s2", "gravity"),
        ] {
            for name in three(name) {
                d.input(Declared::input(&name, 0.0).unit(unit).about(about));
            }
        }
        // The force, the states and the acceleration; what may be sent is known inside a step as well.
        let mut all = |name: &str, unit: &str, about: &str| {
            three(name).map(|name| d.output(Declared::output(&name).unit(unit).about(about)))
        };
        let forces = all("force", "N", "force on the tip, world axes");
        let [r, v, a] = [("r", "m", "position"), ("v", "m/s", "velocity"), ("a", "m/s2", "acceleration")]
            .map(|(name, unit, about)| all(name, unit, about));
        for i in 0..3 {
            d.shows_state(r[i], i);
            d.shows_state(v[i], 3 + i);
            d.derivative(v[i], r[i]);
            d.derivative(a[i], v[i]);
        }
        for (outputs, about) in [(forces, "force on the tip"), (r, "position"), (v, "velocity")] {
            outputs.into_iter().for_each(|output| d.dense(output, about));
        }
        d.micro_step(1e-4);
        d.experiment(0.0, 1.0, 1e-3);
    }

    fn documentation_html() -> String {
        "<h2>Equations</h2>\n<pre>force = k (r - r_tip) + c (v - v_tip)\nr' = v\nm v' = m gravity - force</pre>\n<p>The \
         force acts on the tip, and follows its position and velocity at once.</p>\n"
            .to_string()
    }
}
