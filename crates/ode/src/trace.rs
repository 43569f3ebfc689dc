//! Dependencies of a result, found by evaluating the equations on names instead of numbers.
//!
//! Every known is a bit. A result keeps three sets: knowns it is linear in with a literal factor, linear in with a factor
//! made of parameters, and nonlinear in: the dependency kinds `constant`, `fixed` and `dependent` of FMI 2.0.5, section
//! 2.2.8. Cancellation is not seen: x − x depends on x.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::{Scalar, dual::with_real};

/// A value with the knowns it depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trace {
    value: f64,
    /// Linear with a literal factor.
    pub constant: u128,
    /// Linear with a factor that parameters decide.
    pub fixed: u128,
    /// Nonlinear.
    pub dependent: u128,
    /// Whether a parameter is in it.
    parametric: bool,
}

impl Trace {
    /// Known number `bit` (0 … 127).
    pub fn known(bit: usize, value: f64) -> Trace {
        Trace { constant: 1 << bit, ..Trace::from(value) }
    }

    /// A parameter that is not itself a known.
    pub fn parameter(value: f64) -> Trace {
        Trace { parametric: true, ..Trace::from(value) }
    }

    /// All knowns in it.
    pub fn all(&self) -> u128 {
        self.constant | self.fixed | self.dependent
    }

    /// A nonlinear function of it.
    fn nonlinear(self, value: f64) -> Trace {
        Trace { value, constant: 0, fixed: 0, dependent: self.all(), parametric: self.parametric }
    }

    /// It times (or divided by) something without knowns.
    fn scaled(self, by: Trace, value: f64) -> Trace {
        let parametric = self.parametric || by.parametric;
        if by.parametric {
            Trace { value, constant: 0, fixed: self.fixed | self.constant, parametric, ..self }
        } else {
            Trace { value, parametric, ..self }
        }
    }

    fn sum(self, b: Trace, value: f64) -> Trace {
        let dependent = self.dependent | b.dependent;
        let fixed = (self.fixed | b.fixed) & !dependent;
        Trace {
            value,
            constant: (self.constant | b.constant) & !fixed & !dependent,
            fixed,
            dependent,
            parametric: self.parametric || b.parametric,
        }
    }
}

impl From<f64> for Trace {
    fn from(value: f64) -> Trace {
        Trace { value, constant: 0, fixed: 0, dependent: 0, parametric: false }
    }
}

impl Neg for Trace {
    type Output = Trace;
    fn neg(self) -> Trace {
        Trace { value: -self.value, ..self }
    }
}

impl Add for Trace {
    type Output = Trace;
    fn add(self, b: Trace) -> Trace {
        self.sum(b, self.value + b.value)
    }
}

impl Sub for Trace {
    type Output = Trace;
    fn sub(self, b: Trace) -> Trace {
        self.sum(b, self.value - b.value)
    }
}

impl Mul for Trace {
    type Output = Trace;
    fn mul(self, b: Trace) -> Trace {
        let value = self.value * b.value;
        match (self.all(), b.all()) {
            (_, 0) => self.scaled(b, value),
            (0, _) => b.scaled(self, value),
            _ => self.sum(b, value).nonlinear(value),
        }
    }
}

impl Div for Trace {
    type Output = Trace;
    fn div(self, b: Trace) -> Trace {
        let value = self.value / b.value;
        if b.all() == 0 { self.scaled(b, value) } else { self.sum(b, value).nonlinear(value) }
    }
}

with_real!(Trace: Add add, Sub sub, Mul mul, Div div);

impl Scalar for Trace {
    fn sqrt(self) -> Trace {
        self.nonlinear(self.value.sqrt())
    }
    fn exp(self) -> Trace {
        self.nonlinear(self.value.exp())
    }
    fn ln(self) -> Trace {
        self.nonlinear(self.value.ln())
    }
    fn sin(self) -> Trace {
        self.nonlinear(self.value.sin())
    }
    fn cos(self) -> Trace {
        self.nonlinear(self.value.cos())
    }
    fn value(self) -> f64 {
        self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_dependency() {
        let [x, y, z] = [0, 1, 2].map(|bit| Trace::known(bit, 1.0));
        let p = Trace::parameter(2.0);
        let sets = |t: Trace| (t.constant, t.fixed, t.dependent);
        assert_eq!(sets(x * 3.0 - p), (0b1, 0, 0));
        assert_eq!(sets(p * (x - y) + z), (0b100, 0b011, 0));
        assert_eq!(sets(x / p + x), (0, 0b1, 0));
        assert_eq!(sets(x * y + z / p), (0, 0b100, 0b011));
        assert_eq!(sets(p / x), (0, 0, 0b1));
        assert_eq!(sets(z.sin() + z), (0, 0, 0b100));
        assert_eq!(sets(p * 0.5 + 1.0), (0, 0, 0));
    }

    /// Values are those of numbers, whatever depends on what.
    #[test]
    fn values_are_those_of_numbers() {
        let (x, p) = (Trace::known(0, 3.0), Trace::parameter(0.5));
        let values = [x + p, x - p, x * p, x / p, -x, p * x, p / x, x.sqrt(), x * 2.0, x / 2.0].map(Scalar::value);
        assert_eq!(values, [3.5, 2.5, 1.5, 6.0, -3.0, 1.5, 0.5 / 3.0, 3.0f64.sqrt(), 6.0, 1.5]);
    }

    /// A factor that a parameter decides is one in all that is computed with it.
    #[test]
    fn parameters_stay_in_factors() {
        let (x, p) = (Trace::known(0, 3.0), Trace::parameter(0.5));
        let sets = |t: Trace| (t.constant, t.fixed, t.dependent);
        for factor in [p * 2.0, p + 1.0, Trace::from(1.0) + p, Trace::from(2.0) * p, -p, p.sin(), p / 2.0] {
            assert_eq!(sets(factor * x), (0, 1, 0), "{factor:?}");
        }
    }
}
