//! The scenario that the arguments name.

use std::path::Path;

use macrostep_benchmarks as benchmarks;
use macrostep_system::Document;

use super::arguments::SystemArguments;
use super::proposed;
use crate::Carried;
use crate::failure::Failure;

/// What the arguments name: a scenario, or FMUs to make one of.
///
/// # Errors
/// As of [`document`], and where an FMU cannot be read.
pub(super) fn opened(carried: &'static Carried, arguments: &SystemArguments) -> Result<Document, Failure> {
    if arguments.fmus.is_empty() && !proposed::is_fmu(&arguments.system) {
        return document(&arguments.system);
    }
    let fmus = std::iter::once(&arguments.system).chain(&arguments.fmus);
    proposed::document(carried, &fmus.cloned().collect::<Vec<_>>())
}

/// A scenario from its file, or the built-in one of this name. What has an ending is a file.
///
/// # Errors
/// [`Failure`] where the file cannot be read; [`Failure::Usage`] with all names where there is none of this.
pub fn document(system: &Path) -> Result<Document, Failure> {
    // An FMU is no scenario; verbs that run one make a scenario of it.
    if proposed::is_fmu(system) {
        let shown = system.display();
        let next = format!("`macrostep new {shown} > system.toml` writes one for it");
        return Err(Failure::Usage(format!("`{shown}` is an FMU, expected a scenario or a built-in system: {next}")));
    }
    let Some(name) = name(system) else {
        return macrostep_system::open(system).map_err(Failure::run);
    };
    let (built_in, variant) = benchmarks::named(name).ok_or_else(|| Failure::Usage(benchmarks::unknown(name)))?;
    let scenario = built_in.scenario(variant).map_err(|e| Failure::Run(format!("system `{name}`: {e}")))?;
    Ok(Document { scenario, findings: Vec::new(), unpacked: Vec::new() })
}

/// The name of a built-in system, which has no file extension; `None` for a file.
pub fn name(system: &Path) -> Option<&str> {
    system.to_str().filter(|_| system.extension().is_none())
}
