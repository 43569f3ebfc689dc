//! `runs.csv`, with a row for each run in the order of the points, and `sweep.json` beside it, which describes the sweep.
//!
//! A sweep that was ended in any way leaves whole rows and at most a part of one, which is taken away when it goes on.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::points::Shard;
use crate::refused::Refused;

/// The file of the rows.
pub const RUNS: &str = "runs.csv";

/// The file with the definition of the rows.
pub const SWEEP: &str = "sweep.json";

/// The definition of the rows of a folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// Version of this file.
    pub format: u32,
    /// Rows of all parts.
    pub rows: u64,
    /// Which part this is, from 1, and how many there are.
    pub shard: [u64; 2],
    /// What is varied, as typed, or the names of a table's columns.
    pub varied: Vec<String>,
    /// Units of measurement of these.
    pub units: Vec<String>,
    /// Whether points were sampled.
    pub sampled: bool,
    /// Measures as typed.
    pub measures: Vec<String>,
    /// Scenario, FMUs and points, a line each.
    pub lines: Vec<String>,
    /// SHA-256 of the varied columns of all rows of this part, in order; empty where it is not known.
    #[serde(default)]
    pub points: String,
}

/// The digest of points in the order of the rows, for [`Definition::points`].
#[derive(Default)]
pub struct PointsDigest(Sha256);

impl PointsDigest {
    /// The next row's varied columns.
    pub fn row<'a>(&mut self, fields: impl Iterator<Item = &'a [u8]>) {
        for field in fields {
            // With its length, so that two fields cannot be taken for others.
            self.0.update((field.len() as u64).to_le_bytes());
            self.0.update(field);
        }
    }

    /// As text.
    pub fn text(self) -> String {
        format!("{:x}", self.0.finalize())
    }
}

impl Definition {
    /// Reads that of a folder; `None` where there is none.
    ///
    /// # Errors
    /// [`Refused`] where it cannot be read.
    pub fn read(folder: &Path) -> Result<Option<Definition>, Refused> {
        let path = folder.join(SWEEP);
        let text = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            text => text.map_err(Refused::file(&path))?,
        };
        let read = serde_json::from_str::<Definition>(&text);
        let definition =
            read.map_err(|e| Refused::Run(format!("`{}`: {e}; it is not a file of a sweep", path.display())))?;
        if definition.format != 1 {
            let found = definition.format;
            return Err(Refused::Run(format!("`{}`: format {found}, expected 1", path.display())));
        }
        Ok(Some(definition))
    }

    /// Writes it.
    ///
    /// # Errors
    /// [`Refused`] where it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), Refused> {
        let path = folder.join(SWEEP);
        let text = serde_json::to_string_pretty(self).map_err(|e| Refused::Run(e.to_string()))?;
        std::fs::write(&path, text + "\n").map_err(Refused::file(&path))
    }

    /// Which part it is.
    pub fn part(&self) -> Shard {
        Shard { index: self.shard[0], of: self.shard[1] }
    }

    /// The names of the columns.
    pub fn head(&self) -> Vec<String> {
        let varied = self.varied.iter().map(|text| text.split('=').next().unwrap_or_default());
        let measures = self.measures.iter().map(|text| text.split('=').next().unwrap_or_default());
        varied.chain(measures).chain(["status"]).map(str::to_owned).collect()
    }

    /// The first difference of two definitions, as a text; `None` if they are equal.
    pub fn difference(&self, other: &Definition) -> Option<String> {
        let pair = |what: &str, a: &str, b: &str| Some(format!("{what} `{a}`, here `{b}`"));
        let lists = [(&self.varied, &other.varied), (&self.measures, &other.measures), (&self.lines, &other.lines)];
        for (a, b) in lists {
            let n = a.len().max(b.len());
            let none = String::from("nothing");
            let at = |list: &Vec<String>, i: usize| list.get(i).unwrap_or(&none).clone();
            if let Some(i) = (0..n).find(|i| a.get(*i) != b.get(*i)) {
                return pair("it has", &at(a, i), &at(b, i));
            }
        }
        if self.rows != other.rows {
            return pair("it has so many rows:", &self.rows.to_string(), &other.rows.to_string());
        }
        None
    }
}

/// The open file of the rows.
pub struct Table {
    path: PathBuf,
    file: File,
    /// Rows that are in it.
    pub rows: u64,
}

impl Table {
    /// Begins a file in a folder, or goes on with one of the same definition.
    ///
    /// # Errors
    /// [`Refused`] where the folder holds another sweep, or files cannot be written.
    pub fn open(folder: &Path, definition: &Definition) -> Result<Table, Refused> {
        std::fs::create_dir_all(folder).map_err(Refused::file(folder))?;
        let path = folder.join(RUNS);
        let known = Definition::read(folder)?;
        if let Some(known) = known {
            let shard = (known.shard != definition.shard).then(|| format!("it is part {:?} of the sweep", known.shard));
            if let Some(what) = known.difference(definition).or(shard) {
                let shown = folder.display();
                return Err(Refused::Run(format!("`{shown}` holds another sweep: {what}; choose another `--out`")));
            }
            if path.exists() {
                return Table::resume(path, definition);
            }
        } else if path.exists() {
            return Err(Refused::Run(format!(
                "`{}` is there without `{SWEEP}`: choose another `--out`",
                path.display()
            )));
        }
        // What the rows are of is there before the first one.
        definition.write(folder)?;
        let file = File::create(&path).map_err(Refused::file(&path))?;
        let mut table = Table { path, file, rows: 0 };
        table.write(&definition.head())?;
        table.rows = 0;
        Ok(table)
    }

