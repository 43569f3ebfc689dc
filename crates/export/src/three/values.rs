//! Set and Get, and derivatives.

use std::ffi::CString;

use macrostep_fmi3::*;
use macrostep_slave::{Fault, Model, Slave, Tangent};

use super::handle::{Type, enter, enter_quickly, handle};
use crate::pointers::{Problem, list, list_mut, text};
use crate::shell::Failure;

/// Arrays are scalars here: a value for each reference.
fn same(found: usize, expected: usize) -> Result<(), Failure> {
    if found == expected {
        return Ok(());
    }
    Err(Failure::Argument(format!("{found} values found, expected {expected}: all variables are scalars")))
}

/// `fmi3GetFloat64`; reference 0 is the time.
pub unsafe fn get_float64<M: Model>(
    instance: Instance,
    refs: *const ValueReference,
    count: usize,
    values: *mut f64,
    value_count: usize,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter_quickly::<M>(instance, "fmi3GetFloat64", |shell, handle| {
            let (refs, values) = (list("valueReferences", refs, count)?, list_mut("values", values, value_count)?);
            same(value_count, count)?;
            if !refs.contains(&0) {
                let locals = handle.references.all_of_type(refs, Type::Float64)?;
                return Ok(shell.instance.get_real(&locals, values)?);
            }
            let others: Vec<u32> = refs.iter().copied().filter(|reference| *reference != 0).collect();
            let mut found = vec![0.0; others.len()];
            shell.instance.get_real(&handle.references.all_of_type(&others, Type::Float64)?, &mut found)?;
            let (time_s, mut found) = (shell.instance.time_s(), found.into_iter());
            for (reference, value) in refs.iter().zip(values) {
                *value = if *reference == 0 { time_s } else { found.next().unwrap_or(time_s) };
            }
            Ok(())
        })
    }
}

/// `fmi3SetFloat64`; inside a step for the inputs that the importer has named.
pub unsafe fn set_float64<M: Model>(
    instance: Instance,
    refs: *const ValueReference,
    count: usize,
    values: *const f64,
    value_count: usize,
) -> Status {
    // SAFETY: the contract of this module.
    let inside = unsafe { handle::<M>(instance) }.map(|handle| &handle.inside).filter(|inside| inside.is_open());
    if let Some(inside) = inside {
        // SAFETY: the contract of this module.
        let lists = unsafe { (list("valueReferences", refs, count), list("values", values, value_count)) };
        let is_set = matches!(lists, (Ok(refs), Ok(values)) if refs.len() == values.len() && inside.set(refs, values));
        return if is_set { OK } else { ERROR };
    }
    // SAFETY: the contract of this module.
    unsafe {
        enter_quickly::<M>(instance, "fmi3SetFloat64", |shell, handle| {
            same(value_count, count)?;
            let locals = handle.references.all_of_type(list("valueReferences", refs, count)?, Type::Float64)?;
            Ok(shell.instance.set_real(&locals, list("values", values, count)?)?)
        })
    }
}

/// `fmi3GetInt32`.
pub unsafe fn get_int32<M: Model>(
    instance: Instance,
    refs: *const ValueReference,
    count: usize,
    values: *mut i32,
    value_count: usize,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(instance, "fmi3GetInt32", |shell, handle| {
            same(value_count, count)?;
            let locals = handle.references.all_of_type(list("valueReferences", refs, count)?, Type::Int32)?;
            Ok(shell.instance.get_integer(&locals, list_mut("values", values, count)?)?)
        })
    }
}

/// `fmi3SetInt32`.
pub unsafe fn set_int32<M: Model>(
    instance: Instance,
    refs: *const ValueReference,
    count: usize,
    values: *const i32,
    value_count: usize,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(instance, "fmi3SetInt32", |shell, handle| {
            same(value_count, count)?;
            let locals = handle.references.all_of_type(list("valueReferences", refs, count)?, Type::Int32)?;
            Ok(shell.instance.set_integer(&locals, list("values", values, count)?)?)
        })
    }
}

/// `fmi3GetInt64`, for enumerations.
pub unsafe fn get_int64<M: Model>(
    instance: Instance,
    refs: *const ValueReference,
    count: usize,
    values: *mut i64,
    value_count: usize,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(instance, "fmi3GetInt64", |shell, handle| {
            same(value_count, count)?;
            let locals = handle.references.all_of_type(list("valueReferences", refs, count)?, Type::Int64)?;
            let (values, mut found) = (list_mut("values", values, count)?, vec![0; count]);
            shell.instance.get_integer(&locals, &mut found)?;
            values.iter_mut().zip(found).for_each(|(value, found)| *value = i64::from(found));
            Ok(())
        })
    }
}

/// `fmi3SetInt64`, for enumerations.
pub unsafe fn set_int64<M: Model>(
    instance: Instance,
    refs: *const ValueReference,
    count: usize,
    values: *const i64,
    value_count: usize,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(instance, "fmi3SetInt64", |shell, handle| {
            same(value_count, count)?;
            let locals = handle.references.all_of_type(list("valueReferences", refs, count)?, Type::Int64)?;
            let item = |value: &i64| i32::try_from(*value).map_err(|_| format!("{value} found, expected an item"));
            let values: Result<Vec<i32>, Problem> = list("values", values, count)?.iter().map(item).collect();
            Ok(shell.instance.set_integer(&locals, &values?)?)
        })
    }
}

