//! Exact integration of a linear system with polynomial inputs.
//!
//! # Equations
//! For ż = A z + B u(τ) + b with u(τ) = Σ_j c_j τ^j:
//!
//! ```text
//! z(h) = φ_0(hA) z(0) + Σ_j j! h^{j+1} φ_{j+1}(hA) w_j,   w_0 = B c_0 + b,   w_j = B c_j
//! ```
//!
//! A, B and b are had from the equations by dual numbers; nothing is declared twice.
//!
//! # Notation
//! | symbol | code | meaning |
//! |---|---|---|
//! | j! h^{j+1} φ_{j+1}(hA) | `forcing[j]` | effect of the input's coefficient j |
//! | φ_0(hA) | `transition` | effect of the start state |

use crate::phi::factorial;
use crate::{Dual, Matrix, Point, Polynomials, Scalar, System, Vector, phi_functions};

/// A, B, b of a linear system.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearMap {
    a: Matrix,
    /// B, row by row, as many columns as inputs.
    b: Vec<f64>,
    constant: Vec<f64>,
    inputs: usize,
}

impl LinearMap {
    /// The map of a system that is linear ([`System::LINEAR`]) for these parameters.
    pub fn of<E: System>(p: &[f64]) -> LinearMap {
        let (n, m) = (E::States::<f64>::LEN, E::Inputs::<f64>::LEN);
        // One column: rates with one state or input seeded, all values zero.
        let column = |seeded: Option<usize>| {
            let seed = |i: usize| Dual::new(0.0, if seeded == Some(i) { 1.0 } else { 0.0 });
            E::rates(&Point::<E, Dual> {
                t: Dual::from(0.0),
                p: E::Parameters::<Dual>::from_fn(|i| Dual::from(p[i])),
                z: E::States::<Dual>::from_fn(seed),
                u: E::Inputs::<Dual>::from_fn(|i| seed(n + i)),
                du: E::Inputs::<Dual>::from_fn(|_| Dual::from(0.0)),
            })
        };
        let columns: Vec<_> = (0..n + m).map(|j| column(Some(j))).collect();
        let tangent = |i: usize, j: usize| columns[j].as_slice()[i].tangent;
        let constant = column(None);
        LinearMap {
            a: Matrix::from_fn(n, tangent),
            b: (0..n * m).map(|ij| tangent(ij / m, n + ij % m)).collect(),
            constant: (0..n).map(|i| constant.as_slice()[i].value()).collect(),
            inputs: m,
        }
    }

    /// Element i of w_j.
    fn forcing(&self, i: usize, j: usize, u: &Polynomials) -> f64 {
        let row = &self.b[i * self.inputs..(i + 1) * self.inputs];
        let start = if j == 0 { self.constant[i] } else { 0.0 };
        row.iter().enumerate().fold(start, |sum, (k, b)| sum + b * u.coefficient(k, j))
    }
}

/// Carries a state over one length of step, for inputs up to one degree.
#[derive(Debug, Clone, PartialEq)]
pub struct Propagator {
    h: f64,
    transition: Matrix,
    forcing: Vec<Matrix>,
}

impl Propagator {
    /// For steps of length `h` (s) and inputs of degree up to `degree`; `None` where hA is not finite or absurdly large.
    pub fn new(map: &LinearMap, h: f64, degree: usize) -> Option<Propagator> {
        let mut phi = phi_functions(&map.a.scaled(h), degree + 1)?;
        let forcing = phi.split_off(1);
        let transition = phi.pop()?;
        let scaled = |(j, phi): (usize, Matrix)| phi.scaled(factorial(j) * h.powi(j as i32 + 1));
        Some(Propagator { h, transition, forcing: forcing.into_iter().enumerate().map(scaled).collect() })
    }

    /// Whether it serves this length and degree.
    #[inline]
    pub fn serves(&self, h: f64, degree: usize) -> bool {
        self.h == h && degree < self.forcing.len()
    }

    /// `z` becomes the state `h` later.
    #[inline]
    pub fn advance<Z: Vector<f64>>(&self, map: &LinearMap, u: &Polynomials, z: &mut Z) {
        let start = *z;
        self.transition.apply(start.as_slice(), z.as_mut_slice());
        for (j, forcing) in self.forcing.iter().enumerate().take(u.degree() + 1) {
            let w = Z::from_fn(|i| map.forcing(i, j, u));
            let mut part = w;
            forcing.apply(w.as_slice(), part.as_mut_slice());
            for (z, part) in z.as_mut_slice().iter_mut().zip(part.as_slice()) {
                *z += part;
            }
        }
    }
}
