//! Units of measurement beside a file of rows: `trace.units.csv` beside `trace.csv`.
//!
//! A CSV file has no place for units that all readers understand. The file beside it has two columns, `variable` and `unit`, and a line
//! for `time` and each recorded variable; a unit that nobody says is empty.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use macrostep_import::fmu::regular;
use serde_json::{Map, Value};

use crate::failure::Failure;

/// What the name of the file ends in.
pub const EXTENSION: &str = "units.csv";

/// Units by the names of columns.
pub type Units = HashMap<String, String>;

/// The file beside these rows.
fn beside(rows: &Path) -> PathBuf {
    rows.with_extension(EXTENSION)
}

/// Writes it for columns, each a name with its unit; `time` is in s.
///
/// # Errors
/// [`Failure`] where the file cannot be written.
pub fn write<'a>(rows: &Path, columns: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<(), Failure> {
    let path = beside(rows);
    let failed = |e: csv::Error| Failure::Run(format!("`{}`: {e}", path.display()));
    let mut writer = csv::Writer::from_writer(File::create(&path).map_err(Failure::file(&path))?);
    let head = [("variable", "unit"), ("time", "s")];
    for (name, unit) in head.into_iter().chain(columns) {
        writer.write_record([name, unit]).map_err(failed)?;
    }
    writer.flush().map_err(Failure::file(&path))
}

/// The units of those columns that have one, for `--json`.
pub fn known<'a>(columns: impl IntoIterator<Item = (&'a str, &'a str)>) -> Map<String, Value> {
    let columns = columns.into_iter().filter(|(_, unit)| !unit.is_empty());
    columns.map(|(name, unit)| (name.to_owned(), unit.into())).collect()
}

/// Reads it; empty where there is none.
///
/// # Errors
/// [`Failure`] where it is there and cannot be read.
pub fn read(rows: &Path) -> Result<Units, Failure> {
    let path = beside(rows);
    if !path.exists() {
        return Ok(Units::new());
    }
    let failed = |e: csv::Error| Failure::Run(format!("`{}`: {e}", path.display()));
    let mut reader = csv::Reader::from_reader(regular::open(&path).map_err(Failure::file(&path))?);
    if reader.headers().map_err(failed)? != vec!["variable", "unit"] {
        let found = reader.headers().map_err(failed)?.iter().collect::<Vec<_>>().join(",");
        return Err(Failure::Run(format!("`{}`, line 1: found {found:?}, expected `variable,unit`", path.display())));
    }
    reader.deserialize().collect::<Result<Units, _>>().map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_come_back_with_their_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let rows = folder.path().join("trace.csv");
        assert!(read(&rows).expect("no file, no units").is_empty());
        write(&rows, [("a.f, \"c\"", "N·m"), ("a.n", "")]).expect("written");
        let expected = [("time", "s"), ("a.f, \"c\"", "N·m"), ("a.n", "")];
        assert_eq!(read(&rows).expect("read"), expected.map(|(n, u)| (n.to_owned(), u.to_owned())).into());
        // Another's file of this name is refused.
        std::fs::write(folder.path().join("trace.units.csv"), "time,x\n0,1\n").expect("written");
        assert!(read(&rows).is_err_and(|e| e.to_string().contains("found \"time,x\", expected `variable,unit`")));
    }
}
