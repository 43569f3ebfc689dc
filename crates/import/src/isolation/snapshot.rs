//! Snapshots of a slave by fork: a copy of its process sleeps until the slave goes back to it.
//!
//! | call | what is done |
//! |---|---|
//! | save | the process copies itself; the copy sleeps on the slot's word; an older snapshot of the slot ends |
//! | restore | the process hands the message on, wakes the slot's snapshot and ends; the snapshot copies itself once more, so that the slot is kept, and goes on with the message |
//!
//! A copy shares its memory with the process until one of them writes to it, page by page. The word of a slot is a number
//! that is another one for each snapshot; its lowest bit says that the snapshot is to go on. A snapshot that finds
//! another number than its own ends. Which slot holds what is in the shared memory, where it is not taken back.

use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::inspection::{self, Inherited};
use super::system::{self, Memory, Word};

/// The process in which [`Snapshots::save`] returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Saved {
    /// As the process that was saved.
    Now,
    /// As its snapshot, woken: the message it was saved in is over, another one waits.
    Awake,
}

/// The snapshots of the slave in this process.
#[derive(Debug)]
pub struct Snapshots {
    /// The process above, see [`guard`](super::guard).
    guard: u32,
    /// What was open before there was a slave.
    inherited: Inherited,
    /// Whether memory shared with others was looked for.
    looked: Cell<bool>,
}

/// The bit of [`Word::Told`] for files that are written; those below are the unit's own.
const FILES: u32 = 1 << 8;

/// How long a snapshot sleeps before it looks by itself; it is killed with the process above.
const LONG: Duration = Duration::from_secs(3600);

impl Snapshots {
    /// None yet, below the process that guards this one.
    pub fn new() -> Snapshots {
        let guard = std::os::unix::process::parent_id();
        Snapshots { guard, inherited: Inherited::new(), looked: Cell::new(false) }
    }

    /// Saves this process, which has the slave `unit`, in a slot.
    ///
    /// # Errors
    /// In words, where the slave cannot be saved so.
    pub fn save(&self, memory: &Memory, slot: usize, unit: &str) -> Result<Saved, String> {
        // What stands against it, and what is not taken back.
        let opened = self.inherited.opened();
        tell_files(&opened, memory, unit);
        if let Some(reason) = inspection::refusal(&opened, !self.looked.replace(true)) {
            return Err(format!("no snapshot by fork, because {reason}; choose a method without rollback"));
        }
        let Some((order, sleeper)) = memory.slot(slot) else {
            return Err(format!("slot {slot}, and snapshots by fork have {} slots", system::SLOTS));
        };
        system::write_out();
        // The snapshot that was there ends.
        let own = next(order.load(Ordering::SeqCst));
        sleeper.store(0, Ordering::SeqCst);
        order.store(own, Ordering::SeqCst);
        system::wake_all(order);
        match system::copy_self() {
            Ok(Some(copy)) => {
                sleeper.store(copy, Ordering::SeqCst);
                Ok(Saved::Now)
            }
            Ok(None) => {
                self.sleep(memory, slot, own);
                Ok(Saved::Awake)
            }
            Err(e) => Err(format!("no snapshot by fork: no process for it: {e}")),
        }
    }

    /// Sleeps as a snapshot until it is woken, and leaves a copy asleep.
    fn sleep(&self, memory: &Memory, slot: usize, mut own: u32) {
        let Some((order, sleeper)) = memory.slot(slot) else { system::exit_now(1) };
        loop {
            system::end_with_parent(self.guard);
            while order.load(Ordering::SeqCst) == own {
                system::sleep_on(order, own, LONG);
            }
            if order.load(Ordering::SeqCst) != own | 1 {
                system::exit_now(0);
            }
            // From here on this process has the slave. Where there is no copy, the slot is empty.
            own = next(own);
            sleeper.store(0, Ordering::SeqCst);
            order.store(own, Ordering::SeqCst);
            match system::copy_self() {
                Ok(None) => {}
                Ok(Some(copy)) => return sleeper.store(copy, Ordering::SeqCst),
                Err(_) => return,
            }
        }
    }

    /// Goes back to a slot: its snapshot takes the message over `from` a place behind so many calls that are `done`. Returns
    /// only where that cannot be.
    pub fn restore(&self, memory: &Memory, slot: usize, (from, done): (usize, u64)) -> String {
        let lost = || format!("slot {slot} was never saved, or its process was killed");
        let Some((order, sleeper)) = memory.slot(slot) else { return lost() };
        let copy = sleeper.load(Ordering::SeqCst);
        let (Ok(from), Ok(done), true) = (u32::try_from(from), u32::try_from(done), copy != 0) else { return lost() };
        system::write_out();
        memory.word(Word::From).store(from, Ordering::SeqCst);
        memory.word(Word::Done).store(done, Ordering::SeqCst);
        // Whoever guards takes the end of this process for what it is.
        memory.word(Word::Living).store(copy, Ordering::SeqCst);
        order.fetch_or(1, Ordering::SeqCst);
        system::wake_all(order);
        system::exit_now(0)
    }

    /// Where the message goes on that a snapshot was woken for.
    pub fn place(memory: &Memory) -> (usize, u64) {
        let word = |word| memory.word(word).load(Ordering::SeqCst);
        (word(Word::From) as usize, u64::from(word(Word::Done)))
    }
}

/// Says once which of the files opened are written, as what is written is not taken back.
fn tell_files(opened: &[(String, String)], memory: &Memory, unit: &str) {
    if opened.is_empty() || memory.word(Word::Told).load(Ordering::Relaxed) & FILES != 0 {
        return;
    }
    let files = inspection::written(opened);
    if let Some(first) = files.first() {
        memory.word(Word::Told).fetch_or(FILES, Ordering::Relaxed);
        let others = if files.len() > 1 { format!(" and {} more", files.len() - 1) } else { String::new() };
        system::say(&format!(
            "warning: unit `{unit}` goes back by fork and writes `{first}`{others}: a rollback does not undo what it has written"
        ));
    }
}

/// The number of the next snapshot.
fn next(order: u32) -> u32 {
    order.wrapping_add(2) & !1
}
