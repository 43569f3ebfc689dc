//! Units of the models.

use macrostep_description::BaseUnit;
use macrostep_slave::Declaration;

/// Exponents of kg, m and s.
const fn base(kg: i32, m: i32, s: i32) -> BaseUnit {
    BaseUnit { kg, m, s, a: 0, k: 0, mol: 0, cd: 0, rad: 0, factor: 1.0, offset: 0.0 }
}

/// Name and exponents, with the unit of time first.
const UNITS: [(&str, BaseUnit); 10] = [
    ("s", base(0, 0, 1)),
    ("kg", base(1, 0, 0)),
    ("m", base(0, 1, 0)),
    ("m/s", base(0, 1, -1)),
    ("m/s2", base(0, 1, -2)),
    ("m/s3", base(0, 1, -3)),
    ("N", base(1, 1, -2)),
    ("N/m", base(1, 0, -2)),
    ("N.s/m", base(1, 0, -1)),
    ("N/m3", base(1, -2, -2)),
];

/// Defines the units with these names; a name that is not in the list is an undefined unit, which the declaration's
/// check finds.
pub(crate) fn define(d: &mut Declaration, names: &[&str]) {
    for (name, base) in UNITS.iter().filter(|(name, _)| names.contains(name)) {
        d.unit(name, *base);
    }
}

/// The unit of energy.
pub(crate) fn joule(d: &mut Declaration) {
    d.unit("J", base(1, 2, -2));
}

/// Exponents of kg, m, s and A.
const fn charged(kg: i32, m: i32, s: i32, a: i32) -> BaseUnit {
    BaseUnit { a, ..base(kg, m, s) }
}

/// The units of circuits.
pub(crate) fn electric(d: &mut Declaration) {
    d.unit("C", charged(0, 0, 1, 1));
    d.unit("A", charged(0, 0, 0, 1));
    d.unit("A/s", charged(0, 0, -1, 1));
    d.unit("A/s2", charged(0, 0, -2, 1));
    d.unit("V", charged(1, 2, -3, -1));
    d.unit("Ohm", charged(1, 2, -3, -2));
    d.unit("H", charged(1, 2, -2, -2));
    d.unit("F", charged(-1, -2, 4, 2));
}

/// The units of cylinders and valves.
pub(crate) fn hydraulic(d: &mut Declaration) {
    d.unit("m2", base(0, 2, 0));
    d.unit("m3", base(0, 3, 0));
    d.unit("Pa", base(1, -1, -2));
    d.unit("Pa/s", base(1, -1, -3));
    d.unit("Pa/s2", base(1, -1, -4));
    d.unit("m3/(s.Pa)", base(-1, 4, 1));
}
