//! Classical polynomial extrapolation of degree k.
//!
//! `p(s)` is the polynomial through the samples at `s = 0, −1, …, −k`, with `s = (t − T_N)/H`; where the sample at
//! `s = 1` is known, through `s = 1, 0, …, −(k − 1)` (for k = 0: the end value). Any spacing of the samples will do.
//!
//! References: \[Schweizer 2015\]; \[LIM 2021\], section 2.1 for the two ways to come by the derivative of a displacement.

use super::{Edge, Predictor, Stencil};
use crate::signal::history::History;
use crate::signal::segment::{DEGREE_MAX, Jet, Segment, interpolate, interpolate_values};
use crate::time::Span;

/// Where the prediction of a motion's derivatives comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Derivative {
    /// Each component is extrapolated from its own samples.
    #[default]
    Passed,
    /// Component n + 1 is the derivative of component n's polynomial; what the slave said of it is not used.
    Differentiated,
}

/// Polynomial of degree `degree`: 0 hold, 1 linear, 2 quadratic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lagrange {
    /// Degree k, up to 20.
    pub degree: usize,
    /// What becomes of derivatives.
    pub derivative: Derivative,
}

impl Lagrange {
    /// Degree `degree`, derivatives passed.
    pub fn new(degree: usize) -> Self {
        Lagrange { degree: degree.min(DEGREE_MAX - 2), derivative: Derivative::Passed }
    }
}

impl Predictor for Lagrange {
    fn depth(&self) -> usize {
        self.degree + 1
    }

    fn edge(&self) -> Edge {
        Edge::AfterLaw
    }

    fn holds(&self) -> bool {
        self.degree == 0 && self.derivative == Derivative::Passed
    }

    fn stencil(&self) -> Option<Stencil> {
        match (self.degree, self.derivative) {
            (1, Derivative::Passed) => Some(Stencil::Line),
            (2, Derivative::Passed) => Some(Stencil::Parabola),
            _ => None,
        }
    }

    #[inline]
    fn segments(&self, history: &History, span: &Span, out: &mut [Segment]) {
        let lead = history.lead(span.to);
        let degree = self.degree.min(lead);
        let points = Points { history, span, lead, degree };
        if self.derivative == Derivative::Differentiated {
            points.component(0, &mut out[0]);
            for c in 1..out.len() {
                let (done, rest) = out.split_at_mut(c);
                done[c - 1].differentiate(span.length_s, &mut rest[0]);
            }
            return;
        }
        if degree == 2 {
            return parabolas(history, span, lead, out);
        }
        for (c, segment) in out.iter_mut().enumerate() {
            points.component(c, segment);
        }
    }
}

/// The polynomials of all components through row `lead` and the two before it.
fn parabolas(history: &History, span: &Span, lead: usize, out: &mut [Segment]) {
    let s = [0, 1, 2].map(|j| span.local(history.at(lead - j)));
    let [y0, y1, y2] = [0, 1, 2].map(|j| history.row(lead - j));
    for (c, segment) in out.iter_mut().enumerate() {
        interpolate_values(s, [y0[c], y1[c], y2[c]], segment);
    }
}

/// The line through two values, the newest first: `p(s) = y_1 + (y_1 − y_0)/(s_1 − s_0)·(s − s_1)`.
#[inline]
pub(crate) fn line([s1, s0]: [f64; 2], [y1, y0]: [f64; 2], out: &mut Segment) {
    let slope = (y1 - y0) / (s1 - s0);
    out.fill(1, |i| if i == 0 { y1 - slope * s1 } else { slope });
}

/// Row `lead` and the `degree` rows before it, for a polynomial over a span.
struct Points<'a> {
    history: &'a History,
    span: &'a Span,
    lead: usize,
    degree: usize,
}

impl Points<'_> {
    /// The polynomial of component `c` through them.
    #[inline]
    fn component(&self, c: usize, out: &mut Segment) {
        let Points { history, span, lead, degree } = *self;
        if degree == 0 {
            out.set_constant(history.value(lead, c));
            return;
        }
        if degree == 1 {
            let (s, y) = ([0, 1].map(|j| span.local(history.at(lead - j))), [0, 1].map(|j| history.value(lead - j, c)));
            return line(s, y, out);
        }
        let mut jets = [Jet { s: 0.0, values: [0.0; 3], len: 1 }; DEGREE_MAX + 1];
        for (j, jet) in jets[..=degree].iter_mut().enumerate() {
            jet.s = span.local(history.at(lead - j));
            jet.values[0] = history.value(lead - j, c);
        }
        interpolate(&jets[..=degree], out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn history_of(p: &Segment, ticks: &[i64]) -> History {
        let mut h = History::new(2, 8, 2);
        for &k in ticks {
            h.put(k, &[p.at(k as f64), 0.5 * p.at(k as f64)]);
        }
        h
    }

    proptest! {
        #[test]
        fn a_polynomial_of_the_degree_is_met_everywhere(c in prop::collection::vec(-2.0f64..2.0, 5), degree in 0usize..5) {
            let mut p = Segment::default();
            p.fill(degree, |i| c[i]);
            let h = history_of(&p, &[-9, -7, -4, -2, 0]);
            let span = Span { from: 0, to: 3, length_s: 0.3 };
            let mut out = [Segment::default(); 2];
            Lagrange::new(degree).segments(&h, &span, &mut out);
            for s in [-1.0, 0.0, 0.4, 1.0] {
                prop_assert!((out[0].at(s) - p.at(3.0 * s)).abs() < 1e-9);
                prop_assert!((out[1].at(s) - 0.5 * p.at(3.0 * s)).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn a_known_end_is_interpolated_and_a_short_history_ramps() {
        let mut p = Segment::default();
        p.fill(2, |i| [1.0, -2.0, 3.0][i]);
        let h = history_of(&p, &[0, 1]);
        let span = Span { from: 0, to: 1, length_s: 1.0 };
        let mut out = [Segment::default(); 2];
        Lagrange::new(2).segments(&h, &span, &mut out);
        assert_eq!(out[0].degree(), 1);
        assert!((out[0].at(0.0) - p.at(0.0)).abs() < 1e-14 && (out[0].at(1.0) - p.at(1.0)).abs() < 1e-14);
        Lagrange::new(0).segments(&h, &span, &mut out);
        assert_eq!(out[0].at(0.0), p.at(1.0));
        Lagrange { degree: 1, derivative: Derivative::Differentiated }.segments(&h, &span, &mut out);
        assert!((out[1].at(0.5) - (p.at(1.0) - p.at(0.0))).abs() < 1e-14);
    }
}
