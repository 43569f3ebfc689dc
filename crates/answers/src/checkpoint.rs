//! The options of checkpoints.

use std::path::{Path, PathBuf};

use clap::Args;
use macrostep_run::CheckpointWriter;
use serde::Serialize;

use crate::failure::Failure;

/// Whether a run is written down, and whether it continues one.
#[derive(Debug, Clone, PartialEq, Default, Args, Serialize)]
pub struct CheckpointArguments {
    /// Save the run in this file at intervals, and when it is interrupted [default: not saved]
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Save it every N steps [default: every 10 s of computing]
    #[arg(long, value_name = "N", requires = "checkpoint", value_parser = clap::value_parser!(u64).range(1..))]
    pub checkpoint_every: Option<u64>,
    /// Continue the run saved in this file, with the same options [default: begin at the start]
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
}

impl CheckpointArguments {
    /// The option that needs states as bytes, where one does.
    pub fn option(&self) -> Option<&'static str> {
        let resume = self.resume.as_ref().map(|_| "--resume");
        self.checkpoint.as_ref().map(|_| "--checkpoint").or(resume)
    }

    /// The same files, whatever folder a slave changes to.
    pub fn within(&self, folder: &Path) -> Self {
        let absolute = |path: &PathBuf| folder.join(path);
        Self {
            checkpoint: self.checkpoint.as_ref().map(absolute),
            resume: self.resume.as_ref().map(absolute),
            checkpoint_every: self.checkpoint_every,
        }
    }

    /// The writer of checkpoints, if the options ask for one; `run` identifies the run.
    ///
    /// # Errors
    /// [`Failure::File`] where the folder cannot be made.
    pub fn writer(&self, run: &str) -> Result<Option<CheckpointWriter>, Failure> {
        let writer = |path| CheckpointWriter::new(path, self.checkpoint_every, run);
        Ok(self.checkpoint.as_deref().map(writer).transpose()?)
    }
}
