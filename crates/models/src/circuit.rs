//! A mesh of an electric circuit: inductor, resistor and capacitor in series. Two meshes with a shunt branch (capacitor and
//! resistor in series) in common make a circuit that can be cut in two.
//!
//! # Equations
//! ```text
//! q̇ = i,   di/dt = (u − R i − q/C)/L                             driven by the voltage of the shunt
//! u_s = (q − q_o)/C_s + R_s (i − i_o),   u = −u_s                owner of the shunt, driven by the other mesh's current
//! ```
//! The other mesh is driven by u = +u_s. d²i/dt² is the rate of that, with the rates of the inputs' polynomials, zero where
//! none were given.
//!
//! # Notation
//! | symbol | code | meaning |
//! |---|---|---|
//! | q, i | `q`, `i` | charge (C), current (A) |
//! | di/dt, d²i/dt² | `di`, `ddi` | rates of the current (A/s), (A/s²) |
//! | L, R, C | `L`, `R`, `C` | inductance (H), resistance (Ω), capacitance (F) |
//! | C_s, R_s | `C_s`, `R_s` | of the shunt |
//! | q_o, i_o | `q_o`, `i_o` | charge and current of the other mesh |
//! | u, u_s | `u`, `u_s` | voltage at the mesh and of the shunt (V) |

use macrostep_description::Declared;
use macrostep_ode::{Point, Scalar, System};
use macrostep_slave::{Declaration, Equations};

/// A mesh driven by a voltage.
#[derive(Debug)]
pub struct Mesh;

/// A mesh that owns the shunt, driven by the current of the other mesh.
#[derive(Debug)]
pub struct MeshShunt;

/// di/dt of a mesh from its parameters L, R, C, its state and the voltage at it.
#[inline]
fn current_rate<S: Scalar>(p: [S; 3], [q, i]: [S; 2], u: S) -> S {
    let [l, r, c] = p;
    (u - r * i - q / c) / l
}

impl System for Mesh {
    type Parameters<S: Scalar> = [S; 5];
    type States<S: Scalar> = [S; 2];
    type Inputs<S: Scalar> = [S; 1];
    type Outputs<S: Scalar> = [S; 4];
    const POSITIONS: usize = 1;
    const LINEAR: bool = true;

    fn start<S: Scalar>(p: &[S; 5]) -> [S; 2] {
        [p[3], p[4]]
    }

    #[inline]
    fn rates<S: Scalar>(at: &Point<Self, S>) -> [S; 2] {
        [at.z[1], current_rate([at.p[0], at.p[1], at.p[2]], at.z, at.u[0])]
    }

    #[inline]
    fn outputs<S: Scalar>(at: &Point<Self, S>) -> [S; 4] {
        let di = Self::rates(at)[1];
        let ddi = current_rate([at.p[0], at.p[1], at.p[2]], [at.z[1], di], at.du[0]);
        [at.z[0], at.z[1], di, ddi]
    }
}

impl MeshShunt {
    /// u_s.
    #[inline]
    fn shunt<S: Scalar>(at: &Point<Self, S>) -> S {
        let ([q, i], [q_o, i_o]) = (at.z, at.u);
        (q - q_o) / at.p[5] + at.p[6] * (i - i_o)
    }
}

impl System for MeshShunt {
    type Parameters<S: Scalar> = [S; 7];
    type States<S: Scalar> = [S; 2];
    type Inputs<S: Scalar> = [S; 2];
    type Outputs<S: Scalar> = [S; 5];
    const POSITIONS: usize = 1;
    const LINEAR: bool = true;

    fn start<S: Scalar>(p: &[S; 7]) -> [S; 2] {
        [p[3], p[4]]
    }

    #[inline]
    fn rates<S: Scalar>(at: &Point<Self, S>) -> [S; 2] {
        [at.z[1], current_rate([at.p[0], at.p[1], at.p[2]], at.z, -Self::shunt(at))]
    }

