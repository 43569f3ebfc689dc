//! *Samples*: columns of a CSV file over time, as they were measured: with gaps, and in units of measurement of their own.
//!
//! The first column is `time`, or `time [ms]` with a unit; others are `NAME` or `NAME [UNIT]`. An empty field, or `nan`, is a gap.

use std::io::Read;
use std::path::Path;

use macrostep_description::{ModelDescription, Variable};
use macrostep_import::fmu::regular;
use macrostep_system::check::from_unit;

/// A file as it was read.
#[derive(Debug, Clone)]
pub struct Samples {
    /// As the user names the file.
    pub shown: String,
    /// Times \[s\], which do not decrease.
    pub times_s: Vec<f64>,
    /// All other columns.
    pub columns: Vec<SampledColumn>,
}

/// A column of a file.
#[derive(Debug, Clone)]
pub struct SampledColumn {
    /// Its name without the unit.
    pub name: String,
    /// Its unit of measurement, where one is given.
    pub unit: Option<String>,
    /// As many values as times; NaN is a gap.
    pub values: Vec<f64>,
}

impl Samples {
    /// Reads a file.
    ///
    /// # Errors
    /// File, line, and what is wrong there.
    pub fn read(path: &Path) -> Result<Samples, String> {
        let file = regular::data(path).map_err(|e| format!("`{}`: {e}", path.display()))?;
        Samples::of(&path.display().to_string(), file)
    }

    /// Reads standard input.
    ///
    /// # Errors
    /// As [`Samples::read`].
    pub fn standard_input() -> Result<Samples, String> {
        Samples::of("standard input", regular::standard_input())
    }

    /// Reads a table that has this name in messages.
    fn of(shown: &str, table: impl Read) -> Result<Samples, String> {
        // Blanks around fields mean nothing.
        let shown = shown.to_owned();
        let at = |line: u64, what: String| format!("`{shown}`, line {line}: {what}");
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(table);
        // Names and units.
        let head = reader.headers().map_err(|e| at(1, e.to_string()))?.clone();
        let mut names = head.iter().map(divided);
        let (first, time_unit) = names.next().unwrap_or_default();
        let scale_s = time_unit.as_deref().map_or(Some(1.0), second);
        let Some(scale_s) = scale_s.filter(|_| first == "time") else {
            let found = head.get(0).unwrap_or_default();
            return Err(at(
                1,
                format!("the first column is `{found}`, expected `time`, or `time` with [ms], [s], [min] or [h]"),
            ));
        };
        // Columns, each once.
        let column = |(name, unit): (String, Option<String>)| SampledColumn { name, unit, values: Vec::new() };
        let mut samples = Samples { shown: shown.clone(), times_s: Vec::new(), columns: names.map(column).collect() };
        for (i, column) in samples.columns.iter().enumerate() {
            if samples.columns[..i].iter().any(|other| other.name == column.name) {
                return Err(at(1, format!("the column `{}` is there twice", column.name)));
            }
        }
        // Rows.
        for record in reader.records() {
            let record = record.map_err(|e| at(e.position().map_or(0, csv::Position::line), e.to_string()))?;
            let line = record.position().map_or(0, csv::Position::line);
            let text = record.get(0).unwrap_or_default();
            let before = samples.times_s.last().copied().unwrap_or(f64::NEG_INFINITY);
            let t_s = text.parse::<f64>().ok().map(|t| t * scale_s).filter(|t_s| t_s.is_finite() && *t_s >= before);
            samples.times_s.push(t_s.ok_or_else(|| {
                at(line, format!("`time` is `{text}`, expected a finite number, not below the one before"))
            })?);
            // A field is a number or a gap.
            for (column, text) in samples.columns.iter_mut().zip(record.iter().skip(1)) {
                let value = if text.is_empty() { Ok(f64::NAN) } else { text.parse::<f64>() };
                let value = value.ok().filter(|x| !x.is_infinite());
                let wrong =
                    || at(line, format!("`{}` is `{text}`, expected a number, or nothing for a gap", column.name));
                column.values.push(value.ok_or_else(wrong)?);
            }
        }
        if samples.times_s.is_empty() {
            return Err(format!("`{shown}`: no rows below the names"));
        }
        Ok(samples)
    }

