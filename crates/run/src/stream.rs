//! Results during a run: a CSV file that is complete to its last row at any time.
//!
//! Every row is handed to the system before the run goes on, in one write or, where rows come fast, by a copy into memory that
//! is the file, see [`Tail`]. What was recorded is in the file after any failure, and after the program was killed.

mod line;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write as _};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use macrostep_description::{Value, shown};
use macrostep_import::fmu::regular;
use macrostep_import::isolation::{self, watch};
use macrostep_master::record::Observer;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::checkpoint::Checkpoint;
use crate::claim::{folder_at, identity, take, taken};
use crate::error::Error;
use crate::tail::Tail;
use line::{Line, head};

/// Rows between two looks at the clock.
const LOOK: u64 = 64;

/// Rows come fast where a write each would take a part of the time that is seen.
const FAST: Duration = Duration::from_micros(20 * LOOK);

/// A CSV file that grows row by row.
#[derive(Debug)]
pub struct Stream {
    // Closed with the process: a slave in it may have closed this file, and its number may be another's. Nothing is put off.
    file: ManuallyDrop<File>,
    path: PathBuf,
    /// As the user wrote it.
    shown: PathBuf,
    line: Line,
    /// Bytes of the rows and the line of names.
    bytes: u64,
    /// Memory that is the file behind them, where rows come fast.
    tail: Option<Tail>,
    /// When it was last looked how fast they come.
    looked: Instant,
    rows: u64,
    last_s: Option<f64>,
    /// Texts of the next row that comes through [`Observer::row`], each with its place.
    texts: Vec<(usize, String)>,
    failure: Option<std::io::Error>,
    /// Of the file's first `digested` bytes.
    digest: Sha256,
    digested: u64,
    /// Whether rows are in it that were recorded after the checkpoint the run goes on from.
    is_longer: bool,
    /// Whether it is one, and not a device or pipe.
    is_file: bool,
    /// What tells it from others.
    identity: Option<(u64, u64)>,
    /// What was noticed when it was opened.
    note: Option<String>,
}

/// The properties of a file of rows that a checkpoint saves.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Written {
    /// Rows, without the line of names.
    pub rows: u64,
    /// Length of the file; 0 where rows went nowhere.
    pub bytes: u64,
    /// Time of the last row in s.
    pub last_s: Option<f64>,
    /// SHA-256 of the file.
    pub digest: [u8; 32],
}

