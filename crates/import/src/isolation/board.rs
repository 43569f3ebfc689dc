//! Messages of a process to the one that watches it: words in shared memory, written without a lock.
//!
//! Whoever reads believes nothing: a slave in the writing process may have written here too.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

use super::call::Call;

/// Units that can be told apart; of more than these nothing is known.
const PLACES: usize = 4096;

/// The words. All zeros is what it begins as.
#[repr(C)]
pub struct Board {
    /// Somebody asked the run to end.
    pub interrupted: AtomicU32,
    /// Whether the run looks at `interrupted`.
    pub listens: AtomicU32,
    /// Whether it has seen it.
    pub heard: AtomicU32,
    /// 0, or one more than the exit code of a program that came to its end.
    pub done: AtomicU32,
    /// Rows recorded, and the bits of the last one's time in s.
    pub rows: AtomicU64,
    /// See `rows`.
    pub last_s: AtomicU64,
    /// Length of the rows in their file.
    pub rows_bytes: AtomicU64,
    /// The same where the file is longer than the rows; 0 where it is not.
    pub rows_end: AtomicU64,
    /// Longest time of a call in ms; 0 where there is no limit.
    pub call_limit_ms: AtomicU64,
    /// The file of the rows.
    pub file: Text<4096>,
    /// What a user can do about a slave that ends the program.
    pub advice: Text<256>,
    /// Last words of a program that came to its end.
    pub words: Text<65536>,
    used: AtomicU32,
    places: [Place; PLACES],
}

impl Board {
    /// All zeros.
    pub const fn new() -> Board {
        Board {
            interrupted: AtomicU32::new(0),
            listens: AtomicU32::new(0),
            heard: AtomicU32::new(0),
            done: AtomicU32::new(0),
            rows: AtomicU64::new(0),
            last_s: AtomicU64::new(0),
            rows_bytes: AtomicU64::new(0),
            rows_end: AtomicU64::new(0),
            call_limit_ms: AtomicU64::new(0),
            file: Text::new(),
            advice: Text::new(),
            words: Text::new(),
            used: AtomicU32::new(0),
            places: [const { Place::new() }; PLACES],
        }
    }

    /// One more place, where there is one.
    pub fn take(&self) -> Option<usize> {
        let next =
            self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| ((n as usize) < PLACES).then_some(n + 1));
        next.ok().map(|n| n as usize)
    }

    /// A place by its number.
    pub fn place(&self, number: usize) -> Option<&Place> {
        self.places.get(number)
    }

    /// All that were ever taken.
    pub fn places(&self) -> &[Place] {
        &self.places[..(self.used.load(Ordering::Relaxed) as usize).min(PLACES)]
    }
}

/// The place of one unit: its current call and time. It has cache lines of its own.
#[repr(C, align(128))]
pub struct Place {
    /// 0, or a count of calls and, in the lowest byte, one more than the number of the call.
    call: AtomicU64,
    t_s: AtomicU64,
    /// Whether the unit is of FMI 3.0.
    pub is_of_3: AtomicU32,
    /// Name of the unit.
    pub name: Text<100>,
}

impl Place {
    /// Outside of any call.
    pub const fn new() -> Place {
        Place { call: AtomicU64::new(0), t_s: AtomicU64::new(0), is_of_3: AtomicU32::new(0), name: Text::new() }
    }

    /// The unit's `count`-th call begins.
    #[inline]
    pub fn begin(&self, call: Call, count: u64) {
        self.call.store(count << 8 | (call as u64 + 1), Ordering::Relaxed);
    }

    /// It has ended.
    #[inline]
    pub fn end(&self) {
        self.call.store(0, Ordering::Relaxed);
    }

    /// The unit's time.
    #[inline]
    pub fn at(&self, t_s: f64) {
        self.t_s.store(t_s.to_bits(), Ordering::Relaxed);
    }

    /// Whether the unit is in no call, or in its last one.
    pub fn is_free(&self) -> bool {
        self.call().is_none_or(|(call, _)| call == Call::Quit)
    }

    /// A number that is another for each call; 0 outside of calls.
    pub fn mark(&self) -> u64 {
        self.call.load(Ordering::Relaxed)
    }

    /// The call the unit is in, and its time in s.
    pub fn call(&self) -> Option<(Call, f64)> {
        let number = u8::try_from(self.mark() & 0xff).ok()?.checked_sub(1)?;
        Some((Call::of(number)?, f64::from_bits(self.t_s.load(Ordering::Relaxed))))
    }
}

/// A text of at most `N` bytes.
#[repr(C)]
pub struct Text<const N: usize> {
    length: AtomicU32,
    bytes: [AtomicU8; N],
}

impl<const N: usize> Text<N> {
    const fn new() -> Self {
        Text { length: AtomicU32::new(0), bytes: [const { AtomicU8::new(0) }; N] }
    }

    /// Writes a text, its beginning where it is too long.
    pub fn set(&self, text: &str) {
        let mut length = text.len().min(N);
        while !text.is_char_boundary(length) {
            length -= 1;
        }
        for (place, byte) in self.bytes.iter().zip(&text.as_bytes()[..length]) {
            place.store(*byte, Ordering::Relaxed);
        }
        self.length.store(length as u32, Ordering::Release);
    }

    /// Reads the text; bytes that are not UTF-8 are replaced.
    pub fn get(&self) -> String {
        let length = (self.length.load(Ordering::Acquire) as usize).min(N);
        let bytes: Vec<u8> = self.bytes[..length].iter().map(|b| b.load(Ordering::Relaxed)).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let text = Text::<5>::new();
        text.set("añ€x");
        assert_eq!(text.get(), "añ", "whole letters only");
        let place = Place::new();
        assert!(place.call().is_none() && place.mark() == 0);
        place.at(0.5);
        place.begin(Call::Step, 7);
        assert_eq!(place.call(), Some((Call::Step, 0.5)));
        let mark = place.mark();
        place.end();
        place.begin(Call::Step, 8);
        assert_ne!(place.mark(), mark, "the next call is another");
    }
}
