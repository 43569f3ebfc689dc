//! Element matrices: solids (hexahedra with 20 and 8 nodes, the 10-node tetrahedron) and the beam.

pub mod beam;
mod brick;
pub mod hexahedron;
mod solid;
pub mod tetrahedron;

pub use solid::{Entry, Gradients, Matrices, Solid};
