//! Folders archives are unpacked to. Each is removed when it is dropped; a process that was killed leaves its own behind,
//! and the next one that unpacks something removes it.
//!
//! A folder belongs to a living process as long as the file [`LOCK`] in it is locked: the system takes the lock back when
//! the process ends, however it ends. The lock is made first and removed last, so that a process killed in between leaves
//! a folder that can be told from others, or an empty one, which goes once it is old.

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::Duration;

#[cfg(unix)]
use super::owned;
use super::{Fault, Limits, archive};

const PREFIX: &str = "macrostep-";
/// A file in the folder of an unpacked FMU, locked by the process the folder belongs to.
pub const LOCK: &str = ".macrostep-lock";
/// In place of [`LOCK`] where the file system has no locks: such a folder is left alone.
const NO_LOCK: &str = ".macrostep-no-lock";
/// A folder without a lock that is older than this belongs to nobody.
const OLD: Duration = Duration::from_secs(24 * 3600);
/// As [`OLD`], where the process that made the folder is gone. A living one needs a moment to lock it.
const YOUNG: Duration = Duration::from_secs(60);

/// A folder for the files of an archive.
#[derive(Debug)]
pub struct Unpacked {
    folder: PathBuf,
    lock: Lock,
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

impl Drop for Unpacked {
    fn drop(&mut self) {
        // Where something cannot be removed, as a library that Windows still holds, the next sweep tries again.
        if cfg!(windows) {
            self.lock.file = None;
        }
        let _ = remove(&self.folder);
    }
}

impl Unpacked {
    /// A new, empty one. The first of a process removes what processes that are gone have left.
    ///
    /// # Errors
    /// What the system says.
    pub fn new() -> io::Result<Unpacked> {
        static SWEPT: Once = Once::new();
        SWEPT.call_once(Unpacked::sweep);
        Unpacked::within(&std::env::temp_dir())
    }

    /// Removes folders that ended processes of this user have left.
    fn sweep() {
        sweep(&std::env::temp_dir(), None);
    }

    /// Removes what one process has left that is gone.
    pub fn sweep_of(process: u32) {
        sweep(&std::env::temp_dir(), Some(process));
    }

    fn within(parent: &Path) -> io::Result<Unpacked> {
        let prefix = format!("{PREFIX}{}-", std::process::id());
        let folder = tempfile::Builder::new().prefix(&prefix).tempdir_in(parent)?;
        // It gets its name once it is locked, so that nobody takes it for left behind.
        let unnamed = folder.path().join(format!("{LOCK}-"));
        let file = File::create_new(&unnamed)?;
        let name = match file.lock() {
            Err(error) if error.kind() != io::ErrorKind::Unsupported => return Err(error),
            Err(_) => NO_LOCK,
            Ok(()) => LOCK,
        };
        fs::rename(&unnamed, folder.path().join(name))?;
        let identity = identity(&file);
        Ok(Unpacked { folder: folder.keep(), lock: Lock { file: Some(file), identity } })
    }

    /// A new one with the files of an archive, checked as those of an FMU are, and how many bytes they have.
    ///
    /// # Errors
    /// Where an entry is refused, or the archive cannot be read.
    pub fn of_archive(archive: impl Read + Seek, limits: &Limits) -> Result<(Unpacked, u64), Fault> {
        let unpacked = Unpacked::new().map_err(|e| Fault::file(&std::env::temp_dir(), &e))?;
        let (bytes, _) = archive::unpack(archive, unpacked.path(), limits)?;
        Ok((unpacked, bytes))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.folder
    }
}

/// Removes a folder, its lock last.
#[cfg(unix)]
fn remove(folder: &Path) -> io::Result<()> {
    let parent = owned::Folder::shared(folder.parent().ok_or(io::ErrorKind::InvalidInput)?)?;
    let name = owned::c_name(folder)?;
    let opened = parent.own(&name)?;
    parent.remove(&name, &opened, &[LOCK, NO_LOCK])
}

/// Removes a folder. Others cannot write where temporary files are kept here.
#[cfg(not(unix))]
fn remove(folder: &Path) -> io::Result<()> {
    fs::remove_dir_all(folder)
}

/// Removes folders of this user whose processes are gone, or those of the process `of`. What cannot be removed stays.
#[cfg(unix)]
fn sweep(parent: &Path, of: Option<u32>) {
    let Ok(parent) = owned::Folder::shared(parent) else { return };
    for name in parent.names() {
        let Some(rest) = name.to_str().ok().and_then(|name| name.strip_prefix(PREFIX)) else { continue };
        let maker = rest.split_once('-').and_then(|(id, _)| id.parse().ok());
        if of.is_some() && maker != of {
            continue;
        }
        // From here on it is what was opened that counts, and not what has the name.
        let Ok(folder) = parent.own(&name) else { continue };
        if is_left_behind(&folder, maker) {
            let _ = parent.remove(&name, &folder, &[LOCK, NO_LOCK]);
        }
    }
}

#[cfg(not(unix))]
fn sweep(parent: &Path, of: Option<u32>) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(rest) = name.strip_prefix(PREFIX) else { continue };
        let maker: Option<u32> = rest.split_once('-').and_then(|(id, _)| id.parse().ok());
        let is_folder = entry.file_type().is_ok_and(|t| t.is_dir());
        let is_free = || File::open(entry.path().join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok());
        if is_folder && (of.is_none() || maker == of) && is_free() {
            let _ = remove(&entry.path());
        }
    }
}

