//! Options of `macrostep sweep`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use macrostep_answers::numbers::positive;
use macrostep_answers::system::arguments::SystemArguments;
use macrostep_sweep::{Measure, Shard, Vary};

/// How points are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DesignWord {
    /// All combinations
    Grid,
    /// A shifted Sobol sequence
    Sobol,
    /// A Latin hypercube
    Lhs,
}

/// The value for no SYSTEM; `--merge` needs none.
pub const NO_SYSTEM: &str = ".";

/// `macrostep sweep`.
#[derive(Debug, Args)]
#[command(
    mut_arg("system", |a| a.required(false).default_value(NO_SYSTEM).hide_default_value(true)),
    // A sweep is of a scenario that was looked at: FMUs are not coupled on the fly.
    mut_arg("fmus", |a| a.last(true).hide(true)),
    after_help = "The same command continues a sweep that was interrupted. Exit code 0 also if runs have failed: \
                        the column `status` says how each ended"
)]
pub struct SweepArguments {
    #[command(flatten)]
    pub system: SystemArguments,
    /// Vary NAME: UNIT.VARIABLE, system (files or names, instead of SYSTEM), step, stop, solver_tolerance, corrector_tolerance, method, schedule, predict, correct,
    /// sampling, derivative, gs_variant, energy, control or control_tolerance. VALUES: lin:LOW:HIGH:N, log:LOW:HIGH:N, or A,B,…; may be
    /// repeated, the last changes fastest
    #[arg(long, value_name = "NAME=VALUES")]
    pub vary: Vec<Vary>,
    /// How points are chosen; sobol and lhs need --samples, and ranges without N
    #[arg(long, value_enum, default_value = "grid", value_name = "DESIGN")]
    pub design: DesignWord,
    /// Points of a sampled design [default: none]
    #[arg(long, value_name = "N")]
    pub samples: Option<u64>,
    /// Seed of a sampled design
    #[arg(long, value_name = "SEED", default_value = "0")]
    pub seed: u64,
    /// Points from a CSV file with a column for each varied name, instead of a design [default: none]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["vary", "design", "samples", "seed"])]
    pub table: Option<PathBuf>,
    /// A measure of each run: arithmetic on last(V), min(V), max(V), mean(V), rms(V), integral(V), crossing(V, LEVEL),
    /// distance(V, FILE[, COLUMN]), deviation(V, FILE[, COLUMN]) with V a variable UNIT.VARIABLE, do_steps() and time(); may be
    /// repeated
    #[arg(long, value_name = "NAME=EXPRESSION")]
    pub measure: Vec<Measure>,
    /// Folder for runs.csv, result.json and pictures; made if missing
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Runs at the same time [default: as many as there are cores; 1 where FMUs from files run in this process]
    #[arg(long, value_name = "N")]
    pub workers: Option<usize>,
    /// Run only part I of N: every N-th point from number I on
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    pub shard: Shard,
    /// Join the parts of a sweep: the folders of all shards [default: none]
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with_all = ["vary", "table", "measure", "shard", "workers"])]
    pub merge: Vec<PathBuf>,
    /// Longest time of one run in seconds; after it the run ends, and its row says `stopped` [default: none]
    #[arg(long, value_name = "S", value_parser = positive, allow_negative_numbers = true)]
    pub run_limit: Option<f64>,
    /// Print one JSON object instead of a table [default: off]
    #[arg(long)]
    pub json: bool,
    /// Also write the rows to this file in the Parquet format, after the last run; needs a build with the feature `parquet`
    /// [default: none]
    #[arg(long, value_name = "FILE")]
    pub parquet: Option<PathBuf>,
    /// Do not draw the pictures [default: they are drawn]
    #[arg(long)]
    pub no_pictures: bool,
}
