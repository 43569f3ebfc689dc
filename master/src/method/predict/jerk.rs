//! Jerk-aided prediction: acceleration *and* its rate at the n newest communication points, 2 or 3.
//!
//! ```text
//! ã(s) = Hermite polynomial of degree 2n − 1 through (a, ȧ) at T_N, …, T_{N−n+1};   first step: a_N + ȧ_N H s
//! ṽ(s) = v_N + H ∫₀ˢ ã,    x̃(s) = x_N + H ∫₀ˢ ṽ
//! ```
//!
//! Two points carry what integrated acceleration of degree 3 needs four for, so that the scheme starts by itself and the
//! extrapolation spans one step only. A body known at the end of the step (Gauss–Seidel) is the quintic Hermite polynomial
//! through (x, v, a) at both ends. Local error of the predicted position O(H^(2n+2)); global order 5 with two
//! points, and 6 with three in Gauss–Seidel, where the quintic is what is left. Feed-through outputs are sampled with the inputs' values *and* rates
//! ([`Predictor::rates`]), because ȧ follows the rate of a force.
//!
//! | symbol | here | unit |
//! |---|---|---|
//! | x, v, a, ȧ | components 0 … 3 of the channel | m, m/s, m/s², m/s³ (or any quantity and its derivatives) |
//! | s | local time (t − T_N)/H | 1 |
//!
//! The idea of integrating a predicted acceleration is that of \[Li 2019\]; the Hermite polynomial of the acceleration is
//! ours.

use super::{Edge, Hermite, IntegratedAcceleration, Predictor, Variant};
use crate::signal::history::History;
use crate::signal::segment::{Jet, Segment, interpolate};
use crate::time::Span;

/// Predicts a motion by a Hermite polynomial of its acceleration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Jerk {
    /// Communication points, 1 … 3, default 2.
    pub points: usize,
}

/// Two points.
impl Default for Jerk {
    fn default() -> Self {
        Jerk { points: 2 }
    }
}

/// Most points.
const POINTS_MAX: usize = 3;

impl Predictor for Jerk {
    fn depth(&self) -> usize {
        // A motion without jerk is met by integrated acceleration, and a plain value by a line through two.
        self.points.max(3)
    }

    fn edge(&self) -> Edge {
        Edge::BeforeLaw
    }

    fn components(&self) -> usize {
        4
    }

    fn rates(&self) -> bool {
        true
    }

    fn segments(&self, history: &History, span: &Span, out: &mut [Segment]) {
        // A signal without a rate of acceleration.
        if history.width() < 4 {
            let without = IntegratedAcceleration { degree: 1, variant: Variant::H5 };
            return without.segments(history, span, out);
        }
        // A body known at the step's end: the quintic through both ends.
        let lead = history.lead(span.to);
        if lead > 0 && history.at(lead) >= span.to as f64 {
            return Hermite::H5.segments(history, span, out);
        }
        // ã: Hermite polynomial through (a, ȧ) of the newest points, as many as there are.
        let mut jets = [Jet { s: 0.0, values: [0.0; 3], len: 2 }; POINTS_MAX];
        let points = self.points.clamp(1, POINTS_MAX).min(lead + 1);
        for (j, jet) in jets[..points].iter_mut().enumerate() {
            jet.s = span.local(history.at(lead - j));
            jet.values = [history.value(lead - j, 2), history.value(lead - j, 3) * span.length_s, 0.0];
        }
        // ṽ and x̃ by integration from the newest point; components after a are its derivatives.
        let [x, v, a, rest @ ..] = out else { return };
        interpolate(&jets[..points], a);
        a.integrate(span.length_s, jets[0].s, history.value(lead, 1), v);
        v.integrate(span.length_s, jets[0].s, history.value(lead, 0), x);
        let mut last: &Segment = a;
        for next in rest {
            last.differentiate(span.length_s, next);
            last = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x = t⁵ has a cubic acceleration, which two points meet; one point meets x = t³.
    #[test]
    fn a_motion_of_cubic_acceleration_is_met() {
        let quintic = |t: f64| [t.powi(5), 5.0 * t.powi(4), 20.0 * t.powi(3), 60.0 * t * t];
        let cubic = |t: f64| [t.powi(3), 3.0 * t * t, 6.0 * t, 6.0];
        let span = Span { from: 1, to: 2, length_s: 0.5 };
        let check = |h: &History, motion: &dyn Fn(f64) -> [f64; 4]| {
            let mut out = [Segment::default(); 4];
            Jerk::default().segments(h, &span, &mut out);
            for s in [0.0, 0.5, 1.0] {
                for (p, expected) in out.iter().zip(motion(0.5 + 0.5 * s)) {
                    assert!((p.at(s) - expected).abs() < 1e-12, "{s}: {} {expected}", p.at(s));
                }
            }
        };
        let mut h = History::new(4, 4, 2);
        h.put(1, &cubic(0.5));
        check(&h, &cubic);
        let mut h = History::new(4, 4, 2);
        h.put(0, &quintic(0.0));
        h.put(1, &quintic(0.5));
        check(&h, &quintic);
        h.put(2, &quintic(1.0));
        check(&h, &quintic);
    }
}
