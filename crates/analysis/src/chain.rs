//! A chain of masses, each a unit of its own: several connections, inner masses with a neighbour on either side.
//!
//! ```text
//! f_i = k_c (x_i − x_{i+1}) + c_c (v_i − v_{i+1})                between masses i and i + 1
//! m_i a_i = −k_i x_i − c_i v_i + f_{i−1} − f_i
//! ```
//!
//! | cut | mass 1 | masses 2 … n | where the laws stand |
//! |---|---|---|---|
//! | f-f | F, driven by f_1 | F, driven by f_{i−1} and f_i | in the master |
//! | s-f | F, driven by f_1 | D, each owns the spring to its left, driven by x_{i−1} and by f_i | in the units |
//!
//! Where motions are predicted, forces that a neighbour owns are made by a law of the master as well.

use crate::assembled::{MOTION, Motion, Part, Whole, linear_rates};
use crate::pair::Coupling;
use crate::scenario::Card;
use macrostep_benchmarks::chain::{MASSES, SPRING, row};
use macrostep_system::Scenario;

/// Number of masses.
const N: usize = MASSES.len();

/// The chain of [`mod@macrostep_benchmarks::chain`].
#[derive(Debug, Clone, Copy)]
pub struct Chain {
    /// As [`MASSES`].
    pub masses: [[f64; 5]; N],
    /// As [`SPRING`].
    pub spring: [f64; 2],
}

impl Default for Chain {
    fn default() -> Self {
        Chain { masses: MASSES, spring: SPRING }
    }
}

impl Chain {
    /// f between masses i and i + 1.
    fn force(&self, i: usize, z: &[f64]) -> f64 {
        self.spring[0] * (z[i] - z[i + 1]) + self.spring[1] * (z[N + i] - z[N + i + 1])
    }
}

impl Whole for Chain {
    fn card(&self) -> Card {
        Card {
            name: "chain",
            couplings: &[Coupling::ForceForce, Coupling::DisplacementForce],
            units: N,
            motions: &["mass 1", "mass 2", "mass 3", "mass 4", "mass 5"],
            step_s: 1e-2,
            stop_s: 2.0,
            integrations: 2,
            linear: true,
        }
    }

    fn scenario(&self, coupling: Coupling) -> Scenario {
        row(coupling, &self.masses, &[self.spring; N - 1])
    }

    fn parts(&self, coupling: Coupling) -> Vec<Part> {
        let owned = coupling == Coupling::DisplacementForce;
        let effort = |i: usize| if owned && i > 0 { "f_c" } else { "f" };
        let mass = |i| Part { motion: MOTION, starts: vec![("x0", i), ("v0", N + i)], effort: effort(i), flow: "v" };
        (0..N).map(mass).collect()
    }

    fn start(&self) -> Vec<f64> {
        [3, 4].map(|place| self.masses.map(|mass| mass[place])).concat()
    }

    fn rates(&self, z: &[f64], dz: &mut [f64]) {
        for i in 0..N {
            let left = if i > 0 { self.force(i - 1, z) } else { 0.0 };
            let right = if i + 1 < N { self.force(i, z) } else { 0.0 };
            let [m, k, c, ..] = self.masses[i];
            dz[i] = z[N + i];
            dz[N + i] = (-k * z[i] - c * z[N + i] + left - right) / m;
        }
    }

    fn motion(&self, i: usize, z: &[f64]) -> Motion {
        let [dz, ddz] = linear_rates(|z, dz| self.rates(z, dz), z);
        [z[i], z[N + i], dz[N + i], ddz[N + i]]
    }

    fn energy(&self, z: &[f64]) -> f64 {
        let own = |(i, [m, k, ..]): (usize, &[f64; 5])| 0.5 * m * z[N + i] * z[N + i] + 0.5 * k * z[i] * z[i];
        let between = |i: usize| 0.5 * self.spring[0] * (z[i] - z[i + 1]).powi(2);
        self.masses.iter().enumerate().map(own).sum::<f64>() + (0..N - 1).map(between).sum::<f64>()
    }

    /// Of the spring to the left of a mass.
    fn effort(&self, i: usize, z: &[f64]) -> f64 {
        i.checked_sub(1).map_or(f64::NAN, |left| self.force(left, z))
    }
}
