//! Square sparse matrices in compressed columns, full pattern (both triangles stored).
//!
//! # Notation
//! | symbol | meaning |
//! |---|---|
//! | A | square matrix, n × n |
//! | Φ | sparse map with few entries per row ([`RowMap`]), n × n̄ |
//! | Ā = Φᵀ A Φ | congruence, n̄ × n̄ |

use crate::Error;
use nalgebra::{DMatrix, DVector};

/// Square sparse matrix, compressed columns with sorted rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Sparse {
    size: usize,
    starts: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
}

/// A sparse rectangular map given row by row: row i is a list of (column, coefficient).
#[derive(Debug, Clone, PartialEq)]
pub struct RowMap {
    /// Number of columns n̄.
    pub columns: usize,
    /// Entries of each row.
    pub rows: Vec<Vec<(usize, f64)>>,
}

impl Sparse {
    /// Sums triplets (row, column, value) into an n × n matrix; equal positions add up.
    ///
    /// # Errors
    /// [`Error::Shape`] when an index is not below `size`.
    pub fn from_triplets(size: usize, triplets: &[(usize, usize, f64)]) -> Result<Self, Error> {
        // Entries of each column, and from these where columns begin.
        let mut starts = vec![0; size + 1];
        for &(row, column, _) in triplets {
            let largest = row.max(column);
            if largest >= size {
                return Err(Error::Shape { what: "matrix index", found: largest, expected: size });
            }
            starts[column + 1] += 1;
        }
        for column in 0..size {
            starts[column + 1] += starts[column];
        }
        // Triplets into their columns, in the order given.
        let mut next = starts.clone();
        let mut bucket = vec![(0, 0.0); triplets.len()];
        for &(row, column, value) in triplets {
            bucket[next[column]] = (row, value);
            next[column] += 1;
        }
        // Rows in order, and equal positions as one sum.
        let mut matrix = Self { size, starts: vec![0], rows: Vec::new(), values: Vec::new() };
        for column in 0..size {
            let entries = &mut bucket[starts[column]..starts[column + 1]];
            entries.sort_by_key(|entry| entry.0);
            let first = matrix.rows.len();
            // An entry at the row of the one before it adds to that.
            for &(row, value) in entries.iter() {
                match matrix.rows[first..].last() {
                    Some(&last) if last == row => {
                        if let Some(sum) = matrix.values.last_mut() {
                            *sum += value;
                        }
                    }
                    _ => {
                        matrix.rows.push(row);
                        matrix.values.push(value);
                    }
                }
            }
            matrix.starts.push(matrix.rows.len());
        }
        Ok(matrix)
    }

    /// Number of rows and columns.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Number of stored entries.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// Entries (row, value) of one column, rows ascending.
    pub fn column(&self, column: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[column]..self.starts[column + 1];
        self.rows[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// All entries (row, column, value), column by column.
    pub fn triplets(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.size).flat_map(move |c| self.column(c).map(move |(r, v)| (r, c, v)))
    }

    /// Value at (row, column), zero when not stored.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        let range = self.starts[column]..self.starts[column + 1];
        match self.rows[range.clone()].binary_search(&row) {
            Ok(position) => self.values[range.start + position],
            Err(_) => 0.0,
        }
    }

    /// Largest absolute entry.
    pub fn max_abs(&self) -> f64 {
        self.values.iter().fold(0.0, |m, v| m.max(v.abs()))
    }

    /// Frobenius norm.
    pub fn norm(&self) -> f64 {
        self.values.iter().map(|v| v * v).sum::<f64>().sqrt()
    }

    /// Y = A X for a dense n × k block.
    pub fn multiply(&self, x: &DMatrix<f64>) -> DMatrix<f64> {
        let mut y = DMatrix::zeros(self.size, x.ncols());
        for (k, xk) in x.column_iter().enumerate() {
            let mut yk = y.column_mut(k);
            for (column, &factor) in xk.iter().enumerate() {
                if factor != 0.0 {
                    for (row, value) in self.column(column) {
                        yk[row] += value * factor;
                    }
                }
            }
        }
        y
    }

    /// y = A x.
    pub fn apply(&self, x: &DVector<f64>) -> DVector<f64> {
        let mut y = DVector::zeros(self.size);
        for (column, &factor) in x.iter().enumerate() {
            for (row, value) in self.column(column) {
                y[row] += value * factor;
            }
        }
        y
    }

    /// Vᵀ A V, k × k.
    pub fn project(&self, v: &DMatrix<f64>) -> DMatrix<f64> {
        let mut product = v.tr_mul(&self.multiply(v));
        let transpose = product.transpose();
        product += transpose;
        product * 0.5
    }