impl Stream {
    /// A new file with a line of names, `time` first; folders are made if missing.
    ///
    /// # Errors
    /// [`Error::File`], and [`Error::Taken`] where another run writes to it.
    pub fn create<'a>(path: &Path, names: impl IntoIterator<Item = &'a str>) -> Result<Stream, Error> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            folder_at(folder)?;
        }
        // What is in it goes only once it is known that nobody else writes there.
        let file = File::options().append(true).create(true).open(path).map_err(Error::file(path))?;
        let mut stream = Stream::of(file, path)?;
        if stream.is_file {
            stream.file.set_len(0).map_err(Error::file(path))?;
        }
        let head = head(names);
        stream.file.write_all(head.as_bytes()).map_err(Error::file(&stream.path))?;
        stream.bytes = head.len() as u64;
        Ok(stream)
    }

    /// An open file of which nothing is known yet.
    fn of(file: File, path: &Path) -> Result<Stream, Error> {
        // Two runs do not write to one file.
        if !take(&file) {
            return Err(taken(path));
        }
        // Crash messages name the file as the user did.
        let metadata = file.metadata().map_err(Error::file(path))?;
        let shown = path.to_owned();
        watch::rows_go_to(&shown.to_string_lossy());
        // A slave may change the working folder; what is written later does not follow it.
        let path = std::fs::canonicalize(path).map_err(Error::file(path))?;
        // A stream without rows.
        Ok(Stream {
            file: ManuallyDrop::new(file),
            path,
            shown,
            line: Line::default(),
            bytes: 0,
            tail: None,
            looked: Instant::now(),
            rows: 0,
            last_s: None,
            texts: Vec::new(),
            failure: None,
            digest: Sha256::new(),
            digested: 0,
            is_longer: false,
            is_file: metadata.is_file(),
            identity: identity(&metadata),
            note: None,
        })
    }

    /// A new file for a run that begins, the file of the run that is continued for one that goes on.
    ///
    /// # Errors
    /// [`Error::File`], and [`Error::OtherRows`] where the rows in it are not those of the run.
    pub fn open<'a>(
        path: &Path,
        names: impl IntoIterator<Item = &'a str>,
        at: Option<&Checkpoint>,
    ) -> Result<Stream, Error> {
        match at {
            Some(at) => Stream::resume(path, names, at),
            None => Stream::create(path, names),
        }
    }

    /// The file of a run that is continued: rows recorded after the checkpoint are taken back, see [`Stream::cut`]. Where it
    /// is gone, a new one is begun, and [`Stream::note`] says so.
    fn resume<'a>(path: &Path, names: impl IntoIterator<Item = &'a str>, at: &Checkpoint) -> Result<Stream, Error> {
        // Where no rows were written, or they are gone, a new file.
        let Written { rows, bytes, last_s, digest } = at.file;
        if bytes == 0 || !path.exists() {
            let (shown, after) = (
                path.display(),
                last_s.map_or(format!("step {}", at.steps), |t_s| format!("t = {} s", shown::time(t_s))),
            );
            let note = format!("`{shown}` is a new file, which begins after {after} and does not have the rows before");
            let stream = Stream::create(path, names)?;
            return Ok(Stream { last_s, note: Some(note), ..stream });
        }
        // Opened for appending, after a look at what it is.
        let file = regular::open(path).and_then(|_| File::options().read(true).append(true).open(path));
        let mut stream = Stream::of(file.map_err(Error::file(path))?, path)?;
        // Its rows have to be those of the checkpoint: as long, with this header, and with the same content.
        let other = |found: String| Error::OtherRows { path: path.to_owned(), found };
        let found = stream.file.metadata().map_err(Error::file(path))?.len();
        if found < bytes {
            return Err(other(format!("{found} bytes, fewer than {bytes}")));
        }
        stream.bytes = bytes;
        // The header is compared first, then the digest of all that was written before the checkpoint.
        let head = head(names);
        let mut begins = vec![0; head.len()];
        let is_head = stream.file.read_exact(&mut begins).is_ok() && begins == head.as_bytes();
        if !is_head || bytes < head.len() as u64 || stream.digest().map_err(Error::file(path))? != digest {
            return Err(other("other rows".to_owned()));
        }
        // It goes on from there; rows after the checkpoint are cut away with the first that is written.
        stream.is_longer = found > bytes;
        watch::row(rows, last_s.unwrap_or(f64::NAN), bytes);
        Ok(Stream { rows, last_s, ..stream })
    }

    /// Removes rows recorded after the checkpoint that the run continues from. It happens with the first row in any
    /// case.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn cut(&mut self) -> Result<(), Error> {
        self.tail = None;
        if std::mem::take(&mut self.is_longer) {
            self.file.set_len(self.bytes).map_err(Error::file(&self.path))?;
        }
        Ok(())
    }

    /// With another name for the file in messages.
    pub fn shown_as(self, shown: PathBuf) -> Stream {
        watch::rows_go_to(&shown.to_string_lossy());
        let [long, short] = [&self.path, &shown].map(|path| path.display().to_string());
        let note = self.note.as_ref().map(|note| note.replace(&long, &short));
        Stream { shown, note, ..self }
    }

    /// Writes all rows to the disk and returns the properties of the file.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn settle(&mut self) -> Result<Written, Error> {
        self.cut()?;
        self.is_whole()?;
        self.file.sync_data().map_err(Error::file(&self.path))?;
        let digest = self.digest().map_err(Error::file(&self.path))?;
        Ok(Written { rows: self.rows, bytes: self.bytes, last_s: self.last_s, digest })
    }

    /// All rows are written: whether they are there.
    ///
    /// # Errors
    /// [`Error::File`] where one could not be written, or the file is not what was written to it.
    pub fn close(&mut self) -> Result<(), Error> {
        self.check()?;
        self.cut()?;
        self.is_whole()
    }

    /// A slave, or anybody, may have removed the file or cut it; one in this process may have closed it.
    fn is_whole(&self) -> Result<(), Error> {
        if !self.is_file {
            return Ok(());
        }
        let found = match std::fs::metadata(&self.path) {
            Err(error) => error.to_string(),
            Ok(metadata) if identity(&metadata) != self.identity => "another file of this name".to_owned(),
            Ok(metadata) if metadata.len() != self.bytes => format!("{} bytes", metadata.len()),
            Ok(_) => return Ok(()),
        };
        let (bytes, rows) = (self.bytes, self.rows);
        let wrong =
            format!("found {found}, expected the {bytes} bytes of {rows} rows: the file was changed during the run");
        Err(Error::file(&self.shown)(std::io::Error::other(wrong)))
    }

    /// SHA-256 of the file; only what was added since the last time is read.
    fn digest(&mut self) -> std::io::Result<[u8; 32]> {
        if !self.is_file {
            return Ok([0; 32]);
        }
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.digested))?;
        let added = std::io::copy(&mut file.take(self.bytes - self.digested), &mut self.digest)?;
        self.digested += added;
        Ok(self.digest.clone().finalize().into())
    }

    /// What was noticed when it was opened: rows of a run that is continued are gone.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Where it is, whatever folder the process is in.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the rows of a run that failed are, as the end of a sentence; what is in the file is looked at.
    pub fn kept(&self) -> String {
        let shown = self.shown.to_string_lossy();
        let cut = isolation::shortened(self.rows, self.bytes, (&self.path, &shown)).filter(|_| self.is_file);
        cut.map_or_else(|| isolation::kept(self.rows, self.last_s, &shown), |cut| format!("; {cut}"))
    }

    /// Adds a row.
    ///
    /// # Errors
    /// [`Error::File`] where it cannot be written.
    pub fn push(&mut self, t_s: f64, values: &[Value]) -> Result<(), Error> {
        self.line.begin(t_s);
        for value in values {
            match value {
                Value::Real(x) => self.line.numbers(&[*x]),
                Value::Integer(i) => self.line.numbers(&[f64::from(*i)]),
                Value::Boolean(b) => self.line.numbers(&[f64::from(u8::from(*b))]),
                Value::String(s) => self.line.text(s),
            }
        }
        self.end(t_s).map_err(Error::file(&self.path))
    }

    /// The first failure of rows that came through [`Observer::row`].
    ///
    /// # Errors
    /// [`Error::File`] where one could not be written.
    pub fn check(&mut self) -> Result<(), Error> {
        self.failure.take().map_or(Ok(()), |error| Err(Error::file(&self.path)(error)))
    }

    /// Whether all rows that came through [`Observer::row`] could be written.
    #[inline]
    pub fn is_fine(&self) -> bool {
        self.failure.is_none()
    }

    #[inline]
    fn end(&mut self, t_s: f64) -> std::io::Result<()> {
        let length = self.line.end().len();
        if std::mem::take(&mut self.is_longer) {
            self.file.set_len(self.bytes)?;
        }
        if !self.put() {
            self.write()?;
        }
        self.bytes += length as u64;
        self.rows += 1;
        self.last_s = Some(t_s);
        watch::row(self.rows, t_s, self.bytes);
        Ok(())
    }
}

