//! Linear systems of real and of complex numbers, for the stages of Radau IIA.

use std::ops::{Add, Div, Mul, Sub};

/// A complex number.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Complex {
    pub(super) re: f64,
    pub(super) im: f64,
}

impl Add for Complex {
    type Output = Complex;

    fn add(self, other: Complex) -> Complex {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex {
    type Output = Complex;

    fn sub(self, other: Complex) -> Complex {
        Complex { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Complex {
    type Output = Complex;

    fn mul(self, other: Complex) -> Complex {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

impl Div for Complex {
    type Output = Complex;

    fn div(self, by: Complex) -> Complex {
        let square = by.re * by.re + by.im * by.im;
        Complex { re: (self.re * by.re + self.im * by.im) / square, im: (self.im * by.re - self.re * by.im) / square }
    }
}

/// A number that can be a pivot.
pub(super) trait Number:
    Copy + Default + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// |x|, or something that grows with it.
    fn size(self) -> f64;
}

impl Number for f64 {
    fn size(self) -> f64 {
        self.abs()
    }
}

impl Number for Complex {
    fn size(self) -> f64 {
        self.re.abs() + self.im.abs()
    }
}

/// A square matrix that is split into triangles, with the rows exchanged so that pivots are large.
#[derive(Debug, Clone)]
pub(super) struct Lu<T> {
    n: usize,
    a: Vec<T>,
    rows: Vec<usize>,
}

impl<T: Number> Lu<T> {
    /// Of n × n numbers.
    pub(super) fn new(n: usize) -> Lu<T> {
        Lu { n, a: vec![T::default(); n * n], rows: (0..n).collect() }
    }

    /// Takes the matrix and splits it. False where it is singular.
    pub(super) fn split(&mut self, element: impl Fn(usize, usize) -> T) -> bool {
        let n = self.n;
        for i in 0..n {
            self.rows[i] = i;
            for j in 0..n {
                self.a[i * n + j] = element(i, j);
            }
        }
        for j in 0..n {
            // The largest of the column becomes the pivot.
            let mut pivot = j;
            for i in j + 1..n {
                if self.a[i * n + j].size() > self.a[pivot * n + j].size() {
                    pivot = i;
                }
            }
            let size = self.a[pivot * n + j].size();
            if !size.is_finite() || size == 0.0 {
                return false;
            }
            if pivot != j {
                self.rows.swap(pivot, j);
                (0..n).for_each(|c| self.a.swap(pivot * n + c, j * n + c));
            }
            // The rows below lose that column.
            for i in j + 1..n {
                let factor = self.a[i * n + j] / self.a[j * n + j];
                self.a[i * n + j] = factor;
                for c in j + 1..n {
                    self.a[i * n + c] = self.a[i * n + c] - factor * self.a[j * n + c];
                }
            }
        }
        true
    }

    /// Solves for a right-hand side, into `x`.
    pub(super) fn solve(&self, right: &[T], x: &mut [T]) {
        let n = self.n;
        for i in 0..n {
            let sum = (0..i).fold(right[self.rows[i]], |sum, j| sum - self.a[i * n + j] * x[j]);
            x[i] = sum;
        }
        for i in (0..n).rev() {
            let sum = (i + 1..n).fold(x[i], |sum, j| sum - self.a[i * n + j] * x[j]);
            x[i] = sum / self.a[i * n + i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix times the solution is the right-hand side, also where the first pivot is zero.
    #[test]
    fn a_solution_solves() {
        let a = [[0.0, 2.0, 1.0], [1.0, -1.0, 3.0], [4.0, 0.5, -2.0]];
        let mut lu = Lu::<f64>::new(3);
        assert!(lu.split(|i, j| a[i][j]));
        let (right, mut x) = ([1.0, -2.0, 3.0], [0.0; 3]);
        lu.solve(&right, &mut x);
        for i in 0..3 {
            let sum: f64 = (0..3).map(|j| a[i][j] * x[j]).sum();
            assert!((sum - right[i]).abs() < 1e-14, "{sum}");
        }
        // Complex numbers: the same matrix with an imaginary part on its diagonal.
        let b = |i: usize, j: usize| Complex { re: a[i][j], im: if i == j { 1.5 } else { 0.0 } };
        let mut lu = Lu::<Complex>::new(3);
        assert!(lu.split(b));
        let (right, mut x) = ([1.0, -2.0, 3.0].map(|re| Complex { re, im: 0.5 }), [Complex::default(); 3]);
        lu.solve(&right, &mut x);
        for i in 0..3 {
            let sum = (0..3).fold(Complex::default(), |sum, j| sum + b(i, j) * x[j]);
            assert!((sum - right[i]).size() < 1e-14, "{sum:?}");
        }
        // Two rows that are alike.
        assert!(!Lu::<f64>::new(2).split(|_, j| j as f64 + 1.0));
    }
}
