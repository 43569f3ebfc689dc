//! Folders and files in places that others can write to: opened by descriptor, without following links and without waiting, and believed only
//! if they belong to the user of this process.
//!
//! A name in a shared folder says nothing: anybody can put a link, a pipe or a folder of that name there, and exchange it at any moment. So
//! a folder is opened once, all that follows is relative to its descriptor, and it is removed by what was opened and not by what
//! has its name now.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fstat, openat, statat, unlinkat};
use rustix::process::geteuid;

/// Folders in folders, at most; an archive has a few.
const DEPTH_MAX: usize = 64;

/// What is opened is never waited for, never followed to where it leads, and not left to programs that are started.
const FLAGS: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

/// An open folder.
#[derive(Debug)]
pub(super) struct Folder(OwnedFd);

impl Folder {
    /// A folder in which others may write, as that for temporary files.
    pub fn shared(path: &Path) -> io::Result<Folder> {
        // Links on the way to it are the system's business.
        Ok(Folder(openat(CWD, path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?))
    }

    /// The folder of this name inside, if it belongs to this user.
    pub fn own(&self, name: &CStr) -> io::Result<Folder> {
        let folder = openat(&self.0, name, FLAGS | OFlags::DIRECTORY, Mode::empty())?;
        is_own(&fstat(&folder)?)?;
        Ok(Folder(folder))
    }

    /// The regular file of this name inside, if it belongs to this user.
    pub fn own_file(&self, name: &str) -> io::Result<File> {
        let file = openat(&self.0, name, FLAGS, Mode::empty())?;
        let stat = fstat(&file)?;
        is_own(&stat)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Ok(File::from(file)),
            _ => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    /// Whether something has this name inside; a link has it, too.
    pub fn has(&self, name: &str) -> bool {
        statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// How long ago it was changed.
    pub fn age(&self) -> Option<Duration> {
        let stat = fstat(&self.0).ok()?;
        let changed = UNIX_EPOCH + Duration::from_secs(u64::try_from(stat.st_mtime).ok()?);
        SystemTime::now().duration_since(changed).ok()
    }

    /// Names inside.
    pub fn names(&self) -> Vec<CString> {
        let read = Dir::read_from(&self.0);
        let names = read.into_iter().flatten().flatten().map(|entry| entry.file_name().to_owned());
        names.filter(|name| name.as_c_str() != c"." && name.as_c_str() != c"..").collect()
    }

    /// Removes the folder of this name, which was opened as `folder`: all in it but `last`, then `last`, then the folder itself. What cannot be
    /// removed stays. The name may be another folder's by now: that one is left alone, unless it is empty.
    pub fn remove(&self, name: &CStr, folder: &Folder, last: &[&str]) -> io::Result<()> {
        let is_last = |name: &CStr| last.iter().any(|last| last.as_bytes() == name.to_bytes());
        for inside in folder.names() {
            if !is_last(&inside) {
                let _ = remove(folder.0.as_fd(), &inside, DEPTH_MAX);
            }
        }
        for name in last {
            let _ = unlinkat(&folder.0, *name, AtFlags::empty());
        }
        // A folder that is not empty is not removed by this.
        Ok(unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }
}

/// A name as the system takes it.
pub(super) fn c_name(path: &Path) -> io::Result<CString> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    CString::new(name.as_bytes()).map_err(|_| io::ErrorKind::InvalidInput.into())
}

/// Removes a file, a link or a folder with all that is in it; links are not followed.
fn remove(parent: BorrowedFd<'_>, name: &CStr, depth: usize) -> io::Result<()> {
    let opened = openat(parent, name, FLAGS | OFlags::DIRECTORY, Mode::empty());
    if let (Ok(folder), Some(depth)) = (opened, depth.checked_sub(1)) {
        let folder = Folder(folder);
        for inside in folder.names() {
            let _ = remove(folder.0.as_fd(), &inside, depth);
        }
        return Ok(unlinkat(parent, name, AtFlags::REMOVEDIR)?);
    }
    Ok(unlinkat(parent, name, AtFlags::empty())?)
}

fn is_own(stat: &Stat) -> io::Result<()> {
    if stat.st_uid == geteuid().as_raw() { Ok(()) } else { Err(io::ErrorKind::PermissionDenied.into()) }
}
