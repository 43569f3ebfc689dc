//! The verbs of the coupling laboratory: `stability`, `converge`, `compare`.

pub mod arguments;
mod json;
mod regions;
pub mod stability;
mod sweeps;
