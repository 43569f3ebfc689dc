//! A discretised elastic structure: nodes, degrees of freedom, stiffness and mass.
//!
//! ```text
//! M ξ̈ + K ξ = η
//! ```
//!
//! # Notation
//! | symbol | meaning |
//! |---|---|
//! | ξ | displacements (m) and rotations (rad) of the nodes |
//! | η | forces (N) and torques (N m) on the nodes |
//! | m | mass scalars per node pair, M = m ⊗ I₃ for solids |
//!
//! # References
//! [Zaiczek 2010] section 3, "Discretization".

use crate::element::beam::Beam;
use crate::mesh::Element;
use crate::{Error, Material, Mesh, Sparse};
use nalgebra::{DMatrix, Vector3};

/// One degree of freedom: a displacement (direction 0, 1, 2) or rotation (3, 4, 5) of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dof {
    /// Node index.
    pub node: usize,
    /// 0 to 2: displacement along x, y, z; 3 to 5: rotation about x, y, z.
    pub direction: usize,
}

/// The elements that the matrices of a structure were assembled from, for stresses and for the places of the mass.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Assembly {
    /// They were given as they are.
    #[default]
    Matrices,
    /// Solid elements of one material, with their labels; rows are three displacements a node, node-major.
    Solids(Vec<Element>, Vec<usize>, Material),
    /// Beams of one material; rows are six coordinates a node, node-major.
    Beams(Vec<Beam>, Material),
}

/// A mass below this part of the size of its entries is none.
const NO_MASS: f64 = 1e-6;

/// Matrices of a body before connectors are defined.
#[derive(Debug, Clone)]
pub struct Structure {
    /// Node positions in m.
    pub nodes: Vec<Vector3<f64>>,
    /// Node labels of the source.
    pub labels: Vec<usize>,
    /// Meaning of each row of the matrices.
    pub dofs: Vec<Dof>,
    /// Stiffness K, symmetric, in N/m (N m/rad for rotations).
    pub stiffness: Sparse,
    /// Mass M, symmetric, in kg (kg m² for rotations).
    pub mass: Sparse,
    /// What the matrices were assembled from.
    pub assembly: Assembly,
}

impl Structure {
    /// Checks sizes and puts given matrices together.
    ///
    /// # Errors
    /// [`Error::Shape`] when the sizes do not fit or a degree of freedom names no node, [`Error::NoMass`] for a body without mass.
    pub fn new(
        nodes: Vec<Vector3<f64>>,
        labels: Vec<usize>,
        dofs: Vec<Dof>,
        stiffness: Sparse,
        mass: Sparse,
    ) -> Result<Self, Error> {
        let check = |what, found, expected| {
            if found == expected { Ok(()) } else { Err(Error::Shape { what, found, expected }) }
        };
        check("node labels", labels.len(), nodes.len())?;
        check("rows of the stiffness matrix", stiffness.size(), dofs.len())?;
        check("rows of the mass matrix", mass.size(), dofs.len())?;
        for dof in &dofs {
            if dof.node >= nodes.len() || dof.direction > 5 {
                let (found, expected) = (dof.node, nodes.len());
                return Err(Error::Shape { what: "degree of freedom", found, expected });
            }
        }
        // The mass of a motion along x is no difference of larger numbers; of a stiffness it is.
        let along = mass.triplets().filter(|(i, j, _)| dofs[*i].direction == 0 && dofs[*j].direction == 0);
        let (mass_kg, size) = along.fold((0.0, 0.0), |(sum, size), (_, _, m)| (sum + m, size + f64::abs(m)));
        if mass_kg <= NO_MASS * size {
            return Err(Error::NoMass { mass_kg });
        }
        Ok(Self { nodes, labels, dofs, stiffness, mass, assembly: Assembly::Matrices })
    }

