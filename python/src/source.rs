//! The FMU of a unit, as a caller names it.

use macrostep_answers::api::Fault;
use macrostep_import::fmu::Face;
use macrostep_system::scenario::Source;
use pyo3::prelude::*;

use crate::error::raised;

/// A file, a folder, or `embedded:NAME`, and the face that it is driven by.
pub fn source(py: Python<'_>, fmu: &str, face: Option<&str>) -> PyResult<Source> {
    let face = face.map(|word| faced(py, word)).transpose()?;
    match (Source::named(fmu), face) {
        (Source::Embedded(name), Some(_)) => {
            let why = format!("`face` of `{name}`, which is carried in this program and has one face: leave it out");
            Err(raised(py, &Fault::usage(why)))
        }
        (Source::File { path, shown, python, .. }, face) => Ok(Source::File { path, shown, python, face }),
        (embedded @ Source::Embedded(_), None) => Ok(embedded),
    }
}

/// A face by its word.
fn faced(py: Python<'_>, word: &str) -> PyResult<Face> {
    Face::of(word).ok_or_else(|| {
        let words = Face::ALL.map(|face| format!("`{face}`")).join(" or ");
        raised(py, &Fault::usage(format!("`face`: found `{word}`, expected {words}")))
    })
}
