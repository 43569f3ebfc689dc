//! `UnitDefinitions` (FMI 2.0.5, section 2.2.2).

use std::collections::HashMap;

use super::ReadError;
use super::cursor::Cursor;
use super::element::{Element, unknown};
use super::finding::{Warnings, quoted, refuse};
use crate::{BaseUnit, DisplayUnit, Unit};

/// All units. One that is defined twice in the same way counts once.
pub(super) fn units(cursor: &mut Cursor<'_>) -> Result<Vec<Unit>, ReadError> {
    let mut units: Vec<Unit> = Vec::new();
    let mut seen: HashMap<String, (usize, u32)> = HashMap::new();
    while let Some(start) = cursor.child()? {
        let e = Element::new(&start)?;
        if e.name != "Unit" {
            unknown(cursor, &e, "UnitDefinitions")?;
            continue;
        }
        // The first definition of a name counts.
        let line = e.line;
        let unit = unit(cursor, e)?;
        let Some((at, before)) = seen.get(&unit.name) else {
            seen.insert(unit.name.clone(), (units.len(), line));
            units.push(unit);
            continue;
        };
        // A second one must say the same.
        let found = format!("unit {} again (first in line {before})", quoted(&unit.name));
        if units[*at] != unit {
            return refuse(line, format!("{found}, and different"), "one definition");
        }
        cursor.warnings.push(line, || found, "each unit once");
    }
    Ok(units)
}

fn unit(cursor: &mut Cursor<'_>, mut e: Element<'_>) -> Result<Unit, ReadError> {
    let mut unit = Unit { name: e.required("name")?, base: None, display: Vec::new() };
    e.done(&mut cursor.warnings);
    while let Some(start) = cursor.child()? {
        let child = Element::new(&start)?;
        match child.name {
            "BaseUnit" => unit.base = Some(base_unit(child, &mut cursor.warnings)?),
            "DisplayUnit" => unit.display.extend(display_unit(child, &mut cursor.warnings)?),
            "Annotations" => {}
            _ => {
                unknown(cursor, &child, "Unit")?;
                continue;
            }
        }
        cursor.skip()?;
    }
    Ok(unit)
}

fn base_unit(mut e: Element<'_>, w: &mut Warnings) -> Result<BaseUnit, ReadError> {
    let mut base = BaseUnit::default();
    let exponents = [
        ("kg", &mut base.kg),
        ("m", &mut base.m),
        ("s", &mut base.s),
        ("A", &mut base.a),
        ("K", &mut base.k),
        ("mol", &mut base.mol),
        ("cd", &mut base.cd),
        ("rad", &mut base.rad),
    ];
    for (name, exponent) in exponents {
        *exponent = e.integer(name, w)?.unwrap_or(0);
    }
    base.factor = e.real("factor")?.unwrap_or(1.0);
    base.offset = e.real("offset")?.unwrap_or(0.0);
    e.done(w);
    Ok(base)
}

/// A display unit; `None` for one that is `inverse` (FMI 3.0), which factor and offset do not tell.
fn display_unit(mut e: Element<'_>, w: &mut Warnings) -> Result<Option<DisplayUnit>, ReadError> {
    let is_inverse = e.flag("inverse", w)?;
    let unit = DisplayUnit {
        name: e.required("name")?,
        factor: e.real("factor")?.unwrap_or(1.0),
        offset: e.real("offset")?.unwrap_or(0.0),
    };
    e.done(w);
    Ok((!is_inverse).then_some(unit))
}
