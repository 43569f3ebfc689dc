//! Rows in the formats of other tools, written from the file of rows once it is whole.

mod mat;
pub mod parquet;
pub mod units;

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::distinct::Files;
use crate::failure::Failure;

/// Files that rows are converted to.
#[derive(Debug, Clone, Default, Args)]
pub struct FormatArguments {
    /// Also write the rows to this file in the Parquet format; needs a build with the feature `parquet` [default: none]
    #[arg(long, value_name = "FILE")]
    pub parquet: Option<PathBuf>,
    /// Also write the rows to this file in the MATLAB 4 format of Dymola and OpenModelica [default: none]
    #[arg(long, value_name = "FILE")]
    pub mat: Option<PathBuf>,
}

impl FormatArguments {
    /// Each option with its file.
    fn all(&self) -> impl Iterator<Item = (&'static str, &PathBuf)> {
        [("--parquet", &self.parquet), ("--mat", &self.mat)]
            .into_iter()
            .filter_map(|(name, file)| Some((name, file.as_ref()?)))
    }

    /// Refuses these options in a run without a file of rows.
    ///
    /// # Errors
    /// [`Failure::Usage`].
    pub fn need_rows(&self, are_written: bool) -> Result<(), Failure> {
        match self.all().next() {
            Some((option, _)) if !are_written => {
                Err(Failure::Usage(format!("`{option}` needs `--out`: the rows are converted from a file")))
            }
            _ if self.parquet.is_some() => parquet::is_there(),
            _ => Ok(()),
        }
    }

    /// Claims the files that are written; relative ones are in `here`.
    pub fn claim(&self, files: &mut Files, here: &Path) {
        self.all().for_each(|(option, file)| files.writes_option(option, Some(&here.join(file))));
    }

    /// Writes them. `unit` says the unit of measurement of a column, where it is known.
    ///
    /// # Errors
    /// [`Failure`] where a file cannot be read or written.
    pub fn convert(&self, rows: &Path, here: &Path, unit: &dyn Fn(&str) -> Option<String>) -> Result<(), Failure> {
        if let Some(target) = &self.parquet {
            parquet::convert(rows, &here.join(target), (unit, &|_| false))?;
        }
        self.mat.as_ref().map_or(Ok(()), |target| mat::convert(rows, &here.join(target), unit))
    }
}

fn reader(rows: &Path) -> Result<csv::Reader<BufReader<File>>, Failure> {
    Ok(csv::Reader::from_reader(BufReader::new(File::open(rows).map_err(Failure::file(rows))?)))
}

/// Columns of a file of rows.
struct Columns {
    names: Vec<String>,
    /// Which of them hold nothing but numbers.
    numeric: Vec<bool>,
    rows: u64,
}

impl Columns {
    /// Of a file that is read once for it.
    fn of(rows: &Path) -> Result<Self, Failure> {
        let refused = |e: csv::Error| Failure::Run(format!("`{}`: {e}", rows.display()));
        let mut reader = reader(rows)?;
        let names: Vec<String> = reader.headers().map_err(refused)?.iter().map(str::to_owned).collect();
        let mut columns = Columns { numeric: vec![true; names.len()], names, rows: 0 };
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(refused)? {
            columns.numeric.iter_mut().zip(&record).for_each(|(is, text)| *is = *is && text.parse::<f64>().is_ok());
            columns.rows += 1;
        }
        Ok(columns)
    }
}
