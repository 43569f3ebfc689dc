//! Results on standard output.
//!
//! Foreign code in this process may write there too. Where it runs, [`keep`] takes standard output away from it.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::OnceLock;

use crate::failure::Failure;

/// Standard output, once it was taken away from everybody else.
static KEPT: OnceLock<File> = OnceLock::new();

/// From now on only [`line`] writes to standard output; what others write goes to standard error.
///
/// # Errors
/// [`Failure::File`] where the system refuses.
pub fn keep() -> Result<(), Failure> {
    if KEPT.get().is_none() {
        let file = match macrostep_isolation::guard::divert_output() {
            // Not everywhere: then foreign code may write into the results.
            Err(error) if error.kind() == ErrorKind::Unsupported => return Ok(()),
            file => file.map_err(Failure::file(Path::new("standard output")))?,
        };
        // Where another thread was first, its file is the one in use.
        let _ = KEPT.set(file);
    }
    Ok(())
}

/// Prints a text and a line end. A reader that went away, as `head` does, is no error.
///
/// # Errors
/// [`Failure::File`] where the output cannot be written.
pub fn line(text: impl std::fmt::Display) -> Result<(), Failure> {
    let written = match KEPT.get() {
        Some(mut file) => file.write_all(format!("{text}\n").as_bytes()),
        None => writeln!(std::io::stdout().lock(), "{text}"),
    };
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::file(Path::new("standard output"))(error)),
        _ => Ok(()),
    }
}

/// A number with so many decimals, or with an exponent where it has more digits than can be read.
pub fn number(value: f64, decimals: usize) -> String {
    // Written so that what is not a number is shown as such.
    if value.abs() < 1e9 { format!("{value:.decimals$}") } else { format!("{value:.decimals$e}") }
}
