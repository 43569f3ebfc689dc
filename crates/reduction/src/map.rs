//! The linear map between a reduced and a full interface, and its dual.
//!
//! ```text
//! T = Q Q_int⁻¹,   U_full = T U_int,   g = Tᵀ F_full   ⇒   F_full · δU_full = g · δU_int
//! ```
//!
//! Sending only the forces at the chosen nodes instead of g loses virtual work. T = T_s ⊗ I: the scalar matrix is stored,
//! and either applied directly (dense) or expanded ([`InterfaceMap::to_csr`]) for a master that applies general sparse maps.
//!
//! # Notation
//! | symbol | meaning |
//! |---|---|
//! | Q, Q_int | orthonormal scalar shapes at all and at the chosen nodes |
//! | T_s | scalar map, N × r |
//! | U, F | values per node and component, node-major |
//!
//! # References
//! [Peeters 2024] equations 2 and 3.

use crate::gram_schmidt::orthonormalise;
use crate::independence::effective_independence;
use crate::{Error, Shapes, Space};
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

/// Largest accepted condition number of Q_int.
pub const CONDITION_MAX: f64 = 1e8;

/// The map between reduced and full interface values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredMap")]
pub struct InterfaceMap {
    scalar: DMatrix<f64>,
    nodes: Vec<usize>,
    space: Space,
    condition: f64,
}

/// A map as it is read, before it is checked.
#[derive(Deserialize)]
struct StoredMap {
    scalar: DMatrix<f64>,
    nodes: Vec<usize>,
    space: Space,
    condition: f64,
}

impl TryFrom<StoredMap> for InterfaceMap {
    type Error = Error;

    fn try_from(stored: StoredMap) -> Result<Self, Error> {
        let StoredMap { scalar, nodes, space, condition } = stored;
        let (count, expected) = scalar.shape();
        if nodes.len() != expected {
            return Err(Error::Shape { what: "interface nodes", found: nodes.len(), expected });
        }
        match nodes.iter().find(|&&node| node >= count) {
            Some(&node) => Err(Error::BadNode { node, count }),
            None => Ok(Self { scalar, nodes, space, condition }),
        }
    }
}

/// A sparse matrix in compressed rows, made by [`InterfaceMap::to_csr`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Csr {
    columns: usize,
    starts: Vec<usize>,
    indices: Vec<usize>,
    values: Vec<f64>,
}

impl InterfaceMap {
    /// The map through the nodes that effective independence chooses.
    ///
    /// # Errors
    /// [`Error::TooFewNodes`], [`Error::Empty`], [`Error::IllConditioned`].
    pub fn new(shapes: &Shapes, space: Space) -> Result<Self, Error> {
        let q = orthonormalise(&shapes.scalar()).columns;
        let nodes = effective_independence(&q)?;
        Self::from_basis(&q, nodes, space)
    }

    /// The map through given nodes, as many as there are independent shapes.
    ///
    /// # Errors
    /// [`Error::BadNode`], [`Error::Shape`] for another number of nodes, [`Error::IllConditioned`] when they do not
    /// determine the shapes.
    pub fn through(shapes: &Shapes, nodes: &[usize], space: Space) -> Result<Self, Error> {
        Self::from_basis(&orthonormalise(&shapes.scalar()).columns, nodes.to_vec(), space)
    }

    pub(crate) fn from_basis(q: &DMatrix<f64>, nodes: Vec<usize>, space: Space) -> Result<Self, Error> {
        let (count, rank) = q.shape();
        if rank == 0 {
            return Err(Error::Empty);
        }
        // Each node once, and as many as the rank.
        let mut seen = vec![false; count];
        for &node in &nodes {
            match seen.get_mut(node) {
                Some(seen) if !*seen => *seen = true,
                _ => return Err(Error::BadNode { node, count }),
            }
        }
        if nodes.len() != rank {
            let (found, expected) = (nodes.len(), rank);
            return Err(Error::Shape { what: "interface nodes", found, expected });
        }
        // Nodes that nearly lose a coordinate would amplify rounding.
        let chosen = q.select_rows(&nodes);
        let singular = chosen.singular_values();
        let condition = singular.max() / singular.min();
        let refuse = Error::IllConditioned { condition, limit: CONDITION_MAX };
        if condition.is_nan() || condition > CONDITION_MAX {
            return Err(refuse);
        }
        // T Q_int = Q, solved by rows.
        let scalar = chosen.transpose().lu().solve(&q.transpose()).ok_or(refuse)?.transpose();
        Ok(Self { scalar, nodes, space, condition })
    }

    /// T_s, N × r.
    pub fn scalar(&self) -> &DMatrix<f64> {
        &self.scalar
    }

    /// The chosen nodes in the order of the reduced values.
    pub fn nodes(&self) -> &[usize] {
        &self.nodes
    }

    /// Components exchanged per node.
    pub fn space(&self) -> Space {
        self.space
    }

    /// Condition number of Q_int.
    pub fn condition(&self) -> f64 {
        self.condition
    }

    /// Number of values of the full interface.
    pub fn full_size(&self) -> usize {
        self.scalar.nrows() * self.space.components()
    }

