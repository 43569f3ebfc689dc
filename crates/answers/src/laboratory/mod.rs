//! The verbs that compare coupling methods: `stability`, `converge`, `compare`, `advise`, and `energy` of a file.

pub mod advise;
pub mod arguments;
#[cfg(feature = "full")]
pub mod compare;
pub mod converge;
mod convergence;
pub mod energy;
mod json;
mod missed;
mod regions;
pub mod stability;
pub mod subject;
mod sweeps;
#[cfg(feature = "full")]
mod work;
