//! Time derivatives of outputs.
//!
//! # Equations
//! z_{k+1} = f_k/(k + 1), where f_k is the k-th coefficient
//! of f along the series of z known up to k and the series of u; then y = g along them.

use crate::{Point, Polynomials, System, Taylor, Vector};

/// The outputs as Taylor series of order `order` (at most 20) in the time since `t`, along the solution through `z`.
pub fn output_series<E: System>(t: f64, p: &[f64], z: &[f64], u: &Polynomials, order: usize) -> E::Outputs<Taylor> {
    let mut at: Point<E, Taylor> = Point {
        t: Taylor::new(order, |j| [t, 1.0].get(j).copied().unwrap_or(0.0)),
        p: E::Parameters::<Taylor>::from_fn(|i| Taylor::from(p[i])),
        z: E::States::<Taylor>::from_fn(|i| Taylor::new(0, |_| z[i])),
        u: E::Inputs::<Taylor>::from_fn(|i| Taylor::new(order, |j| u.coefficient(i, j))),
        du: E::Inputs::<Taylor>::from_fn(|i| {
            // The polynomials end at degree 20: their 21st coefficient is zero.
            let next = |j: usize| if j < u.degree() { (j + 1) as f64 * u.coefficient(i, j + 1) } else { 0.0 };
            Taylor::new(order, next)
        }),
    };
    for k in 0..order {
        let rates = E::rates(&at);
        for (z, f) in at.z.as_mut_slice().iter_mut().zip(rates.as_slice()) {
            z.extend(f.coefficient(k) / (k + 1) as f64);
        }
    }
    E::outputs(&at)
}
