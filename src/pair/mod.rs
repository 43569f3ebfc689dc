//! The two-mass oscillator cut in two and coupled again, in every decomposition of the benchmark.
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

pub use build::{Coupled, Foundry, build};
pub use order::{Errors, global, local, slope};
pub use outcome::{Found, Outcome, Recorder};
pub use run::{Resumed, Wish, Witness, run, state, watched};

use clap::ValueEnum;
use macrostep_master::Method;
use macrostep_oscillator::Parameters;

/// What each subsystem is driven by: D (owns the coupling, driven by a displacement) or F (driven by a force).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum, serde::Serialize)]
pub enum Coupling {
    /// D/F: mass 1 owns the coupling, mass 2 is driven by its force
    #[value(name = "f-s")]
    #[serde(rename = "f-s")]
    ForceDisplacement,
    /// F/D: the mirror of f-s
    #[value(name = "s-f")]
    #[serde(rename = "s-f")]
    DisplacementForce,
    /// D/D: each mass has a copy of the coupling and is driven by the other's displacement
    #[value(name = "s-s")]
    #[serde(rename = "s-s")]
    DisplacementDisplacement,
    /// F/F: the coupling law stands outside, both masses are driven by its force
    #[value(name = "f-f")]
    #[serde(rename = "f-f")]
    ForceForce,
}

/// What an oscillator subsystem is driven by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// By the other's motion (D): it owns k_c and c_c.
    Displacement,
    /// By a force (F).
    Force,
}

impl Coupling {
    /// All four, in the order of the benchmark, the mirror second.
    pub const ALL: [Coupling; 4] = [
        Coupling::ForceDisplacement,
        Coupling::DisplacementForce,
        Coupling::DisplacementDisplacement,
        Coupling::ForceForce,
    ];

    /// Kinds of subsystems 1 and 2.
    pub fn kinds(self) -> [Kind; 2] {
        match self {
            Coupling::ForceDisplacement => [Kind::Displacement, Kind::Force],
            Coupling::DisplacementForce => [Kind::Force, Kind::Displacement],
            Coupling::DisplacementDisplacement => [Kind::Displacement, Kind::Displacement],
            Coupling::ForceForce => [Kind::Force, Kind::Force],
        }
    }

    /// The benchmark's name, "f-s".
    pub fn name(self) -> &'static str {
        match self {
            Coupling::ForceDisplacement => "f-s",
            Coupling::DisplacementForce => "s-f",
            Coupling::DisplacementDisplacement => "s-s",
            Coupling::ForceForce => "f-f",
        }
    }

    /// The letters, "D/F".
    pub fn letters(self) -> &'static str {
        match self {
            Coupling::ForceDisplacement => "D/F",
            Coupling::DisplacementForce => "F/D",
            Coupling::DisplacementDisplacement => "D/D",
            Coupling::ForceForce => "F/F",
        }
    }

    /// Name in words.
    pub fn words(self) -> &'static str {
        match self {
            Coupling::ForceDisplacement => "force-displacement",
            Coupling::DisplacementForce => "displacement-force",
            Coupling::DisplacementDisplacement => "displacement-displacement",
            Coupling::ForceForce => "force-force",
        }
    }

    /// Whether a subsystem sends a force that depends on its input.
    pub fn has_feed_through(self) -> bool {
        matches!(self, Coupling::ForceDisplacement | Coupling::DisplacementForce)
    }
}

/// What a subsystem integrates its own equations by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, serde::Serialize)]
pub enum Integrator {
    /// Semi-implicit Euler, equation (7), order 1
    #[value(name = "sie")]
    #[serde(rename = "sie")]
    SemiImplicitEuler,
    /// Classical Runge–Kutta, order 4
    #[value(name = "rk4")]
    #[serde(rename = "rk4")]
    RungeKutta4,
    /// Matrix exponential with polynomial input: leaves the coupling error alone
    #[default]
    #[serde(rename = "exact")]
    Exact,
}

impl Integrator {
    /// Name of the item in the FMUs' enumeration.
    pub fn item(self) -> &'static str {
        match self {
            Integrator::SemiImplicitEuler => "semi_implicit_euler",
            Integrator::RungeKutta4 => "runge_kutta_4",
            Integrator::Exact => "exact",
        }
    }
}

/// Where samples before t = 0 come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Start {
    /// From nowhere: the degree grows 0, 1, …, K in the first steps
    #[default]
    Ramp,
    /// From the exact solution
    Exact,
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
    /// Whether the coupling is declared a power bond, so that its residual energy is watched.
    pub bond: bool,
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
            bond: false,
            stop_s,
        }
    }
}
