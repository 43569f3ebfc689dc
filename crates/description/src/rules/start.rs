//! Rules on start values and bounds.

use std::collections::HashMap;

use super::Findings;
use crate::{Causality, Initial, Kind, ModelDescription, Value, Variable};

pub(super) fn given(d: &ModelDescription, f: &mut Findings<'_>) {
    for (at, v) in d.variables.iter().enumerate() {
        let needed = v.causality == Causality::Input || matches!(v.initial, Some(Initial::Exact | Initial::Approx));
        match (&v.start, needed) {
            (None, true) => f.variable(at, "no start value", "one: `initial` is exact or approx, or it is an input"),
            (Some(_), false) => f.variable(at, "a start value", "none: it is calculated or independent"),
            _ => {}
        }
    }
}

pub(super) fn typed(d: &ModelDescription, f: &mut Findings<'_>) {
    for (at, v) in d.variables.iter().enumerate() {
        let Some(start) = &v.start else { continue };
        let fits = matches!(
            (&v.kind, start),
            (Kind::Real(_), Value::Real(_))
                | (Kind::Integer { .. } | Kind::Enumeration { .. }, Value::Integer(_))
                | (Kind::Boolean, Value::Boolean(_))
                | (Kind::String, Value::String(_))
        );
        if !fits {
            f.variable(at, format!("the start value {start:?}"), "a value of its type");
        } else if start.as_real().is_some_and(|x| !x.is_finite()) {
            f.variable(at, format!("the start value {start:?}"), "a finite number");
        }
    }
}

/// Bounds as reals: those of the variable, or else of its type.
type Bounds = (Option<f64>, Option<f64>);

pub(super) fn range(d: &ModelDescription, f: &mut Findings<'_>) {
    let types: HashMap<&str, &Kind> = d.types.iter().map(|t| (t.name.as_str(), &t.kind)).collect();
    for (at, v) in d.variables.iter().enumerate() {
        let of_type = v.declared_type.as_deref().and_then(|name| types.get(name).copied());
        let (min, max) = bounds(&v.kind);
        let (min_of_type, max_of_type) = of_type.map(bounds).unwrap_or_default();
        let (min, max) = (min.or(min_of_type), max.or(max_of_type));
        if let (Some(min), Some(max)) = (min, max)
            && min > max
        {
            f.variable(at, format!("min {min} and max {max}"), "min ≤ max");
        }
        if let Some(start) = number(v) {
            if min.is_some_and(|min| start < min) {
                f.variable(at, format!("the start value {start}"), format!("at least {}", min.unwrap_or_default()));
            }
            if max.is_some_and(|max| start > max) {
                f.variable(at, format!("the start value {start}"), format!("at most {}", max.unwrap_or_default()));
            }
        }
        if let Some(nominal) = v.real().and_then(|a| a.nominal)
            && !(nominal.is_finite() && nominal != 0.0)
        {
            f.variable(at, format!("nominal {nominal}"), "a finite number other than 0");
        }
        items(at, v, of_type, f);
    }
}

/// An enumeration starts at one of its items.
fn items(at: usize, v: &Variable, of_type: Option<&Kind>, f: &mut Findings<'_>) {
    if let (Kind::Enumeration { .. }, Some(Value::Integer(start)), Some(Kind::Enumeration { items, .. })) =
        (&v.kind, &v.start, of_type)
        && items.iter().all(|item| item.value != *start)
    {
        f.variable(at, format!("the start value {start}"), "the value of an item");
    }
}

fn bounds(kind: &Kind) -> Bounds {
    match kind {
        Kind::Real(a) => (a.min, a.max),
        Kind::Integer { min, max } | Kind::Enumeration { min, max, .. } => (min.map(f64::from), max.map(f64::from)),
        Kind::Boolean | Kind::String => (None, None),
    }
}

fn number(v: &Variable) -> Option<f64> {
    match v.start.as_ref()? {
        Value::Real(x) => Some(*x),
        Value::Integer(x) => Some(f64::from(*x)),
        Value::Boolean(_) | Value::String(_) => None,
    }
}
