//! Lowest modes of K x = λ M x: block Lanczos on the shifted inverse, with full reorthogonalisation.
//!
//! ```text
//! (K + s M)⁻¹ M x = θ x,   θ = 1 / (λ + s),   s ≥ 0
//! ```
//!
//! The basis grows by a block Wⱼ per step; Tⱼ = Qᵀ M (K + s M)⁻¹ M Q is the Rayleigh–Ritz matrix and the residual of a
//! Ritz pair is the coupling of its last block row to the next block. A block finds multiple eigenvalues, such as the
//! six zeros of a free body.
//!
//! # Notation
//! | symbol | meaning |
//! |---|---|
//! | λ | eigenvalue ω², in rad²/s² |
//! | s | shift, in rad²/s² (zero when K is positive definite) |
//! | Q | M-orthonormal basis |
//!
//! # References
//! Grimes, Lewis, Simon, *A Shifted Block Lanczos Algorithm for Solving Sparse Symmetric Generalized Eigenproblems*,
//! SIAM J. Matrix Anal. Appl. 15 (1994), algorithm of section 2.

mod lanczos;

use crate::{Error, Factor, Sparse};
use nalgebra::{DMatrix, DVector, SymmetricEigen};

/// Eigenvalues in ascending order with M-orthonormal vectors.
#[derive(Debug, Clone)]
pub struct Modes {
    /// λ = ω² in rad²/s², ascending; rigid modes come out near zero, of either sign.
    pub values: DVector<f64>,
    /// Vectors, n × count, Xᵀ M X = I.
    pub vectors: DMatrix<f64>,
    /// Block steps made (0 for the dense method).
    pub steps: usize,
}

/// The number of modes and their accuracy.
#[derive(Debug, Clone, Copy)]
pub struct Search {
    /// Number of modes wanted.
    pub count: usize,
    /// Shift s in rad²/s²; zero for a positive definite K, see [`free_shift`] otherwise.
    pub shift: f64,
    /// Bound on the residual of θ relative to θ; the eigenvalue error is of its square. Default 1e-9.
    pub tolerance: f64,
    /// Vectors per block. Default 8, above the six-fold zero of a free body.
    pub block: usize,
    /// Most block steps. Default 60.
    pub steps_max: usize,
}

impl Search {
    /// The `count` lowest modes with default settings and the given shift.
    pub fn lowest(count: usize, shift: f64) -> Self {
        Self { count, shift, tolerance: 1e-9, block: 8, steps_max: 60 }
    }
}

/// A shift for a singular K: 1e-10 of tr K / tr M, small against elastic and large against rounding.
pub fn free_shift(stiffness: &Sparse, mass: &Sparse) -> f64 {
    let trace = |a: &Sparse| (0..a.size()).map(|i| a.get(i, i)).sum::<f64>();
    1e-10 * trace(stiffness) / trace(mass)
}

impl Modes {
    /// Frequencies √max(λ, 0) / 2π in Hz.
    pub fn frequencies_hz(&self) -> Vec<f64> {
        self.values.iter().map(|v| v.max(0.0).sqrt() / std::f64::consts::TAU).collect()
    }

    /// The modes asked for by `search` of the sparse pair (K, M).
    ///
    /// # Errors
    /// [`Error::Factorisation`] when K + s M is not positive definite, [`Error::Eigen`] without convergence,
    /// [`Error::Shape`] when more modes are asked for than there are coordinates.
    pub fn sparse(stiffness: &Sparse, mass: &Sparse, search: Search) -> Result<Self, Error> {
        let n = stiffness.size();
        if search.count > n {
            return Err(Error::Shape { what: "number of modes", found: search.count, expected: n });
        }
        if n <= 4 * (search.count + search.block) {
            let identity = DMatrix::identity(n, n);
            let mut all = Self::dense(&stiffness.multiply(&identity), &mass.multiply(&identity), search.shift)?;
            all.values = all.values.rows(0, search.count).into_owned();
            all.vectors = all.vectors.columns(0, search.count).into_owned();
            return Ok(all);
        }
        let shifted = stiffness.combine(1.0, mass, search.shift)?;
        let factor = Factor::cholesky(&shifted, "shifted stiffness")?;
        lanczos::Lanczos::new(mass, &factor, search).run(stiffness)
    }

