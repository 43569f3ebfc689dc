//! A plunger cylinder and its load: pressure against motion, two sides of different kind.
//!
//! ```text
//! ṗ = K (G (p_s − p) − A v)/(V_0 + A x)          cylinder, driven by the motion of the load (D)
//! m a = −k x − c v + A p                         load, driven by the force of the plunger (F)
//! ```
//!
//! The pressure with both its rates is a motion like another: integrated acceleration extrapolates p̈. Not linear, the volume
//! of oil doubles on the way.

use crate::assembled::{Assembly, Integration, MOTION, Motion, Parts, motion_row, unit};
use crate::pair::Coupling;
use crate::scenario::{Bond, Card, Setup, no_bond};
use macrostep_master::{LinearMap, RunError, System};

/// The scenario.
#[derive(Debug, Clone, Copy)]
pub struct Cylinder {
    /// A \[m²\].
    area: f64,
    /// V_0 \[m³\].
    v0: f64,
    /// K \[Pa\].
    bulk: f64,
    /// G \[m³/(s·Pa)\].
    conductance: f64,
    /// p_s \[Pa\].
    supply: f64,
    /// Load: m \[kg\], c \[N·s/m\], k \[N/m\].
    load: [f64; 3],
}

impl Default for Cylinder {
    /// 100 kg on an oil spring of 50 Hz.
    fn default() -> Self {
        Cylinder { area: 1e-3, v0: 1e-4, bulk: 1e9, conductance: 1e-11, supply: 1e7, load: [100.0, 2000.0, 1e5] }
    }
}

/// Micro step of the cylinder \[s\]: its own error, of order 4, lies below 1e-11 of the amplitudes.
const MICRO_S: f64 = 1e-5;

impl Parts for Cylinder {
    fn card(&self) -> Card {
        Card {
            name: "cylinder",
            couplings: &[Coupling::ForceDisplacement],
            units: 2,
            motions: &["pressure", "load"],
            step_s: 1e-4,
            stop_s: 0.2,
            integrations: 1,
            linear: false,
        }
    }

    /// p, x, v.
    fn start(&self) -> Vec<f64> {
        vec![2e6, 0.0, 0.0]
    }

    fn rates(&self, z: &[f64], dz: &mut [f64]) {
        let [m, c, k] = self.load;
        let flow = self.conductance * (self.supply - z[0]) - self.area * z[2];
        dz[0] = self.bulk * flow / (self.v0 + self.area * z[1]);
        dz[1] = z[2];
        dz[2] = (-k * z[1] - c * z[2] + self.area * z[0]) / m;
    }

    fn motion(&self, i: usize, z: &[f64]) -> Motion {
        let [m, c, k] = self.load;
        let mut dz = [0.0; 3];
        self.rates(z, &mut dz);
        let jerk = (-k * z[2] - c * dz[2] + self.area * dz[0]) / m;
        if i == 1 {
            return [z[1], z[2], dz[2], jerk];
        }
        // (V p')' = V p'' + A v p' = K F', and once more, with F the flow into the cylinder.
        let (volume, a) = (self.v0 + self.area * z[1], self.area);
        let flow_rate = -self.conductance * dz[0] - a * dz[2];
        let ddp = (self.bulk * flow_rate - dz[0] * a * z[2]) / volume;
        let flow_rate_2 = -self.conductance * ddp - a * jerk;
        let dddp = (self.bulk * flow_rate_2 - 2.0 * a * z[2] * ddp - a * dz[2] * dz[0]) / volume;
        [z[0], dz[0], ddp, dddp]
    }

    fn assemble(&self, setup: &Setup<'_>, z: &[f64]) -> Result<Assembly, RunError> {
        if setup.scheme.weighs_energy() {
            let why = "the power through its piston is not a constant times an input";
            return Err(no_bond(&Parts::card(self), setup.scheme.coupling, why));
        }
        let mut system = System::new();
        let [m, c, k] = self.load;
        let oil = [
            ("area", self.area),
            ("V0", self.v0),
            ("bulk", self.bulk),
            ("G", self.conductance),
            ("p_s", self.supply),
            ("p0", z[0]),
        ];
        let micro = Integration::RungeKutta(MICRO_S);
        let cylinder = system.add(unit(setup, ("plunger_cylinder", "cylinder"), &oil, micro)?);
        let load = [("m", m), ("k", k), ("c", c), ("x0", z[1]), ("v0", z[2])];
        let load = system.add(unit(setup, ("oscillator2_force", "load"), &load, Integration::Exact)?);
        // The cylinder wants the load's acceleration, whatever the predictor looks at.
        let wanted = setup.scheme.method(2).predictor.components().clamp(3, 4);
        let pressure = system.channel(cylinder, &["p", "dp", "ddp", "dddp"][..wanted])?;
        let motion = system.channel(load, &MOTION[..wanted])?;
        for (i, input) in ["x", "v", "a"].into_iter().enumerate() {
            system.connect(motion.component(i), cylinder, input)?;
        }
        if let Some(area) = LinearMap::new(1, vec![self.area]) {
            let law = system.law(Box::new(area), &[pressure.component(0)]);
            system.connect_law(law, 0, load, "f")?;
        }
        let whole = *self;
        let rows = (0..2).map(|i| motion_row(move |z| whole.motion(i, z))).collect();
        let bonds = [cylinder, load].map(|unit| Bond::new(unit, "f", "v")).to_vec();
        Ok(Assembly { system, motions: vec![pressure, motion], rows, bonds })
    }
}
