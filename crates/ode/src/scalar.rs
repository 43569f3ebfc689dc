//! The arithmetic in which equations are written.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number: real, dual or a truncated Taylor series. Constants of the equations are plain `f64` on the right of an
/// operator or `S::from(…)`.
pub trait Scalar:
    Copy
    + Send
    + std::fmt::Debug
    + From<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
{
    /// Square root; the value must be positive for its derivatives to exist.
    fn sqrt(self) -> Self;
    /// Exponential function.
    fn exp(self) -> Self;
    /// Natural logarithm.
    fn ln(self) -> Self;
    /// Sine.
    fn sin(self) -> Self;
    /// Cosine.
    fn cos(self) -> Self;
    /// The real value, for choosing branches.
    fn value(self) -> f64;
}

impl Scalar for f64 {
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    fn exp(self) -> Self {
        f64::exp(self)
    }
    fn ln(self) -> Self {
        f64::ln(self)
    }
    fn sin(self) -> Self {
        f64::sin(self)
    }
    fn cos(self) -> Self {
        f64::cos(self)
    }
    fn value(self) -> f64 {
        self
    }
}

/// An array of scalars whose length the compiler knows.
pub trait Vector<S>: Copy + Send + std::fmt::Debug {
    /// Number of elements.
    const LEN: usize;
    /// Element by element.
    fn from_fn(element: impl FnMut(usize) -> S) -> Self;
    /// The elements.
    fn as_slice(&self) -> &[S];
    /// The elements, to change.
    fn as_mut_slice(&mut self) -> &mut [S];
}

impl<S: Copy + Send + std::fmt::Debug + From<f64>, const N: usize> Vector<S> for [S; N] {
    const LEN: usize = N;
    // A loop, because `std::array::from_fn` is several functions in each place, a quarter of the code that is compiled for a model.
    #[inline]
    fn from_fn(mut element: impl FnMut(usize) -> S) -> Self {
        let mut elements = [S::from(0.0); N];
        for (i, slot) in elements.iter_mut().enumerate() {
            *slot = element(i);
        }
        elements
    }
    #[inline]
    fn as_slice(&self) -> &[S] {
        self
    }
    #[inline]
    fn as_mut_slice(&mut self) -> &mut [S] {
        self
    }
}
