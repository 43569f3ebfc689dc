//! `macrostep graph`: a picture of a system.

use std::path::{Path, PathBuf};

use macrostep_answers::distinct::Files;
use macrostep_answers::failure::Failure;
use macrostep_answers::print;
use macrostep_answers::system::Opened;

use super::arguments::GraphArguments;
use crate::factory::CARRIED;

/// Draws the scenario.
///
/// # Errors
/// [`Failure`] where the scenario cannot run or the picture cannot be written.
pub fn run(arguments: &GraphArguments) -> Result<(), Failure> {
    let here = std::env::current_dir().map_err(Failure::file(Path::new(".")))?;
    let opened = Opened::new(&CARRIED, &arguments.system)?;
    // A built-in system may have a variant behind a colon, which is no letter of a file's name everywhere.
    let stem =
        || arguments.system.system.file_stem().map_or("system".into(), |s| s.to_string_lossy().replace(':', "-"));
    let path = arguments.out.clone().unwrap_or_else(|| PathBuf::from(format!("{}.svg", stem())));
    if !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("svg") || e.eq_ignore_ascii_case("png")) {
        return Err(Failure::Usage(format!("`--out {}`: expected a file ending in .svg or .png", path.display())));
    }
    let mut files = Files::default();
    files.reads_system(&arguments.system.system, &opened.document.scenario, Path::new(""));
    files.writes("--out", &path);
    files.are_apart()?;
    // A slave may change the working folder; the picture is where the user has named it.
    let assembly = opened.assemble()?;
    let diagram = macrostep_system::graph::graph(&assembly).map_err(Failure::run)?;
    diagram.write(&here.join(&path))?;
    print::line(path.display())
}
