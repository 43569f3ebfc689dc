//! Element matrices: the 20-node hexahedron and the beam.

pub mod beam;
pub mod hexahedron;
