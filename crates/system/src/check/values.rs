//! Settings against the variables they are for.

use super::units::{Conversion, base, exponents, given};
use super::{Declared, near};
use crate::finding::Finding;
use crate::scenario::{Place, Scenario, Setting, Unit, Value};
use crate::words::Family;
use macrostep_description::{BaseUnit, Causality, Initial, Kind, ModelDescription, Variability, Variable};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A value in the type of its variable, as FMI takes it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Converted {
    Real(f64),
    Integer(i32),
    Boolean(bool),
    Text(String),
}

pub(super) fn check(d: &Declared<'_>, findings: &mut Vec<Finding>) {
    // Names of units are unique, also among laws.
    for (i, unit) in d.scenario.units.iter().enumerate() {
        if d.names.unit(&unit.name) != Some(i) || d.names.law(&unit.name).is_some() {
            findings.push(Finding::error(&unit.place, format!("the name `{}` twice", unit.name), "rename one of them"));
        }
    }
    // Parameter sets name units that are there.
    for set in &d.scenario.sets {
        for (unit, setting) in &set.settings {
            if d.names.unit(unit).is_none() {
                let what = format!("parameter set `{}`: no unit `{unit}`", set.name);
                findings.push(Finding::error(&setting.place, what, "name one of the units, or remove the line"));
            }
        }
    }
    // Settings against variables. One from SSP that has no variable is passed over, with one note for all of them.
    let mut missing: Vec<(&Place, String)> = Vec::new();
    for (i, (unit, description)) in d.scenario.units.iter().zip(d.descriptions).enumerate() {
        let Some(description) = description else { continue };
        twice(&unit.name, d.names.settings(i), description, findings);
        for setting in d.names.settings(i) {
            if setting.is_optional && description.variable(&setting.variable).is_none() {
                missing.push((&setting.place, format!("`{}.{}`", unit.name, setting.variable)));
                continue;
            }
            match fits(&unit.name, setting, description) {
                Ok(_) => findings.extend(assumed(&unit.name, setting, description)),
                Err(finding) => findings.push(finding),
            }
        }
        // The step is set as by a line of the file. What step an FMU proposes, it takes.
        let setting = d.scenario.experiment.step_s.and_then(|step_s| own_step(d.scenario, unit, step_s, description));
        findings.extend(setting.and_then(|setting| fits(&unit.name, &setting, description).err()));
        // Names of motions are variables.
        for name in unit.motions.iter().flatten() {
            if description.variable(name).is_none() {
                let what = format!("motion of unit `{}`: no variable `{name}`", unit.name);
                findings.push(Finding::error(&unit.place, what, near(name, description)));
            }
        }
    }
    if let Some((place, _)) = missing.first() {
        let names: Vec<&str> = missing.iter().take(NAMES_MAX).map(|(_, name)| name.as_str()).collect();
        let more = if missing.len() > NAMES_MAX { ", …" } else { "" };
        let what =
            format!("{} of the parameters are not variables of their FMUs: {}{more}", missing.len(), names.join(", "));
        findings.push(Finding::note(place, what, "SSP demands that they are ignored"));
    }
}

/// Names shown of many.
const NAMES_MAX: usize = 8;

/// Removes values of a parameter set for variables that units need not have. The descriptions are in the order of the
/// units.
pub fn keep_known(s: &mut Scenario, descriptions: &[Arc<ModelDescription>]) {
    let units: BTreeMap<String, &Arc<ModelDescription>> =
        s.units.iter().map(|u| u.name.clone()).zip(descriptions).collect();
    let is_known = |unit: &str, setting: &Setting| {
        !setting.is_optional || units.get(unit).is_none_or(|d| d.variable(&setting.variable).is_some())
    };
    for unit in &mut s.units {
        let name = unit.name.clone();
        unit.settings.retain(|setting| is_known(&name, setting));
    }
    for set in &mut s.sets {
        set.settings.retain(|(unit, setting)| is_known(unit, setting));
    }
}

