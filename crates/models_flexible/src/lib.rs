//! Flexible bodies, the beam on springs and reduced chains as models: each is declared from data in the resources of its
//! FMU, so that one library serves every body.
//!
//! | model | inputs | outputs | data |
//! |---|---|---|---|
//! | [`Body`] | force, torque at each connector, gravity | pose and velocity of each connector | `body.bin` |
//! | [`BeamFull`], [`BeamReduced`] | forces at all, or dual forces at the chosen nodes | positions there | `beam.bin` |
//! | [`Springs`] | positions of all nodes | forces on them | none |
//! | [`Facets`] | positions of all nodes, pressure on each facet | forces on the nodes, middles of the facets | `facets.bin` |
//! | [`Adapter`] | reduced positions, full forces | full positions, reduced forces | `map.bin` |
//! | [`ReducedRod`] | flow at each connector | potential at each connector | `chain.bin` |
//! | [`Payload`] | position and velocity of the tip it hangs on, gravity | force on the tip | none |
//!
//! The GUID is a hash of declaration and data: the declaration carries the SHA-256 of the data as a vendor annotation.

mod adapter;
mod beam;
mod body;
#[cfg(feature = "list")]
mod catalogue;
mod chain;
mod declare;
mod facets;
mod linear;
mod payload;
mod springs;
mod stored;

pub use adapter::{Adapter, AdapterMatrix};
pub use beam::{Beam, BeamFull, BeamModes, BeamReduced};
pub use body::{Body, ImportedBody, documentation_html as body_documentation_html};
#[cfg(feature = "list")]
pub use catalogue::{ARM, all, find};
pub use chain::{ReducedRod, RodMatrices};
pub use facets::{FacetMesh, Facets};
pub use payload::{Payload, TipPayload};
pub use springs::Springs;
pub use stored::Stored;
