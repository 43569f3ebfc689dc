//! Units of measurement.

/// A `Unit` of `UnitDefinitions`.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// `name`, as variables use it.
    pub name: String,
    /// `BaseUnit`, if given.
    pub base: Option<BaseUnit>,
    /// `DisplayUnit`s.
    pub display: Vec<DisplayUnit>,
}

/// Exponents of the SI base units; a value in this unit is `factor · value + offset` in the base unit
/// (FMI 2.0.5, section 2.2.2).
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs)]
pub struct BaseUnit {
    pub kg: i32,
    pub m: i32,
    pub s: i32,
    pub a: i32,
    pub k: i32,
    pub mol: i32,
    pub cd: i32,
    pub rad: i32,
    pub factor: f64,
    pub offset: f64,
}

impl Default for BaseUnit {
    fn default() -> Self {
        BaseUnit { kg: 0, m: 0, s: 0, a: 0, k: 0, mol: 0, cd: 0, rad: 0, factor: 1.0, offset: 0.0 }
    }
}

/// A `DisplayUnit`: shown value = `factor · value + offset`.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct DisplayUnit {
    pub name: String,
    pub factor: f64,
    pub offset: f64,
}
