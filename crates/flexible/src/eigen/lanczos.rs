//! The growing basis of the block Lanczos method; equations in [`crate::eigen`].

use super::{Modes, Search, sorted, symmetric};
use crate::{Error, Factor, Sparse};
use nalgebra::{DMatrix, DVector, SymmetricEigen};

/// The growing basis.
pub(super) struct Lanczos<'a> {
    mass: &'a Sparse,
    factor: &'a Factor,
    search: Search,
    basis: DMatrix<f64>,
    weighted: DMatrix<f64>,
    projected: DMatrix<f64>,
    seed: u64,
}

impl<'a> Lanczos<'a> {
    pub(super) fn new(mass: &'a Sparse, factor: &'a Factor, search: Search) -> Self {
        let empty = DMatrix::zeros(mass.size(), 0);
        let projected = DMatrix::zeros(0, 0);
        Self { mass, factor, search, basis: empty.clone(), weighted: empty, projected, seed: 1 }
    }

    pub(super) fn run(mut self, stiffness: &Sparse) -> Result<Modes, Error> {
        let (n, b) = (self.mass.size(), self.search.block);
        let start = DMatrix::from_fn(n, b, |_, _| self.random());
        let (mut block, _) = self.orthonormal(start);
        let mut worst = (0, f64::INFINITY);
        for step in 1..=self.search.steps_max {
            let first = self.append(&block);
            // W = (K + s M)⁻¹ M Qⱼ, made M-orthogonal to the whole basis, twice.
            let mut w = self.factor.solve(self.weighted.columns(first, b).into_owned());
            let mut h = self.weighted.tr_mul(&w);
            w -= &self.basis * &h;
            let again = self.weighted.tr_mul(&w);
            w -= &self.basis * &again;
            h += again;
            // The projected operator grows by the new columns and, by symmetry, rows.
            let size = self.basis.ncols();
            let mut projected = DMatrix::zeros(size, size);
            projected.view_mut((0, 0), (first, first)).copy_from(&self.projected);
            projected.columns_mut(first, b).copy_from(&h);
            projected.rows_mut(first, b).copy_from(&h.transpose());
            self.projected = symmetric(projected);
            // What is left of W begins the next block; once there are pairs enough, their residuals decide.
            let (next, coupling) = self.orthonormal(w);
            if size >= self.search.count {
                let (ritz, residual) = self.ritz(&coupling);
                worst = residual;
                if worst.1 < self.search.tolerance {
                    let vectors = &self.basis * ritz;
                    return Ok(sorted(stiffness, vectors, step));
                }
            }
            if size + b > n {
                break;
            }
            block = next;
        }
        let Search { steps_max: steps, tolerance, .. } = self.search;
        Err(Error::Eigen { index: worst.0, residual: worst.1, steps, tolerance })
    }

    /// Ritz vectors (in the basis) of the largest θ and the worst relative residual among them.
    fn ritz(&self, coupling: &DMatrix<f64>) -> (DMatrix<f64>, (usize, f64)) {
        let eigen = SymmetricEigen::new(self.projected.clone());
        let mut order: Vec<usize> = (0..eigen.eigenvalues.len()).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
        order.truncate(self.search.count);
        let vectors = eigen.eigenvectors.select_columns(&order);
        let last = self.projected.nrows() - self.search.block;
        let mut worst = (0, 0.0);
        for (i, &k) in order.iter().enumerate() {
            let bottom = vectors.view((last, i), (self.search.block, 1));
            let residual = (coupling * bottom).norm() / eigen.eigenvalues[k].abs();
            if residual > worst.1 {
                worst = (i, residual);
            }
        }
        (vectors, worst)
    }

    /// Adds a block to the basis and returns the index of its first column.
    fn append(&mut self, block: &DMatrix<f64>) -> usize {
        let first = self.basis.ncols();
        let weighted = self.mass.multiply(block);
        let grow = |old: &mut DMatrix<f64>, new: &DMatrix<f64>| {
            let taken = std::mem::replace(old, DMatrix::zeros(0, 0));
            *old = taken.resize_horizontally(first + new.ncols(), 0.0);
            old.columns_mut(first, new.ncols()).copy_from(new);
        };
        grow(&mut self.basis, block);
        grow(&mut self.weighted, &weighted);
        first
    }

    /// W = Q R with QᵀMQ = I and Q M-orthogonal to the basis; a vanishing column is replaced by a random one.
    fn orthonormal(&mut self, mut w: DMatrix<f64>) -> (DMatrix<f64>, DMatrix<f64>) {
        let b = w.ncols();
        let mut r = DMatrix::zeros(b, b);
        // A column is taken for zero by the size of the largest.
        let scale = w.column_iter().fold(0.0_f64, |m, c| m.max(c.norm()));
        for k in 0..b {
            let vanished = w.column(k).norm() <= 1e-14 * scale;
            if vanished {
                let fresh = DVector::from_fn(w.nrows(), |_, _| self.random());
                w.set_column(k, &fresh);
            }
            // Gram–Schmidt in M, twice: once leaves rounding of the part that was taken out.
            for _ in 0..2 {
                let mut column = w.column(k).into_owned();
                let mc = self.mass.apply(&column);
                column -= &self.basis * self.basis.tr_mul(&mc);
                for j in 0..k {
                    let share = w.column(j).dot(&mc);
                    column.axpy(-share, &w.column(j), 1.0);
                    if !vanished {
                        r[(j, k)] += share;
                    }
                }
                w.set_column(k, &column);
            }
            // To length 1 in M; a random column has no share in W.
            let column = w.column(k).into_owned();
            let norm = column.dot(&self.mass.apply(&column)).sqrt();
            r[(k, k)] = if vanished { 0.0 } else { norm };
            w.set_column(k, &(column / norm));
        }
        (w, r)
    }

    /// Reproducible numbers in [−0.5, 0.5).
    fn random(&mut self) -> f64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    }
}
