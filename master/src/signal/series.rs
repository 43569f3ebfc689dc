//! A *series*: an input given over time by values, with lines between them. Two values of one time make a jump there;
//! before the first and after the last it is constant.

use crate::signal::segment::Segment;
use crate::time::{Span, Tick};

/// Values over time, at least one.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    times_s: Vec<f64>,
    values: Vec<f64>,
    is_held: bool,
}

impl Series {
    /// Of finite times that do not decrease, with a value each; `None` where there is none or the numbers differ.
    pub fn new(times_s: Vec<f64>, values: Vec<f64>) -> Option<Self> {
        let is_one = !times_s.is_empty() && times_s.len() == values.len() && times_s.is_sorted();
        is_one.then_some(Series { times_s, values, is_held: false })
    }

    /// The same, whose value at the start of a step holds over the step, as most importers feed an FMU.
    #[must_use]
    pub fn held(self) -> Self {
        Series { is_held: true, ..self }
    }

    /// The value at `t_s` \[s\]; at a jump the later one. Times that differ by rounding are one.
    ///
    /// ```
    /// use macrostep_master::Series;
    ///
    /// // A jump from 1 to 5 at 2 s.
    /// let force = Series::new(vec![0.0, 2.0, 2.0], vec![0.0, 1.0, 5.0]).ok_or("times that decrease")?;
    /// assert_eq!((force.before(2.0), force.at(2.0), force.at(1.0)), (1.0, 5.0, 0.5));
    /// # Ok::<(), &str>(())
    /// ```
    pub fn at(&self, t_s: f64) -> f64 {
        self.between(self.times_s.partition_point(|t| *t <= t_s + near_s(t_s)), t_s)
    }

    /// The value just before `t_s` \[s\]: at a jump the earlier one.
    pub fn before(&self, t_s: f64) -> f64 {
        self.between(self.times_s.partition_point(|t| *t < t_s - near_s(t_s)), t_s)
    }

    /// On the line that ends at row `after`.
    fn between(&self, after: usize, t_s: f64) -> f64 {
        let before = after.saturating_sub(1);
        match (self.times_s.get(after), self.values.get(after)) {
            (Some(t1), Some(b)) if after > 0 => {
                let (t0, a) = (self.times_s[before], self.values[before]);
                let (part, all) = ((t_s - t0) / (t1 - t0), b - a);
                // Between the largest numbers of both signs the difference is none.
                if all.is_finite() { a + all * part } else { a * (1.0 - part) + b * part }
            }
            _ => self.values[before],
        }
    }
}

/// What rounding may make of a time \[s\] that is n steps from another.
fn near_s(t_s: f64) -> f64 {
    1e-12 * t_s.abs()
}

/// A series on the way to an input.
pub(crate) struct SeriesFeed {
    pub series: std::sync::Arc<Series>,
    /// Place among the unit's inputs.
    pub place: usize,
}

impl SeriesFeed {
    /// The line over `span` between the values at its ends, or the value at its start where that is held.
    pub fn segment(&self, seconds: impl Fn(Tick) -> f64, span: &Span, input: &mut Segment) {
        let (a, b) = (self.series.at(seconds(span.from)), self.series.before(seconds(span.to)));
        if self.series.is_held {
            input.set_constant(a);
        } else {
            input.fill(1, |i| if i == 0 { a } else { b - a });
        }
    }

    /// A constant over the step between these times \[s\]: the value at its middle, or at its start where that is held.
    pub fn constant(&self, from_s: f64, to_s: f64) -> f64 {
        self.series.at(if self.series.is_held { from_s } else { 0.5 * (from_s + to_s) })
    }

    /// The slope over a step of `step_s` from `t_s` on \[s\], which ends before a jump at its end; 0 where a value is held.
    pub fn rate(&self, t_s: f64, step_s: f64) -> f64 {
        let change = self.series.before(t_s + step_s) - self.series.at(t_s);
        if self.series.is_held { 0.0 } else { change / step_s }
    }
}

#[cfg(test)]
mod tests {
    use super::Series;

    #[test]
    fn lines_and_jumps() {
        let series = Series::new(vec![1.0, 2.0, 2.0, 4.0], vec![10.0, 20.0, 5.0, 9.0]).expect("a series");
        for (t_s, before, at) in
            [(0.0, 10.0, 10.0), (1.5, 15.0, 15.0), (2.0, 20.0, 5.0), (3.0, 7.0, 7.0), (9.0, 9.0, 9.0)]
        {
            assert_eq!((series.before(t_s), series.at(t_s)), (before, at), "{t_s}");
        }
        // 3 · 0.1 s, not quite 0.3 s.
        let series = Series::new(vec![0.0, 0.3, 0.3], vec![1.0, 1.0, 5.0]).expect("a series");
        assert_eq!((series.before(3.0 * 0.1), series.at(3.0 * 0.1), series.at(0.3)), (1.0, 5.0, 5.0));
        // Between the largest numbers.
        let series = Series::new(vec![0.0, 4.0], vec![-1.5e308, 1.5e308]).expect("a series");
        assert_eq!((series.at(1.0), series.at(2.0), series.before(4.0)), (-0.75e308, 0.0, 1.5e308));
        assert_eq!(Series::new(vec![1.0, 0.0], vec![0.0; 2]), None);
        assert_eq!(Series::new(Vec::new(), Vec::new()), None);
    }
}
