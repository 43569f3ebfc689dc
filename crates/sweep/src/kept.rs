//! Units whose reset restores a state that was saved after instantiation: for FMUs whose `fmi2Reset` leaves something behind.

use std::sync::Arc;

use macrostep_description::ModelDescription;
use macrostep_master::unit::{Outcome, Unit, UnitError};
use macrostep_system::Catalogue;
use macrostep_system::scenario::Source;

use crate::study::Units;

/// A slot that no corrector uses.
const SLOT: usize = 16;

/// A catalogue of such units.
pub struct Kept<'a>(pub Units<'a>);

impl Catalogue for Kept<'_> {
    fn description(&self, source: &Source) -> Result<Arc<ModelDescription>, String> {
        self.0.description(source)
    }

    fn unit(&self, source: &Source, name: &str) -> Result<Box<dyn Unit>, String> {
        let mut inner = self.0.unit(source, name)?;
        inner.save(SLOT).map_err(|e| e.to_string())?;
        Ok(Box::new(KeptUnit(inner)))
    }

    fn isolates(&self) -> bool {
        self.0.isolates()
    }
}

/// A unit that has saved its state.
struct KeptUnit(Box<dyn Unit>);

/// Calls that are passed on.
macro_rules! passed_on {
    ($(fn $name:ident(&mut self $(, $argument:ident: $type:ty)*) -> $answer:ty;)*) => {$(
        fn $name(&mut self $(, $argument: $type)*) -> $answer {
            self.0.$name($($argument),*)
        }
    )*};
}

impl Unit for KeptUnit {
    fn reset(&mut self) -> Result<(), UnitError> {
        self.0.restore(SLOT)
    }

    fn name(&self) -> &str {
        self.0.name()
    }

    fn description(&self) -> &ModelDescription {
        self.0.description()
    }

    fn kind(&self) -> &'static str {
        self.0.kind()
    }

    fn is_parallel(&self) -> bool {
        self.0.is_parallel()
    }

    fn do_steps(&self) -> u64 {
        self.0.do_steps()
    }

    fn hidden_state(&mut self) -> Option<&mut [f64]> {
        self.0.hidden_state()
    }

    passed_on! {
        fn setup(&mut self, start_s: f64, stop_s: Option<f64>, tolerance: Option<f64>) -> Result<(), UnitError>;
        fn enter_initialization(&mut self) -> Result<(), UnitError>;
        fn exit_initialization(&mut self) -> Result<(), UnitError>;
        fn terminate(&mut self) -> Result<(), UnitError>;
        fn set_real(&mut self, refs: &[u32], values: &[f64]) -> Result<(), UnitError>;
        fn get_real(&mut self, refs: &[u32], values: &mut [f64]) -> Result<(), UnitError>;
        fn set_integer(&mut self, refs: &[u32], values: &[i32]) -> Result<(), UnitError>;
        fn get_integer(&mut self, refs: &[u32], values: &mut [i32]) -> Result<(), UnitError>;
        fn set_boolean(&mut self, refs: &[u32], values: &[bool]) -> Result<(), UnitError>;
        fn get_boolean(&mut self, refs: &[u32], values: &mut [bool]) -> Result<(), UnitError>;
        fn set_string(&mut self, refs: &[u32], values: &[&str]) -> Result<(), UnitError>;
        fn get_string(&mut self, refs: &[u32]) -> Result<Vec<String>, UnitError>;
        fn set_input_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &[f64]) -> Result<(), UnitError>;
        fn get_output_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &mut [f64]) -> Result<(), UnitError>;
        fn step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<Outcome, UnitError>;
        fn begin_step(&mut self, t_s: f64, step_s: f64, keep: bool) -> Result<(), UnitError>;
        fn save(&mut self, slot: usize) -> Result<(), UnitError>;
        fn restore(&mut self, slot: usize) -> Result<(), UnitError>;
        fn serialize(&mut self) -> Result<Vec<u8>, UnitError>;
        fn deserialize(&mut self, bytes: &[u8]) -> Result<(), UnitError>;
        fn directional(&mut self, unknown: &[u32], known: &[u32], d_known: &[f64], d_unknown: &mut [f64]) -> Result<(), UnitError>;
    }
}
