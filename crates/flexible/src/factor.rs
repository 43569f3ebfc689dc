//! Sparse factorisations: Cholesky for positive definite matrices, LU otherwise.

use crate::{Error, Sparse};
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Llt, Lu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{MatMut, Side};
use nalgebra::DMatrix;

/// A factorised square matrix.
pub enum Factor {
    /// A = L Lᵀ with a fill-reducing ordering.
    Cholesky(Llt<usize, f64>),
    /// A = L U with partial pivoting.
    Lu(Box<Lu<usize, f64>>),
}

fn library_view(matrix: &Sparse) -> SparseColMatRef<'_, usize, f64> {
    let (starts, rows, values) = matrix.parts();
    let size = matrix.size();
    SparseColMatRef::new(SymbolicSparseColMatRef::new_checked(size, size, starts, None, rows), values)
}

impl Factor {
    /// Cholesky factors of a symmetric positive definite matrix; `what` names it in the error.
    ///
    /// # Errors
    /// [`Error::Factorisation`] when a pivot is not positive.
    pub fn cholesky(matrix: &Sparse, what: &'static str) -> Result<Self, Error> {
        library_view(matrix)
            .sp_cholesky(Side::Lower)
            .map(Self::Cholesky)
            .map_err(|e| Error::Factorisation { what, reason: format!("{e:?}") })
    }

    /// LU factors of a regular matrix; `what` names it in the error.
    ///
    /// # Errors
    /// [`Error::Factorisation`] when the matrix is singular.
    pub fn lu(matrix: &Sparse, what: &'static str) -> Result<Self, Error> {
        library_view(matrix)
            .sp_lu()
            .map(|factor| Self::Lu(Box::new(factor)))
            .map_err(|e| Error::Factorisation { what, reason: format!("{e:?}") })
    }

    /// Solves A X = B for a dense n × k block.
    pub fn solve(&self, mut block: DMatrix<f64>) -> DMatrix<f64> {
        let (rows, columns) = block.shape();
        if rows > 0 && columns > 0 {
            let view = MatMut::from_column_major_slice_mut(block.as_mut_slice(), rows, columns);
            match self {
                Self::Cholesky(factor) => factor.solve_in_place(view),
                Self::Lu(factor) => factor.solve_in_place(view),
            }
        }
        block
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_factorisations_solve_and_singular_or_indefinite_matrices_are_refused() {
        let entries = [(0, 0, 4.0), (1, 1, 3.0), (2, 2, 5.0), (0, 1, 1.0), (1, 0, 1.0), (1, 2, -1.0), (2, 1, -1.0)];
        let a = Sparse::from_triplets(3, &entries).unwrap();
        let x = DMatrix::from_column_slice(3, 2, &[1.0, 2.0, 3.0, -1.0, 0.5, 2.0]);
        for factor in [Factor::cholesky(&a, "a").unwrap(), Factor::lu(&a, "a").unwrap()] {
            assert!((factor.solve(a.multiply(&x)) - &x).amax() < 1e-14);
        }
        assert!(Factor::cholesky(&a.map(|v| -v), "a").is_err());
        let singular = Sparse::from_triplets(2, &[(0, 0, 1.0)]).unwrap();
        assert!(Factor::lu(&singular, "a").is_err());
    }
}
