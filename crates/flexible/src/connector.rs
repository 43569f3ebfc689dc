//! Connectors: groups of slave nodes that follow a master node rigidly.
//!
//! ```text
//! u_s = u_m + θ × (R_s − R_m),   θ_s = θ_m            ξˢ = Φ̂ ξᵐ,   ηᵐ = Φ̂ᵀ ηˢ
//! ξ = Φ ξ̄,   K̄ = Φᵀ K Φ,   M̄ = Φᵀ M Φ
//! ```
//!
//! # Notation
//! | symbol | meaning |
//! |---|---|
//! | R_s, R_m | positions of a slave and of the master, m |
//! | u, θ | displacement, m, and small rotation, rad |
//! | ξ̄ | (masters of all connectors, six each; remaining degrees of freedom) |
//!
//! # References
//! [Zaiczek 2010] section 3, "Connector Definitions for the Mechanical Model".

use crate::structure::Dof;
use crate::{Chain, Error, Mesh, RowMap, Structure};
use nalgebra::{DMatrix, Matrix3, Vector3};

/// A connector by its slave nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Connector {
    /// Name, unique in a body.
    pub name: String,
    /// Position of the master node in m.
    pub position: Vector3<f64>,
    /// Indices of the slave nodes.
    pub nodes: Vec<usize>,
}

/// A structure whose connectors are tied.
#[derive(Debug, Clone)]
pub struct Tied {
    /// The matrices in tied coordinates: A₀ = K̄, A₂ = M̄; the null modes are the six rigid motions.
    pub chain: Chain,
    /// ξ = Φ ξ̄.
    pub map: RowMap,
    /// The connectors in the order of their masters.
    pub connectors: Vec<Connector>,
}

/// The matrix ã with ã b = a × b.
pub fn skew(a: &Vector3<f64>) -> Matrix3<f64> {
    a.cross_matrix()
}

impl Connector {
    /// The connector of a named surface or node set of a mesh, its master in the middle of their bounding box.
    ///
    /// # Errors
    /// [`Error::UnknownSet`] when the mesh has no such selection, [`Error::NoSlaves`] when it is empty.
    pub fn on(mesh: &Mesh, name: &str, selection: &str) -> Result<Self, Error> {
        let nodes = mesh.selection(selection)?;
        let positions = nodes.iter().map(|&n| mesh.nodes[n]);
        let low = positions.clone().reduce(|a, b| a.inf(&b));
        let high = positions.reduce(|a, b| a.sup(&b));
        match (low, high) {
            (Some(low), Some(high)) => Ok(Self { name: name.into(), position: (low + high) / 2.0, nodes }),
            _ => Err(Error::NoSlaves { connector: name.into() }),
        }
    }

    /// Coefficients of the master variables in one slave degree of freedom.
    fn row(&self, dof: Dof, position: Vector3<f64>, first: usize) -> Vec<(usize, f64)> {
        if dof.direction > 2 {
            return vec![(first + dof.direction, 1.0)];
        }
        // θ × d = −d̃ θ.
        let lever = -skew(&(position - self.position));
        let rotations = (0..3).map(|k| (first + 3 + k, lever[(dof.direction, k)]));
        std::iter::once((first + dof.direction, 1.0)).chain(rotations.filter(|e| e.1 != 0.0)).collect()
    }
}

