//! Folders archives are unpacked to. Each is removed when it is dropped; a process that was killed leaves its own behind,
//! and the next one that unpacks something removes it.
//!
//! A folder belongs to a living process as long as the file [`LOCK`] in it is locked: the system takes the lock back when
//! the process ends, however it ends.

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::Path;
use std::sync::Once;

use tempfile::TempDir;

use super::{Fault, Limits, archive};

const PREFIX: &str = "macrostep-";
/// Locked by the process the folder belongs to.
const LOCK: &str = ".macrostep-lock";

/// A folder for the files of an archive.
#[derive(Debug)]
pub struct Unpacked {
    // Before the lock: a folder without one belongs to nobody.
    folder: TempDir,
    _lock: Lock,
}

/// An open file that is locked.
#[derive(Debug)]
struct Lock {
    file: Option<File>,
    identity: Identity,
}

/// What tells an open file from others.
type Identity = Option<(u64, u64)>;

#[cfg(unix)]
fn identity(file: &File) -> Identity {
    use std::os::unix::fs::MetadataExt;
    file.metadata().ok().map(|m| (m.dev(), m.ino()))
}

#[cfg(not(unix))]
fn identity(_: &File) -> Identity {
    None
}

impl Drop for Lock {
    /// A slave in this process may have closed the descriptor, which may be another file's by now.
    fn drop(&mut self) {
        if let Some(file) = self.file.take()
            && identity(&file) != self.identity
        {
            std::mem::forget(file);
        }
    }
}

impl Unpacked {
    /// A new, empty one. The first of a process removes what processes that are gone have left.
    ///
    /// # Errors
    /// What the system says.
    pub fn new() -> io::Result<Unpacked> {
        static SWEPT: Once = Once::new();
        SWEPT.call_once(|| sweep(&std::env::temp_dir()));
        Unpacked::within(&std::env::temp_dir())
    }

    fn within(parent: &Path) -> io::Result<Unpacked> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        // It gets its name once it is locked, so that nobody takes it for left behind.
        let unnamed = folder.path().join(format!("{LOCK}-"));
        let lock = File::create_new(&unnamed)?;
        match lock.lock() {
            Err(error) if error.kind() != io::ErrorKind::Unsupported => return Err(error),
            // Without locks there is no file of that name, and the folder is left alone.
            Err(_) => fs::remove_file(&unnamed)?,
            Ok(()) => fs::rename(&unnamed, folder.path().join(LOCK))?,
        }
        let identity = identity(&lock);
        Ok(Unpacked { folder, _lock: Lock { file: Some(lock), identity } })
    }

    /// A new one with the files of an archive, checked as those of an FMU are, and how many bytes they have.
    ///
    /// # Errors
    /// Where an entry is refused, or the archive cannot be read.
    pub fn of_archive(archive: impl Read + Seek, limits: &Limits) -> Result<(Unpacked, u64), Fault> {
        let unpacked = Unpacked::new().map_err(|e| Fault::file(&std::env::temp_dir(), &e))?;
        let bytes = archive::unpack(archive, unpacked.path(), limits)?;
        Ok((unpacked, bytes))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes folders whose processes are gone. What cannot be removed, as somebody else's, stays.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_named = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if !is_named || !entry.file_type().is_ok_and(|t| t.is_dir()) {
            continue;
        }
        let lock = File::open(entry.path().join(LOCK));
        if lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_left_behind_is_removed() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = |name: &str| {
            let folder = parent.path().join(name);
            fs::create_dir_all(folder.join("resources")).expect("a folder");
            folder
        };
        let alive = Unpacked::within(parent.path()).expect("a folder");
        let (left, unmarked, other) = (folder("macrostep-left"), folder("macrostep-new"), folder("other-left"));
        for folder in [&left, &other] {
            fs::write(folder.join(LOCK), "").expect("written");
        }
        sweep(parent.path());
        assert!(alive.path().is_dir() && unmarked.is_dir() && other.is_dir() && !left.exists());
        let path = alive.path().to_owned();
        drop(alive);
        assert!(!path.exists());
    }
}