    /// The column of this name.
    ///
    /// # Errors
    /// Which columns there are.
    pub fn column(&self, name: &str) -> Result<&SampledColumn, String> {
        self.columns.iter().find(|column| column.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.columns.iter().map(|c| c.name.as_str()).collect();
            format!("`{}` has no column `{name}`; there are `{}`", self.shown, names.join("`, `"))
        })
    }
}

impl SampledColumn {
    /// The values in the unit of a variable.
    ///
    /// # Errors
    /// Where the unit of the column is not known beside that of the variable.
    pub fn in_unit_of(&self, variable: &Variable, description: &ModelDescription) -> Result<Vec<f64>, String> {
        let Some(unit) = &self.unit else { return Ok(self.values.clone()) };
        let (factor, offset) = conversion(unit, variable, description).ok_or_else(|| {
            let own = variable.unit();
            format!("column `{}` is in `{unit}`, `{}` is in `{own}`: expected a unit that is known and of the same quantity", self.name, variable.name)
        })?;
        Ok(self.values.iter().map(|x| factor * x + offset).collect())
    }
}

/// `NAME [UNIT]` as name and unit. Indices are in brackets too, but without a space before them.
fn divided(head: &str) -> (String, Option<String>) {
    match head.strip_suffix(']').and_then(|rest| rest.rsplit_once(" [")) {
        Some((name, unit)) => (name.trim().to_owned(), Some(unit.trim().to_owned())),
        None => (head.trim().to_owned(), None),
    }
}

/// A unit of time in seconds.
fn second(unit: &str) -> Option<f64> {
    match unit {
        "s" => Some(1.0),
        "ms" => Some(1e-3),
        "us" | "µs" => Some(1e-6),
        "min" => Some(60.0),
        "h" => Some(3600.0),
        _ => None,
    }
}

/// Common units of measurement: name, the unit it is converted to, factor and offset.
const COMMON: [(&str, &str, f64, f64); 8] = [
    ("deg", "rad", std::f64::consts::PI / 180.0, 0.0),
    ("degC", "K", 1.0, 273.15),
    ("bar", "Pa", 1e5, 0.0),
    ("km/h", "m/s", 1.0 / 3.6, 0.0),
    ("rpm", "rad/s", std::f64::consts::PI / 30.0, 0.0),
    ("min", "s", 60.0, 0.0),
    ("h", "s", 3600.0, 0.0),
    ("l", "m3", 1e-3, 0.0),
];

/// Letters before a unit.
const PREFIXES: [(&str, f64); 9] =
    [("k", 1e3), ("M", 1e6), ("G", 1e9), ("d", 1e-1), ("c", 1e-2), ("m", 1e-3), ("u", 1e-6), ("µ", 1e-6), ("n", 1e-9)];

/// `value of the variable = factor · value + offset`.
fn conversion(unit: &str, variable: &Variable, description: &ModelDescription) -> Option<(f64, f64)> {
    let own = variable.unit();
    if unit == own {
        return Some((1.0, 0.0));
    }
    let declared = from_unit(unit, variable, description);
    let common = COMMON.iter().find(|(name, to, ..)| *name == unit && *to == own).map(|(_, _, f, o)| (*f, *o));
    let prefixed = PREFIXES.iter().find(|(letter, _)| unit.strip_prefix(letter) == Some(own)).map(|(_, f)| (*f, 0.0));
    declared.or(common).or(prefixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_divided_into_name_and_unit() {
        assert_eq!(divided("m.x [mm]"), ("m.x".to_owned(), Some("mm".to_owned())));
        assert_eq!(divided("m.x[1]"), ("m.x[1]".to_owned(), None));
        assert_eq!(divided("m.x[1] [kN]"), ("m.x[1]".to_owned(), Some("kN".to_owned())));
    }
}