/// The variable of a setting, which can be set to this value.
pub(crate) fn fits<'a>(
    unit: &str,
    setting: &Setting,
    description: &'a ModelDescription,
) -> Result<&'a Variable, Finding> {
    let name = &setting.variable;
    let fail = |what: String, next: String| Err(Finding::error(&setting.place, what, next));
    // The variable is there, and FMI lets it be set before the run.
    let Some(v) = description.variable(name) else {
        return fail(format!("unit `{unit}` has no variable `{name}`"), near(name, description));
    };
    let settable = v.variability != Variability::Constant
        && (matches!(v.causality, Causality::Parameter | Causality::Input)
            || matches!(v.initial, Some(Initial::Exact | Initial::Approx)));
    if !settable {
        let what = format!("`{unit}.{name}` is {} and cannot be set", causality(v.causality));
        return fail(what, "set a parameter or an input".to_owned());
    }
    // The value converts to its type and unit.
    let value = convert(setting, v, description).map_err(|expected| {
        let what = format!("`{unit}.{name}` = {}, expected {expected}", setting.value);
        Finding::error(&setting.place, what, "")
    })?;
    match in_range(&format!("{unit}.{name}"), &value, v) {
        Ok(()) => Ok(v),
        Err((what, next)) => fail(what, next),
    }
}

/// Values of which a unit has one under two names: the last one stays.
fn twice<'a>(
    unit: &str,
    settings: impl Iterator<Item = &'a Setting>,
    description: &ModelDescription,
    findings: &mut Vec<Finding>,
) {
    // FMI numbers the values of each type on their own; an enumeration is an integer.
    let kind = |v: &Variable| match v.kind {
        Kind::Real(_) => 0,
        Kind::Integer { .. } | Kind::Enumeration { .. } => 1,
        Kind::Boolean => 2,
        Kind::String => 3,
    };
    let mut known: BTreeMap<(u8, u32), &Setting> = BTreeMap::new();
    for setting in settings {
        let Some(v) = description.variable(&setting.variable) else { continue };
        let before = known.insert((kind(v), v.value_reference), setting);
        if let Some(before) = before.filter(|b| b.variable != setting.variable && b.value != setting.value) {
            let what = format!(
                "`{unit}.{}` = {} and `{unit}.{}` = {} are one value in the FMU",
                before.variable, before.value, setting.variable, setting.value
            );
            findings.push(Finding::warning(
                &setting.place,
                what,
                format!("{} is used; set one of them", setting.value),
            ));
        }
    }
}

/// Whether a value is finite and in the range that its variable declares; only numbers have one. Else what was found, and what to do.
pub(super) fn in_range(name: &str, value: &Converted, v: &Variable) -> Result<(), (String, String)> {
    let (number, min, max) = match (value, &v.kind) {
        (Converted::Real(x), Kind::Real(r)) => (*x, r.min, r.max),
        (Converted::Integer(i), Kind::Integer { min, max } | Kind::Enumeration { min, max, .. }) => {
            (f64::from(*i), min.map(f64::from), max.map(f64::from))
        }
        _ => return Ok(()),
    };
    if !number.is_finite() {
        return Err((format!("`{name}` = {number}, expected a finite number"), String::new()));
    }
    let (min, max) = (min.unwrap_or(f64::NEG_INFINITY), max.unwrap_or(f64::INFINITY));
    if number < min || number > max {
        let what = format!("`{name}` = {number}, expected {min} to {max}");
        return Err((what, "the FMU declares this range".to_owned()));
    }
    Ok(())
}

/// The value in the type of its variable, or what was expected.
pub(crate) fn convert(setting: &Setting, v: &Variable, description: &ModelDescription) -> Result<Converted, String> {
    // Each type takes values of its own kind; a real variable also takes integers, in the unit they are given in.
    let integer = |i: i64| i32::try_from(i).map(Converted::Integer).map_err(|_| "an integer of 32 bits".to_owned());
    match (&v.kind, &setting.value) {
        (Kind::Real(_), Value::Real(x)) => measured(*x, setting, v, description),
        (Kind::Real(_), Value::Integer(i)) => measured(*i as f64, setting, v, description),
        (Kind::Real(_), _) => Err("a number".to_owned()),
        (Kind::Integer { .. }, Value::Integer(i)) => integer(*i),
        (Kind::Integer { .. }, _) => Err("an integer".to_owned()),
        // Booleans and texts.
        (Kind::Boolean, Value::Boolean(b)) => Ok(Converted::Boolean(*b)),
        (Kind::Boolean, _) => Err("true or false".to_owned()),
        (Kind::String, Value::Text(t)) => Ok(Converted::Text(t.clone())),
        (Kind::String, _) => Err("a text".to_owned()),
        // Items of enumerations by their name, or by their number.
        (Kind::Enumeration { .. }, Value::Text(name)) => {
            let items = items(v, description);
            let named = items.iter().find(|(item, _)| item == name);
            let number = || name.trim().parse().ok().filter(|number| is_item(*number, &items));
            named.map(|(_, value)| *value).or_else(number).map(Converted::Integer).ok_or_else(|| one_of(&items))
        }
        (Kind::Enumeration { .. }, Value::Integer(i)) => {
            let items = items(v, description);
            let number = i32::try_from(*i).ok().filter(|number| is_item(*number, &items));
            number.map(Converted::Integer).ok_or_else(|| one_of(&items))
        }
        (Kind::Enumeration { .. }, _) => Err(one_of(&items(v, description))),
    }
}

