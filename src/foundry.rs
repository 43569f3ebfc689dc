//! Where units come from: native models, or the FMUs carried in this program.

use macrostep_master::RunError;
use macrostep_master::unit::fmu::{Fmu, FmuOptions};
use macrostep_master::unit::{Failure, NativeUnit, Unit, UnitError};

use crate::{embedded, models};

/// A native unit of one of our models.
///
/// # Errors
/// Where there is no model of this identifier.
pub fn native(model: &str, name: &str) -> Result<Box<dyn Unit>, RunError> {
    let entry = models::find(model).ok_or_else(|| missing(model, name))?;
    Ok(Box::new(NativeUnit::new(entry.instantiate(name))))
}

/// An instance of an FMU carried in this program.
///
/// # Errors
/// Where there is none of this name, or it cannot be loaded here.
pub fn fmu(model: &str, name: &str) -> Result<Box<dyn Unit>, RunError> {
    let bytes = embedded::fmu(model).ok_or_else(|| missing(model, name))?;
    let failed =
        |e: macrostep_master::unit::fmu::FmuError| refused(name, "instantiation", e.to_string(), String::new());
    let fmu = Fmu::from_bytes(model, bytes).map_err(failed)?;
    Ok(Box::new(fmu.instantiate(name, &FmuOptions::default()).map_err(failed)?))
}

/// Opens all FMUs carried here; while the result lives, [`fmu`] neither unpacks nor loads any of them again.
///
/// # Errors
/// Where one cannot be unpacked or read.
pub fn open_all() -> Result<Vec<Fmu>, RunError> {
    let open = |(name, bytes): &(&str, &[u8])| {
        Fmu::from_bytes(name, bytes).map_err(|e| refused(name, "opening", e.to_string(), String::new()))
    };
    embedded::FMUS.iter().map(open).collect()
}

fn missing(model: &str, name: &str) -> RunError {
    let known: Vec<&str> = models::all().iter().map(|e| e.identifier).collect();
    refused(name, "instantiation", format!("no model `{model}`"), format!("there are `{}`", known.join("`, `")))
}

fn refused(name: &str, call: &'static str, status: String, message: String) -> RunError {
    RunError::from(UnitError::from(Failure { unit: name.to_string(), call, status, t_s: 0.0, message }))
}
