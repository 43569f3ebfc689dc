//! Files that verbs write: rows, and texts beside them.

use macrostep_master::record::Trace;
use macrostep_run::{Checkpoint, Stream, folder_at};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Writes a text that ends in a line end.
pub fn write_text(path: &Path, text: &str) -> Result<(), Failure> {
    path.parent().map_or(Ok(()), folder_at)?;
    std::fs::write(path, format!("{}\n", text.trim_end())).map_err(Failure::file(path))
}

/// The file that rows go to, with its name in messages, a new one or the one of the run that is continued; what is noticed of it is remarked.
///
/// # Errors
/// As of [`Stream::open`].
pub fn rows_at<'a>(
    (path, shown): (&Path, PathBuf),
    names: impl IntoIterator<Item = &'a str>,
    at: Option<&Checkpoint>,
) -> Result<Stream, Failure> {
    let stream = Stream::open(path, names, at)?.shown_as(shown);
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
