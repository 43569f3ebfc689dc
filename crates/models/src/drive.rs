//! The input of an oscillator at the interface: the other mass's displacement, the coupling force, or the wave of a line.
//!
//! # Equations
//! Coupling force f^c = k_c (x₁ − x₂) + c_c (ẋ₁ − ẋ₂), −f^c on mass 1 and +f^c on mass 2. With σ = +1 for mass 1 and −1 for
//! mass 2, and (ξ, ξ̇) the other mass's displacement and velocity, the owner of the coupling has
//!
//! ```text
//! f^c = σ [k_c (x − ξ) + c_c (v − ξ̇)]      ḟ^c = σ [k_c (v − ξ̇) + c_c (a − ξ̈)]
//! ```
//!
//! and, where the spring hardens, k_3 (x − ξ)³ besides; a force-driven mass receives f^c. The force on the mass is −σ f^c in both. ξ̈ and, for the force-driven mass, ḟ^c
//! are the rates of the polynomials of `xi_dot` and `f` in use, zero where none was given.
//!
//! At the end of a line with delay the force is that of the wave c that arrives and of the mass's own velocity,
//!
//! ```text
//! f^c = c + σ Z v      ḟ^c = ċ + σ Z a
//! ```
//!
//! # Notation
//! | symbol | code | meaning |
//! |---|---|---|
//! | ξ, ξ̇ | `xi`, `xi_dot` | the other mass, an input (m), (m/s) |
//! | f^c | `f`, `f_c` | coupling force, input or output (N) |
//! | k_c, c_c | `k_c`, `c_c` | stiffness and damping of the coupling (N/m), (N·s/m) |
//! | k_3 | `k_3` | cubic stiffness of the coupling (N/m³) |
//! | c, Z | `wave`, `Z` | wave that arrives, an input (N); impedance of the line (N·s/m) |
//! | σ | `sign` | +1 for mass 1, −1 for mass 2 |

use macrostep_description::Declared;
use macrostep_ode::{Scalar, Vector};
use macrostep_slave::Declaration;

use crate::case_1;