    /// All modes of a dense pair, by Cholesky factors of K + s M so that low modes keep their relative accuracy.
    ///
    /// # Errors
    /// [`Error::Factorisation`] when K + s M is not positive definite.
    pub fn dense(stiffness: &DMatrix<f64>, mass: &DMatrix<f64>, shift: f64) -> Result<Self, Error> {
        let shifted = stiffness + mass * shift;
        let factor = symmetric(shifted).cholesky().ok_or_else(|| Error::Factorisation {
            what: "reduced stiffness",
            reason: "not positive definite".into(),
        })?;
        let lower = factor.l();
        let failed = || Error::Factorisation { what: "reduced stiffness", reason: "singular".into() };
        let half = lower.solve_lower_triangular(mass).ok_or_else(failed)?;
        let inner = lower.solve_lower_triangular(&half.transpose()).ok_or_else(failed)?;
        let eigen = SymmetricEigen::new(symmetric(inner));
        let mut order: Vec<usize> = (0..eigen.eigenvalues.len()).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
        let raw = lower.tr_solve_lower_triangular(&eigen.eigenvectors.select_columns(&order)).ok_or_else(failed)?;
        let vectors = orthonormalise(raw, mass);
        let values = rayleigh(&vectors, &(stiffness * &vectors));
        Ok(Self { values, vectors, steps: 0 })
    }
}

/// (A + Aᵀ) / 2.
fn symmetric(a: DMatrix<f64>) -> DMatrix<f64> {
    (&a + a.transpose()) * 0.5
}

/// M-orthonormal columns by Gram–Schmidt from the first column on, run twice.
fn orthonormalise(mut x: DMatrix<f64>, mass: &DMatrix<f64>) -> DMatrix<f64> {
    for k in 0..x.ncols() {
        for _ in 0..2 {
            let mut column = x.column(k).into_owned();
            if k > 0 {
                let weighted = mass * &column;
                let before = x.columns(0, k);
                column -= before * before.tr_mul(&weighted);
            }
            let norm = column.dot(&(mass * &column)).max(0.0).sqrt();
            x.set_column(k, &(column / norm));
        }
    }
    x
}

fn rayleigh(x: &DMatrix<f64>, kx: &DMatrix<f64>) -> DVector<f64> {
    DVector::from_fn(x.ncols(), |i, _| x.column(i).dot(&kx.column(i)))
}

/// Rayleigh quotients of converged vectors, ascending.
fn sorted(stiffness: &Sparse, vectors: DMatrix<f64>, steps: usize) -> Modes {
    let values = rayleigh(&vectors, &stiffness.multiply(&vectors));
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    Modes {
        values: DVector::from_fn(order.len(), |i, _| values[order[i]]),
        vectors: vectors.select_columns(&order),
        steps,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A free chain of n unit masses and springs: λ_k = 4 sin²(π k / 2n).
    fn chain(n: usize) -> (Sparse, Sparse) {
        let mut k = Vec::new();
        for i in 0..n - 1 {
            k.extend([(i, i, 1.0), (i + 1, i + 1, 1.0), (i, i + 1, -1.0), (i + 1, i, -1.0)]);
        }
        let m: Vec<_> = (0..n).map(|i| (i, i, 1.0)).collect();
        (Sparse::from_triplets(n, &k).unwrap(), Sparse::from_triplets(n, &m).unwrap())
    }

    #[test]
    fn chain_eigenvalues_are_exact_sparse_and_dense() {
        for n in [40, 400] {
            let (k, m) = chain(n);
            let modes = Modes::sparse(&k, &m, Search::lowest(10, 1e-4)).unwrap();
            for (i, value) in modes.values.iter().enumerate() {
                let exact = 4.0 * (std::f64::consts::PI * i as f64 / (2.0 * n as f64)).sin().powi(2);
                assert!((value - exact).abs() < 1e-11 * exact.max(1e-3), "{n} {i} {value} {exact}");
            }
            let gram = m.project(&modes.vectors) - DMatrix::identity(10, 10);
            assert!(gram.amax() < 1e-12);
        }
    }

    #[test]
    fn multiple_eigenvalues_are_all_found() {
        let (k, m) = chain(60);
        let copies = |a: &Sparse| {
            let all: Vec<_> =
                (0..6).flat_map(|c| a.triplets().map(move |(i, j, v)| (i + 60 * c, j + 60 * c, v))).collect();
            Sparse::from_triplets(360, &all).unwrap()
        };
        let modes = Modes::sparse(&copies(&k), &copies(&m), Search::lowest(12, 1e-4)).unwrap();
        let first = 4.0 * (std::f64::consts::PI / 120.0).sin().powi(2);
        assert!(modes.values.rows(0, 6).amax() < 1e-12);
        assert!(modes.values.rows(6, 6).iter().all(|v| (v / first - 1.0).abs() < 1e-10));
    }

    #[test]
    fn indefinite_shifted_matrix_is_refused() {
        let (k, m) = chain(400);
        assert!(matches!(Modes::sparse(&k, &m, Search::lowest(3, -0.1)), Err(Error::Factorisation { .. })));
    }
}
