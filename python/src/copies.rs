//! What goes between Python and a system by value: start values, and copies of what is written in Python, for `pickle`.

use std::sync::Arc;

use macrostep_system::scenario::elements::divided;
use macrostep_system::scenario::{Place, Setting, Value};
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
    /// The elements of an array, or the rows of one of more dimensions.
    Elements(Vec<Typed>),
}

impl Typed {
    /// Settings of all elements of an array, or of the one variable; in words, that an array is empty.
    pub fn settings(&self, name: &str, place: &Place) -> Result<Vec<Setting>, String> {
        let parts = divided(name, self, &|value| match value {
            Typed::Elements(parts) => Some(parts.as_slice()),
            _ => None,
        });
        let parts = parts
            .ok_or_else(|| format!("`{name}` is an empty list, or has one in it: write a value for each element"))?;
        let settings = parts.into_iter().filter_map(|(name, value)| {
            let value = match value {
                Typed::Boolean(b) => Value::Boolean(*b),
                Typed::Integer(i) => Value::Integer(*i),
                Typed::Real(x) => Value::Real(*x),
                Typed::Text(text) => Value::Text(text.clone()),
                Typed::Elements(_) => return None,
            };
            Some(Setting::new(name, value, place.clone()))
        });
        Ok(settings.collect())
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
