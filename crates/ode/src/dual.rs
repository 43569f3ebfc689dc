//! Dual numbers: a value and one directional derivative.
//!
//! # Equations
//! (a + ȧ ε)(b + ḃ ε) = ab + (ȧ b + a ḃ) ε with ε² = 0, and f(a + ȧ ε) = f(a) + f′(a) ȧ ε.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::Scalar;

/// `value + tangent ε`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Dual {
    /// The value.
    pub value: f64,
    /// The derivative along the seeded direction.
    pub tangent: f64,
}

impl Dual {
    /// A value with its tangent.
    #[inline]
    pub fn new(value: f64, tangent: f64) -> Dual {
        Dual { value, tangent }
    }
}

impl From<f64> for Dual {
    #[inline]
    fn from(value: f64) -> Dual {
        Dual { value, tangent: 0.0 }
    }
}

impl Neg for Dual {
    type Output = Dual;
    fn neg(self) -> Dual {
        Dual::new(-self.value, -self.tangent)
    }
}

impl Add for Dual {
    type Output = Dual;
    fn add(self, b: Dual) -> Dual {
        Dual::new(self.value + b.value, self.tangent + b.tangent)
    }
}

impl Sub for Dual {
    type Output = Dual;
    fn sub(self, b: Dual) -> Dual {
        Dual::new(self.value - b.value, self.tangent - b.tangent)
    }
}

impl Mul for Dual {
    type Output = Dual;
    fn mul(self, b: Dual) -> Dual {
        Dual::new(self.value * b.value, self.tangent * b.value + self.value * b.tangent)
    }
}

impl Div for Dual {
    type Output = Dual;
    fn div(self, b: Dual) -> Dual {
        let quotient = self.value / b.value;
        Dual::new(quotient, (self.tangent - quotient * b.tangent) / b.value)
    }
}

/// Operators with a plain number on the right.
macro_rules! with_real {
    ($type:ty: $($trait:ident $method:ident),*) => { $(
        impl $trait<f64> for $type {
            type Output = $type;
            #[inline]
            fn $method(self, b: f64) -> $type {
                $trait::$method(self, <$type>::from(b))
            }
        }
    )* };
}
pub(crate) use with_real;

with_real!(Dual: Add add, Sub sub, Mul mul, Div div);

impl Scalar for Dual {
    fn sqrt(self) -> Dual {
        let root = self.value.sqrt();
        Dual::new(root, self.tangent / (2.0 * root))
    }
    fn exp(self) -> Dual {
        let e = self.value.exp();
        Dual::new(e, self.tangent * e)
    }
    fn ln(self) -> Dual {
        Dual::new(self.value.ln(), self.tangent / self.value)
    }
    fn sin(self) -> Dual {
        Dual::new(self.value.sin(), self.tangent * self.value.cos())
    }
    fn cos(self) -> Dual {
        Dual::new(self.value.cos(), -self.tangent * self.value.sin())
    }
    fn value(self) -> f64 {
        self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function with every operation in it.
    fn everything<S: Scalar>(x: S, y: S) -> S {
        (x * y + 2.0).sqrt() / (x.sin() * y.cos() - 3.0) + (x / y).exp() * (y + 1.0).ln() - x * 0.5 - (-y) / 4.0
    }

    #[test]
    fn tangent_is_the_central_difference() {
        let (x, y, dx, dy) = (0.7, 1.3, 0.4, -0.9);
        let tangent = everything(Dual::new(x, dx), Dual::new(y, dy)).tangent;
        let h = 1e-6;
        let difference = (everything(x + h * dx, y + h * dy) - everything(x - h * dx, y - h * dy)) / (2.0 * h);
        assert!((tangent - difference).abs() < 1e-8, "{tangent} {difference}");
        assert_eq!(everything(Dual::from(x), Dual::from(y)).value, everything(x, y));
    }
}
