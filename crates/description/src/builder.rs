//! Declaring a model of ours.

/// Collects a declaration.
#[derive(Debug, Default)]
pub struct Builder;
