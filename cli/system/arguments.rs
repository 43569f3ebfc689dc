//! Options of the verbs about systems.

use std::path::PathBuf;

use clap::Args;
use macrostep_answers::checkpoint::CheckpointArguments;
use macrostep_answers::formats::FormatArguments;
use macrostep_answers::numbers::positive;
use macrostep_answers::system::arguments::{RecordArguments, SystemArguments};
use macrostep_answers::system::solution::SolutionArguments;

/// `macrostep run`.
#[derive(Debug, Clone, Args)]
pub struct RunArguments {
    #[command(flatten)]
    pub system: SystemArguments,
    #[command(flatten)]
    pub record: RecordArguments,
    #[command(flatten)]
    pub solution: SolutionArguments,
    /// Choose the macro step so that the estimated error of every output, relative to its largest value, is at most this: the key `error`
    /// of the experiment [default: the scenario's, or none]
    #[arg(long, value_name = "ERROR", value_parser = positive, allow_negative_numbers = true)]
    pub error: Option<f64>,
    /// Folder for trace, scenario, result and pictures; made if missing [default: nothing is written]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Before the run, copy the scenario with all options and defaults, its FMUs and its input files into this folder, or into this
    /// archive .ssp: `macrostep run DIR/scenario.toml` or `macrostep run FILE.ssp` makes the same run on another machine [default: none]
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
    /// With `--out`: write `report.html` beside the rows, one page for any browser, without network, with signals, graph, energy, units and
    /// the scenario [default: off]
    #[arg(long)]
    pub report: bool,
    /// Serve the same page at http://127.0.0.1:PORT while rows arrive, on this machine only, until the run ends
    /// [default: off; without PORT a free port]
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "0")]
    pub watch: Option<u16>,
    /// Run with the clock: FACTOR simulated seconds in a second; communication points that are late are counted
    /// [default: off; without FACTOR 1]
    #[arg(
        long,
        value_name = "FACTOR",
        num_args = 0..=1,
        default_missing_value = "1",
        value_parser = positive,
        allow_negative_numbers = true
    )]
    pub real_time: Option<f64>,
    /// Accept a result in which some macro steps did not converge, or a joint is torn: exit code 0 instead of 1 [default: off]
    #[arg(long)]
    pub accept_unconverged: bool,
    /// Accept a result whose coupling makes it grow: exit code 0 instead of 1. A scenario of a system that grows by itself says
    /// `expect_growth = true` [default: off]
    #[arg(long)]
    pub accept_growth: bool,
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
    /// Inputs of the FMU: UNIT.VARIABLE, where `*` stands for any letters; may be repeated [default: all without a connection inside]
    #[arg(long, value_name = "PATTERN")]
    pub inputs: Vec<String>,
    /// Outputs of the FMU; may be repeated [default: what `macrostep run` records]
    #[arg(long, value_name = "PATTERN")]
    pub outputs: Vec<String>,
    /// Parameters of the FMU; may be repeated [default: all]
    #[arg(id = "shown_parameters", long = "parameters", value_name = "PATTERN")]
    pub shown_parameters: Vec<String>,
    /// Folder with libraries for other platforms, as for `macrostep fmus --platforms`: the FMU gets the platforms that all FMUs inside
    /// have [default: the platform of this machine]
    #[arg(long, value_name = "DIR")]
    pub platforms: Option<PathBuf>,
    /// Version of FMI it is written for; the FMUs inside stay as they are
    #[arg(long, value_enum, default_value = "2")]
    pub fmi: macrostep_answers::choices::Fmi,
}

/// `macrostep convert`.
#[derive(Debug, Args)]
pub struct ConvertArguments {
    /// Scenario to read, .toml, .ssd or .ssp, or the name of a built-in system
    #[arg(value_name = "FROM")]
    pub from: PathBuf,
    /// File to write; the file extension gives the format
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
    /// Do not run the system for its residual energies [default: it is run]
    #[arg(long)]
    pub no_run: bool,
}
