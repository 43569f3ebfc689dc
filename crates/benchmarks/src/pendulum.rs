//! A pendulum arm as a flexible body, with a payload in a bushing at its tip, falling from the horizontal.
//!
//! ```text
//! arm (flexible_body, hinged about z)  ── r, v of the tip ──►  payload
//!                                      ◄── force on the tip ──
//! ```

use crate::parts::{law, obeying, predicted, record, rest, set, system, times, unit, vector, wire};
use macrostep_system::scenario::{Gain, LawKind, Scenario, Value};
use macrostep_system::words::Predict;

/// Mass (kg), stiffness (N/m) and damping (N·s/m) of the payload in its bushing.
pub const PAYLOAD: [f64; 3] = [1.0, 2e4, 20.0];
/// Gravity along −y (m/s²).
pub const GRAVITY_M_S2: f64 = 9.81;
/// Micro step of arm and payload (s).
pub const MICRO_STEP_S: f64 = 2e-5;
/// Relative tolerance of iterations. The accelerations of the stiff arm are known to some 1e-12.
const TOLERANCE: f64 = 1e-10;

/// The pendulum with values extrapolated by this degree.
pub fn pendulum(step_s: f64, stop_s: f64, degree: u32) -> Scenario {
    let mut s = system("flexible pendulum", "flexible arm with a payload at its tip", times(step_s, stop_s));
    s.coupling = predicted(Predict::classical(degree));
    s.coupling.corrector_tolerance = Some(TOLERANCE);
    let common = [("micro_step", MICRO_STEP_S), ("gravity[2]", -GRAVITY_M_S2)];
    let [m, k, c] = PAYLOAD;
    let load = [("m", m), ("k", k), ("c", c), ("r0[1]", 1.0)];
    s.units = vec![unit("arm", "flexible_body", &common), unit("payload", "payload", &[&common[..], &load].concat())];
    // Semi-implicit Euler, with which the payload begins, would be 4e-6 m off at this micro step: more than the coupling is.
    set(&mut s.units[1], "integrator", Value::Text("runge_kutta_4".to_owned()));
    for unit in &mut s.units {
        rest(unit, &["gravity[1]", "gravity[3]"]);
    }
    for loads in ["hinge.force", "hinge.torque", "tip.torque"] {
        rest(&mut s.units[0], &vector(loads, 3).iter().map(String::as_str).collect::<Vec<_>>());
    }
    for (input, output) in [("r_tip", "tip.r"), ("v_tip", "tip.v")] {
        let pairs = vector(input, 3).into_iter().zip(vector(output, 3));
        s.connections.extend(pairs.map(|(i, o)| wire(&format!("payload.{i}"), &format!("arm.{o}"))));
    }
    // The payload owns the bushing: predictors of motions evaluate its law, component by component.
    let parameter = |name: &str| Gain::Parameter { name: format!("payload.{name}"), is_negative: false };
    for i in 1..=3 {
        let name = format!("bushing_{i}");
        let ends = ["payload.r", "payload.v", "arm.tip.r", "arm.tip.v"].map(|end| format!("{end}[{i}]"));
        let kind = LawKind::SpringDamper { stiffness: parameter("k"), damping: parameter("c") };
        s.laws.push(law(&name, kind, [&ends[0], &ends[1], &ends[2], &ends[3]]));
        s.connections.push(obeying(&format!("arm.tip.force[{i}]"), &format!("payload.force[{i}]"), &name));
    }
    s.record = record(&["arm.tip.r[*]", "arm.hinge.R[1,1]", "arm.hinge.R[2,1]", "payload.r[*]"]);
    s
}
