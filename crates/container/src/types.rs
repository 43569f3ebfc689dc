//! Types, units of measurement and bounds of the variables of several FMUs in one declaration.

use macrostep_description::{
    Causality, DisplayUnit, Kind, ModelDescription, RealAttributes, TypeDefinition, Unit, Value, Variability, Variable,
};

/// Gives a variable of a unit that declares `inside` its unit of measurement, and its type where it is an enumeration, under
/// names that mean the same for all units.
pub(crate) fn take_over(v: &mut Variable, (inside, unit): (&ModelDescription, &str), outside: &mut ModelDescription) {
    // A real variable is measured in a unit that means the same outside; what depends on others is declared later.
    let declared = v.declared_type.take();
    if let Kind::Real(a) = &mut v.kind {
        (a.derivative, a.reinit) = (None, false);
        a.nominal = a.nominal.filter(|n| n.is_finite() && *n != 0.0);
        measure(a, (inside, unit), outside);
    }
    // Enumerations get a type of their own, as units may have different ones under one name.
    if let Kind::Enumeration { items, .. } = &mut v.kind {
        let of_type = inside.types.iter().find(|t| Some(&t.name) == declared.as_ref());
        let all = match of_type.map(|t| &t.kind) {
            Some(Kind::Enumeration { items, .. }) => items.clone(),
            _ => std::mem::take(items),
        };
        items.clear();
        let own = format!("{unit}.{} items", declared.as_deref().unwrap_or(&v.name));
        if outside.types.iter().all(|t| t.name != own) {
            let description = of_type.and_then(|t| t.description.clone());
            let kind = Kind::Enumeration { items: all, min: None, max: None };
            outside.types.push(TypeDefinition { name: own.clone(), description, kind });
        }
        v.declared_type = Some(own);
    }
}

/// Unit of measurement of a real: left out where it is not defined inside, and one name means one unit.
fn measure(a: &mut RealAttributes, (inside, unit): (&ModelDescription, &str), outside: &mut ModelDescription) {
    let defined = inside.units.iter().find(|u| a.unit.as_ref() == Some(&u.name));
    let defined = defined.filter(|u| u.base.is_none_or(|b| b.factor.is_finite() && b.factor != 0.0));
    let Some(defined) = defined else {
        (a.unit, a.display_unit) = (None, None);
        return;
    };
    let shown = a.display_unit.take().filter(|d| defined.display.iter().any(|known| known.name == *d));
    // Its name outside.
    let known = &mut outside.units;
    let is_other = |u: &Unit| u.name == defined.name && u.base != defined.base;
    let own = if known.iter().any(is_other) { format!("{} of {unit}", defined.name) } else { defined.name.clone() };
    if known.iter().all(|u| u.name != own) {
        known.push(Unit { name: own.clone(), base: defined.base, display: Vec::new() });
    }
    // What it is shown in.
    if let Some(u) = known.iter_mut().find(|u| u.name == own) {
        let wanted = defined.display.iter().find(|d| Some(&d.name) == shown.as_ref());
        let is_new = |d: &&DisplayUnit| u.display.iter().all(|k| k.name != d.name);
        let new = wanted.filter(is_new).cloned();
        u.display.extend(new);
    }
    (a.unit, a.display_unit) = (Some(own), shown);
}

/// The variability that goes with a causality.
pub(crate) fn variability(causality: Causality, inner: &Variable) -> Variability {
    match causality {
        Causality::Parameter if inner.variability == Variability::Tunable => Variability::Tunable,
        Causality::Parameter => Variability::Fixed,
        _ if inner.real().is_some() && inner.variability == Variability::Continuous => Variability::Continuous,
        _ => Variability::Discrete,
    }
}

/// Leaves out bounds that the start value does not keep, as some FMUs declare them.
pub(crate) fn bounded(v: &mut Variable) {
    let within = |x: f64, min: Option<f64>, max: Option<f64>| {
        min.is_none_or(|min| min <= x)
            && max.is_none_or(|max| x <= max)
            && !matches!((min, max), (Some(a), Some(b)) if a > b)
    };
    match (&mut v.kind, &v.start) {
        (Kind::Real(a), Some(Value::Real(x))) if !within(*x, a.min, a.max) => (a.min, a.max) = (None, None),
        (Kind::Integer { min, max } | Kind::Enumeration { min, max, .. }, Some(Value::Integer(x)))
            if !within(f64::from(*x), min.map(f64::from), max.map(f64::from)) =>
        {
            (*min, *max) = (None, None);
        }
        _ => {}
    }
}
