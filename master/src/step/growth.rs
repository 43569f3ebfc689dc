//! *Growth*: whether coupled signals grow without bound, by steps that nothing resolves.
//!
//! A coupling that is unstable multiplies its signals by a factor each window, so they grow exponentially, and they change from window
//! to window by as much as they are. What grows by itself does one of both only: a free fall, a rocket, a resonance grow like a power of
//! time; what is unstable by itself, as a pendulum that falls over, is smooth where its steps resolve it.
//!
//! With b_1 … b_n (n from 8 to 16) the largest |y| over equal numbers of windows, a signal grows where
//!
//! ```text
//! b_i ≥ 1.3 b_{i−1}  for the later half,   b_n ≥ 100 b_{n/2},   Σ (y_k − 2 y_{k−1} + y_{k−2})² ≥ 0.05 Σ y_k²
//! ```
//!
//! or where the first holds and b_n ≥ 10²⁰ b_{n/2}, which no signal does that is worth computing. Where only the third fails, either the system or
//! a coupling grows, which a second run tells apart (`second_look.rs`). In them t^p has b_n/b_{n/2} = 2^p, so p would have to be 7; the third is (ω H)⁴ of a signal of angular frequency ω. What a signal does early in
//! the run, as a start from rest, is in none of them. Not every window is looked at: the first [`DENSE`], then a few in a row, eight times
//! while their number doubles.

use crate::savable::savable;
use crate::signal::history::History;
use crate::time::Tick;

/// Most blocks; when they are full, two neighbours become one.
const BLOCKS: usize = 16;
/// Fewest blocks that growth is seen in.
const BLOCKS_MIN: usize = 8;
/// So many windows at the start are all looked at.
const DENSE: u64 = 32;
/// Then so many in a row.
const BURST: u64 = 4;
/// Windows in a block at first.
const WIDTH: u64 = 4;
/// By how much each later block is larger than the one before, and the last than the one in the middle.
const EACH: f64 = 1.3;
const WHOLE: f64 = 100.0;
/// By how much a signal is larger after the first window than at its start, where the run is to be looked at again: (ω H)²/2 of a held force, 1.2 periods.
const THROWN: f64 = 30.0;
/// A start value that is this many times less than what comes is zero, but for rounding.
const FROM_ZERO: f64 = 1e6;
/// Growth from the middle to the end that is too much however smooth it is.
const BEYOND: f64 = 1e20;
/// Square of what a signal changes its slope by from window to window, relative to the square of its size.
const ROUGH: f64 = 0.05;

savable! {
/// How the sampled signals of a run have grown so far.
#[derive(Default)]
pub(crate) struct Growth {
    /// Of each component of each channel.
    signals: Vec<Course>,
    /// Windows in a block.
    width: u64,
    /// Windows that were counted when signals were looked at last.
    last: u64,
    /// How many windows in a row were looked at.
    row: u64,
    /// The largest ratio of a signal after the first window to its start value.
    thrown: f64,
}
}

savable! {
/// One signal.
#[derive(Default)]
struct Course {
    /// Largest absolute value in each block.
    blocks: [f64; BLOCKS],
    /// The two values before.
    before: [f64; 2],
    /// Sums of squares: second differences, and values.
    rough: f64,
    size: f64,
}
}

/// A signal that grows.
pub(crate) struct Grown {
    /// Channel and component.
    pub place: (usize, usize),
    /// Its size late in the run as a multiple of that at half of the run.
    pub factor: f64,
    /// Whether no system grows so by itself.
    pub is_unresolved: bool,
}

impl Growth {
    /// Of channels with these histories, before the first window.
    pub fn new(channels: &[History]) -> Self {
        let width = channels.iter().map(History::width).sum();
        Growth { signals: vec![Course::default(); width], width: WIDTH, last: 0, row: 0, thrown: 0.0 }
    }

    /// How many signals there are.
    pub fn len(&self) -> usize {
        self.signals.len()
    }

    /// After so many windows: how many more until signals are to be looked at, at least one.
    pub fn until_look(windows: u64) -> u64 {
        if windows < DENSE {
            return 1;
        }
        let period = (1 << windows.ilog2()) / 8;
        let phase = windows % period;
        if phase < BURST { 1 } else { period - phase }
    }

    /// Whether signals are to be looked at when so many windows are over.
    #[inline]
    pub fn is_due(windows: u64) -> bool {
        windows > 0 && Growth::until_look(windows - 1) == 1
    }

    /// Takes the newest values, of `now`, when so many windows are over; whether they follow those that were taken before.
    pub fn take(&mut self, channels: &[History], now: Tick, windows: u64) -> bool {
        // Windows that follow each other give differences.
        self.row = if windows == self.last + 1 { self.row + 1 } else { 1 };
        self.last = windows;
        // The block; where there is none left, blocks become twice as long.
        while windows.saturating_sub(1) / self.width >= BLOCKS as u64 {
            self.width *= 2;
            self.signals.iter_mut().for_each(Course::merge);
        }
        let block = (windows.saturating_sub(1) / self.width) as usize;
        let known = || channels.iter().filter(|h| !h.is_empty());
        let values = known().flat_map(|h| h.row(h.not_after(now)));
        if windows == 1 {
            let ratios =
                values.clone().zip(known().flat_map(|h| h.row(h.not_after(0)))).map(|(now, start)| (now / start).abs());
            self.thrown = ratios.filter(|ratio| *ratio < FROM_ZERO).fold(0.0, f64::max);
        }
        for (signal, value) in self.signals.iter_mut().zip(values) {
            signal.take(*value, block, self.row > 2);
        }
        self.row > 1
    }

