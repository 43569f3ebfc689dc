//! Import of linearly deformable bodies into lumped simulation.
//!
//! The chain, one module a step:
//!
//! 1. [`mesh`], [`element`], [`structure`]: discretise, or [`import`] matrices and meshes; [`check`] them.
//! 2. [`connector`]: groups of nodes tied to a master; [`chain`]: the general form A₂ ξ̈ + A₁ ξ̇ + A₀ ξ = B ηᵐ.
//! 3. [`reduction`]: ξ ≈ V q with an error report; [`eigen`], [`factor`], [`sparse`]: the algebra underneath.
//! 4. [`moving`]: the body in a moving reference frame, its state, dynamics, outputs and integrators.
//!
//! ```
//! use macrostep_flexible::moving::Rayleigh;
//! use macrostep_flexible::{Basis, BodyState, Connector, FlexibleBody, Material, Report, Structure, mesh};
//!
//! # fn main() -> Result<(), macrostep_flexible::Error> {
//! let mesh = mesh::l_beam(6, 1);
//! let structure = Structure::solid(&mesh, &Material::new(2.1e11, 0.28, 7900.0)?)?;
//! let tied = structure.tie(&[Connector::on(&mesh, "root", "CLAMP")?, Connector::on(&mesh, "tip", "TIP")?])?;
//! let basis = Basis::craig_bampton(&tied.chain, 4)?;
//! println!("{}", Report::new(&tied.chain, &basis, 0, 6)?);
//! let body = FlexibleBody::new(&structure, &tied, &basis, 0, Rayleigh::default())?;
//! let state = BodyState::rest(body.modes());
//! assert!((body.motion(&state, 1)?.position.norm() - 2.0_f64.sqrt()).abs() < 1e-12);
//! # Ok(())
//! # }
//! ```
//!
//! The feature `solve` (on unless switched off) holds 1 to 3; without it the crate advances reduced bodies and chains only.
//!
//! # References
//! [Zaiczek 2010] T. Zaiczek, O. Enge-Rosenblatt, *Import of distributed parameter models into lumped parameter model
//! libraries for the example of linearly deformable solid bodies*, EOOLT 2010.

pub mod chain;
#[cfg(feature = "solve")]
pub mod check;
#[cfg(feature = "solve")]
pub mod connector;
#[cfg(feature = "solve")]
pub mod eigen;
#[cfg(feature = "solve")]
pub mod element;
mod error;
pub mod facet;
#[cfg(feature = "solve")]
pub mod factor;
#[cfg(feature = "solve")]
pub mod import;
#[cfg(feature = "solve")]
pub mod mass;
mod material;
#[cfg(feature = "solve")]
pub mod mesh;
mod method;
pub mod moving;
#[cfg(feature = "solve")]
pub mod reduction;
pub mod sparse;
#[cfg(feature = "solve")]
pub mod structure;

pub use chain::{Chain, ReducedChain};
#[cfg(feature = "solve")]
pub use connector::{Connector, Tied};
pub use error::Error;
#[cfg(feature = "solve")]
pub use factor::Factor;
pub use material::Material;
#[cfg(feature = "solve")]
pub use mesh::Mesh;
pub use method::Method;
pub use moving::{BodyState, FlexibleBody, Joint, Loads, Workspace};
#[cfg(feature = "solve")]
pub use reduction::{Basis, Report};
pub use sparse::{RowMap, Sparse};
#[cfg(feature = "solve")]
pub use structure::Structure;
