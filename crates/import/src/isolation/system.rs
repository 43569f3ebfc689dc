//! The calls of the operating system that Rust has no safe form of: with its parts the only unsafe code of isolation.
#![allow(unsafe_code)]

mod fork;
mod memory;

pub use fork::{copy_self, end_with_parent, fork_ending_with_parent, write_out};
pub use memory::{Memory, SLOTS, Word};

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, WaitOptions, kill_current_process_group, kill_process,
    kill_process_group, setrlimit, test_kill_process, waitid, waitpid,
};
use rustix::stdio::{stderr, stdout};
use rustix::thread::futex;

use super::board::Board;

/// Sleeps while the word has this value, at most so long, and possibly shorter.
pub fn sleep_on(word: &AtomicU32, value: u32, at_most: Duration) {
    let time = futex::Timespec {
        tv_sec: i64::try_from(at_most.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(at_most.subsec_nanos()),
    };
    // Every way the call returns is fine: the word is looked at again.
    let _ = futex::wait(word, futex::Flags::empty(), value, Some(&time));
}

/// Wakes who sleeps on the word, in any process.
pub fn wake(word: &AtomicU32) {
    let _ = futex::wake(word, futex::Flags::empty(), 1);
}

/// Wakes all who sleep on the word, in any process.
pub fn wake_all(word: &AtomicU32) {
    let _ = futex::wake(word, futex::Flags::empty(), i32::MAX.unsigned_abs());
}

/// Limits this process's address space; beyond it memory is refused.
pub fn limit_address_space(bytes: u64) -> io::Result<()> {
    let limit = Rlimit { current: Some(bytes), maximum: Some(bytes) };
    Ok(setrlimit(Resource::As, limit)?)
}

/// No files that hold the memory of a crashed slave; where it fails nothing is lost.
pub fn forbid_core_files() {
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
}

/// Lets other processes have this processor, where they wait for it.
pub fn give_way() {
    rustix::thread::sched_yield();
}

/// Ends this process at once, without anybody's clean-up.
pub fn exit_now(status: i32) -> ! {
    // SAFETY: takes a number and does not return.
    unsafe { libc::_exit(status) }
}

static OWN: Board = Board::new();

/// Memory shared with the process that watches this one.
static SHARED: AtomicPtr<Board> = AtomicPtr::new(ptr::null_mut());

/// The words for who watches this process; nobody reads them where it is not watched.
#[inline]
pub fn board() -> &'static Board {
    let shared = SHARED.load(Ordering::Acquire);
    // SAFETY: either nothing, or a mapping as long as a board that is never unmapped. All bytes are valid in its words,
    // which are atomic.
    if shared.is_null() { &OWN } else { unsafe { &*shared } }
}

/// Whether another process reads the board.
pub fn is_watched() -> bool {
    !SHARED.load(Ordering::Acquire).is_null()
}

extern "C" fn note_interrupt(_: libc::c_int) {
    board().interrupted.store(1, Ordering::Relaxed);
}

/// Signals that ask a run to end: of a terminal (Ctrl-C, Ctrl-\, one that is closed), of `kill`, and of batch systems before the time
/// of a job is over.
const INTERRUPTS: [libc::c_int; 6] =
    [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGXCPU, libc::SIGUSR1];

/// Those of [`INTERRUPTS`] that are heard: `nohup` has its program ignore SIGHUP, and that stays so.
fn interrupts() -> impl Iterator<Item = libc::c_int> {
    let is_ignored = |signal: libc::c_int| {
        // SAFETY: all zeros is a valid action, which the call fills; it changes nothing.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, ptr::null(), &raw mut action) == 0 && action.sa_sigaction == libc::SIG_IGN
        }
    };
    INTERRUPTS.into_iter().filter(move |signal| *signal != libc::SIGHUP || !is_ignored(*signal))
}

/// [`INTERRUPTS`] are noted; `once` says that the second of each ends the process.
pub fn note_interrupts(once: bool) {
    for signal in interrupts() {
        // SAFETY: all zeros is a valid action; the handler only loads and stores atomics, which a handler may.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = note_interrupt as extern "C" fn(libc::c_int) as libc::sighandler_t;
            action.sa_flags = libc::SA_RESTART | if once { libc::SA_RESETHAND } else { 0 };
            libc::sigaction(signal, &raw const action, ptr::null_mut());
        }
    }
}

/// Forks: the number of the new process in the old one, nothing in the new one. The old one then gets its signals from
/// [`next_signal`]; the new one notes interrupts, and dies with the old one. To be called before there are threads.
pub fn divide() -> io::Result<Option<i32>> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping at an address the system chooses; nothing else lies there.
    let shared = unsafe {
        libc::mmap(ptr::null_mut(), size_of::<Board>(), access, libc::MAP_SHARED | libc::MAP_ANONYMOUS, -1, 0)
    };
    if shared == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    let share = || SHARED.store(shared.cast(), Ordering::Release);
    let new = fork_ending_with_parent(|| {
        share();
        note_interrupts(false);
        die_plainly();
        forbid_core_files();
    })?;
    if new.is_some() {
        share();
        // Processes that lose their parent below are this one's then.
        // SAFETY: takes numbers only.
        unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) };
    }
    Ok(new)
}

fn watched_signals() -> libc::sigset_t {
    // SAFETY: all zeros is a valid set, which the calls then fill.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        for signal in interrupts().chain([libc::SIGCHLD]) {
            libc::sigaddset(&raw mut set, signal);
        }
        set
    }
}