    /// Assembles the matrices of a solid mesh, three displacements per node, node-major.
    ///
    /// # Errors
    /// [`Error::Jacobian`] for an inverted element; [`Error::Unsupported`] for elements with and without nodes in the middle of
    /// edges in one mesh.
    pub fn solid(mesh: &Mesh, material: &Material) -> Result<Self, Error> {
        // Edges with and without nodes in their middle leave gaps where they meet.
        let first = mesh.elements.first().is_some_and(|e| e.solid.is_quadratic());
        if mesh.elements.iter().any(|e| e.solid.is_quadratic() != first) {
            let what = "C3D8I beside elements of second order: they do not fit together where they meet";
            return Err(Error::Unsupported(what.into()));
        }
        // Each element's matrices at the rows and columns of its nodes; the mass is the same in all directions.
        let pairs: usize = mesh.elements.iter().map(|e| e.nodes.len().pow(2)).sum();
        let mut stiffness = Vec::with_capacity(9 * pairs);
        let mut mass = Vec::with_capacity(3 * pairs);
        for (index, Element { solid, nodes }) in mesh.elements.iter().enumerate() {
            let element = solid.matrices(&mesh.element_nodes(index), material, mesh.element_labels[index])?;
            for (j, &nj) in nodes.iter().enumerate() {
                for (i, &ni) in nodes.iter().enumerate() {
                    for b in 0..3 {
                        for a in 0..3 {
                            let value = element.stiffness[(3 * i + a, 3 * j + b)];
                            stiffness.push((3 * ni + a, 3 * nj + b, value));
                        }
                        mass.push((3 * ni + b, 3 * nj + b, element.mass[(i, j)]));
                    }
                }
            }
        }
        // Triplets that meet add up.
        let size = 3 * mesh.nodes.len();
        let dofs = (0..size).map(|i| Dof { node: i / 3, direction: i % 3 }).collect();
        let (stiffness, mass) = (Sparse::from_triplets(size, &stiffness)?, Sparse::from_triplets(size, &mass)?);
        let structure = Self::new(mesh.nodes.clone(), mesh.node_labels.clone(), dofs, stiffness, mass)?;
        let assembly = Assembly::Solids(mesh.elements.clone(), mesh.element_labels.clone(), *material);
        Ok(Self { assembly, ..structure })
    }

    /// The six rigid motions, n × 6: translations along x, y, z, rotations about axes through `origin` (m).
    pub fn rigid_modes(&self, origin: Vector3<f64>) -> DMatrix<f64> {
        DMatrix::from_fn(self.dofs.len(), 6, |row, mode| {
            let Dof { node, direction } = self.dofs[row];
            let axis = Vector3::ith(mode % 3, 1.0);
            match (mode < 3, direction < 3) {
                (true, true) => axis[direction],
                (true, false) => 0.0,
                (false, true) => axis.cross(&(self.nodes[node] - origin))[direction],
                (false, false) => axis[direction - 3],
            }
        })
    }

    /// Total mass in kg, from a translation along x.
    pub fn mass_kg(&self) -> f64 {
        let along = self.rigid_modes(Vector3::zeros()).columns(0, 1).into_owned();
        self.mass.project(&along)[(0, 0)]
    }

    /// The mass scalars m, N × N, of a body of solids.
    ///
    /// # Errors
    /// [`Error::RotationalInertia`] when a node has rotations, [`Error::Shape`] when a displacement is missing,
    /// [`Error::MassNotScalar`] when M is not m ⊗ I₃ to 1e-9 of its largest entry.
    pub fn nodal_mass(&self) -> Result<Sparse, Error> {
        // Displacements of all nodes, and nothing else.
        if let Some(dof) = self.dofs.iter().find(|d| d.direction > 2) {
            return Err(Error::RotationalInertia { node: self.labels[dof.node] });
        }
        let count = self.nodes.len();
        if self.dofs.len() != 3 * count {
            let (found, expected) = (self.dofs.len(), 3 * count);
            return Err(Error::Shape { what: "displacements of all nodes", found, expected });
        }
        // Directions must not be coupled; m is the mean over the three.
        let mut triplets = Vec::with_capacity(self.mass.entries() / 3);
        let mut parts = [Vec::new(), Vec::new(), Vec::new()];
        let scale = self.mass.max_abs();
        let not_scalar = |first: usize, second: usize, value: f64| Error::MassNotScalar {
            first: self.labels[first],
            second: self.labels[second],
            relative: value.abs() / scale,
        };
        for (row, column, value) in self.mass.triplets() {
            let (a, b) = (self.dofs[row], self.dofs[column]);
            if a.direction == b.direction {
                parts[a.direction].push((a.node, b.node, value));
                triplets.push((a.node, b.node, value / 3.0));
            } else if value.abs() > 1e-9 * scale {
                return Err(not_scalar(a.node, b.node, value));
            }
        }
        // Each direction must be that mean.
        let mean = Sparse::from_triplets(count, &triplets)?;
        for part in parts {
            let difference = Sparse::from_triplets(count, &part)?.combine(1.0, &mean, -1.0)?;
            for (first, second, value) in difference.triplets() {
                if value.abs() > 1e-9 * scale {
                    return Err(not_scalar(first, second, value));
                }
            }
        }
        Ok(mean)
    }
}
