//! e^{A h} for a 4 × 4 matrix in doubled precision, by scaling and squaring of the Taylor series.
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

/// A 4 × 4 matrix, row by row.
pub(crate) type Matrix = [[Double; 4]; 4];

/// e^X.
pub(crate) fn exponential(x: &Matrix) -> Matrix {
    // Norm and the number of halvings that bring it to one half.
    let norm = (0..4).map(|j| (0..4).map(|i| x[i][j].round().abs()).sum::<f64>()).fold(0.0, f64::max);
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
pub(crate) fn apply(a: &Matrix, z: &[Double; 4]) -> [Double; 4] {
    a.map(|row| (row[0] * z[0] + row[1] * z[1]) + (row[2] * z[2] + row[3] * z[3]))
}

fn identity() -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| if i == j { Double::ONE } else { Double::default() }))
}

fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|i| {
        std::array::from_fn(|j| (a[i][0] * b[0][j] + a[i][1] * b[1][j]) + (a[i][2] * b[2][j] + a[i][3] * b[3][j]))
    })
}
