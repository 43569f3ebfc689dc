//! What drives a system from outside: inputs from files, and values set at a time.

use super::place::Place;
use super::unit::Setting;
use std::path::PathBuf;

/// A file of inputs: connections may begin at its columns, `NAME.COLUMN`.
#[derive(Debug, Clone, PartialEq)]
pub struct InputFile {
    /// Unique among units, laws and files; without dots.
    pub name: String,
    /// Path to open.
    pub path: PathBuf,
    /// As written.
    pub shown: String,
    /// Where.
    pub place: Place,
}

/// Values at a time: set at a communication point, before the step from there; or, in a history, what outputs were.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// When \[s\].
    pub at_s: f64,
    /// Unit and setting.
    pub settings: Vec<(String, Setting)>,
    /// Where.
    pub place: Place,
}
