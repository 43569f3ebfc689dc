//! Modified Gram–Schmidt, run twice, leaving out dependent columns.
//!
//! # References
//! [Giraud 2002] L. Giraud, J. Langou, *When modified Gram–Schmidt generates a well-conditioned set of vectors*, IMA J.
//! Numer. Anal. 22 (2002): once is not enough for numerically dependent columns, twice is.

use nalgebra::DMatrix;

/// A column is kept when its remainder exceeds this part of its norm.
pub const KEPT: f64 = 1e-8;

/// Orthonormal columns and where they come from.
#[derive(Debug, Clone, PartialEq)]
pub struct Orthonormal {
    /// Q, as many rows as the input, one column per independent input column.
    pub columns: DMatrix<f64>,
    /// Indices of the kept input columns.
    pub kept: Vec<usize>,
}

/// Orthonormalises the columns of `shapes` in order; zero and dependent columns are dropped.
pub fn orthonormalise(shapes: &DMatrix<f64>) -> Orthonormal {
    let mut q = DMatrix::zeros(shapes.nrows(), shapes.ncols().min(shapes.nrows()));
    let mut kept = Vec::new();
    for (index, column) in shapes.column_iter().enumerate() {
        // Only directions count, and there are at most as many as rows.
        let norm = column.norm();
        if norm == 0.0 || kept.len() == q.ncols() {
            continue;
        }
        let mut v = column / norm;
        // Twice: once leaves rounding of what was taken out.
        for _ in 0..2 {
            for k in 0..kept.len() {
                let share = q.column(k).dot(&v);
                v.axpy(-share, &q.column(k), 1.0);
            }
        }
        // What is left of a dependent column is rounding.
        let remainder = v.norm();
        if remainder > KEPT {
            q.set_column(kept.len(), &(v / remainder));
            kept.push(index);
        }
    }
    Orthonormal { columns: q.columns(0, kept.len()).into_owned(), kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hilbert_columns_become_orthonormal_and_dependent_ones_are_dropped() {
        let hilbert = DMatrix::from_fn(40, 12, |i, j| 1.0 / (i + j + 1) as f64);
        let mut all = hilbert.clone().resize_horizontally(14, 0.0);
        let sum = hilbert.column(1) * 2.0 - hilbert.column(3);
        all.set_column(13, &sum);
        let result = orthonormalise(&all);
        let rank = result.kept.len();
        assert!(rank < 12 && !result.kept.contains(&12) && !result.kept.contains(&13), "{:?}", result.kept);
        let gram = result.columns.tr_mul(&result.columns) - DMatrix::identity(rank, rank);
        assert!(gram.amax() < 1e-15);
    }
}
