//! `macrostep convert`: TOML to SSP and back, with the FMUs.

use std::path::Path;

use macrostep_answers::distinct::Files;
use macrostep_answers::failure::Failure;
use macrostep_answers::print;
use macrostep_answers::system::convert::convert;
use macrostep_answers::system::{document, tell};

use super::arguments::ConvertArguments;
use crate::factory::CARRIED;

/// Reads one format and writes another.
///
/// # Errors
/// [`Failure`] where the scenario is wrong or a file cannot be written.
pub fn run(arguments: &ConvertArguments) -> Result<(), Failure> {
    let document = document(&arguments.from)?;
    let mut files = Files::default();
    files.reads_system(&arguments.from, &document.scenario, Path::new(""));
    files.writes("TO", &arguments.to);
    files.are_apart()?;
    tell(&document.findings);
    convert(&CARRIED, &document, &arguments.to, &mut |path| print::line(path.display()))
}
