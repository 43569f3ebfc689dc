//! The mean over the step: a constant that is made of both ends of the step, for a corrector that finds the end.
//!
//! ```text
//! x̃ = (x_N + x_{N+1})/2,   ṽ = (x_{N+1} − x_N)/H,   ã = (v_{N+1} − v_N)/H, …
//! ```
//!
//! The first component of a channel is the mean of its two values, each further one the mean rate of the one before, which is its mean over
//! the step. The law is applied to these means. Order 2.
//!
//! A linear spring with a damper (k, c) between two ports makes no energy by it, however stiff it is. With d the difference of the positions,
//! d̄ = (d_N + d_{N+1})/2 and Δd = d_{N+1} − d_N, the force is constant over the step and
//!
//! ```text
//! f = k d̄ + c Δd/H:   work on both ports  −f Δd = −k (d²_{N+1} − d²_N)/2 − c Δd²/H
//! ```
//!
//! so that the first part is what the spring loses, and the second is never positive. This is Newmark's average acceleration (γ = 1/2, β = 1/4)
//! for a mass by itself; a line between both ends (β = 1/6) grows where the link is stiff over the step. Where a unit owns the spring, its port gets
//! d̄ and Δd/H of the other side, and the same sum results.
//!
//! Where the end is not known the newest value is held. Reference: \[Newmark 1959\].

use super::{Edge, Predictor};
use crate::signal::history::History;
use crate::signal::segment::Segment;
use crate::time::Span;

/// The mean over the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mean;

impl Predictor for Mean {
    fn depth(&self) -> usize {
        2
    }

    fn edge(&self) -> Edge {
        Edge::BeforeLaw
    }

    fn segments(&self, history: &History, span: &Span, out: &mut [Segment]) {
        let end = history.lead(span.to);
        let is_known = history.at(end) >= span.to as f64 && end > 0;
        // The sample at the start, or the last one before it.
        let start = history.not_after(span.from).min(end.saturating_sub(1));
        let length_s = span.length_s * (history.at(end) - history.at(start)) / (span.to - span.from) as f64;
        for (c, p) in out.iter_mut().enumerate() {
            p.set_constant(match c {
                _ if !is_known => history.value(end, c),
                0 => 0.5 * (history.value(start, 0) + history.value(end, 0)),
                _ => (history.value(end, c - 1) - history.value(start, c - 1)) / length_s,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x = t²: the mean of both ends, and the rate of the line through them; without the end, what is known.
    #[test]
    fn both_ends_count() {
        let span = Span { from: 3, to: 4, length_s: 0.5 };
        let mut history = History::new(2, 2, 2);
        for k in 2..=3 {
            let t = 0.5 * k as f64;
            history.put(k, &[t * t, 2.0 * t]);
        }
        let mut out = [Segment::default(), Segment::default()];
        Mean.segments(&history, &span, &mut out);
        assert_eq!([out[0].at(0.3), out[1].at(0.3)], [2.25, 3.0]);
        history.put(4, &[4.0, 4.0]);
        Mean.segments(&history, &span, &mut out);
        assert_eq!([out[0].at(0.3), out[1].at(0.7)], [3.125, 3.5]);
    }
}
