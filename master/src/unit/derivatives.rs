//! Derivatives of a unit's inputs and outputs: in time, and of one by the other.

use super::{Described, Tangent, UnitError, lacks};

/// What a unit can do beyond values that are held; its description says which of it.
pub trait Derivatives: Described {
    /// `fmi2SetRealInputDerivatives`: `values[i]` is the derivative of order `orders[i]` (1 …) of input `refs[i]` at
    /// the next step's start.
    #[inline]
    fn set_input_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &[f64]) -> Result<(), UnitError> {
        match self.inner_mut()? {
            Some(unit) => unit.set_input_derivatives(refs, orders, values),
            None => lacks(self, "fmi2SetRealInputDerivatives"),
        }
    }

    /// `fmi2GetRealOutputDerivatives`.
    #[inline]
    fn get_output_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &mut [f64]) -> Result<(), UnitError> {
        match self.inner_mut()? {
            Some(unit) => unit.get_output_derivatives(refs, orders, values),
            None => lacks(self, "fmi2GetRealOutputDerivatives"),
        }
    }

    /// `fmi2GetDirectionalDerivative`.
    fn directional(&mut self, of: Tangent<'_>) -> Result<(), UnitError> {
        match self.inner_mut()? {
            Some(unit) => unit.directional(of),
            None => lacks(self, "fmi2GetDirectionalDerivative"),
        }
    }
}
