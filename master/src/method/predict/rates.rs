//! Values and their rates at the newest communication point: a line with the rate of the signal there.
//!
//! ```text
//! p(s) = y_N + H ẏ_N s,      s = (t − T_N)/H
//! ```
//!
//! ẏ_N is the next component of a channel (a declared derivative, or what `fmi2GetRealOutputDerivatives` says); of the last
//! component, which has none, it is that of the polynomial through the three newest values. Where the end of the step is
//! known, the line goes through the values at both ends. Order 2, as of linear extrapolation, whose line has the slope of the
//! step before: its error over a step is 5/12 H³ ÿ, with the rate it is 1/6 H³ ÿ.

use super::{Edge, Lagrange, Predictor};
use crate::signal::history::History;
use crate::signal::segment::{Jet, Segment, interpolate};
use crate::time::Span;

/// Components of a motion that are made use of.
const COMPONENTS: usize = 3;

/// Values and rates at one point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rates;

impl Predictor for Rates {
    fn depth(&self) -> usize {
        3
    }

    fn edge(&self) -> Edge {
        Edge::BeforeLaw
    }

    fn components(&self) -> usize {
        COMPONENTS
    }

    fn segments(&self, history: &History, span: &Span, out: &mut [Segment]) {
        let lead = history.lead(span.to);
        // A known end.
        if history.at(lead) >= span.to as f64 && lead > 0 {
            return Lagrange::new(1).segments(history, span, out);
        }
        let s = span.local(history.at(lead));
        for (c, p) in out.iter_mut().enumerate() {
            let rate = if c + 1 < history.width() {
                history.value(lead, c + 1) * span.length_s
            } else {
                slope(history, span, lead, c)
            };
            let value = history.value(lead, c);
            p.fill(1, |i| if i == 0 { value - rate * s } else { rate });
        }
    }
}

/// Slope at row `lead`, in local time, of the polynomial through it and the two rows before, or as many as there are.
fn slope(history: &History, span: &Span, lead: usize, c: usize) -> f64 {
    let rows = lead.min(2) + 1;
    let mut jets = [Jet { s: 0.0, values: [0.0; 3], len: 1 }; 3];
    for (j, jet) in jets[..rows].iter_mut().enumerate() {
        jet.s = span.local(history.at(lead - j));
        jet.values[0] = history.value(lead - j, c);
    }
    let (mut p, mut rate) = (Segment::default(), Segment::default());
    interpolate(&jets[..rows], &mut p);
    p.differentiate(1.0, &mut rate);
    rate.at(jets[0].s)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// y = t² with its rate, and without: the slope at the newest sample is exact either way.
    #[test]
    fn the_slope_is_that_of_the_newest_sample() {
        let span = Span { from: 3, to: 4, length_s: 0.5 };
        for width in [1, 2] {
            let mut history = History::new(width, 3, 2);
            for k in 1..=3 {
                let t = 0.5 * k as f64;
                history.put(k, &[t * t, 2.0 * t][..width]);
            }
            let mut out = [Segment::default(), Segment::default()];
            Rates.segments(&history, &span, &mut out[..width]);
            for s in [0.0, 0.5, 1.0] {
                assert!((out[0].at(s) - (2.25 + 3.0 * 0.5 * s)).abs() < 1e-14, "{width} {s}");
                assert!(width == 1 || (out[1].at(s) - (3.0 + s)).abs() < 1e-14, "{s}");
            }
            // A known end is met.
            history.put(4, &[5.0, 4.0][..width]);
            Rates.segments(&history, &span, &mut out[..width]);
            assert!((out[0].at(0.0) - 2.25).abs() < 1e-14 && (out[0].at(1.0) - 5.0).abs() < 1e-14);
        }
    }
}
