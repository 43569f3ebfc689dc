//! Units of measurement on a connection (FMI 2.0.5, section 2.2.2).

use macrostep_description::{BaseUnit, ModelDescription, Variable};

/// How a value changes from one unit of measurement to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Conversion {
    /// It stays.
    Same,
    /// `to = factor · from + offset`.
    Affine(f64, f64),
    /// Units of another name, one of which has no base units.
    Unknown,
    /// Different quantities.
    Incompatible,
}

/// From variable `a` of one description to variable `b` of another.
pub(crate) fn conversion(from: (&ModelDescription, &Variable), to: (&ModelDescription, &Variable)) -> Conversion {
    let relative =
        from.1.real().is_some_and(|r| r.relative_quantity) || to.1.real().is_some_and(|r| r.relative_quantity);
    between((from.1.unit(), base(from.0, from.1.unit())), (to.1.unit(), base(to.0, to.1.unit())), relative)
}

/// From a unit's name, as far as it is defined, to another.
pub(crate) fn between(from: (&str, Option<BaseUnit>), to: (&str, Option<BaseUnit>), relative: bool) -> Conversion {
    if from.0.is_empty() || to.0.is_empty() || (from.0 == to.0 && from.1.is_none()) {
        return Conversion::Same;
    }
    let (Some(a), Some(b)) = (from.1, to.1) else {
        return if from.0 == to.0 { Conversion::Same } else { Conversion::Unknown };
    };
    if exponents(&a) != exponents(&b) {
        return Conversion::Incompatible;
    }
    let (factor, offset) = (a.factor / b.factor, (a.offset - b.offset) / b.factor);
    let offset = if relative { 0.0 } else { offset };
    if factor == 1.0 && offset == 0.0 { Conversion::Same } else { Conversion::Affine(factor, offset) }
}

/// Factor and offset that take a value in `unit` into the unit of a variable; `None` where its FMU does not know both, or they
/// are of different quantities.
pub fn from_unit(unit: &str, variable: &Variable, description: &ModelDescription) -> Option<(f64, f64)> {
    let (own, relative) = (variable.unit(), variable.real().is_some_and(|r| r.relative_quantity));
    if unit == own {
        return Some((1.0, 0.0));
    }
    match between((unit, Some(base(description, unit)?)), (own, base(description, own)), relative) {
        Conversion::Same => Some((1.0, 0.0)),
        Conversion::Affine(factor, offset) => Some((factor, offset)),
        Conversion::Unknown | Conversion::Incompatible => None,
    }
}

/// How a value of a unit's name, as far as its file defines it, becomes one of a variable; with what was assumed where nobody declares
/// the unit. A name of the SI is known to everybody, and decorations as in `[m]` and `(m)`, `-` and `1` stand for nothing.
pub(crate) fn given(
    (unit, of_file): (&str, Option<BaseUnit>),
    variable: &Variable,
    description: &ModelDescription,
) -> (Conversion, Option<String>) {
    let (own, relative) = (variable.unit(), variable.real().is_some_and(|r| r.relative_quantity));
    // As both are declared.
    if unit == own {
        return (Conversion::Same, None);
    }
    match between((unit, base(description, unit).or(of_file)), (own, base(description, own)), relative) {
        Conversion::Unknown => {}
        known => return (known, None),
    }
    // As both are meant.
    let (meant, own_meant) = (undecorated(unit), undecorated(own));
    if meant.is_empty() {
        return (Conversion::Same, Some(format!("`{unit}` is no unit: the number is taken in `{own}`")));
    }
    if meant == own_meant {
        return (Conversion::Same, Some(format!("`{unit}` is taken as `{own}`")));
    }
    let known = |name: &str| base(description, name).or_else(|| BaseUnit::si(name));
    match between((meant, known(meant)), (own, base(description, own).or_else(|| known(own_meant))), relative) {
        Conversion::Unknown => {
            let assumed = format!("nobody declares `{unit}`: the number is taken in `{own}`");
            (Conversion::Same, Some(assumed))
        }
        // What a name of the SI says is no assumption; a decoration is one.
        sure if meant == unit => (sure, None),
        assumed => (assumed, Some(format!("`{unit}` is taken as `{meant}`, and converted to `{own}`"))),
    }
}

/// A unit's name without brackets; empty for what stands for no unit.
fn undecorated(name: &str) -> &str {
    let name = name.trim();
    let inside = [('[', ']'), ('(', ')')].into_iter().find_map(|(a, b)| name.strip_prefix(a)?.strip_suffix(b));
    match inside.unwrap_or(name).trim() {
        "-" | "1" => "",
        name => name,
    }
}

/// Base units of a unit of this name.
pub(crate) fn base(description: &ModelDescription, unit: &str) -> Option<BaseUnit> {
    description.units.iter().find(|u| u.name == unit).and_then(|u| u.base)
}

pub(crate) fn exponents(b: &BaseUnit) -> [i32; 8] {
    [b.kg, b.m, b.s, b.a, b.k, b.mol, b.cd, b.rad]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_and_millimetres() {
        let kelvin = BaseUnit { k: 1, ..BaseUnit::default() };
        let celsius = BaseUnit { k: 1, offset: 273.15, ..BaseUnit::default() };
        let metre = BaseUnit { m: 1, ..BaseUnit::default() };
        let millimetre = BaseUnit { m: 1, factor: 1e-3, ..BaseUnit::default() };
        let convert =
            |a: (&str, BaseUnit), b: (&str, BaseUnit), relative| between((a.0, Some(a.1)), (b.0, Some(b.1)), relative);
        assert_eq!(convert(("degC", celsius), ("K", kelvin), false), Conversion::Affine(1.0, 273.15));
        assert_eq!(convert(("degC", celsius), ("K", kelvin), true), Conversion::Same);
        // 0 degC are 32 degF, a degree of which is 5/9 K.
        let fahrenheit = BaseUnit { k: 1, factor: 5.0 / 9.0, offset: 459.67 * 5.0 / 9.0, ..BaseUnit::default() };
        let Conversion::Affine(factor, offset) = convert(("degC", celsius), ("degF", fahrenheit), false) else {
            panic!("a factor and an offset");
        };
        assert!((factor - 1.8).abs() < 1e-12 && (offset - 32.0).abs() < 1e-10, "{factor} {offset}");
        assert_eq!(convert(("m", metre), ("mm", millimetre), false), Conversion::Affine(1000.0, 0.0));
        assert_eq!(convert(("m", metre), ("K", kelvin), false), Conversion::Incompatible);
        assert_eq!(between(("m", Some(metre)), ("furlong", None), false), Conversion::Unknown);
        assert_eq!(between(("", None), ("m", Some(metre)), false), Conversion::Same);
    }
}
