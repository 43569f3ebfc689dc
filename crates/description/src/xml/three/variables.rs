//! `ModelVariables` (FMI 3.0.2, section 2.4.7), as they stand in the file: arrays are not yet divided.

use super::super::ReadError;
use super::super::cursor::Cursor;
use super::super::element::{Element, unknown};
use super::super::finding::{Warnings, quoted, refuse};
use super::super::variables::{INITIALS, VARIABILITIES};
use crate::rules::default_initial;
use crate::{Causality, Initial, Kind, Native, RealAttributes, Variability, Variable};

const CAUSALITIES: [(&str, (Causality, bool)); 7] = [
    ("parameter", (Causality::Parameter, false)),
    ("structuralParameter", (Causality::Parameter, true)),
    ("calculatedParameter", (Causality::CalculatedParameter, false)),
    ("input", (Causality::Input, false)),
    ("output", (Causality::Output, false)),
    ("local", (Causality::Local, false)),
    ("independent", (Causality::Independent, false)),
];

/// A variable as it stands in the file.
pub(super) struct Raw {
    pub(super) line: u32,
    /// Without start value.
    pub(super) variable: Variable,
    pub(super) native: Native,
    pub(super) dimensions: Vec<Dimension>,
    /// Start values of its elements.
    pub(super) start: Option<Vec<String>>,
    pub(super) is_intermediate: bool,
    pub(super) is_structural: bool,
    /// Value reference of the state that it is the derivative of.
    pub(super) derivative: Option<u32>,
    pub(super) aliases: Vec<Alias>,
    /// Whether `relativeQuantity` and `unbounded` are said to be false.
    pub(super) denied: [bool; 2],
}

/// How many elements an array has in one direction.
#[derive(Clone, Copy)]
pub(super) enum Dimension {
    Fixed(u64),
    /// As many as this structural parameter says.
    Of(u32),
}

/// Another name of a variable.
pub(super) struct Alias {
    pub(super) line: u32,
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) display_unit: Option<String>,
}

/// The type of this name.
pub(super) fn native(name: &str) -> Option<Native> {
    Native::ALL.into_iter().find(|native| native.name() == name)
}

/// All variables, and the value references of clocks.
pub(super) fn variables(cursor: &mut Cursor<'_>, read: &mut Vec<Raw>, clocks: &mut Vec<u32>) -> Result<(), ReadError> {
    while let Some(start) = cursor.child()? {
        let mut e = Element::new(&start)?;
        match native(e.name) {
            Some(native) => read.push(variable(cursor, e, native)?),
            None if e.name == "Clock" => {
                clocks.extend(e.number::<u32>("valueReference", "an integer from 0 to 4294967295")?);
                cursor.skip()?;
            }
            None => unknown(cursor, &e, "ModelVariables")?,
        }
    }
    Ok(())
}

fn variable(cursor: &mut Cursor<'_>, mut e: Element<'_>, native: Native) -> Result<Raw, ReadError> {
    let (line, name) = (e.line, e.required("name")?);
    let Some(value_reference) = e.number("valueReference", "an integer from 0 to 4294967295")? else {
        return refuse(line, format!("variable {} without `valueReference`", quoted(&name)), "a value reference");
    };
    // What it is in the model.
    let description = e.text("description");
    let (causality, is_structural) = e.word("causality", &CAUSALITIES)?.unwrap_or((Causality::Local, false));
    let variability = e.word("variability", &VARIABILITIES)?.unwrap_or(default_variability(causality, native));
    let initial: Option<Initial> = e.word("initial", &INITIALS)?;
    let w = &mut cursor.warnings;
    let multiple = e.boolean("canHandleMultipleSetPerTimeInstant", w)?;
    let is_intermediate = e.flag("intermediateUpdate", w)?;
    let declared_type = e.text("declaredType");
    // Its type, and start values as they are written.
    let start = e.text("start");
    let start = start.map(|list| match native {
        Native::String | Native::Binary => vec![list],
        _ => list.split_ascii_whitespace().map(str::to_owned).collect(),
    });
    let derivative = e.number("derivative", "the value reference of a state")?;
    let reinit = e.flag("reinit", w)?;
    let Typed { mut kind, denied } = kind(&mut e, native, w)?;
    if let Kind::Real(a) = &mut kind {
        a.reinit = reinit;
    }
    e.ignore(&["previous", "clocks", "mimeType", "maxSize"]);
    e.done(w);
    let initial = initial.or_else(|| default_initial(causality, variability));
    let variable = Variable {
        name,
        value_reference,
        description,
        causality,
        variability,
        initial,
        kind,
        start: None,
        declared_type,
        can_handle_multiple_set: multiple.unwrap_or(true),
    };
    let mut raw = Raw {
        line,
        variable,
        native,
        dimensions: Vec::new(),
        start,
        is_intermediate,
        is_structural,
        derivative,
        aliases: Vec::new(),
        denied,
    };
    children(cursor, &mut raw)?;
    Ok(raw)
}

