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

/// The slaves, and the list of them; a feature behind one leaves it out of the list where it is off.
macro_rules! models {
    ($($(#[$about:meta])+ $slave:ident = $equations:ty $(, $feature:literal)?;)+) => {
        $($(#[$about])+ pub type $slave = Ode<$equations>;)+

        /// Every model that is packed as an FMU; without the feature `list` those of the benchmarks.
        #[cfg(feature = "benchmarks")]
        pub fn all() -> Vec<ModelEntry> {
            [$($(#[cfg(feature = $feature)])? ModelEntry::of::<$equations>()),+].to_vec()
        }
    };
}

models! {
    /// Mass 1, which owns the coupling and is driven by the other mass's displacement.
    Oscillator1Displacement = Oscillator<Displacement, 1>;
    /// Mass 2, which owns the coupling and is driven by the other mass's displacement.
    Oscillator2Displacement = Oscillator<Displacement, 2>;
    /// Mass 1, driven by the coupling force.
    Oscillator1Force = Oscillator<Force, 1>;
    /// Mass 2, driven by the coupling force.
    Oscillator2Force = Oscillator<Force, 2>;
    /// Mass 1, which owns a coupling that hardens.
    Oscillator1Hardening = Oscillator<Hardening, 1>;
    /// Mass 2, which owns a coupling that hardens.
    Oscillator2Hardening = Oscillator<Hardening, 2>;
    /// Mass 1 at the end of a line with delay.
    Oscillator1Line = Oscillator<Line, 1>, "list";
    /// Mass 2 at the end of a line with delay.
    Oscillator2Line = Oscillator<Line, 2>, "list";
    /// The spring-damper law between the masses.
    Coupling = SpringDamper, "list";
    /// A mesh of a circuit, driven by a voltage.
    CircuitMesh = Mesh;
    /// A mesh of a circuit that owns the shunt, driven by the other mesh's current.
    CircuitMeshShunt = MeshShunt;
    /// A transmission line, driven by the currents into both ends.
    Cable = TransmissionLine, "list";
    /// A plunger cylinder, driven by the motion of its load.
    Plunger = PlungerCylinder;
    /// A ball in free fall that takes impulses.
    Ball = FreeBall, "list";
    /// The ground under a ball.
    Ground = ImpactGround, "list";
    /// A rod in a plane that turns about its first end.
    Hinged = RodHinged, "list";
    /// A rod in a plane that flies.
    Free = RodFree, "list";
}

/// The model of this identifier.
#[cfg(feature = "benchmarks")]
pub fn find(identifier: &str) -> Option<ModelEntry> {
    all().into_iter().find(|e| e.identifier == identifier)
}
