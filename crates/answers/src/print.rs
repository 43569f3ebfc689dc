//! Results on standard output.
//!
//! Foreign code in this process may write there too. Where it runs, [`keep`] takes standard output away from it.

use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(feature = "full")]
use std::time::{Duration, Instant};

use macrostep_plot::table::{output_width, within};
use macrostep_run::identity;

use crate::failure::Failure;

/// Standard output, once it was taken away from everybody else.
static KEPT: OnceLock<OpenFile> = OnceLock::new();

/// Whether remarks and progress are left out.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// From now on remarks and progress are left out; warnings and errors are not.
pub fn be_quiet() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// Whether remarks and progress are left out.
pub fn is_quiet() -> bool {
    IS_QUIET.load(Ordering::Relaxed)
}

/// Prints a remark to standard error, except with `--quiet`.
#[macro_export]
macro_rules! remark {
    ($($text:tt)*) => {
        if !$crate::print::is_quiet() {
            eprintln!($($text)*)
        }
    };
}
pub use remark;

/// Progress in lines on standard error, for a program that shows it itself and has set the variable `MACROSTEP_PROGRESS`.
#[cfg(feature = "full")]
#[derive(Debug)]
pub struct ProgressLines {
    is_wanted: bool,
    last: Option<Instant>,
}

#[cfg(feature = "full")]
impl Default for ProgressLines {
    fn default() -> Self {
        ProgressLines { is_wanted: std::env::var_os("MACROSTEP_PROGRESS").is_some(), last: None }
    }
}

#[cfg(feature = "full")]
impl ProgressLines {
    /// How much of all is done; the first and the last of these, and ten a second between them, are told.
    pub fn tell(&mut self, done: u64, all: u64) {
        let is_due = self.last.is_none_or(|last| last.elapsed() > Duration::from_millis(100)) || done == all;
        if self.is_wanted && is_due {
            self.last = Some(Instant::now());
            eprintln!("progress: {done} of {all}");
        }
    }
}

/// An open file and what tells it from others.
#[derive(Debug)]
struct OpenFile {
    file: File,
    identity: Option<(u64, u64)>,
}

impl Write for &OpenFile {
    /// A slave in this process may have closed the file, and its number may be another file's.
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.file.metadata().ok().and_then(|m| identity(&m)) != self.identity {
            let found = "it was closed in the run, by a slave in this process; `--isolate` runs it in one of its own";
            return Err(std::io::Error::other(found));
        }
        (&self.file).write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        (&self.file).flush()
    }
}

/// From now on only [`line()`] writes to standard output; what others write goes to standard error.
///
/// # Errors
/// [`Failure::File`] where the system refuses.
pub fn keep() -> Result<(), Failure> {
    if KEPT.get().is_none() {
        // As wide as it is now.
        output_width();
        let file = match macrostep_import::isolation::divert_output() {
            // Not everywhere: then foreign code may write into the results.
            Err(error) if error.kind() == ErrorKind::Unsupported => return Ok(()),
            file => file.map_err(Failure::file(Path::new("standard output")))?,
        };
        // Where another thread was first, its file is the one in use.
        let identity = file.metadata().ok().and_then(|m| identity(&m));
        let _ = KEPT.set(OpenFile { file, identity });
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
        Some(mut kept) => kept.write_all(format!("{text}\n").as_bytes()),
        None => writeln!(std::io::stdout().lock(), "{text}"),
    })
}

/// As [`line()`], for words: on a terminal lines are divided between words.
///
/// # Errors
/// [`Failure::File`] where the output cannot be written.
pub fn prose(text: impl std::fmt::Display) -> Result<(), Failure> {
    match output_width() {
        Some(columns) => line(within(&text.to_string(), columns)),
        None => line(text),
    }
}

fn printed(result: std::io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::file(Path::new("standard output"))(error)),
        _ => Ok(()),
    }
}

/// "1 row", "2 rows".
pub fn counted(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
