//! A file of inputs: CSV, `time` in s first, then a column an input.
//!
//! A continuous real is interpolated between rows, everything else keeps the value of the last row. Two rows of one time
//! make a jump there. Before the first row its values hold, after the last its own.

use std::collections::BTreeSet;
use std::io::Read;

use macrostep_description::{Causality, ModelDescription, Value, Variability};
use macrostep_master::unit::{self, Unit, UnitError};

use crate::values;

/// A file of inputs that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct InputError {
    /// Line of the file, from 1.
    pub line: u64,
    /// What was found and what is expected.
    pub reason: String,
}

/// Values of inputs over time.
#[derive(Debug)]
pub struct Input {
    times: Vec<f64>,
    columns: Vec<Column>,
}

#[derive(Debug)]
struct Column {
    name: String,
    reference: u32,
    is_interpolated: bool,
    values: Vec<Value>,
}

impl Input {
    /// Reads a file whole.
    ///
    /// # Errors
    /// The line and what is wrong there.
    pub fn read(file: impl Read, d: &ModelDescription) -> Result<Input, InputError> {
        let at = |line: u64, reason: String| InputError { line, reason };
        let mut reader = csv::Reader::from_reader(file);
        let header = reader.headers().map_err(|e| at(1, e.to_string()))?.clone();
        if header.get(0).map(str::trim) != Some("time") {
            let found = values::cut(header.get(0).unwrap_or("nothing"));
            return Err(at(1, format!("the first column is `{found}`, expected `time`")));
        }
        let mut variables = Vec::new();
        let mut names = BTreeSet::new();
        for name in header.iter().skip(1).map(str::trim) {
            let v = values::find(d, name).map_err(|e| at(1, e))?;
            if v.causality != Causality::Input {
                let causality = values::word(v.causality);
                return Err(at(1, format!("`{name}` has the causality {causality}, expected input")));
            }
            if !names.insert(name) {
                return Err(at(
                    1,
                    format!("column `{}` is there twice, expected one column an input", values::cut(name)),
                ));
            }
            variables.push(v);
        }
        let column = |v: &&macrostep_description::Variable| Column {
            name: v.name.clone(),
            reference: v.value_reference,
            is_interpolated: v.real().is_some() && v.variability == Variability::Continuous,
            values: Vec::new(),
        };
        let mut input = Input { times: Vec::new(), columns: variables.iter().map(column).collect() };
        for record in reader.records() {
            let record = record.map_err(|e| at(e.position().map_or(0, csv::Position::line), e.to_string()))?;
            let line = record.position().map_or(0, csv::Position::line);
            let text = record.get(0).unwrap_or_default().trim();
            let after = input.times.last().copied().unwrap_or(f64::NEG_INFINITY);
            match text.parse::<f64>() {
                Ok(t_s) if t_s.is_finite() && t_s >= after => input.times.push(t_s),
                _ => {
                    return Err(at(
                        line,
                        format!(
                            "`time` is `{}`, expected a finite number, no less than {}",
                            values::cut(text),
                            values::cut(&after.to_string())
                        ),
                    ));
                }
            }
            for ((column, v), text) in input.columns.iter_mut().zip(&variables).zip(record.iter().skip(1)) {
                column.values.push(values::parse(d, v, text).map_err(|e| at(line, e))?);
            }
        }
        if input.times.is_empty() {
            return Err(at(2, "no row, expected at least one".to_owned()));
        }
        Ok(input)
    }

    /// Whether it has values of this input.
    pub fn drives(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column.name == name)
    }

    /// Time of the first row \[s\].
    pub fn first_s(&self) -> f64 {
        self.times.first().copied().unwrap_or(f64::NAN)
    }

    /// Sets all inputs to their values at `t_s` in s.
    ///
    /// # Errors
    /// Those of the unit.
    pub fn set(&self, t_s: f64, unit: &mut dyn Unit) -> Result<(), UnitError> {
        let after = self.times.partition_point(|t| *t <= t_s);
        let before = after.saturating_sub(1);
        for column in &self.columns {
            let value = match (&column.values[before], column.values.get(after)) {
                (Value::Real(a), Some(Value::Real(b))) if column.is_interpolated && after > 0 => {
                    let (t0, t1) = (self.times[before], self.times[after]);
                    Value::Real(a + (b - a) * ((t_s - t0) / (t1 - t0)))
                }
                (value, _) => value.clone(),
            };
            unit::set(unit, column.reference, &value)?;
        }
        Ok(())
    }
}
