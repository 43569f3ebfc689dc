//! What a unit is told before its first step, and what is known of it beyond its description.

use crate::ids::UnitId;
use crate::system::System;
use crate::unit::Start;

/// What a unit is told when it is initialised.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    /// Relative tolerance of its own solver.
    pub tolerance: Option<f64>,
    pub starts: Vec<Start>,
}

impl System {
    /// Gives a unit another relative tolerance for its own solver; `None`: no tolerance is defined.
    pub fn tolerance(&mut self, unit: UnitId, tolerance: Option<f64>) {
        self.settings[unit.0].tolerance = tolerance;
    }

    /// Says up to which order a unit takes derivatives of its inputs, where that was tried: 0 if it holds them over a step. Polynomials of a
    /// higher degree are sent in parts of this degree ([`Method::deviation`](crate::Method::deviation)).
    pub fn input_order(&mut self, unit: UnitId, order: usize) {
        self.input_orders[unit.0] = order;
    }

    /// Adds a start value, which the unit gets whenever it is initialised: after those added before.
    pub fn start(&mut self, unit: UnitId, start: Start) {
        self.settings[unit.0].starts.push(start);
    }
}
