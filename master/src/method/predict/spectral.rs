//! Spectral waveforms: polynomials of degree q through the q + 1 Chebyshev–Lobatto nodes of a step.
//!
//! ```text
//! s_i = (1 − cos(π i/q))/2,  i = 0 … q
//! p(s) = Σ_k a_k T_k(2s − 1),   a_k = (2 γ_k/q) Σ″_i y_i T_k(2 s_i − 1),   γ_0 = γ_q = 1/2, else 1
//! ```
//!
//! (Σ″: first and last term halved). The samples inside a step come from the slave's dense output ([`Predictor::nodes`]) or
//! from a corrector's guess; with a corrector the converged window is the collocation solution of degree q, and the error
//! falls with q as fast as the Chebyshev coefficients of the motion do. Nodes go over the coefficients a_k to powers of s,
//! whose T_k are whole numbers: Newton's divided differences would lose eight digits at q = 16.
//!
//! Where the step is not known to its end a motion goes on from its newest sample with the last component held (a signal of one
//! component is held); it is what a corrector starts from, and without one all there is.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | q | `nodes` | intervals between nodes |
//! | a_k | `a` | Chebyshev coefficients |
//! | T_k(2s − 1) | `powers` | in powers of s |
//!
//! References: \[Trefethen 2013\], chapters 3 and 4; \[Lelarasmee 1982\] for the iteration on whole waveforms.

use super::{Edge, Predictor};
use crate::signal::history::History;
use crate::signal::nodes::{Transform, lobatto};
use crate::signal::segment::Segment;
use crate::time::Span;

/// Polynomial through Chebyshev–Lobatto nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spectral {
    nodes: usize,
    transform: &'static Transform,
}

impl Spectral {
    /// With q = `nodes` intervals, 1 … 20; others are brought there.
    pub fn new(nodes: usize) -> Self {
        let transform = Transform::of(nodes);
        Spectral { nodes: transform.nodes, transform }
    }

    /// Index of the last row of the step that covers `to`: the q + 1 rows up to it are spaced as the nodes are.
    fn step_end(&self, history: &History, to: i64) -> Option<usize> {
        let (q, lead) = (self.nodes, history.lead(to));
        let spaced = |end: usize| {
            let Some(first) = end.checked_sub(q) else { return false };
            let (from, length) = (history.at(first), history.at(end) - history.at(first));
            (1..q).all(|i| (history.at(first + i) - from - lobatto(i, q) * length).abs() <= 1e-9 * length)
        };
        (lead..history.len()).find(|&end| history.at(end) >= to as f64 && spaced(end))
    }

    /// The polynomial of component `c` over the step whose last row is `end`.
    fn polynomial(&self, history: &History, end: usize, c: usize, out: &mut Segment) {
        self.transform.polynomial(|i| history.value(end - self.nodes + i, c), out);
    }
}

/// Component `c` of the motion that goes on from row `newest` with its last component held.
fn taylor(history: &History, (newest, c): (usize, usize), span: &Span, out: &mut Segment) {
    let degree = history.width() - 1 - c;
    // The newest sample may lie before the step, by a part of it.
    let since = (span.from as f64 - history.at(newest)) / (span.to - span.from) as f64;
    let mut whole = Segment::default();
    whole.fill(degree, |j| {
        let factor: f64 = (1..=j).map(|i| span.length_s / i as f64).product();
        factor * history.value(newest, c + j)
    });
    if since == 0.0 { *out = whole } else { whole.part(since, 1.0, out) }
}

impl Predictor for Spectral {
    fn depth(&self) -> usize {
        self.nodes + 1
    }

    fn edge(&self) -> Edge {
        Edge::BeforeLaw
    }

    fn nodes(&self) -> usize {
        self.nodes
    }

    fn segments(&self, history: &History, span: &Span, out: &mut [Segment]) {
        let Some(end) = self.step_end(history, span.to) else {
            let newest = history.newest();
            for (c, p) in out.iter_mut().enumerate() {
                taylor(history, (newest, c), span, p);
            }
            return;
        };
        let first = history.at(end - self.nodes);
        let length = history.at(end) - first;
        let (a, b) = ((span.from as f64 - first) / length, (span.to - span.from) as f64 / length);
        for (c, p) in out.iter_mut().enumerate() {
            self.polynomial(history, end, c, p);
            if (a, b) != (0.0, 1.0) {
                let whole = *p;
                whole.part(a, b, p);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::nodes::NODES_MAX;

    #[test]
    fn a_smooth_signal_is_met_to_rounding_and_a_part_of_its_step_as_well() {
        // Chebyshev coefficients of order 17 and higher are about 2 J₁₇(1.5) = 4e-17.
        let f = |s: f64| (3.0 * s).sin();
        let mut h = History::new(1, 17, 17);
        for i in 0..=16 {
            h.put_at(2.0 * lobatto(i, 16), &[f(lobatto(i, 16))]);
        }
        let mut p = [Segment::default()];
        Spectral::new(16).segments(&h, &Span { from: 0, to: 2, length_s: 1.0 }, &mut p);
        for s in [0.0, 0.1, 0.5, 0.77, 1.0] {
            assert!((p[0].at(s) - f(s)).abs() < 3e-13, "{s}: {:e}", p[0].at(s) - f(s));
        }
        Spectral::new(16).segments(&h, &Span { from: 1, to: 2, length_s: 0.5 }, &mut p);
        for s in [0.0, 0.3, 1.0] {
            assert!((p[0].at(s) - f(0.5 + 0.5 * s)).abs() < 1e-11, "{s}: {:e}", p[0].at(s) - f(0.5 + 0.5 * s));
        }
        Spectral::new(16).segments(&h, &Span { from: 2, to: 4, length_s: 1.0 }, &mut p);
        assert_eq!(p[0].coefficients(), [f(1.0)]);
    }

    #[test]
    fn polynomials_of_the_degree_are_met() {
        for q in 1..=NODES_MAX {
            let mut h = History::new(1, q + 1, q + 1);
            for i in 0..=q {
                h.put_at(lobatto(i, q), &[lobatto(i, q).powi(q as i32)]);
            }
            let mut p = [Segment::default()];
            Spectral::new(q).segments(&h, &Span { from: 0, to: 1, length_s: 1.0 }, &mut p);
            assert!((p[0].at(0.3) - 0.3f64.powi(q as i32)).abs() < 1e-13, "{q}");
        }
    }
}
