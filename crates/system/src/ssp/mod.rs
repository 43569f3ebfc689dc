//! System Structure and Parameterization: `.ssd`, `.ssp`, `.ssv` and `.ssm`, read and written.
//!
//! | in the file | in the scenario |
//! |---|---|
//! | components of all nested systems | units `SYSTEM/COMPONENT` |
//! | connections through connectors of systems | one connection from output to input, transformations composed |
//! | parameter bindings, values and mappings, inline or in files | parameter sets, all applied: inner systems first, so that outer ones win |
//! | signal dictionaries and references to them | what is connected through an entry is connected |
//! | mappings of Booleans, integers and enumerations | the connection's table |
//! | kind, type and unit of connectors | compared with what the FMU declares |
//! | connections of parameters | the value goes where they lead; it wins over one in the same binding that is given directly |
//! | parameters that a component lacks | passed over, with a note |
//! | annotations of libcosim and OMSimulator | the macro step |
//! | annotation `macrostep` | macro step, method, laws, maps, power bonds, recording: a scenario in TOML of what SSP has no words for |
//! | anything else | a warning that names it |
//!
//! A connection that begins or ends nowhere is an error. Files of SSP 2.0 are read, with their arrays; clocks are refused.
//!
//! Files are bounded in size and depth; document types are refused, so that no entity is ever read.
//! Reference: \[SSP 1.0\], sections 4 to 6.

mod annotation;
mod archive;
mod connector;
mod dictionary;
mod elsewhere;
mod losses;
mod mapping;
mod parameters;
mod port;
mod read;
mod settings;
mod system;
mod values;
mod wires;
mod write;
mod xml;

pub use archive::{Entry, pack};
pub use read::{read_ssd, read_ssp};
pub use values::parameters;
pub use write::write;

/// Type of the annotation with the parts of a scenario that SSP has no elements for.
pub const ANNOTATION: &str = "macrostep";

/// Name of the parameter set of a component's own values: some tools apply sets of one name to all components.
pub const OWN_VALUES: &str = "initialValues";

/// Where an archive has the start values for tools that take them as a file.
pub const VALUES: &str = "resources/parameters.ssv";

/// Name of the main file of an archive.
pub const MAIN: &str = "SystemStructure.ssd";
