//! Problems in files: JSON, one object a problem, an infinite bound is `null`.
//!
//! ```text
//! { "matrix": [...], "offset": [...], "lower": [0.0, null], "upper": [null, null],
//!   "friction": [null, {"normal": 0, "coefficient": 0.5}], "ids": [1, 2] }
//! ```
//!
//! Numbers are written with all their digits: a problem that was hard to solve is the same problem after loading.

use std::{fs, path::Path};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Flaw, Friction, Problem};

/// Why a file could not be written or read.
#[derive(Debug, Error)]
pub enum FileError {
    /// The file system refused.
    #[error("file `{path}`: {source}")]
    Access {
        /// The file.
        path: String,
        /// The reason given by the operating system.
        source: std::io::Error,
    },
    /// The text is not a problem.
    #[error("problem text: {0}")]
    Text(#[from] serde_json::Error),
    /// The problem in the file is flawed.
    #[error("problem in file: {0}")]
    Flaw(#[from] Flaw),
}

#[derive(Serialize, Deserialize)]
struct Record {
    matrix: Vec<f64>,
    offset: Vec<f64>,
    lower: Vec<Option<f64>>,
    upper: Vec<Option<f64>>,
    friction: Vec<Option<FrictionRecord>>,
    ids: Vec<u64>,
}

#[derive(Serialize, Deserialize)]
struct FrictionRecord {
    normal: usize,
    coefficient: f64,
}

/// The text of `problem`.
///
/// # Errors
/// [`FileError::Flaw`] for a problem that [`Problem::check`] refuses: its text could not be read back.
pub fn to_text(problem: &Problem) -> Result<String, FileError> {
    problem.check()?;
    let finite = |bounds: &[f64]| bounds.iter().map(|b| b.is_finite().then_some(*b)).collect();
    let friction = |f: &Option<Friction>| f.map(|f| FrictionRecord { normal: f.normal, coefficient: f.coefficient });
    let record = Record {
        matrix: problem.matrix.clone(),
        offset: problem.offset.clone(),
        lower: finite(&problem.lower),
        upper: finite(&problem.upper),
        friction: problem.friction.iter().map(friction).collect(),
        ids: problem.ids.clone(),
    };
    Ok(serde_json::to_string(&record)?)
}

/// The problem written in `text`.
///
/// # Errors
/// [`FileError::Text`] for other text, [`FileError::Flaw`] for a flawed problem.
pub fn from_text(text: &str) -> Result<Problem, FileError> {
    let record: Record = serde_json::from_str(text)?;
    let bounds = |list: Vec<Option<f64>>, none: f64| list.into_iter().map(|b| b.unwrap_or(none)).collect();
    let friction = |f: Option<FrictionRecord>| f.map(|f| Friction { normal: f.normal, coefficient: f.coefficient });
    let problem = Problem {
        matrix: record.matrix,
        offset: record.offset,
        lower: bounds(record.lower, f64::NEG_INFINITY),
        upper: bounds(record.upper, f64::INFINITY),
        friction: record.friction.into_iter().map(friction).collect(),
        ids: record.ids,
    };
    problem.check()?;
    Ok(problem)
}

/// Writes `problem` to a file.
///
/// # Errors
/// [`FileError::Access`] or [`FileError::Flaw`].
pub fn save(problem: &Problem, path: &Path) -> Result<(), FileError> {
    let access = |source| FileError::Access { path: path.display().to_string(), source };
    fs::write(path, to_text(problem)?).map_err(access)
}

/// Reads a problem from a file.
///
/// # Errors
/// [`FileError`].
pub fn load(path: &Path) -> Result<Problem, FileError> {
    let access = |source| FileError::Access { path: path.display().to_string(), source };
    from_text(&fs::read_to_string(path).map_err(access)?)
}
