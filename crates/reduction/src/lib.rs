//! Co-simulation interface reduction with the flexible natural coordinates formulation.
//!
//! 1. [`fncf`]: the constant matrix from generalised coordinates to nodal positions.
//! 2. [`gram_schmidt`], [`independence`], [`exchange`]: independent shapes, the nodes that determine them, and those that tell a motion best.
//! 3. [`map`]: the interface map T and its dual, dense or in compressed rows.
//! 4. [`surface`]: surfaces of imported bodies, by the shapes that count.
//! 5. [`beam`], [`springs`], [`cosimulation`]: the validation example, a beam on a field of springs.
//!
//! # References
//! [Peeters 2024] J. Peeters, M. Vermaut, F. Naets, *Co-Simulation Interface Reduction Based on the Flexible Natural
//! Coordinates Formulation*, EasyChair preprint, 2024.

pub mod beam;
pub mod cosimulation;
mod error;
pub mod exchange;
pub mod fncf;
pub mod gram_schmidt;
pub mod independence;
pub mod map;
pub mod springs;
pub mod surface;

pub use error::Error;
pub use fncf::{Shapes, Space};
pub use map::{Csr, InterfaceMap};
pub use surface::Surface;