impl Stream {
    /// Puts the line into memory that is the file; false where it is to be written.
    #[inline]
    fn put(&mut self) -> bool {
        if self.tail.as_mut().is_some_and(|tail| tail.put(self.line.bytes())) {
            return true;
        }
        self.tail = None;
        if !self.rows.is_multiple_of(LOOK) || !self.is_file {
            return false;
        }
        // How fast rows come now.
        let before = std::mem::replace(&mut self.looked, Instant::now());
        if self.rows == 0 || self.looked - before > FAST {
            return false;
        }
        self.tail = Tail::new(&self.path, self.identity, self.bytes, self.line.bytes().len()).ok();
        self.tail.as_mut().is_some_and(|tail| tail.put(self.line.bytes()))
    }

    /// Writes the line.
    fn write(&mut self) -> std::io::Result<()> {
        if let Err(error) = self.file.write_all(self.line.bytes()) {
            self.open_again(error)?;
            self.file.write_all(self.line.bytes())?;
        }
        Ok(())
    }

    /// A slave in this process may have closed the file; of the row that failed nothing was written then.
    fn open_again(&mut self, error: std::io::Error) -> std::io::Result<()> {
        const BAD_DESCRIPTOR: i32 = 9;
        if error.raw_os_error() != Some(BAD_DESCRIPTOR) {
            return Err(error);
        }
        let again = File::options().append(true).open(&self.path)?;
        if again.metadata().ok().and_then(|metadata| identity(&metadata)) != self.identity {
            return Err(error);
        }
        self.file = ManuallyDrop::new(again);
        Ok(())
    }
}

impl Observer for Stream {
    fn row(&mut self, t_s: f64, values: &[f64]) {
        if self.failure.is_some() {
            return;
        }
        self.line.begin(t_s);
        // Numbers up to each text, and those behind the last one.
        let mut at = 0;
        for (place, text) in &self.texts {
            self.line.numbers(&values[at..*place]);
            self.line.text(text);
            at = place + 1;
        }
        self.line.numbers(&values[at..]);
        self.failure = self.end(t_s).err();
    }

    fn texts(&mut self, texts: &[(usize, String)]) {
        self.texts.clear();
        self.texts.extend_from_slice(texts);
    }
}

#[cfg(test)]
mod tests;
