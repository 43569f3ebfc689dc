//! Errors of the solver, each with a value that says where.

use thiserror::Error;

/// Faults of a [`crate::Problem`].
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Flaw {
    /// The arrays do not fit the number of rows.
    #[error("`{field}` has {found} entries, expected {expected}")]
    Size {
        /// The array.
        field: &'static str,
        /// Its length.
        found: usize,
        /// The length that fits.
        expected: usize,
    },
    /// A number is NaN, or infinite where that has no meaning.
    #[error("`{field}` of row {row} is {value}")]
    NotFinite {
        /// The array.
        field: &'static str,
        /// The row.
        row: usize,
        /// The offending number.
        value: f64,
    },
    /// The box is empty.
    #[error("row {row} has lower bound {lower} above upper bound {upper}")]
    EmptyBox {
        /// The row.
        row: usize,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// The matrix is not symmetric.
    #[error("matrix entries ({row}, {column}) and its mirror differ by {difference}")]
    Asymmetric {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// Absolute difference.
        difference: f64,
    },
    /// A friction row names a normal row that cannot be one.
    #[error("friction row {row} names row {normal} as its normal row")]
    Normal {
        /// The friction row.
        row: usize,
        /// The row it names: itself, another friction row, or none.
        normal: usize,
    },
}

/// Why there is no solution to return.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Failure {
    /// The statement is not a problem of this kind.
    #[error("ill-posed problem: {0}")]
    IllPosed(#[from] Flaw),
    /// The matrix of the active rows is not positive definite: redundant rows need some regularisation.
    #[error("active rows are dependent: pivot {pivot:e} at row {row}")]
    Singular {
        /// The row of the problem at which the factorisation broke down.
        row: usize,
        /// The pivot found there.
        pivot: f64,
    },
    /// The limit of iterations was reached.
    #[error("no solution after {iterations} iterations, residual {residual:e}, tolerance {tolerance:e}")]
    NotConverged {
        /// Pivots or sweeps done.
        iterations: usize,
        /// Natural residual of the last iterate.
        residual: f64,
        /// The residual that would have been accepted.
        tolerance: f64,
    },
    /// More rows than the method is meant for.
    #[error("{rows} rows, at most {limit} are possible here")]
    TooLarge {
        /// Rows of the problem.
        rows: usize,
        /// Rows the method accepts.
        limit: usize,
    },
}
