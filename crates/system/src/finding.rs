//! A *finding*: what is wrong or remarkable about a scenario, where, and what to do next.

use crate::scenario::Place;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Runs, but perhaps not as meant.
    Warning,
    /// Cannot run.
    Error,
}

/// Something found in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// Where.
    pub place: Place,
    /// What was found, and what was expected.
    pub what: String,
    /// What to do next; empty where nothing needs to be done.
    pub next: String,
}

impl Finding {
    /// A scenario with this cannot run.
    pub fn error(place: &Place, what: impl Into<String>, next: impl Into<String>) -> Self {
        Finding { severity: Severity::Error, place: place.clone(), what: what.into(), next: next.into() }
    }

    /// A scenario with this runs, but perhaps not as meant.
    pub fn warning(place: &Place, what: impl Into<String>, next: impl Into<String>) -> Self {
        Finding { severity: Severity::Warning, ..Finding::error(place, what, next) }
    }

    /// Worth knowing.
    pub fn note(place: &Place, what: impl Into<String>, next: impl Into<String>) -> Self {
        Finding { severity: Severity::Note, ..Finding::error(place, what, next) }
    }
}

impl std::fmt::Display for Severity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// `FILE:LINE:COLUMN: what; next`, without the severity.
impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.place, self.what)?;
        if self.next.is_empty() { Ok(()) } else { write!(f, "; {}", self.next) }
    }
}
