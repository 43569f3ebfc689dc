//! The process above a slave that is saved by fork: parent of the one that has the slave and of all that sleep as its snapshots.
//!
//! The master has started this process and knows no other. It ends as the process with the slave has ended, so that the master
//! sees how; and all below it end with it, whatever it ends by.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::system::{self, Memory, Word};

/// How often it looks whether the master still lives.
const LOOK: Duration = Duration::from_millis(200);

/// How long snapshots may take to end.
const FAREWELL: Duration = Duration::from_millis(500);

/// Divides this process, which has one thread: returns in the one that will have the slave. The other one guards it and never
/// returns.
///
/// # Errors
/// Where the system gives no process.
pub fn divide(memory: &Memory, master: u32) -> io::Result<()> {
    let Some(slave) = system::fork_ending_with_parent(|| ())? else { return Ok(()) };
    memory.word(Word::Living).store(slave.unsigned_abs(), Ordering::SeqCst);
    loop {
        system::next_signal(LOOK);
        while let Ok(Some((process, status))) = system::any_ended() {
            if process == memory.word(Word::Living).load(Ordering::SeqCst) {
                end_as(memory, status);
            }
            forget(memory, process);
        }
        if std::os::unix::process::parent_id() != master {
            system::end_own_group();
        }
    }
}

/// A snapshot that was killed is none any more; one that was replaced stands in no slot.
fn forget(memory: &Memory, process: u32) {
    for (_, sleeper) in (0..).map_while(|slot| memory.slot(slot)) {
        let _ = sleeper.compare_exchange(process, 0, Ordering::SeqCst, Ordering::SeqCst);
    }
}

/// Lets the snapshots end, then ends this process as the one with the slave has ended.
fn end_as(memory: &Memory, status: ExitStatus) -> ! {
    for (order, _) in (0..).map_while(|slot| memory.slot(slot)) {
        // Another number than the one it sleeps on, and no call to go on: see `snapshot`.
        order.store(order.load(Ordering::SeqCst).wrapping_add(2) & !1, Ordering::SeqCst);
        system::wake_all(order);
    }
    let began = Instant::now();
    while system::any_ended().is_ok() && began.elapsed() < FAREWELL {
        system::next_signal(Duration::from_millis(1));
    }
    match status.signal() {
        Some(signal) => system::end_by(signal),
        None => system::exit_now(status.code().unwrap_or(1)),
    }
}
