//! Effective independence: which nodes determine the coordinates best.
//!
//! ```text
//! E_D = diag(Q A⁻¹ Qᵀ),  A = Qᵀ Q          e_i = 1: without row i the coordinates are lost
//! delete the row with the smallest e_i:  A⁻¹ ← A⁻¹ + v vᵀ/(1 − e_i),  v = A⁻¹ q_i,  e_j ← e_j + (q_j·v)²/(1 − e_i)
//! ```
//!
//! # Notation
//! | symbol | meaning |
//! |---|---|
//! | Q | orthonormal scalar shapes, N × r |
//! | q_i | row i of Q |
//! | E_D | effective independence distribution |
//!
//! # References
//! [Kammer 1991] D. C. Kammer, *Sensor Placement for On-Orbit Modal Identification and Correlation of Large Space
//! Structures*, J. Guidance 14 (1991), equations 10 to 14.

use crate::Error;
use nalgebra::{DMatrix, DVector};

/// Values this close count as equal; the first node then goes, so that rounding does not decide (a symmetric body has
/// pairs of equal values).
const TIE: f64 = 1e-9;

/// The rank-many rows of Q (N × r) that remain, ascending.
///
/// # Errors
/// [`Error::TooFewNodes`] when N < r, [`Error::Empty`] when r = 0.
pub fn effective_independence(q: &DMatrix<f64>) -> Result<Vec<usize>, Error> {
    let (nodes, rank) = q.shape();
    if rank == 0 {
        return Err(Error::Empty);
    }
    if nodes < rank {
        return Err(Error::TooFewNodes { nodes, rank });
    }
    // A⁻¹, and the independence of each row.
    let singular = Error::IllConditioned { condition: f64::INFINITY, limit: crate::map::CONDITION_MAX };
    let mut inverse = q.tr_mul(q).try_inverse().ok_or(singular)?;
    let mut value: Vec<f64> = (0..nodes).map(|i| (q.row(i) * &inverse * q.row(i).transpose())[0]).collect();
    let mut left: Vec<usize> = (0..nodes).collect();
    // The least one goes; of rows that are equal but for rounding, the first.
    while left.len() > rank {
        let smallest = left.iter().map(|&i| value[i]).fold(f64::INFINITY, f64::min);
        let Some(place) = left.iter().position(|&i| value[i] <= smallest + TIE) else {
            break;
        };
        let gone = left.remove(place);
        // A⁻¹ and the independence of the others follow by an update of rank 1.
        let v: DVector<f64> = &inverse * q.row(gone).transpose();
        let gap = 1.0 - value[gone];
        for &j in &left {
            let share = q.row(j).transpose().dot(&v);
            value[j] += share * share / gap;
        }
        inverse.ger(1.0 / gap, &v, &v, 1.0);
    }
    Ok(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same selection with E_D computed afresh after every deletion.
    fn plainly(q: &DMatrix<f64>) -> Vec<usize> {
        let mut left: Vec<usize> = (0..q.nrows()).collect();
        while left.len() > q.ncols() {
            let rows = q.select_rows(&left);
            let inverse = rows.tr_mul(&rows).try_inverse().unwrap();
            let e: Vec<f64> = (0..left.len()).map(|i| (rows.row(i) * &inverse * rows.row(i).transpose())[0]).collect();
            let smallest = e.iter().copied().fold(f64::INFINITY, f64::min);
            left.remove(e.iter().position(|v| *v <= smallest + TIE).unwrap());
        }
        left
    }

    #[test]
    fn updates_agree_with_the_plain_method() {
        let shapes = DMatrix::from_fn(60, 7, |i, j| (i as f64 / 59.0 * 2.5).powi(j as i32));
        let q = crate::gram_schmidt::orthonormalise(&shapes).columns;
        let chosen = effective_independence(&q).unwrap();
        assert_eq!(chosen, plainly(&q));
        // Both ends belong to every good choice for polynomials.
        assert!(chosen.first() == Some(&0) && chosen.last() == Some(&59));
    }

    #[test]
    fn too_few_nodes_are_refused() {
        let q = DMatrix::identity(3, 3).resize_vertically(2, 0.0);
        assert_eq!(effective_independence(&q), Err(Error::TooFewNodes { nodes: 2, rank: 3 }));
    }
}
