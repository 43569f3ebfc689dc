//! The spring-damper law between the two masses, for masters that cannot compute it.
//!
//! # Equations
//! ```text
//! f^c = k_c (x₁ − x₂) + c_c (v₁ − v₂),   E_pot = k_c (x₁ − x₂)²/2
//! ```
//! There is no state: the output feeds through.
//!
//! # Notation
//! | symbol | code | meaning |
//! |---|---|---|
//! | x₁, v₁, x₂, v₂ | `x1` … `v2` | the masses, inputs (m), (m/s) |
//! | k_c, c_c | `k_c`, `c_c` | stiffness and damping (N/m), (N·s/m) |
//! | f^c | `f` | coupling force (N) |
//!
//! Reference: [LIM 2021], eq. (8) and section 2.3.

use macrostep_description::Declared;
use macrostep_ode::{Point, Scalar, System};
use macrostep_slave::{Declaration, Equations};

use crate::case_1;

/// The coupling law.
#[derive(Debug)]
pub struct SpringDamper;

impl System for SpringDamper {
    type Parameters<S: Scalar> = [S; 2];
    type States<S: Scalar> = [S; 0];
    type Inputs<S: Scalar> = [S; 4];
    type Outputs<S: Scalar> = [S; 2];
    const POSITIONS: usize = 0;
    const LINEAR: bool = true;

    fn start<S: Scalar>(_: &[S; 2]) -> [S; 0] {
        []
    }

    fn rates<S: Scalar>(_: &Point<Self, S>) -> [S; 0] {
        []
    }

    #[inline]
    fn outputs<S: Scalar>(at: &Point<Self, S>) -> [S; 2] {
        let ([k_c, c_c], [x1, v1, x2, v2]) = (at.p, at.u);
        let elongation = x1 - x2;
        [k_c * elongation + c_c * (v1 - v2), k_c * elongation * elongation * 0.5]
    }
}

impl Equations for SpringDamper {
    const IDENTIFIER: &'static str = "coupling";
    const ABOUT: &'static str = "Spring and damper between the masses of the two-mass oscillator";

    fn declare(d: &mut Declaration) {
        d.si_units(&["m", "m/s", "N", "N/m", "N.s/m", "J"]);
        let case = case_1();
        d.parameter(Declared::parameter("k_c", case.k_c).unit("N/m").about("stiffness of the coupling"));
        d.parameter(Declared::parameter("c_c", case.c_c).unit("N.s/m").about("damping of the coupling"));
        d.input(Declared::input("x1", 0.0).unit("m").about("displacement of mass 1"));
        d.input(Declared::input("v1", 0.0).unit("m/s").about("velocity of mass 1"));
        d.input(Declared::input("x2", 0.0).unit("m").about("displacement of mass 2"));
        d.input(Declared::input("v2", 0.0).unit("m/s").about("velocity of mass 2"));
        let about = "coupling force k_c (x1 - x2) + c_c (v1 - v2); -f acts on mass 1, +f on mass 2";
        d.output(Declared::output("f").unit("N").about(about));
        d.output(Declared::output("e_pot").unit("J").about("potential energy of the coupling spring"));
        d.experiment(0.0, 10.0, 1e-3);
    }

    fn documentation_html() -> String {
        "<h2>Equations</h2>\n<pre>f = k_c (x1 - x2) + c_c (v1 - v2)\ne_pot = k_c (x1 - x2)^2/2</pre>\n<p>There is no \
         state: the force follows the inputs at once, and inside a step the input polynomials. The force on mass 1 is -f, \
         on mass 2 it is +f.</p>\n<p>It is for masters that cannot compute the law: with <code>oscillator1_force</code> and \
         <code>oscillator2_force</code> it makes the force-force coupling.</p>\n<p>Source: Co-simulation benchmarks: Linear oscillator, Laboratorio de Ingenieria \
         Mecanica, Universidade da Coruna, 2021.</p>\n"
            .to_string()
    }
}
