//! `macrostep shows`: checks of complementarity, multibody systems, interface models and their coupling, each number beside
//! its expected value.

mod complementarity;
mod coupling;
mod identity;
mod mechanics;

use clap::Args;
use macrostep_plot::Table;
use serde::Serialize;

use crate::failure::Failure;
use crate::print;
use crate::progress::progress_bar;

/// `macrostep shows`.
#[derive(Debug, Args)]
pub struct ShowsArguments {
    /// Print JSON instead of a table [default: off]
    #[arg(long)]
    pub json: bool,
}

/// One number or fact.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    topic: &'static str,
    what: String,
    found: String,
    expected: String,
    holds: bool,
}

impl Finding {
    fn new(
        topic: &'static str,
        what: impl Into<String>,
        found: String,
        expected: impl Into<String>,
        holds: bool,
    ) -> Self {
        Self { topic, what: what.into(), found, expected: expected.into(), holds }
    }

    /// A number that must not exceed a bound.
    fn at_most(topic: &'static str, what: impl Into<String>, found: f64, bound: f64) -> Self {
        Self::new(topic, what, format!("{found:.2e}"), format!("at most {bound:e}"), found <= bound)
    }

    /// A number that must exceed a bound.
    fn above(topic: &'static str, what: impl Into<String>, found: f64, bound: f64) -> Self {
        Self::new(topic, what, format!("{found:.4}"), format!("above {bound}"), found > bound)
    }

    /// A fact.
    fn is(topic: &'static str, what: impl Into<String>, found: bool, expected: bool) -> Self {
        let word = |fact| if fact { "yes" } else { "no" };
        Self::new(topic, what, word(found).to_owned(), word(expected), found == expected)
    }
}

/// Makes all findings and prints them.
///
/// # Errors
/// [`Failure::Findings`] after printing, where one is not as expected; [`Failure::Run`] where one cannot be made.
pub fn run(arguments: &ShowsArguments) -> Result<(), Failure> {
    // FMUs stay unpacked; topics one after the other, as each takes a while.
    let _open = macrostep::factory::open_all().map_err(Failure::run)?;
    let topics: [fn() -> Result<Vec<Finding>, Failure>; 5] =
        [complementarity::findings, mechanics::findings, identity::findings, coupling::actuator, coupling::crane];
    let bar = progress_bar(topics.len() as u64, "topics");
    let mut findings = Vec::new();
    for topic in topics {
        findings.extend(topic()?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    // All findings, as an array or as a table.
    if arguments.json {
        print::line(serde_json::to_string(&findings)?)?;
    } else {
        print::line(table(&findings).terminal())?;
    }
    // One that does not hold fails the command after all are printed.
    let failed = findings.iter().filter(|f| !f.holds).count();
    if failed == 0 { Ok(()) } else { Err(Failure::Findings { failed, all: findings.len() }) }
}

fn table(findings: &[Finding]) -> Table {
    let mut table = Table::new("topic | what | > found | > expected | holds");
    for f in findings {
        let holds = if f.holds { "yes" } else { "no" };
        table.row([f.topic.to_owned(), f.what.clone(), f.found.clone(), f.expected.clone(), holds.to_owned()]);
    }
    table
}
