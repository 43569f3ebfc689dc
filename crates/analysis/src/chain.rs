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

use crate::assembled::{Assembly, Integration, MOTION, Motion, Parts, Row, components, linear_rates, motion_row, unit};
use crate::pair::Coupling;
use crate::scenario::{Bond, Card, Setup};
use macrostep_benchmarks::chain::{MASSES, SPRING};
use macrostep_master::predict::Edge;
use macrostep_master::{ChannelId, LinearMap, Port, RunError, SpringDamper, System, SystemError, UnitId};

/// Number of masses.
const N: usize = MASSES.len();

/// The scenario.
#[derive(Debug, Clone, Copy)]
pub struct Chain {
    m: [f64; N],
    k: [f64; N],
    c: [f64; N],
    k_c: f64,
    c_c: f64,
}

impl Default for Chain {
    /// The masses of the scenario.
    fn default() -> Self {
        let [m, k, c] = [0, 1, 2].map(|place| MASSES.map(|mass| mass[place]));
        Chain { m, k, c, k_c: SPRING[0], c_c: SPRING[1] }
    }
}

impl Chain {
    /// f between masses i and i + 1.
    fn force(&self, i: usize, z: &[f64]) -> f64 {
        self.k_c * (z[i] - z[i + 1]) + self.c_c * (z[N + i] - z[N + i + 1])
    }

    /// Feeds `input` of a mass with the force of the spring between the motions `from` and `to`: k_c (from − to) + ….
    fn spring(
        &self,
        system: &mut System,
        [from, to]: [ChannelId; 2],
        unit: UnitId,
        input: &str,
    ) -> Result<(), RunError> {
        let law = SpringDamper { stiffness: self.k_c, damping: self.c_c };
        let inputs = [from.component(0), from.component(1), to.component(0), to.component(1)];
        let law = system.law(Box::new(law), &inputs);
        Ok(system.connect_law(law, 0, unit, input)?)
    }

    /// Every spring as a power bond between its two masses.
    fn bonds(&self, system: &mut System, units: &[UnitId], owned: bool) -> Result<(), SystemError> {
        // A force acts as −f on mass 1 and as what it is called on the others; a displacement pulls through the spring.
        let (first, outer, own) = ([("f", -1.0)], [("f_ext", 1.0)], [("f", 1.0)]);
        let motion = [("xi", self.k_c), ("xi_dot", self.c_c)];
        for i in 1..N {
            let left: &[(&str, f64)] = if i == 1 { &first } else { &outer };
            let right: &[(&str, f64)] = if owned { &motion } else { &own };
            let port = |unit, inputs| Port { unit, inputs, flow: "v" };
            system.bond(&format!("spring{i}"), &[port(units[i - 1], left), port(units[i], right)])?;
        }
        Ok(())
    }
}

impl Parts for Chain {
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

    fn start(&self) -> Vec<f64> {
        [3, 4].map(|place| MASSES.map(|mass| mass[place])).concat()
    }

    fn rates(&self, z: &[f64], dz: &mut [f64]) {
        for i in 0..N {
            let left = if i > 0 { self.force(i - 1, z) } else { 0.0 };
            let right = if i + 1 < N { self.force(i, z) } else { 0.0 };
            dz[i] = z[N + i];
            dz[N + i] = (-self.k[i] * z[i] - self.c[i] * z[N + i] + left - right) / self.m[i];
        }
    }

    fn motion(&self, i: usize, z: &[f64]) -> Motion {
        let [dz, ddz] = linear_rates(|z, dz| self.rates(z, dz), z);
        [z[i], z[N + i], dz[N + i], ddz[N + i]]
    }

    fn assemble(&self, setup: &Setup<'_>, z: &[f64]) -> Result<Assembly, RunError> {
        // Where the laws of the springs stand.
        let owned = setup.scheme.coupling == Coupling::DisplacementForce;
        let in_master = setup.scheme.method(N).predictor.edge() == Edge::BeforeLaw || !owned;
        // Masses, each with its spring to the left where it owns it.
        let mut system = System::new();
        let mut units = Vec::new();
        for i in 0..N {
            let (m, k, c) = (self.m[i], self.k[i], self.c[i]);
            let mut parameters = vec![("m", m), ("k", k), ("c", c), ("x0", z[i]), ("v0", z[N + i])];
            let model = match i {
                0 => "oscillator1_force",
                _ if owned => "oscillator2_displacement",
                _ => "oscillator2_force",
            };
            if owned && i > 0 {
                parameters.extend([("k_c", self.k_c), ("c_c", self.c_c)]);
            }
            let name = format!("mass{}", i + 1);
            units.push(system.add(unit(setup, (model, &name), &parameters, Integration::Exact)?));
        }
        // Their motions, and what these are at a state of the whole.
        let names = components(setup, &MOTION);
        let motions = units.iter().map(|u| system.channel(*u, names)).collect::<Result<Vec<_>, _>>()?;
        let whole = *self;
        let mut rows: Vec<Row> = (0..N).map(|i| motion_row(move |z| whole.motion(i, z))).collect();
        for i in 1..N {
            // The left spring acts with +f_{i−1} on mass i.
            let (left, own) = (motions[i - 1], motions[i]);
            if owned {
                system.connect(left.component(0), units[i], "xi")?;
                system.connect(left.component(1), units[i], "xi_dot")?;
            } else {
                self.spring(&mut system, [left, own], units[i], "f")?;
            }
            // On its neighbour it acts with −f_{i−1}: mass 1 takes it as `f`, the others as an external force.
            match (in_master, i) {
                (true, 1) => self.spring(&mut system, [left, own], units[0], "f")?,
                (true, _) => self.spring(&mut system, [own, left], units[i - 1], "f_ext")?,
                (false, _) => {
                    let force = system.channel(units[i], &["f_c"])?;
                    rows.push(Box::new(move |z, row| row[0] = whole.force(i - 1, z)));
                    if i == 1 {
                        system.connect(force.component(0), units[0], "f")?;
                    } else if let Some(minus) = LinearMap::new(1, vec![-1.0]) {
                        let law = system.law(Box::new(minus), &[force.component(0)]);
                        system.connect_law(law, 0, units[i - 1], "f_ext")?;
                    }
                }
            }
        }
        // Power bonds, which some schemes need, and what is told of each connection.
        if setup.scheme.weighs_energy() {
            self.bonds(&mut system, &units, owned)?;
        }
        let force = |i: usize| if owned && i > 0 { "f_c" } else { "f" };
        let bonds = (0..N).map(|i| Bond::new(units[i], force(i), "v")).collect();
        Ok(Assembly { system, motions, rows, bonds })
    }
}
