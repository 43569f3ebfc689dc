//! Every model this program carries as an FMU.

use macrostep_models::ModelEntry;

/// The oscillators, then the mechanics.
pub fn all() -> Vec<ModelEntry> {
    macrostep_models::all().into_iter().chain(macrostep_models_mechanics::all()).collect()
}

/// The model of this identifier.
pub fn find(identifier: &str) -> Option<ModelEntry> {
    macrostep_models::find(identifier).or_else(|| macrostep_models_mechanics::find(identifier))
}
