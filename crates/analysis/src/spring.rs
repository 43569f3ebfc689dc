//! Two masses on a spring that hardens, cut on either side of it: the law stands in the master, or in the mass that owns it.
//!
//! ```text
//! f^c = k_c Δx + β Δx³ + c_c Δv,   Δx = x_1 − x_2,  Δv = v_1 − v_2
//! m_1 a_1 = −k_1 x_1 − c_1 v_1 − f^c,   m_2 a_2 = −k_2 x_2 − c_2 v_2 + f^c
//! ```
//!
//! Reference: \[Li 2019\], abstract, for coupling laws other than linear ones.

use crate::assembled::{MOTION, Motion, Part, Whole};
use crate::pair::{Coupling, Kind};
use crate::scenario::Card;
use macrostep_benchmarks::spring::{MASSES, SPRING, masses};
use macrostep_system::Scenario;

/// The spring of [`macrostep_benchmarks::nonlinear_spring()`].
#[derive(Debug, Clone, Copy)]
pub struct NonlinearSpring {
    /// As [`MASSES`].
    pub masses: [[f64; 5]; 2],
    /// As [`SPRING`].
    pub spring: [f64; 3],
}

impl Default for NonlinearSpring {
    fn default() -> Self {
        NonlinearSpring { masses: MASSES, spring: SPRING }
    }
}

/// Sign of f^c on either mass.
const SIGN: [f64; 2] = [-1.0, 1.0];

impl NonlinearSpring {
    /// f^c.
    fn force(&self, z: &[f64]) -> f64 {
        let [stiffness, cubic, damping] = self.spring;
        let (x, v) = (z[0] - z[1], z[2] - z[3]);
        stiffness * x + cubic * x * x * x + damping * v
    }
}

impl Whole for NonlinearSpring {
    fn card(&self) -> Card {
        Card {
            name: "nonlinear-spring",
            couplings: &[
                Coupling::ForceForce,
                Coupling::ForceDisplacement,
                Coupling::DisplacementForce,
                Coupling::DisplacementDisplacement,
            ],
            units: 2,
            motions: &["mass 1", "mass 2"],
            step_s: 2.5e-3,
            stop_s: 2.0,
            integrations: 2,
            linear: false,
        }
    }

    fn scenario(&self, coupling: Coupling) -> Scenario {
        masses(coupling, &self.masses, self.spring)
    }

    fn parts(&self, coupling: Coupling) -> Vec<Part> {
        let effort = |kind| if kind == Kind::Displacement { "f_c" } else { "f" };
        let mass =
            |i, kind| Part { motion: MOTION, starts: vec![("x0", i), ("v0", 2 + i)], effort: effort(kind), flow: "v" };
        coupling.kinds().into_iter().enumerate().map(|(i, kind)| mass(i, kind)).collect()
    }

    fn energy(&self, z: &[f64]) -> f64 {
        let own = |i: usize| 0.5 * (self.masses[i][0] * z[2 + i] * z[2 + i] + self.masses[i][1] * z[i] * z[i]);
        let ([stiffness, cubic, _], x) = (self.spring, z[0] - z[1]);
        own(0) + own(1) + 0.5 * stiffness * x * x + 0.25 * cubic * x.powi(4)
    }

    fn start(&self) -> Vec<f64> {
        [3, 4].map(|place| self.masses.map(|mass| mass[place])).concat()
    }

    fn rates(&self, z: &[f64], dz: &mut [f64]) {
        let f = self.force(z);
        for i in 0..2 {
            let [m, k, c, ..] = self.masses[i];
            dz[i] = z[2 + i];
            dz[2 + i] = (-k * z[i] - c * z[2 + i] + SIGN[i] * f) / m;
        }
    }

    fn motion(&self, i: usize, z: &[f64]) -> Motion {
        let mut dz = [0.0; 4];
        self.rates(z, &mut dz);
        let [x, v, a] = [z[0] - z[1], z[2] - z[3], dz[2] - dz[3]];
        let [stiffness, cubic, damping] = self.spring;
        let force_rate = (stiffness + 3.0 * cubic * x * x) * v + damping * a;
        let [m, k, c, ..] = self.masses[i];
        let jerk = (-k * z[2 + i] - c * dz[2 + i] + SIGN[i] * force_rate) / m;
        [z[i], z[2 + i], dz[2 + i], jerk]
    }

    fn effort(&self, _: usize, z: &[f64]) -> f64 {
        self.force(z)
    }
}
