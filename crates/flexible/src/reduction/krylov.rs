//! Krylov reduction by moment matching about one real expansion point.
//!
//! ```text
//! V = span { null modes, A⁻¹B, A⁻¹M A⁻¹B, …, (A⁻¹M)^(k−1) A⁻¹B },   A = A₀ + s M
//! ```
//!
//! matches the first k moments of the connector transfer function about s² = s; M is A₂, or A₁ when A₂ = 0.
//!
//! # Notation
//! | symbol | meaning |
//! |---|---|
//! | s | expansion point, rad²/s²; −ω² expands about the frequency ω |
//! | B | unit loads on the connector variables |
//!
//! # References
//! Bai, Su, *Dimension Reduction of Large-Scale Second-Order Dynamical Systems via a Second-Order Arnoldi Method*,
//! SIAM J. Sci. Comput. 26 (2005), section 4 (undamped case).

use super::{Basis, Method, independent};
use crate::{Chain, Error, Factor};
use nalgebra::DMatrix;

/// Smallest size of solutions at the expansion point whose squares are normal numbers.
const SOLUTION_MIN: f64 = 1e-150;

impl Basis {
    /// The null modes and `moments` block moments about `shift`.
    ///
    /// The expansion point is in the basis' warnings, so that a report prints it; a badly placed one shows in the
    /// static (DC) error of the report.
    ///
    /// # Errors
    /// [`Error::Factorisation`] when the shifted matrix is singular, as it is for a free body with `shift` zero.
    pub fn krylov(chain: &Chain, shift: f64, moments: usize) -> Result<Self, Error> {
        let mass = chain.inertia()?;
        if shift == 0.0 && chain.null.ncols() > 0 {
            let reason = "the null modes make it singular, choose a shift other than zero".into();
            return Err(Error::Factorisation { what: "matrix at the expansion point", reason });
        }
        let shifted = chain.a0.combine(1.0, mass, shift)?;
        if shifted.triplets().any(|(_, _, x)| !x.is_finite()) {
            let reason = format!("s² = {shift:e} rad²/s² makes it infinite, choose a frequency of the body");
            return Err(Error::Factorisation { what: "matrix at the expansion point", reason });
        }
        let factor = Factor::lu(&shifted, "matrix at the expansion point")?;
        let (n, b) = (chain.size(), chain.masters);
        let load = DMatrix::identity(n, b);
        let mut all = independent(&chain.null, Some(mass), 1e-10);
        let mut block = factor.solve(load);
        for moment in 0..moments {
            if moment > 0 {
                block = factor.solve(mass.multiply(&block));
            }
            // Far from all frequencies of the body nothing is left of the solution, and squares of what is left are zero.
            let size = block.iter().fold(0.0, |max: f64, x| if x.is_nan() { f64::INFINITY } else { max.max(x.abs()) });
            if block.ncols() > 0 && !(SOLUTION_MIN..=1.0 / SOLUTION_MIN).contains(&size) {
                let reason = format!(
                    "its solutions have the size {size:e}, choose a frequency of the body instead of s² = {shift:e} rad²/s²"
                );
                return Err(Error::Factorisation { what: "matrix at the expansion point", reason });
            }
            // Each block is made orthonormal at once: powers would lose all but the dominant direction.
            let joined = join(&all, &block);
            let extended = independent(&joined, Some(mass), 1e-8);
            block = extended.columns(all.ncols(), extended.ncols() - all.ncols()).into_owned();
            all = extended;
            if block.ncols() == 0 {
                break;
            }
        }
        let note = format!("Krylov expansion point s² = {shift:e} rad²/s²");
        Self::checked(chain, all, Method::Krylov { shift, moments }, vec![note])
    }
}

fn join(a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    let mut joined = DMatrix::zeros(a.nrows(), a.ncols() + b.ncols());
    joined.columns_mut(0, a.ncols()).copy_from(a);
    joined.columns_mut(a.ncols(), b.ncols()).copy_from(b);
    joined
}
