//! A *catalogue* of FMUs: what they declare, and units made of them.

#[cfg(not(target_family = "wasm"))]
mod fmus;

#[cfg(not(target_family = "wasm"))]
pub use fmus::{Embedded, Fmus};

use crate::scenario::Source;
use crate::words::Rollback;
use macrostep_description::ModelDescription;
use macrostep_import::Face;
use macrostep_master::Law;
use macrostep_master::correct::Corrector;
use macrostep_master::predict::Predictor;
use macrostep_master::unit::Unit;
use std::sync::Arc;

/// Where descriptions and units come from. In this process: `Fmus`.
pub trait Catalogue {
    /// What the FMU declares.
    ///
    /// # Errors
    /// In words for a user: why it cannot be read.
    fn description(&self, source: &Source) -> Result<Arc<ModelDescription>, String>;

    /// An instance of it.
    ///
    /// # Errors
    /// In words for a user: why there is none.
    fn unit(&self, source: &Source, name: &str) -> Result<Box<dyn Unit>, String>;

    /// An instance of it that goes back by fork, and so can get and set its state.
    ///
    /// # Errors
    /// In words for a user: why there is none.
    fn forked(&self, _source: &Source, _name: &str) -> Result<Box<dyn Unit>, String> {
        Err("it has no process of its own that could be forked".to_owned())
    }

    /// An instance that is thrown away after it was tried: not among those that a run counts or times.
    ///
    /// # Errors
    /// As [`Catalogue::unit`].
    fn scratch(&self, source: &Source, name: &str) -> Result<Box<dyn Unit>, String> {
        self.unit(source, name)
    }

    /// The law of kind `given` that has this name in the scenario.
    fn law(&self, _name: &str) -> Option<Box<dyn Law>> {
        None
    }

    /// A predictor in the place of the one that the scenario says.
    fn predictor(&self) -> Option<Arc<dyn Predictor>> {
        None
    }

    /// A corrector in the place of the one that the scenario says, with the scenario's tolerance and number of corrections, where it
    /// says them.
    fn corrector(&self, _tolerance: Option<f64>, _corrections_max: Option<usize>) -> Option<Arc<dyn Corrector>> {
        None
    }

    /// How instances go back where a method repeats steps.
    fn rollback(&self) -> Rollback {
        Rollback::Own
    }

    /// The faces of the FMU, the one that it is driven by first.
    fn faces(&self, _source: &Source) -> Vec<Face> {
        vec![Face::CoSimulation]
    }

    /// Whether instances of an FMU that may be instantiated only once per process run each in one of their own.
    fn isolates(&self) -> bool {
        false
    }
}
