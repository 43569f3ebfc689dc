//! What a description of FMI 3.0 has beside that of FMI 2.0.
//!
//! Its variables are read into those of FMI 2.0: numbers with a point are Reals, whole numbers Integers, binary values Strings of hexadecimal
//! digits, and an array is as many variables as it has elements, `x[2,1]`. The [`Place`] of a variable says what it is in the FMU.

use crate::{Causality, Kind, Variability, Variable};

/// What only FMI 3.0 has. References: FMI 3.0.2, sections 2.4 and 4.4.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fmi3 {
    /// Of each variable, in the order of [`crate::ModelDescription::variables`].
    pub places: Vec<Place>,
    /// `hasEventMode`.
    pub has_event_mode: bool,
    /// `providesIntermediateUpdate`.
    pub provides_intermediate_update: bool,
    /// Whether there are variables of type `Clock`.
    pub has_clocks: bool,
    /// Whether there is a `ScheduledExecution` element.
    pub has_scheduled_execution: bool,
    /// Its terminals, which stand in a file of their own.
    pub terminals: Vec<Terminal>,
}

/// Variables that are connected together, as a flange or a bus. Reference: FMI 3.0.2, section 2.4.9.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Terminal {
    /// `name`; one inside another has both names, `outer.inner`.
    pub name: String,
    /// `matchingRule`: `plug`, `bus`, `sequence`, or another word that tools agree on.
    pub rule: String,
    /// `terminalKind`: what may be connected to it.
    pub kind: Option<String>,
    /// Its members.
    pub members: Vec<Member>,
}

/// A variable of a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Member {
    /// `memberName`; empty where it has none.
    pub name: String,
    /// `variableName`.
    pub variable: String,
    /// `variableKind`: `signal`, `inflow`, `outflow`, or another word that tools agree on; `stream` for both variables of a stream.
    pub kind: String,
}

/// Where the value of a variable is in the FMU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// `valueReference` in the FMU. [`crate::Variable::value_reference`] of an array's element is another number, which no variable of the FMU has.
    pub reference: u32,
    /// Its type there.
    pub native: Native,
    /// Which element of the array it is, from 0; 0 for a scalar.
    pub element: u32,
    /// How many elements the array has; `None` for a scalar.
    pub count: Option<u32>,
    /// `intermediateUpdate`.
    pub is_intermediate: bool,
    /// Whether its causality is `structuralParameter`.
    pub is_structural: bool,
    /// Whether it is an `Alias` of another variable.
    pub is_alias: bool,
    /// Whether it is a number of dimensions of an array.
    pub is_dimension: bool,
    /// Whether it has a start value that does not fit into 32 bits, and therefore none here.
    pub is_wide: bool,
}

/// The types of FMI 3.0, but for `Clock`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Native {
    Float32,
    Float64,
    Int8,
    UInt8,
    Int16,
    UInt16,
    Int32,
    UInt32,
    Int64,
    UInt64,
    Boolean,
    String,
    Binary,
    Enumeration,
}

impl crate::ModelDescription {
    /// Whether a variable of ours can be set inside steps in FMI 3.0: a continuous input, where inputs can be polynomials in FMI 2.0.
    pub fn takes_inside_steps(&self, v: &Variable) -> bool {
        self.co_simulation.as_ref().is_some_and(|c| c.can_interpolate_inputs)
            && v.causality == Causality::Input
            && v.variability == Variability::Continuous
            && v.real().is_some()
    }
}

impl Native {
    /// What a type of FMI 2.0 is in an FMU of ours.
    pub fn of(kind: &Kind) -> Native {
        match kind {
            Kind::Real(_) => Native::Float64,
            Kind::Integer { .. } => Native::Int32,
            Kind::Boolean => Native::Boolean,
            Kind::String => Native::String,
            Kind::Enumeration { .. } => Native::Enumeration,
        }
    }

    /// All of them.
    pub const ALL: [Native; 14] = [
        Native::Float32,
        Native::Float64,
        Native::Int8,
        Native::UInt8,
        Native::Int16,
        Native::UInt16,
        Native::Int32,
        Native::UInt32,
        Native::Int64,
        Native::UInt64,
        Native::Boolean,
        Native::String,
        Native::Binary,
        Native::Enumeration,
    ];

    /// Its name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Native::Float32 => "Float32",
            Native::Float64 => "Float64",
            Native::Int8 => "Int8",
            Native::UInt8 => "UInt8",
            Native::Int16 => "Int16",
            Native::UInt16 => "UInt16",
            Native::Int32 => "Int32",
            Native::UInt32 => "UInt32",
            Native::Int64 => "Int64",
            Native::UInt64 => "UInt64",
            Native::Boolean => "Boolean",
            Native::String => "String",
            Native::Binary => "Binary",
            Native::Enumeration => "Enumeration",
        }
    }

    /// Whether it is a number with a point.
    pub fn is_float(self) -> bool {
        matches!(self, Native::Float32 | Native::Float64)
    }

    /// The least and the greatest value of a whole number; `None` for what is none.
    pub fn range(self) -> Option<(i128, i128)> {
        let (is_signed, bits) = match self {
            Native::Int8 => (true, 8),
            Native::UInt8 => (false, 8),
            Native::Int16 => (true, 16),
            Native::UInt16 => (false, 16),
            Native::Int32 => (true, 32),
            Native::UInt32 => (false, 32),
            Native::Int64 | Native::Enumeration => (true, 64),
            Native::UInt64 => (false, 64),
            _ => return None,
        };
        Some(if is_signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) })
    }
}
