//! Rules on start values and bounds.

use super::Findings;
use crate::inherit::by_name;
use crate::{Causality, Initial, Kind, ModelDescription, Value, Variable, shown};

pub(super) fn given(d: &ModelDescription, f: &mut Findings<'_>) {
    for (at, v) in d.variables.iter().enumerate() {
        let needed = v.causality == Causality::Input || matches!(v.initial, Some(Initial::Exact | Initial::Approx));
        // One that is there, and has no room in 32 bits.
        let is_wide = d.fmi3.as_ref().and_then(|fmi3| fmi3.places.get(at)).is_some_and(|place| place.is_wide);
        match (&v.start, needed) {
            (None, true) if is_wide => {}
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

/// Bounds as reals.
type Bounds = (Option<f64>, Option<f64>);

pub(super) fn range(d: &ModelDescription, f: &mut Findings<'_>) {
    let types = by_name(&d.types);
    for (at, v) in d.variables.iter().enumerate() {
        // Bounds that leave room.
        let of_type = v.declared_type.as_deref().and_then(|name| types.get(name)).map(|t| &t.kind);
        let (min, max) = bounds(&v.kind);
        if let (Some(min), Some(max)) = (min, max)
            && min > max
        {
            f.variable(at, format!("min {} and max {}", shown::number(min), shown::number(max)), "min ≤ max");
        }
        // The start value within them.
        if let Some(start) = number(v) {
            let found = || format!("the start value {}", shown::number(start));
            if let Some(min) = min.filter(|min| start < *min) {
                f.variable(at, found(), format!("at least {}", shown::number(min)));
            }
            if let Some(max) = max.filter(|max| start > *max) {
                f.variable(at, found(), format!("at most {}", shown::number(max)));
            }
        }
        // A nominal value is something to divide by.
        if let Some(nominal) = v.real().and_then(|a| a.nominal)
            && !(nominal.is_finite() && nominal != 0.0)
        {
            f.variable(at, format!("nominal {}", shown::number(nominal)), "a finite number other than 0");
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
