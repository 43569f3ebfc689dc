//! Two meshes of a circuit with a shunt branch in common: charge and current in the place of displacement and velocity.
//!
//! ```text
//! u_s = (q_1 − q_2)/C_s + R_s (i_1 − i_2)
//! L_1 di_1/dt = −R_1 i_1 − q_1/C_1 − u_s,   L_2 di_2/dt = −R_2 i_2 − q_2/C_2 + u_s
//! ```
//!
//! A mesh is driven by the voltage of the shunt (F) or owns the shunt and is driven by the other's current (D).

use crate::assembled::{Motion, Part, Whole, linear_rates};
use crate::pair::{Coupling, Kind};
use crate::scenario::Card;
use macrostep_benchmarks::circuit::{MESHES, SHUNT, meshes};
use macrostep_system::Scenario;

/// The circuit of [`mod@macrostep_benchmarks::circuit`].
#[derive(Debug, Clone, Copy)]
pub struct Circuit {
    /// As [`MESHES`].
    pub meshes: [[f64; 5]; 2],
    /// As [`SHUNT`].
    pub shunt: [f64; 2],
}

impl Default for Circuit {
    fn default() -> Self {
        Circuit { meshes: MESHES, shunt: SHUNT }
    }
}

impl Circuit {
    /// Voltage of the shunt in the sense of mesh `i`.
    fn shunt(&self, i: usize, z: &[f64]) -> f64 {
        let o = 1 - i;
        (z[i] - z[o]) / self.shunt[0] + self.shunt[1] * (z[2 + i] - z[2 + o])
    }
}

impl Whole for Circuit {
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

    fn scenario(&self, coupling: Coupling) -> Scenario {
        meshes(coupling, &self.meshes, self.shunt)
    }

    fn parts(&self, coupling: Coupling) -> Vec<Part> {
        let voltage = |kind| if kind == Kind::Displacement { "u_s" } else { "u" };
        let mesh = |i: usize, kind| Part {
            motion: ["q", "i", "di", "ddi"],
            starts: vec![("q0", i), ("i0", 2 + i)],
            effort: voltage(kind),
            flow: "i",
        };
        coupling.kinds().into_iter().enumerate().map(|(i, kind)| mesh(i, kind)).collect()
    }

    fn energy(&self, z: &[f64]) -> f64 {
        let own = |i: usize| 0.5 * (self.meshes[i][0] * z[2 + i] * z[2 + i] + z[i] * z[i] / self.meshes[i][2]);
        own(0) + own(1) + 0.5 * (z[0] - z[1]).powi(2) / self.shunt[0]
    }

    fn start(&self) -> Vec<f64> {
        [3, 4].map(|place| self.meshes.map(|mesh| mesh[place])).concat()
    }

    fn rates(&self, z: &[f64], dz: &mut [f64]) {
        for i in 0..2 {
            let [l, r, c, ..] = self.meshes[i];
            dz[i] = z[2 + i];
            dz[2 + i] = (-r * z[2 + i] - z[i] / c - self.shunt(i, z)) / l;
        }
    }

    fn motion(&self, i: usize, z: &[f64]) -> Motion {
        let [dz, ddz] = linear_rates(|z, dz| self.rates(z, dz), z);
        [z[i], z[2 + i], dz[2 + i], ddz[2 + i]]
    }

    fn effort(&self, i: usize, z: &[f64]) -> f64 {
        self.shunt(i, z)
    }
}