    /// Number of values of the reduced interface.
    pub fn reduced_size(&self) -> usize {
        self.scalar.ncols() * self.space.components()
    }

    /// The values at the chosen nodes of a full vector.
    ///
    /// # Errors
    /// [`Error::Shape`] when the lengths do not fit.
    pub fn restrict(&self, full: &[f64], reduced: &mut [f64]) -> Result<(), Error> {
        self.check(full.len(), reduced.len())?;
        let c = self.space.components();
        for (values, &node) in reduced.chunks_exact_mut(c).zip(&self.nodes) {
            values.copy_from_slice(&full[c * node..c * (node + 1)]);
        }
        Ok(())
    }

    /// U_full = T U_int.
    ///
    /// # Errors
    /// [`Error::Shape`] when the lengths do not fit.
    pub fn expand(&self, reduced: &[f64], full: &mut [f64]) -> Result<(), Error> {
        self.check(full.len(), reduced.len())?;
        let c = self.space.components();
        full.fill(0.0);
        for (t, u) in self.scalar.column_iter().zip(reduced.chunks_exact(c)) {
            for (out, t) in full.chunks_exact_mut(c).zip(t.iter()) {
                out.iter_mut().zip(u).for_each(|(y, u)| *y += t * u);
            }
        }
        Ok(())
    }

    /// g = Tᵀ F_full.
    ///
    /// # Errors
    /// [`Error::Shape`] when the lengths do not fit.
    pub fn dual(&self, full: &[f64], reduced: &mut [f64]) -> Result<(), Error> {
        self.check(full.len(), reduced.len())?;
        let c = self.space.components();
        reduced.fill(0.0);
        for (t, g) in self.scalar.column_iter().zip(reduced.chunks_exact_mut(c)) {
            for (f, t) in full.chunks_exact(c).zip(t.iter()) {
                g.iter_mut().zip(f).for_each(|(g, f)| *g += t * f);
            }
        }
        Ok(())
    }

    /// T as a sparse matrix of the full interface.
    pub fn to_csr(&self) -> Csr {
        let (c, (rows, columns)) = (self.space.components(), self.scalar.shape());
        let mut csr = Csr { columns: c * columns, starts: vec![0], indices: Vec::new(), values: Vec::new() };
        for i in 0..rows {
            for d in 0..c {
                for j in 0..columns {
                    let value = self.scalar[(i, j)];
                    if value != 0.0 {
                        csr.indices.push(c * j + d);
                        csr.values.push(value);
                    }
                }
                csr.starts.push(csr.values.len());
            }
        }
        csr
    }

    fn check(&self, full: usize, reduced: usize) -> Result<(), Error> {
        let fit = |what, found, expected| {
            if found == expected { Ok(()) } else { Err(Error::Shape { what, found, expected }) }
        };
        fit("values of the full interface", full, self.full_size())?;
        fit("values of the reduced interface", reduced, self.reduced_size())
    }
}

impl Csr {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Entries (column, value) of one row; empty for a row that does not exist.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = match (self.starts.get(row), self.starts.get(row + 1)) {
            (Some(&from), Some(&to)) => from..to,
            _ => 0..0,
        };
        self.indices[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// y = T x; lengths are those of rows and columns.
    ///
    /// # Errors
    /// [`Error::Shape`] when the lengths do not fit.
    pub fn apply(&self, x: &[f64], y: &mut [f64]) -> Result<(), Error> {
        self.check(x.len(), y.len())?;
        for (y, range) in y.iter_mut().zip(self.starts.windows(2)) {
            let entries = range[0]..range[1];
            let pairs = self.indices[entries.clone()].iter().zip(&self.values[entries]);
            *y = pairs.map(|(&j, v)| v * x[j]).sum();
        }
        Ok(())
    }

    /// y = Tᵀ x; lengths are those of columns and rows.
    ///
    /// # Errors
    /// [`Error::Shape`] when the lengths do not fit.
    pub fn apply_transpose(&self, x: &[f64], y: &mut [f64]) -> Result<(), Error> {
        self.check(y.len(), x.len())?;
        y.fill(0.0);
        for (x, range) in x.iter().zip(self.starts.windows(2)) {
            for entry in range[0]..range[1] {
                y[self.indices[entry]] += self.values[entry] * x;
            }
        }
        Ok(())
    }

    fn check(&self, columns: usize, rows: usize) -> Result<(), Error> {
        let expected = self.starts.len().saturating_sub(1);
        if columns != self.columns {
            return Err(Error::Shape { what: "columns of the map", found: columns, expected: self.columns });
        }
        if rows != expected {
            return Err(Error::Shape { what: "rows of the map", found: rows, expected });
        }
        Ok(())
    }
}

/// |F · δU_full − g · δU_int| / (|F| |δU_full|): zero to rounding when forces go back by the dual.
pub fn virtual_work_defect(force: &[f64], full: &[f64], dual_force: &[f64], reduced: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let scale = (dot(force, force) * dot(full, full)).sqrt();
    let defect = (dot(force, full) - dot(dual_force, reduced)).abs();
    if scale > 0.0 { defect / scale } else { defect }
}
