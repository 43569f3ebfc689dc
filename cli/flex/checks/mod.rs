//! `macrostep flex checks`: physical properties, and the errors of wrong implementations.

mod bodies;
mod moving;
mod reduced;

use macrostep_plot::Table;
use serde::Serialize;

use super::arguments::ChecksArguments;
use crate::failure::Failure;
use crate::print;

/// One property with what was found.
#[derive(Debug, Clone, Serialize)]
pub struct Check {
    /// What is looked at.
    name: String,
    /// What was found, in words.
    found: String,
    /// What a correct implementation shows.
    expected: String,
    /// Whether it does.
    holds: bool,
}

impl Check {
    /// A number that must not exceed a bound.
    fn below(name: impl Into<String>, found: f64, bound: f64) -> Check {
        let (text, expected) = (format!("{found:.2e}"), format!("at most {bound:e}"));
        Check { name: name.into(), found: text, expected, holds: found <= bound }
    }

    /// A number that must exceed a bound: what a left-out term or a wrong choice costs.
    fn above(name: impl Into<String>, found: f64, bound: f64) -> Check {
        let (text, expected) = (format!("{found:.2e}"), format!("above {bound:e}"));
        Check { name: name.into(), found: text, expected, holds: found > bound }
    }

    /// Something that must be refused with certain words.
    fn refused<T>(name: impl Into<String>, result: Result<T, impl std::fmt::Display>, words: &str) -> Check {
        let found = result.err().map_or("accepted".to_owned(), |e| e.to_string());
        let holds = found.contains(words);
        Check { name: name.into(), found, expected: "refused".to_owned(), holds }
    }
}

/// Computes, prints; fails where a property does not hold.
///
/// # Errors
/// [`Failure::Run`] where something could not be computed or a property does not hold.
pub fn run(arguments: &ChecksArguments) -> Result<(), Failure> {
    // Groups one after the other, as each takes a while.
    let mut checks = Vec::new();
    type Group = (&'static str, fn() -> Result<Vec<Check>, String>);
    let groups: [Group; 3] =
        [("moving frame", moving::checks), ("import and reduction", bodies::checks), ("interface", reduced::checks)];
    for (name, group) in groups {
        eprintln!("{name}");
        checks.extend(group().map_err(Failure::Run)?);
    }
    // Everything that was checked, whether it holds or not.
    if arguments.json {
        print::line(serde_json::json!({ "checks": checks }))?;
    } else {
        let mut table = Table::new("check | found | expected | ");
        for c in &checks {
            let mark = if c.holds { "holds" } else { "FAILS" };
            table.row([c.name.clone(), shortened(&c.found), c.expected.clone(), mark.to_owned()]);
        }
        print::line(table.terminal())?;
    }
    // Names of what does not hold are the failure.
    let failed: Vec<&str> = checks.iter().filter(|c| !c.holds).map(|c| c.name.as_str()).collect();
    if failed.is_empty() { Ok(()) } else { Err(Failure::Run(format!("does not hold: {}", failed.join("; ")))) }
}

/// What fits a column: the beginning of a long message.
fn shortened(text: &str) -> String {
    const LENGTH: usize = 64;
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{} …", text[..end].trim_end()),
        None => text.to_owned(),
    }
}
