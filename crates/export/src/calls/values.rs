//! Set and Get, and derivatives.

use std::ffi::CString;

use macrostep_fmi2::*;
use macrostep_slave::{Model, Slave, Tangent};

use crate::pointers::{list, list_mut, text};
use crate::shell::{enter, enter_quickly};

/// `fmi2GetReal`.
#[inline]
pub unsafe fn get_real<M: Model>(c: Component, refs: *const ValueReference, count: usize, values: *mut Real) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter_quickly::<M>(c, "fmi2GetReal", |shell| {
            Ok(shell.instance.get_real(list("vr", refs, count)?, list_mut("value", values, count)?)?)
        })
    }
}

/// `fmi2SetReal`.
#[inline]
pub unsafe fn set_real<M: Model>(
    c: Component,
    refs: *const ValueReference,
    count: usize,
    values: *const Real,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter_quickly::<M>(c, "fmi2SetReal", |shell| {
            Ok(shell.instance.set_real(list("vr", refs, count)?, list("value", values, count)?)?)
        })
    }
}

/// `fmi2GetInteger`.
pub unsafe fn get_integer<M: Model>(
    c: Component,
    refs: *const ValueReference,
    count: usize,
    values: *mut Integer,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(c, "fmi2GetInteger", |shell| {
            Ok(shell.instance.get_integer(list("vr", refs, count)?, list_mut("value", values, count)?)?)
        })
    }
}

/// `fmi2SetInteger`.
pub unsafe fn set_integer<M: Model>(
    c: Component,
    refs: *const ValueReference,
    count: usize,
    values: *const Integer,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(c, "fmi2SetInteger", |shell| {
            Ok(shell.instance.set_integer(list("vr", refs, count)?, list("value", values, count)?)?)
        })
    }
}

/// `fmi2GetBoolean`.
pub unsafe fn get_boolean<M: Model>(
    c: Component,
    refs: *const ValueReference,
    count: usize,
    values: *mut Boolean,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(c, "fmi2GetBoolean", |shell| {
            let (refs, values) = (list("vr", refs, count)?, list_mut("value", values, count)?);
            let mut found = vec![false; count];
            shell.instance.get_boolean(refs, &mut found)?;
            values.iter_mut().zip(found).for_each(|(value, found)| *value = Boolean::from(found));
            Ok(())
        })
    }
}

/// `fmi2SetBoolean`.
pub unsafe fn set_boolean<M: Model>(
    c: Component,
    refs: *const ValueReference,
    count: usize,
    values: *const Boolean,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(c, "fmi2SetBoolean", |shell| {
            let values: Vec<bool> = list("value", values, count)?.iter().map(|v| *v != FALSE).collect();
            Ok(shell.instance.set_boolean(list("vr", refs, count)?, &values)?)
        })
    }
}

/// `fmi2GetString`: the strings live until the next call for this instance that returns strings, or its end.
pub unsafe fn get_string<M: Model>(
    c: Component,
    refs: *const ValueReference,
    count: usize,
    values: *mut Str,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(c, "fmi2GetString", |shell| {
            let (refs, values) = (list("vr", refs, count)?, list_mut("value", values, count)?);
            let found = shell.instance.get_string(refs)?;
            // A C string ends at a zero byte.
            let copy = |text: &&str| CString::new(text.split('\0').next().unwrap_or_default()).unwrap_or_default();
            shell.strings = found.iter().map(copy).collect();
            values.iter_mut().zip(&shell.strings).for_each(|(value, text)| *value = text.as_ptr());
            Ok(())
        })
    }
}

/// `fmi2SetString`: the strings are copied.
pub unsafe fn set_string<M: Model>(
    c: Component,
    refs: *const ValueReference,
    count: usize,
    values: *const Str,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter::<M>(c, "fmi2SetString", |shell| {
            let values: Option<Vec<&str>> =
                list("value", values, count)?.iter().map(|v| text(*v).and_then(|t| t.to_str().ok())).collect();
            let values = values.ok_or_else(|| "a string is NULL or not UTF-8".to_string())?;
            Ok(shell.instance.set_string(list("vr", refs, count)?, &values)?)
        })
    }
}

/// `fmi2SetRealInputDerivatives`.
#[inline]
pub unsafe fn set_real_input_derivatives<M: Model>(
    c: Component,
    refs: *const ValueReference,
    count: usize,
    orders: *const Integer,
    values: *const Real,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter_quickly::<M>(c, "fmi2SetRealInputDerivatives", |shell| {
            let (refs, orders) = (list("vr", refs, count)?, list("order", orders, count)?);
            Ok(shell.instance.set_real_input_derivatives(refs, orders, list("value", values, count)?)?)
        })
    }
}

/// `fmi2GetRealOutputDerivatives`.
pub unsafe fn get_real_output_derivatives<M: Model>(
    c: Component,
    refs: *const ValueReference,
    count: usize,
    orders: *const Integer,
    values: *mut Real,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter_quickly::<M>(c, "fmi2GetRealOutputDerivatives", |shell| {
            let (refs, orders) = (list("vr", refs, count)?, list("order", orders, count)?);
            Ok(shell.instance.get_real_output_derivatives(refs, orders, list_mut("value", values, count)?)?)
        })
    }
}

/// `fmi2GetDirectionalDerivative`.
pub unsafe fn get_directional_derivative<M: Model>(
    c: Component,
    unknown: *const ValueReference,
    unknowns: usize,
    known: *const ValueReference,
    knowns: usize,
    d_known: *const Real,
    d_unknown: *mut Real,
) -> Status {
    // SAFETY: the contract of this module.
    unsafe {
        enter_quickly::<M>(c, "fmi2GetDirectionalDerivative", |shell| {
            let (unknown, known) = (list("vUnknown_ref", unknown, unknowns)?, list("vKnown_ref", known, knowns)?);
            let d_known = list("dvKnown", d_known, knowns)?;
            let d_unknown = list_mut("dvUnknown", d_unknown, unknowns)?;
            Ok(shell.instance.directional_derivative(Tangent::new(unknown, known, d_known, d_unknown))?)
        })
    }
}
