//! How isolated slaves run, the same on every system; where they cannot run, making one is refused.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::Output;
use super::again::{loader, this_program};
use super::cut::Cut;

/// What an isolated slave may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Time of one call, or of the calls of one step.
    pub call: Duration,
    /// Memory of the process.
    pub memory_bytes: u64,
}

impl Default for Limits {
    /// A minute and 4 GiB.
    fn default() -> Self {
        Limits { call: Duration::from_secs(60), memory_bytes: 4 << 30 }
    }
}

/// How isolated slaves run: a program that calls [`serve`](super::serve), and their limits.
#[derive(Debug, Clone)]
pub struct Isolation {
    /// The program, usually this one.
    pub program: PathBuf,
    /// Its arguments before those that make it serve a slave.
    pub arguments: Vec<OsString>,
    /// Time and memory.
    pub limits: Limits,
    /// `loggingOn`; messages go to standard error.
    pub logging_on: bool,
    /// Takes what slaves write and all their messages, instead of standard error.
    pub output: Option<Arc<Output>>,
    /// Ends all of its slaves where they are, once it is set.
    pub cut: Option<Cut>,
    /// Working folder of its slaves, instead of that of this process.
    pub folder: Option<PathBuf>,
}

impl Isolation {
    /// In processes of another program, quiet.
    pub fn of(program: PathBuf, limits: Limits) -> Isolation {
        Isolation { program, arguments: Vec::new(), limits, logging_on: false, output: None, cut: None, folder: None }
    }

    /// In processes of the program that is running.
    ///
    /// # Errors
    /// Where the system does not say which program that is.
    pub fn of_this_program(limits: Limits) -> std::io::Result<Isolation> {
        let (program, arguments) = this_program()?;
        Ok(Isolation { arguments, ..Isolation::of(program, limits) })
    }

    /// In processes of another program, a dynamic one, that need not be an executable file: the dynamic loader of this process
    /// starts it.
    ///
    /// # Errors
    /// Where this process has none.
    pub fn of_file(program: &Path, limits: Limits) -> std::io::Result<Isolation> {
        Ok(Isolation { arguments: vec![program.into()], ..Isolation::of(loader()?, limits) })
    }
}
