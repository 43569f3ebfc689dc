//! `macrostep graph`: a picture of a system.

use std::path::{Path, PathBuf};

use super::Opened;
use super::arguments::GraphArguments;
use crate::distinct::Files;
use crate::failure::Failure;
use crate::print;

/// Draws the scenario.
///
/// # Errors
/// [`Failure`] where the scenario cannot run or the picture cannot be written.
pub fn run(arguments: &GraphArguments) -> Result<(), Failure> {
    let opened = Opened::new(&arguments.system)?;
    let assembly = opened.assemble()?;
    let diagram = macrostep_system::graph::graph(assembly).map_err(|e| Failure::Run(e.to_string()))?;
    let stem = || arguments.system.system.file_stem().map_or_else(|| "system".into(), ToOwned::to_owned);
    let path = arguments.out.clone().unwrap_or_else(|| PathBuf::from(stem()).with_extension("svg"));
    if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("svg") || e.eq_ignore_ascii_case("png")) {
        return Err(Failure::Usage(format!("`--out {}`: expected a file ending in .svg or .png", path.display())));
    }
    let mut files = Files::default();
    files.reads("scenario", &arguments.system.system);
    files.reads_units(&opened.document.scenario, Path::new(""));
    files.writes("--out", &path);
    files.are_apart()?;
    diagram.write(&path)?;
    print::line(path.display())
}
