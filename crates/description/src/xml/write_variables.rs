//! `ModelVariables` and `ModelStructure`, written.

use std::io;

use super::variables::{CAUSALITIES, INITIALS, VARIABILITIES};
use super::write::{Tag, Xml, list, real_text};
use crate::{Dependencies, DependencyKind, Kind, ModelStructure, RealAttributes, Unknown, Value, Variable};

/// One `ScalarVariable`. Causality, variability and `initial` are always spelt out, so that no reader has to know the
/// defaults.
pub(super) fn variable(xml: &mut Xml, v: &Variable) -> io::Result<()> {
    let mut tag = Tag::new("ScalarVariable");
    tag.put("name", &v.name);
    tag.put("valueReference", &v.value_reference.to_string());
    tag.maybe("description", v.description.as_deref());
    tag.maybe("causality", word(&CAUSALITIES, v.causality));
    tag.maybe("variability", word(&VARIABILITIES, v.variability));
    tag.maybe("initial", v.initial.and_then(|initial| word(&INITIALS, initial)));
    if !v.can_handle_multiple_set {
        tag.put("canHandleMultipleSetPerTimeInstant", "false");
    }
    tag.around(xml, |xml| kind(xml, &v.kind, v.start.as_ref(), v.declared_type.as_deref()))
}

fn word<T: PartialEq>(words: &[(&'static str, T)], meaning: T) -> Option<&'static str> {
    words.iter().find(|(_, m)| *m == meaning).map(|(word, _)| *word)
}

/// The element of a type, on a variable or in a `SimpleType`.
pub(super) fn kind(xml: &mut Xml, kind: &Kind, start: Option<&Value>, declared: Option<&str>) -> io::Result<()> {
    let mut tag = Tag::new(match kind {
        Kind::Real(_) => "Real",
        Kind::Integer { .. } => "Integer",
        Kind::Boolean => "Boolean",
        Kind::String => "String",
        Kind::Enumeration { .. } => "Enumeration",
    });
    tag.maybe("declaredType", declared);
    let mut items = &[][..];
    match kind {
        Kind::Real(a) => real_attributes(&mut tag, a),
        Kind::Integer { min, max } => bounds(&mut tag, *min, *max),
        Kind::Enumeration { items: named, min, max } => {
            items = named;
            bounds(&mut tag, *min, *max);
        }
        Kind::Boolean | Kind::String => {}
    }
    match start {
        Some(Value::Real(x)) => tag.put("start", &real_text(*x)),
        Some(Value::Integer(x)) => tag.put("start", &x.to_string()),
        Some(Value::Boolean(x)) => tag.put("start", if *x { "true" } else { "false" }),
        Some(Value::String(x)) => tag.put("start", x),
        None => {}
    }
    if items.is_empty() {
        return tag.alone(xml);
    }
    tag.around(xml, |xml| {
        items.iter().try_for_each(|item| {
            let mut tag = Tag::new("Item");
            tag.put("name", &item.name);
            tag.put("value", &item.value.to_string());
            tag.maybe("description", item.description.as_deref());
            tag.alone(xml)
        })
    })
}

fn bounds(tag: &mut Tag, min: Option<i32>, max: Option<i32>) {
    tag.maybe("min", min.map(|x| x.to_string()).as_deref());
    tag.maybe("max", max.map(|x| x.to_string()).as_deref());
}

fn real_attributes(tag: &mut Tag, a: &RealAttributes) {
    tag.maybe("quantity", a.quantity.as_deref());
    tag.maybe("unit", a.unit.as_deref());
    tag.maybe("displayUnit", a.display_unit.as_deref());
    tag.flag("relativeQuantity", a.relative_quantity);
    tag.flag("unbounded", a.unbounded);
    tag.real("min", a.min);
    tag.real("max", a.max);
    tag.real("nominal", a.nominal);
    tag.maybe("derivative", a.derivative.map(|i| (i + 1).to_string()).as_deref());
    tag.flag("reinit", a.reinit);
}

/// `ModelStructure`, which is never absent; its lists are where they are empty.
pub(super) fn structure(xml: &mut Xml, s: &ModelStructure) -> io::Result<()> {
    let tag = Tag::new("ModelStructure");
    if s.outputs.is_empty() && s.derivatives.is_empty() && s.initial_unknowns.is_empty() {
        return tag.alone(xml);
    }
    tag.around(xml, |xml| {
        list(xml, "Outputs", &s.outputs, unknown)?;
        list(xml, "Derivatives", &s.derivatives, unknown)?;
        list(xml, "InitialUnknowns", &s.initial_unknowns, unknown)
    })
}

fn unknown(xml: &mut Xml, unknown: &Unknown) -> io::Result<()> {
    let mut tag = Tag::new("Unknown");
    tag.put("index", &(unknown.index + 1).to_string());
    if let Dependencies::Known(known) = &unknown.dependencies {
        let joined = |words: Vec<String>| words.join(" ");
        tag.put("dependencies", &joined(known.iter().map(|(i, _)| (i + 1).to_string()).collect()));
        if !known.is_empty() {
            tag.put("dependenciesKind", &joined(known.iter().map(|(_, kind)| kind_word(*kind).to_owned()).collect()));
        }
    }
    tag.alone(xml)
}

fn kind_word(kind: DependencyKind) -> &'static str {
    match kind {
        DependencyKind::Dependent => "dependent",
        DependencyKind::Constant => "constant",
        DependencyKind::Fixed => "fixed",
        DependencyKind::Tunable => "tunable",
        DependencyKind::Discrete => "discrete",
    }
}
