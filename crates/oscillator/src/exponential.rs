//! e^{A h} for a small matrix in doubled precision, by scaling and squaring of the Taylor series.
//!
//! ```text
//!     e^X = (e^{X / 2^s})^{2^s} ,      e^Y ≈ Σ_{n=0}^{24} Yⁿ / n!  with ‖Y‖₁ ≤ ½
//! ```
//!
//! The first term left out is ½²⁵/25! ≈ 2e-33. Each squaring at most doubles the relative error, which thus stays below
//! 2^s · 1e-31: for ‖A h‖ = 1e6 that is 1e-25, nine digits more than an `f64` shows. No eigenvalue is computed, so equal,
//! zero and real eigenvalues (critical and over-damping, a free mass) need no case of their own.
//!
//! Reference: [Moler 2003], method 3.

use crate::double::Double;

const TERMS: i32 = 24;

/// An N × N matrix, row by row.
pub(crate) type Matrix<const N: usize = 4> = [[Double; N]; N];

/// e^X.
pub(crate) fn exponential<const N: usize>(x: &Matrix<N>) -> Matrix<N> {
    // Norm and the number of halvings that bring it to one half.
    let norm = (0..N).map(|j| (0..N).map(|i| x[i][j].round().abs()).sum::<f64>()).fold(0.0, f64::max);
    let squarings = if norm > 0.5 { (norm.log2() + 1.0).ceil() as i32 } else { 0 };
    let y = x.map(|row| row.map(|value| value.scaled(2f64.powi(-squarings))));

    // Horner: I + Y (I + Y/2 (I + Y/3 (…))).
    let mut sum = identity();
    for n in (1..=TERMS).rev() {
        sum = multiply(&y, &sum).map(|row| row.map(|value| value.over(f64::from(n))));
        for (i, row) in sum.iter_mut().enumerate() {
            row[i] = row[i] + Double::ONE;
        }
    }

    for _ in 0..squarings {
        sum = multiply(&sum, &sum);
    }
    sum
}

/// Matrix times vector.
pub(crate) fn apply<const N: usize>(a: &Matrix<N>, z: &[Double; N]) -> [Double; N] {
    a.map(|row| sum::<N>(|k| row[k] * z[k]))
}

fn identity<const N: usize>() -> Matrix<N> {
    std::array::from_fn(|i| std::array::from_fn(|j| if i == j { Double::ONE } else { Double::default() }))
}

fn multiply<const N: usize>(a: &Matrix<N>, b: &Matrix<N>) -> Matrix<N> {
    std::array::from_fn(|i| std::array::from_fn(|j| sum::<N>(|k| a[i][k] * b[k][j])))
}

/// The sum of N terms, neighbours first.
fn sum<const N: usize>(term: impl Fn(usize) -> Double) -> Double {
    let mut terms: [Double; N] = std::array::from_fn(term);
    let mut count = N;
    while count > 1 {
        for i in 0..count / 2 {
            terms[i] = terms[2 * i] + terms[2 * i + 1];
        }
        if count % 2 == 1 {
            terms[count / 2] = terms[count - 1];
        }
        count = count.div_ceil(2);
    }
    terms[0]
}
