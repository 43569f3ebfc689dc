//! Options of the verbs about systems.

use std::path::PathBuf;

use clap::Args;
use macrostep_system::words::{Control, Correct, Energy, Named, Predict, Rollback, Sampling, Schedule};

use crate::arguments::positive;
use crate::checkpoint::CheckpointArguments;
use crate::formats::FormatArguments;
use crate::slaves::SlaveArguments;

/// A scenario and what is to be different about it.
#[derive(Debug, Clone, Default, Args)]
pub struct SystemArguments {
    /// A scenario, .toml, .ssd or .ssp, or a built-in system: NAME or NAME:VARIANT, as `macrostep systems` lists them
    #[arg(value_name = "SYSTEM")]
    pub system: PathBuf,
    /// Macro step H in seconds [default: the scenario's]
    #[arg(long, value_name = "H", value_parser = positive, allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// End of the run in seconds [default: the scenario's]
    #[arg(long, value_name = "T", value_parser = positive, allow_negative_numbers = true)]
    pub stop: Option<f64>,
    /// Relative tolerance of the units' own solvers [default: the scenario's, or what each FMU proposes]
    #[arg(long, value_name = "TOLERANCE", value_parser = positive)]
    pub tolerance: Option<f64>,
    /// Schedule, predictor and corrector in one: jerk (explicit, order 6), waveform:Q (implicit, on Q + 1 nodes inside the step),
    /// palindromic (symmetric) [default: the scenario's]
    #[arg(long, value_name = "METHOD")]
    pub method: Option<Named>,
    /// Prediction of inputs: hold, linear, quadratic, poly:K, ia0, ia:K, h3, h5, jerk, jerk:3, rates, spectral:Q, kalman:K:R
    /// [default: the scenario's]
    #[arg(long, value_name = "PREDICTOR")]
    pub predict: Option<Predict>,
    /// Who steps when: jacobi, gauss-seidel, gauss-seidel-reversed, palindromic, palindromic-reversed, or gauss-seidel:A,B,… and
    /// palindromic:A,B,… with an order of the units [default: the scenario's]
    #[arg(long, value_name = "SCHEDULE")]
    pub schedule: Option<Order>,
    /// Correction of a macro step [default: the scenario's]
    #[arg(long, value_enum, value_name = "CORRECTOR")]
    pub correct: Option<Correct>,
    /// Evaluation of feed-through outputs [default: the scenario's]
    #[arg(long, value_enum, value_name = "SAMPLING")]
    pub sampling: Option<Sampling>,
    /// What is done about the energy that power bonds make [default: the scenario's]
    #[arg(long, value_enum, value_name = "ENERGY")]
    pub energy: Option<Energy>,
    /// Choice of the macro step, up to H [default: the scenario's]
    #[arg(long, value_enum, value_name = "CONTROL")]
    pub control: Option<Control>,
    /// Relative tolerance of the choice: of predicted inputs, or of residual power [default: the scenario's, or 1e-4]
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
    /// Threads that slaves in this process step on, those that need nothing of each other at the same time; results are the same
    /// to the bit. The FMUs' libraries must bear calls of different instances at once [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), conflicts_with = "isolate")]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub slaves: SlaveArguments,
}

/// A schedule and the order of units it names.
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

/// What of a system is recorded.
#[derive(Debug, Args)]
pub struct RecordArguments {
    /// Record these variables, UNIT.VARIABLE of any type, where `*` stands for any letters; may be repeated
    /// [default: the scenario's, or real outputs that are no elements of arrays]
    #[arg(long, value_name = "PATTERN")]
    pub record: Vec<String>,
}

