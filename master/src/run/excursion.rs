//! *Excursions*: a function of an event crosses zero and comes back within one window, which its values at both ends do not
//! show.
//!
//! What is known inside a window: rows of its outputs at nodes of dense output or at the ends of shorter steps, and between two
//! rows the cubic through g and ġ at both, where all outputs of g have a declared derivative. A piece whose cubic comes closer to
//! zero than half of what it dips by is worth a look: the window is repeated up to there.

use crate::signal::history::History;
use crate::system::event::Event;
use crate::time::Clock;

/// A dip is looked at where it comes as close to zero as this part of its depth: a cubic is not the function.
const CLOSE: f64 = 0.5;

/// g and ġ at an instant, counted in (broken) ticks.
struct Point {
    at: f64,
    value: f64,
    rate: Option<f64>,
}

impl Event {
    /// The first instant after `from`, in ticks, at which g has or may have left its `side` though it is on it at the end of
    /// the window, which is the newest row.
    pub(crate) fn excursion(&self, side: i8, histories: &[History], clock: Clock, from: f64) -> Option<f64> {
        let first = &histories[self.terms.first()?.0.channel];
        let tick_s = clock.unit_s / clock.per_unit as f64;
        let mut before: Option<Point> = None;
        for i in 0..first.len() {
            // A row that all outputs have.
            let at = first.at(i);
            let Some(mut point) = (at >= from).then(|| self.point(histories, at)).flatten() else { continue };
            point.value *= f64::from(side);
            point.rate = point.rate.map(|rate| rate * f64::from(side) * tick_s);
            if let Some(before) = before {
                let dip = dip(&before, &point);
                if dip.is_some() || (point.value <= 0.0 && i + 1 < first.len()) {
                    return dip.or(Some(at));
                }
            }
            before = Some(point);
        }
        None
    }

    /// g, and its rate per second, at a row.
    fn point(&self, histories: &[History], at: f64) -> Option<Point> {
        let (mut value, mut rate) = (-self.threshold, Some(0.0));
        for (signal, factor) in &self.terms {
            let history = &histories[signal.channel];
            let row = history.row(history.find_at(at)?);
            value += factor * row[signal.component];
            rate = rate.zip(row.get(signal.component + 1)).map(|(sum, rate)| sum + factor * rate);
        }
        Some(Point { at, value, rate })
    }
}

/// Where the cubic between two points is lowest, if that is inside and close to zero or below.
fn dip(start: &Point, end: &Point) -> Option<f64> {
    let length = end.at - start.at;
    let [p, q] = [start.rate? * length, end.rate? * length];
    // start + p s + c s² + d s³ with the value and the rate of the end at s = 1.
    let rise = end.value - start.value;
    let (c, d) = (3.0 * rise - 2.0 * p - q, p + q - 2.0 * rise);
    // The root of p + 2 c s + 3 d s² from falling to rising, without cancellation.
    let root = c * c - 3.0 * d * p;
    if root < 0.0 {
        return None;
    }
    let s = if c > 0.0 { -p / (c + root.sqrt()) } else { (root.sqrt() - c) / (3.0 * d) };
    let lowest = start.value + s * (p + s * (c + s * d));
    let depth = start.value.min(end.value) - lowest;
    (s > 0.0 && s < 1.0 && depth > 0.0 && lowest <= CLOSE * depth).then_some(start.at + s * length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(f: impl Fn(f64) -> [f64; 2], from: f64, to: f64) -> Option<f64> {
        let [start, end] = [from, to].map(|at| Point { at, value: f(at)[0], rate: Some(f(at)[1]) });
        dip(&start, &end)
    }

    #[test]
    fn dips_of_parabolas_cubics_and_sines_are_where_they_are() {
        // (t − 3)² + e: lowest at 3; looked at where e is at most half of what it dips by.
        let parabola = |e: f64| move |t: f64| [(t - 3.0).powi(2) + e, 2.0 * (t - 3.0)];
        for e in [-0.5, 0.0, 0.49] {
            let found = between(parabola(e), 2.0, 5.0).expect("a dip");
            assert!((found - 3.0).abs() < 1e-12, "{e}: {found}");
        }
        assert_eq!((between(parabola(0.6), 2.0, 5.0), between(parabola(-0.5), 3.5, 5.0)), (None, None));
        // t³ − t: lowest at 1/√3; seen the other way round it has no dip there.
        let found = between(|t| [t * t * t - t, 3.0 * t * t - 1.0], 0.0, 1.2).expect("a dip");
        assert!((found - 3f64.sqrt().recip()).abs() < 1e-12, "{found}");
        assert_eq!(between(|t| [t - t * t * t, 1.0 - 3.0 * t * t], 0.0, 1.0), None);
        // A sine over half its period.
        let found = between(|t| [0.9 - t.sin(), -t.cos()], 0.0, 3.1).expect("a dip");
        assert!((found - std::f64::consts::FRAC_PI_2).abs() < 0.05, "{found}");
        // A line, and nothing.
        assert_eq!((between(|t| [1.0 - t, -1.0], 0.0, 0.9), between(|_| [1.0, 0.0], 0.0, 1.0)), (None, None));
    }
}
