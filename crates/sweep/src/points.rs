//! The *points* of a sweep: those of a design, or the rows of a table from a file, one after the other.

use std::fs::File;
use std::path::{Path, PathBuf};

use macrostep_import::fmu::regular;
use macrostep_system::scenario::Value;
use sha2::{Digest, Sha256};

use crate::design::Design;
use crate::refused::Refused;
use crate::study::Study;
use crate::vary::{Key, Levels, Target, Vary, cell, number};

/// Systems that one sweep may name.
const SYSTEMS_MAX: usize = 100;

/// Where points come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Points {
    /// A design over ranges and lists.
    Design {
        /// The varied names.
        varies: Vec<Vary>,
        /// How points are chosen.
        design: Design,
        /// How many there are.
        rows: u64,
    },
    /// A table: a CSV file with a column a target.
    Table {
        /// The file.
        path: PathBuf,
        /// Its columns; measures and `status` of an earlier sweep are left out.
        targets: Vec<Target>,
        /// How many rows it has.
        rows: u64,
        /// SHA-256 of the file.
        digest: String,
    },
}

/// A part of the points: every `of`-th from number `index` on, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 1.
    pub index: u64,
    /// How many parts there are.
    pub of: u64,
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse::<u64>().ok()?, n.parse::<u64>().ok()?)));
        let shard = parts.map(|(index, of)| Shard { index, of });
        shard.filter(|s| (1..=s.of).contains(&s.index)).ok_or_else(|| "expected I/N with I from 1 to N".to_owned())
    }
}

impl Shard {
    /// All points.
    pub const WHOLE: Shard = Shard { index: 1, of: 1 };

    /// How many of so many points are in this part.
    pub fn rows(self, all: u64) -> u64 {
        (all + self.of - self.index) / self.of
    }
}

impl Points {
    /// Points of a design.
    ///
    /// # Errors
    /// [`Refused::Usage`] where nothing is varied, a number of values is missing, or there are too many points.
    pub fn design(varies: Vec<Vary>, design: Design) -> Result<Points, Refused> {
        if varies.is_empty() {
            return Err(Refused::Usage(
                "nothing is varied: name `--vary UNIT.VARIABLE=lin:LOW:HIGH:N`, or a `--table`".to_owned(),
            ));
        }
        let rows = design.rows(&varies).map_err(Refused::Usage)?;
        if rows == 0 || rows > u64::from(u32::MAX) {
            return Err(Refused::Usage(format!("{rows} points, expected 1 to {}", u32::MAX)));
        }
        Ok(Points::Design { varies, design, rows })
    }

    /// Points of a table, after a check of its names and fields.
    ///
    /// # Errors
    /// [`Refused`] where the file cannot be read, or names what is no target.
    pub fn table(path: &Path) -> Result<Points, Refused> {
        let wrong = |what: String| Refused::Usage(format!("`--table {}`: {what}", path.display()));
        // Names of the columns. Those of an earlier sweep are followed by its measures and `status`.
        let mut reader = reader(path)?;
        let head = reader.headers().map_err(|e| wrong(e.to_string()))?.clone();
        let names: Vec<&str> = head.iter().take_while(|name| *name != "status").collect();
        let is_measure = |name: &&str| !name.contains('.') && name.parse::<Target>().is_err();
        let varied = names.iter().position(is_measure).filter(|_| names.len() < head.len()).unwrap_or(names.len());
        let (names, measures) = names.split_at(varied);
        if let (Some(late), Some(first)) = (measures.iter().find(|name| !is_measure(name)), measures.first()) {
            return Err(wrong(format!("the name `{late}` is after the measure `{first}`, expected before it")));
        }
        let targets: Vec<Target> = names.iter().map(|name| name.parse()).collect::<Result<_, _>>().map_err(wrong)?;
        if targets.is_empty() {
            return Err(wrong("no columns, expected one for each varied name".to_owned()));
        }
        // Every row is looked at before the first run.
        let mut rows = 0;
        for record in reader.records() {
            let record = record.map_err(|e| wrong(e.to_string()))?;
            point(&record, targets.len()).map_err(wrong)?;
            rows += 1;
        }
        if rows == 0 {
            return Err(wrong("no rows below the names".to_owned()));
        }
        // The file's digest tells whether a sweep goes on with the same table.
        let mut hash = Sha256::new();
        let mut file = regular::data(path).map_err(Refused::file(path))?;
        std::io::copy(&mut file, &mut hash).map_err(Refused::file(path))?;
        let digest = format!("{:x}", hash.finalize());
        Ok(Points::Table { path: path.to_owned(), targets, rows, digest })
    }

    /// The varied names.
    pub fn targets(&self) -> Vec<Target> {
        match self {
            Points::Design { varies, .. } => varies.iter().map(|vary| vary.target.clone()).collect(),
            Points::Table { targets, .. } => targets.clone(),
        }
    }

