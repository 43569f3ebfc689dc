//! Checkpoints: a run saved at a communication point, so that it can be continued bit by bit.
//!
//! A file holds a line that says what it is, a SHA-256 digest and the contents. It is written beside its place and then
//! moved there, so that there is always a whole one. What a run is (FMUs, options, times) stands in it as text: only the
//! same run continues.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use macrostep_import::fmu::regular;
use macrostep_master::SavedState;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::claim::folder_at;
use crate::error::Error;
use crate::stream::{Stream, Written};

const KIND: &[u8] = b"macrostep checkpoint ";
const HEAD: &[u8] = b"macrostep checkpoint 4\n";
const DIGEST: usize = 32;

/// Without a number of steps: so often.
const PAUSE: Duration = Duration::from_secs(10);

/// Steps between two looks at the clock.
const LOOK: u64 = 64;

/// A run at a communication point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// What run it is.
    pub run: String,
    /// Steps done.
    pub steps: u64,
    /// The file of rows as it was.
    pub file: Written,
    /// States of the units and of the engine.
    pub saved: SavedState,
}

impl Checkpoint {
    /// Reads a file.
    ///
    /// # Errors
    /// Where it is none, is damaged, or belongs to another run than `run`, which has at most `steps_max` steps. A row each
    /// is expected, and, where it `has_events`, any number beside them.
    pub fn read(path: &Path, run: &str, steps_max: u64, has_events: bool) -> Result<Checkpoint, Error> {
        let refuse = |found: &str, expected: &str| Error::Checkpoint {
            path: path.to_owned(),
            found: found.to_owned(),
            expected: expected.to_owned(),
        };
        let bytes = regular::read(path).map_err(Error::file(path))?;
        let Some(rest) = bytes.strip_prefix(HEAD) else {
            if bytes.starts_with(KIND) {
                return Err(refuse("a checkpoint of another version of this program", "one of this version"));
            }
            return Err(Error::NoCheckpoint { path: path.to_owned() });
        };
        let whole = rest.split_at_checked(DIGEST).filter(|(digest, body)| Sha256::digest(body).as_slice() == *digest);
        let damaged = || refuse("a damaged file", "an unchanged file: start the run again");
        let (_, body) = whole.ok_or_else(damaged)?;
        let checkpoint: Checkpoint = postcard::from_bytes(body).map_err(|_| damaged())?;
        if checkpoint.run == run {
            let Checkpoint { steps, file: Written { rows, .. }, .. } = checkpoint;
            // The first row is of no step.
            if steps > steps_max || (rows > steps.saturating_add(1) && !has_events) {
                return Err(refuse(
                    &format!("{steps} steps and {rows} rows"),
                    &format!("at most {steps_max} steps, with one row for each"),
                ));
            }
            return Ok(checkpoint);
        }
        // The first thing that differs says enough.
        let parts = checkpoint.run.lines().zip(run.lines()).find(|(a, b)| a != b);
        let (found, expected) = parts.unwrap_or(("another number of settings", "the same run"));
        let (found, expected) = (found.to_owned(), expected.to_owned());
        Err(Error::OtherRun { path: path.to_owned(), found, expected })
    }

    fn write(&self, path: &Path) -> Result<(), Error> {
        let refused = |found: &str, expected: &str| Error::Checkpoint {
            path: path.to_owned(),
            found: found.to_owned(),
            expected: expected.to_owned(),
        };
        // A checkpoint replaces what has its name: that may be a file, and not a pipe or a device.
        if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Err(refused("something that is no file", "a new name, or a file that may be replaced"));
        }
        let body = postcard::to_stdvec(self)?;
        let parts = [HEAD, Sha256::digest(&body).as_slice(), &body].concat();
        whole(path, &parts).map_err(Error::file(path))
    }
}

