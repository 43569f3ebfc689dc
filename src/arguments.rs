//! What may be typed, and the help that says so.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::laboratory::arguments::{AdviseArguments, CompareArguments, ConvergeArguments, StabilityArguments};
use crate::terms::{
    Case, Correct, Coupling, Derivative, Fast, GsVariant, Integrator, Predict, Rate, Sampling, Schedule, Setting,
    Start, Units,
};

/// FMI 2.0 co-simulation of mechanical subsystems, and how far the result is from exact
///
/// Without a command: the main job. Every coupling × Jacobi and Gauss–Seidel × hold, linear, quadratic × explicit and Newton,
/// for both cases of the benchmark, through the FMUs; prints a table, writes results and pictures.
#[derive(Debug, Parser)]
#[command(name = "macrostep", version, args_conflicts_with_subcommands = true, max_term_width = 110)]
#[command(after_help = "Exit codes: 0 done, 1 failed, 2 usage, 3 comparison out of tolerance")]
pub struct Arguments {
    /// Which command
    #[command(subcommand)]
    pub verb: Option<Verb>,
    /// Folder the main job writes to
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub out: PathBuf,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Co-simulate the two-mass oscillator once and compare with the exact solution
    Oscillator(Box<OscillatorArguments>),
    /// Stability regions and growth rates of coupling schemes, from one-step maps of the code that runs them
    Stability(Box<StabilityArguments>),
    /// Observed orders of coupling schemes, global and local, positions and velocities
    Converge(Box<ConvergeArguments>),
    /// Accuracy of coupling schemes against calls of fmi2DoStep and time
    Compare(Box<CompareArguments>),
    /// Which scheme and macro step for a tolerance, with the error and growth to expect
    Advise(Box<AdviseArguments>),
    /// Write the FMUs this program carries
    Fmus(FmusArguments),
}

/// `macrostep fmus`.
#[derive(Debug, Args)]
pub struct FmusArguments {
    /// Folder to write to; made if missing
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

/// `macrostep oscillator`.
#[derive(Debug, Args)]
pub struct OscillatorArguments {
    /// Parameters of Table 1
    #[arg(long, value_enum, default_value = "1")]
    pub case: Case,
    /// What the subsystems exchange
    #[arg(long, value_enum, default_value = "f-s")]
    pub coupling: Coupling,
    /// Who steps when
    #[arg(long, value_enum, default_value = "jacobi")]
    pub schedule: Schedule,
    /// Prediction of the inputs: hold, linear, quadratic or poly:K (values); ia0, ia1, ia2 or ia:K (accelerations of degree K,
    /// integrated); h3 or h5 (Hermite)
    #[arg(long, value_name = "PREDICTOR", default_value = "linear")]
    pub predict: Predict,
    /// Integrated acceleration, Gauss–Seidel: polynomial of the body whose end is known [default: h3]
    #[arg(long, value_enum, value_name = "VARIANT")]
    pub gs_variant: Option<GsVariant>,
    /// Correction of a macro step
    #[arg(long, value_enum, default_value = "explicit")]
    pub correct: Correct,
    /// Macro step H of the slow side in seconds
    #[arg(long, value_name = "H", default_value = "1e-3", value_parser = positive)]
    pub step: f64,
    /// The fast side steps H/R; R as 5 or 3/2
    #[arg(long, value_name = "R", default_value = "1")]
    pub rate: Rate,
    /// The fast side; only with a rate above 1 [default: 2]
    #[arg(long, value_enum)]
    pub fast: Option<Fast>,
    /// Micro step h of both subsystems in seconds; not with exact integration [default: the own macro step]
    #[arg(long, value_name = "h", value_parser = positive)]
    pub micro: Option<f64>,
    /// Integrator inside the subsystems
    #[arg(long, value_enum, default_value = "exact")]
    pub integrator: Integrator,
    /// Samples before t = 0
    #[arg(long, value_enum, default_value = "ramp")]
    pub start: Start,
    /// Evaluation of a coupling force or acceleration that a subsystem sends
    #[arg(long, value_enum, default_value = "updated")]
    pub sampling: Sampling,
    /// Velocity of a displacement input
    #[arg(long, value_enum, default_value = "passed")]
    pub derivative: Derivative,
    /// End of the run in seconds
    #[arg(long, value_name = "T", default_value = "10", value_parser = positive)]
    pub stop: f64,
    /// Another value for a parameter: m1 m2 k1 k_c k2 c1 c_c c2 x1_0 x2_0 v1_0 v2_0; may be repeated [default: none]
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<Setting>,
    /// Record every N-th macro point, and the last; errors are taken at all of them
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u64).range(1..))]
    pub record_every: u64,
    /// What the subsystems are
    #[arg(long, value_enum, default_value = "fmu")]
    pub units: Units,
    /// Folder for trace, scenario, result and pictures; made if missing [default: nothing is written]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print one JSON object instead of a table [default: off]
    #[arg(long)]
    pub json: bool,
    /// Largest relative position error allowed; above it the exit code is 3 [default: any]
    #[arg(long, value_name = "ERROR", value_parser = positive)]
    pub tolerance: Option<f64>,
}

/// A finite number above 0.
pub fn positive(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|value: &f64| value.is_finite() && *value > 0.0)
        .ok_or("expected a number above 0".to_owned())
}
