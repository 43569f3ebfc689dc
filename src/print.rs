//! Results on standard output.

use std::io::{ErrorKind, Write};
use std::path::Path;

use crate::failure::Failure;

/// Prints a text and a line end. A reader that went away, as `head` does, is no error.
///
/// # Errors
/// [`Failure::File`] where the output cannot be written.
pub fn line(text: impl std::fmt::Display) -> Result<(), Failure> {
    match writeln!(std::io::stdout().lock(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::file(Path::new("standard output"))(error)),
        _ => Ok(()),
    }
}
