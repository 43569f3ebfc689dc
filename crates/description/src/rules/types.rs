//! Rules on units and declared types.

use std::collections::{HashMap, HashSet};

use super::Findings;
use crate::inherit::by_name;
use crate::{Kind, ModelDescription, RealAttributes, Unit, shown};

pub(super) fn units(d: &ModelDescription, f: &mut Findings<'_>) {
    let mut seen = HashSet::new();
    for unit in &d.units {
        // Names are unique.
        let subject = || format!("unit `{}`", unit.name);
        if !seen.insert(&unit.name) {
            f.add(subject(), "a second definition", "one");
        }
        // Conversions to base and display units can be taken back.
        let base = unit.base.map(|b| (b.factor, b.offset));
        let display = unit.display.iter().map(|d| (d.factor, d.offset));
        for (factor, offset) in base.into_iter().chain(display) {
            if factor == 0.0 || !factor.is_finite() || !offset.is_finite() {
                f.add(
                    subject(),
                    format!("factor {} and offset {}", shown::number(factor), shown::number(offset)),
                    "finite numbers, a factor other than 0",
                );
            }
        }
        // Display units are unique within a unit.
        let mut shown = HashSet::new();
        for display in unit.display.iter().filter(|display| !shown.insert(&display.name)) {
            f.add(subject(), format!("display unit `{}` twice", display.name), "once");
        }
    }
}

pub(super) fn unit_references(d: &ModelDescription, f: &mut Findings<'_>) {
    let units: HashMap<&str, &Unit> = d.units.iter().map(|u| (u.name.as_str(), u)).collect();
    let types = by_name(&d.types);
    for t in &d.types {
        if let Kind::Real(a) = &t.kind
            && let Some(found) = undefined(&units, a)
        {
            f.add(format!("type `{}`", t.name), found, "one of `UnitDefinitions`");
        }
    }
    for (at, v) in d.variables.iter().enumerate() {
        let Kind::Real(a) = &v.kind else { continue };
        // What it has from its type is found there.
        let declared = v.declared_type.as_deref().and_then(|name| types.get(name));
        let is_inherited = declared.is_some_and(
            |t| matches!(&t.kind, Kind::Real(t) if (&t.unit, &t.display_unit) == (&a.unit, &a.display_unit)),
        );
        if let Some(found) = undefined(&units, a).filter(|_| !is_inherited) {
            f.variable(at, found, "one of `UnitDefinitions`");
        }
    }
}

/// What is not defined of the units of a Real.
fn undefined(units: &HashMap<&str, &Unit>, a: &RealAttributes) -> Option<String> {
    if let Some(name) = &a.unit
        && !units.contains_key(name.as_str())
    {
        return Some(format!("unit `{name}`, which is not defined"));
    }
    let display = a.display_unit.as_deref()?;
    let Some(unit) = a.unit.as_deref() else {
        return Some(format!("display unit `{display}` without a unit"));
    };
    let known = units.get(unit).is_none_or(|u| u.name == display || u.display.iter().any(|d| d.name == display));
    (!known).then(|| format!("display unit `{display}`, which unit `{unit}` does not define"))
}

pub(super) fn definitions(d: &ModelDescription, f: &mut Findings<'_>) {
    let mut seen = HashSet::new();
    let variables: HashSet<&str> = d.variables.iter().map(|v| v.name.as_str()).collect();
    for t in &d.types {
        // Names are unique among types and variables.
        let subject = || format!("type `{}`", t.name);
        if !seen.insert(&t.name) {
            f.add(subject(), "a second definition", "one");
        }
        if variables.contains(t.name.as_str()) {
            f.add(subject(), "the name of a variable", "a name of its own");
        }
        // Items of an enumeration, with names and values of their own.
        let Kind::Enumeration { items, .. } = &t.kind else { continue };
        if items.is_empty() {
            f.add(subject(), "an enumeration without items", "items");
        }
        let (mut names, mut values) = (HashSet::new(), HashSet::new());
        for item in items {
            if !names.insert(&item.name) || !values.insert(item.value) {
                f.add(subject(), format!("item `{}` = {} again", item.name, item.value), "unique names and values");
            }
        }
    }
}

pub(super) fn declared(d: &ModelDescription, f: &mut Findings<'_>) {
    let types = by_name(&d.types);
    for (at, v) in d.variables.iter().enumerate() {
        match v.declared_type.as_deref() {
            None if matches!(v.kind, Kind::Enumeration { .. }) => {
                f.variable(at, "an enumeration without `declaredType`", "the type that names its items");
            }
            None => {}
            Some(name) => match types.get(name) {
                None => {
                    f.variable(at, format!("`declaredType` `{name}`, which is not defined"), "one of `TypeDefinitions`")
                }
                Some(t) if std::mem::discriminant(&t.kind) != std::mem::discriminant(&v.kind) => {
                    f.variable(at, format!("`declaredType` `{name}` of another type"), "a type of the same element");
                }
                Some(_) => {}
            },
        }
    }
}
