#![doc = include_str!("../README.md")]
//!
//! The models of macrostep, each declared once: description, equations, documentation.
//!
//! An FMU of `fmus/` and a native unit of the master are made of the same types of this crate, and run the same code.

mod ball;
mod benchmark;
mod cable;
mod circuit;
mod coupling;
mod drive;
mod entry;
mod oscillator;
mod plunger;
mod rod;

use macrostep_slave::Ode;

pub use ball::{FreeBall, ImpactGround};
pub use benchmark::{Case, OscillatorParameters, case_1, case_2};
pub use cable::TransmissionLine;
pub use circuit::{Mesh, MeshShunt};
pub use coupling::SpringDamper;
pub use drive::{Displacement, Drive, Force, Hardening, Line};
pub use entry::ModelEntry;
pub use oscillator::Oscillator;
pub use plunger::PlungerCylinder;
pub use rod::{RodFree, RodHinged};

/// The slaves, and the function that lists them where the feature is on.
macro_rules! models {
    ($feature:literal $list:ident: $($(#[$about:meta])+ $slave:ident = $equations:ty;)+) => {
        $($(#[$about])+ pub type $slave = Ode<$equations>;)+

        #[cfg(feature = $feature)]
        fn $list() -> Vec<ModelEntry> {
            vec![$(ModelEntry::of::<$equations>()),+]
        }
    };
}

models! {
    "oscillator" oscillators:
    /// Mass 1, which owns the coupling and is driven by the other mass's displacement.
    Oscillator1Displacement = Oscillator<Displacement, 1>;
    /// Mass 2, which owns the coupling and is driven by the other mass's displacement.
    Oscillator2Displacement = Oscillator<Displacement, 2>;
    /// Mass 1, driven by the coupling force.
    Oscillator1Force = Oscillator<Force, 1>;
    /// Mass 2, driven by the coupling force.
    Oscillator2Force = Oscillator<Force, 2>;
}

models! {
    "list" others:
    /// Mass 1, which owns a coupling that hardens.
    Oscillator1Hardening = Oscillator<Hardening, 1>;
    /// Mass 2, which owns a coupling that hardens.
    Oscillator2Hardening = Oscillator<Hardening, 2>;
    /// Mass 1 at the end of a line with delay.
    Oscillator1Line = Oscillator<Line, 1>;
    /// Mass 2 at the end of a line with delay.
    Oscillator2Line = Oscillator<Line, 2>;
    /// The spring-damper law between the masses.
    Coupling = SpringDamper;
    /// A mesh of a circuit, driven by a voltage.
    CircuitMesh = Mesh;
    /// A mesh of a circuit that owns the shunt, driven by the other mesh's current.
    CircuitMeshShunt = MeshShunt;
    /// A transmission line, driven by the currents into both ends.
    Cable = TransmissionLine;
    /// A plunger cylinder, driven by the motion of its load.
    Plunger = PlungerCylinder;
    /// A ball in free fall that takes impulses.
    Ball = FreeBall;
    /// The ground under a ball.
    Ground = ImpactGround;
    /// A rod in a plane that turns about its first end.
    Hinged = RodHinged;
    /// A rod in a plane that flies.
    Free = RodFree;
}

/// Every model that is packed as an FMU; without the feature `list` those of the oscillator, cut at its displacements and at its forces.
#[cfg(feature = "oscillator")]
pub fn all() -> Vec<ModelEntry> {
    #[cfg(feature = "list")]
    return [oscillators(), others()].concat();
    #[cfg(not(feature = "list"))]
    oscillators()
}

/// The model of this identifier.
#[cfg(feature = "oscillator")]
pub fn find(identifier: &str) -> Option<ModelEntry> {
    all().into_iter().find(|e| e.identifier == identifier)
}
