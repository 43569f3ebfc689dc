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

/// Mass 1, which owns the coupling and is driven by the other mass's displacement.
pub type Oscillator1Displacement = Ode<Oscillator<Displacement, 1>>;
/// Mass 2, which owns the coupling and is driven by the other mass's displacement.
pub type Oscillator2Displacement = Ode<Oscillator<Displacement, 2>>;
/// Mass 1, driven by the coupling force.
pub type Oscillator1Force = Ode<Oscillator<Force, 1>>;
/// Mass 2, driven by the coupling force.
pub type Oscillator2Force = Ode<Oscillator<Force, 2>>;
/// Mass 1, which owns a coupling that hardens.
pub type Oscillator1Hardening = Ode<Oscillator<Hardening, 1>>;
/// Mass 2, which owns a coupling that hardens.
pub type Oscillator2Hardening = Ode<Oscillator<Hardening, 2>>;
/// Mass 1 at the end of a line with delay.
pub type Oscillator1Line = Ode<Oscillator<Line, 1>>;
/// Mass 2 at the end of a line with delay.
pub type Oscillator2Line = Ode<Oscillator<Line, 2>>;
/// The spring-damper law between the masses.
pub type Coupling = Ode<SpringDamper>;
/// A mesh of a circuit, driven by a voltage.
pub type CircuitMesh = Ode<Mesh>;
/// A mesh of a circuit that owns the shunt, driven by the other mesh's current.
pub type CircuitMeshShunt = Ode<MeshShunt>;
/// A transmission line, driven by the currents into both ends.
pub type Cable = Ode<TransmissionLine>;
/// A plunger cylinder, driven by the motion of its load.
pub type Plunger = Ode<PlungerCylinder>;
/// A ball in free fall that takes impulses.
pub type Ball = Ode<FreeBall>;
/// The ground under a ball.
pub type Ground = Ode<ImpactGround>;
/// A rod in a plane that turns about its first end.
pub type Hinged = Ode<RodHinged>;
/// A rod in a plane that flies.
pub type Free = Ode<RodFree>;

/// Every model that is packed as an FMU.
pub fn all() -> Vec<ModelEntry> {
    vec![
        ModelEntry::of::<Oscillator<Displacement, 1>>(),
        ModelEntry::of::<Oscillator<Displacement, 2>>(),
        ModelEntry::of::<Oscillator<Force, 1>>(),
        ModelEntry::of::<Oscillator<Force, 2>>(),
        ModelEntry::of::<Oscillator<Hardening, 1>>(),
        ModelEntry::of::<Oscillator<Hardening, 2>>(),
        ModelEntry::of::<Oscillator<Line, 1>>(),
        ModelEntry::of::<Oscillator<Line, 2>>(),
        ModelEntry::of::<SpringDamper>(),
        ModelEntry::of::<Mesh>(),
        ModelEntry::of::<MeshShunt>(),
        ModelEntry::of::<TransmissionLine>(),
        ModelEntry::of::<PlungerCylinder>(),
        ModelEntry::of::<FreeBall>(),
        ModelEntry::of::<ImpactGround>(),
        ModelEntry::of::<RodHinged>(),
        ModelEntry::of::<RodFree>(),
    ]
}

/// The model of this identifier.
pub fn find(identifier: &str) -> Option<ModelEntry> {
    all().into_iter().find(|e| e.identifier == identifier)
}
