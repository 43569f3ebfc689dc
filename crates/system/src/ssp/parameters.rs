//! Parameter bindings: values (`.ssv`) and mappings (`.ssm`), inline or in files of their own.

use super::connector::{dimensions, type_of};
use super::read::Files;
use super::xml::{NEW, Node};
use crate::finding::Finding;
use crate::scenario::elements::{element, indices};
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
        let is_value =
            |n: &&Node| !["Annotations", "Dimension"].contains(&n.name.as_str()) && !NEW.contains(&n.name.as_str());
        let Some(typed) = parameter.children.iter().find(is_value) else {
            findings.push(Finding::warning(
                &parameter.place,
                format!("parameter `{target}` without a value"),
                "it is left out",
            ));
            continue;
        };
        // One value, or one for each element of an array, row by row (SSP 2.0).
        let Some(values) = elements(parameter, typed, &target)? else {
            let what = format!("parameter `{target}` of type `{}` is not understood", typed.name);
            findings.push(Finding::warning(&typed.place, what, "it is left out"));
            continue;
        };
        let unit = typed.attribute("unit").map(str::to_owned);
        let base = unit.as_ref().and_then(|unit| units.get(unit).copied());
        let bound = |(target, value)| Bound { target, value, unit: unit.clone(), base, place: typed.place.clone() };
        out.extend(values.into_iter().map(bound));
    }
    Ok(out)
}

/// Names and values of a parameter's elements, or of the parameter itself where it has no dimension; `None` where its type is not understood.
fn elements(parameter: &Node, typed: &Node, target: &str) -> Result<Option<Vec<(String, Value)>>, Finding> {
    let kind = type_of(&typed.name);
    if !["Real", "Integer", "Boolean", "String", "Enumeration"].contains(&kind) {
        return Ok(None);
    }
    let text = typed.required("value")?;
    let sizes = dimensions(parameter)?;
    if sizes.is_empty() {
        return Ok(Some(vec![(target.to_owned(), value(typed, kind, text)?)]));
    }
    // Texts may have spaces inside, so that a list of them cannot be divided.
    let size = |size: &Option<u32>| usize::try_from((*size)?).ok().filter(|size| *size > 0);
    let all = sizes.iter().try_fold(1usize, |n, of| n.checked_mul(size(of)?));
    let texts: Vec<&str> = text.split_whitespace().collect();
    if kind == "String" || all != Some(texts.len()) {
        let shape: Vec<String> =
            sizes.iter().map(|size| size.map_or("?".to_owned(), |size| size.to_string())).collect();
        let what = format!("parameter `{target}` has {} values for dimensions {}", texts.len(), shape.join(" × "));
        let next =
            "write as many numbers as it has elements, with spaces between them, and the `size` of each `Dimension`";
        return Err(Finding::error(&typed.place, what, next));
    }
    let sizes: Vec<u32> = sizes.into_iter().flatten().collect();
    let elements = indices(&sizes).into_iter().zip(texts);
    let elements = elements.map(|(indices, text)| Ok((element(target, &indices), value(typed, kind, text)?)));
    elements.collect::<Result<_, _>>().map(Some)
}

/// A value in the type that its element is named after.
fn value(typed: &Node, kind: &str, text: &str) -> Result<Value, Finding> {
    let attributes = vec![("value".to_owned(), text.to_owned())];
    let (name, place) = (typed.name.clone(), typed.place.clone());
    let one = Node { name, place, attributes, children: Vec::new(), text: String::new() };
    Ok(match kind {
        "Real" => Value::Real(one.parsed("value", f64::NAN, "a number")?),
        "Integer" => Value::Integer(one.parsed("value", 0_i64, "an integer")?),
        "Boolean" => Value::Boolean(one.flag("value")?),
        _ => Value::Text(text.to_owned()),
    })
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
        // The parameter, or all elements of it where it is an array.
        let before = out.len();
        for (value, used) in values.iter().zip(&mut used) {
            let Some(rest) = value.target.strip_prefix(source).filter(|rest| rest.is_empty() || rest.starts_with('['))
            else {
                continue;
            };
            *used = true;
            let unit = if entry.flag("suppressUnitConversion")? { None } else { value.unit.clone() };
            let base = value.base.filter(|_| unit.is_some());
            let (target, place) = (format!("{target}{rest}"), entry.place.clone());
            out.push(Bound { target, value: transformed(&value.value, entry, findings)?, unit, base, place });
        }
        if out.len() == before {
            let what = format!("the mapping of `{source}` to `{target}`: no such parameter");
            findings.push(Finding::warning(&entry.place, what, "it is left out"));
        }
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
