//! Opens a scenario whatever its format.

use crate::finding::Finding;
use crate::scenario::Scenario;
use macrostep_import::fmu::Unpacked;
use macrostep_import::regular;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A scenario and the file it was read from.
#[derive(Debug, Clone)]
pub struct Document {
    /// What it says.
    pub scenario: Scenario,
    /// Parts that were not understood, and other remarks of the reader.
    pub findings: Vec<Finding>,
    /// Folders archives were unpacked to, as long as they are needed.
    pub unpacked: Vec<Arc<Unpacked>>,
}

/// A file that is no scenario.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It cannot be read.
    #[error("`{}`: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// It says something wrong.
    #[error("{0}")]
    Content(Box<Finding>),
    /// It has an ending nobody knows.
    #[error("`{}`: not a scenario by its file extension, expected `.toml`, `.ssd` or `.ssp`", path.display())]
    Ending {
        /// Which.
        path: PathBuf,
    },
}

impl From<Finding> for OpenError {
    fn from(finding: Finding) -> Self {
        OpenError::Content(Box::new(finding))
    }
}

/// Reads `.toml`, `.ssd` or `.ssp`.
///
/// # Errors
/// Where the file cannot be read or is wrong in its form; what it says is judged by [`crate::check()`].
pub fn open(path: &Path) -> Result<Document, OpenError> {
    let shown = path.display().to_string();
    let folder = path.parent().unwrap_or(Path::new(""));
    let failed = |source| OpenError::File { path: path.to_owned(), source };
    let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("toml") => {
            let text = regular::text(path).map_err(failed)?;
            let scenario = crate::toml::read(&text, &shown, folder)?;
            Ok(Document { scenario, findings: Vec::new(), unpacked: Vec::new() })
        }
        Some("ssd") => {
            let bytes = regular::read(path).map_err(failed)?;
            Ok(crate::ssp::read_ssd(&bytes, &shown, folder)?)
        }
        Some("ssp") => {
            regular::open(path).map_err(failed)?;
            Ok(crate::ssp::read_ssp(path, &shown)?)
        }
        _ => Err(OpenError::Ending { path: path.to_owned() }),
    }
}
