//! The polynomial through values at Chebyshev–Lobatto nodes.
//!
//! # Equations
//! Nodes s_i = (1 − cos(π i/n))/2 of [0, 1], n = 4, 8, 16, each set holds the one before. u = Σ″ c_k T_k(2s − 1) with
//! c_k = (2/n) Σ″_i u_i T_k(2s_i − 1), where Σ″ halves the first and the last term (Trefethen, Approximation Theory and Approximation
//! Practice, chapter 3). T_k(2s − 1) has whole coefficients in s, exact up to k = 16.

use std::f64::consts::PI;

/// Intervals between nodes: of the finest set, and as they are tried.
pub(super) const FINEST: usize = 16;
pub(super) const SETS: [usize; 3] = [4, 8, FINEST];

/// Coefficients below this part of the greatest are rounding.
const ROUNDING: f64 = 1e-15;

/// Node `i` of the finest set.
pub(super) fn node(i: usize) -> f64 {
    let half = PI * i as f64 / (2.0 * FINEST as f64);
    half.sin().powi(2)
}

/// Where coefficients above this part of the greatest are left over, a step is divided. More than [`ROUNDING`]: noise in the last digits of a signal is
/// in each part of a step again.
const ROUGH: f64 = 1e-12;

/// The polynomial through values at nodes.
#[derive(Debug, PartialEq)]
pub(super) struct Fitted {
    /// Powers of s, the constant first, as few as rounding leaves.
    pub powers: Vec<f64>,
    /// The last two coefficients as a part of the greatest one: what the polynomial may miss.
    rest: f64,
}

impl Fitted {
    /// Whether no finer set of nodes is needed.
    pub fn is_resolved(&self) -> bool {
        self.rest <= ROUNDING
    }

    /// Whether the values are no polynomial of this degree.
    pub fn is_rough(&self) -> bool {
        self.rest > ROUGH
    }
}

/// The polynomial through these values.
pub(super) fn fitted(values: &[f64]) -> Fitted {
    let n = values.len() - 1;
    // What is constant stays so to the bit.
    if values.iter().all(|u| *u == values[0]) {
        return Fitted { powers: vec![values[0]], rest: 0.0 };
    }
    let half = |i: usize| if i == 0 || i == n { 0.5 } else { 1.0 };
    let chebyshev: Vec<f64> = (0..=n)
        .map(|k| {
            let at_node =
                |i: usize| if k % 2 == 0 { 1.0 } else { -1.0 } * (PI * ((k * i) % (2 * n)) as f64 / n as f64).cos();
            let sum: f64 = values.iter().enumerate().map(|(i, u)| half(i) * u * at_node(i)).sum();
            half(k) * 2.0 / n as f64 * sum
        })
        .collect();
    // The last coefficients of a smooth signal are rounding.
    let greatest = chebyshev.iter().fold(0.0, |most: f64, c| most.max(c.abs()));
    let counts = |c: &f64| c.abs() > ROUNDING * greatest;
    let rest = chebyshev[n - 1..].iter().fold(0.0, |most: f64, c| most.max(c.abs())) / greatest;
    let degree = chebyshev.iter().rposition(counts).unwrap_or(0);
    let mut powers = vec![0.0; degree + 1];
    // T_{k+1} = 2 (2s − 1) T_k − T_{k−1}, from T_0 = 1 and T_{−1} = T_1 = 2s − 1.
    let (mut before, mut present) = (vec![0.0; degree + 2], vec![0.0; degree + 2]);
    (before[0], before[1], present[0]) = (-1.0, 2.0, 1.0);
    for c in &chebyshev[..=degree] {
        powers.iter_mut().zip(&present).for_each(|(power, t)| *power += c * t);
        let shifted = |j: usize| if j == 0 { 0.0 } else { present[j - 1] };
        let next = (0..degree + 2).map(|j| 4.0 * shifted(j) - 2.0 * present[j] - before[j]).collect();
        before = std::mem::replace(&mut present, next);
    }
    powers[0] = values[0];
    Fitted { powers, rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(n: usize, u: impl Fn(f64) -> f64) -> Vec<f64> {
        (0..=n).map(|i| u(node(i * FINEST / n))).collect()
    }

    #[test]
    fn a_polynomial_is_found_with_its_degree() {
        for (degree, n) in [(1, 4), (2, 4), (5, 8), (12, 16)] {
            let u = |s: f64| (0..=degree).rev().fold(0.0, |sum, j| sum * s + 1.0 / (1.0 + j as f64));
            let fit = fitted(&samples(n, u));
            let powers = &fit.powers;
            assert!(fit.is_resolved() && powers.len() == degree + 1, "{degree}: {powers:?}");
            for s in [0.0, 0.2, 0.77, 1.0] {
                let value = powers.iter().rev().fold(0.0, |sum, c| sum * s + c);
                assert!((value - u(s)).abs() < 4e-15 * u(1.0), "{degree} {s}: {value}");
            }
        }
    }

    #[test]
    fn a_wave_is_resolved_by_more_nodes() {
        let wave = |s: f64| (2.0 * s + 0.4).sin();
        assert!(!fitted(&samples(4, wave)).is_resolved() && !fitted(&samples(8, wave)).is_resolved());
        let fit = fitted(&samples(16, wave));
        assert!(fit.is_resolved());
        for s in [0.1, 0.5, 0.93] {
            let value = fit.powers.iter().rev().fold(0.0, |sum, c| sum * s + c);
            assert!((value - wave(s)).abs() < 4e-15, "{s}: {value}");
        }
    }

    #[test]
    fn what_is_constant_stays_so_to_the_bit() {
        assert_eq!(fitted(&[0.1; 5]), Fitted { powers: vec![0.1], rest: 0.0 });
    }

    #[test]
    fn a_kink_is_rough_and_a_wave_with_noise_is_not() {
        assert!(fitted(&samples(16, |s| (s - 0.3).abs())).is_rough());
        let noisy = |s: f64| (2.0 * s).sin() + 1e-14 * (1e5 * s).sin();
        let fit = fitted(&samples(16, noisy));
        assert!(!fit.is_resolved() && !fit.is_rough(), "{fit:?}");
    }
}
