//! The predicted force of a joint in the next window.

use crate::signal::history::History;
use crate::time::Tick;

/// Most rows of (a, b) that the next ones are extrapolated from.
const ROWS_MAX: usize = 10;

/// Rows that are kept: one more, and that of the start.
pub(crate) const DEPTH: usize = ROWS_MAX + 2;

/// Rows of (a, b) that a force which is not corrected is extrapolated from: more of them make more of what rounding and peaks leave.
const FORETOLD_ROWS: usize = 3;

/// What is expected of (a, b) at the end of the window to come, from the windows before.
pub(crate) fn expected(history: &History, at: Tick, out: &mut [f64]) {
    let (rows, half) = (even_rows(history, at), out.len() / 2);
    if rows < 2 {
        go_on(history, at, out);
    } else if rows > 2 && is_cubic_best(history, rows, out.len()) {
        (0..half).for_each(|i| [out[i], out[half + i]] = cubic(history, history.newest(), (i, half)));
    } else {
        let used = used(history, rows, out.len());
        out.iter_mut().enumerate().for_each(|(i, out)| *out = extrapolated(history, (history.newest(), used), i));
    }
}

/// The same for windows that are run once: from as few rows each time.
pub(crate) fn foretold(history: &History, at: Tick, out: &mut [f64]) {
    let rows = even_rows(history, at).min(FORETOLD_ROWS);
    if rows < 2 {
        go_on(history, at, out);
    } else {
        out.iter_mut().enumerate().for_each(|(i, out)| *out = extrapolated(history, (history.newest(), rows), i));
    }
}

/// How many windows there were; the row at tick 0 stands for the start alone.
pub(crate) fn known(history: &History) -> usize {
    (0..history.len()).rev().take(ROWS_MAX + 1).take_while(|i| history.at(*i) > 0.0).count()
}

/// Of those, how many were as long as the window that ends at `at`.
fn even_rows(history: &History, at: Tick) -> usize {
    let known = known(history);
    if known == 0 {
        return 0;
    }
    let newest = history.newest();
    let step = at as f64 - history.at(newest);
    let is_even = |k: &usize| newest >= *k && history.at(newest + 1 - k) - history.at(newest - k) == step;
    (1..=known).take_while(is_even).count()
}

/// The end of the window before, and its slope; zero where there was none.
fn go_on(history: &History, at: Tick, out: &mut [f64]) {
    out.fill(0.0);
    if known(history) == 0 {
        return;
    }
    let (newest, half) = (history.newest(), out.len() / 2);
    let step = at as f64 - history.at(newest);
    let ratio = if newest > 0 { step / (history.at(newest) - history.at(newest - 1)) } else { 1.0 };
    for i in 0..half {
        let (a, b) = (history.value(newest, i), history.value(newest, half + i));
        (out[i], out[half + i]) = (a + b, b * ratio);
    }
}

/// Largest part of the newest row that a guess of it misses.
fn missed(history: &History, width: usize, guess: impl Fn(usize) -> f64) -> f64 {
    let newest = history.newest();
    (0..width).map(|i| (guess(i) - history.value(newest, i)).abs()).fold(0.0, f64::max)
}

/// By how much `k` rows would have missed the newest one.
fn missed_by(history: &History, k: usize, width: usize) -> f64 {
    missed(history, width, |i| extrapolated(history, (history.newest() - 1, k), i))
}

/// Whether the cubic would have met the newest of `rows` rows of equal distance better than any number of rows. A force that is held
/// has no slope to make one of.
fn is_cubic_best(history: &History, rows: usize, width: usize) -> bool {
    let (newest, half) = (history.newest(), width / 2);
    if (half..width).all(|i| history.value(newest, i) == 0.0) {
        return false;
    }
    let found = missed(history, width, |i| cubic(history, newest - 1, (i % half, half))[i / half]);
    (2..=(rows - 1).min(ROWS_MAX)).all(|k| found < missed_by(history, k, width))
}

