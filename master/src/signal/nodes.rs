//! Chebyshev–Lobatto nodes on a step, and the polynomial through values at them.

use crate::signal::segment::Segment;
use std::sync::OnceLock;

/// Most intervals: as many as the degree an input may have.
pub const NODES_MAX: usize = 20;

/// Node `i` of `q` on [0, 1], ascending; exactly 0, 1/2 and 1 where these are nodes.
///
/// ```
/// use macrostep_master::predict::lobatto;
///
/// assert_eq!([0, 1, 2].map(|i| lobatto(i, 2)), [0.0, 0.5, 1.0]);
/// ```
pub fn lobatto(i: usize, q: usize) -> f64 {
    match i {
        0 => 0.0,
        _ if i >= q => 1.0,
        _ if 2 * i == q => 0.5,
        // The half-angle form keeps full precision near 0.
        _ => (0.5 * std::f64::consts::PI * i as f64 / q as f64).sin().powi(2),
    }
}

/// From values at Chebyshev–Lobatto nodes to powers of s.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Transform {
    /// q.
    pub nodes: usize,
    /// Weight of node i in a_k, row k.
    weights: Vec<f64>,
    /// Coefficient of s^j in T_k(2s − 1), row k.
    powers: Vec<f64>,
}

impl Transform {
    /// Of q = `nodes` intervals, at most [`NODES_MAX`]; made once a process.
    pub fn of(nodes: usize) -> &'static Self {
        static ALL: [OnceLock<Transform>; NODES_MAX + 1] = [const { OnceLock::new() }; NODES_MAX + 1];
        let q = nodes.clamp(1, NODES_MAX);
        ALL[q].get_or_init(|| Transform::new(q))
    }

    fn new(q: usize) -> Self {
        let n = q + 1;
        let (mut weights, mut powers) = (vec![0.0; n * n], vec![0.0; n * n]);
        for k in 0..n {
            let gamma = if k == 0 || k == q { 0.5 } else { 1.0 };
            for i in 0..n {
                let end = if i == 0 || i == q { 0.5 } else { 1.0 };
                // T_k(2 s_i − 1) = (−1)^k cos(π k i/q), the angle brought into the first turn.
                let cosine = (std::f64::consts::PI * ((k * i) % (2 * q)) as f64 / q as f64).cos();
                let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
                weights[k * n + i] = 2.0 * gamma / q as f64 * end * sign * cosine;
            }
            for j in 0..=k {
                // T_{k} = (4s − 2) T_{k−1} − T_{k−2}
                powers[k * n + j] = match k {
                    0 => 1.0,
                    1 => [-1.0, 2.0][j],
                    _ => {
                        let of = |k: usize, j: usize| powers[k * n + j];
                        let below = if j > 0 { 4.0 * of(k - 1, j - 1) } else { 0.0 };
                        below - 2.0 * of(k - 1, j) - of(k - 2, j)
                    }
                };
            }
        }
        Transform { nodes: q, weights, powers }
    }

    /// Chebyshev coefficients a_0 … a_q of the polynomial through `value(i)` at node i.
    pub fn coefficients(&self, value: impl Fn(usize) -> f64, a: &mut [f64; NODES_MAX + 1]) {
        let n = self.nodes + 1;
        for (k, a) in a[..n].iter_mut().enumerate() {
            let row = &self.weights[k * n..(k + 1) * n];
            *a = row.iter().enumerate().map(|(i, w)| w * value(i)).sum();
        }
    }

    /// The polynomial through `value(i)` at node i.
    pub fn polynomial(&self, value: impl Fn(usize) -> f64, out: &mut Segment) {
        let (q, n) = (self.nodes, self.nodes + 1);
        let mut a = [0.0; NODES_MAX + 1];
        self.coefficients(value, &mut a);
        out.fill(q, |j| (j..n).rev().map(|k| a[k] * self.powers[k * n + j]).sum());
    }
}
