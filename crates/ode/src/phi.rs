//! The functions φ_k of a matrix, which carry a linear system over a step with polynomial forcing.
//!
//! # Equations
//! φ_k(A) = Σ_{i≥0} A^i/(i + k)!, φ_0 = exp. By scaling and modified squaring (Skaflestad, Wright, *The scaling and
//! modified squaring method for matrix functions related to the exponential*, Appl. Numer. Math. 59, 2009):
//!
//! ```text
//! φ_k(2A) = 2⁻ᵏ [ φ_0(A) φ_k(A) + Σ_{l=1}^{k} φ_l(A)/(k − l)! ]
//! ```
//!
//! A is balanced by powers of two first, so that the number of squarings follows its eigenvalues, not its units.

use crate::Matrix;

/// Norm up to which the plain series is summed.
const SERIES_NORM: f64 = 0.5;
/// Terms of the series: 0.5^18/18! is below 1e-21.
const SERIES_TERMS: usize = 18;

/// φ_0(A) … φ_count(A), `count + 1` matrices, relative accuracy about 1e-15 times the growth of A's powers.
/// `None` where A is not finite or its norm is beyond 2^60.
pub fn phi_functions(a: &Matrix, count: usize) -> Option<Vec<Matrix>> {
    let d = a.balance();
    let balanced = a.similar(&d);
    let norm = balanced.norm_inf();
    if !balanced.is_finite() || norm > 2f64.powi(60) {
        return None;
    }
    let squarings = if norm > SERIES_NORM { (norm / SERIES_NORM).log2().ceil() as i32 } else { 0 };
    let small = balanced.scaled(2f64.powi(-squarings));
    let mut phi: Vec<Matrix> = (0..=count).map(|k| series(&small, k)).collect();
    for _ in 0..squarings {
        phi = doubled(&phi);
    }
    let inverse: Vec<f64> = d.iter().map(|x| 1.0 / x).collect();
    Some(phi.iter().map(|m| m.similar(&inverse)).collect())
}

/// φ_k of a matrix of small norm, by Horner's rule: φ_k = 1/k! (I + A/(k+1) (I + A/(k+2) (I + …))).
fn series(a: &Matrix, k: usize) -> Matrix {
    let mut sum = Matrix::identity(a.size());
    for i in (1..=SERIES_TERMS).rev() {
        sum = a.times(&sum).scaled(1.0 / (k + i) as f64);
        sum.add_scaled(1.0, &Matrix::identity(a.size()));
    }
    sum.scaled(1.0 / factorial(k))
}

/// φ(2A) from φ(A).
fn doubled(phi: &[Matrix]) -> Vec<Matrix> {
    let double = |k: usize| {
        let mut sum = phi[0].times(&phi[k]);
        for (l, phi_l) in phi.iter().enumerate().take(k + 1).skip(1) {
            sum.add_scaled(1.0 / factorial(k - l), phi_l);
        }
        sum.scaled(2f64.powi(-(k as i32)))
    };
    (0..phi.len()).map(double).collect()
}

/// n!
pub(crate) fn factorial(n: usize) -> f64 {
    (1..=n).map(|j| j as f64).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(x: f64) -> Matrix {
        Matrix::from_fn(1, |_, _| x)
    }

    #[test]
    fn scalar_phi_by_their_recurrence() {
        // φ_{k+1} = (φ_k − 1/k!)/x, well conditioned for large |x|.
        for x in [-30.0_f64, -4.0, 3.0, 25.0] {
            let phi = phi_functions(&scalar(x), 5).expect("finite");
            let mut expected = x.exp();
            for (k, phi) in phi.iter().enumerate() {
                assert!((phi.at(0, 0) - expected).abs() <= 2e-14 * expected.abs().max(1e-3), "x = {x}, k = {k}");
                expected = (expected - 1.0 / factorial(k)) / x;
            }
        }
    }

    #[test]
    fn rotation_keeps_its_phase() {
        let w = 1110f64.sqrt();
        let a = Matrix::from_fn(2, |i, j| [[0.0, 0.2], [-0.2 * w * w, 0.0]][i][j]);
        let exp = &phi_functions(&a, 0).expect("finite")[0];
        let (s, c) = (0.2 * w).sin_cos();
        for (found, expected) in [(exp.at(0, 0), c), (exp.at(0, 1), s / w), (exp.at(1, 0), -w * s), (exp.at(1, 1), c)] {
            assert!((found - expected).abs() < 1e-14 * w, "{found} {expected}");
        }
    }

    #[test]
    fn not_finite_is_refused() {
        assert!(phi_functions(&scalar(f64::NAN), 1).is_none());
        assert!(phi_functions(&scalar(f64::INFINITY), 1).is_none());
    }
}
