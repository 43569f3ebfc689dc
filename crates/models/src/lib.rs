//! The models of macrostep, each declared once: description, equations, documentation.
//!
//! An FMU of `fmus/` and a native unit of the master are made of the same types of this crate, and run the same code.

mod benchmark;
mod coupling;
mod drive;
mod entry;
mod oscillator;
mod units;

use macrostep_slave::Ode;

pub use benchmark::{Case, OscillatorParameters, case_1, case_2};
pub use coupling::SpringDamper;
pub use drive::{Displacement, Drive, Force};
pub use entry::ModelEntry;
pub use oscillator::Oscillator;

/// Mass 1, which owns the coupling and is driven by the other mass's displacement.
pub type Oscillator1Displacement = Ode<Oscillator<Displacement, 1>>;
/// Mass 2, which owns the coupling and is driven by the other mass's displacement.
pub type Oscillator2Displacement = Ode<Oscillator<Displacement, 2>>;
/// Mass 1, driven by the coupling force.
pub type Oscillator1Force = Ode<Oscillator<Force, 1>>;
/// Mass 2, driven by the coupling force.
pub type Oscillator2Force = Ode<Oscillator<Force, 2>>;
/// The spring-damper law between the masses.
pub type Coupling = Ode<SpringDamper>;

/// Every model that is packed as an FMU.
pub fn all() -> Vec<ModelEntry> {
    vec![
        ModelEntry::of::<Oscillator<Displacement, 1>>(),
        ModelEntry::of::<Oscillator<Displacement, 2>>(),
        ModelEntry::of::<Oscillator<Force, 1>>(),
        ModelEntry::of::<Oscillator<Force, 2>>(),
        ModelEntry::of::<SpringDamper>(),
    ]
}

/// The model of this identifier.
pub fn find(identifier: &str) -> Option<ModelEntry> {
    all().into_iter().find(|e| e.identifier == identifier)
}
