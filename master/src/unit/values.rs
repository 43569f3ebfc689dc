//! Values of a unit's variables, by value reference.

use super::{Described, UnitError, lacks};

/// Sets inputs and parameters, and reads outputs. A type of variables that a unit does not have needs no code.
pub trait Values: Described {
    /// `fmi2SetReal`; as many values as references.
    #[inline]
    fn set_real(&mut self, refs: &[u32], values: &[f64]) -> Result<(), UnitError> {
        match self.inner_mut()? {
            Some(unit) => unit.set_real(refs, values),
            None => lacks(self, "fmi2SetReal"),
        }
    }

    /// `fmi2GetReal`.
    #[inline]
    fn get_real(&mut self, refs: &[u32], values: &mut [f64]) -> Result<(), UnitError> {
        match self.inner_mut()? {
            Some(unit) => unit.get_real(refs, values),
            None => lacks(self, "fmi2GetReal"),
        }
    }

    /// `fmi2SetInteger`, also for enumerations.
    fn set_integer(&mut self, refs: &[u32], values: &[i32]) -> Result<(), UnitError> {
        match self.inner_mut()? {
            Some(unit) => unit.set_integer(refs, values),
            None => lacks(self, "fmi2SetInteger"),
        }
    }

    /// `fmi2GetInteger`.
    fn get_integer(&mut self, refs: &[u32], values: &mut [i32]) -> Result<(), UnitError> {
        match self.inner_mut()? {
            Some(unit) => unit.get_integer(refs, values),
            None => lacks(self, "fmi2GetInteger"),
        }
    }

    /// `fmi2SetBoolean`.
    fn set_boolean(&mut self, refs: &[u32], values: &[bool]) -> Result<(), UnitError> {
        match self.inner_mut()? {
            Some(unit) => unit.set_boolean(refs, values),
            None => lacks(self, "fmi2SetBoolean"),
        }
    }

    /// `fmi2GetBoolean`.
    fn get_boolean(&mut self, refs: &[u32], values: &mut [bool]) -> Result<(), UnitError> {
        match self.inner_mut()? {
            Some(unit) => unit.get_boolean(refs, values),
            None => lacks(self, "fmi2GetBoolean"),
        }
    }

    /// `fmi2SetString`.
    fn set_string(&mut self, refs: &[u32], values: &[&str]) -> Result<(), UnitError> {
        match self.inner_mut()? {
            Some(unit) => unit.set_string(refs, values),
            None => lacks(self, "fmi2SetString"),
        }
    }

    /// `fmi2GetString`, copied out; a NULL string reads as empty.
    fn get_string(&mut self, refs: &[u32]) -> Result<Vec<String>, UnitError> {
        match self.inner_mut()? {
            Some(unit) => unit.get_string(refs),
            None => lacks(self, "fmi2GetString"),
        }
    }
}
