//! Integrated acceleration of degree k.
//!
//! The accelerations of the coupling bodies are extrapolated, and the motion is what they integrate to:
//!
//! ```text
//! ã(s) = polynomial of degree k through a at s = 0, −1, …, −k
//! ṽ(s) = v_N + H ∫₀ˢ ã,    x̃(s) = x_N + H ∫₀ˢ ṽ
//! ```
//!
//! so that the state at T_N is met exactly and a force follows from predicted motions through the coupling law. The
//! accelerations must be those of the true coupling force at T_N (sampling "updated"); with stale ones the order
//! survives and the gain in stability does not. Global order k + 2, local orders k + 4 (position) and k + 3 (velocity).
//!
//! In a Gauss–Seidel schedule the first body is known at T_{N+1}; what is made of that is a [`Variant`]; the second body
//! stays predicted.
//!
//! | symbol | here | unit |
//! |---|---|---|
//! | x, v, a | components 0, 1, 2 of the channel | m, m/s, m/s² (or any quantity and its derivatives) |
//! | s | local time (t − T_N)/H | 1 |
//!
//! Reference: \[Li 2019\], abstract and appendix 1; the formulas are worked out from it.

use super::{Edge, Hermite, Lagrange, Predictor};
use crate::signal::history::History;
use crate::signal::segment::{DEGREE_MAX, Jet, Segment, interpolate};
use crate::time::Span;

/// The polynomial for a motion that a Gauss–Seidel schedule knows at the end of the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Variant {
    /// ã through T_{N+1}, integrated from T_N.
    N0,
    /// ã through T_{N+1}, integrated from T_{N+1} backwards.
    N1,
    /// Cubic Hermite through (x, v) at both ends.
    #[default]
    H3,
    /// Quintic Hermite through (x, v, a) at both ends.
    H5,
}

/// Integrated acceleration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntegratedAcceleration {
    /// Degree k of the acceleration polynomial.
    pub degree: usize,
    /// What is made of a known end.
    pub variant: Variant,
}

impl IntegratedAcceleration {
    /// Degree `degree`, variant H3.
    pub fn new(degree: usize) -> Self {
        IntegratedAcceleration { degree: degree.min(DEGREE_MAX - 4), variant: Variant::H3 }
    }
}

impl Predictor for IntegratedAcceleration {
    fn depth(&self) -> usize {
        (self.degree + 2).max(2)
    }

    fn edge(&self) -> Edge {
        Edge::BeforeLaw
    }

    fn components(&self) -> usize {
        3
    }

    fn segments(&self, history: &History, span: &Span, out: &mut [Segment]) {
        if history.width() < 3 {
            // A signal that is no motion: the classical polynomial of the same order.
            return Lagrange::new(self.degree + 1).segments(history, span, out);
        }
        // A body known at the step's end: the variant says whether its motion is interpolated.
        let lead = history.lead(span.to);
        let end_known = history.at(lead) >= span.to as f64 && lead > 0;
        match (self.variant, end_known) {
            (Variant::H3, true) => return Hermite::H3.segments(history, span, out),
            (Variant::H5, true) => return Hermite::H5.segments(history, span, out),
            _ => {}
        }
        // The motion is met at the step's start, or for N1 at the newest sample there is.
        let anchor = if self.variant == Variant::N1 { lead } else { history.not_after(span.from) };
        // ã: accelerations of the newest samples, as many as there are up to k + 1.
        let mut jets = [Jet { s: 0.0, values: [0.0; 3], len: 1 }; DEGREE_MAX + 1];
        let degree = self.degree.min(lead);
        for (j, jet) in jets[..=degree].iter_mut().enumerate() {
            jet.s = span.local(history.at(lead - j));
            jet.values[0] = history.value(lead - j, 2);
        }
        // ṽ and x̃ by integration from the anchor.
        let s = span.local(history.at(anchor));
        let [x, v, a, ..] = out else { return };
        interpolate(&jets[..=degree], a);
        a.integrate(span.length_s, s, history.value(anchor, 1), v);
        v.integrate(span.length_s, s, history.value(anchor, 0), x);
        // Components after a are its derivatives.
        for c in 3..out.len() {
            let (done, rest) = out.split_at_mut(c);
            done[c - 1].differentiate(span.length_s, &mut rest[0]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x = t⁴ has the acceleration 12 t², which degree 2 meets.
    #[test]
    fn a_motion_of_polynomial_acceleration_is_met() {
        let motion = |t: f64| [t.powi(4), 4.0 * t.powi(3), 12.0 * t * t];
        let mut h = History::new(3, 4, 2);
        for k in -1..=1 {
            h.put(k, &motion(0.5 * k as f64));
        }
        let span = Span { from: 1, to: 2, length_s: 0.5 };
        let mut out = [Segment::default(); 3];
        let check = |out: &[Segment; 3]| {
            for s in [0.0, 0.5, 1.0] {
                for (p, expected) in out.iter().zip(motion(0.5 + 0.5 * s)) {
                    assert!((p.at(s) - expected).abs() < 1e-12);
                }
            }
        };
        IntegratedAcceleration::new(2).segments(&h, &span, &mut out);
        check(&out);
        h.put(2, &motion(1.0));
        for variant in [Variant::N0, Variant::N1, Variant::H5] {
            IntegratedAcceleration { degree: 2, variant }.segments(&h, &span, &mut out);
            check(&out);
        }
    }
}
