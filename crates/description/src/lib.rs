#![doc = include_str!("../README.md")]
//!
//! The model description of FMI 2.0 as plain values; one of FMI 3.0 is read into the same.
//!
//! One set of types serves both directions: a model of ours declares itself with them (see [`Builder`]), and the
//! description of a foreign FMU is read into them (module [`xml`]). They know nothing of C, of files or of archives.
//!
//! References: FMI 2.0.5, section 2.2 (`modelDescription.xml`) and 4.3 (co-simulation).

mod builder;
mod declared;
mod experiment;
mod guid;
mod inherit;
mod node;
pub mod rules;
pub mod shown;
mod three;
mod types;
mod unit;
mod variable;
pub mod xml;

pub use builder::{Builder, DeclarationError, VariableId};
pub use declared::Declared;
pub use experiment::Unusable;
pub use guid::guid_of;
pub use node::node_name;
pub use three::{Fmi3, Member, Native, Place, Terminal};
pub use types::{
    CoSimulation, DENSE_NODES, DefaultExperiment, LogCategory, ModelDescription, ModelExchange, ModelStructure, Naming,
    TypeDefinition, Unknown, VendorAnnotation,
};
pub use unit::{BaseUnit, DisplayUnit, Unit};
pub use variable::{
    Causality, Dependencies, DependencyKind, Initial, Item, Kind, RealAttributes, Value, Variability, Variable,
};