/// What the standard says where `variability` is missing.
fn default_variability(causality: Causality, native: Native) -> Variability {
    match causality {
        Causality::Parameter | Causality::CalculatedParameter => Variability::Fixed,
        _ if native.is_float() => Variability::Continuous,
        _ => Variability::Discrete,
    }
}

/// Dimensions, aliases, and start values of texts.
fn children(cursor: &mut Cursor<'_>, raw: &mut Raw) -> Result<(), ReadError> {
    let is_text = matches!(raw.native, Native::String | Native::Binary);
    while let Some(start) = cursor.child()? {
        let mut e = Element::new(&start)?;
        let line = e.line;
        match e.name {
            "Dimension" => {
                let fixed = e.number("start", "an integer ≥ 0")?.map(Dimension::Fixed);
                let of = e.number("valueReference", "the value reference of a structural parameter")?;
                let (Some(dimension), None) = (fixed.or(of.map(Dimension::Of)), fixed.and(of)) else {
                    return refuse(
                        line,
                        "`Dimension` with both or none of two attributes",
                        "`start` or `valueReference`",
                    );
                };
                if raw.dimensions.len() == DIMENSIONS_MAX {
                    let found =
                        format!("variable {} with more than {DIMENSIONS_MAX} dimensions", quoted(&raw.variable.name));
                    return refuse(line, found, "fewer");
                }
                raw.dimensions.push(dimension);
            }
            "Alias" => raw.aliases.push(Alias {
                line,
                name: e.required("name")?,
                description: e.text("description"),
                display_unit: e.text("displayUnit"),
            }),
            "Start" if is_text => raw.start.get_or_insert_default().push(e.required("value")?),
            "Annotations" => {}
            _ => {
                unknown(cursor, &e, "a variable")?;
                continue;
            }
        }
        e.done(&mut cursor.warnings);
        cursor.skip()?;
    }
    Ok(())
}

/// Dimensions of an array, at most.
const DIMENSIONS_MAX: usize = 8;

/// A type with the flags that are explicitly false, which counts against the declared type.
pub(super) struct Typed {
    pub(super) kind: Kind,
    denied: [bool; 2],
}

/// The attributes of a type, on a variable or in a type definition.
pub(super) fn kind(e: &mut Element<'_>, native: Native, w: &mut Warnings) -> Result<Typed, ReadError> {
    let mut denied = [false; 2];
    let kind = match native {
        Native::Float32 | Native::Float64 => {
            let flags = [e.boolean("relativeQuantity", w)?, e.boolean("unbounded", w)?];
            denied = flags.map(|flag| flag == Some(false));
            let [relative_quantity, unbounded] = flags.map(|flag| flag == Some(true));
            Kind::Real(RealAttributes {
                quantity: e.text("quantity"),
                unit: e.text("unit"),
                display_unit: e.text("displayUnit"),
                relative_quantity,
                unbounded,
                min: e.real("min")?,
                max: e.real("max")?,
                nominal: e.real("nominal")?,
                ..RealAttributes::default()
            })
        }
        Native::Boolean => Kind::Boolean,
        Native::String | Native::Binary => Kind::String,
        Native::Enumeration => {
            Kind::Enumeration { items: Vec::new(), min: bound(e, native, "min")?, max: bound(e, native, "max")? }
        }
        _ => Kind::Integer { min: bound(e, native, "min")?, max: bound(e, native, "max")? },
    };
    e.ignore(&["quantity", "mimeType", "maxSize"]);
    Ok(Typed { kind, denied })
}

/// A bound of a whole number; one outside of 32 bits bounds nothing that can be a value here.
fn bound(e: &mut Element<'_>, native: Native, key: &str) -> Result<Option<i32>, ReadError> {
    let line = e.line;
    let Some(value) = e.number::<i128>(key, "an integer")? else { return Ok(None) };
    match native.range() {
        Some((least, greatest)) if !(least..=greatest).contains(&value) => {
            refuse(line, format!("{key}=`{value}`"), format!("a number of type {}", native.name()))
        }
        _ => Ok(i32::try_from(value).ok()),
    }
}
