//! Multibody systems with their interface models, and the hydraulics that drive them, as models for FMI 2.0.
//!
//! | model | what it is |
//! |---|---|
//! | [`StopMass`], [`StopHydraulics`] | the actuator on a stop: mass on a guide, and its cylinder |
//! | [`Crane`], [`CraneHydraulics`] | the crane: 18 bodies, and its two cylinders |
//! | [`InclineBlock`] | a block on an incline, for contact and friction alone |
//!
//! A multibody model takes interface forces λ and gives interface speeds w, positions s, and the interface model
//! `ẇ = W λ + b` for its next step; a hydraulic model takes these and gives forces. See [`Multibody`] and [`Hydraulics`].
//!
//! They stand in a crate of their own so that the libraries of the oscillators stay small.

mod circuits;
mod hydraulics;
mod inverse;
mod multibody;
mod plants;
mod prelude;
mod tape;

pub use circuits::{CraneCircuit, Drive, StopCircuit};
pub use hydraulics::Hydraulics;
#[cfg(feature = "list")]
use macrostep_models::ModelEntry;
pub use multibody::Multibody;
pub use plants::{CranePlant, InclinePlant, Plant, StopPlant};

/// The crane.
pub type Crane = Multibody<CranePlant>;
/// The crane's two cylinders.
pub type CraneHydraulics = Hydraulics<CraneCircuit>;
/// The mass on a guide with a stop.
pub type StopMass = Multibody<StopPlant>;
/// The cylinder that moves this mass.
pub type StopHydraulics = Hydraulics<StopCircuit>;
/// The block on an incline.
pub type InclineBlock = Multibody<InclinePlant>;

/// Every model of this crate that is packed as an FMU.
#[cfg(feature = "list")]
pub fn all() -> Vec<ModelEntry> {
    vec![
        ModelEntry::of_model::<StopMass>(StopPlant::IDENTIFIER, multibody::page::<StopPlant>),
        ModelEntry::of_model::<StopHydraulics>(StopCircuit::IDENTIFIER, hydraulics::page),
        ModelEntry::of_model::<Crane>(CranePlant::IDENTIFIER, multibody::page::<CranePlant>),
        ModelEntry::of_model::<CraneHydraulics>(CraneCircuit::IDENTIFIER, hydraulics::page),
        ModelEntry::of_model::<InclineBlock>(InclinePlant::IDENTIFIER, multibody::page::<InclinePlant>),
    ]
}

/// The model of this identifier.
#[cfg(feature = "list")]
pub fn find(identifier: &str) -> Option<ModelEntry> {
    all().into_iter().find(|e| e.identifier == identifier)
}
