//! Two masses on a spring that hardens, cut on either side of it: the law stands in the master, or in the mass that owns it.
//!
//! ```text
//! f^c = k_c Δx + β Δx³ + c_c Δv,   Δx = x_1 − x_2,  Δv = v_1 − v_2
//! m_1 a_1 = −k_1 x_1 − c_1 v_1 − f^c,   m_2 a_2 = −k_2 x_2 − c_2 v_2 + f^c
//! ```
//!
//! Reference: \[Li 2019\], abstract, for coupling laws other than linear ones.

use crate::assembled::{Assembly, Integration, MOTION, Motion, Parts, Row, components, motion_row, unit};
use crate::pair::{Coupling, Kind};
use crate::scenario::{Bond, Card, Setup, no_bond};
use macrostep_benchmarks::spring::{MASSES, MICRO_S, SPRING};
use macrostep_master::predict::Edge;
use macrostep_master::{Law, Port, RunError, System, UnitId};

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

impl HardeningSpring {
    /// ḟ^c of two motions.
    fn rate(&self, [a, b]: [[f64; 3]; 2]) -> f64 {
        let [x, v, acceleration] = [0, 1, 2].map(|n| a[n] - b[n]);
        (self.stiffness + 3.0 * self.cubic * x * x) * v + self.damping * acceleration
    }
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
    /// Masses and spring of the scenario.
    fn default() -> Self {
        let [stiffness, cubic, damping] = SPRING;
        let [m, k, c] = [0, 1, 2].map(|place| MASSES.map(|mass| mass[place]));
        NonlinearSpring { m, k, c, law: HardeningSpring { stiffness, cubic, damping } }
    }
}

/// Sign of f^c on either mass.
const SIGN: [f64; 2] = [-1.0, 1.0];

impl NonlinearSpring {
    fn force(&self, z: &[f64]) -> f64 {
        let mut y = [0.0];
        self.law.evaluate(&[z[0], z[2], z[1], z[3]], &mut y);
        y[0]
    }

    /// A mass that starts at `z`; it owns the spring where it is driven by a displacement.
    fn mass(&self, setup: &Setup<'_>, i: usize, z: &[f64]) -> Result<Box<dyn macrostep_master::unit::Unit>, RunError> {
        let (m, k, c, name) = (self.m[i], self.k[i], self.c[i], ["mass1", "mass2"][i]);
        let mut parameters = vec![("m", m), ("k", k), ("c", c), ("x0", z[i]), ("v0", z[2 + i])];
        if setup.scheme.coupling.kinds()[i] == Kind::Force {
            let model = format!("oscillator{}_force", i + 1);
            return unit(setup, (&model, name), &parameters, Integration::Exact);
        }
        let HardeningSpring { stiffness, cubic, damping } = self.law;
        parameters.extend([("k_c", stiffness), ("k_3", cubic), ("c_c", damping)]);
        let model = format!("oscillator{}_hardening", i + 1);
        unit(setup, (&model, name), &parameters, Integration::RungeKutta(MICRO_S))
    }

    /// The spring as a power bond.
    fn bond(&self, system: &mut System, units: &[UnitId], coupling: Coupling) -> Result<(), RunError> {
        if coupling != Coupling::ForceForce {
            let why = "the effort of a displacement on a hardening spring is not a constant times the displacement";
            return Err(no_bond(&Parts::card(self), coupling, why));
        }
        let inputs = SIGN.map(|sign| [("f", sign)]);
        let port = |i: usize| Port { unit: units[i], inputs: &inputs[i], flow: "v" };
        Ok(system.bond("spring", &[port(0), port(1)])?)
    }
}

impl Parts for NonlinearSpring {
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

    fn start(&self) -> Vec<f64> {
        [3, 4].map(|place| MASSES.map(|mass| mass[place])).concat()
    }

    fn rates(&self, z: &[f64], dz: &mut [f64]) {
        let f = self.force(z);
        for i in 0..2 {
            dz[i] = z[2 + i];
            dz[2 + i] = (-self.k[i] * z[i] - self.c[i] * z[2 + i] + SIGN[i] * f) / self.m[i];
        }
    }

    fn motion(&self, i: usize, z: &[f64]) -> Motion {
        let mut dz = [0.0; 4];
        self.rates(z, &mut dz);
        let force_rate = self.law.rate([0, 1].map(|i| [z[i], z[2 + i], dz[2 + i]]));
        let jerk = (-self.k[i] * z[2 + i] - self.c[i] * dz[2 + i] + SIGN[i] * force_rate) / self.m[i];
        [z[i], z[2 + i], dz[2 + i], jerk]
    }

    fn assemble(&self, setup: &Setup<'_>, z: &[f64]) -> Result<Assembly, RunError> {
        // Where the law of the spring stands.
        let predicted = setup.scheme.method(2).predictor.edge() == Edge::BeforeLaw;
        let kinds = setup.scheme.coupling.kinds();
        // Masses and their motions, and what these are at a state of the whole.
        let mut system = System::new();
        let mut units = Vec::new();
        for i in 0..2 {
            units.push(system.add(self.mass(setup, i, z)?));
        }
        let names = components(setup, &MOTION);
        let motions = vec![system.channel(units[0], names)?, system.channel(units[1], names)?];
        let [a, b] = [motions[0], motions[1]];
        let whole = *self;
        let mut rows: Vec<Row> = (0..2).map(|i| motion_row(move |z| whole.motion(i, z))).collect();
        // An owner of the spring gets the other's motion; the other one gets its force, from the owner or from a law.
        let mut law = None;
        for i in 0..2 {
            let other = motions[1 - i];
            if kinds[i] == Kind::Displacement {
                system.connect(other.component(0), units[i], "xi")?;
                system.connect(other.component(1), units[i], "xi_dot")?;
            } else if kinds[1 - i] == Kind::Displacement && !predicted {
                let force = system.channel(units[1 - i], &["f_c"])?;
                rows.push(Box::new(move |z, row| row[0] = whole.force(z)));
                system.connect(force.component(0), units[i], "f")?;
            } else {
                let inputs = [a.component(0), a.component(1), b.component(0), b.component(1)];
                let law = *law.get_or_insert_with(|| system.law(Box::new(self.law), &inputs));
                system.connect_law(law, 0, units[i], "f")?;
            }
        }
        // The power bond of the spring, which some schemes need.
        if setup.scheme.weighs_energy() {
            self.bond(&mut system, &units, setup.scheme.coupling)?;
        }
        // What is told of the connection at each mass.
        let effort = |i: usize| if kinds[i] == Kind::Displacement { "f_c" } else { "f" };
        let bonds = (0..2).map(|i| Bond::new(units[i], effort(i), "v")).collect();
        Ok(Assembly { system, motions, rows, bonds })
    }
}
