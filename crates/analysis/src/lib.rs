//! Analyses of coupled systems: schemes by name, systems to run them on, and measurements.
//!
//! ```text
//! Scheme (scheme): coupling × schedule × predictor × correction … ──► Method
//!                                                  │
//! Benchmark: a coupled system with a solution ─────┼──► Simulation ──► one-step map ──► spectral radius, limits
//!                                                  └──► errors over H ──► orders, work and precision
//! ```

pub mod advise;
pub mod assembled;
pub mod candidates;
pub mod catalogue;
pub mod dimensionless;
pub mod file;
pub mod interfaces;
pub mod measure;
pub mod missed;
pub mod models;
mod nudged;
pub mod pair;
pub mod perturbed;
pub mod reference;
pub mod region;
pub mod scheme;
pub mod signal;
pub mod sweep;
pub mod trajectory;
pub mod trial;
pub mod written;

mod chain;
mod circuit;
mod confirmed;
mod controlled;
mod cylinder;
mod explore;
mod oscillator;
mod scenario;
mod spring;

pub use chain::Chain;
pub use circuit::Circuit;
pub use cylinder::Cylinder;
pub use file::FromFile;
pub use oscillator::{Oscillator, parameters_of, solution_of};
pub use scenario::{Benchmark, Bond, Card, Coupled, Growth, Quantity, Setup, Solution, Source};
pub use spring::NonlinearSpring;

pub use crate::scheme::Scheme;

/// The scenarios this program carries, in the order of their description.
pub fn scenarios() -> Vec<Box<dyn Benchmark>> {
    vec![
        Box::new(Oscillator::test_model()),
        Box::new(Oscillator::case_1()),
        Box::new(Oscillator::case_2()),
        Box::new(NonlinearSpring::default()),
        Box::new(Chain::default()),
        Box::new(Circuit::default()),
        Box::new(Cylinder),
    ]
}