/// A duration as the system takes it.
fn timespec(duration: Duration) -> libc::timespec {
    let tv_sec = libc::time_t::try_from(duration.as_secs()).unwrap_or(libc::time_t::MAX);
    libc::timespec { tv_sec, tv_nsec: libc::c_long::from(duration.subsec_nanos() as i32) }
}

/// Waits for a signal, at most so long; which of [`INTERRUPTS`] it was.
pub fn next_signal(at_most: Duration) -> Option<i32> {
    let set = watched_signals();
    let time = timespec(at_most);
    // SAFETY: the set and the time live during the call.
    let signal = unsafe { libc::sigtimedwait(&raw const set, ptr::null_mut(), &raw const time) };
    INTERRUPTS.contains(&signal).then_some(signal)
}

/// How a child has ended, once it has.
pub fn ended(child: i32) -> Option<ExitStatus> {
    let (_, status) = waitpid(Some(Pid::from_raw(child)?), WaitOptions::NOHANG).ok()??;
    Some(ExitStatus::from_raw(status.as_raw()))
}

/// A child that has ended, and how; `Err` where there are no children.
pub fn any_ended() -> io::Result<Option<(u32, ExitStatus)>> {
    let ended = rustix::process::wait(WaitOptions::NOHANG)?;
    Ok(ended.map(|(id, status)| (id.as_raw_pid().unsigned_abs(), ExitStatus::from_raw(status.as_raw()))))
}

/// Whether this process has children, dead ones included.
pub fn has_children() -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::All, options).is_ok()
}

/// Device and number of a file.
pub type FileIdentity = (u64, u64);

/// What tells the file that a descriptor is open on from others; `None` where it is open on none.
pub fn file_identity(descriptor: i32) -> Option<FileIdentity> {
    // SAFETY: all zeros is a valid record, which lives during the call; a number that is no descriptor is an error.
    unsafe {
        let mut file: libc::stat = std::mem::zeroed();
        (libc::fstat(descriptor, &raw mut file) == 0).then_some((file.st_dev, file.st_ino))
    }
}

/// Kills a process.
pub fn kill(process: i32) {
    if let Some(process) = Pid::from_raw(process) {
        let _ = kill_process(process, Signal::KILL);
    }
}

/// Kills the processes of a group.
pub fn kill_group(leader: u32) {
    if let Ok(leader @ 2..) = i32::try_from(leader)
        && let Some(leader) = Pid::from_raw(leader)
    {
        let _ = kill_process_group(leader, Signal::KILL);
    }
}

/// Kills this process and all others of its group.
pub fn end_own_group() -> ! {
    let _ = kill_current_process_group(Signal::KILL);
    exit_now(1)
}

/// Kills what lives below this process, also what was started by processes that are gone.
pub fn end_descendants() {
    const ROUNDS: usize = 200;
    let own = std::process::id();
    for _ in 0..ROUNDS {
        let children = std::fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap_or_default();
        let mut children = children.split_whitespace().filter_map(|n| n.parse().ok()).peekable();
        if children.peek().is_none() {
            return;
        }
        for child in children {
            kill(child);
            while ended(child).is_none() && is_there(child) {
                std::thread::sleep(Duration::from_micros(200));
            }
        }
    }
}

fn is_there(process: i32) -> bool {
    Pid::from_raw(process).is_some_and(|process| test_kill_process(process).is_ok())
}

/// Whether somebody looks into the process with a debugger.
pub fn is_traced(process: i32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    status.lines().any(|line| line.strip_prefix("TracerPid:").is_some_and(|id| id.trim() != "0"))
}

/// Ends this process as the signal does where nobody cares.
pub fn end_by(signal: i32) -> ! {
    let watched = watched_signals();
    // SAFETY: numbers, and a set that lives during the calls.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
        libc::sigprocmask(libc::SIG_UNBLOCK, &raw const watched, ptr::null_mut());
    }
    exit_now(128 + signal)
}

/// A line on standard error; where that is closed, the exit code is all there is.
pub fn say(line: &str) {
    // In one piece, so that no line of another process comes between.
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}

/// A file that becomes longer than the system allows is an error of the file, not the end of the process.
pub fn ignore_file_limit() {
    // SAFETY: ignoring a signal needs nothing else.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Signals a process dies of by its own doing.
const DEADLY: [libc::c_int; 5] = [libc::SIGSEGV, libc::SIGABRT, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];

/// Leaves interrupts to the master, whoever is meant by them, and lets a process of another group than the terminal's
/// write there.
pub fn ignore_interrupts() {
    for signal in INTERRUPTS.into_iter().chain([libc::SIGTTOU]) {
        // SAFETY: ignoring a signal needs nothing else.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
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
    if let Ok(nothing) = rustix::fs::open(c"/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) {
        let _ = rustix::stdio::dup2_stdin(nothing);
    }
}

/// Sends standard output to standard error and hands out the real one.
pub fn divert_output() -> io::Result<File> {
    let real = rustix::io::fcntl_dupfd_cloexec(stdout(), 3)?;
    rustix::stdio::dup2_stdout(stderr())?;
    Ok(File::from(real))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_seconds_of_a_wait_count() {
        let time = timespec(Duration::from_millis(2500));
        assert_eq!((time.tv_sec, time.tv_nsec), (2, 500_000_000));
    }
}
