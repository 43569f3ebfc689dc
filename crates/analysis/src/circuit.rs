//! Two meshes of a circuit with a shunt branch in common: charge and current in the place of displacement and velocity.
//!
//! ```text
//! u_s = (q_1 − q_2)/C_s + R_s (i_1 − i_2)
//! L_1 di_1/dt = −R_1 i_1 − q_1/C_1 − u_s,   L_2 di_2/dt = −R_2 i_2 − q_2/C_2 + u_s
//! ```
//!
//! A mesh is driven by the voltage of the shunt (F) or owns the shunt and is driven by the other's current (D).

use crate::assembled::{Assembly, Integration, Motion, Parts, Row, components, linear_rates, motion_row, unit};
use crate::pair::{Coupling, Kind};
use crate::scenario::{Bond, Card, Setup};
use macrostep_benchmarks::circuit::{MESHES, SHUNT};
use macrostep_master::predict::Edge;
use macrostep_master::{Port, RunError, SpringDamper, System};

/// The scenario.
#[derive(Debug, Clone, Copy)]
pub struct Circuit {
    /// L \[H\].
    l: [f64; 2],
    /// R \[Ω\].
    r: [f64; 2],
    /// C \[F\].
    c: [f64; 2],
    /// C_s \[F\].
    c_s: f64,
    /// R_s \[Ω\].
    r_s: f64,
}

impl Default for Circuit {
    /// The meshes of the scenario.
    fn default() -> Self {
        let [l, r, c] = [0, 1, 2].map(|place| MESHES.map(|mesh| mesh[place]));
        Circuit { l, r, c, c_s: SHUNT[0], r_s: SHUNT[1] }
    }
}

impl Circuit {
    /// Voltage of the shunt in the sense of mesh `i`.
    fn shunt(&self, i: usize, z: &[f64]) -> f64 {
        let o = 1 - i;
        (z[i] - z[o]) / self.c_s + self.r_s * (z[2 + i] - z[2 + o])
    }
}

impl Parts for Circuit {
    fn card(&self) -> Card {
        Card {
            name: "circuit",
            couplings: &Coupling::ALL,
            units: 2,
            motions: &["mesh 1", "mesh 2"],
            step_s: 1e-6,
            stop_s: 4e-4,
            integrations: 2,
            linear: true,
        }
    }

    fn start(&self) -> Vec<f64> {
        [3, 4].map(|place| MESHES.map(|mesh| mesh[place])).concat()
    }

    fn rates(&self, z: &[f64], dz: &mut [f64]) {
        for i in 0..2 {
            dz[i] = z[2 + i];
            dz[2 + i] = (-self.r[i] * z[2 + i] - z[i] / self.c[i] - self.shunt(i, z)) / self.l[i];
        }
    }

    fn motion(&self, i: usize, z: &[f64]) -> Motion {
        let [dz, ddz] = linear_rates(|z, dz| self.rates(z, dz), z);
        [z[i], z[2 + i], dz[2 + i], ddz[2 + i]]
    }

    fn assemble(&self, setup: &Setup<'_>, z: &[f64]) -> Result<Assembly, RunError> {
        // Where the law of the shunt stands.
        let predicted = setup.scheme.method(2).predictor.edge() == Edge::BeforeLaw;
        let kinds = setup.scheme.coupling.kinds();
        // Meshes, one of them with the shunt where it owns it.
        let mut system = System::new();
        let mut units = Vec::new();
        for i in 0..2 {
            let mut parameters =
                vec![("L", self.l[i]), ("R", self.r[i]), ("C", self.c[i]), ("q0", z[i]), ("i0", z[2 + i])];
            let owner = kinds[i] == Kind::Displacement;
            if owner {
                parameters.extend([("C_s", self.c_s), ("R_s", self.r_s)]);
            }
            let names = (["circuit_mesh", "circuit_mesh_shunt"][usize::from(owner)], ["mesh1", "mesh2"][i]);
            units.push(system.add(unit(setup, names, &parameters, Integration::Exact)?));
        }
        // Their motions, and what these are at a state of the whole.
        let names = components(setup, &["q", "i", "di", "ddi"]);
        let motions = vec![system.channel(units[0], names)?, system.channel(units[1], names)?];
        let whole = *self;
        let mut rows: Vec<Row> = (0..2).map(|i| motion_row(move |z| whole.motion(i, z))).collect();
        // An owner of the shunt gets the other's motion; the other one gets its voltage, from the owner or from a law.
        for i in 0..2 {
            let (own, other) = (motions[i], motions[1 - i]);
            if kinds[i] == Kind::Displacement {
                system.connect(other.component(0), units[i], "q_o")?;
                system.connect(other.component(1), units[i], "i_o")?;
            } else if kinds[1 - i] == Kind::Displacement && !predicted {
                let voltage = system.channel(units[1 - i], &["u_s"])?;
                rows.push(Box::new(move |z, row| row[0] = whole.shunt(1 - i, z)));
                system.connect(voltage.component(0), units[i], "u")?;
            } else {
                let shunt = SpringDamper { stiffness: 1.0 / self.c_s, damping: self.r_s };
                let inputs = [other.component(0), other.component(1), own.component(0), own.component(1)];
                let law = system.law(Box::new(shunt), &inputs);
                system.connect_law(law, 0, units[i], "u")?;
            }
        }
        // The power bond of the shunt, which some schemes need.
        if setup.scheme.weighs_energy() {
            let (driven, owner) = ([("u", 1.0)], [("q_o", 1.0 / self.c_s), ("i_o", self.r_s)]);
            let port = |i: usize| Port {
                unit: units[i],
                inputs: if kinds[i] == Kind::Displacement { &owner } else { &driven },
                flow: "i",
            };
            system.bond("shunt", &[port(0), port(1)])?;
        }
        // What is told of the connection at each mesh.
        let voltage = |i: usize| if kinds[i] == Kind::Displacement { "u_s" } else { "u" };
        let bonds = (0..2).map(|i| Bond::new(units[i], voltage(i), "i")).collect();
        Ok(Assembly { system, motions, rows, bonds })
    }
}
