//! The messages of the reader about a file.

use super::WARNINGS_MAX;
use crate::shown;

/// A file that cannot be used. A description read in part is never handed out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// Line in the file, from 1.
    pub line: u32,
    /// What stands there.
    pub found: String,
    /// What would be right.
    pub expected: String,
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ReadError { line, found, expected } = self;
        write!(f, "modelDescription.xml, line {line}: found {found}, expected {expected}")
    }
}

impl std::error::Error for ReadError {}

/// Something the standard forbids that a run can do without.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Name of the [rule](crate::rules::ALL) that is broken.
    pub rule: &'static str,
    /// Line in the file, from 1; 0 where no line of it is meant.
    pub line: u32,
    /// What stands there.
    pub found: String,
    /// What would be right.
    pub expected: String,
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Warning { line, found, expected, .. } = self;
        match line {
            0 => write!(f, "found {found}, expected {expected}"),
            _ => write!(f, "modelDescription.xml, line {line}: found {found}, expected {expected}"),
        }
    }
}

/// A refusal.
pub(super) fn refuse<T>(line: u32, found: impl Into<String>, expected: impl Into<String>) -> Result<T, ReadError> {
    Err(ReadError { line, found: found.into(), expected: expected.into() })
}

/// Collects warnings, a bounded number of them.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    kept: Vec<Warning>,
    dropped: usize,
}

impl Warnings {
    /// One more that breaks the schema; the texts are only made while there is room.
    pub(super) fn push(&mut self, line: u32, found: impl FnOnce() -> String, expected: &str) {
        self.of_rule("form", line, found, expected);
    }

    /// One more, of another rule.
    pub(super) fn of_rule(&mut self, rule: &'static str, line: u32, found: impl FnOnce() -> String, expected: &str) {
        if self.kept.len() < WARNINGS_MAX {
            self.kept.push(Warning { rule, line, found: found(), expected: expected.to_owned() });
        } else {
            self.dropped += 1;
        }
    }

    /// All of them in the order of the file.
    pub(super) fn finish(mut self) -> Vec<Warning> {
        self.kept.sort_by_key(|w| w.line);
        if self.dropped > 0 {
            let found = format!("{} further warnings that are not listed", self.dropped);
            let expected = "a modelDescription.xml without warnings".to_owned();
            self.kept.push(Warning { rule: "form", line: 0, found, expected });
        }
        self.kept
    }
}

/// A text from the file in a message: quoted and cut.
pub(super) fn quoted(text: &str) -> String {
    format!("`{}`", shown::text(text))
}
