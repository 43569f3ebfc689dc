//! `ModelVariables` and `ModelStructure`, written.

use std::collections::HashMap;
use std::io;

use super::variables::{CAUSALITIES, INITIALS, VARIABILITIES};
use super::write::{Tag, Xml, list, real_text};
use crate::{
    Dependencies, DependencyKind, Item, Kind, ModelStructure, RealAttributes, TypeDefinition, Unknown, Value, Variable,
};

/// The declared types by name.
pub(super) type Types<'a> = HashMap<&'a str, &'a TypeDefinition>;

/// One `ScalarVariable`. Causality, variability and `initial` are always spelt out, so that no reader has to know the
/// defaults.
pub(super) fn variable(xml: &mut Xml, v: &Variable, types: &Types<'_>) -> io::Result<()> {
    let mut tag = Tag::new("ScalarVariable");
    role(&mut tag, v, v.value_reference);
    tag.around(xml, |xml| kind(xml, Typed::of_variable(v, types)))
}

/// What a variable is in the model.
pub(super) fn role(tag: &mut Tag, v: &Variable, reference: u32) {
    tag.put("name", &v.name);
    tag.put("valueReference", &reference.to_string());
    tag.maybe("description", v.description.as_deref());
    tag.maybe("causality", word(&CAUSALITIES, v.causality));
    tag.maybe("variability", word(&VARIABILITIES, v.variability));
    tag.maybe("initial", v.initial.and_then(|initial| word(&INITIALS, initial)));
    if !v.can_handle_multiple_set {
        tag.put("canHandleMultipleSetPerTimeInstant", "false");
    }
}

fn word<T: PartialEq>(words: &[(&'static str, T)], meaning: T) -> Option<&'static str> {
    words.iter().find(|(_, m)| *m == meaning).map(|(word, _)| *word)
}

/// What stands in the element of a type.
pub(super) struct Typed<'a> {
    kind: &'a Kind,
    start: Option<&'a Value>,
    declared: Option<&'a str>,
    /// What the declared type says: that is not said again.
    of_type: Option<&'a Kind>,
}

impl<'a> Typed<'a> {
    /// Of a variable.
    pub(super) fn of_variable(v: &'a Variable, types: &Types<'a>) -> Self {
        let declared = v.declared_type.as_deref();
        let of_type = declared.and_then(|name| types.get(name)).map(|t| &t.kind);
        Typed { kind: &v.kind, start: v.start.as_ref(), declared, of_type }
    }

    /// Of a `SimpleType`.
    pub(super) fn of_type(kind: &'a Kind) -> Self {
        Typed { kind, start: None, declared: None, of_type: None }
    }
}

/// The element of a type, on a variable or in a `SimpleType`.
pub(super) fn kind(xml: &mut Xml, typed: Typed<'_>) -> io::Result<()> {
    // The element is named by the type.
    let mut tag = Tag::new(match typed.kind {
        Kind::Real(_) => "Real",
        Kind::Integer { .. } => "Integer",
        Kind::Boolean => "Boolean",
        Kind::String => "String",
        Kind::Enumeration { .. } => "Enumeration",
    });
    let named = attributes(&mut tag, &typed);
    if let Some(start) = typed.start {
        tag.put("start", &value_text(start));
    }
    if named.is_empty() {
        return tag.alone(xml);
    }
    tag.around(xml, |xml| items(xml, named))
}

/// The attributes of a type, those of the declared type left out; returns the items of an enumeration.
pub(super) fn attributes<'a>(tag: &mut Tag, typed: &Typed<'a>) -> &'a [Item] {
    let Typed { kind, declared, of_type, .. } = *typed;
    tag.maybe("declaredType", declared);
    match kind {
        Kind::Real(a) => {
            let of_type = of_type.and_then(|kind| if let Kind::Real(a) = kind { Some(a) } else { None });
            real_attributes(tag, a, of_type.unwrap_or(&RealAttributes::default()));
        }
        Kind::Integer { .. } => bounds(tag, kind, of_type),
        Kind::Enumeration { items, .. } => {
            bounds(tag, kind, of_type);
            return items;
        }
        Kind::Boolean | Kind::String => {}
    }
    &[]
}

/// A start value as text.
pub(super) fn value_text(value: &Value) -> String {
    match value {
        Value::Real(x) => real_text(*x),
        Value::Integer(x) => x.to_string(),
        Value::Boolean(x) => x.to_string(),
        Value::String(x) => x.clone(),
    }
}

/// The items of an enumeration, each by name and value.
pub(super) fn items(xml: &mut Xml, items: &[Item]) -> io::Result<()> {
    items.iter().try_for_each(|item| {
        let mut tag = Tag::new("Item");
        tag.put("name", &item.name);
        tag.put("value", &item.value.to_string());
        tag.maybe("description", item.description.as_deref());
        tag.alone(xml)
    })
}

/// Bounds of an Integer or an enumeration that are not its type's.
fn bounds(tag: &mut Tag, own: &Kind, of_type: Option<&Kind>) {
    let both = |kind: &Kind| match kind {
        Kind::Integer { min, max } | Kind::Enumeration { min, max, .. } => [*min, *max],
        Kind::Real(_) | Kind::Boolean | Kind::String => [None, None],
    };
    let fits = |kind: &&Kind| std::mem::discriminant(*kind) == std::mem::discriminant(own);
    let of_type = of_type.filter(fits).map_or([None, None], both);
    for ((name, own), of_type) in ["min", "max"].into_iter().zip(both(own)).zip(of_type) {
        tag.maybe(name, own.filter(|_| own != of_type).map(|x| x.to_string()).as_deref());
    }
}

fn real_attributes(tag: &mut Tag, a: &RealAttributes, of_type: &RealAttributes) {
    fn own<'a>(value: &'a Option<String>, of_type: &Option<String>) -> Option<&'a str> {
        value.as_deref().filter(|_| value != of_type)
    }
    let number = |value: Option<f64>, of_type: Option<f64>| {
        value.filter(|x| of_type.is_none_or(|of_type| of_type.to_bits() != x.to_bits()))
    };
    let flag = |tag: &mut Tag, key: &str, value: bool, of_type: bool| {
        if value != of_type {
            tag.put(key, if value { "true" } else { "false" });
        }
    };
    // A display unit is taken over with its unit only.
    let same_unit = a.unit == of_type.unit;
    let display_of_type = if same_unit { &of_type.display_unit } else { &None };
    tag.maybe("quantity", own(&a.quantity, &of_type.quantity));
    tag.maybe("unit", own(&a.unit, &of_type.unit));
    tag.maybe("displayUnit", own(&a.display_unit, display_of_type));
    flag(tag, "relativeQuantity", a.relative_quantity, of_type.relative_quantity);
    flag(tag, "unbounded", a.unbounded, of_type.unbounded);
    tag.real("min", number(a.min, of_type.min));
    tag.real("max", number(a.max, of_type.max));
    tag.real("nominal", number(a.nominal, of_type.nominal));
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
    dependencies(&mut tag, unknown);
    tag.alone(xml)
}

/// What an unknown depends on, counted from 1.
pub(super) fn dependencies(tag: &mut Tag, unknown: &Unknown) {
    if let Dependencies::Known(known) = &unknown.dependencies {
        let joined = |words: Vec<String>| words.join(" ");
        tag.put("dependencies", &joined(known.iter().map(|(i, _)| (i + 1).to_string()).collect()));
        if !known.is_empty() {
            tag.put("dependenciesKind", &joined(known.iter().map(|(_, kind)| kind_word(*kind).to_owned()).collect()));
        }
    }
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
