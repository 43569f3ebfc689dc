//! A run for Python: arrays that share memory with nobody, and are copied nowhere.

use macrostep_answers::api::Ran;
use macrostep_master::record::ColumnKind;
use numpy::{IntoPyArray, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::given::Raised;

/// The parts of a run: `columns` as name, unit and kind; `time`; `values`, a row for each time; `texts` by column; `summary` as
/// JSON; `scenario` as TOML; `remarks`; `fault`, an exception or nothing.
pub fn parts<'py>(py: Python<'py>, ran: Ran, raised_by: &Raised) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let columns: Vec<(String, String, &str)> =
        ran.columns.iter().map(|c| (c.name.clone(), c.unit.clone(), kind(c.kind))).collect();
    // Texts, column by column.
    let texts = PyDict::new(py);
    for (place, column) in ran.columns.iter().enumerate().filter(|(_, c)| c.kind == ColumnKind::Text) {
        let text = |row: &Vec<(usize, String)>| row.iter().find(|(p, _)| *p == place).map(|(_, text)| text.clone());
        let column_texts: Vec<Option<String>> = ran.rows.texts.iter().map(text).collect();
        texts.set_item(&column.name, column_texts)?;
    }
    // Values go over as one array that is given its shape there.
    let end_s = ran.rows.time_s.last().copied();
    let shape = [ran.rows.time_s.len(), ran.columns.len()];
    let values: Bound<'_, PyArray1<f64>> = ran.rows.values.into_pyarray(py);
    dict.set_item("columns", columns)?;
    dict.set_item("time", ran.rows.time_s.into_pyarray(py))?;
    dict.set_item("values", values.reshape(shape)?)?;
    dict.set_item("texts", texts)?;
    dict.set_item("summary", ran.summary)?;
    dict.set_item("scenario", ran.scenario)?;
    dict.set_item("remarks", ran.remarks)?;
    // What was raised in a unit, or else an exception that nobody has noticed.
    let fault = match ran.fault {
        Some(fault) => Some(raised_by.raise(py, fault)),
        None => raised_by.unnoticed(py, end_s),
    };
    let fault = fault.map(|error| error.into_value(py));
    dict.set_item("fault", fault)?;
    Ok(dict)
}

fn kind(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::Real => "Real",
        ColumnKind::Integer => "Integer",
        ColumnKind::Boolean => "Boolean",
        ColumnKind::Text => "String",
    }
}
