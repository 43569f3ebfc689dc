//! Results as they come: a CSV file that is complete to its last row at any moment.
//!
//! Every row is handed to the system in one write before the run goes on. What was recorded is in the file after any
//! failure, and after the program was killed.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use macrostep_description::Value;
use macrostep_master::record::Observer;

use crate::failure::Failure;

/// A CSV file that grows row by row.
#[derive(Debug)]
pub struct Stream {
    file: File,
    path: PathBuf,
    /// As the user wrote it.
    shown: PathBuf,
    line: String,
    /// Length of the file.
    bytes: u64,
    rows: u64,
    last_s: Option<f64>,
    /// Texts of the next row that comes through [`Observer::row`], each with its place.
    texts: Vec<(usize, String)>,
    failure: Option<std::io::Error>,
}

impl Stream {
    /// A new file with a line of names, `time` first; folders are made if missing.
    ///
    /// # Errors
    /// [`Failure::File`].
    pub fn create<'a>(path: &Path, names: impl IntoIterator<Item = &'a str>) -> Result<Stream, Failure> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(Failure::file(folder))?;
        }
        let mut file = File::create(path).map_err(Failure::file(path))?;
        let shown = path.to_owned();
        // A slave may change the working folder; what is written later does not follow it.
        let path = std::fs::canonicalize(path).map_err(Failure::file(path))?;
        let mut line = String::from("time");
        for name in names {
            line.push(',');
            quote(&mut line, name);
        }
        line.push('\n');
        file.write_all(line.as_bytes()).map_err(Failure::file(&path))?;
        Ok(Stream {
            file,
            path,
            shown,
            bytes: line.len() as u64,
            line,
            rows: 0,
            last_s: None,
            texts: Vec::new(),
            failure: None,
        })
    }

    /// The file of a run that is continued: rows after the first `rows`, which end at `bytes`, are taken back. Where it is
    /// gone, a new one is begun.
    ///
    /// # Errors
    /// [`Failure::File`], and [`Failure::Run`] where it is shorter than it was.
    pub fn resume<'a>(
        path: &Path,
        names: impl IntoIterator<Item = &'a str>,
        rows: u64,
        bytes: u64,
    ) -> Result<Stream, Failure> {
        if bytes == 0 || !path.exists() {
            return Stream::create(path, names);
        }
        let file = File::options().append(true).open(path).map_err(Failure::file(path))?;
        let found = file.metadata().map_err(Failure::file(path))?.len();
        if found < bytes {
            let path = path.display();
            return Err(Failure::Run(format!(
                "`{path}`: found {found} bytes, expected the {bytes} of the run that is continued: choose another `--out`"
            )));
        }
        file.set_len(bytes).map_err(Failure::file(path))?;
        let shown = path.to_owned();
        let path = std::fs::canonicalize(path).map_err(Failure::file(path))?;
        Ok(Stream {
            file,
            path,
            shown,
            bytes,
            line: String::new(),
            rows,
            last_s: None,
            texts: Vec::new(),
            failure: None,
        })
    }

    /// With another name for the file in messages.
    pub fn shown_as(self, shown: PathBuf) -> Stream {
        Stream { shown, ..self }
    }

    /// Brings all rows to the disk and says how long the file is.
    ///
    /// # Errors
    /// [`Failure::File`].
    pub fn settle(&self) -> Result<u64, Failure> {
        self.file.sync_data().map_err(Failure::file(&self.path))?;
        Ok(self.bytes)
    }

    /// Where it is, whatever folder the process is in.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where it is in the user's words.
    pub fn shown(&self) -> std::path::Display<'_> {
        self.shown.display()
    }

    /// Rows written.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Time of the last row in s.
    pub fn last_s(&self) -> Option<f64> {
        self.last_s
    }

    /// Adds a row.
    ///
    /// # Errors
    /// [`Failure::File`] where it cannot be written.
    pub fn push(&mut self, t_s: f64, values: &[Value]) -> Result<(), Failure> {
        self.begin(t_s);
        for value in values {
            self.line.push(',');
            match value {
                Value::Real(x) => number(&mut self.line, *x),
                Value::Integer(i) => self.line.push_str(&i.to_string()),
                Value::Boolean(b) => self.line.push(if *b { '1' } else { '0' }),
                Value::String(s) => quote(&mut self.line, s),
            }
        }
        self.end(t_s).map_err(Failure::file(&self.path))
    }

    /// The first failure of rows that came through [`Observer::row`].
    ///
    /// # Errors
    /// [`Failure::File`] where one could not be written.
    pub fn check(&mut self) -> Result<(), Failure> {
        self.failure.take().map_or(Ok(()), |error| Err(Failure::file(&self.path)(error)))
    }

    fn begin(&mut self, t_s: f64) {
        self.line.clear();
        number(&mut self.line, t_s);
    }

    fn end(&mut self, t_s: f64) -> std::io::Result<()> {
        self.line.push('\n');
        if let Err(error) = self.file.write_all(self.line.as_bytes()) {
            self.open_again(error)?;
            self.file.write_all(self.line.as_bytes())?;
        }
        self.bytes += self.line.len() as u64;
        self.rows += 1;
        self.last_s = Some(t_s);
        Ok(())
    }
}

