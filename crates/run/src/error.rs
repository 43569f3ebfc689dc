//! What ends a run early, or keeps it from beginning. Errors carry values; the words of a command line are added there.

use std::path::{Path, PathBuf};

use macrostep_description::shown;
use macrostep_master::RunError;

use crate::trace::TraceError;

/// Why a run has ended early, or could not begin.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A unit or the master.
    #[error(transparent)]
    Simulation(#[from] RunError),
    /// A file or folder that cannot be read or written.
    #[error("`{}`: {source}", path.display())]
    File {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Rows that cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A state that cannot be put into bytes.
    #[error("cannot write the checkpoint: {0}")]
    Bytes(#[from] postcard::Error),
    /// A second run that would write there.
    #[error("`{}`: another run is writing there: wait for its end, or choose another place", path.display())]
    Taken {
        /// The file or folder.
        path: PathBuf,
    },
    /// Something else in the place of a folder.
    #[error("`{}`: found {found}, expected a folder{next}", path.display())]
    Folder {
        /// Where.
        path: PathBuf,
        /// What is there.
        found: String,
        /// What to do next.
        next: &'static str,
    },
    /// A file of rows that is not that of the run that is continued.
    #[error("`{}`: found {found}, expected those of the run that is continued", path.display())]
    OtherRows {
        /// The file.
        path: PathBuf,
        /// What is in it.
        found: String,
    },
    /// A file that is no checkpoint.
    #[error("`{}`: found something else, expected a checkpoint", path.display())]
    NoCheckpoint {
        /// The file.
        path: PathBuf,
    },
    /// A checkpoint that cannot be used, or a place where none can be written.
    #[error("`{}`: found {found}, expected {expected}", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What is there.
        found: String,
        /// What should be.
        expected: String,
    },
    /// A checkpoint of another run.
    #[error("`{}`: found a run with {found}, expected {expected}", path.display())]
    OtherRun {
        /// The file.
        path: PathBuf,
        /// The first setting that differs.
        found: String,
        /// The same setting of this run.
        expected: String,
    },
    /// A path of a checkpoint that names no file.
    #[error("`{}`: expected the name of a file", path.display())]
    NoName {
        /// As it was given.
        path: PathBuf,
    },
    /// An end that was asked for.
    #[error("interrupted at t = {} s{}", shown::time(*t_s), checkpoint.as_ref().map(|at| format!("; saved in `{}`", at.display())).unwrap_or_default())]
    Interrupted {
        /// When in simulated time \[s\].
        t_s: f64,
        /// Where the run is saved.
        checkpoint: Option<PathBuf>,
    },
    /// What a receiver of rows says.
    #[error(transparent)]
    Sink(Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// For `map_err` on file operations.
    pub fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::File { path, source }
    }
}
