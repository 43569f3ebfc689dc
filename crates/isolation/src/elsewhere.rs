//! Where there is no isolation: the same names, which refuse.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use macrostep_master::unit::fmu::{Fmu, FmuUnit};
use macrostep_master::unit::{Failure, UnitError};

/// The argument a program is started with as a slave.
pub const ARGUMENT: &str = "--serve-one-slave";

/// Serves nobody.
pub fn serve() -> ExitCode {
    ExitCode::from(2)
}

/// What an isolated slave may use.
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
    /// Time and memory.
    pub limits: Limits,
    /// `loggingOn`.
    pub logging_on: bool,
}

impl Isolation {
    /// In processes of the program that is running.
    ///
    /// # Errors
    /// Where the system does not say which program that is.
    pub fn of_this_program(limits: Limits) -> std::io::Result<Isolation> {
        Ok(Isolation { program: std::env::current_exe()?, limits, logging_on: false })
    }

    /// Refuses.
    ///
    /// # Errors
    /// Always.
    pub fn instantiate(&self, _fmu: &Fmu, name: &str) -> Result<FmuUnit, UnitError> {
        Err(UnitError::from(Failure {
            unit: name.to_owned(),
            call: "fmi2Instantiate",
            status: "no instance".to_owned(),
            t_s: 0.0,
            message: "isolated slaves need Linux: run it in this process".to_owned(),
        }))
    }
}

/// Standard output is left as it is.
pub mod guard {
    use std::fs::File;
    use std::io;

    /// Refuses.
    ///
    /// # Errors
    /// Always.
    pub fn divert_output() -> io::Result<File> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }

    /// Guards nothing.
    #[derive(Debug)]
    pub struct Guard(());

    impl Guard {
        /// Guards nothing.
        pub fn new(_subject: &str, _advice: &str) -> Guard {
            Guard(())
        }
    }
}

/// Interrupts end the program; rows are on disk.
pub mod interrupt {
    /// Leaves them as they are.
    pub fn note() {}

    /// Never.
    pub fn asked() -> bool {
        false
    }
}
