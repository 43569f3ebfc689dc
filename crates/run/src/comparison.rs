//! A run beside known values of its outputs and of what is made of them: a column of errors for each, and the largest of them.
//!
//! ```text
//!     e_i(t) = y_i(t) − y_i*(t) ,      relative error = max |e_i| / max |y_i*|
//! ```
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | y, y* | `values`, `Known` | recorded outputs, and what is known of them |
//! | max \|y*\| | `amplitudes`, `sizes` | over the whole span where that is known, over the rows otherwise; 1 for what does not move |

use macrostep_master::record::{Column, ColumnKind};
use serde::{Deserialize, Serialize};

use std::sync::Arc;

/// Writes the known values at a time \[s\], times ascending; `false` where there are none then.
pub type Values = Box<dyn FnMut(f64, &mut Vec<f64>) -> bool>;

/// Values that are known over time.
pub struct Known {
    /// Their names.
    pub names: Vec<String>,
    /// max |y*| of each over the whole span, where that is known.
    pub amplitudes: Vec<Option<f64>>,
    /// The values, in the order of the names.
    pub at: Values,
    /// Quantities of a run that are computed from what it records.
    pub made: Vec<Made>,
}

/// A quantity that is computed from recorded outputs, as an energy; its rows have it where all of them are recorded.
#[derive(Clone)]
pub struct Made {
    /// Its name and its unit of measurement.
    pub column: Column,
    /// The outputs.
    pub of: Vec<String>,
    /// Its value from theirs.
    pub value: Arc<dyn Fn(&[f64]) -> f64>,
}

impl std::fmt::Debug for Made {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Made").field("column", &self.column).field("of", &self.of).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Known").field("names", &self.names).finish_non_exhaustive()
    }
}

/// The error of one output.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OutputError {
    /// The output.
    pub name: String,
    /// Its unit of measurement.
    pub unit: String,
    /// max |e|, in that unit; NaN where a value was.
    pub largest: f64,
    /// max |e| / max |y*|.
    pub relative: f64,
}

/// Recorded outputs with a known value.
#[derive(Debug)]
pub struct Comparison {
    known: Known,
    /// Recorded columns, then those that are made of them, then those of errors.
    columns: Vec<Column>,
    /// Places of the outputs that a quantity is made of.
    made: Vec<(Made, Vec<usize>)>,
    /// Places among the columns and among the known values.
    pairs: Vec<(usize, usize)>,
    values: Vec<f64>,
    of: Vec<f64>,
    row: Vec<f64>,
    found: Found,
}

/// What was found so far.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Found {
    /// Rows with known values, those of the start not among them.
    rows: u64,
    /// max |e| and max |y*| of each pair.
    errors: Vec<f64>,
    sizes: Vec<f64>,
}

impl Comparison {
    /// Of all columns of numbers that have a known value; `name` names the known value of a column.
    pub fn new(known: Known, recorded: &[Column], name: impl Fn(&str) -> String) -> Comparison {
        // What is made of recorded columns stands behind them.
        let of = |name: &String| recorded.iter().position(|column| column.name == *name);
        let places = |made: &Made| made.of.iter().map(of).collect::<Option<Vec<usize>>>();
        let made: Vec<_> = known.made.iter().filter_map(|made| Some((made.clone(), places(made)?))).collect();
        let mut columns: Vec<Column> =
            recorded.iter().chain(made.iter().map(|(made, _)| &made.column)).cloned().collect();
        // Those that have a known value, and their errors.
        let place = |column: &Column| known.names.iter().position(|known| *known == name(&column.name));
        let numbers = columns.iter().enumerate().filter(|(_, column)| column.kind != ColumnKind::Text);
        let pairs: Vec<_> = numbers.filter_map(|(i, column)| Some((i, place(column)?))).collect();
        let error =
            |(i, _): &(usize, usize)| Column::new(format!("{}_error", columns[*i].name), columns[*i].unit.clone());
        let errors: Vec<Column> = pairs.iter().map(error).collect();
        columns.extend(errors);
        let found = Found { rows: 0, errors: vec![0.0; pairs.len()], sizes: vec![0.0; pairs.len()] };
        Comparison { known, columns, made, pairs, values: Vec::new(), of: Vec::new(), row: Vec::new(), found }
    }

    /// Recorded columns, then those that are made of them, then those of errors.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Names of what is known.
    pub fn known(&self) -> &[String] {
        &self.known.names
    }

    /// How many of the recorded columns are compared.
    pub fn compared(&self) -> usize {
        self.pairs.len()
    }

    /// Rows that were compared, without the first.
    pub fn rows(&self) -> u64 {
        self.found.rows
    }

    /// The errors so far.
    pub fn errors(&self) -> Vec<OutputError> {
        let error = |(n, (i, k)): (usize, &(usize, usize))| {
            let Column { name, unit, .. } = self.columns[*i].clone();
            let largest = self.found.errors[n];
            let size = self.known.amplitudes.get(*k).copied().flatten().unwrap_or(self.found.sizes[n]);
            // What does not move is measured in its own unit.
            OutputError { name, unit, largest, relative: largest / if size > 0.0 { size } else { 1.0 } }
        };
        self.pairs.iter().enumerate().map(error).collect()
    }

    /// The row with its errors; NaN where nothing is known at that time.
    pub(crate) fn row(&mut self, t_s: f64, values: &[f64]) -> &[f64] {
        let is_first = self.row.is_empty();
        self.row.clear();
        self.row.extend_from_slice(values);
        for (made, places) in &self.made {
            self.of.clear();
            self.of.extend(places.iter().map(|i| values[*i]));
            self.row.push((made.value)(&self.of));
        }
        self.values.clear();
        let is_known = (self.known.at)(t_s, &mut self.values);
        for (n, (i, k)) in self.pairs.iter().enumerate() {
            let exact = if is_known { self.values[*k] } else { f64::NAN };
            let error = self.row[*i] - exact;
            self.row.push(error);
            if is_known {
                self.found.errors[n] = larger(self.found.errors[n], error.abs());
                self.found.sizes[n] = self.found.sizes[n].max(exact.abs());
            }
        }
        self.found.rows += u64::from(is_known && !is_first);
        &self.row
    }

    /// What was found so far, to be saved.
    pub(crate) fn found(&self) -> &Found {
        &self.found
    }

    /// Goes on from there.
    pub(crate) fn resume(&mut self, found: Found) {
        self.found = found;
        // Its first row is in the file.
        self.row.push(0.0);
    }
}

/// The larger; NaN wins, so that it is seen.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}
