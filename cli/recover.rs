//! `macrostep recover FILE.csv`: the rows of a run that did not end, whole ones only, and as Parquet where asked for.
//!
//! A row reaches the file in one piece, so that only a machine that stopped, or a full disk, leaves half of one. Nothing
//! but a part of one row is ever cut, and what is cut is kept in `FILE.csv.cut`. A program that was killed may leave room for
//! further rows behind the last one: zeros, which are cut and kept nowhere.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use macrostep_answers::distinct::Files;
use macrostep_answers::failure::Failure;
use macrostep_answers::formats::{FormatArguments, units};
use macrostep_answers::print;
use macrostep_description::shown;
use macrostep_import::fmu::regular;
use macrostep_run::{take, taken};
use serde_json::json;

/// `macrostep recover`.
#[derive(Debug, Args)]
pub struct RecoverArguments {
    /// The rows: trace.csv of a run
    #[arg(value_name = "CSV")]
    pub rows: PathBuf,
    #[command(flatten)]
    pub formats: FormatArguments,
    /// Print one JSON object instead of a line [default: off]
    #[arg(long)]
    pub json: bool,
}

/// What a file of rows holds.
#[derive(Debug, Clone, PartialEq, Default)]
struct Found {
    rows: u64,
    end_time: Option<f64>,
    /// Length of the whole rows.
    bytes: u64,
    /// What follows them: a part of a row.
    rest: Vec<u8>,
}

/// Removes an incomplete last row, converts the rows, and prints their number and times.
///
/// # Errors
/// [`Failure::Run`] with the line where a row is none, or where a run still writes to the file; [`Failure::File`].
pub fn run(arguments: &RecoverArguments) -> Result<(), Failure> {
    // What is written is not what is read.
    let path = &arguments.rows;
    let mut files = Files::default();
    files.reads("rows", path);
    arguments.formats.claim(&mut files, Path::new(""));
    files.are_apart()?;
    // A file that a run still writes to is left alone.
    let file = regular::open(path).map_err(Failure::file(path))?;
    if !take(&file) {
        return Err(taken(path).into());
    }
    // Half a row is moved away before anything is converted: other formats have whole rows only.
    let found = look(path, file)?;
    let cut = cut(path, &found)?;
    let units = units::read(path)?;
    arguments.formats.convert(path, Path::new(""), &|name| units.get(name).cloned())?;
    // What there is, as an object or as a line.
    let Found { rows, end_time, rest, .. } = found;
    let rest = written(&rest).len();
    if arguments.json {
        let shown = |path: &PathBuf| path.display().to_string();
        let FormatArguments { parquet, mat } = &arguments.formats;
        let [parquet, mat, cut] = [parquet, mat, &cut].map(|path| path.as_ref().map(shown));
        return print::line(json!({
            "rows": rows, "end_time": end_time, "removed_bytes": rest, "removed_to": cut, "parquet": parquet, "mat": mat
        }));
    }
    let end =
        end_time.map_or_else(|| ", none of them whole".to_owned(), |t_s| format!(" up to t = {} s", shown::time(t_s)));
    let removed = cut.map(|cut| format!("; {rest} bytes of a broken row moved to `{}`", cut.display()));
    let rows = if rows == 1 { "1 row".to_owned() } else { format!("{rows} rows") };
    print::line(format!("`{}`: {rows}{end}{}", path.display(), removed.unwrap_or_default()))
}

/// Moves what was written behind the whole rows to a file beside, where there is anything.
fn cut(path: &Path, found: &Found) -> Result<Option<PathBuf>, Failure> {
    if found.rest.is_empty() {
        return Ok(None);
    }
    let file = File::options().write(true).open(path).map_err(Failure::file(path))?;
    let rest = written(&found.rest);
    let mut beside = path.as_os_str().to_owned();
    beside.push(".cut");
    let beside = PathBuf::from(beside);
    if !rest.is_empty() {
        // Behind what was cut before, which is somebody's too.
        let mut kept = File::options().append(true).create(true).open(&beside).map_err(Failure::file(&beside))?;
        kept.write_all(rest).and_then(|()| kept.sync_all()).map_err(Failure::file(&beside))?;
    }
    file.set_len(found.bytes).map_err(Failure::file(path))?;
    Ok((!rest.is_empty()).then_some(beside))
}

/// Bytes without the zeros behind them, which nobody has written.
fn written(rest: &[u8]) -> &[u8] {
    &rest[..rest.iter().rposition(|b| *b != 0).map_or(0, |n| n + 1)]
}

