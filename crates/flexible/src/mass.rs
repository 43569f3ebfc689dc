//! The mass of a structure as points that move with its coordinates.
//!
//! ```text
//! x_p = R_p + N_p ξ,   M = Σ m_pr N_pᵀ N_r
//! ```
//!
//! The moving frame takes inertia from positions of masses alone, so that rotational inertia (the forces η_c of a connector
//! among it) needs no terms of its own: it is that of masses beside the axis.
//!
//! * *Solids*: the points are the nodes, with one mass scalar a pair; a connector turns the nodes that follow it.
//! * *Beams*: four masses around the axis at four places of each element, with the section's second moments. A section without
//!   shear areas has no rotational inertia about its own y and z, as in its mass matrix.
//!
//! # Notation
//! | symbol | meaning | unit |
//! |---|---|---|
//! | N_p | displacement of point p by the coordinates | m, m/rad |
//! | m_pr | mass scalar of a pair of points | kg |

use crate::element::beam::Beam;
use crate::structure::Assembly;
use crate::{Error, Material, RowMap, Sparse, Structure};
use nalgebra::{DMatrix, DVector, SMatrix, Vector3};

/// The points and their masses.
#[derive(Debug, Clone)]
pub struct MassPoints {
    /// R_p, undeformed positions in m.
    pub positions: Vec<Vector3<f64>>,
    /// Rows of N along x, y and z.
    pub displacement: [RowMap; 3],
    /// m_pr in kg.
    pub mass: Sparse,
}

/// What the points are collected in.
struct Collected {
    positions: Vec<Vector3<f64>>,
    rows: [Vec<Vec<(usize, f64)>>; 3],
    masses: Vec<(usize, usize, f64)>,
}

impl Structure {
    /// Where the mass is.
    ///
    /// # Errors
    /// Those of [`Structure::nodal_mass`] for given matrices: where the mass is beside a node they do not tell.
    pub fn mass_points(&self) -> Result<MassPoints, Error> {
        let size = self.dofs.len();
        let mut all =
            Collected { positions: Vec::new(), rows: [Vec::new(), Vec::new(), Vec::new()], masses: Vec::new() };
        match &self.assembly {
            Assembly::Beams(beams, material) => beams.iter().for_each(|beam| all.beam(beam, &self.nodes, material)),
            Assembly::Matrices | Assembly::Solids(..) => all.nodes(self)?,
        }
        let mass = Sparse::from_triplets(all.positions.len(), &all.masses)?;
        let displacement = all.rows.map(|rows| RowMap { columns: size, rows });
        Ok(MassPoints { positions: all.positions, displacement, mass })
    }
}

impl Collected {
    /// One more point; returns its number.
    fn point(&mut self, position: Vector3<f64>, rows: [Vec<(usize, f64)>; 3]) -> usize {
        self.positions.push(position);
        self.rows.iter_mut().zip(rows).for_each(|(all, row)| all.push(row));
        self.positions.len() - 1
    }

    /// Four masses around the axis at each place of a beam.
    fn beam(&mut self, beam: &Beam, nodes: &[Vector3<f64>], material: &Material) {
        let Some((axes, length, stations)) = beam.stations(nodes, material) else { return };
        let section = &beam.section;
        let column = |i: usize| 6 * beam.nodes[i / 6] + i % 6;
        let reach = [section.second_z_m4, section.second_y_m4].map(|second| (2.0 * second / section.area_m2).sqrt());
        for station in stations {
            let share = 0.25 * material.density_kg_m3 * section.area_m2 * length * station.weight;
            for (axis, side) in [(1, reach[0]), (1, -reach[0]), (2, reach[1]), (2, -reach[1])] {
                let off: Vector3<f64> = axes.column(axis) * side;
                let moved: SMatrix<f64, 3, 12> = station.displacement - off.cross_matrix() * station.rotation;
                let row = |j: usize| (0..12).map(|i| (column(i), moved[(j, i)])).filter(|e| e.1 != 0.0).collect();
                let point = self.point(station.position + off, [row(0), row(1), row(2)]);
                self.masses.push((point, point, share));
            }
        }
    }

    /// The nodes.
    fn nodes(&mut self, structure: &Structure) -> Result<(), Error> {
        let nodal = structure.nodal_mass()?;
        let mut place = vec![[usize::MAX; 3]; structure.nodes.len()];
        structure.dofs.iter().enumerate().for_each(|(row, dof)| place[dof.node][dof.direction] = row);
        for (node, position) in structure.nodes.iter().enumerate() {
            self.point(*position, [0, 1, 2].map(|j| vec![(place[node][j], 1.0)]));
        }
        self.masses.extend(nodal.triplets());
        Ok(())
    }
}

impl MassPoints {
    /// Y_j (points × (n + 1)): component j of R − origin and of n displacement fields of the coordinates, n columns.
    pub fn fields(&self, shapes: &DMatrix<f64>, origin: Vector3<f64>) -> [DMatrix<f64>; 3] {
        [0, 1, 2].map(|j| {
            let mut y = DMatrix::zeros(self.positions.len(), shapes.ncols() + 1);
            y.column_mut(0).iter_mut().zip(&self.positions).for_each(|(y, x)| *y = x[j] - origin[j]);
            y.columns_mut(1, shapes.ncols()).copy_from(&self.displacement[j].multiply(shapes));
            y
        })
    }

    /// Load on the coordinates by accelerations `field` (m/s²) of the points along `direction`: Nᵀ m field, in N.
    pub fn load(&self, direction: usize, field: &DVector<f64>) -> DVector<f64> {
        self.displacement[direction].dual(&self.mass.apply(field))
    }
}
