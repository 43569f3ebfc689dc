//! Options of `macrostep crane` and `macrostep actuator`.

use std::path::{Path, PathBuf};

use clap::Args;
use macrostep_analysis::multirate::{Delivery, Manoeuvre, Order, Place, Prediction};

use crate::arguments::positive;
use crate::checkpoint::CheckpointArguments;
use crate::slaves::SlaveArguments;
use crate::terms::Units;

/// `macrostep crane`.
#[derive(Debug, Args)]
pub struct CraneArguments {
    /// The run
    #[command(flatten)]
    pub run: MultirateArguments,
    /// The motion of the crane and its conditions [default: usual]
    #[arg(long, value_enum, value_name = "MANOEUVRE", conflicts_with = "study")]
    pub manoeuvre: Option<Manoeuvre>,
}

/// `macrostep actuator`.
#[derive(Debug, Args)]
pub struct ActuatorArguments {
    /// The run
    #[command(flatten)]
    pub run: MultirateArguments,
}

/// A multibody system coupled with hydraulics.
#[derive(Debug, Args)]
pub struct MultirateArguments {
    /// All schemes over the macro step instead of one run: the largest stable steps, errors, pictures [default: off]
    #[arg(long, conflicts_with_all = ["step", "predict", "schedule", "force", "lookahead", "place", "repeat", "reference", "stop", "json",
        "accept_growth", "checkpoint", "resume"])]
    pub study: bool,
    /// Macro step H of the mechanics in seconds, a multiple of the hydraulics' 0.2 ms [default: 0.016]
    #[arg(long, value_name = "H", value_parser = positive, allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// How the hydraulics predict the interface speed within a macro step [default: im]
    #[arg(long, value_enum, value_name = "PREDICTION")]
    pub predict: Option<Prediction>,
    /// Order of the steps [default: fast-first]
    #[arg(long, value_enum, value_name = "SCHEDULE")]
    pub schedule: Option<Order>,
    /// The force the mechanics get [default: mean]
    #[arg(long, value_enum, value_name = "FORCE")]
    pub force: Option<Delivery>,
    /// Interface model of the active set of the next step instead of that of the last one [default: off]
    #[arg(long)]
    pub lookahead: bool,
    /// Where the interface model is integrated: in the hydraulics or in the master [default: fast]
    #[arg(long, value_enum, value_name = "PLACE")]
    pub place: Option<Place>,
    /// Largest number of repetitions of a macro step in which the speed of the mechanics differs from the predicted one
    /// [default: with the interface model 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=20))]
    pub repeat: Option<u32>,
    /// Accept a result that is not stable: exit code 0 instead of 1 [default: off]
    #[arg(long)]
    pub accept_growth: bool,
    /// Compare with the interface model at H = 0.2 ms; the actuator is compared always [default: off]
    #[arg(long)]
    pub reference: bool,
    /// End of the run in seconds; whole macro steps are made up to it [default: crane 8, actuator 3]
    #[arg(long, value_name = "T", value_parser = positive, allow_negative_numbers = true)]
    pub stop: Option<f64>,
    /// Kind of the subsystems
    #[arg(long, value_enum, default_value = "fmu")]
    pub units: Units,
    /// Folder for results, pictures and the crane's animation; made if missing [default: study: out/crane or
    /// out/actuator; run: nothing is written]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print one JSON object instead of a table [default: off]
    #[arg(long)]
    pub json: bool,
    /// Checkpoints
    #[command(flatten)]
    pub checkpoints: CheckpointArguments,
    /// Where FMUs run
    #[command(flatten)]
    pub slaves: SlaveArguments,
}

impl MultirateArguments {
    /// Where results go: the study always writes them.
    pub fn folder<'a>(&'a self, study: &'a str) -> Option<&'a Path> {
        self.out.as_deref().or(self.study.then(|| Path::new(study)))
    }
}