    /// α A + β B, both n × n.
    ///
    /// # Errors
    /// [`Error::Shape`] when the sizes differ.
    pub fn combine(&self, alpha: f64, other: &Self, beta: f64) -> Result<Self, Error> {
        if self.size != other.size {
            let (found, expected) = (other.size, self.size);
            return Err(Error::Shape { what: "matrix size", found, expected });
        }
        let mut sum: Vec<_> = self.triplets().map(|(r, c, v)| (r, c, alpha * v)).collect();
        sum.extend(other.triplets().map(|(r, c, v)| (r, c, beta * v)));
        Self::from_triplets(self.size, &sum)
    }

    /// Ā = Φᵀ A Φ.
    ///
    /// # Errors
    /// [`Error::Shape`] when Φ does not have n rows.
    pub fn congruence(&self, map: &RowMap) -> Result<Self, Error> {
        if map.rows.len() != self.size {
            let (found, expected) = (map.rows.len(), self.size);
            return Err(Error::Shape { what: "rows of the connector map", found, expected });
        }
        let mut triplets = Vec::with_capacity(self.entries());
        for (row, column, value) in self.triplets() {
            for &(i, a) in &map.rows[row] {
                for &(j, b) in &map.rows[column] {
                    triplets.push((i, j, a * value * b));
                }
            }
        }
        Self::from_triplets(map.columns, &triplets)
    }

    /// The submatrix of the rows and columns listed in `keep` (ascending, unique).
    ///
    /// # Errors
    /// [`Error::Shape`] when an index is out of range.
    pub fn submatrix(&self, keep: &[usize]) -> Result<Self, Error> {
        let mut position = vec![usize::MAX; self.size];
        for (new, &old) in keep.iter().enumerate() {
            *position.get_mut(old).ok_or(Error::Shape { what: "matrix index", found: old, expected: self.size })? = new;
        }
        let kept: Vec<_> = self
            .triplets()
            .filter(|&(r, c, _)| position[r] != usize::MAX && position[c] != usize::MAX)
            .map(|(r, c, v)| (position[r], position[c], v))
            .collect();
        Self::from_triplets(keep.len(), &kept)
    }

    /// The same pattern with every value replaced by `f(value)`.
    pub fn map(&self, f: impl Fn(f64) -> f64) -> Self {
        let mut copy = self.clone();
        copy.values.iter_mut().for_each(|v| *v = f(*v));
        copy
    }

    /// Column starts, row indices and values, for a factorisation library.
    #[cfg(feature = "solve")]
    pub(crate) fn parts(&self) -> (&[usize], &[usize], &[f64]) {
        (&self.starts, &self.rows, &self.values)
    }
}

impl RowMap {
    /// Y = Φ X for a dense n̄ × k block.
    pub fn multiply(&self, x: &DMatrix<f64>) -> DMatrix<f64> {
        DMatrix::from_fn(self.rows.len(), x.ncols(), |row, k| {
            self.rows[row].iter().map(|&(column, a)| a * x[(column, k)]).sum()
        })
    }

    /// Φᵀ η, the dual of the map.
    pub fn dual(&self, load: &DVector<f64>) -> DVector<f64> {
        let mut sum = DVector::zeros(self.columns);
        for (row, entries) in self.rows.iter().enumerate() {
            for &(column, a) in entries {
                sum[column] += a * load[row];
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn congruence_equals_the_dense_product(
            entries in prop::collection::vec((0usize..6, 0usize..6, -1.0f64..1.0), 1..30),
            map in prop::collection::vec(prop::collection::vec((0usize..4, -1.0f64..1.0), 0..3), 6),
        ) {
            let a = Sparse::from_triplets(6, &entries).unwrap();
            let map = RowMap { columns: 4, rows: map };
            let dense = a.multiply(&DMatrix::identity(6, 6));
            let phi = map.multiply(&DMatrix::identity(4, 4));
            let expected = phi.transpose() * dense * phi;
            let found = a.congruence(&map).unwrap().multiply(&DMatrix::identity(4, 4));
            prop_assert!((found - expected).amax() < 1e-13);
        }
    }

    #[test]
    fn equal_positions_add_up_and_bad_indices_are_refused() {
        let a = Sparse::from_triplets(2, &[(1, 0, 2.0), (0, 0, 1.0), (1, 0, 3.0)]).unwrap();
        assert_eq!((a.get(0, 0), a.get(1, 0), a.get(0, 1), a.entries()), (1.0, 5.0, 0.0, 2));
        assert!(matches!(Sparse::from_triplets(2, &[(0, 2, 1.0)]), Err(Error::Shape { found: 2, .. })));
    }
}
