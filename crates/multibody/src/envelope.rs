//! Cholesky factorisation `G = L Lᵀ` of a sparse symmetric matrix in envelope (skyline) storage.
//!
//! Row `i` stores the columns from its first entry `f_i` to the diagonal. `L` fills the envelope of `G` and nothing
//! else:
//!
//! ```text
//! L_ij = (G_ij − Σ_{k ≥ max(f_i, f_j)} L_ik L_jk) / L_jj,   L_ii² = G_ii − Σ_{k ≥ f_i} L_ik²
//! ```
//!
//! Reference: A. George, J. W. Liu, *Computer Solution of Large Sparse Positive Definite Systems* (1981), ch. 4.

use macrostep_mlcp::dense::{Breakdown, dot};

/// A symmetric positive definite matrix, later its factor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Envelope {
    /// First column of each row.
    first: Vec<usize>,
    /// Place of column 0 of each row in `values`, were it stored (may be "negative", hence wrapping).
    origin: Vec<usize>,
    values: Vec<f64>,
}

impl Envelope {
    /// A zero matrix whose row `i` has entries from column `first[i] ≤ i`.
    pub fn new(first: Vec<usize>) -> Self {
        let (mut origin, mut length) = (Vec::with_capacity(first.len()), 0_usize);
        for (i, &f) in first.iter().enumerate() {
            origin.push(length.wrapping_sub(f));
            length += i + 1 - f;
        }
        Self { first, origin, values: vec![0.0; length] }
    }

    pub fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Adds to the entry in row `i`, column `j ≤ i`, which must lie in the envelope.
    pub fn add(&mut self, i: usize, j: usize, value: f64) {
        debug_assert!(self.first[i] <= j && j <= i);
        let at = self.origin[i].wrapping_add(j);
        self.values[at] += value;
    }

    fn row(&self, i: usize, from: usize, to: usize) -> &[f64] {
        &self.values[self.origin[i].wrapping_add(from)..self.origin[i].wrapping_add(to)]
    }

    /// Replaces the matrix by its factor.
    pub fn factor(&mut self) -> Result<(), Breakdown> {
        for i in 0..self.first.len() {
            let begin = self.first[i];
            for j in begin..i {
                let from = begin.max(self.first[j]);
                let sum = dot(self.row(i, from, j), self.row(j, from, j));
                let diagonal = self.row(j, j, j + 1)[0];
                let at = self.origin[i].wrapping_add(j);
                self.values[at] = (self.values[at] - sum) / diagonal;
            }
            let row = self.row(i, begin, i);
            let pivot = self.row(i, i, i + 1)[0] - dot(row, row);
            if pivot.is_nan() || pivot <= 0.0 {
                return Err(Breakdown { row: i, pivot });
            }
            let at = self.origin[i].wrapping_add(i);
            self.values[at] = pivot.sqrt();
        }
        Ok(())
    }

    /// `b ← L⁻¹ b`, where the entries of `b` before `start` are zero.
    pub fn forward(&self, b: &mut [f64], start: usize) {
        for i in start..self.first.len() {
            let from = self.first[i].max(start);
            b[i] = (b[i] - dot(self.row(i, from, i), &b[from..i])) / self.row(i, i, i + 1)[0];
        }
    }

    /// `b ← L⁻ᵀ b`.
    pub fn backward(&self, b: &mut [f64]) {
        for i in (0..self.first.len()).rev() {
            let value = b[i] / self.row(i, i, i + 1)[0];
            b[i] = value;
            let from = self.first[i];
            for (b, l) in b[from..i].iter_mut().zip(self.row(i, from, i)) {
                *b -= l * value;
            }
        }
    }

    /// Stored entries, a work count.
    pub fn stored(&self) -> usize {
        self.values.len()
    }
}

/// An order of the nodes of a graph that keeps neighbours close: reverse Cuthill–McKee from the best start.
///
/// `neighbours[i]` lists the nodes joined to `i`, `weight[i]` counts the rows of node `i`.
pub(crate) fn order(neighbours: &[Vec<usize>], weight: &[usize]) -> Vec<usize> {
    (0..neighbours.len())
        .map(|start| reverse_cuthill_mckee(neighbours, start))
        .min_by_key(|order| profile(neighbours, weight, order))
        .unwrap_or_default()
}

fn reverse_cuthill_mckee(neighbours: &[Vec<usize>], start: usize) -> Vec<usize> {
    let n = neighbours.len();
    let mut seen = vec![false; n];
    let mut order = Vec::with_capacity(n);
    // Components other than the first start at their node of least degree.
    let mut starts: Vec<usize> = (0..n).collect();
    starts.sort_by_key(|&i| (i != start, neighbours[i].len()));
    // Breadth first from each start, neighbours of least degree before others.
    for root in starts {
        if seen[root] {
            continue;
        }
        seen[root] = true;
        let mut head = order.len();
        order.push(root);
        while head < order.len() {
            let mut next: Vec<usize> = neighbours[order[head]].iter().copied().filter(|&j| !seen[j]).collect();
            next.sort_by_key(|&j| neighbours[j].len());
            for j in next {
                if !std::mem::replace(&mut seen[j], true) {
                    order.push(j);
                }
            }
            head += 1;
        }
    }
    // The reverse order has the smaller envelope.
    order.reverse();
    order
}

/// Entries of the envelope for an order.
fn profile(neighbours: &[Vec<usize>], weight: &[usize], order: &[usize]) -> usize {
    let mut begin = vec![0; order.len()];
    let mut total = 0;
    for &node in order {
        begin[node] = total;
        total += weight[node];
    }
    let width = |node: usize| {
        let first = neighbours[node].iter().map(|&j| begin[j]).chain([begin[node]]).min().unwrap_or(0);
        weight[node] * (begin[node] - first + weight[node])
    };
    order.iter().map(|&node| width(node)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factor_solves_an_arrow_matrix() {
        // Diagonal 4, last row full of ones.
        let n = 6;
        let mut first: Vec<usize> = (0..n).collect();
        first[n - 1] = 0;
        let mut matrix = Envelope::new(first);
        for i in 0..n {
            matrix.add(i, i, 4.0);
        }
        for j in 0..n - 1 {
            matrix.add(n - 1, j, 1.0);
        }
        assert_eq!(matrix.stored(), 5 + 6);
        matrix.factor().expect("positive definite");
        let mut x = vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
        matrix.forward(&mut x, 1);
        matrix.backward(&mut x);
        let product: Vec<f64> = (0..n)
            .map(|i| if i < n - 1 { 4.0 * x[i] + x[n - 1] } else { x[..n - 1].iter().sum::<f64>() + 4.0 * x[n - 1] })
            .collect();
        for (i, p) in product.iter().enumerate() {
            assert!((p - i as f64).abs() < 1e-13);
        }
    }

    #[test]
    fn a_chain_is_ordered_along_itself() {
        // A chain 0-3-1-4-2 gets bandwidth 1.
        let neighbours = vec![vec![3], vec![3, 4], vec![4], vec![0, 1], vec![1, 2]];
        let order = order(&neighbours, &[1; 5]);
        assert_eq!(profile(&neighbours, &[1; 5], &order), 9);
    }

    #[test]
    fn breakdown_is_reported() {
        let mut matrix = Envelope::new(vec![0, 0]);
        for (i, j) in [(0, 0), (1, 0), (1, 1)] {
            matrix.add(i, j, 1.0);
        }
        assert_eq!(matrix.factor().map_err(|b| b.row), Err(1));
    }
}
