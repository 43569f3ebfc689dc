//! `ModelVariables` (FMI 2.0.5, section 2.2.7).

use super::ReadError;
use super::cursor::Cursor;
use super::element::{Element, unknown};
use super::finding::{quoted, refuse};
use crate::rules::default_initial;
use crate::{Causality, Initial, Item, Kind, RealAttributes, Value, Variability, Variable};

pub(super) const CAUSALITIES: [(&str, Causality); 6] = [
    ("parameter", Causality::Parameter),
    ("calculatedParameter", Causality::CalculatedParameter),
    ("input", Causality::Input),
    ("output", Causality::Output),
    ("local", Causality::Local),
    ("independent", Causality::Independent),
];

pub(super) const VARIABILITIES: [(&str, Variability); 5] = [
    ("constant", Variability::Constant),
    ("fixed", Variability::Fixed),
    ("tunable", Variability::Tunable),
    ("discrete", Variability::Discrete),
    ("continuous", Variability::Continuous),
];

pub(super) const INITIALS: [(&str, Initial); 3] =
    [("exact", Initial::Exact), ("approx", Initial::Approx), ("calculated", Initial::Calculated)];

/// `ModelVariables` with what a [`Variable`] does not hold.
#[derive(Default)]
pub(super) struct Variables {
    pub(super) all: Vec<Variable>,
    /// Line of each of them.
    pub(super) lines: Vec<u32>,
    /// Positions of those that say `relativeQuantity="false"`, whatever their type says.
    pub(super) absolute: Vec<usize>,
    /// Positions of those that say `unbounded="false"`.
    pub(super) bounded: Vec<usize>,
    /// Variables that are no Real and leave `variability` to its default, which they cannot have.
    undetermined: usize,
}

/// All variables.
pub(super) fn variables(cursor: &mut Cursor<'_>, read: &mut Variables) -> Result<(), ReadError> {
    let mut first = None;
    while let Some(start) = cursor.child()? {
        let e = Element::new(&start)?;
        if e.name != "ScalarVariable" {
            unknown(cursor, &e, "ModelVariables")?;
            continue;
        }
        let (line, before) = (e.line, read.undetermined);
        let v = variable(cursor, e, read)?;
        if read.undetermined > before && first.is_none() {
            first = Some((line, v.name.clone()));
        }
        read.lines.push(line);
        read.all.push(v);
    }
    // One line for all of them: they come in hundreds.
    if let Some((line, name)) = first {
        let others = match read.undetermined {
            1 => String::new(),
            n => format!(" (and {} more)", n - 1),
        };
        let found = || format!("variable {}{others}, no Real, without `variability`", quoted(&name));
        let expected = "one of the others: the default is `continuous`, which only a Real can be";
        cursor.warnings.of_rule("continuous", line, found, expected);
    }
    Ok(())
}

fn variable(cursor: &mut Cursor<'_>, mut e: Element<'_>, read: &mut Variables) -> Result<Variable, ReadError> {
    let (line, name) = (e.line, e.required("name")?);
    let Some(value_reference) = e.number("valueReference", "an integer from 0 to 4294967295")? else {
        return refuse(line, format!("variable {} without `valueReference`", quoted(&name)), "a value reference");
    };
    let description = e.text("description");
    let causality = e.word("causality", &CAUSALITIES)?.unwrap_or(Causality::Local);
    let variability = e.word("variability", &VARIABILITIES)?;
    let initial = e.word("initial", &INITIALS)?;
    let multiple = e.boolean("canHandleMultipleSetPerTimeInstant", &mut cursor.warnings)?;
    e.done(&mut cursor.warnings);
    let Some(typed) = type_element(cursor, line, &name)? else {
        return refuse(line, format!("variable {} without a type", quoted(&name)), "`Real` or another type inside");
    };
    // What is said here holds, whatever the type says.
    let [absolute, bounded] = typed.denied;
    read.absolute.extend(absolute.then_some(read.all.len()));
    read.bounded.extend(bounded.then_some(read.all.len()));
    // The schema's default is continuous, which only a Real can be (FMI 2.0.5, section 2.2.7).
    let is_real = matches!(typed.kind, Kind::Real(_));
    read.undetermined += usize::from(variability.is_none() && !is_real);
    let variability = variability.unwrap_or(if is_real { Variability::Continuous } else { Variability::Discrete });
    Ok(Variable {
        name,
        value_reference,
        description,
        causality,
        variability,
        initial: initial.or_else(|| default_initial(causality, variability)),
        kind: typed.kind,
        start: typed.start,
        declared_type: typed.declared_type,
        can_handle_multiple_set: multiple.unwrap_or(true),
    })
}

