//! A double pendulum of two rods, cut at the joint between them: a rod that is hinged and a free one.
//!
//! ```text
//! upper (rod_hinged) ── r, v of its end ──►  joint  ◄── r, v of its end ── lower (rod_free)
//!                    ◄── −λ ──                      ── λ ──►
//! ```
//!
//! A constraint keeps the ends together; the force in it is found by the master.

use crate::oscillator::{Integrator, integrate};
use crate::parts::{end, record, rest, system, times, unit};
use macrostep_system::Scenario;
use macrostep_system::scenario::{Constraint, Joint, JointEnd, JointForce, Place};
use macrostep_system::words::Correct;

/// Angles from the hanging position at the start, at rest (rad).
pub const ANGLES: [f64; 2] = [2.0, 1.0];
/// Micro step of the rods \[s\].
const MICRO_S: f64 = 1e-3;
/// Residual at which a macro step counts as converged.
const TOLERANCE: f64 = 1e-10;

/// Rods of 1 kg and 1 m, joined by a force that is linear over a macro step, or held.
pub fn double_pendulum(force: JointForce) -> Scenario {
    let mut s = system("double pendulum", "two rods in a plane, cut at the joint between them", times(0.01, 2.0));
    (s.coupling.correct, s.coupling.corrector_tolerance) = (Correct::IqnIls, Some(TOLERANCE));
    let [upper, lower] = ANGLES;
    let mut first = unit("upper", "rod_hinged", &[("phi0", upper)]);
    let mut second = unit("lower", "rod_free", &[("phi0", lower), ("x0", upper.sin()), ("y0", -upper.cos())]);
    rest(&mut first, &["m_b"]);
    rest(&mut second, &["m_a", "fx_b", "fy_b", "m_b"]);
    for rod in [&mut first, &mut second] {
        integrate(rod, Integrator::RungeKutta4, Some(MICRO_S));
    }
    s.units = vec![first, second];
    let joined = |of: &str, which: &str| {
        let names = |kind: &str| ["x", "y"].map(|axis| end(&format!("{of}.{kind}{axis}_{which}"))).to_vec();
        JointEnd::Free { position: names(""), velocity: names("v"), force: names("f") }
    };
    let ends = [joined("upper", "b"), joined("lower", "a")];
    s.constraints = vec![Constraint {
        name: "elbow".to_owned(),
        kind: Joint::Hinge,
        force,
        gap_max: None,
        ends,
        place: Place::default(),
    }];
    s.record = record(&["*.phi", "*.omega", "*.energy"]);
    s
}