/// Writes a file beside its place first, so that there is the old one or the whole new one whatever happens.
///
/// # Errors
/// Those of the file system.
pub fn whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write;
    // A pipe takes what it is given; behind a link stands the file that is meant.
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return std::fs::write(path, bytes);
    }
    let path = &std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let mut file = beside(path.parent().unwrap_or(Path::new(".")))?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}

/// A new file of a name nobody has, removed again where it does not get another.
fn beside(folder: &Path) -> std::io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".macrostep-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As other files: what the user's mask leaves of it.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Decides when a run is written down, and where.
#[derive(Debug)]
pub struct CheckpointWriter {
    path: PathBuf,
    every: Option<u64>,
    run: String,
    last: Instant,
}

impl CheckpointWriter {
    /// A writer to the file of this name, every so many steps or, without a number, every ten seconds; `run` identifies the run.
    ///
    /// # Errors
    /// [`Error::NoName`] where the path has no name of a file, [`Error::File`] where its folder cannot be made.
    pub fn new(path: &Path, every: Option<u64>, run: &str) -> Result<CheckpointWriter, Error> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        folder_at(folder)?;
        // A slave may change the working folder.
        let folder = std::fs::canonicalize(folder).map_err(Error::file(folder))?;
        let name = path.file_name().ok_or_else(|| Error::NoName { path: path.to_owned() })?;
        Ok(CheckpointWriter { path: folder.join(name), every, run: run.to_owned(), last: Instant::now() })
    }

    /// Whether it is time, after `steps` steps.
    #[inline]
    pub fn is_due(&self, steps: u64) -> bool {
        match self.every {
            Some(n) => steps.is_multiple_of(n),
            // Looking at the clock costs less than a step of nearly any FMU, but not of all.
            None => steps.is_multiple_of(LOOK) && self.last.elapsed() > PAUSE,
        }
    }

    /// How many steps after `steps` it is due again.
    pub fn next(&self, steps: u64) -> u64 {
        let every = self.every.unwrap_or(LOOK);
        every - steps % every
    }

    /// Writes the run down; rows recorded so far are brought to the disk before.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn keep(&mut self, steps: u64, saved: SavedState, stream: Option<&mut Stream>) -> Result<(), Error> {
        let file = stream.map(Stream::settle).transpose()?.unwrap_or_default();
        Checkpoint { run: self.run.clone(), steps, file, saved }.write(&self.path)?;
        self.last = Instant::now();
        Ok(())
    }

    /// How a run that is interrupted at a time \[s\] ends: with what continues it, where it is written down.
    pub fn interrupted(writer: Option<&Self>, t_s: f64) -> Error {
        Error::Interrupted { t_s, checkpoint: writer.map(|writer| writer.path.clone()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_file_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run.checkpoint");
        let mut writer = CheckpointWriter::new(&path, None, "step 1\nstop 2").expect("kept");
        let saved = SavedState { units: vec![vec![1, 2]], engine: vec![3] };
        writer.keep(7, saved.clone(), None).expect("written");
        let read = Checkpoint::read(&path, "step 1\nstop 2", 7, false).expect("read");
        assert_eq!((read.steps, read.saved), (7, saved));
        let other = Checkpoint::read(&path, "step 1\nstop 3", 7, false).expect_err("another run").to_string();
        assert!(other.contains("found a run with stop 2, expected stop 3"), "{other}");
        let long = Checkpoint::read(&path, "step 1\nstop 2", 6, false).expect_err("a longer run").to_string();
        assert!(long.contains("found 7 steps and 0 rows, expected at most 6 steps"), "{long}");
        let whole = std::fs::read(&path).expect("bytes");
        for at in [0, HEAD.len(), HEAD.len() + DIGEST, whole.len() - 1] {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            std::fs::write(&path, &bytes).expect("written");
            assert!(Checkpoint::read(&path, "step 1\nstop 2", 7, false).is_err(), "{at}");
        }
        std::fs::write(&path, &whole[..whole.len() / 2]).expect("written");
        assert!(Checkpoint::read(&path, "step 1\nstop 2", 7, false).is_err());
    }
}
