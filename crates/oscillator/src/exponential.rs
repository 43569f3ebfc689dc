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

use crate::double::{Double, Doubles, Factors};

const TERMS: i32 = 24;

/// An N × N matrix, row by row.
pub(crate) type Matrix<const N: usize = 4> = [[Double; N]; N];

/// An N × N matrix that vectors are multiplied by, column by column.
#[derive(Debug, Clone)]
pub(crate) struct Transition<const N: usize = 4> {
    columns: [Factors<N>; N],
}

/// e^X.
pub(crate) fn exponential<const N: usize>(x: &Matrix<N>) -> Transition<N> {
    // Norm and the number of halvings that bring it to one half.
    let norm = (0..N).map(|j| (0..N).map(|i| x[i][j].round().abs()).sum::<f64>()).fold(0.0, f64::max);
    let squarings = if norm > 0.5 { (norm.log2() + 1.0).ceil() as i32 } else { 0 };
    let scale = 2f64.powi(-squarings);
    let y = Transition::of(&columns(|i, j| x[i][j].scaled(scale)));

    // Horner: I + Y (I + Y/2 (I + Y/3 (…))).
    let mut sum = columns(|i, j| if i == j { Double::ONE } else { Double::default() });
    for n in (1..=TERMS).rev() {
        sum = sum.map(|column| y.apply(&column).map(|value| value.over(f64::from(n))));
        for (i, column) in sum.iter_mut().enumerate() {
            column[i] = column[i] + Double::ONE;
        }
    }

    for _ in 0..squarings {
        let half = Transition::of(&sum);
        sum = sum.map(|column| half.apply(&column));
    }
    Transition::of(&sum)
}

impl<const N: usize> Transition<N> {
    fn of(columns: &[[Double; N]; N]) -> Self {
        Transition { columns: columns.map(|column| Factors::new(&column)) }
    }

    /// Matrix times vector.
    pub(crate) fn apply(&self, z: &[Double; N]) -> [Double; N] {
        sum::<N>(std::array::from_fn(|k| self.columns[k].times(z[k]))).each()
    }
}

/// A matrix column by column, from its values in row i and column j.
fn columns<const N: usize>(value: impl Fn(usize, usize) -> Double) -> [[Double; N]; N] {
    std::array::from_fn(|j| std::array::from_fn(|i| value(i, j)))
}

/// The sum of N terms, neighbours first.
#[inline]
fn sum<const N: usize>(mut terms: [Doubles<N>; N]) -> Doubles<N> {
    let mut count = N;
    while count > 1 {
        for i in 0..count / 2 {
            terms[i] = terms[2 * i].plus(&terms[2 * i + 1]);
        }
        if count % 2 == 1 {
            terms[count / 2] = terms[count - 1];
        }
        count = count.div_ceil(2);
    }
    terms[0]
}
