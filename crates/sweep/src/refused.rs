//! Errors that keep many runs from beginning or going on.

use std::path::{Path, PathBuf};

use macrostep_system::Finding;

/// Bad input, or files that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// What was asked for makes no sense.
    #[error("{0}")]
    Usage(String),
    /// The scenario cannot run.
    #[error("{}", .0.first().map_or_else(String::new, ToString::to_string))]
    Findings(Vec<Finding>),
    /// It cannot go on.
    #[error("{0}")]
    Run(String),
    /// A file or folder.
    #[error("`{}`: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A picture.
    #[error(transparent)]
    Plot(#[from] macrostep_plot::PlotError),
}

impl Refused {
    /// Said of a system, where it has a name among several.
    pub(crate) fn of_system(self, name: &str) -> Self {
        match self {
            Self::Usage(text) if !name.is_empty() => Self::Usage(format!("system `{name}`: {text}")),
            other => other,
        }
    }

    /// For `map_err` on file operations.
    pub fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::File { path, source }
    }
}
