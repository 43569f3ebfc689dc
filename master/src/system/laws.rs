//! Laws of the kinds that scenarios name: a factor with an offset, a nonlinear spring, an orifice.

use super::law::{Law, LinearMap, SAMPLED_MAX, SpringDamper};
use crate::signal::segment::Segment;

/// The compiler puts the code that is called through a trait object into the crate that makes the object. So laws are made into objects here, where code
/// is optimised, and not in the crates that read names and files, where it is not.
macro_rules! boxed {
    ($($law:ty),*) => {$(
        impl From<$law> for Box<dyn Law> {
            #[inline(never)]
            fn from(law: $law) -> Self {
                Box::new(law)
            }
        }
    )*};
}
boxed!(Affine, LinearMap, NonlinearSpring, Orifice, Scaled, SpringDamper);

/// `y = factor · u + offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Affine {
    /// Factor.
    pub factor: f64,
    /// Offset.
    pub offset: f64,
}

impl Law for Affine {
    fn outputs(&self) -> usize {
        1
    }

    fn evaluate(&self, u: &[f64], y: &mut [f64]) {
        y[0] = self.factor * u[0] + self.offset;
    }

    fn segments(&self, u: &[Segment], y: &mut [Segment]) {
        y[0].fill(u[0].degree(), |i| self.factor * u[0].coefficient(i) + if i == 0 { self.offset } else { 0.0 });
    }
}

/// `f = Σ kᵢ dⁱ + c ḋ` with `d = x₁ − x₂`; inputs x₁, v₁, x₂, v₂.
#[derive(Debug, Clone, PartialEq)]
pub struct NonlinearSpring {
    /// k₁, k₂, … \[N/mⁱ\].
    pub coefficients: Vec<f64>,
    /// c \[N·s/m\].
    pub damping: f64,
}

impl Law for NonlinearSpring {
    fn outputs(&self) -> usize {
        1
    }

    fn evaluate(&self, u: &[f64], y: &mut [f64]) {
        let (d, rate) = (u[0] - u[2], u[1] - u[3]);
        // Horner, without a constant term.
        y[0] = self.coefficients.iter().rev().fold(0.0, |sum, k| (sum + k) * d) + self.damping * rate;
    }
}

/// `q = k sign(Δp) √|Δp|` with `Δp = p₁ − p₂`, and `q = k Δp/√laminar` for |Δp| < laminar, which joins it there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Orifice {
    /// k.
    pub coefficient: f64,
    /// Pressure difference below which the flow is laminar.
    pub laminar: f64,
}

impl Law for Orifice {
    fn outputs(&self) -> usize {
        1
    }

    fn evaluate(&self, u: &[f64], y: &mut [f64]) {
        let d = u[0] - u[1];
        y[0] = if d.abs() < self.laminar {
            self.coefficient * d / self.laminar.sqrt()
        } else {
            self.coefficient * d.signum() * d.abs().sqrt()
        };
    }
}

/// One output of a law, and what becomes of it.
#[derive(Debug)]
pub struct Scaled {
    /// The law.
    pub law: Box<dyn Law>,
    /// Which of its outputs.
    pub output: usize,
    /// What becomes of it.
    pub then: Affine,
}

impl Law for Scaled {
    fn outputs(&self) -> usize {
        1
    }

    fn evaluate(&self, u: &[f64], y: &mut [f64]) {
        let mut all = [0.0; SAMPLED_MAX];
        self.law.evaluate(u, &mut all[..self.law.outputs()]);
        y[0] = self.then.factor * all[self.output] + self.then.offset;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_by_hand() {
        let mut y = [0.0];
        NonlinearSpring { coefficients: vec![2.0, 0.0, 4.0], damping: 0.5 }.evaluate(&[1.0, 3.0, 0.5, 1.0], &mut y);
        assert_eq!(y[0], 2.0 * 0.5 + 4.0 * 0.125 + 0.5 * 2.0);
        let orifice = Orifice { coefficient: 3.0, laminar: 0.25 };
        for (d, q) in [(4.0, 6.0), (-4.0, -6.0), (0.25, 1.5), (0.125, 0.75)] {
            orifice.evaluate(&[d, 0.0], &mut y);
            assert_eq!(y[0], q, "{d}");
        }
    }
}
