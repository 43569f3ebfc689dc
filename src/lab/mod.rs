//! The coupling laboratory: schemes by name, scenarios they run on, and what is measured of them.
//!
//! ```text
//! Scheme (crate::scheme): coupling × schedule × predictor × correction … ──► Method
//!                                                  │
//! Scenario: a coupled system with a solution ──────┼──► Simulation ──► one-step map ──► spectral radius, limits
//!                                                  └──► errors over H ──► orders, work and precision
//! ```

pub mod advise;
pub mod assembled;
pub mod dimensionless;
pub mod measure;
pub mod reference;
pub mod region;
pub mod signal;
pub mod sweep;

mod chain;
mod circuit;
mod cylinder;
mod oscillator;
mod scenario;
mod spring;

pub use chain::Chain;
pub use circuit::Circuit;
pub use cylinder::Cylinder;
pub use oscillator::Oscillator;
pub use scenario::{Bond, Card, Coupled, Benchmark, Setup};
pub use spring::{HardeningSpring, NonlinearSpring};

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
        Box::new(Cylinder::default()),
    ]
}
