//! `macrostep new`: a scenario from FMUs.

use std::path::PathBuf;

use clap::Args;
use macrostep_answers::failure::Failure;
use macrostep_answers::print;
use macrostep_answers::system::proposed::text;

use crate::factory::CARRIED;

/// `macrostep new`.
#[derive(Debug, Args)]
pub struct NewArguments {
    /// FMUs to couple, in the order in which they are to be stepped: files ending in .fmu, folders, or
    /// `embedded:NAME` for one of this program's
    #[arg(value_name = "FMU", required = true)]
    pub fmus: Vec<PathBuf>,
}

/// Prints the proposal as a scenario in TOML.
///
/// # Errors
/// [`Failure`] where an FMU cannot be read.
pub fn run(arguments: &NewArguments) -> Result<(), Failure> {
    print::line(text(&CARRIED, &arguments.fmus)?.trim_end())
}
