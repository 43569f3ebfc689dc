//! Truncated Taylor series in time.
//!
//! # Equations
//! With x(t + τ) = Σ x_j τ^j, coefficient by coefficient (Griewank, Walther, *Evaluating Derivatives*, chapter 13):
//! product w_k = Σ_j u_j v_{k−j}; quotient w_k = (u_k − Σ_{j≥1} v_j w_{k−j})/v_0; root, exponential, logarithm, sine and
//! cosine from their differential equations, e.g. k e_k = Σ_{j≥1} j u_j e_{k−j}.
//!
//! # Notation
//! | symbol | code | meaning |
//! |---|---|---|
//! | x_j | `c[j]` | coefficient, x^{(j)}/j! |
//! | n | `order` | highest coefficient that is known |

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::polynomial::MAX_DEGREE;
use crate::{Scalar, dual::with_real};

const LEN: usize = MAX_DEGREE + 1;

/// A series known up to τ^`order`; coefficients beyond are zero and never read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Taylor {
    order: usize,
    c: [f64; LEN],
}

impl Taylor {
    /// The series with these coefficients, known up to `order` (at most [`MAX_DEGREE`]).
    pub fn new(order: usize, coefficient: impl Fn(usize) -> f64) -> Taylor {
        let order = order.min(MAX_DEGREE);
        let mut c = [0.0; LEN];
        for (j, slot) in c[..=order].iter_mut().enumerate() {
            *slot = coefficient(j);
        }
        Taylor { order, c }
    }

    /// The coefficient of τ^j, x^{(j)}/j!; zero beyond what is known.
    pub fn coefficient(&self, j: usize) -> f64 {
        self.c.get(j).copied().unwrap_or(0.0)
    }

    /// Sets the next coefficient, τ^{order + 1}.
    pub(crate) fn extend(&mut self, coefficient: f64) {
        self.order += 1;
        self.c[self.order] = coefficient;
    }

    /// A series built coefficient by coefficient up to the order of both operands.
    fn build(order: usize, mut next: impl FnMut(usize, &[f64; LEN]) -> f64) -> Taylor {
        let mut c = [0.0; LEN];
        for k in 0..=order {
            c[k] = next(k, &c);
        }
        Taylor { order, c }
    }

    /// Σ_{j=1}^{k} j a_j b_{k−j}: k times the k-th coefficient of ∫ b da.
    fn weighted(a: &[f64; LEN], b: &[f64; LEN], k: usize) -> f64 {
        (1..=k).map(|j| j as f64 * a[j] * b[k - j]).sum()
    }

    /// Sine and cosine together.
    fn sin_cos(self) -> (Taylor, Taylor) {
        let (mut s, mut c) = (Taylor::from(self.c[0].sin()), Taylor::from(self.c[0].cos()));
        for k in 1..=self.order {
            s.c[k] = Self::weighted(&self.c, &c.c, k) / k as f64;
            c.c[k] = -Self::weighted(&self.c, &s.c, k) / k as f64;
        }
        s.order = self.order;
        c.order = self.order;
        (s, c)
    }
}

impl From<f64> for Taylor {
    fn from(value: f64) -> Taylor {
        let mut c = [0.0; LEN];
        c[0] = value;
        Taylor { order: MAX_DEGREE, c }
    }
}

impl Neg for Taylor {
    type Output = Taylor;
    fn neg(self) -> Taylor {
        Taylor { order: self.order, c: self.c.map(|x| -x) }
    }
}

impl Add for Taylor {
    type Output = Taylor;
    fn add(self, b: Taylor) -> Taylor {
        Taylor::build(self.order.min(b.order), |k, _| self.c[k] + b.c[k])
    }
}

impl Sub for Taylor {
    type Output = Taylor;
    fn sub(self, b: Taylor) -> Taylor {
        Taylor::build(self.order.min(b.order), |k, _| self.c[k] - b.c[k])
    }
}

impl Mul for Taylor {
    type Output = Taylor;
    fn mul(self, b: Taylor) -> Taylor {
        Taylor::build(self.order.min(b.order), |k, _| (0..=k).map(|j| self.c[j] * b.c[k - j]).sum())
    }
}

impl Div for Taylor {
    type Output = Taylor;
    fn div(self, b: Taylor) -> Taylor {
        Taylor::build(self.order.min(b.order), |k, w| {
            (self.c[k] - (1..=k).map(|j| b.c[j] * w[k - j]).sum::<f64>()) / b.c[0]
        })
    }
}

with_real!(Taylor: Add add, Sub sub, Mul mul, Div div);

impl Scalar for Taylor {
    fn sqrt(self) -> Taylor {
        Taylor::build(self.order, |k, w| match k {
            0 => self.c[0].sqrt(),
            _ => (self.c[k] - (1..k).map(|j| w[j] * w[k - j]).sum::<f64>()) / (2.0 * w[0]),
        })
    }
    fn exp(self) -> Taylor {
        Taylor::build(self.order, |k, w| match k {
            0 => self.c[0].exp(),
            _ => Self::weighted(&self.c, w, k) / k as f64,
        })
    }
    fn ln(self) -> Taylor {
        Taylor::build(self.order, |k, w| match k {
            0 => self.c[0].ln(),
            _ => (self.c[k] - (1..k).map(|j| j as f64 * w[j] * self.c[k - j]).sum::<f64>() / k as f64) / self.c[0],
        })
    }
    fn sin(self) -> Taylor {
        self.sin_cos().0
    }
    fn cos(self) -> Taylor {
        self.sin_cos().1
    }
    fn value(self) -> f64 {
        self.c[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The series of τ itself around `at`.
    fn variable(at: f64) -> Taylor {
        Taylor::new(20, |j| [at, 1.0].get(j).copied().unwrap_or(0.0))
    }

    fn close(a: Taylor, expected: impl Fn(usize) -> f64) {
        for j in 0..=20 {
            let (found, e) = (a.coefficient(j), expected(j));
            assert!((found - e).abs() <= 1e-12 * (1.0 + e.abs()), "coefficient {j}: {found}, expected {e}");
        }
    }

    fn factorial(n: usize) -> f64 {
        (1..=n).map(|j| j as f64).product()
    }

    #[test]
    fn known_series() {
        close(variable(0.0).exp(), |j| 1.0 / factorial(j));
        close(variable(0.0).sin(), |j| [0.0, 1.0, 0.0, -1.0][j % 4] / factorial(j));
        close(variable(0.0).cos(), |j| [1.0, 0.0, -1.0, 0.0][j % 4] / factorial(j));
        close(Taylor::from(1.0) / (-variable(-1.0)), |_| 1.0);
        close(variable(1.0).ln(), |j| if j == 0 { 0.0 } else { (-1.0_f64).powi(j as i32 + 1) / j as f64 });
    }

    #[test]
    fn identities_hold_coefficient_by_coefficient() {
        let x = variable(0.6) * variable(0.6) + 0.5;
        let (root, product) = (x.sqrt(), x);
        close(root * root - product, |_| 0.0);
        close(x.sin() * x.sin() + x.cos() * x.cos() - 1.0, |_| 0.0);
        close(x.exp().ln() - x, |_| 0.0);
    }

    #[test]
    fn order_is_that_of_the_shorter_operand() {
        let short = Taylor::new(3, |_| 1.0);
        assert_eq!((short * variable(2.0)).order, 3);
        assert_eq!((short + 1.0).order, 3);
    }
}
