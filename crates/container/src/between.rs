//! Outputs between two points of the grid inside: the run inside has gone to the second one, and the outer master has not.
//!
//! With s = (t − t₀)/h from 0 to 1 over the last window, of length h, values y₀, y₁ and derivatives d₀, d₁ at its ends:
//! ```text
//! y(t) = y₀ + s (y₁ − y₀)                                                          a line
//! y(t) = y₀ + s (y₁ − y₀) + s (1 − s) [(1 − s) (h d₀ − (y₁ − y₀)) − s (h d₁ − (y₁ − y₀))]    cubic Hermite
//! ```
//! The cubic needs both derivatives, of units that give them. Its error is h⁴/384 of the largest fourth derivative, that of the line h²/8
//! of the second.

use macrostep_master::record::Observer;
use serde::{Deserialize, Serialize};

/// Outputs at a point of the grid.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Row {
    /// Time \[s\].
    pub t_s: f64,
    /// Of each output; booleans and integers as numbers, 0 for texts.
    pub values: Vec<f64>,
    /// Texts with their places.
    pub texts: Vec<(usize, String)>,
    /// Derivatives of real outputs, in their unit per second, where the unit gives them.
    pub rates: Vec<Option<f64>>,
}

impl Observer for Row {
    fn row(&mut self, t_s: f64, values: &[f64]) {
        self.t_s = t_s;
        self.values = values.to_vec();
    }

    fn texts(&mut self, texts: &[(usize, String)]) {
        self.texts = texts.to_vec();
    }
}

/// The last window of a run that is ahead of the outer master.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Between {
    pub before: Row,
    pub after: Row,
}

impl Between {
    /// Part of the window that is over at a time.
    fn part(&self, t_s: f64) -> f64 {
        ((t_s - self.before.t_s) / (self.after.t_s - self.before.t_s)).clamp(0.0, 1.0)
    }

    /// Its length \[s\], and of a real output: the change over it and, with derivatives, how both of these differ from its slope.
    fn shape(&self, i: usize) -> (f64, f64, Option<[f64; 2]>) {
        let (before, after) = (&self.before, &self.after);
        let (h, change) = (after.t_s - before.t_s, after.values[i] - before.values[i]);
        let rate = |row: &Row| row.rates.get(i).copied().flatten();
        let bends = rate(before).zip(rate(after)).map(|(d0, d1)| [h * d0 - change, h * d1 - change]);
        (h, change, bends)
    }

    /// A real output at a time.
    pub fn value(&self, i: usize, t_s: f64) -> f64 {
        let (s, (_, change, bends)) = (self.part(t_s), self.shape(i));
        let line = self.before.values[i] + s * change;
        line + bends.map_or(0.0, |[a, b]| s * (1.0 - s) * ((1.0 - s) * a - s * b))
    }

    /// Its derivative, in its unit per second.
    pub fn rate(&self, i: usize, t_s: f64) -> f64 {
        let (s, (h, change, bends)) = (self.part(t_s), self.shape(i));
        let bend = bends.map_or(0.0, |[a, b]| (1.0 - s) * (1.0 - 3.0 * s) * a - s * (2.0 - 3.0 * s) * b);
        (change + bend) / h
    }
}

#[cfg(test)]
mod tests {
    use super::{Between, Row};

    /// A cubic is itself, with its derivative; without derivatives it is its chord.
    #[test]
    fn a_cubic_is_met() {
        let y = |t: f64| 2.0 - t + 3.0 * t * t - 0.5 * t * t * t;
        let d = |t: f64| -1.0 + 6.0 * t - 1.5 * t * t;
        let row = |t: f64, known: bool| Row {
            t_s: t,
            values: vec![y(t)],
            texts: Vec::new(),
            rates: vec![known.then(|| d(t))],
        };
        let cubic = Between { before: row(0.7, true), after: row(1.1, true) };
        let line = Between { before: row(0.7, true), after: row(1.1, false) };
        for t in [0.7, 0.75, 0.9, 1.0, 1.1] {
            assert!((cubic.value(0, t) - y(t)).abs() < 1e-14 && (cubic.rate(0, t) - d(t)).abs() < 1e-13, "{t}");
            let chord = y(0.7) + (t - 0.7) / 0.4 * (y(1.1) - y(0.7));
            assert!((line.value(0, t) - chord).abs() < 1e-14, "{t}");
        }
    }
}
