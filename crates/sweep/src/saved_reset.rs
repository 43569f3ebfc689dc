//! Units whose reset restores a state that was saved after instantiation: for FMUs whose `fmi2Reset` leaves something behind.

use std::sync::Arc;

use macrostep_description::ModelDescription;
use macrostep_import::fmu::Face;
use macrostep_master::unit::{Derivatives, Described, States, Steps, Unit, UnitError, Values};
use macrostep_system::Catalogue;
use macrostep_system::scenario::Source;

use crate::study::Units;

/// A slot that no corrector uses.
const SLOT: usize = 16;

/// A catalogue of such units.
pub struct SavedReset<'a>(pub Units<'a>);

impl Catalogue for SavedReset<'_> {
    fn description(&self, source: &Source) -> Result<Arc<ModelDescription>, String> {
        self.0.description(source)
    }

    fn unit(&self, source: &Source, name: &str) -> Result<Box<dyn Unit>, String> {
        let mut inner = self.0.unit(source, name)?;
        inner.save(SLOT).map_err(|e| e.to_string())?;
        Ok(Box::new(ResetUnit(inner)))
    }

    fn isolates(&self) -> bool {
        self.0.isolates()
    }

    fn faces(&self, source: &Source) -> Vec<Face> {
        self.0.faces(source)
    }
}

/// A unit that has saved its state.
struct ResetUnit(Box<dyn Unit>);

impl Described for ResetUnit {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn description(&self) -> &ModelDescription {
        self.0.description()
    }

    fn inner(&self) -> Option<&dyn Unit> {
        Some(self.0.as_ref())
    }

    fn inner_mut(&mut self) -> Result<Option<&mut dyn Unit>, UnitError> {
        Ok(Some(self.0.as_mut()))
    }
}

impl Values for ResetUnit {}

impl Derivatives for ResetUnit {}

impl States for ResetUnit {}

impl Steps for ResetUnit {
    fn do_steps(&self) -> u64 {
        self.0.do_steps()
    }
}

impl Unit for ResetUnit {
    fn reset(&mut self) -> Result<(), UnitError> {
        self.0.restore(SLOT)
    }
}
