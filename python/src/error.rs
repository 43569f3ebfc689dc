//! Faults as Python exceptions.

use macrostep_answers::api::{Fault, Kind, keywords};
use pyo3::exceptions::{PyException, PyKeyboardInterrupt};
use pyo3::prelude::*;

pyo3::create_exception!(
    macrostep,
    Error,
    PyException,
    "What the program would print as an error, with what is known of it: `unit`, `variable`, `time` in s, `found`, `expected`; \
     `usage` where it is a mistake of the call. `run` has what was recorded before a run failed."
);

/// The exception of a fault.
pub fn raised(py: Python<'_>, fault: &Fault) -> PyErr {
    if fault.kind == Kind::Interrupted {
        return PyKeyboardInterrupt::new_err(fault.sentence.clone());
    }
    let error = Error::new_err(keywords(&fault.sentence));
    let value = error.value(py);
    let expected = fault.expected.as_deref().map(|expected| keywords(expected).into_boxed_str());
    let parts =
        [("unit", &fault.unit), ("variable", &fault.variable), ("found", &fault.found), ("expected", &expected)];
    let set = parts.iter().try_for_each(|(name, part)| value.setattr(*name, part.as_deref()));
    let set = set.and_then(|()| value.setattr("time", fault.time_s));
    let set = set.and_then(|()| value.setattr("usage", fault.kind == Kind::Usage));
    let set = set.and_then(|()| value.setattr("run", py.None()));
    match set {
        Ok(()) => error,
        Err(other) => other,
    }
}
