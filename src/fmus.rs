//! `macrostep fmus`: writes the FMUs this program carries.

use std::path::Path;

use macrostep::embedded;

use crate::failure::Failure;
use crate::print;
use crate::system::convert;

/// Writes every FMU into `folder` and prints the paths.
///
/// # Errors
/// [`Failure::File`] where a file cannot be written.
pub fn run(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(Failure::file(folder))?;
    for name in embedded::names() {
        let path = folder.join(format!("{name}.fmu"));
        convert::write(&path, embedded::packed(name).unwrap_or_default())?;
        print::line(path.display())?;
    }
    Ok(())
}
