//! Results on standard output.
//!
//! Foreign code in this process may write there too. Where it runs, [`keep`] takes standard output away from it.

use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
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

/// Prints what a function writes, piece by piece, for what is too large to be put together first.
///
/// # Errors
/// [`Failure::File`] where the output cannot be written.
pub fn stream(write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), Failure> {
    let mut out: Box<dyn Write> = match KEPT.get() {
        Some(file) => Box::new(BufWriter::new(file)),
        None => Box::new(BufWriter::new(std::io::stdout().lock())),
    };
    printed(write(&mut out).and_then(|()| out.flush()))
}

/// Prints a text and a line end. A reader that went away, as `head` does, is no error.
///
/// # Errors
/// [`Failure::File`] where the output cannot be written.
pub fn line(text: impl std::fmt::Display) -> Result<(), Failure> {
    printed(match KEPT.get() {
        Some(mut file) => file.write_all(format!("{text}\n").as_bytes()),
        None => writeln!(std::io::stdout().lock(), "{text}"),
    })
}

fn printed(result: std::io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::file(Path::new("standard output"))(error)),
        _ => Ok(()),
    }
}
