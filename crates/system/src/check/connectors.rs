//! The connectors of a description against the variables of the FMUs.

use super::units::exponents;
use super::wiring::type_name;
use super::{Declared, near};
use crate::finding::Finding;
use crate::scenario::Connector;
use macrostep_description::{Causality, ModelDescription, Variable};

pub(super) fn check(d: &Declared<'_>, findings: &mut Vec<Finding>) {
    for (unit, description) in d.scenario.units.iter().zip(d.descriptions) {
        let Some(description) = description else { continue };
        for c in &unit.connectors {
            // An array is compared by its first element, and by its dimensions.
            let elements = if c.dimensions.is_empty() { Vec::new() } else { d.elements(description, &c.name) };
            let first = elements.first().map(|(_, name)| *name);
            match description.variable(first.unwrap_or(&c.name)) {
                Some(v) => {
                    compare(&unit.name, c, v, description, findings);
                    findings.extend(shape(&unit.name, c, &elements));
                }
                None => {
                    let what = format!("connector `{}` of `{}`: the FMU has no such variable", c.name, unit.name);
                    findings.push(Finding::error(&c.place, what, near(&c.name, description)));
                }
            }
        }
    }
}

/// The dimensions of an array beside those of the FMU; what is one value may be called an array of one.
fn shape(unit: &str, c: &Connector, elements: &[(Vec<u32>, &str)]) -> Option<Finding> {
    let last = elements.last().map_or(vec![1; c.dimensions.len()], |(indices, _)| indices.clone());
    let fits = last.len() == c.dimensions.len()
        && last.iter().zip(&c.dimensions).all(|(found, size)| size.is_none_or(|size| size == *found));
    let shown = |sizes: Vec<String>| sizes.join(" × ");
    (!fits).then(|| {
        let said =
            shown(c.dimensions.iter().map(|size| size.map_or("?".to_owned(), |size| size.to_string())).collect());
        let is = shown(last.iter().map(u32::to_string).collect());
        let what = format!("connector `{unit}.{}` has the dimensions {said}, but {is} in the FMU", c.name);
        Finding::error(&c.place, what, "correct `size` of its elements `Dimension`")
    })
}

fn compare(unit: &str, c: &Connector, v: &Variable, description: &ModelDescription, findings: &mut Vec<Finding>) {
    let name = format!("{unit}.{}", c.name);
    let fits = match c.kind.as_str() {
        "input" => v.causality == Causality::Input,
        "output" => matches!(v.causality, Causality::Output | Causality::Local | Causality::CalculatedParameter),
        "parameter" => matches!(v.causality, Causality::Parameter | Causality::Input),
        "calculatedParameter" => matches!(v.causality, Causality::CalculatedParameter),
        _ => true,
    };
    if !fits {
        let what = format!(
            "connector `{name}` is of kind `{}`, but {} in the FMU",
            c.kind,
            super::values::causality(v.causality)
        );
        findings.push(Finding::error(&c.place, what, "correct the kind"));
    }
    let declared = type_name(v).rsplit(' ').next().unwrap_or("");
    // FMI has the same functions for both.
    let numbers = ["Integer", "Enumeration"];
    if let Some(t) =
        c.type_name.as_deref().filter(|t| *t != declared && !(numbers.contains(t) && numbers.contains(&declared)))
    {
        let what = format!("connector `{name}` is of type `{t}`, but {} in the FMU", type_name(v));
        findings.push(Finding::error(&c.place, what, "correct the type"));
    }
    let Some(unit) = c.unit.as_deref().filter(|u| *u != v.unit()) else { return };
    // The same quantity under another name is no finding.
    let base = |name: &str| description.units.iter().find(|u| u.name == name).and_then(|u| u.base);
    let same = match (base(unit), base(v.unit())) {
        (Some(a), Some(b)) => exponents(&a) == exponents(&b) && a.factor == b.factor && a.offset == b.offset,
        _ => false,
    };
    if !same {
        let what = format!("connector `{name}` is in `{unit}`, the variable of the FMU in `{}`", v.unit());
        findings.push(Finding::warning(&c.place, what, "the FMU's unit is used"));
    }
}
