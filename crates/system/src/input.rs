//! *Inputs from a file*: CSV, `time` in s first, then columns with a name each. Two rows of one time make a jump.

use std::collections::BTreeSet;
use std::io::Read;

/// A file of inputs that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct InputError {
    /// Line of the file, from 1.
    pub line: u64,
    /// What was found and what is expected.
    pub reason: String,
}

/// A file as it was read: times that do not decrease, and the texts of all columns.
#[derive(Debug, Clone, PartialEq)]
pub struct InputTable {
    /// Names of the columns after `time`, each there once.
    pub names: Vec<String>,
    /// \[s\], at least one.
    pub times_s: Vec<f64>,
    /// Line of each row, from 1.
    pub lines: Vec<u64>,
    /// Texts of each column, a row each.
    pub columns: Vec<Vec<String>>,
}

impl InputTable {
    /// Reads a file whole; `shown` puts texts of it into messages.
    ///
    /// # Errors
    /// The line and what is wrong there.
    pub fn read(file: impl Read, shown: impl Fn(&str) -> String) -> Result<InputTable, InputError> {
        let at = |line: u64, reason: String| InputError { line, reason };
        // Names of the columns, after `time`.
        let mut reader = csv::Reader::from_reader(file);
        let header = reader.headers().map_err(|e| at(1, e.to_string()))?.clone();
        if header.get(0).map(str::trim) != Some("time") {
            let found = shown(header.get(0).unwrap_or("nothing"));
            return Err(at(1, format!("the first column is `{found}`, expected `time`")));
        }
        let names: Vec<String> = header.iter().skip(1).map(|name| name.trim().to_owned()).collect();
        let mut known = BTreeSet::new();
        if let Some(twice) = names.iter().find(|name| !known.insert(name.as_str())) {
            return Err(at(1, format!("column `{}` is there twice, expected one column an input", shown(twice))));
        }
        // Rows, with times that do not go back. Fields stay texts: their type is known where they are connected.
        let columns = vec![Vec::new(); names.len()];
        let mut table = InputTable { names, times_s: Vec::new(), lines: Vec::new(), columns };
        for record in reader.records() {
            let record = record.map_err(|e| at(e.position().map_or(0, csv::Position::line), e.to_string()))?;
            let line = record.position().map_or(0, csv::Position::line);
            // Two rows of one time are a jump.
            let text = record.get(0).unwrap_or_default().trim();
            let after = table.times_s.last().copied().unwrap_or(f64::NEG_INFINITY);
            match text.parse::<f64>() {
                Ok(t_s) if t_s.is_finite() && t_s >= after => table.times_s.push(t_s),
                _ => {
                    let (found, least) = (shown(text), shown(&after.to_string()));
                    return Err(at(
                        line,
                        format!("`time` is `{found}`, expected a finite number, no less than {least}"),
                    ));
                }
            }
            // The line in the file is kept for findings about its values.
            table.lines.push(line);
            for (column, text) in table.columns.iter_mut().zip(record.iter().skip(1)) {
                column.push(text.to_owned());
            }
        }
        // A table without rows has no value at any time.
        if table.times_s.is_empty() {
            return Err(at(2, "no row, expected at least one".to_owned()));
        }
        Ok(table)
    }

    /// The texts of a column, with the line of each.
    pub fn column(&self, name: &str) -> Option<impl Iterator<Item = (u64, &str)>> {
        let i = self.names.iter().position(|known| known == name)?;
        Some(self.lines.iter().copied().zip(self.columns[i].iter().map(String::as_str)))
    }
}