fn look(path: &Path, file: File) -> Result<Found, Failure> {
    // Messages name the line of a row.
    let refuse = |line: u64, found: String, expected: String| {
        Err(Failure::Run(format!("`{}`, line {line}: found {found}, expected {expected}", path.display())))
    };
    // Rows are read one after the other: the file may be larger than memory.
    let mut reader = BufReader::new(file);
    let mut found = Found::default();
    let (mut record, mut columns, mut line) = (Vec::new(), 0, 1_u64);
    let mut is_quoted = false;
    // A row is read to the line end that is not inside quotes.
    loop {
        let length = reader.read_until(b'\n', &mut record).map_err(Failure::file(path))?;
        let is_over = length == 0;
        is_quoted ^= quotes(&record[record.len() - length..]) % 2 == 1;
        // A line end inside quotes is part of a text.
        if !is_over && (!record.ends_with(b"\n") || is_quoted) {
            continue;
        }
        // What is left at the end is a part of a row, or nothing; a file without a whole line has no header.
        if is_over {
            found.rest = record;
            if columns == 0 {
                return refuse(
                    line,
                    "no whole line".to_owned(),
                    "`time` and names: is this a file of rows?".to_owned(),
                );
            }
            return match foreign(&found.rest, columns) {
                Some(what) => refuse(line, what, "a part of one row at the end of the file".to_owned()),
                None => Ok(found),
            };
        }
        // The first line is the header, the others have as many fields and begin with a time.
        let width = fields(&record);
        if columns == 0 {
            columns = width;
            if first(&record) != "time" {
                return refuse(1, format!("{:?}", first(&record)), "`time` first: is this a file of rows?".to_owned());
            }
        } else {
            let time = first(&record).parse().ok();
            if width != columns || time.is_none() {
                let what = format!("{width} fields that begin with {:?}", first(&record));
                return refuse(line, what, format!("a time and {} more", columns - 1));
            }
            found.rows += 1;
            found.end_time = time;
        }
        // The row counts, and reading goes on behind it; a text in it may have line ends of its own.
        found.bytes += record.len() as u64;
        line += record.iter().filter(|b| **b == b'\n').count() as u64;
        record.clear();
    }
}

/// What says that the rest of a file is more than a part of one of our rows.
fn foreign(rest: &[u8], columns: usize) -> Option<String> {
    let rest = written(rest);
    let is_whole = rest.contains(&b',');
    let time = first(rest);
    let begins =
        if is_whole { time.parse::<f64>().is_ok() } else { time.bytes().all(|b| b"0123456789+-.eEinfNa".contains(&b)) };
    if !begins {
        return Some(format!("{time:?}, which begins no row"));
    }
    if fields(rest) > columns {
        return Some(format!("{} fields", fields(rest)));
    }
    let is_row = |line: &&[u8]| line.contains(&b',') && first(line).parse::<f64>().is_ok();
    let rows = rest.split(|b| *b == b'\n').skip(1).filter(is_row).count();
    (rows > 0).then(|| "a quote that does not end, and rows behind it".to_owned())
}

/// The first field of a record, its first letters where it is long.
fn first(record: &[u8]) -> String {
    const SHOWN: usize = 40;
    let field = record.split(|b| matches!(b, b',' | b'\n')).next().unwrap_or_default();
    String::from_utf8_lossy(field).trim().chars().take(SHOWN).collect()
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
        look(&path, File::open(&path).expect("opened")).map_err(|e| e.to_string())
    }

    #[test]
    fn half_a_row_is_seen() {
        let whole = "time,x,\"a,b\"\n0,1,\"say \"\"no\"\"\n\"\n1e-7,2,b\n";
        let all = found(whole).expect("rows");
        assert_eq!((all.rows, all.end_time, all.bytes, all.rest), (2, Some(1e-7), whole.len() as u64, Vec::new()));
        for end in ["2", "2,3,\"", "2,3,\"x\n", "2,3", "1e-", "2,\0\0\0", "\0\0"] {
            let half = found(&format!("{whole}{end}")).expect("rows");
            assert_eq!((half.rows, half.bytes, half.rest.as_slice()), (2, whole.len() as u64, end.as_bytes()), "{end}");
        }
        assert!(found("x\n1\n").is_err_and(|e| e.contains("line 1")));
        assert!(found("time,x\n1\n").is_err_and(|e| e.contains("line 2")));
        assert!(found("time,x\none,1\n").is_err_and(|e| e.contains("line 2")));
        // A text with line ends is a row of several lines.
        assert!(found("time,x\n0,\"a\nb\nc\"\none,1\n").is_err_and(|e| e.contains("line 5")));
    }

    #[test]
    fn what_is_no_part_of_a_row_is_refused() {
        for text in [
            "",
            "time,x",
            "She said \"hi\nline2\nline3\n",
            "time,\"a\n0,1\n1,2\n2,3\n",
            "timer,x\n0,1\n",
            "time,x\n0,1\nnot ours",
            "time,x\n0,1\n1,2,3",
            "time,x\n0,\"a\n1,2\n2,3\n",
        ] {
            assert!(found(text).is_err_and(|e| e.contains("line ")), "{text:?}");
        }
    }
}
