//! Parameter bindings: values (`.ssv`) and mappings (`.ssm`), inline or in files of their own.

use super::read::Files;
use super::system::type_of;
use super::xml::{NEW, Node};
use crate::finding::Finding;
use crate::scenario::{Place, Setting, Value};
use macrostep_description::BaseUnit;
use std::collections::BTreeMap;

/// A value under the name it is to be applied to, below the element with the binding.
pub(super) struct Bound {
    pub target: String,
    pub value: Value,
    pub unit: Option<String>,
    /// What the unit is, where the file says it.
    pub base: Option<BaseUnit>,
    pub place: Place,
}

/// Name and values of a binding.
pub(super) fn binding(
    node: &Node,
    files: &Files,
    source: Option<&str>,
    findings: &mut Vec<Finding>,
) -> Result<(String, Vec<Bound>), Finding> {
    // What is understood of a binding, and where its sources are looked for.
    node.understood(
        &["ParameterValues", "ParameterMapping", "Annotations"],
        &["type", "source", "sourceBase", "prefix"],
        findings,
    );
    for n in [Some(node), node.child("ParameterMapping")].into_iter().flatten() {
        if let Some(other) = n.attribute("sourceBase").filter(|base| !["SSD", "component"].contains(base)) {
            let what = format!("`sourceBase` is `{other}`, expected `SSD` or `component`");
            findings.push(Finding::warning(&n.place, what, "the source is read relative to the description"));
        } else if n.attribute("sourceBase") == Some("component") && source.is_none() {
            let what = "`sourceBase=\"component\"` in a system, which is not a component";
            findings.push(Finding::warning(&n.place, what, "the source is read relative to the description"));
        }
    }
    // The values: from a file, or inline.
    let prefix = node.attribute("prefix").unwrap_or("");
    let set = match (node.attribute("source"), node.child("ParameterValues")) {
        (Some(uri), _) => Some(files.xml(uri, base(node, source), &node.place)?),
        (None, Some(inline)) => inline.child("ParameterSet").cloned(),
        (None, None) => None,
    };
    let Some(set) = set else {
        findings.push(Finding::warning(&node.place, "a parameter binding without values", "it is left out"));
        return Ok((String::new(), Vec::new()));
    };
    set.expect("ParameterSet", "")?;
    let name = set.attribute("name").unwrap_or("").to_owned();
    let values = values(&set, prefix, findings)?;
    // A mapping, if there is one, gives them other names and values.
    let Some(mapping) = node.child("ParameterMapping") else { return Ok((name, values)) };
    let mapping = match mapping.attribute("source") {
        Some(uri) => {
            let read = files.xml(uri, base(mapping, source), &mapping.place)?;
            read.expect("ParameterMapping", "")?;
            read
        }
        None => match mapping.child("ParameterMapping") {
            Some(inline) => inline.clone(),
            None => mapping.clone(),
        },
    };
    Ok((name, mapped(values, &mapping, findings)?))
}

/// What a URI is relative to: the description, or with `sourceBase="component"` the component's archive.
fn base<'a>(node: &Node, component: Option<&'a str>) -> Option<&'a str> {
    if node.attribute("sourceBase") == Some("component") { component } else { None }
}

fn values(set: &Node, prefix: &str, findings: &mut Vec<Finding>) -> Result<Vec<Bound>, Finding> {
    // Each parameter with its name under the binding's prefix.
    set.understood(&["Parameters", "Enumerations", "Units", "Annotations"], &[], findings);
    let units = units(set)?;
    let mut out = Vec::new();
    for parameter in set.list("Parameters", "Parameter") {
        let target = format!("{prefix}{}", parameter.required("name")?);
        let Some(typed) =
            parameter.children.iter().find(|n| n.name != "Annotations" && !NEW.contains(&n.name.as_str()))
        else {
            findings.push(Finding::warning(
                &parameter.place,
                format!("parameter `{target}` without a value"),
                "it is left out",
            ));
            continue;
        };
        let value = match type_of(&typed.name) {
            // The value in the type that its element is named after.
            "Real" => Value::Real(typed.parsed("value", f64::NAN, "a number")?),
            "Integer" => Value::Integer(typed.parsed("value", 0_i64, "an integer")?),
            "Boolean" => Value::Boolean(typed.flag("value")?),
            "String" | "Enumeration" => Value::Text(typed.required("value")?.to_owned()),
            other => {
                let what = format!("parameter `{target}` of type `{other}` is not understood");
                findings.push(Finding::warning(&typed.place, what, "it is left out"));
                continue;
            }
        };
        let unit = typed.attribute("unit").map(str::to_owned);
        let base = unit.as_ref().and_then(|unit| units.get(unit).copied());
        out.push(Bound { target, value, unit, base, place: typed.place.clone() });
    }
    Ok(out)
}

