//! Units of a scenario: FMUs and their start values.

use super::place::Place;
use macrostep_description::BaseUnit;
use macrostep_import::Face;
use macrostep_import::address::is_address;
use std::path::{Path, PathBuf};

/// An FMU in the system.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// Name, unique in the system; without dots.
    pub name: String,
    /// The FMU.
    pub source: Source,
    /// Its macro step as a fraction of H.
    pub share: (u32, u32),
    /// A real parameter that is told the unit's own macro step \[s\], where no start value is given for it.
    pub step_parameter: Option<String>,
    /// Relative tolerance of its own solver; `None`: that of the experiment.
    pub solver_tolerance: Option<f64>,
    /// Start values of parameters and inputs.
    pub settings: Vec<Setting>,
    /// Outputs each of which is the time derivative of the one before, where the FMU does not declare it.
    pub motions: Vec<Vec<String>>,
    /// What a description in SSP says of its variables; empty in TOML.
    pub connectors: Vec<Connector>,
    /// Where.
    pub place: Place,
}

/// A connector of a component or system in SSP.
#[derive(Debug, Clone, PartialEq)]
pub struct Connector {
    /// Name of the variable.
    pub name: String,
    /// input, output, parameter, calculatedParameter or inout.
    pub kind: String,
    /// Real, Integer, Boolean, String, Enumeration or Binary, if given.
    pub type_name: Option<String>,
    /// Unit of measurement, if given.
    pub unit: Option<String>,
    /// The size of each dimension of an array, where the description says it; empty for what is no array.
    pub dimensions: Vec<Option<u32>>,
    /// Where.
    pub place: Place,
}

/// Where an FMU is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// Carried in the program.
    Embedded(String),
    /// A file or folder; `shown` as the scenario names it.
    File {
        /// Path to open.
        path: PathBuf,
        /// As written.
        shown: String,
        /// The interpreter it runs in, where it is written in Python and the scenario names one: a name on the path, or an absolute path.
        python: Option<PathBuf>,
        /// The face it is driven by, where the scenario names one.
        face: Option<Face>,
    },
}

/// A value of any type; an enumeration's is the name of its item or its number.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub enum Value {
    Real(f64),
    Integer(i64),
    Boolean(bool),
    Text(String),
}

/// A start value.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The variable.
    pub variable: String,
    /// Its value.
    pub value: Value,
    /// Unit of the value, where it is not the variable's own.
    pub unit: Option<String>,
    /// What that unit is, where the file with the value says it and not only the FMU.
    pub base: Option<BaseUnit>,
    /// Whether it is passed over where the unit has no such variable, as SSP says of its parameter sets.
    pub is_optional: bool,
    /// Where.
    pub place: Place,
}

/// Start values under a name.
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterSet {
    /// Its name.
    pub name: String,
    /// Unit and setting.
    pub settings: Vec<(String, Setting)>,
    /// Where.
    pub place: Place,
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Source::Embedded(name) => write!(f, "embedded:{name}"),
            Source::File { shown, .. } => f.write_str(shown),
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Real(x) => write!(f, "{x:?}"),
            Value::Integer(i) => write!(f, "{i}"),
            Value::Boolean(b) => write!(f, "{b}"),
            Value::Text(t) => write!(f, "{t:?}"),
        }
    }
}

impl Value {
    /// As typed: a number, true or false, or a text; a text in quotes is one whatever it says.
    pub fn typed(text: &str) -> Value {
        if let Some(quoted) = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) {
            Value::Text(quoted.to_owned())
        } else if let Ok(i) = text.parse() {
            Value::Integer(i)
        } else if let Ok(x) = text.parse() {
            Value::Real(x)
        } else if let Ok(b) = text.parse() {
            Value::Boolean(b)
        } else {
            Value::Text(text.to_owned())
        }
    }
}

impl Source {
    /// What a text names: `embedded:NAME`, or a file, folder or address as seen from the working folder.
    pub fn named(text: &str) -> Source {
        match text.strip_prefix("embedded:") {
            Some(name) => Source::Embedded(name.to_owned()),
            None => Source::file(text, text),
        }
    }

    /// A file or folder as it is named.
    pub fn file(path: impl Into<PathBuf>, shown: impl Into<String>) -> Source {
        Source::File { path: path.into(), shown: shown.into(), python: None, face: None }
    }

    /// Whether another program serves it, maybe on another machine.
    pub fn is_remote(&self) -> bool {
        matches!(self, Source::File { path, .. } if is_address(path))
    }

    /// The interpreter that is named for it.
    pub fn python(&self) -> Option<&Path> {
        match self {
            Source::Embedded(_) => None,
            Source::File { python, .. } => python.as_deref(),
        }
    }

    /// The face that is named for it.
    pub fn face(&self) -> Option<Face> {
        match self {
            Source::Embedded(_) => None,
            Source::File { face, .. } => *face,
        }
    }

    /// The same, driven as `other` is: in the interpreter and by the face that are named for it.
    pub fn driven_as(self, other: &Source) -> Source {
        match self {
            Source::File { path, shown, face, .. } => {
                let python = other.python().map(Path::to_owned);
                Source::File { path, shown, python, face: other.face().or(face) }
            }
            embedded @ Source::Embedded(_) => embedded,
        }
    }

    /// The name without folder and ending, for a unit or a file.
    pub fn stem(&self) -> String {
        match self {
            Source::Embedded(name) => name.clone(),
            Source::File { path, .. } => {
                path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned())
            }
        }
    }
}

impl Setting {
    /// A value in the variable's own unit, for a variable that must be there.
    pub fn new(variable: impl Into<String>, value: Value, place: Place) -> Self {
        Setting { variable: variable.into(), value, unit: None, base: None, is_optional: false, place }
    }
}

impl Unit {
    /// A unit of an FMU, at every macro step, with its own start values.
    pub fn new(name: impl Into<String>, source: Source) -> Self {
        let (settings, motions, connectors) = (Vec::new(), Vec::new(), Vec::new());
        let (share, step_parameter, solver_tolerance, place) = ((1, 1), None, None, Place::default());
        Unit {
            name: name.into(),
            source,
            share,
            step_parameter,
            solver_tolerance,
            settings,
            motions,
            connectors,
            place,
        }
    }
}
