//! Real inputs that the outer tool holds over its steps, extrapolated by a line through the last two values it gave.

use serde::{Deserialize, Serialize};

/// Values at a communication point: time \[s\], and one for each real input.
type Point = (f64, Vec<f64>);

/// The values at the last two communication points at which a step began.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Extrapolation {
    before: Option<Point>,
    last: Option<Point>,
}

impl Extrapolation {
    /// A step begins at `t_s` with these values.
    pub fn begin(&mut self, t_s: f64, values: Vec<f64>) {
        self.before = self.last.take().filter(|(before_s, _)| *before_s < t_s);
        self.last = Some((t_s, values));
    }

    /// The change of an input over the step before, in its unit per second.
    pub fn slope(&self, i: usize) -> f64 {
        let (Some((before_s, before)), Some((last_s, last))) = (&self.before, &self.last) else { return 0.0 };
        (last[i] - before[i]) / (last_s - before_s)
    }

    /// Whether these values are those at the beginning of the last step, so that none was set since.
    pub fn knows(&self, mut values: impl Iterator<Item = f64>) -> bool {
        self.last.as_ref().is_some_and(|(_, last)| last.iter().all(|x| values.next() == Some(*x)))
    }
}
