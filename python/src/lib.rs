//! The module `_macrostep`: what the package `macrostep` is made of.
//!
//! It has no words and no rules of its own: the scenario is that of `crates/system`, the verbs are those of the program. The
//! interpreter is let go while a verb works, an interrupt ends it, and a panic becomes an error.

mod copies;
mod corrector;
mod error;
mod free;
mod given;
mod rows;
mod simulation;
mod source;
mod system;
mod unit;
mod work;

use std::ffi::OsString;

use pyo3::prelude::*;

/// The program: runs one verb and ends the process with its exit code.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) {
    // Foreign code may want the interpreter.
    let code = py.detach(|| macrostep::program(&arguments));
    std::process::exit(i32::from(code))
}

/// Says how the program is started again: an interpreter and its first arguments.
#[pyfunction]
fn started_by(command: Vec<OsString>) {
    macrostep_import::isolation::started_by(command);
}

/// A sentence with keywords of Python in the place of options.
#[pyfunction]
fn in_keywords(sentence: &str) -> String {
    macrostep_answers::api::keywords(sentence)
}

/// The extension module.
#[pymodule]
fn _macrostep(m: &Bound<'_, PyModule>) -> PyResult<()> {
    // FMUs that are written in Python run in this interpreter.
    #[cfg(target_os = "linux")]
    if let Ok(path) = m.py().import("sys")?.getattr("executable")?.extract::<std::path::PathBuf>() {
        macrostep_import::fmu::within_python(path);
    }
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add("Error", m.py().get_type::<error::Error>())?;
    m.add_function(wrap_pyfunction!(main, m)?)?;
    m.add_function(wrap_pyfunction!(started_by, m)?)?;
    m.add_function(wrap_pyfunction!(in_keywords, m)?)?;
    m.add_class::<system::System>()?;
    m.add_class::<simulation::Simulation>()
}
