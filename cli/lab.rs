//! `macrostep lab`: the laboratory, a page that the program carries. Nothing is opened and nothing served.

use std::path::PathBuf;

use clap::Args;
use macrostep_answers::failure::Failure;
use macrostep_answers::print;
use macrostep_run::folder_at;

/// The page, built by `lab/build`.
const PAGE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/lab/dist/laboratory.html"));

/// Its name.
const NAME: &str = "laboratory.html";

/// `macrostep lab`.
#[derive(Debug, Args)]
pub struct LabArguments {
    /// Folder to write the page to; made if missing
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub out: PathBuf,
}

/// Writes the page and says where it is.
///
/// # Errors
/// [`Failure`] where it cannot be written.
pub fn run(arguments: &LabArguments) -> Result<(), Failure> {
    folder_at(&arguments.out)?;
    let path = arguments.out.join(NAME);
    std::fs::write(&path, PAGE).map_err(Failure::file(&path))?;
    print::line(format!("wrote `{}`: open it in any browser; it works offline", path.display()))
}
