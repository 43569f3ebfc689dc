//! `macrostep recover FILE.csv`: the rows of a run that did not end, whole ones only, and as Parquet where asked for.
//!
//! A row reaches the file in one piece, so that only a machine that stopped, or a full disk, leaves half of one.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::failure::Failure;
use crate::{parquet, print};

/// `macrostep recover`.
#[derive(Debug, Args)]
pub struct RecoverArguments {
    /// The rows: result.csv or trace.csv of a run
    #[arg(value_name = "CSV")]
    pub rows: PathBuf,
    /// Write them to this file in the Parquet format too; needs a build with the feature `parquet` [default: none]
    #[arg(long, value_name = "FILE")]
    pub parquet: Option<PathBuf>,
    /// Print one JSON object instead of a line [default: off]
    #[arg(long)]
    pub json: bool,
}

/// What a file of rows holds.
#[derive(Debug, Clone, PartialEq)]
struct Found {
    rows: u64,
    end_time: Option<f64>,
    /// Length of the whole rows, and of what follows them.
    bytes: u64,
    rest: u64,
}

/// Looks, takes away half a row, converts, and says what there is.
///
/// # Errors
/// [`Failure::Run`] with the line where a row is none, [`Failure::File`].
pub fn run(arguments: &RecoverArguments) -> Result<(), Failure> {
    let path = &arguments.rows;
    let found = look(path)?;
    if found.rest > 0 {
        let file = File::options().write(true).open(path).map_err(Failure::file(path))?;
        file.set_len(found.bytes).map_err(Failure::file(path))?;
    }
    if let Some(target) = &arguments.parquet {
        parquet::convert(path, target)?;
    }
    let Found { rows, end_time, rest, .. } = found;
    if arguments.json {
        let parquet = arguments.parquet.as_ref().map(|p| p.display().to_string());
        return print::line(json!({ "rows": rows, "end_time": end_time, "removed_bytes": rest, "parquet": parquet }));
    }
    let end = end_time.map_or_else(|| "none of them whole".to_owned(), |t_s| format!("up to t = {t_s} s"));
    let removed = if rest > 0 { format!("; {rest} bytes of a broken row removed") } else { String::new() };
    print::line(format!("`{}`: {rows} rows {end}{removed}", path.display()))
}

fn look(path: &Path) -> Result<Found, Failure> {
    let mut reader = BufReader::new(File::open(path).map_err(Failure::file(path))?);
    let mut found = Found { rows: 0, end_time: None, bytes: 0, rest: 0 };
    let (mut record, mut columns, mut line) = (Vec::new(), 0, 0_u64);
    loop {
        let length = reader.read_until(b'\n', &mut record).map_err(Failure::file(path))?;
        let is_over = length == 0;
        // A line end inside quotes is part of a text.
        if !is_over && (!record.ends_with(b"\n") || quotes(&record) % 2 == 1) {
            continue;
        }
        if is_over {
            found.rest = record.len() as u64;
            return Ok(found);
        }
        line += 1;
        let width = fields(&record);
        if line == 1 {
            columns = width;
            if !record.starts_with(b"time") {
                return Err(Failure::Run(format!(
                    "`{}`, line 1: expected `time` first: is this a file of rows?",
                    path.display()
                )));
            }
        } else {
            let text = String::from_utf8_lossy(&record);
            let time = text.split(',').next().and_then(|t| t.trim().parse().ok());
            if width != columns || time.is_none() {
                let path = path.display();
                let found = format!("{width} fields that begin with {:?}", text.split(',').next().unwrap_or_default());
                return Err(Failure::Run(format!(
                    "`{path}`, line {line}: found {found}, expected a time and {} more",
                    columns - 1
                )));
            }
            found.rows += 1;
            found.end_time = time;
        }
        found.bytes += record.len() as u64;
        record.clear();
    }
}

fn quotes(record: &[u8]) -> usize {
    record.iter().filter(|b| **b == b'"').count()
}

/// Fields of a record, commas in quotes not counted.
fn fields(record: &[u8]) -> usize {
    let mut is_quoted = false;
    let mut count = 1;
    for b in record {
        match b {
            b'"' => is_quoted = !is_quoted,
            b',' if !is_quoted => count += 1,
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Result<Found, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows.csv");
        std::fs::write(&path, text).expect("written");
        look(&path).map_err(|e| e.to_string())
    }

    #[test]
    fn half_a_row_is_seen() {
        let whole = "time,x,\"a,b\"\n0,1,\"say \"\"no\"\"\n\"\n1e-7,2,b\n";
        let all = found(whole).expect("rows");
        assert_eq!((all.rows, all.end_time, all.bytes, all.rest), (2, Some(1e-7), whole.len() as u64, 0));
        for end in ["2", "2,3,\"", "2,3,\"x\n", "2,3"] {
            let half = found(&format!("{whole}{end}")).expect("rows");
            assert_eq!((half.rows, half.bytes, half.rest), (2, whole.len() as u64, end.len() as u64), "{end}");
        }
        assert!(found("x\n1\n").is_err_and(|e| e.contains("line 1")));
        assert!(found("time,x\n1\n").is_err_and(|e| e.contains("line 2")));
        assert!(found("time,x\none,1\n").is_err_and(|e| e.contains("line 2")));
    }
}
