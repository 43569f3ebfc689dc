//! A plunger cylinder: oil behind a plunger that moves a load, fed through a laminar valve.
//!
//! # Equations
//! ```text
//! V = V_0 + A x,   Q = G (p_s − p) − A v
//! ṗ = K Q / V
//! p̈ = K (−G ṗ − A a)/V − K Q A v / V²
//! f = A p
//! ```
//! The volume grows with the motion of the load, so the stiffness of the oil falls: the cylinder is not linear.
//!
//! # Notation
//! | symbol | code | meaning |
//! |---|---|---|
//! | p, ṗ, p̈ | `p`, `dp`, `ddp` | pressure (Pa) and its time derivatives |
//! | x, v, a | `x`, `v`, `a` | motion of the load, inputs (m), (m/s), (m/s²); a serves p̈ alone |
//! | A, V_0 | `area`, `V0` | area of the plunger (m²), volume at x = 0 (m³) |
//! | K | `bulk` | bulk modulus of the oil (Pa) |
//! | G | `G` | conductance of the valve (m³/(s·Pa)) |
//! | p_s | `p_s` | supply pressure (Pa) |
//! | f | `f` | force on the load (N) |

use macrostep_description::Declared;
use macrostep_ode::{Point, Scalar, System};
use macrostep_slave::{Declaration, Equations};

/// The cylinder.
#[derive(Debug)]
pub struct PlungerCylinder;

impl PlungerCylinder {
    /// V, Q and ṗ.
    #[inline]
    fn flow<S: Scalar>(at: &Point<Self, S>) -> [S; 3] {
        let ([area, v0, bulk, conductance, supply, _], [x, v, _]) = (at.p, at.u);
        let volume = v0 + area * x;
        let flow = conductance * (supply - at.z[0]) - area * v;
        [volume, flow, bulk * flow / volume]
    }
}

impl System for PlungerCylinder {
    type Parameters<S: Scalar> = [S; 6];
    type States<S: Scalar> = [S; 1];
    type Inputs<S: Scalar> = [S; 3];
    type Outputs<S: Scalar> = [S; 4];
    const POSITIONS: usize = 0;
    const LINEAR: bool = false;

    fn start<S: Scalar>(p: &[S; 6]) -> [S; 1] {
        [p[5]]
    }

    #[inline]
    fn rates<S: Scalar>(at: &Point<Self, S>) -> [S; 1] {
        [Self::flow(at)[2]]
    }

    #[inline]
    fn outputs<S: Scalar>(at: &Point<Self, S>) -> [S; 4] {
        let ([area, _, bulk, conductance, ..], [_, v, a]) = (at.p, at.u);
        let [volume, flow, rate] = Self::flow(at);
        let second = bulk * (-(conductance * rate) - area * a) / volume - bulk * flow * area * v / (volume * volume);
        [at.z[0], rate, second, area * at.z[0]]
    }
}

impl Equations for PlungerCylinder {
    const IDENTIFIER: &'static str = "plunger_cylinder";
    const ABOUT: &'static str = "Plunger cylinder fed through a laminar valve, driven by the motion of its load";

    fn declare(d: &mut Declaration) {
        d.si_units(&["s", "m", "m/s", "m/s2", "N", "m2", "m3", "Pa", "Pa/s", "Pa/s2", "m3/(s.Pa)"]);
        let parameter = Declared::parameter;
        d.parameter(parameter("area", 1e-3).unit("m2").range(1e-12, f64::INFINITY).about("area of the plunger"));
        d.parameter(parameter("V0", 1e-4).unit("m3").range(1e-15, f64::INFINITY).about("volume of oil at x = 0"));
        d.parameter(parameter("bulk", 1e9).unit("Pa").range(1.0, f64::INFINITY).about("bulk modulus of the oil"));
        d.parameter(parameter("G", 1e-11).unit("m3/(s.Pa)").about("conductance of the valve"));
        d.parameter(parameter("p_s", 1e7).unit("Pa").about("supply pressure"));
        d.parameter(parameter("p0", 2e6).unit("Pa").about("pressure at the start"));
        d.input(Declared::input("x", 0.0).unit("m").about("displacement of the load"));
        d.input(Declared::input("v", 0.0).unit("m/s").about("velocity of the load"));
        d.input(Declared::input("a", 0.0).unit("m/s2").about("acceleration of the load, for ddp"));
        let p = d.output(Declared::output("p").unit("Pa").nominal(1e6).about("pressure"));
        let dp = d.output(Declared::output("dp").unit("Pa/s").about("rate of the pressure"));
        let ddp = d.output(Declared::output("ddp").unit("Pa/s2").about("second rate of the pressure"));
        d.output(Declared::output("f").unit("N").about("force on the load"));
        d.shows_state(p, 0);
        d.derivative(dp, p);
        d.derivative(ddp, dp);
        d.micro_step(1e-5);
        d.experiment(0.0, 0.2, 1e-4);
    }

    fn documentation_html() -> String {
        "<h2>Equations</h2>\n<pre>V = V0 + area x\nQ = G (p_s - p) - area v\ndp/dt = dp = bulk Q/V\n\
         ddp = bulk (-G dp - area a)/V - bulk Q area v/V^2\nf = area p</pre>\n\
         <p>The acceleration serves ddp alone.</p>\n"
            .to_string()
    }
}
