//! Options of the verbs about systems.

use std::path::PathBuf;

use clap::Args;
use macrostep_system::words::{Control, Correct, Energy, Named, Predict, Rollback, Sampling, Schedule};

use crate::numbers::{part, positive};
use crate::slaves::SlaveArguments;

/// A scenario, and options that override it.
#[derive(Debug, Clone, Default, Args)]
pub struct SystemArguments {
    /// A scenario, .toml, .ssd or .ssp, or a built-in system: NAME or NAME:VARIANT, as `macrostep systems` lists them
    #[arg(value_name = "SYSTEM")]
    pub system: PathBuf,
    /// Where the first one is an FMU: those it is coupled with, by a scenario that is proposed as `macrostep new` does [default: none]
    #[arg(value_name = "FMU")]
    pub fmus: Vec<PathBuf>,
    /// Macro step H in seconds [default: the scenario's]
    #[arg(long, value_name = "H", value_parser = positive, allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// End of the run in seconds [default: the scenario's]
    #[arg(long, value_name = "T", value_parser = positive, allow_negative_numbers = true)]
    pub stop: Option<f64>,
    /// Relative tolerance of the solvers inside the FMUs [default: the scenario's, or what each FMU proposes]
    #[arg(long, value_name = "TOLERANCE", value_parser = positive)]
    pub solver_tolerance: Option<f64>,
    /// Schedule, predictor and corrector in one: jerk (explicit, order 6), waveform (implicit, on nodes inside of steps that it
    /// chooses), waveform:Q (the same on Q + 1 nodes, steps of one length), palindromic (symmetric) [default: the scenario's]
    #[arg(long, value_name = "METHOD")]
    pub method: Option<Named>,
    /// Prediction of inputs: hold, linear, quadratic, poly:K, ia0, ia:K, h3, h5, jerk, jerk:3, rates, mean, spectral:Q, kalman:K:R
    /// [default: the scenario's]
    #[arg(long, value_name = "PREDICTOR")]
    pub predict: Option<Predict>,
    /// Order of the steps: jacobi, gauss-seidel, gauss-seidel-reversed, palindromic, palindromic-reversed, or gauss-seidel:A,B,… and
    /// palindromic:A,B,… with an order of the units [default: the scenario's]
    #[arg(long, value_name = "SCHEDULE")]
    pub schedule: Option<Order>,
    /// Corrector, which repeats macro steps [default: the scenario's]
    #[arg(long, value_enum, value_name = "CORRECTOR")]
    pub correct: Option<Correct>,
    /// Relative tolerance of the corrector, above 0 and below 1 [default: the scenario's, or 1e-12]
    #[arg(long, value_name = "TOLERANCE", value_parser = part)]
    pub corrector_tolerance: Option<f64>,
    /// Evaluation of feed-through outputs [default: the scenario's]
    #[arg(long, value_enum, value_name = "SAMPLING")]
    pub sampling: Option<Sampling>,
    /// Energy correction, for the residual energy of power bonds [default: the scenario's]
    #[arg(long, value_enum, value_name = "ENERGY")]
    pub energy: Option<Energy>,
    /// Step control, with macro steps up to H [default: the scenario's]
    #[arg(long, value_enum, value_name = "CONTROL")]
    pub control: Option<Control>,
    /// Relative tolerance of step control: of predicted inputs, or of residual power [default: the scenario's, or 1e-4]
    #[arg(long, value_name = "TOL", value_parser = positive, allow_negative_numbers = true)]
    pub control_tolerance: Option<f64>,
    /// Another value: UNIT.VARIABLE=VALUE; may be repeated [default: none]
    #[arg(long, value_name = "UNIT.VARIABLE=VALUE")]
    pub set: Vec<String>,
    /// Apply a parameter set of the scenario after its own; may be repeated [default: none]
    #[arg(long, value_name = "NAME")]
    pub parameters: Vec<String>,
    /// How slaves go back where a method repeats steps
    #[arg(long, value_enum, value_name = "ROLLBACK", default_value = "auto")]
    pub rollback: Rollback,
    /// Threads for steps of slaves in this process; steps that do not need each other's results are made at the same time. Results are
    /// the same to the bit. The FMUs' libraries must allow calls of different instances at the same time [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), conflicts_with = "isolate")]
    pub threads: Option<u16>,
    /// How slaves run.
    #[command(flatten)]
    pub slaves: SlaveArguments,
}

/// A schedule with an order of units.
#[derive(Debug, Clone)]
pub struct Order {
    /// Jacobi or Gauss–Seidel.
    pub schedule: Schedule,
    /// Names; empty where none was given.
    pub order: Vec<String>,
}

impl std::str::FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, order) = text.split_once(':').unwrap_or((text, ""));
        let order = order.split(',').map(str::trim).filter(|n| !n.is_empty()).map(str::to_owned).collect();
        Ok(Order { schedule: word.parse()?, order })
    }
}

/// The recorded variables of a system.
#[derive(Debug, Clone, Args)]
pub struct RecordArguments {
    /// Record these variables, UNIT.VARIABLE of any type, where `*` stands for any letters; may be repeated
    /// [default: the scenario's, or real outputs except elements of arrays]
    #[arg(long, value_name = "PATTERN")]
    pub record: Vec<String>,
    /// Record every N-th communication point, and the last: the key `every` of `[record]` [default: the scenario's, or 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub record_every: Option<u64>,
}

/// `macrostep verify`.
#[derive(Debug, Args)]
#[command(after_help = "Exit code 3 if `--tolerance` is not met")]
pub struct VerifyArguments {
    /// The system.
    #[command(flatten)]
    pub system: SystemArguments,
    /// Largest error allowed, relative to the amplitude of each output. If an output has a larger one, smaller steps and other methods are
    /// run, and one of each that meets it is named [default: none, errors are shown]
    #[arg(long, value_name = "ERROR", value_parser = positive, allow_negative_numbers = true)]
    pub tolerance: Option<f64>,
    /// What is recorded.
    #[command(flatten)]
    pub record: RecordArguments,
    /// Write the outputs as tests to this file too, in the JUnit format that CI systems read: those above `--tolerance` fail
    /// [default: none]
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Print one JSON object instead of a table [default: off]
    #[arg(long)]
    pub json: bool,
}
