//! The two-mass oscillator, divided in two and coupled again, in every cut of the benchmark.
//!
//! | name | subsystems 1 / 2 | subsystem 1 gets | subsystem 2 gets | coupling law |
//! |---|---|---|---|---|
//! | f-s | D / F | ξ = x2, ξ̇ = v2 | f = f^c | in subsystem 1 |
//! | s-f | F / D | f = f^c | ξ = x1, ξ̇ = v1 | in subsystem 2 |
//! | s-s | D / D | ξ = x2, ξ̇ = v2 | ξ = x1, ξ̇ = v1 | in both |
//! | f-f | F / F | f = f^c | f = f^c | in the master |
//!
//! A predictor that predicts motions (its edge lies before the law) has the law in the master for every force input.
//!
//! References: \[LIM 2021\], section 2; equation (8) is the coupling law.

mod build;
mod order;
mod outcome;
mod run;

pub use build::{Coupled, build};
pub use order::slope;
pub(crate) use order::unsolvable;
pub(crate) use outcome::larger;
pub use outcome::{Outcome, Recorder};
pub use run::run;

use clap::ValueEnum;
pub use macrostep_benchmarks::{Coupling, Integrator, Kind};
use macrostep_master::Method;
use macrostep_oscillator::{Exact, Force, ParameterError, Parameters};

/// Where samples before t = 0 come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Start {
    /// None: the degree grows 0, 1, …, K in the first steps
    #[default]
    Ramp,
    /// From the exact solution
    Exact,
}

/// Power bonds of a pair, whose residual energy is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bonds {
    /// None, which costs no time.
    #[default]
    Unwatched,
    /// That of the coupling, named with its gains.
    Named,
    /// Those that units of measurement show, as in a scenario that names none: none where both subsystems own the spring.
    Found,
}

/// A pair to be run.
#[derive(Debug, Clone)]
pub struct Pair {
    /// Masses, springs, dampers, start.
    pub parameters: Parameters,
    /// Decomposition.
    pub coupling: Coupling,
    /// Coupling scheme; units are 0 and 1.
    pub method: Method,
    /// The macro step H \[s\] of the slow subsystem.
    pub step_s: f64,
    /// Communication steps of subsystems 1 and 2 as fractions of H.
    pub shares: [(u32, u32); 2],
    /// Micro step h \[s\] of the subsystems; `None`: their communication steps.
    pub micro_step_s: Option<f64>,
    /// Micro integrator.
    pub integrator: Integrator,
    /// How histories begin.
    pub start: Start,
    /// What of its energy is watched.
    pub bonds: Bonds,
    /// External forces on the masses.
    pub force: Option<Force>,
    /// Stop time \[s\].
    pub stop_s: f64,
}

impl Pair {
    /// Case 1, exact subsystems, single rate, ramp start, no power bond.
    pub fn new(coupling: Coupling, method: Method, step_s: f64, stop_s: f64) -> Self {
        Pair {
            parameters: Parameters::case_1(),
            coupling,
            method,
            step_s,
            shares: [(1, 1); 2],
            micro_step_s: None,
            integrator: Integrator::Exact,
            start: Start::Ramp,
            bonds: Bonds::Unwatched,
            force: None,
            stop_s,
        }
    }

    /// The exact solution.
    ///
    /// # Errors
    /// Parameters that have none.
    pub fn exact(&self) -> Result<Exact, ParameterError> {
        match &self.force {
            Some(force) => Exact::forced(&self.parameters, force.clone()),
            None => Exact::new(&self.parameters),
        }
    }
}
