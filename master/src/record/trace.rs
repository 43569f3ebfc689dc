//! A *trace*: the values recorded in a run, with a row for each recorded point, `time` first.
//!
//! Written as CSV in the shortest digits that read back to the same `f64`, so a trace and its file hold the same bits. The
//! first line has the names and nothing but the names; units stay in the [`Column`]s, so that the file loads anywhere.

use super::{NUMBER_MOST, write_number};
use std::io::{Read, Write};

/// Name and unit of one recorded variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Name, unique in its trace.
    pub name: String,
    /// Unit as the model description writes it, `1` where it has none.
    pub unit: String,
    /// What its values are.
    pub kind: ColumnKind,
}

/// Type of the values of a column; those of an enumeration are integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColumnKind {
    /// Real numbers.
    #[default]
    Real,
    /// Whole numbers of 32 bits.
    Integer,
    /// 1 for true and 0 for false.
    Boolean,
    /// Texts; the number in their place says nothing.
    Text,
}

impl Column {
    /// A column of real values of that name and unit.
    pub fn new(name: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { name: name.into(), unit: unit.into(), kind: ColumnKind::Real }
    }

    /// A column of values without a unit.
    pub fn discrete(name: impl Into<String>, kind: ColumnKind) -> Self {
        Self { kind, ..Self::new(name, "1") }
    }
}

/// Recorded values, row-major.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trace {
    columns: Vec<Column>,
    values: Vec<f64>,
}

/// A trace that cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// From the CSV layer: input, output, or rows of unequal length.
    #[error("trace: {0}")]
    Csv(#[from] csv::Error),
    /// A field that is a text.
    #[error("trace: line {line}, column `{column}` is `{found}`, expected a number")]
    NotANumber {
        /// Line of the file, from 1.
        line: u64,
        /// Name of the column.
        column: String,
        /// Text found.
        found: String,
    },
}

impl Trace {
    /// An empty trace whose first column is `time` in s.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        let columns = std::iter::once(Column::new("time", "s")).chain(columns).collect();
        Self { columns, values: Vec::new() }
    }

    /// Makes room for that many rows, so that pushing them does not allocate.
    pub fn reserve(&mut self, rows: usize) {
        self.values.reserve(rows * self.columns.len());
    }

    /// Columns, `time` first.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        if self.columns.is_empty() { 0 } else { self.values.len() / self.columns.len() }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Adds a row at `t_s` in s; `values` are those of the columns after `time`.
    ///
    /// # Panics
    /// Where the number of values is not that of the columns: a mistake of the caller, not of a run.
    pub fn push(&mut self, t_s: f64, values: &[f64]) {
        assert_eq!(values.len() + 1, self.columns.len(), "values in a row of the trace");
        self.values.push(t_s);
        self.values.extend_from_slice(values);
    }

    /// Rows in the order recorded, `time` first.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &[f64]> + ExactSizeIterator {
        self.values.chunks_exact(self.columns.len().max(1))
    }

    /// Index of the column of that name.
    pub fn index(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// All values of the column of that name.
    pub fn column(&self, name: &str) -> Option<Vec<f64>> {
        let index = self.index(name)?;
        Some(self.rows().map(|row| row[index]).collect())
    }

    /// Writes CSV: one line of names, then the rows in shortest round-trip digits.
    ///
    /// # Errors
    /// [`TraceError::Csv`] where the sink fails.
    pub fn write(&self, sink: impl Write) -> Result<(), TraceError> {
        let mut writer = csv::Writer::from_writer(sink);
        writer.write_record(self.columns.iter().map(|column| column.name.as_str()))?;
        let mut text = [0; NUMBER_MOST];
        for row in self.rows() {
            for value in row {
                let n = write_number(&mut text, *value);
                writer.write_field(&text[..n])?;
            }
            writer.write_record(None::<&[u8]>)?;
        }
        writer.flush().map_err(csv::Error::from)?;
        Ok(())
    }

    /// Reads a trace that [`Trace::write`] wrote. Units are not in the file: those of the columns are `1`.
    ///
    /// # Errors
    /// [`TraceError`] where a row is short or long, or has a text in it.
    pub fn read(source: impl Read) -> Result<Self, TraceError> {
        Self::read_some(source, |_| true)
    }

    /// As [`Trace::read`], of the columns with a place in the file that is wanted; `time` is at 0.
    ///
    /// # Errors
    /// As [`Trace::read`].
    pub fn read_some(source: impl Read, is_wanted: impl Fn(usize) -> bool) -> Result<Self, TraceError> {
        // Columns that are wanted, by their place.
        let mut reader = csv::Reader::from_reader(source);
        let wanted: Vec<bool> = (0..reader.headers()?.len()).map(is_wanted).collect();
        let some = |names: &csv::StringRecord| -> Vec<Column> {
            let names = names.iter().zip(&wanted).filter(|(_, is)| **is);
            names.map(|(name, _)| Column::new(name, "1")).collect()
        };
        let columns = some(reader.headers()?);
        // Values row by row; fields that are not wanted are not parsed.
        let mut values = Vec::new();
        for record in reader.records() {
            let record = record?;
            let fields = record.iter().zip(&wanted).filter(|(_, is)| **is).map(|(field, _)| field);
            for (field, column) in fields.zip(&columns) {
                let value = field.trim().parse().map_err(|_| TraceError::NotANumber {
                    line: record.position().map_or(0, csv::Position::line),
                    column: column.name.clone(),
                    found: field.to_owned(),
                })?;
                values.push(value);
            }
        }
        Ok(Self { columns, values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Trace {
        let mut trace = Trace::new([Column::new("x1", "m"), Column::new("f_c", "N")]);
        trace.push(0.0, &[-0.0, f64::MIN_POSITIVE]);
        trace.push(0.1 + 0.2, &[1.0 / 3.0, -6.02214076e23]);
        trace.push(1e-7, &[f64::NAN, f64::NEG_INFINITY]);
        trace
    }

    #[test]
    fn a_file_holds_the_same_bits() {
        let trace = sample();
        let mut file = Vec::new();
        trace.write(&mut file).expect("written");
        let back = Trace::read(file.as_slice()).expect("read");
        let bits = |trace: &Trace| trace.rows().flatten().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&trace), bits(&back));
        assert_eq!(back.columns().iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), ["time", "x1", "f_c"]);
    }

    #[test]
    fn digits_are_short() {
        let mut file = Vec::new();
        sample().write(&mut file).expect("written");
        let text = String::from_utf8(file).expect("text");
        assert_eq!(
            text.lines().collect::<Vec<_>>(),
            [
                "time,x1,f_c",
                "0,-0,2.2250738585072014e-308",
                "0.30000000000000004,0.3333333333333333,-6.02214076e23",
                "1e-7,NaN,-inf"
            ]
        );
    }

    #[test]
    fn what_is_no_number_is_named_with_its_place() {
        let error = Trace::read("time,x1\n0,1\n0.1,oops\n".as_bytes()).expect_err("refused");
        assert_eq!(error.to_string(), "trace: line 3, column `x1` is `oops`, expected a number");
        assert!(Trace::read("time,x1\n0\n".as_bytes()).is_err());
    }

    #[test]
    fn columns_come_out_by_name() {
        assert_eq!(sample().column("f_c").expect("there")[1], -6.02214076e23);
        assert_eq!(sample().column("f"), None);
        assert_eq!(sample().len(), 3);
    }
}
