//! Numbers of twice the precision: an unevaluated sum hi + lo of two `f64`, about 32 digits.
//!
//! Every operation is built from the two error-free transformations: s + e = a + b exactly (Knuth) and p + e = a·b exactly
//! (Dekker, by splitting each factor in halves of 26 bits, which needs no fused multiply-add and so gives equal bits on every
//! machine). Relative error of a sum or a product is a few 2⁻¹⁰⁴. Values are expected below 1e290, where splitting overflows.
//!
//! Reference: [Dekker 1971].

use std::ops::{Add, Mul};

/// hi + lo with |lo| ≤ half a unit in the last place of hi.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Double {
    hi: f64,
    lo: f64,
}

impl Double {
    pub(crate) const ONE: Self = Self { hi: 1.0, lo: 0.0 };

    /// Nearest `f64`.
    pub(crate) fn round(self) -> f64 {
        self.hi
    }

    /// a + b without error.
    #[inline]
    pub(crate) fn sum(a: f64, b: f64) -> Self {
        let hi = a + b;
        let shadow = hi - a;
        Self { hi, lo: (a - (hi - shadow)) + (b - shadow) }
    }

    /// a · b without error.
    pub(crate) fn product(a: f64, b: f64) -> Self {
        let hi = a * b;
        let (a1, a2) = split(a);
        let (b1, b2) = split(b);
        Self { hi, lo: ((a1 * b1 - hi) + a1 * b2 + a2 * b1) + a2 * b2 }
    }

    /// Division by an `f64` other than 0: one long-division step after the first quotient.
    pub(crate) fn over(self, divisor: f64) -> Self {
        let first = self.hi / divisor;
        let rest = self + Self::product(-first, divisor);
        let second = rest.hi / divisor;
        let rest = rest + Self::product(-second, divisor);
        quick_sum(first, second) + Self::from(rest.hi / divisor)
    }

    /// Multiplication by a power of two, which is exact.
    pub(crate) fn scaled(self, power_of_two: f64) -> Self {
        Self { hi: self.hi * power_of_two, lo: self.lo * power_of_two }
    }
}

impl From<f64> for Double {
    fn from(value: f64) -> Self {
        Self { hi: value, lo: 0.0 }
    }
}

impl Add for Double {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        let high = Self::sum(self.hi, other.hi);
        let low = Self::sum(self.lo, other.lo);
        let partial = quick_sum(high.hi, high.lo + low.hi);
        quick_sum(partial.hi, partial.lo + low.lo)
    }
}

impl Mul for Double {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        let exact = Self::product(self.hi, other.hi);
        quick_sum(exact.hi, exact.lo + (self.hi * other.lo + self.lo * other.hi))
    }
}

/// N of them, whose sums and products with one number have the bits that each has alone. The loops over them become vector
/// instructions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Doubles<const N: usize> {
    hi: [f64; N],
    lo: [f64; N],
}

/// N of them with their halves, to be multiplied again and again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Factors<const N: usize> {
    values: Doubles<N>,
    upper: [f64; N],
    lower: [f64; N],
}

impl<const N: usize> Doubles<N> {
    /// Each sum as [`Double`] adds.
    #[inline]
    pub(crate) fn plus(&self, other: &Self) -> Self {
        let mut sums = *self;
        for i in 0..N {
            let sum = Double { hi: self.hi[i], lo: self.lo[i] } + Double { hi: other.hi[i], lo: other.lo[i] };
            (sums.hi[i], sums.lo[i]) = (sum.hi, sum.lo);
        }
        sums
    }

    /// One by one.
    #[inline]
    pub(crate) fn each(&self) -> [Double; N] {
        std::array::from_fn(|i| Double { hi: self.hi[i], lo: self.lo[i] })
    }
}

impl<const N: usize> Factors<N> {
    pub(crate) fn new(values: &[Double; N]) -> Self {
        let halves = values.map(|value| split(value.hi));
        let values = Doubles { hi: values.map(|value| value.hi), lo: values.map(|value| value.lo) };
        Factors { values, upper: halves.map(|h| h.0), lower: halves.map(|h| h.1) }
    }

    /// Each product as [`Double`] multiplies, with halves that are known.
    #[inline]
    pub(crate) fn times(&self, other: Double) -> Doubles<N> {
        let (b1, b2) = split(other.hi);
        let mut products = self.values;
        for i in 0..N {
            let (a, a1, a2) = (self.values.hi[i], self.upper[i], self.lower[i]);
            let hi = a * other.hi;
            let lo = ((a1 * b1 - hi) + a1 * b2 + a2 * b1) + a2 * b2;
            let product = quick_sum(hi, lo + (a * other.lo + self.values.lo[i] * other.hi));
            (products.hi[i], products.lo[i]) = (product.hi, product.lo);
        }
        products
    }
}

/// a + b without error where |a| ≥ |b|.
#[inline]
fn quick_sum(a: f64, b: f64) -> Double {
    let hi = a + b;
    Double { hi, lo: b - (hi - a) }
}

/// Two halves of at most 26 bits with a = upper + lower.
#[inline]
fn split(a: f64) -> (f64, f64) {
    const SPLITTER: f64 = 134_217_729.0; // 2²⁷ + 1
    let scaled = SPLITTER * a;
    let upper = scaled - (scaled - a);
    (upper, a - upper)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_times_three_is_one_to_32_digits() {
        let third = Double::ONE.over(3.0);
        assert_ne!(third.lo, 0.0);
        let rest = third + third + third + Double::from(-1.0);
        assert!(rest.hi.abs() < 1e-31, "{rest:?}");
    }

    #[test]
    fn a_product_keeps_what_an_f64_loses() {
        // (1 + 2⁻³⁰)(1 − 2⁻³⁰) = 1 − 2⁻⁶⁰, which an f64 rounds to 1.
        let tiny = 2f64.powi(-30);
        let rest = Double::product(1.0 + tiny, 1.0 - tiny) + Double::from(-1.0);
        assert_eq!(rest.hi, -(2f64.powi(-60)));
    }

    #[test]
    fn products_of_two_part_numbers_keep_the_cross_terms() {
        // x = 1 + 2⁻⁷⁰ squared is 1 + 2⁻⁶⁹ + …
        let x = Double::sum(1.0, 2f64.powi(-70));
        assert_eq!((x * x + Double::from(-1.0)).hi, 2f64.powi(-69));
    }

    #[test]
    fn many_have_the_bits_of_each() {
        let third = |n: i32| Double::from(f64::from(n) * 0.1).over(3.0);
        let (a, b) = ([third(1), third(-7), third(1000), Double::default()], third(13));
        let factors = Factors::new(&a);
        assert_eq!(factors.times(b).each(), a.map(|a| a * b));
        let other = [b, third(2), third(-1000), third(5)];
        let sums = factors.values.plus(&Factors::new(&other).values);
        assert_eq!(sums.each(), [0, 1, 2, 3].map(|i| a[i] + other[i]));
    }
}