/// (a, b) of the window after row `last`, by the cubic of which (a, b) are the linear parts over the last two windows: with the same
/// mean and the same first moment there.
fn cubic(history: &History, last: usize, (i, half): (usize, usize)) -> [f64; 2] {
    let [a0, b0] = [i, half + i].map(|i| history.value(last - 1, i));
    let [a1, b1] = [i, half + i].map(|i| history.value(last, i));
    [2.0 * a1 + b1 - a0 - b0, 15.0 * (a0 - a1) + 14.0 * b0 + 2.0 * b1]
}

/// How many of `rows` rows of equal distance are used: as many as would have met the newest one best.
fn used(history: &History, rows: usize, width: usize) -> usize {
    let tried = rows - 1;
    let missed = |k: usize| missed_by(history, k, width);
    let best = (2..=tried.min(ROWS_MAX)).min_by(|j, k| missed(*j).total_cmp(&missed(*k)));
    // One row more than could be tried, where more are better so far.
    best.map_or(rows.min(2), |k| if k == tried { rows.min(ROWS_MAX) } else { k })
}

/// The polynomial through component `i` of `k` rows up to `last`, one distance beyond them.
fn extrapolated(history: &History, (last, k): (usize, usize), i: usize) -> f64 {
    let (mut sum, mut weight) = (0.0, k as f64);
    for j in 0..k {
        sum += weight * history.value(last - j, i);
        weight *= -((k - j - 1) as f64) / (j + 2) as f64;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forces_are_expected_from_the_windows_before() {
        let mut history = History::new(2, DEPTH + 1, 2);
        let mut out = [0.0; 2];
        history.put(0, &[0.0; 2]);
        expected(&history, 3, &mut out);
        assert_eq!(out, [0.0; 2]);
        // λ = t³ at windows of 3 ticks.
        let row = |n: f64| [(n - 1.0).powi(3), n.powi(3) - (n - 1.0).powi(3)];
        history.put(3, &row(1.0));
        expected(&history, 6, &mut out);
        assert_eq!(out, [1.0, 1.0]);
        for n in 2..=6 {
            history.put(3 * n, &row(n as f64));
        }
        expected(&history, 21, &mut out);
        assert!(out.iter().zip(row(7.0)).all(|(o, r)| (o - r).abs() < 1e-10), "{out:?}");
        // A window of another length goes on with the last slope.
        expected(&history, 24, &mut out);
        assert_eq!(out, [216.0, 182.0]);
    }

    /// Rows that are the linear parts of t³ + t over windows of 1: two of them tell the cubic, which rows alone do not meet, however many.
    #[test]
    fn a_cubic_is_met_by_two_rows() {
        let row = |n: f64| {
            let p = n - 1.0;
            let mean = p.powi(3) + 1.5 * p * p + 2.0 * p + 0.75;
            let moment = p.powi(3) / 2.0 + p * p / 2.0 + 0.75 * p + 1.0 / 20.0 + 1.0 / 6.0;
            let b = 6.0 * mean - 12.0 * moment;
            [mean - b / 2.0, b]
        };
        let (mut history, mut out) = (History::new(2, DEPTH + 1, 2), [0.0; 2]);
        history.put(0, &[0.0; 2]);
        for n in 1..=3 {
            history.put(n, &row(n as f64));
        }
        expected(&history, 4, &mut out);
        assert!(out.iter().zip(row(4.0)).all(|(o, r)| (o - r).abs() < 1e-10), "{out:?}, expected {:?}", row(4.0));
        // A force that is foretold takes three rows as they are; t³ + t is no parabola.
        foretold(&history, 4, &mut out);
        assert_eq!(out, [0, 1].map(|i| 3.0 * row(3.0)[i] - 3.0 * row(2.0)[i] + row(1.0)[i]));
    }
}
