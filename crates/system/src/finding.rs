//! A *finding*: an error, a warning or a note about a scenario, its place, and what to do next.

use crate::scenario::Place;
use macrostep_description::shown;
use std::collections::BTreeMap;

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
        Finding { severity: Severity::Error, place: place.clone(), what: brief(what.into()), next: brief(next.into()) }
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

/// Longer texts may quote what nobody wants to read to its end.
const TEXT_MAX: usize = 500;

/// Characters of a quotation in a long text.
const QUOTED_MAX: usize = 200;

/// The same, with what it quotes cut to a readable length where it is long.
fn brief(text: String) -> String {
    if text.len() <= TEXT_MAX {
        return text;
    }
    // Every second part stands between backticks.
    let parts = text.split('`').enumerate();
    parts
        .map(|(i, part)| if i % 2 == 1 { shown::cut(part, QUOTED_MAX) } else { part.into() })
        .collect::<Vec<_>>()
        .join("`")
}

/// Of one kind are this many warnings shown one by one; of notes one.
const SHOWN_MAX: usize = 3;

/// Lines for a reader: findings of one kind that are many are one line, the first with their number.
pub fn summary(findings: &[Finding]) -> Vec<String> {
    let mut kinds: BTreeMap<(Severity, String), usize> = BTreeMap::new();
    for f in findings {
        *kinds.entry(f.kind()).or_default() += 1;
    }
    let line = |f: &Finding| {
        let count = kinds.get_mut(&f.kind())?;
        let most = if f.severity == Severity::Note { 1 } else { SHOWN_MAX };
        if f.severity == Severity::Error || *count <= most {
            // One by one: what is left of this kind stays as it is.
            return (*count > 0).then(|| format!("{}: {f}", f.severity));
        }
        let more = std::mem::take(count) - 1;
        Some(format!("{}: {f} (and {more} more of this kind: `explain` shows them all)", f.severity))
    };
    findings.iter().filter_map(line).collect()
}

impl Finding {
    /// Severity and text without the names and numbers in it.
    fn kind(&self) -> (Severity, String) {
        let parts = [&self.what, "; ", &self.next].concat();
        let outside = parts.split('`').step_by(2).collect::<Vec<_>>().join("`");
        (self.severity, outside.chars().filter(|c| !c.is_ascii_digit()).collect())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_long_text_quotes_is_cut() {
        let found =
            Finding::error(&Place::default(), format!("`predict` is `{}`, expected `hold`", "b".repeat(50_000)), "");
        let expected = format!("`predict` is `{}… (50000 bytes)`, expected `hold`", "b".repeat(200));
        assert_eq!(found.what, expected);
    }
}
