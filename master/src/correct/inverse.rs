//! The inverse `B = (I − ∂G/∂y)⁻¹` that turns residuals into corrections, and how it learns from them.
//!
//! Broyden's update after a correction δ that changed the residual by −z,
//!
//! ```text
//! B ← B + (δ − B z) (δᵀ W B) / (δᵀ W B z),   W = diag(1/scale²)
//! ```
//!
//! costs no run. Reference: \[Broyden 1965\].

use crate::memento::Numbers;
use nalgebra::{DMatrix, DVector};

/// A kept inverse; empty until it is made.
#[derive(Debug, Clone)]
pub(super) struct Inverse {
    b: DMatrix<f64>,
    image: DVector<f64>,
    left: DVector<f64>,
    weighted: DVector<f64>,
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
        self.make_from(&DMatrix::identity(n, n), DMatrix::identity(n, n) - jacobian);
    }

    /// Makes it from moves of the unknowns and the changes `r_before − r_after` they made, column by column:
    /// `B = moves · changes⁻¹`; the identity where the changes are singular.
    pub fn make_from(&mut self, moves: &DMatrix<f64>, changes: DMatrix<f64>) {
        let n = moves.nrows();
        self.b = changes.try_inverse().map_or_else(|| DMatrix::identity(n, n), |inverse| moves * inverse);
        self.image = DVector::zeros(n);
        self.left = DVector::zeros(n);
        self.weighted = DVector::zeros(n);
    }

    /// What it is, for a memento.
    pub fn pass(&mut self, numbers: &mut Numbers<'_>) {
        let mut kept = self.b.as_slice().to_vec();
        numbers.grown(&mut kept);
        let n = kept.len().isqrt();
        if numbers.are_given() && n * n == kept.len() {
            self.b = DMatrix::from_vec(n, n, kept);
            for v in [&mut self.image, &mut self.left, &mut self.weighted] {
                *v = DVector::zeros(n);
            }
        }
    }

    /// Forgets it.
    pub fn clear(&mut self) {
        self.b = DMatrix::zeros(0, 0);
    }

    /// `δ = B r`.
    pub fn apply(&self, r: &DVector<f64>, delta: &mut DVector<f64>) {
        delta.gemv(1.0, &self.b, r, 0.0);
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

#[cfg(test)]
mod tests {
    use super::*;

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