/// The element inside a variable; annotations beside it are passed over.
fn type_element(cursor: &mut Cursor<'_>, line: u32, name: &str) -> Result<Option<Typed>, ReadError> {
    let mut found = None;
    while let Some(start) = cursor.child()? {
        let e = Element::new(&start)?;
        if e.name == "Annotations" {
            cursor.skip()?;
            continue;
        }
        match kind(cursor, e, Holder::Variable)? {
            Some(typed) if found.is_none() => found = Some(typed),
            Some(_) => return refuse(line, format!("variable {} with two types", quoted(name)), "one"),
            None => {}
        }
    }
    Ok(found)
}

/// Whose element it is: only a variable's has a start value.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Holder {
    /// A `SimpleType`.
    Type,
    /// A `ScalarVariable`.
    Variable,
}

/// A type element with what only a variable's has.
pub(super) struct Typed {
    pub(super) kind: Kind,
    start: Option<Value>,
    declared_type: Option<String>,
    /// Whether `relativeQuantity` and `unbounded` are said to be false.
    denied: [bool; 2],
}

/// Reads a type element to its end; `None` if it is not one.
pub(super) fn kind(cursor: &mut Cursor<'_>, mut e: Element<'_>, holder: Holder) -> Result<Option<Typed>, ReadError> {
    // A start value and a declared type belong to variables only.
    let of_variable = holder == Holder::Variable;
    let declared_type = if of_variable { e.text("declaredType") } else { None };
    let w = &mut cursor.warnings;
    let start;
    let mut denied = [false; 2];
    // The type with its bounds; a flag that is explicitly false counts against the declared type.
    let mut kind = match e.name {
        "Real" => {
            start = if of_variable { e.real("start")?.map(Value::Real) } else { None };
            let flags = [e.boolean("relativeQuantity", w)?, e.boolean("unbounded", w)?];
            denied = flags.map(|flag| flag == Some(false));
            let [relative_quantity, unbounded] = flags.map(|flag| flag == Some(true));
            let a = real_attributes(&mut e, w, of_variable)?;
            Kind::Real(RealAttributes { relative_quantity, unbounded, ..a })
        }
        // Bounds of whole numbers; Booleans and texts have none.
        "Integer" => {
            start = if of_variable { e.integer("start", w)?.map(Value::Integer) } else { None };
            Kind::Integer { min: e.integer("min", w)?, max: e.integer("max", w)? }
        }
        "Boolean" => {
            start = if of_variable { e.boolean("start", w)?.map(Value::Boolean) } else { None };
            Kind::Boolean
        }
        "String" => {
            start = if of_variable { e.text("start").map(Value::String) } else { None };
            Kind::String
        }
        // Items stand inside the element and are read below.
        "Enumeration" => {
            start = if of_variable { e.integer("start", w)?.map(Value::Integer) } else { None };
            Kind::Enumeration { items: Vec::new(), min: e.integer("min", w)?, max: e.integer("max", w)? }
        }
        // Another element is no type.
        _ => {
            unknown(cursor, &e, if of_variable { "ScalarVariable" } else { "SimpleType" })?;
            return Ok(None);
        }
    };
    // Items of an enumeration; other children are told.
    e.ignore(&["quantity"]);
    e.done(w);
    while let Some(inner) = cursor.child()? {
        let inner = Element::new(&inner)?;
        match &mut kind {
            Kind::Enumeration { items, .. } if inner.name == "Item" => items.push(item(cursor, inner)?),
            _ => unknown(cursor, &inner, "a type")?,
        }
    }
    Ok(Some(Typed { kind, start, declared_type, denied }))
}

fn real_attributes(
    e: &mut Element<'_>,
    w: &mut super::finding::Warnings,
    of_variable: bool,
) -> Result<RealAttributes, ReadError> {
    let mut a = RealAttributes {
        quantity: e.text("quantity"),
        unit: e.text("unit"),
        display_unit: e.text("displayUnit"),
        min: e.real("min")?,
        max: e.real("max")?,
        nominal: e.real("nominal")?,
        ..RealAttributes::default()
    };
    if of_variable {
        a.derivative = position(e.number("derivative", "the index of a variable")?, "derivative", e.line)?;
        a.reinit = e.flag("reinit", w)?;
    }
    Ok(a)
}

/// An index of the file, which counts from 1, as a position, which counts from 0.
pub(super) fn position(index: Option<u32>, what: &str, line: u32) -> Result<Option<usize>, ReadError> {
    match index {
        None => Ok(None),
        Some(0) => refuse(line, format!("{what} 0"), "an index from 1"),
        Some(index) => Ok(Some(index as usize - 1)),
    }
}

pub(super) fn item(cursor: &mut Cursor<'_>, mut e: Element<'_>) -> Result<Item, ReadError> {
    let name = e.required("name")?;
    let Some(value) = e.integer("value", &mut cursor.warnings)? else {
        return refuse(e.line, format!("item {} without `value`", quoted(&name)), "an integer");
    };
    let description = e.text("description");
    e.done(&mut cursor.warnings);
    cursor.skip()?;
    Ok(Item { name, value, description })
}
