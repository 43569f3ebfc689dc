//! One run for each folder: a run claims the folder that it writes to, and a second run is refused as long as the first one
//! is running.
//!
//! The claim is a lock on the folder itself: nothing is left in it, and the system takes the lock back when the process
//! ends, however it ends.

use std::fs::{File, Metadata};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// A folder that is this run's.
#[derive(Debug)]
pub struct Claim {
    // Closed with the process: a slave in it may have closed this file, and its number may be another's.
    _lock: Option<ManuallyDrop<File>>,
    /// The folder, where this run has made it.
    made: Option<PathBuf>,
}

impl Claim {
    /// Makes the folder where it is missing, and claims it.
    ///
    /// # Errors
    /// [`Error::Taken`] where another run writes into it, [`Error::File`] where it cannot be made.
    pub fn of(folder: &Path) -> Result<Claim, Error> {
        let made = (!folder.exists()).then(|| folder.to_owned());
        folder_at(folder)?;
        // Not every system opens folders.
        let _lock = File::open(folder).ok().map(ManuallyDrop::new);
        if _lock.as_ref().is_some_and(|lock| !take(lock)) {
            return Err(taken(folder));
        }
        // Absolute: a slave may change the working folder.
        let made = made.and_then(|path| std::path::absolute(path).ok());
        Ok(Claim { _lock, made })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if let Some(folder) = &self.made {
            // Only where nothing was written: a folder that is not empty is not removed.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

/// Locks a file or folder as long as it is open; false where another run has locked it. Where there are no locks, or
/// where they keep others from reading, nothing is locked.
#[cfg(unix)]
pub fn take(file: &File) -> bool {
    !matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock))
}

/// Nothing is locked.
#[cfg(not(unix))]
pub fn take(_: &File) -> bool {
    true
}

/// The error of a second run.
pub fn taken(path: &Path) -> Error {
    Error::Taken { path: path.to_owned() }
}

/// The identity of a file, with any name.
#[cfg(unix)]
pub fn identity(metadata: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

/// Nothing does.
#[cfg(not(unix))]
pub fn identity(_: &Metadata) -> Option<(u64, u64)> {
    None
}

/// Makes a folder where it is missing.
///
/// # Errors
/// [`Error::File`].
pub fn folder_at(folder: &Path) -> Result<(), Error> {
    if std::fs::symlink_metadata(folder).is_ok_and(|m| m.is_symlink()) && !folder.exists() {
        let target = std::fs::read_link(folder).unwrap_or_default();
        let found = format!("a link to `{}`, which does not exist", target.display());
        return Err(Error::Folder { path: folder.to_owned(), found, next: "" });
    }
    if folder.exists() && !folder.is_dir() {
        let found = "a file".to_owned();
        return Err(Error::Folder { path: folder.to_owned(), found, next: "; choose another place" });
    }
    std::fs::create_dir_all(folder).map_err(Error::file(folder))
}
