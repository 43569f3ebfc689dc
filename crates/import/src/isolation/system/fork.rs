//! Copies of this process.

use std::io;
use std::ptr;

use super::{exit_now, watched_signals};

/// Forks: the number of the new process in the old one, nothing in the new one, which is killed when the old one ends and does
/// `begin` before it gets signals. The old one gets its signals from [`next_signal`](super::next_signal) from now on. To be
/// called before there are threads.
pub fn fork_ending_with_parent(begin: impl FnOnce()) -> io::Result<Option<i32>> {
    let old = std::process::id();
    // SAFETY: there are no other threads, so that the new process may do all that the old one may. The signal sets are
    // initialised before they are used.
    unsafe {
        // Were SIGCHLD ignored, as a parent may have left it, the new process could not be waited for.
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        // Signals are blocked until the new process is ready for them.
        let watched = watched_signals();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigprocmask(libc::SIG_BLOCK, &raw const watched, &raw mut before);
        match libc::fork() {
            // The new process dies with the old one, and only then gets signals again.
            0 => {
                end_with_parent(old);
                begin();
                libc::sigprocmask(libc::SIG_SETMASK, &raw const before, ptr::null_mut());
                Ok(None)
            }
            -1 => {
                let error = io::Error::last_os_error();
                libc::sigprocmask(libc::SIG_SETMASK, &raw const before, ptr::null_mut());
                Err(error)
            }
            // The old one keeps them blocked and takes them one by one.
            new => Ok(Some(new)),
        }
    }
}

/// From now on this process is killed when its parent ends; at once where that is gone already.
pub fn end_with_parent(parent: u32) {
    // SAFETY: takes numbers only.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
    if std::os::unix::process::parent_id() != parent {
        exit_now(1);
    }
}

/// Copies this process, which has one thread: the number of the new process in the old one, nothing in the new one. The new one
/// is a child of this one's parent, so that it does not lose its parent when this one ends.
pub fn copy_self() -> io::Result<Option<u32>> {
    let nothing: libc::c_long = 0;
    let flags = libc::c_long::from(libc::CLONE_PARENT | libc::SIGCHLD);
    // SAFETY: without a stack of its own and without `CLONE_VM` the new process goes on here in a copy of this one's memory. As
    // this one has no other thread, no lock of the C library is held by one that the copy lacks.
    match unsafe { libc::syscall(libc::SYS_clone, flags, nothing, nothing, nothing, nothing) } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(None),
        new => u32::try_from(new).map(Some).map_err(io::Error::other),
    }
}

/// Writes out what the C library's streams hold, so that no copy of this process writes it again.
pub fn write_out() {
    // SAFETY: NULL means all streams.
    unsafe { libc::fflush(ptr::null_mut()) };
}
