//! Several cylinders as one fast subsystem.

use crate::{Cylinder, CylinderState, FastSide};

/// Definition: one cylinder for each interface coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct Circuit {
    /// The cylinders.
    pub cylinders: Vec<Cylinder>,
}

/// State of a circuit.
#[derive(Clone, Debug, PartialEq)]
pub struct CircuitState {
    /// One state a cylinder.
    pub cylinders: Vec<CylinderState>,
}

impl FastSide for Circuit {
    type State = CircuitState;

    fn force(&self, state: &CircuitState, speed: &[f64], force: &mut [f64]) {
        for (i, cylinder) in self.cylinders.iter().enumerate() {
            force[i] = cylinder.force(&state.cylinders[i], speed[i]);
        }
    }

    fn advance(&self, state: &mut CircuitState, speed: &[f64], step_s: f64, time_s: f64) {
        for (i, cylinder) in self.cylinders.iter().enumerate() {
            cylinder.advance(&mut state.cylinders[i], speed[i], step_s, time_s);
        }
    }

    fn synchronise(&self, state: &mut CircuitState, position: &[f64]) {
        for (cylinder, &s) in state.cylinders.iter_mut().zip(position) {
            cylinder.position_m = s;
        }
    }
}