/// Whether a number is one of an enumeration; any is where no items are declared.
fn is_item(number: i32, items: &[(String, i32)]) -> bool {
    items.is_empty() || items.iter().any(|(_, value)| *value == number)
}

/// What an enumeration takes.
fn one_of(items: &[(String, i32)]) -> String {
    let names: Vec<String> = items.iter().map(|(item, value)| format!("`{item}` ({value})")).collect();
    if names.is_empty() { "the number of an item".to_owned() } else { format!("one of {}", names.join(", ")) }
}

/// What a unit that needs to know its step is told, in the unit of its parameter, where that is a time.
pub(crate) fn own_step(s: &Scenario, unit: &Unit, step_s: f64, description: &ModelDescription) -> Option<Setting> {
    let name = unit.step_parameter.as_ref()?;
    // Without dense output it steps from node to node: `waveform:2` makes two parts of equal length.
    let predict = &s.coupling.predict;
    let is_halved = predict.family == Family::Spectral && predict.degree == 2;
    let parts = if is_halved && description.dense_nodes().is_none() { 2.0 } else { 1.0 };
    let measure = description.variable(name).and_then(|v| base(description, v.unit()));
    let second = measure.filter(|b| exponents(b) == exponents(&BaseUnit { s: 1, ..BaseUnit::default() }));
    let step = step_s * f64::from(unit.share.0) / f64::from(unit.share.1) / parts / second.map_or(1.0, |b| b.factor);
    Some(Setting::new(name, Value::Real(step), unit.place.clone()))
}

fn measured(x: f64, setting: &Setting, v: &Variable, description: &ModelDescription) -> Result<Converted, String> {
    let Some(unit) = &setting.unit else { return Ok(Converted::Real(x)) };
    match given((unit, setting.base), v, description).0 {
        Conversion::Same => Ok(Converted::Real(x)),
        Conversion::Affine(factor, offset) => Ok(Converted::Real(factor * x + offset)),
        Conversion::Unknown | Conversion::Incompatible => {
            Err(format!("a value in `{}`; it is given in `{unit}`, which is another quantity", v.unit()))
        }
    }
}

/// A warning where the unit of a value had to be guessed.
pub(super) fn assumed(unit: &str, setting: &Setting, description: &ModelDescription) -> Option<Finding> {
    let v = description.variable(&setting.variable).filter(|v| v.real().is_some())?;
    let name = setting.unit.as_deref()?;
    let assumed = given((name, setting.base), v, description).1?;
    let what = format!("`{unit}.{}` = {} in `{name}`: {assumed}", v.name, setting.value);
    let next = format!("`--set \"{unit}.{}=NUMBER\"` gives a number in `{}`", v.name, v.unit());
    Some(Finding::warning(&setting.place, what, next))
}

/// Names and values of an enumeration's items.
pub(crate) fn items(v: &Variable, description: &ModelDescription) -> Vec<(String, i32)> {
    let of_type = v.declared_type.iter().flat_map(|name| description.types.iter().filter(move |t| t.name == *name));
    let kinds = of_type.map(|t| &t.kind).chain([&v.kind]);
    kinds
        .filter_map(|kind| if let Kind::Enumeration { items, .. } = kind { Some(items) } else { None })
        .flatten()
        .map(|item| (item.name.clone(), item.value))
        .collect()
}

pub(super) fn causality(c: Causality) -> &'static str {
    match c {
        Causality::Parameter => "a parameter",
        Causality::CalculatedParameter => "a calculated parameter",
        Causality::Input => "an input",
        Causality::Output => "an output",
        Causality::Local => "a local variable",
        Causality::Independent => "the independent variable",
    }
}
