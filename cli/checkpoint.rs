//! Checkpoints: a run saved at a communication point, so that it can be continued bit by bit.
//!
//! A file holds a line that says what it is, a SHA-256 digest and the contents. It is written beside its place and then
//! moved there, so that there is always a whole one. What a run is (FMUs, options, times) stands in it as text: only the
//! same run continues.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use macrostep_description::shown;
use macrostep_import::fmu::regular;
use macrostep_master::SavedState;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::claim::folder_at;
use crate::failure::Failure;
use crate::stream::{Stream, Written};

const KIND: &[u8] = b"macrostep checkpoint ";
const HEAD: &[u8] = b"macrostep checkpoint 3\n";
const DIGEST: usize = 32;

/// Without `--checkpoint-every`: so often.
const PAUSE: Duration = Duration::from_secs(10);

/// Steps between two looks at the clock.
const LOOK: u64 = 64;

/// Whether a run is written down, and whether it continues one.
#[derive(Debug, Clone, PartialEq, Default, Args, Serialize)]
pub struct CheckpointArguments {
    /// Save the run in this file at intervals, and when it is interrupted [default: not saved]
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Save it every N steps [default: every 10 s of computing]
    #[arg(long, value_name = "N", requires = "checkpoint", value_parser = clap::value_parser!(u64).range(1..))]
    pub checkpoint_every: Option<u64>,
    /// Continue the run saved in this file, with the same options [default: begin at the start]
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
}

impl CheckpointArguments {
    /// The option that needs states as bytes, where one does.
    pub fn option(&self) -> Option<&'static str> {
        let resume = self.resume.as_ref().map(|_| "--resume");
        self.checkpoint.as_ref().map(|_| "--checkpoint").or(resume)
    }

    /// The same files, whatever folder a slave changes to.
    pub fn within(&self, folder: &Path) -> Self {
        let absolute = |path: &PathBuf| folder.join(path);
        Self {
            checkpoint: self.checkpoint.as_ref().map(absolute),
            resume: self.resume.as_ref().map(absolute),
            checkpoint_every: self.checkpoint_every,
        }
    }
}

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
    pub fn read(path: &Path, run: &str, steps_max: u64, has_events: bool) -> Result<Checkpoint, Failure> {
        let refuse = |found: &str, expected: &str| {
            Failure::Run(format!("`{}`: found {found}, expected {expected}", path.display()))
        };
        let bytes = regular::read(path).map_err(Failure::file(path))?;
        let Some(rest) = bytes.strip_prefix(HEAD) else {
            if bytes.starts_with(KIND) {
                return Err(refuse("a checkpoint of another version of this program", "one of this version"));
            }
            return Err(refuse("something else", "a file `--checkpoint` has written"));
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
        // An FMU that was changed has another GUID, also where only its description was.
        let next = if found.starts_with("GUID ") {
            ": resume with the FMUs and the program that wrote it, or start the run again"
        } else {
            ""
        };
        Err(refuse(&format!("a run with {found}"), &format!("{expected}, by this command{next}")))
    }

    fn write(&self, path: &Path) -> Result<(), Failure> {
        // A checkpoint replaces what has its name: that may be a file, and not a pipe or a device.
        if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            let what = "found something that is no file, expected a new name, or a file that may be replaced";
            return Err(Failure::Run(format!("`{}`: {what}", path.display())));
        }
        let body = postcard::to_stdvec(self)?;
        let parts = [HEAD, Sha256::digest(&body).as_slice(), &body].concat();
        whole(path, &parts).map_err(Failure::file(path))
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
    /// The writer of checkpoints, if the options ask for one; `run` identifies the run.
    ///
    /// # Errors
    /// [`Failure::File`] where the folder cannot be made.
    pub fn new(arguments: &CheckpointArguments, run: &str) -> Result<Option<CheckpointWriter>, Failure> {
        let Some(path) = &arguments.checkpoint else { return Ok(None) };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        folder_at(folder)?;
        // A slave may change the working folder.
        let folder = std::fs::canonicalize(folder).map_err(Failure::file(folder))?;
        let name = path
            .file_name()
            .ok_or_else(|| Failure::Usage(format!("`--checkpoint {}`: expected the name of a file", path.display())))?;
        let every = arguments.checkpoint_every;
        Ok(Some(CheckpointWriter { path: folder.join(name), every, run: run.to_owned(), last: Instant::now() }))
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
    /// [`Failure::File`].
    pub fn keep(&mut self, steps: u64, saved: SavedState, stream: Option<&mut Stream>) -> Result<(), Failure> {
        let file = stream.map(Stream::settle).transpose()?.unwrap_or_default();
        Checkpoint { run: self.run.clone(), steps, file, saved }.write(&self.path)?;
        self.last = Instant::now();
        Ok(())
    }

    /// How a run that is interrupted at a time \[s\] ends: with what continues it, where it is written down.
    pub fn interrupted(writer: Option<&Self>, t_s: f64) -> Failure {
        let kept = writer.map(|k| format!("; `--resume {}` continues", k.path.display()));
        Failure::Run(format!("interrupted at t = {} s{}", shown::time(t_s), kept.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_file_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run.checkpoint");
        let arguments = CheckpointArguments { checkpoint: Some(path.clone()), ..CheckpointArguments::default() };
        let mut writer = CheckpointWriter::new(&arguments, "step 1\nstop 2").expect("kept").expect("asked for");
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
