//! `macrostep run --bundle`: a scenario with all its files, for another machine.

use std::path::{Path, PathBuf};

use macrostep::embedded;
use macrostep_answers::distinct::Files;
use macrostep_answers::failure::Failure;
use macrostep_answers::system::convert::{Package, write};
use macrostep_system::{Fmus, Scenario};

/// The archive or the scenario in the folder that `--bundle` names.
fn file(bundle: &Path) -> (PathBuf, bool) {
    let is_archive = bundle.extension().is_some_and(|e| e.eq_ignore_ascii_case("ssp"));
    (if is_archive { bundle.to_owned() } else { bundle.join("scenario.toml") }, is_archive)
}

/// Claims the files that are written.
pub fn claim(bundle: Option<&Path>, files: &mut Files) {
    bundle.into_iter().for_each(|bundle| files.writes("--bundle", &file(bundle).0));
}

/// Writes the scenario as it runs, its FMUs and its files of inputs: into a folder, or into an archive that ends in .ssp.
///
/// # Errors
/// Where a file cannot be read or written.
pub fn put(bundle: &Path, scenario: &Scenario) -> Result<(), Failure> {
    let fmus = Fmus::new(embedded::packed);
    let package = Package::new(scenario, &fmus, true)?;
    let (path, is_archive) = file(bundle);
    // What is in the folder may be somebody's only copy: other content is not written over, and nothing is written then.
    if let Some(other) = package.other(bundle, &path).filter(|_| !is_archive) {
        let shown = other.display();
        return Err(Failure::Run(format!(
            "`--bundle`: `{shown}`: found other content than the bundle's, expected no such file or the same: choose a new folder, or remove it"
        )));
    }
    if is_archive {
        return write(&path, &package.archive(scenario, &fmus, &path)?);
    }
    package.put(bundle, &write)?;
    write(&path, package.toml().as_bytes())
}
