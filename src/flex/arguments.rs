//! What may be typed after `macrostep flex` and `macrostep interface`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::terms::Units;

/// The commands of `macrostep flex`.
#[derive(Debug, Subcommand)]
pub enum FlexVerb {
    /// The three examples of the text, beside its numbers
    Examples(ExamplesArguments),
}

/// `macrostep flex examples`.
#[derive(Debug, Args)]
pub struct ExamplesArguments {
    /// Print one JSON object instead of tables [default: off]
    #[arg(long)]
    pub json: bool,
    /// Folder for pictures and the result; made if missing [default: nothing is written]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// `macrostep interface`.
#[derive(Debug, Args)]
pub struct InterfaceArguments {
    /// Communication step H in seconds; must divide 1 s
    #[arg(long, value_name = "H", default_value = "1e-4")]
    pub step: f64,
    /// Through the FMUs this program carries, or natively in this process
    #[arg(long, value_enum, default_value = "fmu")]
    pub units: Units,
    /// Print one JSON object instead of tables [default: off]
    #[arg(long)]
    pub json: bool,
    /// Folder for pictures and the result; made if missing [default: nothing is written]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
