//! Element matrices: solids (the 20-node hexahedron and the 10-node tetrahedron) and the beam.

pub mod beam;
pub mod hexahedron;
mod solid;
pub mod tetrahedron;

pub use solid::{Matrices, Solid};
