//! Platforms without isolation: the same names, which refuse.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::fmu::{Fmu, FmuUnit};
use macrostep_master::unit::{Failure, UnitError};

use super::cut::Cut;

/// Advice about a slave that ends the program; empty here.
pub const ADVICE: &str = "";

/// The argument a program is started with as a slave.
pub const ARGUMENT: &str = "--serve-one-slave";

/// Serves nobody.
pub fn serve() -> u8 {
    2
}

/// A part of a file in memory, which there is not.
#[derive(Debug)]
pub struct Region {}

impl Region {
    /// Refuses.
    ///
    /// # Errors
    /// Always.
    pub fn grow(_file: &std::fs::File, _offset: u64, _length: usize) -> std::io::Result<Region> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    /// Writes nothing.
    pub fn put(&mut self, _at: usize, _bytes: &[u8]) -> bool {
        false
    }
}

/// Output of isolated slaves.
#[derive(Debug)]
pub struct Output {}

impl Output {
    /// Refuses.
    ///
    /// # Errors
    /// Always.
    pub fn new() -> std::io::Result<Output> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    /// Nothing was written.
    pub fn lines(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Limits of an isolated slave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Time of one call.
    pub call: Duration,
    /// Memory of the process.
    pub memory_bytes: u64,
}

/// Where isolated slaves would run.
#[derive(Debug, Clone)]
pub struct Isolation {
    /// The program.
    pub program: PathBuf,
    /// Its first arguments.
    pub arguments: Vec<OsString>,
    /// Time and memory.
    pub limits: Limits,
    /// `loggingOn`.
    pub logging_on: bool,
    /// Would take what slaves write.
    pub output: Option<Arc<Output>>,
    /// Would end its slaves.
    pub cut: Option<Cut>,
}

/// Nothing is started again here.
pub fn started_by(_command: Vec<OsString>) {}

impl Isolation {
    /// In processes of another program.
    pub fn of(program: PathBuf, limits: Limits) -> Isolation {
        Isolation { program, arguments: Vec::new(), limits, logging_on: false, output: None, cut: None }
    }

    /// In processes of the program that is running.
    ///
    /// # Errors
    /// Where the system does not say which program that is.
    pub fn of_this_program(limits: Limits) -> std::io::Result<Isolation> {
        Ok(Isolation::of(std::env::current_exe()?, limits))
    }

    /// Refuses.
    ///
    /// # Errors
    /// Always.
    pub fn of_file(_program: &Path, _limits: Limits) -> std::io::Result<Isolation> {
        Err(std::io::Error::new(std::io::ErrorKind::Unsupported, "slaves in processes of their own need Linux"))
    }

    /// Refuses.
    ///
    /// # Errors
    /// Always.
    pub fn instantiate(&self, _fmu: &Fmu, name: &str) -> Result<FmuUnit, UnitError> {
        Isolation::refused(name)
    }

    /// Refuses.
    ///
    /// # Errors
    /// Always.
    pub fn instantiate_by_fork(&self, _fmu: &Fmu, name: &str) -> Result<FmuUnit, UnitError> {
        Isolation::refused(name)
    }

    fn refused(name: &str) -> Result<FmuUnit, UnitError> {
        Err(UnitError::from(Failure {
            unit: name.to_owned(),
            call: "fmi2Instantiate",
            status: "no instance".to_owned(),
            t_s: 0.0,
            message: "isolated slaves need Linux: run it in this process".to_owned(),
        }))
    }
}

/// Refuses: standard output is left as it is.
///
/// # Errors
/// Always.
pub fn divert_output() -> std::io::Result<std::fs::File> {
    Err(std::io::Error::from(std::io::ErrorKind::Unsupported))
}

/// Calls that are told of where somebody watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// Loading a library.
    Library,
}

/// Does `work`.
pub fn during<T>(_name: &str, _call: Call, _advice: &str, work: impl FnOnce() -> T) -> T {
    work()
}

/// Makes a unit.
///
/// # Errors
/// Those of `make`.
pub fn watched<U, E>(
    _name: &str,
    _limit: Duration,
    _advice: &str,
    make: impl FnOnce() -> Result<U, E>,
) -> Result<U, E> {
    make()
}

/// Nobody watches.
pub mod watch {
    /// Role of a process.
    #[derive(Debug)]
    pub enum Role {
        /// It does the work, then says [`finish`].
        Work,
        /// It has seen the work end, and ends with this code.
        Watch(u8),
    }

    /// This process does the work.
    pub fn begin() -> Role {
        Role::Work
    }

    /// The work is over: its exit code, and last words for standard error.
    pub fn finish(code: u8, words: Option<&str>) -> u8 {
        words.into_iter().for_each(|words| eprintln!("{words}"));
        code
    }

    /// Nobody asks.
    pub fn rows_go_to(_file: &str) {}

    /// Nobody asks.
    pub fn row(_rows: u64, _last_s: f64) {}

    /// Nobody asks.
    pub fn rows_end_at(_bytes: u64) {}
}

/// Interrupts (Ctrl-C; SIGTERM where there is one) that end a run at its next communication point.
pub mod interrupt {
    use std::sync::Once;
    use std::sync::atomic::{AtomicBool, Ordering};

    static NOTED: AtomicBool = AtomicBool::new(false);

    /// From now on the first interrupt is only noted, and [`asked`] is to be asked from time to time; a second one ends the
    /// program. Where the system refuses a handler, the first one ends it.
    pub fn note() {
        /// What a shell reports of a program that an interrupt has ended.
        const INTERRUPTED: i32 = 130;
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            let handler = || {
                if NOTED.swap(true, Ordering::Relaxed) {
                    std::process::exit(INTERRUPTED);
                }
            };
            let _ = ctrlc::set_handler(handler);
        });
    }

    /// Whether there was one.
    #[inline]
    pub fn asked() -> bool {
        NOTED.load(Ordering::Relaxed)
    }
}