/// `fmi3GetBoolean`.
pub unsafe fn get_boolean<M: Model>(
    instance: Instance,
    refs: *const ValueReference,
    count: usize,
    values: *mut Boolean,
    value_count: usize,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(instance, "fmi3GetBoolean", |shell, handle| {
            same(value_count, count)?;
            let locals = handle.references.all_of_type(list("valueReferences", refs, count)?, Type::Boolean)?;
            let (values, mut found) = (list_mut("values", values, count)?, vec![false; count]);
            shell.instance.get_boolean(&locals, &mut found)?;
            values.iter_mut().zip(found).for_each(|(value, found)| *value = Boolean::from(found));
            Ok(())
        })
    }
}

/// `fmi3SetBoolean`.
pub unsafe fn set_boolean<M: Model>(
    instance: Instance,
    refs: *const ValueReference,
    count: usize,
    values: *const Boolean,
    value_count: usize,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(instance, "fmi3SetBoolean", |shell, handle| {
            same(value_count, count)?;
            let locals = handle.references.all_of_type(list("valueReferences", refs, count)?, Type::Boolean)?;
            let values: Vec<bool> = list("values", values, count)?.iter().map(|v| *v != FALSE).collect();
            Ok(shell.instance.set_boolean(&locals, &values)?)
        })
    }
}

/// `fmi3GetString`: the strings live until the next call for this instance that returns strings, or its end.
pub unsafe fn get_string<M: Model>(
    instance: Instance,
    refs: *const ValueReference,
    count: usize,
    values: *mut Str,
    value_count: usize,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(instance, "fmi3GetString", |shell, handle| {
            same(value_count, count)?;
            let locals = handle.references.all_of_type(list("valueReferences", refs, count)?, Type::String)?;
            let values = list_mut("values", values, count)?;
            let found = shell.instance.get_string(&locals)?;
            // A C string ends at a zero byte.
            let copy = |text: &&str| CString::new(text.split('\0').next().unwrap_or_default()).unwrap_or_default();
            shell.strings = found.iter().map(copy).collect();
            values.iter_mut().zip(&shell.strings).for_each(|(value, text)| *value = text.as_ptr());
            Ok(())
        })
    }
}

/// `fmi3SetString`: the strings are copied.
pub unsafe fn set_string<M: Model>(
    instance: Instance,
    refs: *const ValueReference,
    count: usize,
    values: *const Str,
    value_count: usize,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(instance, "fmi3SetString", |shell, handle| {
            same(value_count, count)?;
            let locals = handle.references.all_of_type(list("valueReferences", refs, count)?, Type::String)?;
            let values = list("values", values, count)?.iter();
            let values: Option<Vec<&str>> = values.map(|v| text(*v).and_then(|t| t.to_str().ok())).collect();
            let values = values.ok_or_else(|| "a string is NULL or not UTF-8".to_string())?;
            Ok(shell.instance.set_string(&locals, &values)?)
        })
    }
}

/// Get and Set of a type that no variable has: only empty lists are right.
pub unsafe fn none_of_type<M: Model>(
    instance: Instance,
    name: &'static str,
    refs: *const ValueReference,
    count: usize,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(instance, name, |_, _| {
            let first = list("valueReferences", refs, count)?.first();
            first.map_or(Ok(()), |reference| {
                Err(Failure::Argument(format!(
                    "value reference {reference} found, but the FMU has no variable of this type"
                )))
            })
        })
    }
}

/// `fmi3GetOutputDerivatives`.
pub unsafe fn get_output_derivatives<M: Model>(
    instance: Instance,
    refs: *const ValueReference,
    count: usize,
    orders: *const i32,
    values: *mut f64,
    value_count: usize,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(instance, "fmi3GetOutputDerivatives", |shell, handle| {
            same(value_count, count)?;
            let locals = handle.references.all_of_type(list("valueReferences", refs, count)?, Type::Float64)?;
            let orders = list("orders", orders, count)?;
            Ok(shell.instance.get_real_output_derivatives(&locals, orders, list_mut("values", values, count)?)?)
        })
    }
}

/// What `fmi3GetDirectionalDerivative` is given.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)] // the arguments of FMI 3.0.2, section 2.2.11, under their names there
pub struct Direction {
    pub unknowns: *const ValueReference,
    pub unknown_count: usize,
    pub knowns: *const ValueReference,
    pub known_count: usize,
    pub seed: *const f64,
    pub seed_count: usize,
    pub sensitivity: *mut f64,
    pub sensitivity_count: usize,
}

/// `fmi3GetDirectionalDerivative`.
pub unsafe fn get_directional_derivative<M: Model>(instance: Instance, of: Direction) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(instance, "fmi3GetDirectionalDerivative", |shell, handle| {
            same(of.seed_count, of.known_count)?;
            same(of.sensitivity_count, of.unknown_count)?;
            let references = &handle.references;
            let unknown = references.all_of_type(list("unknowns", of.unknowns, of.unknown_count)?, Type::Float64)?;
            let known = references.all_of_type(list("knowns", of.knowns, of.known_count)?, Type::Float64)?;
            let seed = list("seed", of.seed, of.seed_count)?;
            let sensitivity = list_mut("sensitivity", of.sensitivity, of.sensitivity_count)?;
            let done = shell.instance.directional_derivative(Tangent::new(&unknown, &known, seed, sensitivity));
            // A pair without a derivative is no reason to end the instance, as `fmi3Error` would.
            done.map_err(|fault| match fault {
                Fault::NotDifferentiable { .. } => Failure::Discarded(fault.to_string()),
                other => other.into(),
            })
        })
    }
}