/// Units of measurement that a file defines by base units. One without any is only named.
pub(super) fn units(root: &Node) -> Result<BTreeMap<String, BaseUnit>, Finding> {
    let mut out = BTreeMap::new();
    for unit in root.list("Units", "Unit") {
        let Some(node) = unit.child("BaseUnit") else { continue };
        let mut base = BaseUnit::default();
        for (key, text) in node.attributes.iter().filter(|(key, _)| !key.contains(':') && key != "xmlns") {
            let number = text.trim().parse().unwrap_or(f64::NAN);
            if !base.set(key, number) {
                let what = format!("`{key}` of a `BaseUnit` is `{text}`");
                return Err(Finding::error(
                    &node.place,
                    what,
                    "expected exponents of kg, m, s, A, K, mol, cd, rad, a factor and an offset",
                ));
            }
        }
        if base != BaseUnit::default() {
            out.insert(unit.required("name")?.to_owned(), base);
        }
    }
    Ok(out)
}

/// Values under the names of a mapping; what it does not name is not applied, and said.
fn mapped(values: Vec<Bound>, mapping: &Node, findings: &mut Vec<Finding>) -> Result<Vec<Bound>, Finding> {
    mapping.understood(&["MappingEntry", "Annotations"], &["type", "source", "sourceBase"], findings);
    let mut out = Vec::new();
    let mut used = vec![false; values.len()];
    for entry in mapping.all("MappingEntry") {
        let (source, target) = (entry.required("source")?, entry.required("target")?);
        let Some(i) = values.iter().position(|v| v.target == source) else {
            let what = format!("the mapping of `{source}` to `{target}`: no such parameter");
            findings.push(Finding::warning(&entry.place, what, "it is left out"));
            continue;
        };
        used[i] = true;
        let value = transformed(&values[i].value, entry, findings)?;
        let unit = if entry.flag("suppressUnitConversion")? { None } else { values[i].unit.clone() };
        let base = values[i].base.filter(|_| unit.is_some());
        out.push(Bound { target: target.to_owned(), value, unit, base, place: entry.place.clone() });
    }
    for (v, _) in values.iter().zip(&used).filter(|(_, used)| !**used) {
        let what = format!("parameter `{}` is not in the mapping", v.target);
        findings.push(Finding::warning(&v.place, what, "it is not applied"));
    }
    Ok(out)
}

/// A value after the transformation of an entry.
fn transformed(value: &Value, entry: &Node, findings: &mut Vec<Finding>) -> Result<Value, Finding> {
    entry.understood(
        &[
            "LinearTransformation",
            "BooleanMappingTransformation",
            "IntegerMappingTransformation",
            "EnumerationMappingTransformation",
            "Annotations",
        ],
        &["source", "target", "suppressUnitConversion"],
        findings,
    );
    // A linear transformation makes a real number of any number.
    if let Some(linear) = entry.child("LinearTransformation") {
        let (factor, offset) = (linear.parsed("factor", 1.0, "a number")?, linear.parsed("offset", 0.0, "a number")?);
        return match value {
            Value::Real(x) => Ok(Value::Real(factor * x + offset)),
            Value::Integer(i) => Ok(Value::Real(factor * *i as f64 + offset)),
            _ => Err(Finding::error(&linear.place, "a linear transformation of a text or a Boolean", "")),
        };
    }
    // Any other transformation is a table, whose entries are texts.
    let Some(table) = entry.children.iter().find(|n| n.name.ends_with("MappingTransformation")) else {
        return Ok(value.clone());
    };
    let text = match value {
        Value::Text(t) => t.clone(),
        Value::Boolean(b) => b.to_string(),
        Value::Integer(i) => i.to_string(),
        Value::Real(x) => x.to_string(),
    };
    // The first entry for the value; its target has the type that the table is named after.
    for line in table.all("MapEntry") {
        let source = line.required("source")?.trim();
        // XML Schema writes a Boolean as a word or as a digit.
        let is_it = match value {
            Value::Boolean(b) => line.flag("source")? == *b,
            _ => source == text,
        };
        if is_it {
            let target = line.required("target")?;
            return Ok(match table.name.as_str() {
                "BooleanMappingTransformation" => Value::Boolean(line.flag("target")?),
                "IntegerMappingTransformation" => Value::Integer(line.parsed("target", 0, "an integer")?),
                _ => Value::Text(target.to_owned()),
            });
        }
    }
    Err(Finding::error(&table.place, format!("no entry for `{text}`"), "add one"))
}

impl Bound {
    /// As a setting of a unit.
    pub fn setting(self, variable: String) -> Setting {
        Setting {
            unit: self.unit,
            base: self.base,
            is_optional: true,
            ..Setting::new(variable, self.value, self.place)
        }
    }
}
