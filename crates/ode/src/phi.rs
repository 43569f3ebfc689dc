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

use std::array::from_fn;

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
    let mut next = if squarings > 0 { phi.clone() } else { Vec::new() };
    for _ in 0..squarings {
        double(&phi, &mut next);
        std::mem::swap(&mut phi, &mut next);
    }
    let inverse: Vec<f64> = d.iter().map(|x| 1.0 / x).collect();
    Some(phi.iter().map(|m| m.similar(&inverse)).collect())
}

/// φ_k of a matrix of small norm, by Horner's rule: φ_k = 1/k! (I + A/(k+1) (I + A/(k+2) (I + …))).
fn series(a: &Matrix, k: usize) -> Matrix {
    // Sizes of the oscillators are known to the compiler: no memory, no bounds. The order of the sums is the same.
    match a.size() {
        1 => return small_series::<1>(a, k),
        2 => return small_series::<2>(a, k),
        4 => return small_series::<4>(a, k),
        _ => {}
    }
    let mut sum = Matrix::identity(a.size());
    let mut product = sum.clone();
    for i in (1..=SERIES_TERMS).rev() {
        a.times_into(&sum, &mut product);
        sum.set_shifted(1.0 / (k + i) as f64, &product);
    }
    sum.scale(1.0 / factorial(k));
    sum
}

/// [`series`] of an N × N matrix.
fn small_series<const N: usize>(a: &Matrix, k: usize) -> Matrix {
    let a: [[f64; N]; N] = from_fn(|i| from_fn(|j| a.at(i, j)));
    let unit = |i, j| if i == j { 1.0 } else { 0.0 };
    let mut sum: [[f64; N]; N] = from_fn(|i| from_fn(|j| unit(i, j)));
    for i in (1..SERIES_TERMS + 1).rev() {
        let factor = 1.0 / (k + i) as f64;
        let element = |i: usize, j: usize| a[i].iter().zip(&sum).map(|(x, y)| x * y[j]).sum::<f64>();
        sum = from_fn(|i| from_fn(|j| factor * element(i, j) + unit(i, j)));
    }
    let factor = 1.0 / factorial(k);
    Matrix::from_fn(N, |i, j| sum[i][j] * factor)
}

/// φ(2A) from φ(A).
fn double(phi: &[Matrix], doubled: &mut [Matrix]) {
    for (k, sum) in doubled.iter_mut().enumerate() {
        phi[0].times_into(&phi[k], sum);
        for (l, phi_l) in phi.iter().enumerate().take(k + 1).skip(1) {
            sum.add_scaled(1.0 / factorial(k - l), phi_l);
        }
        sum.scale(2f64.powi(-(k as i32)));
    }
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

    /// The same by the formulas, with a new matrix for each of them.
    fn by_the_formulas(a: &Matrix, count: usize) -> Vec<Matrix> {
        let n = a.size();
        let times = |a: &Matrix, b: &Matrix| Matrix::from_fn(n, |i, j| (0..n).map(|k| a.at(i, k) * b.at(k, j)).sum());
        // Eight sweeps, whether anything changes or not.
        let mut d = vec![1.0_f64; n];
        for i in (0..8).flat_map(|_| 0..n) {
            let others = || (0..n).filter(|j| *j != i);
            let row: f64 = others().map(|j| (a.at(i, j) * d[j] / d[i]).abs()).sum();
            let column: f64 = others().map(|j| (a.at(j, i) * d[i] / d[j]).abs()).sum();
            if row > 0.0 && column > 0.0 {
                d[i] *= (0.5 * (row / column).log2()).round().exp2();
            }
        }
        let balanced = a.similar(&d);
        let squarings = (balanced.norm_inf() / SERIES_NORM).log2().ceil().max(0.0) as i32;
        let small = balanced.scaled(2f64.powi(-squarings));
        let series = |k: usize| {
            let mut sum = Matrix::identity(n);
            for i in (1..=SERIES_TERMS).rev() {
                sum = times(&small, &sum).scaled(1.0 / (k + i) as f64);
                sum.add_scaled(1.0, &Matrix::identity(n));
            }
            sum.scaled(1.0 / factorial(k))
        };
        let mut phi: Vec<Matrix> = (0..=count).map(series).collect();
        for _ in 0..squarings {
            let double = |k: usize| {
                let mut sum = times(&phi[0], &phi[k]);
                (1..=k).for_each(|l| sum.add_scaled(1.0 / factorial(k - l), &phi[l]));
                sum.scaled(2f64.powi(-(k as i32)))
            };
            phi = (0..=count).map(double).collect();
        }
        let inverse: Vec<f64> = d.iter().map(|x| 1.0 / x).collect();
        phi.iter().map(|m| m.similar(&inverse)).collect()
    }

    #[test]
    fn room_that_is_used_again_changes_no_bit() {
        let mut seed = 1_u64;
        let mut draw = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        for n in [1, 2, 3, 4, 5, 8] {
            for scale in [1e-6, 0.3, 4.0, 200.0] {
                // Rows of different units, as positions and velocities have them.
                let a = Matrix::from_fn(n, |i, _| scale * draw() * if i % 2 == 0 { 1.0 } else { 1e3 });
                for count in 0..4 {
                    let bits = |phi: Vec<Matrix>| -> Vec<u64> {
                        phi.iter().flat_map(|m| (0..n * n).map(|ij| m.at(ij / n, ij % n).to_bits())).collect()
                    };
                    let found = bits(phi_functions(&a, count).expect("finite"));
                    assert_eq!(found, bits(by_the_formulas(&a, count)), "n = {n}, scale {scale}, {count}");
                }
            }
        }
    }

    #[test]
    fn not_finite_is_refused() {
        assert!(phi_functions(&scalar(f64::NAN), 1).is_none());
        assert!(phi_functions(&scalar(f64::INFINITY), 1).is_none());
    }
}