impl Stream {
    /// A slave in this process may have closed the file; of the row that failed nothing was written then.
    fn open_again(&mut self, error: std::io::Error) -> std::io::Result<()> {
        const BAD_DESCRIPTOR: i32 = 9;
        if error.raw_os_error() != Some(BAD_DESCRIPTOR) {
            return Err(error);
        }
        let again = File::options().append(true).open(&self.path)?;
        // Not dropped: there is nothing to close any more.
        std::mem::forget(std::mem::replace(&mut self.file, again));
        Ok(())
    }
}

impl Observer for Stream {
    fn row(&mut self, t_s: f64, values: &[f64]) {
        if self.failure.is_some() {
            return;
        }
        self.begin(t_s);
        let mut texts = self.texts.iter().peekable();
        for (i, value) in values.iter().enumerate() {
            self.line.push(',');
            match texts.next_if(|(place, _)| *place == i) {
                Some((_, text)) => quote(&mut self.line, text),
                None => number(&mut self.line, *value),
            }
        }
        self.failure = self.end(t_s).err();
    }

    fn texts(&mut self, texts: &[(usize, String)]) {
        self.texts.clear();
        self.texts.extend_from_slice(texts);
    }
}

/// Shortest digits that read back to the same bits.
fn number(line: &mut String, value: f64) {
    let size = value.abs();
    let plain = size == 0.0 || !value.is_finite() || (1e-4..1e16).contains(&size);
    let written = if plain { write!(line, "{value}") } else { write!(line, "{value:e}") };
    debug_assert!(written.is_ok(), "writing to a string");
}

/// A text as a field: in quotes where it needs them.
fn quote(line: &mut String, text: &str) {
    if text.contains([',', '"', '\n', '\r']) {
        line.push('"');
        line.push_str(&text.replace('"', "\"\""));
        line.push('"');
    } else {
        line.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_the_file_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deep/result.csv");
        let mut stream = Stream::create(&path, ["x", "a,b"]).expect("created");
        stream.push(0.0, &[Value::Real(1.0 / 3.0), Value::String("say \"no\"".to_owned())]).expect("a row");
        let read = || std::fs::read_to_string(&path).expect("text");
        assert_eq!(read(), "time,x,\"a,b\"\n0,0.3333333333333333,\"say \"\"no\"\"\"\n");
        stream.push(1e-7, &[Value::Boolean(true), Value::Integer(-4)]).expect("a row");
        assert!(read().ends_with("1e-7,1,-4\n"));
        assert_eq!((stream.rows(), stream.last_s()), (2, Some(1e-7)));
    }
}
