//! Values from outside a system: inputs from files, and values set at a time or when outputs cross a threshold.

use super::connection::Endpoint;
use super::place::Place;
use super::unit::Setting;
use crate::words::Direction;
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

/// Values at a time: set at a communication point, before the next step; or, in a history, values of outputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// When \[s\].
    pub at_s: f64,
    /// Unit and setting.
    pub settings: Vec<(String, Setting)>,
    /// Where.
    pub place: Place,
}

/// Values when `of − minus − threshold` crosses zero: set at that instant, before the run goes on from there.
#[derive(Debug, Clone, PartialEq)]
pub struct StateEvent {
    /// An output.
    pub of: Endpoint,
    /// Another output, which is subtracted.
    pub minus: Option<Endpoint>,
    /// In the unit of the output.
    pub threshold: f64,
    /// Which crossings count.
    pub direction: Direction,
    /// Whether `of − minus − threshold` stays on the side it was on, as at a contact.
    pub one_sided: bool,
    /// Unit and setting.
    pub settings: Vec<(String, Setting)>,
    /// Variables that are set to what outputs are at the event.
    pub taken: Vec<Taken>,
    /// More than this many within `span_s` end the run.
    pub most: u32,
    /// \[s\]; `None`: one macro step.
    pub span_s: Option<f64>,
    /// Where.
    pub place: Place,
}

/// `to = factor · from + offset` at an event.
#[derive(Debug, Clone, PartialEq)]
pub struct Taken {
    /// An output.
    pub from: Endpoint,
    /// Dimensionless.
    pub factor: f64,
    /// In the unit of `to`.
    pub offset: f64,
    /// An input without a source, or a tunable parameter.
    pub to: Endpoint,
    /// Where.
    pub place: Place,
}

impl StateEvent {
    /// The name of the function that crosses zero.
    pub fn name(&self) -> String {
        let minus = self.minus.as_ref().map(|minus| format!(" - {minus}")).unwrap_or_default();
        let threshold = if self.threshold == 0.0 { String::new() } else { format!(" = {:?}", self.threshold) };
        format!("{}{minus}{threshold}", self.of)
    }

    /// Outputs that the event uses.
    pub fn outputs(&self) -> impl Iterator<Item = &Endpoint> {
        std::iter::once(&self.of).chain(&self.minus).chain(self.taken.iter().map(|taken| &taken.from))
    }
}
