//! One run for each folder: a run claims the folder that it writes to, and a second run is refused as long as the first one
//! is running.
//!
//! The claim is a lock on the folder itself: nothing is left in it, and the system takes the lock back when the process
//! ends, however it ends.

use std::fs::File;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

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
    /// [`Failure::Run`] where another run writes into it, [`Failure::File`] where it cannot be made.
    pub fn of(folder: &Path) -> Result<Claim, Failure> {
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
pub fn taken(path: &Path) -> Failure {
    let path = path.display();
    Failure::Run(format!("`{path}`: another run is writing there: wait for its end, or choose another place"))
}

/// Makes a folder where it is missing.
///
/// # Errors
/// [`Failure::File`].
pub fn folder_at(folder: &Path) -> Result<(), Failure> {
    if std::fs::symlink_metadata(folder).is_ok_and(|m| m.is_symlink()) && !folder.exists() {
        let target = std::fs::read_link(folder).unwrap_or_default();
        let (folder, target) = (folder.display(), target.display());
        return Err(Failure::Run(format!(
            "`{folder}`: found a link to `{target}`, which does not exist, expected a folder"
        )));
    }
    if folder.exists() && !folder.is_dir() {
        let folder = folder.display();
        return Err(Failure::Run(format!("`{folder}`: found a file, expected a folder; choose another place")));
    }
    std::fs::create_dir_all(folder).map_err(Failure::file(folder))
}
