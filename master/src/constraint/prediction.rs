//! What the force of a joint is expected to be in the window to come.

use crate::history::History;
use crate::time::Tick;

/// Rows of (a, b) that the next ones are extrapolated from.
pub(crate) const DEPTH: usize = 6;

/// What is expected of (a, b) at the end of the window to come, from the windows before.
pub(crate) fn expected(history: &History, at: Tick, out: &mut [f64]) {
    out.fill(0.0);
    // The row at tick 0 stands for the start alone.
    let known = (0..history.len()).rev().take(DEPTH).take_while(|i| history.at(*i) > 0.0).count();
    if known == 0 {
        return;
    }
    let (newest, half) = (history.newest(), out.len() / 2);
    let step = at as f64 - history.at(newest);
    let even =
        (1..=known).take_while(|k| newest >= *k && history.at(newest + 1 - k) - history.at(newest - k) == step).count();
    let weights: &[f64] = match even.min(known) {
        0 | 1 => {
            // The end of the window before, and its slope.
            let ratio = if newest > 0 { step / (history.at(newest) - history.at(newest - 1)) } else { 1.0 };
            for i in 0..half {
                let (a, b) = (history.value(newest, i), history.value(newest, half + i));
                (out[i], out[half + i]) = (a + b, b * ratio);
            }
            return;
        }
        2 => &[2.0, -1.0],
        3 => &[3.0, -3.0, 1.0],
        4 => &[4.0, -6.0, 4.0, -1.0],
        5 => &[5.0, -10.0, 10.0, -5.0, 1.0],
        _ => &[6.0, -15.0, 20.0, -15.0, 6.0, -1.0],
    };
    for (k, weight) in weights.iter().enumerate() {
        out.iter_mut().zip(history.row(newest - k)).for_each(|(out, value)| *out += weight * value);
    }
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
