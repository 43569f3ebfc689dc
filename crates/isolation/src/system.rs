//! The calls of the operating system that Rust has no safe form of: the only unsafe code of this crate.
#![allow(unsafe_code)]

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd};
use std::ptr::{self, NonNull};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// Bytes shared; pages that are never touched cost nothing.
const LENGTH: usize = 256 << 20;

/// Where the message begins; the words before it have cache lines of their own.
const MESSAGE: usize = 256;

/// Words in shared memory, by their places.
#[derive(Debug, Clone, Copy)]
pub enum Word {
    /// Whose turn it is.
    Turn = 0,
    /// Whether the master sleeps.
    MasterSleeps = 64,
    /// Whether the slave sleeps.
    SlaveSleeps = 128,
    /// The call the slave is in.
    Call = 192,
}

/// Memory two processes share.
#[derive(Debug)]
pub struct Memory {
    base: NonNull<u8>,
}

// SAFETY: the mapping belongs to no thread; words are atomic, and the message is only touched through `&mut self`.
unsafe impl Send for Memory {}

impl Memory {
    /// New memory, and the file to give to the other process.
    pub fn create() -> io::Result<(Memory, File)> {
        // SAFETY: the name is zero-terminated and lives during the call.
        let descriptor = unsafe { libc::memfd_create(c"macrostep".as_ptr(), libc::MFD_CLOEXEC) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: just made, and owned by nobody else.
        let file = unsafe { File::from_raw_fd(descriptor) };
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
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at an address the system chooses; nothing else lies there.
        let base = unsafe { libc::mmap(ptr::null_mut(), LENGTH, access, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        NonNull::new(base.cast()).map(|base| Memory { base }).ok_or_else(|| io::Error::other("mapped at address 0"))
    }

    /// One of the words.
    pub fn word(&self, word: Word) -> &AtomicU32 {
        // SAFETY: inside the mapping and aligned to 64 bytes; both processes touch it by atomic operations only; it lives
        // as long as `self`.
        unsafe { &*self.base.as_ptr().add(word as usize).cast::<AtomicU32>() }
    }

    fn length(&self) -> &AtomicU64 {
        // SAFETY: as for the words; 8 bytes aligned to 8, behind the word `Call`.
        unsafe { &*self.base.as_ptr().add(Word::Call as usize + 8).cast::<AtomicU64>() }
    }

    /// Most bytes a message may have.
    pub const fn message_max() -> usize {
        LENGTH - MESSAGE
    }

    /// Puts a message there; false where it is too long. To be called in one's own turn.
    pub fn put(&mut self, message: &[u8]) -> bool {
        if message.len() > Memory::message_max() {
            return false;
        }
        self.length().store(message.len() as u64, Ordering::Relaxed);
        // SAFETY: inside the mapping, as compared above, which overlaps nothing of Rust's. A slave that breaks the rule
        // of turns makes wrong bytes, which are checked when they are read, and nothing else.
        unsafe { ptr::copy_nonoverlapping(message.as_ptr(), self.base.as_ptr().add(MESSAGE), message.len()) };
        true
    }

    /// Takes the message there; false where its length is impossible. To be called in one's own turn.
    pub fn take(&mut self, message: &mut Vec<u8>) -> bool {
        let length = self.length().load(Ordering::Relaxed);
        message.clear();
        let Some(length) = usize::try_from(length).ok().filter(|n| *n <= Memory::message_max()) else { return false };
        message.reserve(length);
        // SAFETY: `length` bytes inside the mapping, into as many reserved, which are then initialised. As for `put`,
        // whatever the other process writes at the same time, these are bytes.
        unsafe {
            ptr::copy_nonoverlapping(self.base.as_ptr().add(MESSAGE), message.as_mut_ptr(), length);
            message.set_len(length);
        }
        true
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: mapped by us with this length; no reference into it outlives `self`.
        unsafe { libc::munmap(self.base.as_ptr().cast(), LENGTH) };
    }
}

/// Sleeps while the word has this value, at most so long, and possibly shorter.
pub fn sleep_on(word: &AtomicU32, value: u32, at_most: Duration) {
    let time = libc::timespec {
        tv_sec: libc::time_t::try_from(at_most.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: libc::c_long::from(at_most.subsec_nanos() as i32),
    };
    // SAFETY: the word is aligned and lives during the call, the time too; every way the call returns is fine.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, value, &raw const time, 0, 0) };
}

/// Wakes who sleeps on the word, in any process.
pub fn wake(word: &AtomicU32) {
    // SAFETY: the word lives during the call, which only uses its address.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, 1, 0, 0, 0) };
}

/// Limits this process's address space; beyond it memory is refused.
pub fn limit_address_space(bytes: u64) -> io::Result<()> {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    // SAFETY: the structure lives during the call.
    if unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) } == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// No files that hold the memory of a crashed slave.
pub fn forbid_core_files() {
    let limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure lives during the call; where it fails nothing is lost.
    unsafe { libc::setrlimit(libc::RLIMIT_CORE, &raw const limit) };
}

/// Lets other processes have this processor, where they wait for it.
pub fn give_way() {
    // SAFETY: takes nothing and changes nothing.
    unsafe { libc::sched_yield() };
}

/// Ends this process at once, without anybody's clean-up.
pub fn exit_now(status: i32) -> ! {
    // SAFETY: takes a number and does not return.
    unsafe { libc::_exit(status) }
}

/// Set by the first interrupt.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

extern "C" fn note_interrupt(_: libc::c_int) {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// The first SIGINT or SIGTERM is noted, the second ends the process.
pub fn note_interrupts() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: all zeros is a valid action; the handler only stores to an atomic, which a handler may.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = note_interrupt as extern "C" fn(libc::c_int) as libc::sighandler_t;
            action.sa_flags = libc::SA_RESETHAND | libc::SA_RESTART;
            libc::sigaction(signal, &raw const action, ptr::null_mut());
        }
    }
}

/// Signals a process dies of by its own doing.
pub const DEADLY: [libc::c_int; 5] = [libc::SIGSEGV, libc::SIGABRT, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];

/// Last words for each of [`DEADLY`], then those for an `exit`. Never freed: whoever dies may read them at any time.
static LAST_WORDS: [AtomicPtr<libc::c_char>; 6] = [const { AtomicPtr::new(ptr::null_mut()) }; 6];

/// Whether they are to be said.
static WATCHING: AtomicBool = AtomicBool::new(false);

fn say(place: usize) {
    let words = LAST_WORDS[place].load(Ordering::Acquire);
    if !words.is_null() {
        // SAFETY: a zero-terminated text that is never freed; `write` and `strlen` may be called in a handler. Where it
        // cannot be written nothing else can be done.
        unsafe { libc::write(2, words.cast(), libc::strlen(words)) };
    }
}

extern "C" fn die(signal: libc::c_int) {
    if WATCHING.load(Ordering::Acquire) {
        say(DEADLY.iter().position(|s| *s == signal).unwrap_or(0));
        exit_now(1);
    }
    // The default action was restored when this was called, and takes place now.
    // SAFETY: takes a number.
    unsafe { libc::raise(signal) };
}

extern "C" fn leave() {
    if WATCHING.load(Ordering::Acquire) {
        say(DEADLY.len());
        exit_now(1);
    }
}

/// From now on the process does not end by a signal of its own doing or by `exit` without the words given.
pub fn watch(deaths: [CString; 5], exit: CString) {
    static REGISTERED: Once = Once::new();
    for (place, words) in LAST_WORDS.iter().zip(deaths.into_iter().chain([exit])) {
        place.store(words.into_raw(), Ordering::Release);
    }
    // SAFETY: the function takes nothing, returns nothing, and lives as long as the program.
    REGISTERED.call_once(|| unsafe {
        libc::atexit(leave);
    });
    for signal in DEADLY {
        // SAFETY: all zeros is a valid action; the handler calls only what a handler may. It runs on the stack the standard
        // library has set aside for each thread, so that it also runs where the stack is what was exhausted.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = die as extern "C" fn(libc::c_int) as libc::sighandler_t;
            action.sa_flags = libc::SA_RESETHAND | libc::SA_ONSTACK | libc::SA_NODEFER;
            libc::sigaction(signal, &raw const action, ptr::null_mut());
        }
    }
    WATCHING.store(true, Ordering::Release);
}

