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

/// Names of the base units, as attributes of a description.
const EXPONENTS: [&str; 8] = ["kg", "m", "s", "A", "K", "mol", "cd", "rad"];

/// Symbols of the SI without prefixes (but the kilogram), as exponents of kg, m, s, A, K, mol, cd and rad.
const SYMBOLS: [(&str, [i32; 8]); 17] = [
    ("kg", [1, 0, 0, 0, 0, 0, 0, 0]),
    ("m", [0, 1, 0, 0, 0, 0, 0, 0]),
    ("s", [0, 0, 1, 0, 0, 0, 0, 0]),
    ("A", [0, 0, 0, 1, 0, 0, 0, 0]),
    ("K", [0, 0, 0, 0, 1, 0, 0, 0]),
    ("mol", [0, 0, 0, 0, 0, 1, 0, 0]),
    ("cd", [0, 0, 0, 0, 0, 0, 1, 0]),
    ("rad", [0, 0, 0, 0, 0, 0, 0, 1]),
    ("N", [1, 1, -2, 0, 0, 0, 0, 0]),
    ("Pa", [1, -1, -2, 0, 0, 0, 0, 0]),
    ("J", [1, 2, -2, 0, 0, 0, 0, 0]),
    ("W", [1, 2, -3, 0, 0, 0, 0, 0]),
    ("C", [0, 0, 1, 1, 0, 0, 0, 0]),
    ("V", [1, 2, -3, -1, 0, 0, 0, 0]),
    ("Ohm", [1, 2, -3, -2, 0, 0, 0, 0]),
    ("H", [1, 2, -2, -2, 0, 0, 0, 0]),
    ("F", [-1, -2, 4, 2, 0, 0, 0, 0]),
];

impl BaseUnit {
    /// Exponents that are not 0, and factor and offset that are not 1 and 0, by the names of the standard.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let exponents = [self.kg, self.m, self.s, self.a, self.k, self.mol, self.cd, self.rad];
        let exponents = EXPONENTS.into_iter().zip(exponents).filter(|(_, n)| *n != 0);
        let numbers = [("factor", self.factor, 1.0), ("offset", self.offset, 0.0)];
        let numbers = numbers.into_iter().filter(|(_, x, default)| x != default).map(|(name, x, _)| (name, x));
        exponents.map(|(name, n)| (name, f64::from(n))).chain(numbers)
    }

    /// Sets a part by its name; false where there is none of this name, or the number is no exponent.
    pub fn set(&mut self, part: &str, number: f64) -> bool {
        let exponent = match part {
            "factor" | "offset" => {
                *(if part == "factor" { &mut self.factor } else { &mut self.offset }) = number;
                return number.is_finite() && (part != "factor" || number != 0.0);
            }
            "kg" => &mut self.kg,
            "m" => &mut self.m,
            "s" => &mut self.s,
            "A" => &mut self.a,
            "K" => &mut self.k,
            "mol" => &mut self.mol,
            "cd" => &mut self.cd,
            "rad" => &mut self.rad,
            _ => return false,
        };
        *exponent = number as i32;
        f64::from(*exponent) == number
    }

    /// The unit a name of the SI stands for: symbols without prefixes, powers as digits behind them, products as `.`, one
    /// quotient as `/`, with parentheses where several factors follow. `None` for other names.
    ///
    /// ```
    /// use macrostep_description::BaseUnit;
    ///
    /// let newton = BaseUnit { kg: 1, m: 1, s: -2, ..BaseUnit::default() };
    /// assert_eq!(BaseUnit::si("N"), Some(newton));
    /// assert_eq!(BaseUnit::si("kg.m/s2"), Some(newton));
    /// assert_eq!(BaseUnit::si("N.m/(m)"), Some(newton));
    /// assert_eq!(BaseUnit::si("1/s"), Some(BaseUnit { s: -1, ..BaseUnit::default() }));
    /// assert_eq!(BaseUnit::si("N/m/s"), None);
    /// assert_eq!(BaseUnit::si("mile"), None);
    /// ```
    pub fn si(name: &str) -> Option<BaseUnit> {
        let (over, under) = name.split_once('/').unwrap_or((name, "1"));
        let under = under.strip_prefix('(').and_then(|u| u.strip_suffix(')')).unwrap_or(under);
        let (over, under) = (product(over)?, product(under)?);
        let [kg, m, s, a, k, mol, cd, rad] = std::array::from_fn(|i| over[i] - under[i]);
        Some(BaseUnit { kg, m, s, a, k, mol, cd, rad, ..BaseUnit::default() })
    }
}

/// Sum of the exponents of factors joined by dots.
fn product(text: &str) -> Option<[i32; 8]> {
    text.split('.').try_fold([0; 8], |sum: [i32; 8], factor| {
        if factor == "1" {
            return Some(sum);
        }
        let symbol = factor.trim_end_matches(|c: char| c.is_ascii_digit());
        let power: i32 = if symbol == factor { 1 } else { factor[symbol.len()..].parse().ok().filter(|n| *n < 100)? };
        let (_, exponents) = SYMBOLS.iter().find(|(known, _)| *known == symbol)?;
        Some(std::array::from_fn(|i| sum[i] + power * exponents[i]))
    })
}

/// A `DisplayUnit`: shown value = `factor · value + offset`.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct DisplayUnit {
    pub name: String,
    pub factor: f64,
    pub offset: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each part has its own exponent, from its name and back.
    #[test]
    fn parts_are_set_by_their_names() {
        let mut unit = BaseUnit::default();
        for (n, name) in EXPONENTS.into_iter().enumerate() {
            assert!(unit.set(name, n as f64 + 1.0), "{name}");
            assert!(!unit.clone().set(name, 0.5), "{name}");
        }
        assert!(unit.set("factor", 2.0) && unit.set("offset", -3.0) && !unit.set("ft", 1.0));
        assert!(
            [0.0, f64::NAN].iter().all(|bad| !unit.clone().set("factor", *bad))
                && !unit.clone().set("offset", f64::INFINITY)
        );
        let exponents = [unit.kg, unit.m, unit.s, unit.a, unit.k, unit.mol, unit.cd, unit.rad];
        assert_eq!((exponents, unit.factor, unit.offset), ([1, 2, 3, 4, 5, 6, 7, 8], 2.0, -3.0));
        assert_eq!(unit.parts().count(), 10);
    }

    /// All base quantities of the SI, in products and quotients.
    #[test]
    fn names_of_the_si_have_all_base_quantities() {
        let unit = BaseUnit { kg: 1, m: -2, s: 3, a: 1, k: -1, mol: 1, cd: -1, rad: 2, ..BaseUnit::default() };
        assert_eq!(BaseUnit::si("kg.s3.A.mol.rad2/(m2.K.cd)"), Some(unit));
    }

    /// Units with names of their own, by the laws that define them.
    #[test]
    fn named_units_are_products_of_others() {
        for (name, product) in [
            ("N", "kg.m/s2"),
            ("Pa", "N/m2"),
            ("J", "N.m"),
            ("W", "J/s"),
            ("C", "A.s"),
            ("V", "W/A"),
            ("Ohm", "V/A"),
            ("H", "V.s/A"),
            ("F", "C/V"),
        ] {
            assert!(BaseUnit::si(name).is_some() && BaseUnit::si(name) == BaseUnit::si(product), "{name}");
        }
    }
}
