//! Where the program's units come from: the FMUs carried in it.

use std::time::Duration;

use macrostep_analysis::models::{missing, refused};
use macrostep_answers::Carried;
use macrostep_benchmarks::FULL;
use macrostep_import::fmu::{Fmu, FmuError, FmuOptions};
use macrostep_import::isolation::{Isolation, watched};
use macrostep_master::RunError;
use macrostep_master::unit::Unit;

use crate::embedded;

/// The FMUs of this program, for answers about scenarios.
pub static CARRIED: Carried = Carried { stored: embedded::fmu, packed: embedded::packed, unit: fmu, open_all };

/// An instance of an FMU carried in this program.
///
/// # Errors
/// Where there is none of this name, or it cannot be loaded here.
pub fn fmu(model: &str, name: &str) -> Result<Box<dyn Unit>, RunError> {
    let failed = |e: FmuError| refused(name, e.to_string(), String::new());
    let fmu = open(model, name)?;
    // Where it ends the program, unit and call are told.
    watched(&fmu, name, &FmuOptions::default(), Duration::ZERO, "").map_err(failed)
}

/// As [`fmu`], in a process of its own.
///
/// # Errors
/// As [`fmu`], and where there is no process.
pub fn isolated(isolation: &Isolation, model: &str, name: &str) -> Result<Box<dyn Unit>, RunError> {
    Ok(Box::new(isolation.instantiate(&open(model, name)?, name)?))
}

/// As [`isolated`], and goes back by fork.
///
/// # Errors
/// As [`isolated`].
pub fn forked(isolation: &Isolation, model: &str, name: &str) -> Result<Box<dyn Unit>, RunError> {
    Ok(Box::new(isolation.instantiate_by_fork(&open(model, name)?, name)?))
}

fn open(model: &str, name: &str) -> Result<Fmu, RunError> {
    let bytes = embedded::fmu(model).ok_or_else(|| absent(model, name))?;
    Fmu::carried(model, bytes).map_err(|e| refused(name, e.to_string(), String::new()))
}

/// Opens all FMUs carried here; while the result lives, [`fmu`] neither unpacks nor loads any of them again.
///
/// # Errors
/// Where one cannot be unpacked or read.
pub fn open_all() -> Result<Vec<Fmu>, RunError> {
    embedded::names().map(|name| open(name, name)).collect()
}

/// The error for a model whose FMU is not carried here.
fn absent(model: &str, name: &str) -> RunError {
    if embedded::ABSENT.contains(&model) {
        return refused(name, format!("the FMU `{model}` is not in this build"), FULL.to_owned());
    }
    missing(model, name)
}
