//! Parts of a system that the caller of this process gives: units, laws, a predictor and a corrector.

use std::sync::Arc;

use macrostep_description::ModelDescription;
use macrostep_master::Law;
use macrostep_master::correct::Corrector;
use macrostep_master::predict::Predictor;
use macrostep_master::unit::Unit;

/// Gives parts of a scenario that are not FMUs. A unit is `embedded:NAME` there, a law is of kind `given`.
pub trait Given: Send + Sync + std::fmt::Debug {
    /// What the unit of this name declares; `None` where there is none.
    fn description(&self, name: &str) -> Option<Arc<ModelDescription>>;

    /// A new instance of the unit of this name, called `instance` in the system.
    ///
    /// # Errors
    /// In words for a user: why there is none.
    fn unit(&self, name: &str, instance: &str) -> Result<Box<dyn Unit>, String>;

    /// The law of this name.
    fn law(&self, name: &str) -> Option<Box<dyn Law>>;

    /// A predictor in the place of the one that the scenario says.
    fn predictor(&self) -> Option<Arc<dyn Predictor>>;

    /// A corrector in the place of the one that the scenario says, with the scenario's tolerance and number of corrections, where it
    /// says them. Every call gives one that knows nothing yet.
    fn corrector(&self, tolerance: Option<f64>, corrections_max: Option<usize>) -> Option<Arc<dyn Corrector>>;

    /// Whether there is one.
    fn has_corrector(&self) -> bool;
}
