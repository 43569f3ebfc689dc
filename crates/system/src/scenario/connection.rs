//! Connections and their ends.

use super::place::Place;
use super::unit::Value;

/// A variable of a unit, or an output of a law.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Endpoint {
    /// Unit or law.
    pub unit: String,
    /// Variable of the unit, or name of the law's output.
    pub variable: String,
}

/// `to = factor · from + offset`, with the value of the table for `from` where there is one.
#[derive(Debug, Clone, PartialEq)]
pub struct Connection {
    /// An output.
    pub from: Endpoint,
    /// An input.
    pub to: Endpoint,
    /// Dimensionless factor, after conversion of units.
    pub factor: f64,
    /// Offset in the unit of the input.
    pub offset: f64,
    /// Whether units of measurement are converted.
    pub converts: bool,
    /// Values that are not real, and what becomes of each; empty: they stay.
    pub table: Vec<(Value, Value)>,
    /// Whether a number becomes the nearest whole number, for inputs that are integers or enumerations.
    pub rounds: bool,
    /// Whether the input gets the mean over its unit's step of an output that is sampled more often.
    pub is_mean: bool,
    /// Whether the input holds the value of a file at the start of a step over the step, instead of following the file within it.
    pub is_held: bool,
    /// The law that `from` obeys: predictors of motions apply it to predicted motions instead of extrapolating `from`.
    pub law: Option<String>,
    /// Where.
    pub place: Place,
}

impl Endpoint {
    /// `UNIT.VARIABLE`, split at the first dot.
    pub fn parse(text: &str) -> Option<Endpoint> {
        let (unit, variable) = text.split_once('.')?;
        let (unit, variable) = (unit.trim(), variable.trim());
        (!unit.is_empty() && !variable.is_empty()).then(|| Endpoint { unit: unit.into(), variable: variable.into() })
    }
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.unit, self.variable)
    }
}

impl Connection {
    /// One to one.
    pub fn new(from: Endpoint, to: Endpoint, place: Place) -> Self {
        let (factor, offset, converts, table) = (1.0, 0.0, true, Vec::new());
        let (rounds, is_mean, is_held) = (false, false, false);
        Connection { from, to, factor, offset, converts, table, rounds, is_mean, is_held, law: None, place }
    }
}
