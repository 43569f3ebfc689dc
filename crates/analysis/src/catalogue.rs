//! Every model this program has, natively and as an FMU.

use macrostep_models::ModelEntry;

/// All of them, in the order of the embedded FMUs.
pub fn all() -> Vec<ModelEntry> {
    [
        macrostep_models::all(),
        #[cfg(feature = "full")]
        macrostep_models_mechanics::all(),
        #[cfg(feature = "full")]
        macrostep_models_flexible::all(),
    ]
    .concat()
}

/// The model of this identifier.
pub fn find(identifier: &str) -> Option<ModelEntry> {
    all().into_iter().find(|e| e.identifier == identifier)
}
