//! Errors of a command, with their exit codes.

use std::path::{Path, PathBuf};

use macrostep_description::shown;
use macrostep_master::RunError;
use macrostep_plot::PlotError;
use macrostep_run::{Error, Stream, TraceError};

/// The error of a command, with its message.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Options that do not go together, or a value that is none.
    #[error("{0}")]
    Usage(String),
    /// A unit or the master failed.
    #[error("{0}")]
    Run(String),
    /// The same, with what is known of it.
    #[error(transparent)]
    Simulation(#[from] RunError),
    /// A file or folder that cannot be written.
    #[error("`{}`: {source}", path.display())]
    File {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A trace that cannot be written.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A picture that cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// A result that cannot be put into words.
    #[error("cannot write the result: {0}")]
    Json(#[from] serde_json::Error),
    /// Settings that a file of this format cannot have.
    #[error("cannot write the scenario: {0}")]
    Toml(#[from] toml::ser::Error),
    /// A state that cannot be put into bytes.
    #[error("cannot write the checkpoint: {0}")]
    Bytes(#[from] postcard::Error),
    /// A result that is less accurate than it is to be, in words.
    #[error("{0}")]
    Inaccurate(String),
}

impl Failure {
    /// 2 usage, 3 comparison out of tolerance, 1 everything else.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Inaccurate(_) => 3,
            _ => 1,
        }
    }

    /// A run that failed for this reason.
    pub fn run(reason: impl std::fmt::Display) -> Self {
        Self::Run(reason.to_string())
    }

    /// Two options that make no sense together, both as typed, and the reason.
    pub fn conflict(first: impl std::fmt::Display, second: impl std::fmt::Display, reason: &str) -> Self {
        Self::Usage(format!("`{first}` cannot be combined with `{second}`: {reason}"))
    }

    /// For `map_err` on file operations.
    pub fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::File { path, source }
    }
}

impl From<Error> for Failure {
    /// With the options of the command line that help.
    fn from(error: Error) -> Self {
        match error {
            Error::Simulation(error) => Self::Simulation(error),
            Error::File { path, source } => Self::File { path, source },
            Error::Trace(error) => Self::Trace(error),
            Error::Bytes(error) => Self::Bytes(error),
            Error::Sink(error) => error.downcast().map_or_else(Self::run, |failure| *failure),
            Error::NoName { path } => {
                Self::Usage(format!("`--checkpoint {}`: expected the name of a file", path.display()))
            }
            Error::NoCheckpoint { path } => Self::Run(format!(
                "`{}`: found something else, expected a file `--checkpoint` has written",
                path.display()
            )),
            Error::OtherRows { .. } => Self::Run(format!("{error}: restore its file, or choose another `--out`")),
            Error::OtherRun { ref found, .. } => {
                // An FMU that was changed has another GUID, also where only its description was.
                let next = if found.starts_with("GUID ") {
                    ": resume with the FMUs and the program that wrote it, or start the run again"
                } else {
                    ""
                };
                Self::Run(format!("{error}, by this command{next}"))
            }
            Error::Interrupted { t_s, checkpoint } => {
                let kept = checkpoint.map(|path| format!("; `--resume {}` continues", path.display()));
                Self::Run(format!("interrupted at t = {} s{}", shown::time(t_s), kept.unwrap_or_default()))
            }
            Error::Taken { .. } | Error::Folder { .. } | Error::Checkpoint { .. } => Self::run(error),
        }
    }
}

/// A failure with where the results up to it are.
pub fn kept(failure: Failure, stream: Option<&Stream>) -> Failure {
    let (Some(stream), Failure::Run(_) | Failure::Simulation(_)) = (stream, &failure) else { return failure };
    Failure::Run(format!("{failure}{}", stream.kept()))
}