    fn resume(path: PathBuf, definition: &Definition) -> Result<Table, Refused> {
        // Whole lines, and where the last one ends.
        let mut reader = BufReader::new(File::open(&path).map_err(Refused::file(&path))?);
        let (mut bytes, mut lines, mut line, mut first) = (0u64, 0u64, Vec::new(), Vec::new());
        loop {
            line.clear();
            let n = reader.read_until(b'\n', &mut line).map_err(Refused::file(&path))?;
            if n == 0 || !line.ends_with(b"\n") {
                break;
            }
            if lines == 0 {
                first.clone_from(&line);
            }
            (bytes, lines) = (bytes + n as u64, lines + 1);
        }
        // They are rows of this sweep.
        let head = record(&definition.head());
        if lines > 0 && first != head {
            return Err(Refused::Run(format!(
                "`{}` has other columns than this sweep: choose another `--out`",
                path.display()
            )));
        }
        // Behind them it goes on.
        let mut file = File::options().write(true).open(&path).map_err(Refused::file(&path))?;
        file.set_len(bytes).map_err(Refused::file(&path))?;
        file.seek(SeekFrom::End(0)).map_err(Refused::file(&path))?;
        let mut table = Table { path, file, rows: lines.saturating_sub(1) };
        // An empty file begins with the head, which is no row.
        if lines == 0 {
            table.write(&definition.head())?;
            table.rows = 0;
        }
        Ok(table)
    }

    /// Writes a row.
    ///
    /// # Errors
    /// [`Refused`] where it cannot be written.
    pub fn write(&mut self, fields: &[String]) -> Result<(), Refused> {
        self.file.write_all(&record(fields)).map_err(Refused::file(&self.path))?;
        self.rows += 1;
        Ok(())
    }
}

/// A field as it stands in the file.
pub fn plain(field: &str) -> String {
    field.replace(['\n', '\r'], " ")
}

/// A line of fields, in quotes where they need them; a field has no line ends.
fn record(fields: &[String]) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    let plain = fields.iter().map(|field| plain(field));
    // Writing to memory does not fail.
    let _ = writer.write_record(plain);
    writer.into_inner().unwrap_or_default()
}

/// The rows of a folder, one after the other.
///
/// # Errors
/// [`Refused`] where they cannot be opened.
pub fn rows(folder: &Path) -> Result<csv::Reader<impl Read + use<>>, Refused> {
    let path = folder.join(RUNS);
    Ok(csv::Reader::from_reader(File::open(&path).map_err(Refused::file(&path))?))
}

/// Puts the parts of a sweep together.
///
/// # Errors
/// [`Refused`] where a part is missing, not finished, or of another sweep.
pub fn merge(parts: &[PathBuf], folder: &Path) -> Result<Definition, Refused> {
    // The parts, in order.
    let missing =
        |path: &Path| Refused::Run(format!("`{}` has no `{SWEEP}`: it is not a part of a sweep", path.display()));
    let mut known = Vec::new();
    for path in parts {
        known.push((path, Definition::read(path)?.ok_or_else(|| missing(path))?));
    }
    known.sort_by_key(|(_, definition)| definition.shard[0]);
    let Some((first_path, first)) = known.first() else {
        return Err(Refused::Usage("`--merge` names no folders".to_owned()));
    };
    // Every part once, all of the same sweep, all finished.
    for (path, definition) in &known {
        if let Some(what) = definition.difference(first) {
            let (shown, other) = (path.display(), first_path.display());
            return Err(Refused::Run(format!("`{shown}` is of another sweep than `{other}`: {what}")));
        }
        let (mut count, mut points) = (0, PointsDigest::default());
        for record in rows(path)?.into_byte_records() {
            let record = record.map_err(|e| Refused::Run(format!("`{}`: {e}", path.join(RUNS).display())))?;
            points.row(record.iter().take(definition.varied.len()));
            count += 1;
        }
        let expected = definition.part().rows(definition.rows);
        if count != expected {
            let shown = path.display();
            return Err(Refused::Run(format!(
                "`{shown}` has {count} of {expected} rows: run its part again, which continues it"
            )));
        }
        // As many rows may be others than those of the points.
        if !definition.points.is_empty() && points.text() != definition.points {
            let shown = path.join(RUNS).display().to_string();
            return Err(Refused::Run(format!(
                "`{shown}`: its rows are not those of its points, some were changed, doubled or taken away; run its part again with another `--out`"
            )));
        }
    }
    // And each of them once.
    let (found, of) = (known.iter().map(|(_, d)| d.shard[0]).collect::<Vec<_>>(), first.shard[1]);
    if found != (1..=of).collect::<Vec<_>>() || known.iter().any(|(_, d)| d.shard[1] != of) {
        return Err(Refused::Run(format!("parts {found:?} of {of}, expected each of them once")));
    }
    // Row after row from part after part.
    let whole = Definition { shard: [1, 1], points: String::new(), ..first.clone() };
    let mut table = Table::open(folder, &whole)?;
    let mut readers = Vec::new();
    for (path, _) in &known {
        readers.push(rows(path)?.into_records());
    }
    // A merge that was ended before goes on: rows that are there are passed over, if they are these.
    let (done, mut there) = (table.rows, rows(folder)?.into_records());
    for row in 0..whole.rows {
        let Some(record) = readers[(row % of) as usize].next() else { break };
        let record = record.map_err(|e| Refused::Run(e.to_string()))?;
        if row < done {
            if there.next().and_then(Result::ok).is_none_or(|found| found != record) {
                let shown = folder.join(RUNS).display().to_string();
                let what = format!("`{shown}`: row {} is not that of the parts; choose another `--out`", row + 1);
                return Err(Refused::Run(what));
            }
        } else {
            table.write(&record.iter().map(str::to_owned).collect::<Vec<_>>())?;
        }
    }
    Ok(whole)
}