/// `macrostep run`.
#[derive(Debug, Args)]
pub struct RunArguments {
    #[command(flatten)]
    pub system: SystemArguments,
    #[command(flatten)]
    pub record: RecordArguments,
    /// Folder for trace, scenario, result and pictures; made if missing [default: nothing is written]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Before the run, put the scenario as it is run, its FMUs and its files of inputs into this folder, or into this archive that
    /// ends in .ssp: `macrostep run DIR/scenario.toml` or `macrostep run FILE.ssp` makes the same run anywhere [default: none]
    #[arg(long, value_name = "DIR|FILE.ssp")]
    pub bundle: Option<PathBuf>,
    /// Print one JSON object instead of a table [default: off]
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub formats: FormatArguments,
    /// Leave out the pictures [default: they are drawn]
    #[arg(long)]
    pub no_pictures: bool,
    /// With `--out`: write `report.html` beside the rows, one page with signals, graph, energy, units and the scenario that opens
    /// in any browser without network [default: off]
    #[arg(long)]
    pub report: bool,
    /// Serve the same page at http://127.0.0.1:PORT while rows arrive, on this machine only, until the run ends
    /// [default: off; without PORT any that is free]
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "0")]
    pub watch: Option<u16>,
    /// Keep to the clock: FACTOR simulated seconds in a second; communication points that are late are counted
    /// [default: off; without FACTOR 1]
    #[arg(long, value_name = "FACTOR", num_args = 0..=1, default_missing_value = "1", value_parser = positive)]
    pub real_time: Option<f64>,
    /// Take a result whose macro steps did not all converge: exit code 0 instead of 1 [default: off]
    #[arg(long)]
    pub accept_unconverged: bool,
    #[command(flatten)]
    pub checkpoints: CheckpointArguments,
}

/// `macrostep export`.
#[derive(Debug, Args)]
#[command(mut_arg("parameters", |a| a.long("parameter-set")))]
pub struct ExportArguments {
    #[command(flatten)]
    pub system: SystemArguments,
    /// FMU to write
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Show these inputs, UNIT.VARIABLE, where `*` stands for any letters; may be repeated [default: all that nothing inside feeds]
    #[arg(long, value_name = "PATTERN")]
    pub inputs: Vec<String>,
    /// Show these variables as outputs; may be repeated [default: what `macrostep run` records]
    #[arg(long, value_name = "PATTERN")]
    pub outputs: Vec<String>,
    /// Show these parameters; may be repeated [default: all]
    #[arg(id = "shown_parameters", long = "parameters", value_name = "PATTERN")]
    pub shown_parameters: Vec<String>,
    /// Folder with libraries for other platforms, as `macrostep fmus --platforms` takes it: the FMU gets those that all FMUs inside
    /// have [default: the platform of this machine]
    #[arg(long, value_name = "DIR")]
    pub platforms: Option<PathBuf>,
}

/// `macrostep convert`.
#[derive(Debug, Args)]
pub struct ConvertArguments {
    /// Scenario to read, .toml, .ssd or .ssp, or the name of a built-in system
    #[arg(value_name = "FROM")]
    pub from: PathBuf,
    /// File to write; the ending says in which format
    #[arg(value_name = "TO")]
    pub to: PathBuf,
}

/// `macrostep systems`.
#[derive(Debug, Args)]
pub struct SystemsArguments {
    /// Print one JSON array instead of a table [default: off]
    #[arg(long)]
    pub json: bool,
}

/// `macrostep graph`.
#[derive(Debug, Args)]
pub struct GraphArguments {
    #[command(flatten)]
    pub system: SystemArguments,
    /// Picture to write, NAME.svg or NAME.png [default: the scenario's name with .svg, in this folder]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// `macrostep explain`.
#[derive(Debug, Args)]
pub struct ExplainArguments {
    #[command(flatten)]
    pub system: SystemArguments,
    /// Do not run the system for its energy residuals [default: it is run]
    #[arg(long)]
    pub no_run: bool,
}

/// `macrostep verify`.
#[derive(Debug, Args)]
#[command(mut_arg("tolerance", |a| a.long("solver-tolerance")))]
#[command(after_help = "Exit code 3 where `--tolerance` is not met")]
pub struct VerifyArguments {
    #[command(flatten)]
    pub system: SystemArguments,
    /// Largest error allowed, relative to the amplitude of each output; where it is not met, a step and a method are looked
    /// for that would [default: none, errors are shown]
    #[arg(id = "accuracy", long = "tolerance", value_name = "ERROR", value_parser = positive, allow_negative_numbers = true)]
    pub accuracy: Option<f64>,
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
