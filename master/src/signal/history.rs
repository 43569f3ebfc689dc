//! A *history*: the samples of a signal up to its end, as rows of values at communication points, newest last.
//!
//! A row holds the components of one channel (a value and, for a motion, its successive time derivatives). Nothing is
//! allocated after construction, nor when one history is copied over another of its shape.

use crate::time::Tick;
use serde::{Deserialize, Serialize};

/// Samples of a channel.
#[derive(Debug, Serialize, Deserialize)]
pub struct History {
    width: usize,
    depth: usize,
    in_window: usize,
    at: Vec<f64>,
    rows: Vec<f64>,
    len: usize,
}

impl Clone for History {
    fn clone(&self) -> Self {
        let History { width, depth, in_window, at, rows, len } = self;
        History { width: *width, depth: *depth, in_window: *in_window, at: at.clone(), rows: rows.clone(), len: *len }
    }

    /// Copies the rows that are known, which mostly are a part of the room there is.
    #[inline]
    fn clone_from(&mut self, other: &Self) {
        let History { width, depth, in_window, at, rows, len } = other;
        if (self.at.len(), self.rows.len()) != (at.len(), rows.len()) {
            *self = other.clone();
            return;
        }
        (self.width, self.depth, self.in_window, self.len) = (*width, *depth, *in_window, *len);
        self.at[..*len].copy_from_slice(&at[..*len]);
        self.rows[..len * width].copy_from_slice(&rows[..len * width]);
    }
}

impl History {
    /// A history of rows of `width` values that keeps at least the `depth` newest before a window and up to
    /// `in_window` within it.
    pub fn new(width: usize, depth: usize, in_window: usize) -> Self {
        let depth = depth.max(1);
        // Room for several windows between two compactions, which then cost next to nothing.
        let capacity = 4 * (depth + in_window) + 16;
        History { width, depth, in_window, at: vec![0.0; capacity], rows: vec![0.0; capacity * width], len: 0 }
    }

    /// Copies the rows of another of its shape that may still be asked for, to come back to them.
    #[inline]
    pub(crate) fn take(&mut self, other: &History) {
        let History { width, depth, in_window, at, rows, len } = other;
        if (self.at.len(), self.rows.len()) != (at.len(), rows.len()) {
            *self = other.clone();
            return;
        }
        let first = len.saturating_sub(depth + in_window);
        self.len = len - first;
        self.at[..self.len].copy_from_slice(&at[first..*len]);
        self.rows[..self.len * width].copy_from_slice(&rows[first * width..len * width]);
    }

    /// Values in a row.
    #[inline]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows known.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no row yet.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Instant of row `i`, in ticks (broken ones for nodes inside a step).
    #[inline]
    pub fn at(&self, i: usize) -> f64 {
        self.at[i]
    }

    /// Row `i`, oldest first.
    #[inline]
    pub fn row(&self, i: usize) -> &[f64] {
        &self.rows[i * self.width..(i + 1) * self.width]
    }

    /// Component `c` of row `i`.
    #[inline]
    pub fn value(&self, i: usize, c: usize) -> f64 {
        self.rows[i * self.width + c]
    }

    /// Index of the newest row.
    #[inline]
    pub fn newest(&self) -> usize {
        self.len - 1
    }

    /// Writes the row at tick `k`: over the row already there, or where it belongs in time.
    #[inline]
    pub fn put(&mut self, k: Tick, row: &[f64]) {
        self.put_at(k as f64, row);
    }

    /// As [`History::put`], for an instant inside a step.
    #[inline]
    pub fn put_at(&mut self, at: f64, row: &[f64]) {
        // Nearly always the newest row.
        if self.len < self.at.len() && (self.len == 0 || self.at[self.len - 1] < at) {
            let first = self.len * self.width;
            self.at[self.len] = at;
            for (old, new) in self.rows[first..first + self.width].iter_mut().zip(row) {
                *old = *new;
            }
            self.len += 1;
            return;
        }
        self.insert(at, row);
    }

    /// Puts a row where others are, or where room is short.
    fn insert(&mut self, at: f64, row: &[f64]) {
        let mut i = self.len;
        while i > 0 && self.at[i - 1] > at {
            i -= 1;
        }
        if i > 0 && self.at[i - 1] == at {
            i -= 1;
        } else {
            if self.len == self.at.len() {
                // Rows that may still be asked for stay.
                let kept = self.depth + self.in_window;
                let dropped = self.len.saturating_sub(kept).max(1);
                self.drop_oldest(dropped);
                i = i.saturating_sub(dropped);
            }
            if i < self.len {
                self.at.copy_within(i..self.len, i + 1);
                self.rows.copy_within(i * self.width..self.len * self.width, (i + 1) * self.width);
            }
            self.at[i] = at;
            self.len += 1;
        }
        self.rows[i * self.width..(i + 1) * self.width].copy_from_slice(row);
    }

