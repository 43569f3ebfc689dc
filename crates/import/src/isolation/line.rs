//! Taking turns with one word in shared memory: some spinning, then sleep.

use std::hint;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::call::Call;
use super::system::{self, Memory, Word};

/// The two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Master = 0,
    Slave = 1,
}

/// Looks without a pause: about a microsecond, several times what a step of a small model takes.
const EAGER: u32 = 30;

/// How long a waiting side spins: about what waking up costs. Nothing on a machine with one core.
const SPIN: Duration = Duration::from_micros(50);

impl Side {
    fn other(self) -> Side {
        if self == Side::Master { Side::Slave } else { Side::Master }
    }

    fn sleeps(self) -> Word {
        if self == Side::Master { Word::MasterSleeps } else { Word::SlaveSleeps }
    }
}

/// One end of the line.
#[derive(Debug)]
pub struct Line {
    pub memory: Memory,
    side: Side,
    spins: bool,
}

impl Line {
    pub fn new(memory: Memory, side: Side) -> Self {
        let spins = std::thread::available_parallelism().is_ok_and(|n| n.get() > 1);
        Line { memory, side, spins }
    }

    /// Gives the turn to the other side, with the message that was put.
    pub fn hand_over(&self) {
        let other = self.side.other();
        self.memory.word(Word::Turn).store(other as u32, Ordering::SeqCst);
        // Either the sleeper's mark is seen here, or the sleeper sees the new turn before it falls asleep.
        if self.memory.word(other.sleeps()).load(Ordering::SeqCst) != 0 {
            system::wake(self.memory.word(Word::Turn));
        }
    }

    /// Says which call is made now, behind so many of the message.
    #[inline]
    pub fn enter(&self, call: Call, done: u64) {
        let mark = (done as u32) << 8 | call as u32;
        self.memory.word(Word::Call).store(mark, Ordering::Relaxed);
    }

    /// Changes from one call to the next.
    pub fn mark(&self) -> u32 {
        self.memory.word(Word::Call).load(Ordering::Relaxed)
    }

    /// The call that is made, or was made last.
    pub fn call(&self) -> Option<Call> {
        Call::of(self.mark() as u8)
    }

    /// Whether it is this side's turn.
    pub fn is_mine(&self) -> bool {
        self.memory.word(Word::Turn).load(Ordering::Acquire) == self.side as u32
    }

    /// Looks for a while, at first without a pause, then letting others have the processor between two looks: where there
    /// are more processes than processors, the one that is waited for may be among them. Whether it became this side's
    /// turn.
    pub fn spin(&self) -> bool {
        if !self.spins {
            return self.is_mine();
        }
        for _ in 0..EAGER {
            if self.is_mine() {
                return true;
            }
            hint::spin_loop();
        }
        let began = Instant::now();
        loop {
            system::give_way();
            if self.is_mine() {
                return true;
            }
            if began.elapsed() > SPIN {
                return false;
            }
        }
    }

    /// Sleeps until it is this side's turn, at most so long; whether it is.
    pub fn sleep(&self, at_most: Duration) -> bool {
        let mark = self.memory.word(self.side.sleeps());
        mark.store(1, Ordering::SeqCst);
        if !self.is_mine() {
            system::sleep_on(self.memory.word(Word::Turn), self.side.other() as u32, at_most);
        }
        mark.store(0, Ordering::SeqCst);
        self.is_mine()
    }
}
