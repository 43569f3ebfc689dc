//! Units whose reset restores a state that was saved after instantiation: for FMUs whose `fmi2Reset` leaves something behind.

use std::sync::Arc;

use macrostep_description::ModelDescription;
use macrostep_import::fmu::Face;
use macrostep_master::forward;
use macrostep_master::unit::{Unit, UnitError};
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

impl Unit for ResetUnit {
    fn reset(&mut self) -> Result<(), UnitError> {
        self.0.restore(SLOT)
    }

    forward! { self => self.0;
        name description shared_description kind is_parallel distance gains_by_trials do_steps warned hidden_state
        setup enter_initialization exit_initialization terminate set_real get_real set_integer get_integer set_boolean get_boolean
        set_string get_string set_input_derivatives get_output_derivatives step begin_step trials save restore serialize deserialize
        directional
    }
}