impl Structure {
    /// Ties the connectors' slave nodes to their masters.
    ///
    /// # Errors
    /// [`Error::NoSlaves`], [`Error::SharedNode`], [`Error::RankDeficient`] for connectors that do not determine a
    /// rigid motion, [`Error::Shape`] for a node that does not exist.
    pub fn tie(&self, connectors: &[Connector]) -> Result<Tied, Error> {
        // Rows of Φ: slaves follow their master, and the rest keeps its own coordinate.
        let owner = self.owners(connectors)?;
        let mut columns = 6 * connectors.len();
        let masters = columns;
        let mut rows = Vec::with_capacity(self.dofs.len());
        for dof in &self.dofs {
            match owner[dof.node] {
                Some(c) => rows.push(connectors[c].row(*dof, self.nodes[dof.node], 6 * c)),
                None => {
                    rows.push(vec![(columns, 1.0)]);
                    columns += 1;
                }
            }
        }
        // A master must be moved by its slaves in all six directions.
        for (c, connector) in connectors.iter().enumerate() {
            self.check_rank(connector, &rows, &owner, c)?;
        }
        // Rigid motions about the origin in the new coordinates.
        let map = RowMap { columns, rows };
        let mut null = DMatrix::zeros(columns, 6);
        let rigid = self.rigid_modes(Vector3::zeros());
        for (row, entries) in map.rows.iter().enumerate() {
            if owner[self.dofs[row].node].is_none() {
                null.row_mut(entries[0].0).copy_from(&rigid.row(row));
            }
        }
        // Masters move by u = −R × θ.
        for (c, connector) in connectors.iter().enumerate() {
            null.view_mut((6 * c, 0), (6, 6)).fill_with_identity();
            let lever = -skew(&connector.position);
            null.view_mut((6 * c, 3), (3, 3)).copy_from(&lever);
        }
        // Matrices of the tied body: Φᵀ A Φ.
        let chain = Chain {
            a0: self.stiffness.congruence(&map)?,
            a1: None,
            a2: Some(self.mass.congruence(&map)?),
            null,
            width: 6,
            masters,
        };
        Ok(Tied { chain, map, connectors: connectors.to_vec() })
    }

    /// The connector each node belongs to.
    fn owners(&self, connectors: &[Connector]) -> Result<Vec<Option<usize>>, Error> {
        let mut owner: Vec<Option<usize>> = vec![None; self.nodes.len()];
        // No connector without slaves, and no node of two.
        for (c, connector) in connectors.iter().enumerate() {
            if connector.nodes.is_empty() {
                return Err(Error::NoSlaves { connector: connector.name.clone() });
            }
            for &node in &connector.nodes {
                let expected = self.nodes.len();
                let place = owner.get_mut(node).ok_or(Error::Shape { what: "slave node", found: node, expected })?;
                match *place {
                    // A node that is listed twice in one connector counts once.
                    Some(first) if first != c => {
                        return Err(Error::SharedNode {
                            node: self.labels[node],
                            first: connectors[first].name.clone(),
                            second: connector.name.clone(),
                        });
                    }
                    _ => *place = Some(c),
                }
            }
        }
        Ok(owner)
    }

    /// Refuses slave nodes that leave a motion of the master free (one node, or nodes on a line).
    fn check_rank(
        &self,
        connector: &Connector,
        rows: &[Vec<(usize, f64)>],
        owner: &[Option<usize>],
        index: usize,
    ) -> Result<(), Error> {
        let reach = connector
            .nodes
            .iter()
            .map(|&n| (self.nodes[n] - connector.position).norm())
            .fold(f64::MIN_POSITIVE, f64::max);
        let mut gram = nalgebra::Matrix6::<f64>::zeros();
        for (row, dof) in self.dofs.iter().enumerate().filter(|(_, d)| owner[d.node] == Some(index)) {
            // Rotations count with their reach, so that the rank does not depend on the unit of length.
            let scale = |k: usize| match (k < 3, dof.direction < 3) {
                (false, true) => 1.0 / reach,
                _ => 1.0,
            };
            let mut line = nalgebra::Vector6::zeros();
            rows[row].iter().for_each(|&(k, a)| line[k - 6 * index] = a * scale(k - 6 * index));
            gram += line * line.transpose();
        }
        let values = gram.symmetric_eigenvalues();
        let rank = values.iter().filter(|v| **v > 1e-12 * values.max()).count();
        if rank < 6 {
            let connector = connector.name.clone();
            return Err(Error::RankDeficient { connector, rank, expected: 6 });
        }
        Ok(())
    }
}
