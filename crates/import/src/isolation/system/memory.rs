//! Memory that processes share: words by which they take turns, and one message.

use std::fs::File;
use std::io;
use std::os::fd::BorrowedFd;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rustix::fs::MemfdFlags;

use crate::isolation::Region;

/// Bytes shared; pages that are never touched cost nothing.
const LENGTH: usize = 256 << 20;

/// Where the message begins; the words before it have cache lines of their own.
const MESSAGE: usize = 4096;

/// Where the words of the slots begin, two of four bytes each.
const FIRST_SLOT: usize = 512;

/// Slots there is room for.
pub const SLOTS: usize = (MESSAGE - FIRST_SLOT) / 8;

/// Words in shared memory, by their places.
#[derive(Debug, Clone, Copy)]
pub enum Word {
    /// Whose turn it is.
    Turn = 0,
    /// Whether the master sleeps.
    MasterSleeps = 64,
    /// Whether the slave sleeps.
    SlaveSleeps = 128,
    /// The call the slave is in, and how many of the message were made before it.
    Call = 192,
    /// Whether the slave is saved by fork.
    Forks = 256,
    /// The process that has the slave, where it is saved by fork.
    Living = 260,
    /// Remarks that were made, see [`FmuUnit::told`](crate::fmu::FmuUnit).
    Told = 264,
    /// Where in the message a snapshot goes on that was woken: bytes, and calls made before.
    From = 268,
    /// See `From`.
    Done = 272,
}

/// Memory two processes share: words are atomic, and the message is only touched through `&mut self`.
#[derive(Debug)]
pub struct Memory {
    region: Region,
}

impl Memory {
    /// New memory, and the file to give to the other process.
    pub fn create() -> io::Result<(Memory, File)> {
        let file = File::from(rustix::fs::memfd_create(c"macrostep", MemfdFlags::CLOEXEC)?);
        file.set_len(LENGTH as u64)?;
        Ok((Memory::map(&file)?, file))
    }

    /// The memory the other process made; refused where the file is shorter than it.
    pub fn open(descriptor: BorrowedFd<'_>) -> io::Result<Memory> {
        let file = File::from(descriptor.try_clone_to_owned()?);
        if file.metadata()?.len() != LENGTH as u64 {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is not the memory of a master"));
        }
        Memory::map(&file)
    }

    fn map(file: &File) -> io::Result<Memory> {
        Ok(Memory { region: Region::map(file, (0, LENGTH), 0)? })
    }

    /// One of the words.
    pub fn word(&self, word: Word) -> &AtomicU32 {
        self.at(word as usize)
    }

    /// The word a slot's snapshot sleeps on, and its process; `None` where there is no such slot.
    pub fn slot(&self, slot: usize) -> Option<(&AtomicU32, &AtomicU32)> {
        let place = (slot < SLOTS).then_some(FIRST_SLOT + 8 * slot)?;
        Some((self.at(place), self.at(place + 4)))
    }

    fn at(&self, place: usize) -> &AtomicU32 {
        debug_assert!(place + 4 <= MESSAGE && place.is_multiple_of(4));
        // SAFETY: all callers are above: before the message, inside the mapping and aligned to 4 bytes; the processes touch
        // it by atomic operations only; it lives as long as `self`.
        unsafe { &*self.region.address().add(place).cast::<AtomicU32>() }
    }

    fn length(&self) -> &AtomicU64 {
        // SAFETY: as for the words; 8 bytes aligned to 8, behind the word `Call`.
        unsafe { &*self.region.address().add(Word::Call as usize + 8).cast::<AtomicU64>() }
    }

    /// Most bytes a message may have.
    pub const fn message_max() -> usize {
        LENGTH - MESSAGE
    }

    /// Puts a message there; false where it is too long. To be called in one's own turn.
    pub fn put(&mut self, message: &[u8]) -> bool {
        // A slave that breaks the rule of turns makes wrong bytes, which are checked when they are read, and nothing else.
        let is_put = self.region.put(MESSAGE, message);
        if is_put {
            self.length().store(message.len() as u64, Ordering::Relaxed);
        }
        is_put
    }

    /// Takes the message there; false where its length is impossible. To be called in one's own turn.
    pub fn take(&mut self, message: &mut Vec<u8>) -> bool {
        let length = self.length().load(Ordering::Relaxed);
        message.clear();
        let Some(length) = usize::try_from(length).ok().filter(|n| *n <= Memory::message_max()) else { return false };
        message.reserve(length);
        // SAFETY: `length` bytes inside the mapping, into as many reserved, which are then initialised. Whatever the other
        // process writes at the same time, these are bytes.
        unsafe {
            ptr::copy_nonoverlapping(self.region.address().add(MESSAGE), message.as_mut_ptr(), length);
            message.set_len(length);
        }
        true
    }
}
