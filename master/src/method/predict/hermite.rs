//! Hermite interpolation of a motion: through values and derivatives at the two newest communication points.
//!
//! H3: the cubic through `(x, v)` at both ends; H5: the quintic through `(x, v, a)`. With the end of the step known
//! (Gauss–Seidel, or a guess of the corrector) the coupling is of order 4 and 6; without, the same polynomials
//! extrapolate from the last step. Derivatives of the motion are those of its polynomial, so that `ξ̇ = dξ/dt` exactly.
//!
//! Notation: channel components 0, 1, 2 are x, v, a (each the time derivative of the one before).

use super::{Edge, Lagrange, Predictor, Stencil};
use crate::signal::history::History;
use crate::signal::segment::{Jet, Segment, interpolate};
use crate::time::Span;

/// Hermite polynomial with `jet` values at each of two points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hermite {
    /// Values used at a point: 2 for H3 (x, v), 3 for H5 (x, v, a).
    pub jet: usize,
}

impl Hermite {
    /// Cubic: (x, v) at both ends.
    pub const H3: Hermite = Hermite { jet: 2 };
    /// Quintic: (x, v, a) at both ends.
    pub const H5: Hermite = Hermite { jet: 3 };

    /// The cubic through (x, v) at two local times of a step of `length_s` seconds, the newest first, and its derivatives.
    pub(crate) fn cubic(s: [f64; 2], motion: [[f64; 2]; 2], length_s: f64, out: &mut [Segment]) {
        let jet = |j: usize| Jet { s: s[j], values: [motion[j][0], motion[j][1] * length_s, 0.0], len: 2 };
        through(&[jet(0), jet(1)], length_s, out);
    }
}

/// The polynomial through jets in local time, and its derivatives with respect to time.
#[inline]
fn through(jets: &[Jet], length_s: f64, out: &mut [Segment]) {
    let Some(motion) = out.first_mut() else { return };
    interpolate(jets, motion);
    for c in 1..out.len() {
        let (done, rest) = out.split_at_mut(c);
        done[c - 1].differentiate(length_s, &mut rest[0]);
    }
}

impl Predictor for Hermite {
    fn depth(&self) -> usize {
        // A signal without derivatives is met by a polynomial of the same degree through single values.
        2 * self.jet
    }

    fn edge(&self) -> Edge {
        Edge::BeforeLaw
    }

    fn components(&self) -> usize {
        self.jet
    }

    fn stencil(&self) -> Option<Stencil> {
        (self.jet == 2).then_some(Stencil::Motion)
    }

    fn segments(&self, history: &History, span: &Span, out: &mut [Segment]) {
        let known = self.jet.min(history.width()).min(3);
        if known < 2 {
            return Lagrange::new(2 * self.jet - 1).segments(history, span, out);
        }
        let lead = history.lead(span.to);
        let mut jets = [Jet { s: 0.0, values: [0.0; 3], len: known }; 2];
        let points = if lead > 0 { 2 } else { 1 };
        // Derivatives with respect to local time: one factor per order.
        let scale_s = span.length_s;
        for (j, jet) in jets[..points].iter_mut().enumerate() {
            jet.s = span.local(history.at(lead - j));
            let mut scale = 1.0;
            for c in 0..known {
                jet.values[c] = history.value(lead - j, c) * scale;
                scale *= scale_s;
            }
        }
        through(&jets[..points], span.length_s, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quintic_motion_is_met_between_its_ends() {
        let c = [0.3, -1.0, 0.7, 2.0, -0.4, 0.9];
        let (mut x, mut v, mut a) = (Segment::default(), Segment::default(), Segment::default());
        x.fill(5, |i| c[i]);
        x.differentiate(1.0, &mut v);
        v.differentiate(1.0, &mut a);
        let mut h = History::new(3, 6, 2);
        // A tick lasts 0.25 s.
        for k in [2, 4] {
            let t = 0.25 * k as f64;
            h.put(k, &[x.at(t), v.at(t), a.at(t)]);
        }
        let mut out = [Segment::default(); 3];
        Hermite::H5.segments(&h, &Span { from: 2, to: 4, length_s: 0.5 }, &mut out);
        for s in [0.0, 0.3, 1.0] {
            let t = 0.5 + 0.5 * s;
            assert!((out[0].at(s) - x.at(t)).abs() < 1e-13);
            assert!((out[1].at(s) - v.at(t)).abs() < 1e-12);
            assert!((out[2].at(s) - a.at(t)).abs() < 1e-11);
        }
    }
}
