//! Model order reduction ξ ≈ V q: Craig–Bampton, Krylov moment matching, modal truncation.
//!
//! Every basis must contain the null modes of A₀ (the rigid motions of a body): without them the reduced body could
//! not move, so a basis that misses one is refused.
//!
//! # Notation
//! | symbol | meaning |
//! |---|---|
//! | V | basis, n × r |
//! | b, i | connector ("boundary") and inner coordinates |
//!
//! # References
//! [Zaiczek 2010] section 3, "Model Order Reduction": "Reduction matrix V must include rigid body modes".

mod craig_bampton;
mod krylov;
mod modal;
mod report;

pub use crate::method::Method;
pub use report::Report;

use crate::{Chain, Error, Sparse};
use nalgebra::{DMatrix, DVector};

/// A reduction basis that contains the null modes.
#[derive(Debug, Clone)]
pub struct Basis {
    /// V, n × r, linearly independent columns.
    pub vectors: DMatrix<f64>,
    /// Where it comes from.
    pub method: Method,
    /// What the user should know about it.
    pub warnings: Vec<String>,
}

/// Largest relative remainder of a null mode outside the span.
const NULL_TOLERANCE: f64 = 1e-7;

impl Basis {
    /// A basis of given vectors, n × r.
    ///
    /// # Errors
    /// [`Error::Shape`] for a wrong number of rows, [`Error::DependentBasis`] for dependent columns,
    /// [`Error::MissingRigidMode`] when a null mode is outside the span.
    pub fn given(chain: &Chain, vectors: DMatrix<f64>) -> Result<Self, Error> {
        Self::checked(chain, vectors, Method::Given, Vec::new())
    }

    fn checked(chain: &Chain, vectors: DMatrix<f64>, method: Method, warnings: Vec<String>) -> Result<Self, Error> {
        let (found, expected) = (vectors.nrows(), chain.size());
        if found != expected {
            return Err(Error::Shape { what: "rows of the reduction basis", found, expected });
        }
        let (columns, orthonormal) = (vectors.ncols(), independent(&vectors, None, 1e-10));
        if orthonormal.ncols() < columns {
            return Err(Error::DependentBasis { rank: orthonormal.ncols(), columns });
        }
        for (mode, null) in chain.null.column_iter().enumerate() {
            let outside = null - &orthonormal * orthonormal.tr_mul(&null);
            let remainder = outside.norm() / null.norm();
            if remainder > NULL_TOLERANCE {
                return Err(Error::MissingRigidMode { mode, remainder });
            }
        }
        Ok(Self { vectors, method, warnings })
    }

    /// Number of reduced coordinates r.
    pub fn size(&self) -> usize {
        self.vectors.ncols()
    }

    /// Orthonormal columns N (r × (r − width)) with zero motion of connector `reference`: V_ref N = 0.
    ///
    /// # Errors
    /// [`Error::NoConnector`] or, when the basis does not move the connector freely, [`Error::DependentBasis`].
    pub fn fixed(&self, chain: &Chain, reference: usize) -> Result<DMatrix<f64>, Error> {
        let (width, count) = (chain.width, chain.connectors());
        if reference >= count {
            return Err(Error::NoConnector { index: reference, count });
        }
        let rows = self.vectors.rows(width * reference, width).transpose();
        let range = independent(&rows, None, 1e-10);
        if range.ncols() < width {
            return Err(Error::DependentBasis { rank: range.ncols(), columns: width });
        }
        Ok(complement(range))
    }
}

/// Columns of `x` made orthonormal (in `metric` if given) by Gram–Schmidt run twice; a column whose remainder is below
/// `tolerance` of its norm is left out.
fn independent(x: &DMatrix<f64>, metric: Option<&Sparse>, tolerance: f64) -> DMatrix<f64> {
    let weigh = |v: &DVector<f64>| match metric {
        Some(m) => m.apply(v),
        None => v.clone(),
    };
    let mut kept = DMatrix::zeros(x.nrows(), x.ncols());
    let mut count = 0;
    for column in x.column_iter() {
        let mut v = column.into_owned();
        let before = v.dot(&weigh(&v)).max(0.0).sqrt();
        for _ in 0..2 {
            let q = kept.columns(0, count);
            v -= q * q.tr_mul(&weigh(&v));
        }
        let after = v.dot(&weigh(&v)).max(0.0).sqrt();
        if after > tolerance * before {
            kept.set_column(count, &(v / after));
            count += 1;
        }
    }
    kept.columns(0, count).into_owned()
}

/// Orthonormal basis of the complement of orthonormal columns, from unit vectors, the most independent first.
fn complement(range: DMatrix<f64>) -> DMatrix<f64> {
    let (n, width) = range.shape();
    let mut all = range.resize_horizontally(n, 0.0);
    for count in width..n {
        let remainder = |j: usize| 1.0 - (0..count).map(|k| all[(j, k)] * all[(j, k)]).sum::<f64>();
        let best = (0..n).fold(0, |best, j| if remainder(j) > remainder(best) + 1e-12 { j } else { best });
        let mut v = DVector::zeros(n);
        v[best] = 1.0;
        for _ in 0..2 {
            let q = all.columns(0, count);
            v -= q * q.tr_mul(&v);
        }
        all.set_column(count, &v.normalize());
    }
    all.columns(width, n - width).into_owned()
}

/// The coordinates not in the given range.
fn others(size: usize, range: std::ops::Range<usize>) -> Vec<usize> {
    (0..size).filter(|i| !range.contains(i)).collect()
}
