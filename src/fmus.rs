//! `macrostep fmus`: writes the FMUs this program carries.

use std::path::Path;

use macrostep::embedded::FMUS;

use crate::failure::Failure;
use crate::print;
use crate::system::convert;

/// Writes every FMU into `folder` and prints the paths.
///
/// # Errors
/// [`Failure::File`] where a file cannot be written, [`Failure::Run`] where this build carries none.
pub fn run(folder: &Path) -> Result<(), Failure> {
    if FMUS.is_empty() {
        return Err(Failure::Run("this build of `macrostep` carries no FMUs".to_owned()));
    }
    std::fs::create_dir_all(folder).map_err(Failure::file(folder))?;
    for (name, bytes) in FMUS {
        let path = folder.join(format!("{name}.fmu"));
        convert::write(&path, bytes)?;
        print::line(path.display())?;
    }
    Ok(())
}
