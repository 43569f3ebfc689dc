//! The models of macrostep, each declared once: description, equations, documentation.

mod entry;

pub use entry::ModelEntry;

/// Every model that is packed as an FMU.
pub fn all() -> Vec<ModelEntry> {
    Vec::new()
}

/// The model of this identifier.
pub fn find(identifier: &str) -> Option<ModelEntry> {
    all().into_iter().find(|e| e.identifier == identifier)
}
