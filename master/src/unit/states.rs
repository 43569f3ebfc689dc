//! The whole state of a unit, kept aside and given back.

use super::{Described, UnitError, lacks};

/// Goes back to a state: what every method that repeats steps needs.
pub trait States: Described {
    /// `fmi2GetFMUstate` into the numbered slot, which is reused.
    fn save(&mut self, slot: usize) -> Result<(), UnitError> {
        match self.inner_mut()? {
            Some(unit) => unit.save(slot),
            None => lacks(self, "fmi2GetFMUstate"),
        }
    }

    /// `fmi2SetFMUstate` from a slot saved before.
    fn restore(&mut self, slot: usize) -> Result<(), UnitError> {
        match self.inner_mut()? {
            Some(unit) => unit.restore(slot),
            None => lacks(self, "fmi2SetFMUstate"),
        }
    }

    /// `fmi2SerializeFMUstate` of the state now.
    fn serialize(&mut self) -> Result<Vec<u8>, UnitError> {
        match self.inner_mut()? {
            Some(unit) => unit.serialize(),
            None => lacks(self, "fmi2SerializeFMUstate"),
        }
    }

    /// `fmi2DeSerializeFMUstate` and make it the state.
    fn deserialize(&mut self, bytes: &[u8]) -> Result<(), UnitError> {
        match self.inner_mut()? {
            Some(unit) => unit.deserialize(bytes),
            None => lacks(self, "fmi2DeSerializeFMUstate"),
        }
    }

    /// The real numbers of the unit's own state, to be read and changed between steps: for one-step maps. `None` where they
    /// are out of reach, as behind the C interface.
    fn hidden_state(&mut self) -> Option<&mut [f64]> {
        self.inner_mut().ok()??.hidden_state()
    }
}
