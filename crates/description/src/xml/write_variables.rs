//! `ModelVariables` and `ModelStructure`, written.

use std::collections::HashMap;
use std::io;

use super::variables::{CAUSALITIES, INITIALS, VARIABILITIES};
use super::write::{Tag, Xml, list, real_text};
use crate::{
    Dependencies, DependencyKind, Kind, ModelStructure, RealAttributes, TypeDefinition, Unknown, Value, Variable,
};

/// The declared types by name.
type Types<'a> = HashMap<&'a str, &'a TypeDefinition>;

/// One `ScalarVariable`. Causality, variability and `initial` are always spelt out, so that no reader has to know the
/// defaults.
pub(super) fn variable(xml: &mut Xml, v: &Variable, types: &Types<'_>) -> io::Result<()> {
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
    let declared = v.declared_type.as_deref();
    let of_type = declared.and_then(|name| types.get(name)).map(|t| &t.kind);
    tag.around(xml, |xml| kind(xml, Typed { kind: &v.kind, start: v.start.as_ref(), declared, of_type }))
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
    /// Of a `SimpleType`.
    pub(super) fn of_type(kind: &'a Kind) -> Self {
        Typed { kind, start: None, declared: None, of_type: None }
    }
}

/// The element of a type, on a variable or in a `SimpleType`.
pub(super) fn kind(xml: &mut Xml, typed: Typed<'_>) -> io::Result<()> {
    let Typed { kind, start, declared, of_type } = typed;
    // The element is named by the type.
    let mut tag = Tag::new(match kind {
        Kind::Real(_) => "Real",
        Kind::Integer { .. } => "Integer",
        Kind::Boolean => "Boolean",
        Kind::String => "String",
        Kind::Enumeration { .. } => "Enumeration",
    });
    tag.maybe("declaredType", declared);
    // Bounds and other attributes, those of the declared type left out.
    let mut items = &[][..];
    match kind {
        Kind::Real(a) => {
            let of_type = of_type.and_then(|kind| if let Kind::Real(a) = kind { Some(a) } else { None });
            real_attributes(&mut tag, a, of_type.unwrap_or(&RealAttributes::default()));
        }
        Kind::Integer { .. } => bounds(&mut tag, kind, of_type),
        Kind::Enumeration { items: named, .. } => {
            items = named;
            bounds(&mut tag, kind, of_type);
        }
        Kind::Boolean | Kind::String => {}
    }
    // The start value, and items of an enumeration.
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
        // Each item by name and value.
        items.iter().try_for_each(|item| {
            let mut tag = Tag::new("Item");
            tag.put("name", &item.name);
            tag.put("value", &item.value.to_string());
            tag.maybe("description", item.description.as_deref());
            tag.alone(xml)
        })
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
