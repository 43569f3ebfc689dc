//! Scalar variables.

/// A `ScalarVariable`.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// `name`, unique.
    pub name: String,
    /// `valueReference`, unique among variables of one type unless they are aliases.
    pub value_reference: u32,
    /// `description`.
    pub description: Option<String>,
    /// `causality`.
    pub causality: Causality,
    /// `variability`.
    pub variability: Variability,
    /// `initial`; `None` where the standard leaves it out (inputs, independent).
    pub initial: Option<Initial>,
    /// Type, its attributes and the start value.
    pub kind: Kind,
    /// `start`.
    pub start: Option<Value>,
    /// `declaredType`.
    pub declared_type: Option<String>,
    /// `canHandleMultipleSetPerTimeInstant` (inputs, default true).
    pub can_handle_multiple_set: bool,
}

/// `causality`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Causality {
    Parameter,
    CalculatedParameter,
    Input,
    Output,
    Local,
    Independent,
}

/// `variability`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Variability {
    Constant,
    Fixed,
    Tunable,
    Discrete,
    Continuous,
}

/// `initial`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Initial {
    Exact,
    Approx,
    Calculated,
}

/// The type of a variable with the attributes of that type.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// `Real`.
    Real(RealAttributes),
    /// `Integer` with its bounds.
    Integer {
        /// `min`.
        min: Option<i32>,
        /// `max`.
        max: Option<i32>,
    },
    /// `Boolean`.
    Boolean,
    /// `String`.
    String,
    /// `Enumeration` with its items (of the type) and bounds.
    Enumeration {
        /// The items; empty on a variable, where `declaredType` names them.
        items: Vec<Item>,
        /// `min`.
        min: Option<i32>,
        /// `max`.
        max: Option<i32>,
    },
}

/// An item of an enumeration.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Item {
    pub name: String,
    pub value: i32,
    pub description: Option<String>,
}

/// Attributes of a `Real`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RealAttributes {
    /// `quantity`.
    pub quantity: Option<String>,
    /// `unit`, a name of `UnitDefinitions`.
    pub unit: Option<String>,
    /// `displayUnit`.
    pub display_unit: Option<String>,
    /// `relativeQuantity`.
    pub relative_quantity: bool,
    /// `unbounded`.
    pub unbounded: bool,
    /// `min`.
    pub min: Option<f64>,
    /// `max`.
    pub max: Option<f64>,
    /// `nominal`.
    pub nominal: Option<f64>,
    /// `derivative`: position (from 0) of the variable this one is the time derivative of.
    pub derivative: Option<usize>,
    /// `reinit`.
    pub reinit: bool,
}

/// A value of any of the types; an enumeration's is its integer.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub enum Value {
    Real(f64),
    Integer(i32),
    Boolean(bool),
    String(String),
}

/// The dependencies of an unknown.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Dependencies {
    /// No `dependencies` attribute: on every known.
    #[default]
    All,
    /// Positions in the list of variables (from 0) and the kinds, as long as the positions or empty where not given.
    Known(Vec<(usize, DependencyKind)>),
}

/// `dependenciesKind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum DependencyKind {
    Dependent,
    Constant,
    Fixed,
    Tunable,
    Discrete,
}

impl Variable {
    /// Attributes of a real, `None` for another type.
    pub fn real(&self) -> Option<&RealAttributes> {
        match &self.kind {
            Kind::Real(a) => Some(a),
            _ => None,
        }
    }

    /// Unit of a real, empty where there is none.
    pub fn unit(&self) -> &str {
        self.real().and_then(|a| a.unit.as_deref()).unwrap_or("")
    }
}