    /// Replaces one component of the newest row not later than tick `k`.
    #[inline]
    pub fn amend(&mut self, k: Tick, component: usize, value: f64) {
        if let Some(i) = self.find(k) {
            self.rows[i * self.width + component] = value;
        }
    }

    /// Whether there is a row at tick `k` or later.
    #[inline]
    pub fn reaches(&self, k: Tick) -> bool {
        self.len > 0 && self.at[self.len - 1] >= k as f64
    }

    /// Index of the row at tick `k`.
    #[inline]
    pub fn find(&self, k: Tick) -> Option<usize> {
        self.find_at(k as f64)
    }

    /// Index of the row at an instant.
    #[inline]
    pub fn find_at(&self, at: f64) -> Option<usize> {
        let mut i = self.len;
        while i > 0 && self.at[i - 1] > at {
            i -= 1;
        }
        (i > 0 && self.at[i - 1] == at).then(|| i - 1)
    }

    /// Index of the row a polynomial over a step that ends at tick `to` starts from, going back: the earliest row at or
    /// after `to` (the signal is known there: it is interpolated), else the newest (it is extrapolated).
    #[inline]
    ///
    /// ```
    /// use macrostep_master::History;
    ///
    /// // A signal of one component, known at the ticks 0 and 1.
    /// let mut history = History::new(1, 2, 1);
    /// history.put(0, &[3.0]);
    /// history.put(1, &[4.0]);
    /// let newest = history.lead(2);
    /// assert_eq!((history.at(newest), history.value(newest, 0)), (1.0, 4.0));
    /// ```
    pub fn lead(&self, to: Tick) -> usize {
        let to = to as f64;
        let mut i = self.len - 1;
        while i > 0 && self.at[i - 1] >= to {
            i -= 1;
        }
        i
    }

    /// Index of the newest row not later than tick `k`, else the oldest.
    #[inline]
    pub fn not_after(&self, k: Tick) -> usize {
        let mut i = self.len - 1;
        while i > 0 && self.at[i] > k as f64 {
            i -= 1;
        }
        i
    }

    /// Row `i`, for perturbing the state of a run.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.rows[i * self.width..(i + 1) * self.width]
    }

    /// Rows before a window that are kept at least.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Whether it may take the place of another: of the same shape, with rows that are numbers.
    pub(crate) fn may_replace(&self, other: &History) -> bool {
        let shape = |h: &History| (h.width, h.depth, h.in_window, h.at.len(), h.rows.len());
        shape(self) == shape(other)
            && self.len <= self.at.len()
            && !self.at[..self.len].iter().chain(&self.rows[..self.len * self.width]).any(|x| x.is_nan())
    }

    /// Leaves the row at tick `k` alone, or none where there is none.
    pub(crate) fn begin_anew(&mut self, k: Tick) {
        let found = self.find(k);
        if let Some(i) = found {
            self.drop_oldest(i);
        }
        self.len = usize::from(found.is_some());
    }

    fn drop_oldest(&mut self, n: usize) {
        self.at.copy_within(n..self.len, 0);
        self.rows.copy_within(n * self.width..self.len * self.width, 0);
        self.len -= n;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stay_in_order_and_windows_can_be_taken_back() {
        for copy in [History::clone_from as fn(&mut History, &History), History::take] {
            let mut h = History::new(1, 3, 4);
            let mut kept = h.clone();
            h.put(0, &[0.0]);
            for n in 0..1000 {
                copy(&mut kept, &h);
                h.put(n + 2, &[-1.0]);
                h.put(n + 1, &[-2.0]);
                h.put_at(n as f64 + 1.5, &[-3.0]);
                let i = h.find(n + 1).expect("put");
                assert_eq!((h.at(i + 1), h.at(i + 2)), (n as f64 + 1.5, n as f64 + 2.0));
                assert_eq!(h.lead(n + 1), i);
                copy(&mut h, &kept);
                // As many rows as may be asked for, each with its value.
                let known = (n as usize + 1).min(3);
                assert!(h.len() >= known);
                for i in h.len() - known..h.len() {
                    assert_eq!((h.at(i), h.value(i, 0)), ((n + 1) as f64 - (h.len() - i) as f64, h.at(i)));
                }
                h.put(n + 1, &[n as f64 + 1.0]);
                h.put(n + 1, &[n as f64 + 1.0]);
                assert_eq!(h.value(h.newest(), 0), h.at(h.newest()));
            }
        }
    }
}
