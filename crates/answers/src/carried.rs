//! The FMUs that a program carries inside.

use macrostep_import::fmu::Fmu;
use macrostep_master::RunError;
use macrostep_master::unit::Unit;

/// How a program finds the FMUs that it carries: answers about scenarios name them by their identifiers. A program without any has functions that
/// find nothing.
#[derive(Debug, Clone, Copy)]
pub struct Carried {
    /// The archive of this identifier, to be loaded at once.
    pub stored: fn(&str) -> Option<&'static [u8]>,
    /// The archive of this identifier, to be written to a file.
    pub packed: fn(&str) -> Option<&'static [u8]>,
    /// An instance of the FMU of this identifier, with a name; an error where there is none.
    pub unit: fn(&str, &str) -> Result<Box<dyn Unit>, RunError>,
    /// All of them, opened: while they live, none is unpacked or loaded again.
    pub open_all: fn() -> Result<Vec<Fmu>, RunError>,
}
