//! A part of a file in memory, shared with all processes that have the file.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr::{self, NonNull};

use rustix::fs::{FallocateFlags, fallocate};

/// A mapping of a file. It needs the file open no longer.
#[derive(Debug)]
pub struct Region {
    base: NonNull<u8>,
    length: usize,
}

// SAFETY: the mapping belongs to no thread, and is written through `&mut self` only, or by who got its address.
unsafe impl Send for Region {}

impl Region {
    /// A part of a file, which is made so long and gets its place on the disk; `offset` is a multiple of the page size.
    ///
    /// # Errors
    /// Where the system refuses, or has no such thing for this file.
    pub fn grow(file: &File, offset: u64, length: usize) -> io::Result<Region> {
        fallocate(file, FallocateFlags::empty(), offset, length as u64)?;
        Region::map(file, (offset, length), libc::MAP_POPULATE)
    }

    /// A part of a file that is long enough.
    pub(super) fn map(file: &File, (offset, length): (u64, usize), flags: i32) -> io::Result<Region> {
        let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | flags);
        let offset = libc::off_t::try_from(offset).map_err(io::Error::other)?;
        // SAFETY: a new mapping at an address the system chooses; nothing else lies there.
        let base = unsafe { libc::mmap(ptr::null_mut(), length, access, flags, file.as_raw_fd(), offset) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base = NonNull::new(base.cast()).ok_or_else(|| io::Error::other("mapped at address 0"))?;
        Ok(Region { base, length })
    }

    /// Where it is in memory.
    pub(super) fn address(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    /// Writes bytes at a place; false where there is no room for them.
    #[inline]
    pub fn put(&mut self, at: usize, bytes: &[u8]) -> bool {
        if self.length.checked_sub(at).is_none_or(|room| room < bytes.len()) {
            return false;
        }
        // SAFETY: inside the mapping, as compared above, which overlaps nothing of Rust's. Where somebody has cut the file
        // meanwhile, the system ends the process (SIGBUS).
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.base.as_ptr().add(at), bytes.len()) };
        true
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: mapped by us with this length; no reference into it outlives `self`.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.length) };
    }
}
