//! The inverse `B = (I − ∂G/∂y)⁻¹` that makes corrections from residuals, and its updates.
//!
//! Broyden's update after a correction δ that changed the residual by −z,
//!
//! ```text
//! B ← B + (δ − B z) (δᵀ W B) / (δᵀ W B z),   W = diag(1/scale²)
//! ```
//!
//! costs no run. Reference: \[Broyden 1965\].

use super::matrix;
use crate::savable::savable;
use nalgebra::{DMatrix, DVector};

savable! {
/// A kept inverse; empty until it is made.
pub(super) struct Inverse {
    #[serde(with = "matrix")]
    b: DMatrix<f64>,
    #[serde(with = "matrix::vector")]
    image: DVector<f64>,
    #[serde(with = "matrix::vector")]
    left: DVector<f64>,
    #[serde(with = "matrix::vector")]
    weighted: DVector<f64>,
}
}

impl Default for Inverse {
    fn default() -> Self {
        let empty = || DVector::zeros(0);
        Inverse { b: DMatrix::zeros(0, 0), image: empty(), left: empty(), weighted: empty() }
    }
}

impl Inverse {
    /// Whether it has been made for `n` unknowns.
    pub fn is_made(&self, n: usize) -> bool {
        self.b.nrows() == n
    }

    /// Makes it from ∂G/∂y; the identity, which is a fixed-point step, where I − ∂G/∂y is singular.
    pub fn make(&mut self, jacobian: &DMatrix<f64>) {
        let n = jacobian.nrows();
        self.make_from(&DMatrix::identity(n, n), DMatrix::identity(n, n) - jacobian, &[]);
    }

    /// Makes it from moves M of the unknowns and the changes C = `r_before − r_after` they made, column by column. As many moves
    /// as unknowns: `B = M C⁻¹`. Fewer: what of a residual lies in the span of C is corrected as M says and the rest by a
    /// fixed-point step, `B = I + (M − C) (W C)⁺ W` with W = diag(1/scale). The identity where the changes are singular.
    pub fn make_from(&mut self, moves: &DMatrix<f64>, changes: DMatrix<f64>, scale: &[f64]) {
        let (n, m) = moves.shape();
        let found = if m == n { changes.try_inverse().map(|c| moves * c) } else { partial(moves, &changes, scale) };
        self.b = found.unwrap_or_else(|| DMatrix::identity(n, n));
        self.image = DVector::zeros(n);
        self.left = DVector::zeros(n);
        self.weighted = DVector::zeros(n);
    }

    /// Forgets it.
    pub fn clear(&mut self) {
        self.b = DMatrix::zeros(0, 0);
    }

    /// `δ = B r`.
    pub fn apply(&self, r: &DVector<f64>, delta: &mut DVector<f64>) {
        delta.gemv(1.0, &self.b, r, 0.0);
    }

    /// The largest change that it makes of residuals as large as `scale`, relative to `lasting`: its norm, by rows.
    pub fn norm(&self, scale: &[f64], lasting: &[f64]) -> f64 {
        let row = |i: usize| self.b.row(i).iter().zip(scale).map(|(b, s)| (b * s).abs()).sum::<f64>() / lasting[i];
        (0..self.b.nrows()).map(row).fold(0.0, f64::max)
    }

    /// Broyden's update; not where the correction is smaller than `least` relative to scale, because then the change of the
    /// residual tells less than is known already.
    pub fn learn(&mut self, delta: &DVector<f64>, z: &DVector<f64>, scale: &[f64], least: f64) {
        let size = delta.iter().zip(scale).fold(0.0f64, |m, (d, s)| m.max((d / s).abs()));
        if size < least || size.is_nan() {
            return;
        }
        for ((w, d), s) in self.weighted.iter_mut().zip(delta.iter()).zip(scale) {
            *w = d / (s * s);
        }
        self.image.gemv(1.0, &self.b, z, 0.0);
        let (denominator, length) = (self.weighted.dot(&self.image), self.weighted.dot(delta));
        // An update that would make B nearly singular says that the problem has changed in between.
        if denominator > 0.1 * length {
            self.left.gemv_tr(1.0, &self.b, &self.weighted, 0.0);
            self.image -= delta;
            self.b.ger(-1.0 / denominator, &self.image, &self.left, 1.0);
        }
    }
}

/// I + (M − C) (W C)⁺ W; `None` where the changes depend on each other.
fn partial(moves: &DMatrix<f64>, changes: &DMatrix<f64>, scale: &[f64]) -> Option<DMatrix<f64>> {
    let n = moves.nrows();
    let mut weighted = changes.clone();
    for (mut row, s) in weighted.row_iter_mut().zip(scale) {
        row /= *s;
    }
    let qr = weighted.qr();
    let mut inverse = qr.r().solve_upper_triangular(&qr.q().transpose())?;
    for (mut column, s) in inverse.column_iter_mut().zip(scale) {
        column /= *s;
    }
    let b = DMatrix::identity(n, n) + (moves - changes) * inverse;
    b.iter().all(|x| x.is_finite()).then_some(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fewer moves than unknowns: exact on what they span, a fixed-point step on the rest.
    #[test]
    fn principal_directions_are_corrected_exactly() {
        let a = DMatrix::from_row_slice(3, 3, &[1.3, 0.2, 0.0, -0.1, 0.9, 0.0, 0.0, 0.0, 1.0]);
        let moves = DMatrix::from_row_slice(3, 2, &[1.0, 0.5, 0.2, -1.0, 0.0, 0.0]);
        let mut inverse = Inverse::default();
        inverse.make_from(&moves, &a * &moves, &[1.0, 10.0, 0.1]);
        let mut delta = DVector::zeros(3);
        let r = DVector::from_vec(vec![0.3, -2.0, 0.7]);
        inverse.apply(&r, &mut delta);
        assert!((&a * &delta - r).amax() < 1e-12, "{delta}");
    }

    /// Updates along ever other directions converge to a linear problem's inverse.
    #[test]
    fn secants_converge_to_the_inverse() {
        let a = DMatrix::from_row_slice(2, 2, &[1.3, 0.2, -0.1, 0.9]);
        let mut inverse = Inverse::default();
        inverse.make(&DMatrix::zeros(2, 2));
        let mut delta = DVector::zeros(2);
        for k in 0..200 {
            let r = DVector::from_vec(vec![1.0, (k as f64).sin()]);
            inverse.apply(&r, &mut delta);
            let z = &a * &delta;
            inverse.learn(&delta, &z, &[1.0, 1.0], 1e-9);
        }
        let r = DVector::from_vec(vec![0.3, -2.0]);
        inverse.apply(&r, &mut delta);
        assert!((&a * &delta - r).amax() < 1e-9, "{delta}");
    }
}
