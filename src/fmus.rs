//! `macrostep fmus`: writes the FMUs this program carries.

use std::path::Path;

use macrostep::embedded;

use crate::failure::Failure;
use crate::print;

/// Writes every FMU into `folder` and prints the paths.
///
/// # Errors
/// [`Failure::File`] where a file cannot be written.
pub fn run(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(Failure::file(folder))?;
    for name in embedded::names() {
        let path = folder.join(format!("{name}.fmu"));
        let bytes = embedded::packed(name).unwrap_or_default();
        std::fs::write(&path, bytes).map_err(Failure::file(&path))?;
        print::line(path.display())?;
    }
    Ok(())
}
