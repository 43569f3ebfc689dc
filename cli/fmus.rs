//! `macrostep fmus`: writes the FMUs this program carries.

use std::path::{Path, PathBuf};

use macrostep::embedded;
use macrostep_answers::failure::Failure;
use macrostep_answers::print;
use macrostep_answers::system::convert;
use macrostep_benchmarks::FULL;
use macrostep_packager::{Fmi, Library, Platform};

use crate::arguments::FmusArguments;

/// Writes every FMU into the folder and prints the paths.
///
/// # Errors
/// [`Failure::File`] where a file cannot be written, [`Failure::Run`] where a library of another platform is missing or none.
pub fn run(arguments: &FmusArguments) -> Result<(), Failure> {
    let folder = &arguments.out;
    // What would be missing is said before anything is written.
    let platforms = arguments.platforms.as_deref().map(platforms).transpose()?.unwrap_or_default();
    let (mut archives, mut missing) = (Vec::new(), vec![Vec::new(); platforms.len()]);
    for name in embedded::names() {
        archives.push((name, packed_for((name, arguments.fmi.into()), &platforms, &mut missing)?));
    }
    // A folder with none of the libraries is most likely another one.
    if let Some(i) = missing.iter().position(|names| !names.is_empty() && names.len() == archives.len()) {
        let (platform, folder) = &platforms[i];
        let what = format!(
            "`{}` has no library of these FMUs, such as `{}{}`",
            folder.display(),
            archives[0].0,
            platform.suffix()
        );
        return Err(Failure::Run(format!("`--platforms`: {what}; `.ci/platforms` builds them")));
    }
    for (name, bytes) in archives {
        let path = folder.join(format!("{name}.fmu"));
        convert::write(&path, &bytes)?;
        print::line(path.display())?;
    }
    for ((_, folder), names) in platforms.iter().zip(&missing).filter(|(_, names)| !names.is_empty()) {
        macrostep_answers::print::remark!(
            "note: without a library in `{}`, so not for that platform: {}",
            folder.display(),
            names.join(", ")
        );
    }
    if !embedded::ABSENT.is_empty() {
        macrostep_answers::print::remark!(
            "note: {} more are not in this build: {}; {FULL}",
            embedded::ABSENT.len(),
            embedded::ABSENT.join(", ")
        );
    }
    Ok(())
}

/// The platforms that a folder has libraries for, each with its folder.
///
/// # Errors
/// [`Failure`] where the folder cannot be read, or has a folder in it that FMI has no name for.
pub fn platforms(folder: &Path) -> Result<Vec<(Platform, PathBuf)>, Failure> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Failure::file(folder))? {
        let path = entry.map_err(Failure::file(folder))?.path();
        let platform =
            Platform::ALL.into_iter().find(|platform| path.file_name().is_some_and(|n| n == platform.folder()));
        let Some(platform) = platform else {
            let expected = Platform::ALL.map(Platform::folder).join("`, `");
            let text = format!("`--platforms`: `{}` is no platform of FMI; expected `{expected}`", path.display());
            return Err(Failure::Usage(text));
        };
        found.push((platform, path));
    }
    found.sort();
    if found.is_empty() {
        return Err(Failure::Usage(format!(
            "`--platforms`: there is no folder of a platform in `{}`",
            folder.display()
        )));
    }
    Ok(found)
}

/// The library of this name for a platform.
///
/// # Errors
/// [`Failure::File`] where it cannot be read.
pub fn library((platform, folder): &(Platform, PathBuf), name: &str) -> Result<Library, Failure> {
    let path = folder.join(format!("{name}{}", platform.suffix()));
    let bytes = std::fs::read(&path).map_err(Failure::file(&path))?;
    Ok(Library { platform: *platform, bytes })
}

/// The archive of an FMU of a version of FMI with its libraries for these platforms; it is added to those that each platform has none for.
fn packed_for(
    (name, fmi): (&'static str, Fmi),
    platforms: &[(Platform, PathBuf)],
    missing: &mut [Vec<&'static str>],
) -> Result<Vec<u8>, Failure> {
    let mut libraries = Vec::new();
    for (of, missing) in platforms.iter().zip(missing) {
        if of.1.join(format!("{name}{}", of.0.suffix())).exists() {
            libraries.push(library(of, name)?);
        } else {
            missing.push(name);
        }
    }
    let packed =
        embedded::packed_for(name, fmi, libraries).unwrap_or_else(|| Err("there is no FMU of this name".to_owned()));
    packed.map_err(|reason| Failure::Run(format!("FMU `{name}`: {reason}")))
}
