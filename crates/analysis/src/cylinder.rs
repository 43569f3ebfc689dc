//! A plunger cylinder and its load: pressure against motion, two sides of different kind.
//!
//! ```text
//! ṗ = K (G (p_s − p) − A v)/(V_0 + A x)          cylinder, driven by the motion of the load (D)
//! m a = −k x − c v + A p                         load, driven by the force of the plunger (F)
//! ```
//!
//! The pressure with both its rates is a motion like another: integrated acceleration extrapolates p̈. Not linear, the volume
//! of oil doubles on the way.

use crate::assembled::{MOTION, Motion, Part, Whole};
use crate::pair::Coupling;
use crate::scenario::Card;
use macrostep_benchmarks::cylinder::{LOAD, OIL, PRESSURE_PA, cylinder};
use macrostep_system::Scenario;

/// The scenario.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cylinder;

impl Whole for Cylinder {
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

    fn scenario(&self, _: Coupling) -> Scenario {
        cylinder()
    }

    fn parts(&self, _: Coupling) -> Vec<Part> {
        let pressure = ["p", "dp", "ddp", "dddp"];
        vec![
            Part { motion: pressure, starts: vec![("p0", 0)], effort: "f", flow: "v" },
            Part { motion: MOTION, starts: vec![("x0", 1), ("v0", 2)], effort: "f", flow: "v" },
        ]
    }

    /// p, x, v.
    fn start(&self) -> Vec<f64> {
        vec![PRESSURE_PA, 0.0, 0.0]
    }

    fn rates(&self, z: &[f64], dz: &mut [f64]) {
        let ([area, v0, bulk, conductance, supply], [m, c, k]) = (OIL, LOAD);
        let flow = conductance * (supply - z[0]) - area * z[2];
        dz[0] = bulk * flow / (v0 + area * z[1]);
        dz[1] = z[2];
        dz[2] = (-k * z[1] - c * z[2] + area * z[0]) / m;
    }

    fn motion(&self, i: usize, z: &[f64]) -> Motion {
        let ([a, v0, bulk, conductance, _], [m, c, k]) = (OIL, LOAD);
        let mut dz = [0.0; 3];
        self.rates(z, &mut dz);
        let jerk = (-k * z[2] - c * dz[2] + a * dz[0]) / m;
        if i == 1 {
            return [z[1], z[2], dz[2], jerk];
        }
        // (V p')' = V p'' + A v p' = K F', and once more, with F the flow into the cylinder.
        let volume = v0 + a * z[1];
        let flow_rate = -conductance * dz[0] - a * dz[2];
        let ddp = (bulk * flow_rate - dz[0] * a * z[2]) / volume;
        let flow_rate_2 = -conductance * ddp - a * jerk;
        let dddp = (bulk * flow_rate_2 - 2.0 * a * z[2] * ddp - a * dz[2] * dz[0]) / volume;
        [z[0], dz[0], ddp, dddp]
    }
}
