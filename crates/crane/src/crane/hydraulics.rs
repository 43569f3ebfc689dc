//! The lift and jib cylinders of the crane and the manoeuvre of the operator.

use macrostep_hydraulics::{Circuit, CircuitState, Cylinder, Trapezoid};

use super::{START_M, STROKE_M};
use crate::cylinder::{CylinderOptions, LIMITS};

const LIFT: CylinderOptions = CylinderOptions {
    area_m2: [95e-4, 56.5e-4],
    dead_volume_m3: 1.0e-3,
    stroke_m: STROKE_M,
    bulk_modulus_pa: 1.2e9,
    leak_m3spa: 2e-12,
    viscous_nsm: 2e4,
    valve_gain: 4.5e-7,
    supply_pa: 21e6,
    tank_pa: 1e5,
    lag_s: 10e-3,
    position_gain: 12.0,
    speed_gain: 0.3,
    vapour_pa: LIMITS.0,
    relief_pa: LIMITS.1,
    relief_gain: LIMITS.2,
};
const JIB: CylinderOptions = CylinderOptions {
    area_m2: [63.6e-4, 44e-4],
    dead_volume_m3: 0.8e-3,
    viscous_nsm: 1.5e4,
    valve_gain: 3.0e-7,
    ..LIFT
};

/// The desired speeds after the grasp, and the cylinders.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Manoeuvre {
    /// Speed of the lift cylinder from 4.2 s to 7.2 s, m/s.
    pub lift_ms: f64,
    /// Speed of the jib cylinder from 5 s to 7 s, m/s.
    pub jib_ms: f64,
    /// Lift and jib cylinder.
    pub cylinders: [CylinderOptions; 2],
}

impl Default for Manoeuvre {
    fn default() -> Self {
        Self { lift_ms: 0.08, jib_ms: -0.05, cylinders: [LIFT, JIB] }
    }
}

/// The two cylinders with the usual manoeuvre; their positions count from the start.
#[must_use]
pub fn circuit() -> Circuit {
    circuit_for(Manoeuvre::default())
}

/// The two cylinders with another manoeuvre.
#[must_use]
pub fn circuit_for(manoeuvre: Manoeuvre) -> Circuit {
    let pulse = |begin_s, end_s, value| Trapezoid { begin_s, end_s, ramp_s: 0.2, value };
    let lift = vec![pulse(1.0, 2.4, -0.050), pulse(4.2, 7.2, manoeuvre.lift_ms)];
    let jib = vec![pulse(5.0, 7.0, manoeuvre.jib_ms)];
    let [first, second] = manoeuvre.cylinders;
    Circuit { cylinders: vec![first.cylinder(START_M[0], lift), second.cylinder(START_M[1], jib)] }
}

/// At rest under the given forces: 3 MPa on the rod side of the lift and on the bore side of the jib cylinder.
#[must_use]
pub fn start(circuit: &Circuit, forces: &[f64]) -> CircuitState {
    let given = [1, 0];
    let state = |(k, cylinder): (usize, &Cylinder)| cylinder.holding(0.0, forces[k], given[k], 3e6);
    CircuitState { cylinders: circuit.cylinders.iter().enumerate().map(state).collect() }
}
