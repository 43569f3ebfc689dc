//! Polynomials in Chebyshev form, along which the guesses of a step are changed.

use crate::signal::nodes::NODES_MAX;

/// Coefficients of T_0, T_1, … on [−1, 1].
#[derive(Clone, Copy)]
pub(super) struct Polynomial([f64; NODES_MAX + 4]);

impl Polynomial {
    /// T_k − T_k(−1).
    pub fn shifted_chebyshev(k: usize) -> Self {
        let mut a = [0.0; NODES_MAX + 4];
        a[k] = 1.0;
        a[0] -= if k.is_multiple_of(2) { 1.0 } else { -1.0 };
        Polynomial(a)
    }

    /// ∫ over s from 0, with x = 2s − 1: half the integral over x from −1.
    pub fn integral(&self) -> Self {
        let (a, mut b) = (&self.0, [0.0; NODES_MAX + 4]);
        let n = a.len();
        for k in 1..n {
            let before = if k == 1 { 2.0 * a[0] } else { a[k - 1] };
            let after = if k + 1 < n { a[k + 1] } else { 0.0 };
            b[k] = 0.5 * (before - after) / (2 * k) as f64;
        }
        let at_start: f64 = (1..n).map(|k| if k % 2 == 0 { b[k] } else { -b[k] }).sum();
        b[0] = -at_start;
        Polynomial(b)
    }

    /// Clenshaw's rule.
    pub fn at(&self, x: f64) -> f64 {
        let (mut one, mut two) = (0.0, 0.0);
        for a in self.0[1..].iter().rev() {
            (one, two) = (a + 2.0 * x * one - two, one);
        }
        self.0[0] + x * one - two
    }
}