    /// Whether the first window has thrown a signal far from where it began. A force that is held over more than a period of a stiff link does so, and
    /// all that comes after may be smooth. What begins at zero is not seen.
    pub fn is_thrown(&self) -> bool {
        self.thrown >= THROWN
    }

    /// By how many times a signal is larger in the last quarter of the run than in its first half; the largest of all signals.
    pub fn risen(&self) -> f64 {
        let blocks = ((self.last.saturating_sub(1) / self.width.max(1)) as usize + 1).min(BLOCKS);
        let largest = |blocks: &[f64]| blocks.iter().copied().fold(0.0, f64::max);
        let of = |signal: &Course| {
            let known = &signal.blocks[..blocks];
            let (early, late) = (largest(&known[..blocks.div_ceil(2)]), largest(&known[3 * blocks / 4..]));
            if early > 0.0 { late / early } else { 0.0 }
        };
        self.signals.iter().map(of).fold(0.0, f64::max)
    }

    /// The signal that grows most, where one does; `channels` as they were taken.
    pub fn grown(&self, channels: &[History]) -> Option<Grown> {
        let blocks = (self.last.saturating_sub(1) / self.width.max(1)) as usize + 1;
        // A block that has only begun says nothing of its largest value.
        let whole = if self.last.is_multiple_of(self.width.max(1)) { blocks } else { blocks - 1 };
        if whole < BLOCKS_MIN {
            return None;
        }
        let places = channels.iter().enumerate().flat_map(|(channel, h)| (0..h.width()).map(move |c| (channel, c)));
        let grown = self.signals.iter().zip(places).filter_map(|(signal, place)| {
            let (factor, is_unresolved) = signal.factor(whole)?;
            Some(Grown { place, factor, is_unresolved })
        });
        grown.max_by(|a, b| a.is_unresolved.cmp(&b.is_unresolved).then(a.factor.total_cmp(&b.factor)))
    }
}

impl Course {
    fn take(&mut self, value: f64, block: usize, follows: bool) {
        self.blocks[block] = self.blocks[block].max(value.abs());
        if follows {
            let bent = value - 2.0 * self.before[0] + self.before[1];
            self.rough += bent * bent;
            self.size += value * value;
        }
        self.before = [value, self.before[0]];
    }

    /// Two neighbours become one.
    fn merge(&mut self) {
        for i in 0..BLOCKS {
            let pair = self.blocks.get(2 * i..2 * i + 2);
            self.blocks[i] = pair.map_or(0.0, |pair| pair[0].max(pair[1]));
        }
    }

    /// Growth since the middle of so many blocks, where it is exponential, and whether it is one that nothing resolves.
    fn factor(&self, blocks: usize) -> Option<(f64, bool)> {
        let later = &self.blocks[blocks / 2 - 1..blocks];
        let factor = later.last()? / later.first()?;
        let is_steady = later.windows(2).all(|pair| pair[1] >= EACH * pair[0] && pair[0] > 0.0);
        let is_rough = self.rough >= ROUGH * self.size;
        (is_steady && factor >= WHOLE).then_some((factor, is_rough || factor >= BEYOND))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Growth of y(k) over so many windows.
    fn factor(windows: u64, y: impl Fn(f64) -> f64) -> Option<f64> {
        let mut history = History::new(1, 1, 2);
        history.put(0, &[y(0.0)]);
        let channels = [history];
        let mut growth = Growth::new(&channels);
        let mut channels = channels;
        for k in 1..=windows {
            channels[0].put(k as Tick, &[y(k as f64)]);
            if Growth::is_due(k) {
                growth.take(&channels, k as Tick, k);
            }
        }
        growth.grown(&channels).filter(|grown| grown.is_unresolved).map(|grown| grown.factor)
    }

    /// Powers of time, exponentials that are resolved, oscillations, noise and steps do not count; what alternates and grows does.
    #[test]
    fn only_unresolved_exponential_growth_is_growth() {
        for windows in [40, 257, 1000, 5000] {
            let n = windows as f64;
            assert!(factor(windows, |k| (-1.2f64).powf(k * 100.0 / n) * (2.0 * k).cos()).is_none_or(f64::is_nan));
            let unstable = factor(windows, |k| (30.0 * k / n).exp() * (2.5 * k).cos());
            assert!(unstable.is_some_and(|factor| factor > 1e5), "{windows}: {unstable:?}");
            let beyond = factor(windows, |k| (120.0 * k / n).exp());
            assert!(beyond.is_some_and(|factor| factor > 1e20), "{windows}: {beyond:?}");
            let alone: [&dyn Fn(f64) -> f64; 7] = [
                &|k| k * k,
                &|k| k.powi(5) + 1.0,
                &|k| k * (2.5 * k).cos(),
                &|k| (30.0 * k / n).exp(),
                &|k| (2.5 * k).sin(),
                &|k| if k < 0.9 * n { 1e-12 } else { 1.0 },
                &|k| (-30.0 * k / n).exp() * (2.5 * k).cos(),
            ];
            // Thirty e-foldings in forty windows are not resolved.
            for (i, y) in alone.iter().enumerate().filter(|(i, _)| windows > 40 || *i != 3) {
                assert_eq!(factor(windows, y), None, "{windows}: {i}");
            }
        }
    }
}
