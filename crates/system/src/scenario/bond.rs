//! Power bonds.

use super::connection::Endpoint;
use super::place::Place;

/// A power bond: units exchange power through its ports, and none is lost or made between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Bond {
    /// For people.
    pub name: String,
    /// Two or more.
    pub ports: Vec<Port>,
    /// Where.
    pub place: Place,
}

/// Where a unit receives power: `P = Σ gain · input · flow`.
#[derive(Debug, Clone, PartialEq)]
pub struct Port {
    /// An output of the unit, as a velocity.
    pub flow: Endpoint,
    /// Connected inputs of the same unit, and the effort that each makes at the port.
    pub inputs: Vec<(String, Gain)>,
    /// Where.
    pub place: Place,
}

/// Effort for one unit of an input, in coherent units of SI: ±1 for a force, the stiffness for a displacement.
#[derive(Debug, Clone, PartialEq)]
pub enum Gain {
    /// As said.
    Number(f64),
    /// The value of a parameter of the unit, or its negative.
    Parameter {
        /// Its name.
        name: String,
        /// Whether the negative is meant.
        is_negative: bool,
    },
}

impl std::fmt::Display for Gain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Gain::Number(x) => write!(f, "{x:?}"),
            Gain::Parameter { name, is_negative } => write!(f, "{}{name}", if *is_negative { "-" } else { "" }),
        }
    }
}

impl Gain {
    /// `k_c` or `-k_c`.
    pub fn parse(text: &str) -> Gain {
        let (name, is_negative) = text.strip_prefix('-').map_or((text, false), |name| (name, true));
        Gain::Parameter { name: name.trim().to_owned(), is_negative }
    }
}