#[cfg(unix)]
fn is_left_behind(folder: &owned::Folder, maker: Option<u32>) -> bool {
    match folder.own_file(LOCK) {
        Ok(lock) => lock.try_lock().is_ok(),
        // Its process was killed before it was locked, or when it was removed.
        Err(error) if error.kind() == io::ErrorKind::NotFound && !folder.has(NO_LOCK) => {
            folder.age().is_some_and(|age| age > OLD || (age > YOUNG && maker.is_some_and(is_gone)))
        }
        Err(_) => false,
    }
}

/// Whether there is no process of this number, where the system says so.
fn is_gone(process: u32) -> bool {
    Path::new("/proc/self").exists() && !Path::new(&format!("/proc/{process}")).exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn only_what_is_left_behind_is_removed() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = |name: &str, hours: u64| {
            let folder = parent.path().join(name);
            fs::create_dir_all(folder.join("resources")).expect("a folder");
            let then = SystemTime::now() - Duration::from_secs(hours * 3600);
            File::open(&folder).and_then(|f| f.set_modified(then)).expect("made older");
            folder
        };
        let alive = Unpacked::within(parent.path()).expect("a folder");
        let (left, other) = (folder("macrostep-left", 0), folder("other-left", 0));
        for folder in [&left, &other] {
            fs::write(folder.join(LOCK), "").expect("written");
        }
        // Killed before the lock was there: of a living process, of one that is gone, of nobody knows whom.
        let own = std::process::id();
        let kept =
            [folder(&format!("macrostep-{own}-a"), 2), folder("macrostep-new", 2), folder("macrostep-4194305-b", 0)];
        let gone = [folder("macrostep-4194305-c", 2), folder("macrostep-old", 25), left];
        sweep(parent.path(), None);
        assert!(alive.path().is_dir() && other.is_dir());
        kept.iter().for_each(|folder| assert!(folder.is_dir(), "{folder:?}"));
        gone.iter().for_each(|folder| assert!(!folder.exists(), "{folder:?}"));
        let path = alive.path().to_owned();
        drop(alive);
        assert!(!path.exists());
    }

    /// What others may have put into a shared folder: pipes, links, folders of another user. Nothing is waited for, followed or touched.
    #[cfg(unix)]
    #[test]
    fn nothing_is_believed_by_its_name() {
        use std::os::unix::fs::{chown, symlink};
        let (parent, elsewhere) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let (at, precious) = (|name: &str| parent.path().join(name), elsewhere.path().join("precious"));
        fs::write(&precious, "kept").expect("written");
        fs::write(elsewhere.path().join(LOCK), "").expect("written");
        // A pipe in the place of the lock, where opening would wait for ever.
        fs::create_dir(at("macrostep-pipe")).expect("a folder");
        let made = std::process::Command::new("mkfifo").arg(at("macrostep-pipe").join(LOCK)).status();
        assert!(made.is_ok_and(|status| status.success()), "mkfifo");
        // Links in the place of a folder, of its lock, and of what is in it.
        symlink(elsewhere.path(), at("macrostep-link")).expect("a link");
        for name in ["macrostep-lock", "macrostep-inside"] {
            fs::create_dir(at(name)).expect("a folder");
        }
        symlink(&precious, at("macrostep-lock").join(LOCK)).expect("a link");
        fs::write(at("macrostep-inside").join(LOCK), "").expect("written");
        symlink(elsewhere.path(), at("macrostep-inside").join("resources")).expect("a link");
        // A folder of another user, where this test may make one.
        fs::create_dir(at("macrostep-foreign")).expect("a folder");
        fs::write(at("macrostep-foreign").join(LOCK), "").expect("written");
        let is_foreign = chown(at("macrostep-foreign"), Some(65534), Some(65534)).is_ok();
        if !is_foreign {
            eprintln!("not tested: a folder of another user, which only root can make");
        }
        sweep(parent.path(), None);
        // Only what is ours and free has gone, and the link in it without what it led to.
        let stays = |name: &str| assert!(fs::symlink_metadata(at(name)).is_ok(), "{name}");
        ["macrostep-pipe", "macrostep-link", "macrostep-lock"].iter().for_each(|name| stays(name));
        assert!(!at("macrostep-inside").exists());
        if is_foreign {
            stays("macrostep-foreign");
        }
        assert_eq!(fs::read_to_string(&precious).expect("still there"), "kept");
        assert!(elsewhere.path().join(LOCK).exists());
    }

    #[cfg(unix)]
    #[test]
    fn of_one_process_only_its_own_goes() {
        let parent = tempfile::tempdir().expect("a folder");
        for name in ["macrostep-4194305-a", "macrostep-4194306-a"] {
            fs::create_dir(parent.path().join(name)).expect("a folder");
            fs::write(parent.path().join(name).join(LOCK), "").expect("written");
        }
        sweep(parent.path(), Some(4_194_305));
        assert!(!parent.path().join("macrostep-4194305-a").exists());
        assert!(parent.path().join("macrostep-4194306-a").exists());
    }
}
