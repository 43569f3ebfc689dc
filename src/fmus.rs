//! `macrostep fmus`: writes the FMUs this program carries.

use std::path::Path;

use crate::failure::Failure;

/// Writes every FMU into `folder` and prints the paths.
///
/// # Errors
/// [`Failure::File`] where a file cannot be written, [`Failure::Run`] where this build carries none.
pub fn run(folder: &Path) -> Result<(), Failure> {
    let fmus = carried();
    if fmus.is_empty() {
        return Err(Failure::Run("this build of `macrostep` carries no FMUs".to_owned()));
    }
    std::fs::create_dir_all(folder).map_err(Failure::file(folder))?;
    for (name, bytes) in fmus {
        let path = folder.join(format!("{name}.fmu"));
        std::fs::write(&path, bytes).map_err(Failure::file(&path))?;
        println!("{}", path.display());
    }
    Ok(())
}

/// Names and archives. PLACEHOLDER: empty until the build embeds them.
fn carried() -> &'static [(&'static str, &'static [u8])] {
    &[]
}