/// A kind of interface. Its inputs come first, then `f_ext`; its parameters come after those of the oscillator.
pub trait Drive: std::fmt::Debug + Send + 'static {
    /// Parameters of an oscillator of this kind: m, k, c, x0, v0 and those of the interface.
    type Parameters<S: Scalar>: Vector<S>;
    /// Inputs of the interface, then the external force.
    type Inputs<S: Scalar>: Vector<S>;
    /// Outputs: x, v, a, jerk, e_kin, e_pot and those of the interface.
    type Outputs<S: Scalar>: Vector<S>;
    /// Identifiers for mass 1 and 2.
    const IDENTIFIERS: [&'static str; 2];
    /// One sentence about mass 1 and 2.
    const ABOUT: [&'static str; 2];
    /// Whether the coupling belongs to this oscillator.
    const OWNS_COUPLING: bool;
    /// Whether its force is linear in states and inputs.
    const LINEAR: bool = true;
    /// What f^c and its rate have besides, as text, with d = x − ξ.
    const HARDENING: Option<[&'static str; 2]> = None;
    /// Where f^c comes from, for the documentation of an oscillator that does not own the coupling.
    const SOURCE: &'static str = "<p>The coupling force <code>f_c</code> is the input <code>f</code>; its rate is the first \
        derivative given for it, zero if none was given.</p>\n";

    /// Parameters of the interface.
    fn declare_parameters(d: &mut Declaration);
    /// Inputs of the interface.
    fn declare_inputs(d: &mut Declaration);
    /// f^c at displacement `x` and velocity `v`.
    fn force<S: Scalar>(sign: f64, p: &[S], u: &[S], x: S, v: S) -> S;
    /// ḟ^c at displacement, velocity and acceleration.
    fn force_rate<S: Scalar>(sign: f64, p: &[S], u: &[S], du: &[S], motion: [S; 3]) -> S;
}

/// Driven by the other mass's displacement and velocity; owns the coupling.
#[derive(Debug)]
pub struct Displacement;

impl Drive for Displacement {
    type Parameters<S: Scalar> = [S; 7];
    type Inputs<S: Scalar> = [S; 3];
    type Outputs<S: Scalar> = [S; 7];
    const IDENTIFIERS: [&'static str; 2] = ["oscillator1_displacement", "oscillator2_displacement"];
    const ABOUT: [&'static str; 2] = [
        "Mass 1 of the two-mass oscillator with the coupling spring and damper, driven by the displacement of mass 2",
        "Mass 2 of the two-mass oscillator with the coupling spring and damper, driven by the displacement of mass 1",
    ];
    const OWNS_COUPLING: bool = true;

    fn declare_parameters(d: &mut Declaration) {
        let case = case_1();
        d.parameter(Declared::parameter("k_c", case.k_c).unit("N/m").about("stiffness of the coupling"));
        d.parameter(Declared::parameter("c_c", case.c_c).unit("N.s/m").about("damping of the coupling"));
    }

    fn declare_inputs(d: &mut Declaration) {
        d.input(Declared::input("xi", 0.0).unit("m").about("displacement of the other mass"));
        d.input(Declared::input("xi_dot", 0.0).unit("m/s").about("velocity of the other mass"));
    }

    #[inline]
    fn force<S: Scalar>(sign: f64, p: &[S], u: &[S], x: S, v: S) -> S {
        (p[5] * (x - u[0]) + p[6] * (v - u[1])) * sign
    }

    #[inline]
    fn force_rate<S: Scalar>(sign: f64, p: &[S], u: &[S], du: &[S], [_, v, a]: [S; 3]) -> S {
        (p[5] * (v - u[1]) + p[6] * (a - du[1])) * sign
    }
}

/// Driven by the other mass's displacement and velocity; owns a coupling that hardens.
#[derive(Debug)]
pub struct Hardening;

impl Drive for Hardening {
    type Parameters<S: Scalar> = [S; 8];
    type Inputs<S: Scalar> = [S; 3];
    type Outputs<S: Scalar> = [S; 7];
    const IDENTIFIERS: [&'static str; 2] = ["oscillator1_hardening", "oscillator2_hardening"];
    const ABOUT: [&'static str; 2] = [
        "Mass 1 of two with a coupling spring that hardens and a damper, driven by the displacement of mass 2",
        "Mass 2 of two with a coupling spring that hardens and a damper, driven by the displacement of mass 1",
    ];
    const OWNS_COUPLING: bool = true;
    const LINEAR: bool = false;
    const HARDENING: Option<[&'static str; 2]> = Some(["k_3 d^3", "3 k_3 d^2 dd/dt"]);

    fn declare_parameters(d: &mut Declaration) {
        Displacement::declare_parameters(d);
        d.parameter(Declared::parameter("k_3", 0.0).unit("N/m3").about("cubic stiffness of the coupling"));
    }

    fn declare_inputs(d: &mut Declaration) {
        Displacement::declare_inputs(d);
    }

    #[inline]
    fn force<S: Scalar>(sign: f64, p: &[S], u: &[S], x: S, v: S) -> S {
        let stretch = x - u[0];
        Displacement::force(sign, p, u, x, v) + p[7] * stretch * stretch * stretch * sign
    }

    #[inline]
    fn force_rate<S: Scalar>(sign: f64, p: &[S], u: &[S], du: &[S], motion: [S; 3]) -> S {
        let [x, v, _] = motion;
        let stretch = x - u[0];
        Displacement::force_rate(sign, p, u, du, motion) + p[7] * stretch * stretch * (v - u[1]) * (3.0 * sign)
    }
}

/// Driven by the coupling force.
#[derive(Debug)]
pub struct Force;

impl Drive for Force {
    type Parameters<S: Scalar> = [S; 5];
    type Inputs<S: Scalar> = [S; 2];
    type Outputs<S: Scalar> = [S; 6];
    const IDENTIFIERS: [&'static str; 2] = ["oscillator1_force", "oscillator2_force"];
    const ABOUT: [&'static str; 2] = [
        "Mass 1 of the two-mass oscillator, driven by the coupling force",
        "Mass 2 of the two-mass oscillator, driven by the coupling force",
    ];
    const OWNS_COUPLING: bool = false;

    fn declare_parameters(_: &mut Declaration) {}

    fn declare_inputs(d: &mut Declaration) {
        let about = "coupling force f_c = k_c (x1 - x2) + c_c (v1 - v2); acts as -f_c on mass 1 and as +f_c on mass 2";
        d.input(Declared::input("f", 0.0).unit("N").about(about));
    }

    #[inline]
    fn force<S: Scalar>(_: f64, _: &[S], u: &[S], _: S, _: S) -> S {
        u[0]
    }

    #[inline]
    fn force_rate<S: Scalar>(_: f64, _: &[S], _: &[S], du: &[S], _: [S; 3]) -> S {
        du[0]
    }
}

/// At the end of a line with delay: driven by the wave that arrives, with the local part of the force inside.
#[derive(Debug)]
pub struct Line;

impl Drive for Line {
    type Parameters<S: Scalar> = [S; 6];
    type Inputs<S: Scalar> = [S; 2];
    type Outputs<S: Scalar> = [S; 6];
    const IDENTIFIERS: [&'static str; 2] = ["oscillator1_line", "oscillator2_line"];
    const ABOUT: [&'static str; 2] = [
        "Mass 1 of two at the ends of a line with delay, driven by the wave that arrives",
        "Mass 2 of two at the ends of a line with delay, driven by the wave that arrives",
    ];
    const OWNS_COUPLING: bool = false;
    const SOURCE: &'static str = "<p>The force at this end of the line is <code>f_c = wave + Z v</code> on mass 1 and \
        <code>f_c = wave - Z v</code> on mass 2, at every instant; the rate of <code>wave</code> is the first derivative given \
        for it, zero if none was given.</p>\n";

    fn declare_parameters(d: &mut Declaration) {
        d.parameter(Declared::parameter("Z", 0.0).unit("N.s/m").about("impedance of the line"));
    }

    fn declare_inputs(d: &mut Declaration) {
        let about = "wave that arrives from the other end; with the local part Z v it makes the force";
        d.input(Declared::input("wave", 0.0).unit("N").about(about));
    }

    #[inline]
    fn force<S: Scalar>(sign: f64, p: &[S], u: &[S], _: S, v: S) -> S {
        u[0] + p[5] * v * sign
    }

    #[inline]
    fn force_rate<S: Scalar>(sign: f64, p: &[S], _: &[S], du: &[S], [_, _, a]: [S; 3]) -> S {
        du[0] + p[5] * a * sign
    }
}
