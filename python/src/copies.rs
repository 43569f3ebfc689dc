//! What goes between Python and a system by value: start values, and copies of what is written in Python, for `pickle`.

use std::sync::Arc;

use macrostep_system::scenario::Value;
use pyo3::prelude::*;

use crate::given::Parts;
use crate::unit::{Names, Written};

/// A start value as Python has it.
#[derive(FromPyObject)]
pub enum Typed {
    /// A truth value.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// A text.
    Text(String),
}

impl From<Typed> for Value {
    fn from(value: Typed) -> Value {
        match value {
            Typed::Boolean(b) => Value::Boolean(b),
            Typed::Integer(i) => Value::Integer(i),
            Typed::Real(x) => Value::Real(x),
            Typed::Text(text) => Value::Text(text),
        }
    }
}

/// A unit written in Python: name, object, inputs, outputs, start values of the inputs.
pub type UnitParts = (String, Py<PyAny>, Names, Names, Vec<f64>);

/// A law written in Python: name, function, number of outputs.
pub type LawParts = (String, Py<PyAny>, usize);

/// Units and laws of these parts.
pub fn apart(py: Python<'_>, written: &Parts) -> (Vec<UnitParts>, Vec<LawParts>) {
    let unit = |(name, unit): (&String, &Arc<Written>)| {
        let (inputs, outputs, starts) = unit.declared.clone();
        (name.clone(), unit.object.clone_ref(py), inputs, outputs, starts)
    };
    let laws = written.laws.iter().map(|(name, (function, count))| (name.clone(), function.clone_ref(py), *count));
    (written.units.iter().map(unit).collect(), laws.collect())
}

/// Parts of these units and laws.
///
/// # Errors
/// A sentence: what an object lacks.
pub fn together(py: Python<'_>, units: Vec<UnitParts>, laws: Vec<LawParts>) -> Result<Parts, String> {
    let mut parts = Parts::default();
    for (name, object, inputs, outputs, starts) in units {
        let written = Written::new(object.bind(py), &inputs, &outputs, &starts)?;
        parts.units.insert(name, Arc::new(written));
    }
    parts.laws.extend(laws.into_iter().map(|(name, function, count)| (name, (Arc::new(function), count))));
    Ok(parts)
}
