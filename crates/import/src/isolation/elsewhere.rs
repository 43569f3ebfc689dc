//! Platforms without isolation: the same names, which refuse.

use std::time::Duration;

use crate::fmu::{Face, Fmu, FmuError, FmuOptions, FmuUnit};
use macrostep_master::unit::{Failure, Unit, UnitError};

use super::limits::Isolation;

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

impl Isolation {
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

/// An instance of an FMU by its face.
///
/// # Errors
/// Those of the FMU.
pub fn watched(
    fmu: &Fmu,
    name: &str,
    options: &FmuOptions,
    _limit: Duration,
    _advice: &str,
) -> Result<Box<dyn Unit>, FmuError> {
    Ok(match fmu.face() {
        Face::CoSimulation if fmu.is_of_3() => Box::new(fmu.instantiate_3(name, options)?),
        Face::CoSimulation => Box::new(fmu.instantiate(name, options)?),
        Face::ModelExchange => Box::new(fmu.instantiate_equations(name, options)?),
    })
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
    pub fn row(_rows: u64, _last_s: f64, _bytes: u64) {}

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
