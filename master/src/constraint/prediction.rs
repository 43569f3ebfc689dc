//! The predicted force of a joint in the next window.

use crate::history::History;
use crate::time::Tick;

/// Most rows of (a, b) that the next ones are extrapolated from.
const ROWS_MAX: usize = 10;

/// Rows that are kept: one more, and that of the start.
pub(crate) const DEPTH: usize = ROWS_MAX + 2;

/// What is expected of (a, b) at the end of the window to come, from the windows before.
pub(crate) fn expected(history: &History, at: Tick, out: &mut [f64]) {
    out.fill(0.0);
    // The row at tick 0 stands for the start alone.
    let known = (0..history.len()).rev().take(ROWS_MAX + 1).take_while(|i| history.at(*i) > 0.0).count();
    if known == 0 {
        return;
    }
    let (newest, half) = (history.newest(), out.len() / 2);
    let step = at as f64 - history.at(newest);
    let even =
        (1..=known).take_while(|k| newest >= *k && history.at(newest + 1 - k) - history.at(newest - k) == step).count();
    let rows = even.min(known);
    if rows < 2 {
        // The end of the window before, and its slope.
        let ratio = if newest > 0 { step / (history.at(newest) - history.at(newest - 1)) } else { 1.0 };
        for i in 0..half {
            let (a, b) = (history.value(newest, i), history.value(newest, half + i));
            (out[i], out[half + i]) = (a + b, b * ratio);
        }
        return;
    }
    let used = used(history, rows, out.len());
    out.iter_mut().enumerate().for_each(|(i, out)| *out = extrapolated(history, (newest, used), i));
}

/// How many of `rows` rows of equal distance are used: as many as would have met the newest one best.
fn used(history: &History, rows: usize, width: usize) -> usize {
    let (newest, tried) = (history.newest(), rows - 1);
    let missed = |k: usize| {
        let parts = (0..width).map(|i| (extrapolated(history, (newest - 1, k), i) - history.value(newest, i)).abs());
        parts.fold(0.0, f64::max)
    };
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
}
