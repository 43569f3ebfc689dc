//! Files that verbs write: rows, and texts beside them.

use macrostep_master::record::Trace;
use macrostep_run::{Checkpoint, Stream, folder_at};
use std::path::Path;

#[cfg(feature = "full")]
use macrostep_system::Scenario;

use crate::failure::Failure;

/// Writes a scenario that `macrostep run` runs again to the same numbers, below the settings it was made of. Where no key says
/// what was run, there is no file, and standard error says why.
#[cfg(feature = "full")]
pub fn write_system(path: &Path, settings: &str, system: Result<Scenario, String>) -> Result<(), Failure> {
    match system {
        Ok(system) => {
            let settings: String =
                settings.trim_end().lines().map(|line| format!("{}\n", format!("# {line}").trim_end())).collect();
            write_text(path, &format!("{settings}\n{}", macrostep_system::toml::write(&system)))
        }
        Err(unsaid) => {
            crate::print::remark!("note: no `{}`: a scenario has no key for {unsaid}", path.display());
            // One of an earlier run would say something else.
            if path.exists() { std::fs::remove_file(path).map_err(Failure::file(path)) } else { Ok(()) }
        }
    }
}

/// Writes a text that ends in a line end.
pub fn write_text(path: &Path, text: &str) -> Result<(), Failure> {
    path.parent().map_or(Ok(()), folder_at)?;
    std::fs::write(path, format!("{}\n", text.trim_end())).map_err(Failure::file(path))
}

/// The file that rows go to, a new one or the one of the run that is continued; what is noticed of it is remarked.
///
/// # Errors
/// As of [`Stream::open`].
pub fn rows_at<'a>(
    path: &Path,
    names: impl IntoIterator<Item = &'a str>,
    at: Option<&Checkpoint>,
) -> Result<Stream, Failure> {
    let stream = Stream::open(path, names, at)?;
    if let Some(note) = stream.note() {
        crate::print::remark!("note: {note}");
    }
    Ok(stream)
}

/// Writes the rows of a run that are in memory.
///
/// # Errors
/// [`Failure`] where the file cannot be written.
pub fn write_trace(path: &Path, trace: &Trace) -> Result<(), Failure> {
    let file = std::fs::File::create(path).map_err(Failure::file(path))?;
    Ok(macrostep_run::write_trace(trace, file)?)
}
