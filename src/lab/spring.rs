//! Two masses on a nonlinear spring: a law of the master between the motions of both.
//!
//! ```text
//! f^c = k_c Δx + β Δx³ + c_c Δv,   Δx = x_1 − x_2,  Δv = v_1 − v_2
//! m_1 a_1 = −k_1 x_1 − c_1 v_1 − f^c,   m_2 a_2 = −k_2 x_2 − c_2 v_2 + f^c
//! ```
//!
//! Reference: \[Li 2019\], abstract, for coupling laws other than linear ones.

use crate::lab::assembled::{Assembly, Integration, Parts, motion_row, unit};
use crate::lab::scenario::{Bond, Card, Setup};
use crate::pair::Coupling;
use macrostep_master::predict::Edge;
use macrostep_master::{Law, RunError, System};

/// A spring that hardens, with a linear damper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HardeningSpring {
    /// k_c \[N/m\].
    pub stiffness: f64,
    /// β \[N/m³\].
    pub cubic: f64,
    /// c_c \[N·s/m\].
    pub damping: f64,
}

impl Law for HardeningSpring {
    fn outputs(&self) -> usize {
        1
    }

    fn evaluate(&self, u: &[f64], y: &mut [f64]) {
        let (x, v) = (u[0] - u[2], u[1] - u[3]);
        y[0] = self.stiffness * x + self.cubic * x * x * x + self.damping * v;
    }
}

/// The scenario.
#[derive(Debug, Clone, Copy)]
pub struct NonlinearSpring {
    m: [f64; 2],
    k: [f64; 2],
    c: [f64; 2],
    law: HardeningSpring,
}

impl Default for NonlinearSpring {
    /// Masses of 1 and 1.5 kg, a spring whose force is cubic for the larger part at the start.
    fn default() -> Self {
        let law = HardeningSpring { stiffness: 15.0, cubic: 20.0, damping: 0.5 };
        NonlinearSpring { m: [1.0, 1.5], k: [10.0, 20.0], c: [0.2, 0.3], law }
    }
}

impl NonlinearSpring {
    fn force(&self, z: &[f64]) -> f64 {
        let mut y = [0.0];
        self.law.evaluate(&[z[0], z[2], z[1], z[3]], &mut y);
        y[0]
    }
}

impl Parts for NonlinearSpring {
    fn card(&self) -> Card {
        Card {
            name: "nonlinear-spring",
            about: "two masses on a spring that hardens; the law stands in the master",
            couplings: &[Coupling::ForceForce],
            units: 2,
            motions: &["mass 1", "mass 2"],
            step_s: 2.5e-3,
            stop_s: 2.0,
            integrations: 2,
            linear: false,
        }
    }

    fn start(&self) -> Vec<f64> {
        vec![0.5, -0.6, 1.0, 0.5]
    }

    fn rates(&self, z: &[f64], dz: &mut [f64]) {
        let f = self.force(z);
        for i in 0..2 {
            let sign = [-1.0, 1.0][i];
            dz[i] = z[2 + i];
            dz[2 + i] = (-self.k[i] * z[i] - self.c[i] * z[2 + i] + sign * f) / self.m[i];
        }
    }

    fn motion(&self, i: usize, z: &[f64]) -> [f64; 3] {
        let mut dz = [0.0; 4];
        self.rates(z, &mut dz);
        [z[i], z[2 + i], dz[2 + i]]
    }

    fn assemble(&self, setup: &Setup<'_>, z: &[f64]) -> Result<Assembly, RunError> {
        let mut system = System::new();
        let mut units = Vec::new();
        for i in 0..2 {
            let (m, k, c) = (self.m[i], self.k[i], self.c[i]);
            let parameters = [("m", m), ("k", k), ("c", c), ("x0", z[i]), ("v0", z[2 + i])];
            let model = format!("oscillator{}_force", i + 1);
            let names = (model.as_str(), ["mass1", "mass2"][i]);
            units.push(system.add(unit(setup, names, &parameters, Integration::Exact)?));
        }
        let names = names_of_motion(setup);
        let motions = vec![system.channel(units[0], names)?, system.channel(units[1], names)?];
        let [a, b] = [motions[0], motions[1]];
        let inputs = [a.component(0), a.component(1), b.component(0), b.component(1)];
        let law = system.law(Box::new(self.law), &inputs);
        for &unit in &units {
            system.connect_law(law, 0, unit, "f")?;
        }
        let whole = *self;
        let rows = (0..2).map(|i| motion_row(move |z| whole.motion(i, z))).collect();
        let bonds = units.iter().map(|unit| Bond { unit: *unit, effort: "f", flow: "v" }).collect();
        Ok(Assembly { system, motions, rows, bonds })
    }
}

/// Components of a motion that a scheme needs.
pub(super) fn names_of_motion(setup: &Setup<'_>) -> &'static [&'static str] {
    match setup.scheme.method(2).predictor.edge() {
        Edge::BeforeLaw => &["x", "v", "a"],
        Edge::AfterLaw => &["x", "v"],
    }
}
