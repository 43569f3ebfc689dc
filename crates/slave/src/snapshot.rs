//! A saved state.

/// Everything of a slave that changes, saved. Made empty, filled by [`crate::Slave::save`], and reused without
/// allocation by the next save of the same model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Snapshot {}
