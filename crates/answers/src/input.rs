//! A file of inputs: CSV, `time` in s first, then a column for each input.
//!
//! A continuous real is interpolated between rows, everything else keeps the value of the last row. Two rows of one time
//! make a jump there. Before the first row its values hold, after the last its own.

use std::io::Read;

use crate::values;
use macrostep_description::{Causality, ModelDescription, Value, Variability};
use macrostep_master::unit::{self, Unit, UnitError};
pub use macrostep_system::input::InputError;
use macrostep_system::input::InputTable;

/// Parts of a step that a row may be after its beginning and still belong to it, as for inputs of a scenario.
const OFF_MAX: f64 = 1e-6;

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
        // Columns are inputs of the FMU by name, times apart.
        let table = InputTable::read(file, values::cut)?;
        let mut variables = Vec::new();
        for name in &table.names {
            let v = values::find(d, name).map_err(|e| at(1, e))?;
            if v.causality != Causality::Input {
                let causality = values::word(v.causality);
                return Err(at(1, format!("`{name}` has the causality {causality}, expected input")));
            }
            variables.push(v);
        }
        // Values in the type of the variable; only continuous real ones are interpolated between rows.
        let column = |v: &macrostep_description::Variable| -> Result<Column, InputError> {
            let texts = table.column(&v.name).into_iter().flatten();
            let values = texts.map(|(line, text)| values::parse(d, v, text).map_err(|e| at(line, e)));
            Ok(Column {
                name: v.name.clone(),
                reference: v.value_reference,
                is_interpolated: v.real().is_some() && v.variability == Variability::Continuous,
                values: values.collect::<Result<_, _>>()?,
            })
        };
        // All columns, or the line of the first value that is none.
        let columns = variables.into_iter().map(column).collect::<Result<_, _>>()?;
        Ok(Input { times: table.times_s, columns })
    }

    /// Whether it has values of this input.
    pub fn drives(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column.name == name)
    }

    /// Time of the first row \[s\].
    pub fn first_s(&self) -> f64 {
        self.times.first().copied().unwrap_or(f64::NAN)
    }

    /// Sets all inputs to their values at `t_s` in s, from where a step of `step_s` begins.
    ///
    /// # Errors
    /// Those of the unit.
    pub fn set(&self, t_s: f64, step_s: f64, unit: &mut dyn Unit) -> Result<(), UnitError> {
        // The rounding of `start + n·H` does not put a row at this time after it, where a jump would wait for the next step.
        let latest_s = t_s + OFF_MAX * step_s;
        let after = self.times.partition_point(|t| *t <= latest_s);
        let before = after.saturating_sub(1);
        for column in &self.columns {
            let value = match (&column.values[before], column.values.get(after)) {
                (Value::Real(a), Some(Value::Real(b))) if column.is_interpolated && after > 0 => {
                    let (t0, t1) = (self.times[before], self.times[after]);
                    Value::Real(a + (b - a) * ((t_s - t0).max(0.0) / (t1 - t0)))
                }
                (value, _) => value.clone(),
            };
            unit::set(unit, column.reference, &value)?;
        }
        Ok(())
    }
}