/// No longer.
pub fn unwatch() {
    WATCHING.store(false, Ordering::Release);
}

/// Leaves interrupts to the master.
pub fn ignore_interrupts() {
    // SAFETY: ignoring a signal needs nothing else.
    unsafe { libc::signal(libc::SIGINT, libc::SIG_IGN) };
}

/// Lets the process die of [`DEADLY`] without a word of the runtime's.
pub fn die_plainly() {
    for signal in DEADLY {
        // SAFETY: the default action needs nothing else.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// Takes standard input away from what runs here later.
pub fn close_input() {
    // SAFETY: the name is zero-terminated; descriptor 0 belongs to the standard library's `Stdin`, which does not mind
    // what it refers to.
    unsafe {
        let nothing = libc::open(c"/dev/null".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        if nothing >= 0 {
            libc::dup2(nothing, 0);
            libc::close(nothing);
        }
    }
}

/// Sends standard output to standard error and hands out the real one.
pub fn divert_output() -> io::Result<File> {
    // SAFETY: descriptors 1 and 2 are open as long as the program did not close them; what `dup` returns is new and
    // owned by nobody else.
    unsafe {
        let real = libc::fcntl(1, libc::F_DUPFD_CLOEXEC, 3);
        if real < 0 || libc::dup2(2, 1) < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(File::from_raw_fd(real))
    }
}
