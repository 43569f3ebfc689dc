//! Start values that a unit gets before it is initialised.

use macrostep_description::{Kind, ModelDescription, Value, Variable};

use super::{Failure, Unit, UnitError};

/// A start value of a parameter, an input, or a variable that may be guessed.
///
/// It is set between [`Unit::setup`] and [`Unit::enter_initialization`]. FMI 2.0.5, section 4.2.4, allows that before
/// `fmi2SetupExperiment` too, but some FMUs give their parameters the declared values again in that call.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// Value reference.
    pub reference: u32,
    /// Of the variable's type; an enumeration's is an integer.
    pub value: Value,
    /// For messages: which variable, and who says so.
    pub origin: String,
}

impl Start {
    /// Sets it.
    ///
    /// # Errors
    /// What the unit answers, with where the value comes from.
    pub fn set(&self, unit: &mut dyn Unit) -> Result<(), UnitError> {
        set(unit, self.reference, &self.value).map_err(|error| {
            let failure = (*error).clone();
            let message = match failure.message.as_str() {
                "" => self.origin.clone(),
                message => format!("{message} ({})", self.origin),
            };
            UnitError::from(Failure { message, ..failure })
        })
    }
}

/// Sets one variable of any type.
///
/// # Errors
/// What the unit answers.
pub fn set(unit: &mut dyn Unit, reference: u32, value: &Value) -> Result<(), UnitError> {
    match value {
        Value::Real(x) => unit.set_real(&[reference], &[*x]),
        Value::Integer(i) => unit.set_integer(&[reference], &[*i]),
        Value::Boolean(b) => unit.set_boolean(&[reference], &[*b]),
        Value::String(s) => unit.set_string(&[reference], &[s]),
    }
}

/// Reads one variable of any type.
///
/// # Errors
/// What the unit answers.
pub fn get(unit: &mut dyn Unit, variable: &Variable) -> Result<Value, UnitError> {
    let refs = &[variable.value_reference];
    let (mut real, mut integer, mut boolean) = ([f64::NAN], [0], [false]);
    Ok(match variable.kind {
        Kind::Real(_) => unit.get_real(refs, &mut real).map(|()| Value::Real(real[0]))?,
        Kind::Integer { .. } | Kind::Enumeration { .. } => {
            unit.get_integer(refs, &mut integer).map(|()| Value::Integer(integer[0]))?
        }
        Kind::Boolean => unit.get_boolean(refs, &mut boolean).map(|()| Value::Boolean(boolean[0]))?,
        Kind::String => Value::String(unit.get_string(refs)?.pop().unwrap_or_default()),
    })
}

/// The relative tolerance that an FMU proposes for its own solver, if it is one.
pub fn proposed_tolerance(description: &ModelDescription) -> Option<f64> {
    description.default_experiment?.tolerance.filter(|t| t.is_finite() && *t > 0.0)
}