    #[inline]
    fn outputs<S: Scalar>(at: &Point<Self, S>) -> [S; 5] {
        let ([q, i], di) = (at.z, Self::rates(at)[1]);
        let shunt_rate = (i - at.u[1]) / at.p[5] + at.p[6] * (di - at.du[1]);
        let ddi = current_rate([at.p[0], at.p[1], at.p[2]], [i, di], -shunt_rate);
        [q, i, di, ddi, Self::shunt(at)]
    }
}

/// Parameters and outputs of both kinds; `between` declares what stands between them.
fn declare(d: &mut Declaration, between: impl FnOnce(&mut Declaration)) {
    // Units and parameters.
    d.si_units(&["s", "C", "A", "A/s", "A/s2", "V", "Ohm", "H", "F"]);
    let parameter = Declared::parameter;
    d.parameter(parameter("L", 1e-3).unit("H").range(1e-15, f64::INFINITY).about("inductance"));
    d.parameter(parameter("R", 2.0).unit("Ohm").about("resistance"));
    d.parameter(parameter("C", 1e-6).unit("F").range(1e-18, f64::INFINITY).about("capacitance"));
    d.parameter(parameter("q0", 0.0).unit("C").about("charge at the start"));
    d.parameter(parameter("i0", 0.0).unit("A").about("current at the start"));
    between(d);
    // Charge, current and its rates; the first two are the states, with dense output.
    let q = d.output(Declared::output("q").unit("C").nominal(1e-6).about("charge"));
    let i = d.output(Declared::output("i").unit("A").nominal(1e-2).about("current"));
    let di = d.output(Declared::output("di").unit("A/s").about("rate of the current"));
    let ddi = d.output(Declared::output("ddi").unit("A/s2").about("second rate of the current"));
    d.shows_state(q, 0);
    d.shows_state(i, 1);
    d.derivative(i, q);
    d.derivative(di, i);
    d.derivative(ddi, di);
    d.dense(q, "charge");
    d.dense(i, "current");
    d.micro_step(1e-6);
    d.experiment(0.0, 1e-3, 1e-6);
}

impl Equations for Mesh {
    const IDENTIFIER: &'static str = "circuit_mesh";
    const ABOUT: &'static str =
        "Mesh of a circuit (inductor, resistor, capacitor), driven by the voltage of a shunt branch";

    fn declare(d: &mut Declaration) {
        declare(d, |d| d.input(Declared::input("u", 0.0).unit("V").about("voltage in the sense of the current")));
    }

    fn documentation_html() -> String {
        "<h2>Equations</h2>\n<pre>dq/dt = i\ndi/dt = (u - R i - q/C)/L</pre>\n".to_string()
    }
}

impl Equations for MeshShunt {
    const IDENTIFIER: &'static str = "circuit_mesh_shunt";
    const ABOUT: &'static str =
        "Mesh of a circuit with the shunt branch it shares with another, driven by the other's current";

    fn declare(d: &mut Declaration) {
        declare(d, |d| {
            let capacity = Declared::parameter("C_s", 5e-7).unit("F").range(1e-18, f64::INFINITY);
            d.parameter(capacity.about("capacitance of the shunt"));
            d.parameter(Declared::parameter("R_s", 1.0).unit("Ohm").about("resistance of the shunt"));
            d.input(Declared::input("q_o", 0.0).unit("C").about("charge of the other mesh"));
            d.input(Declared::input("i_o", 0.0).unit("A").about("current of the other mesh"));
        });
        let about = "voltage of the shunt; acts as -u_s on this mesh and as +u_s on the other";
        d.output(Declared::output("u_s").unit("V").about(about));
    }

    fn documentation_html() -> String {
        "<h2>Equations</h2>\n<pre>u_s = (q - q_o)/C_s + R_s (i - i_o)\ndq/dt = i\ndi/dt = (-u_s - R i - q/C)/L</pre>\n\
         <p>The shunt is a capacitor and a resistor in series; its charge is the difference of both meshes' charges. The \
         voltage u_s feeds through.</p>\n"
            .to_string()
    }
}