    /// The values of `system`, each once; none where it is not varied.
    ///
    /// # Errors
    /// [`Refused`] where a table cannot be opened again, or names too many systems.
    pub fn systems(&self) -> Result<Vec<String>, Refused> {
        let Some(place) = self.targets().iter().position(|target| *target == Target::Key(Key::System)) else {
            return Ok(Vec::new());
        };
        // Those of a list, or of the rows of a table.
        let all: Box<dyn Iterator<Item = Result<Value, String>>> = match self {
            Points::Design { varies, .. } => Box::new(varies[place].levels.ends().into_iter().map(Ok)),
            Points::Table { .. } => {
                Box::new(self.iter(Shard::WHOLE)?.map(move |row| row.map(|mut v| v.swap_remove(place))))
            }
        };
        let mut names: Vec<String> = Vec::new();
        for value in all {
            let name = cell(&value.map_err(Refused::Run)?);
            if !names.contains(&name) {
                names.push(name);
            }
            // Each of them is open as long as the sweep goes on.
            if names.len() > SYSTEMS_MAX {
                return Err(Refused::Usage(format!("`system` has more than {SYSTEMS_MAX} values: divide the sweep")));
            }
        }
        Ok(names)
    }

    /// How many points there are.
    pub fn rows(&self) -> u64 {
        match self {
            Points::Design { rows, .. } | Points::Table { rows, .. } => *rows,
        }
    }

    /// Whole numbers for targets that take no others, and a look at every value that can be looked at before a run.
    ///
    /// # Errors
    /// [`Refused`] with the first value that does not fit, and what is expected.
    pub fn fit_to(&mut self, study: &Study<'_>) -> Result<(), Refused> {
        match self {
            Points::Design { varies, .. } => {
                for vary in varies {
                    // A range of whole numbers has whole values.
                    if let Levels::Range { is_whole, .. } = &mut vary.levels {
                        *is_whole |= study.is_whole(&vary.target);
                    }
                    if !vary.levels.are_whole() {
                        return Err(Refused::Usage(format!(
                            "`--vary {vary}`: `{}` takes whole numbers only",
                            vary.target
                        )));
                    }
                    // Both ends, or all words, have to fit.
                    vary.levels.ends().iter().try_for_each(|value| study.check(&vary.target, value))?;
                }
                Ok(())
            }
            Points::Table { targets, .. } => {
                // The first wrong row of each column is enough.
                let targets = targets.clone();
                for values in self.iter(Shard::WHOLE)? {
                    let values = values.map_err(Refused::Run)?;
                    if !study.has(&values) {
                        continue;
                    }
                    targets.iter().zip(&values).try_for_each(|(target, value)| study.check(target, value))?;
                }
                Ok(())
            }
        }
    }

    /// The points of a part, in their order.
    ///
    /// # Errors
    /// [`Refused`] where a table cannot be opened again.
    pub fn iter(
        &self,
        shard: Shard,
    ) -> Result<Box<dyn Iterator<Item = Result<Vec<Value>, String>> + Send + '_>, Refused> {
        let (first, step) = (shard.index as usize - 1, shard.of as usize);
        match self {
            Points::Design { varies, design, .. } => {
                Ok(Box::new(design.points(varies).skip(first).step_by(step).map(Ok)))
            }
            Points::Table { path, targets, .. } => {
                let n = targets.len();
                let records = reader(path)?.into_records();
                let points = records.map(move |record| point(&record.map_err(|e| e.to_string())?, n));
                Ok(Box::new(points.skip(first).step_by(step)))
            }
        }
    }

    /// A description of the points, for comparison with another sweep.
    pub fn lines(&self) -> Vec<String> {
        match self {
            Points::Design { varies, design, .. } => {
                let lines = varies.iter().map(|vary| format!("vary {vary}"));
                lines.chain([format!("design {design:?}")]).collect()
            }
            Points::Table { digest, .. } => vec![format!("table {digest}")],
        }
    }
}

fn reader(path: &Path) -> Result<csv::Reader<File>, Refused> {
    let file = regular::data(path).map_err(Refused::file(path))?;
    Ok(csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(file))
}

/// The values of a row.
fn point(record: &csv::StringRecord, n: usize) -> Result<Vec<Value>, String> {
    let line = record.position().map_or(0, csv::Position::line);
    let values: Vec<Value> = record.iter().take(n).map(Value::typed).collect();
    let is_bad = |value: &Value| match value {
        Value::Text(text) => text.is_empty(),
        other => number(other).is_some_and(|x| !x.is_finite()),
    };
    match values.iter().find(|value| is_bad(value)) {
        Some(bad) => Err(format!("line {line}: found {bad}, expected finite numbers or words")),
        None => Ok(values),
    }
}
