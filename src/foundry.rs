//! Where units come from: native models, or the FMUs carried in this program.

use macrostep_master::unit::{Failure, NativeUnit, Unit, UnitError};
use macrostep_master::RunError;

/// A native unit of one of our models.
///
/// # Errors
/// Where there is no model of this identifier.
pub fn native(model: &str, name: &str) -> Result<Box<dyn Unit>, RunError> {
    let entry = macrostep_models::find(model).ok_or_else(|| missing(model, name))?;
    Ok(Box::new(NativeUnit::new(entry.instantiate(name))))
}

fn missing(model: &str, name: &str) -> RunError {
    let known: Vec<&str> = macrostep_models::all().iter().map(|e| e.identifier).collect();
    RunError::from(UnitError::from(Failure {
        unit: name.to_string(),
        call: "instantiation",
        status: format!("no model `{model}`"),
        t_s: 0.0,
        message: format!("there are `{}`", known.join("`, `")),
    }))
}
