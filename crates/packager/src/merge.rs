//! FMUs with libraries that were built on several machines.

use macrostep_description::{ModelDescription, xml};

use crate::archive::{Compression, DESCRIPTION, Files};
use crate::package::add_library;
use crate::{Fmi, Library, PackError};

/// The FMU with one library more.
///
/// Nothing in the library says what it was built from; [`combine`] is the safer way where the other machine packed an
/// FMU of its own.
///
/// # Errors
/// Where there is a library for that platform already, it is not for that platform, or `fmu` is no FMU.
pub fn merge(fmu: &[u8], library: &Library) -> Result<Vec<u8>, PackError> {
    let mut files = Files::read(fmu)?;
    let description = description(&files)?;
    let Some(co_simulation) = description.co_simulation else { return Err(PackError::Lacks("`CoSimulation`")) };
    let fmi = if description.fmi3.is_some() { Fmi::Three } else { Fmi::Two };
    add_library(&mut files, (fmi, &co_simulation.model_identifier), library)?;
    files.write(Compression::Deflated)
}

/// One FMU with the libraries of all these, which were packed from the same sources on different platforms. What they
/// share is taken from the first.
///
/// # Errors
/// Where their descriptions differ, or two have a library for one platform and those differ.
pub fn combine(fmus: &[&[u8]]) -> Result<Vec<u8>, PackError> {
    let Some((first, others)) = fmus.split_first() else { return Err(PackError::Lacks("an FMU to begin with")) };
    let mut files = Files::read(first)?;
    let expected = description(&files)?.guid;
    for (at, fmu) in others.iter().enumerate() {
        let other = Files::read(fmu)?;
        if other.0.get(DESCRIPTION) != files.0.get(DESCRIPTION) {
            return Err(PackError::Different { at: at + 2, found: description(&other)?.guid, expected });
        }
        for (path, bytes) in other.0.into_iter().filter(|(path, _)| path.starts_with("binaries/")) {
            // In both versions the bytes say what platform it is.
            let platform = crate::Platform::ALL.into_iter().find(|p| path.ends_with(p.suffix()) && p.fits(&bytes));
            match (files.0.get(&path), platform) {
                (Some(before), Some(platform)) if *before != bytes => return Err(PackError::Twice { platform }),
                _ => files.put(path, bytes),
            }
        }
    }
    files.write(Compression::Deflated)
}

fn description(files: &Files) -> Result<ModelDescription, PackError> {
    let text = files.0.get(DESCRIPTION).ok_or(PackError::Lacks("`modelDescription.xml`"))?;
    Ok(xml::read(text)?.description)
}
