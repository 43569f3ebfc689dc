//! A plunger cylinder and its load: pressure against motion, two sides of different kind.
//!
//! ```text
//! ṗ = K (G (p_s − p) − A v)/(V_0 + A x)          cylinder, driven by the motion of the load (D)
//! m a = −k x − c v + A p                         load, driven by the force of the plunger (F)
//! ```
//!
//! The pressure with both its rates is a motion like another: integrated acceleration extrapolates p̈. Not linear, the volume
//! of oil doubles on the way.

use crate::oscillator::{Integrator, integrate};
use crate::parts::{record, rest, system, times, unit, wire};
use macrostep_system::scenario::{Connection, Scenario};

/// A \[m²\], V_0 \[m³\], K \[Pa\], G \[m³/(s·Pa)\], p_s \[Pa\]: an oil spring of 50 Hz below the load.
pub const OIL: [f64; 5] = [1e-3, 1e-4, 1e9, 1e-11, 1e7];
/// Load: m \[kg\], c \[N·s/m\], k \[N/m\].
pub const LOAD: [f64; 3] = [100.0, 2000.0, 1e5];
/// p(0) \[Pa\]; the load is at rest.
pub const PRESSURE_PA: f64 = 2e6;
/// Micro step of the cylinder \[s\]: its own error, of order 4, lies below 1e-11 of the amplitudes.
const MICRO_S: f64 = 1e-5;

/// 100 kg on an oil spring of 50 Hz. The power through the piston is no constant times an input: there is no bond.
pub fn cylinder() -> Scenario {
    let mut s = system("cylinder", "hydraulic cylinder that moves a load", times(1e-4, 0.2));
    let ([area, v0, bulk, conductance, supply], [m, c, k]) = (OIL, LOAD);
    let oil = [("area", area), ("V0", v0), ("bulk", bulk), ("G", conductance), ("p_s", supply), ("p0", PRESSURE_PA)];
    let mut cylinder = unit("cylinder", "plunger_cylinder", &oil);
    integrate(&mut cylinder, Integrator::RungeKutta4, Some(MICRO_S));
    let parameters = [("m", m), ("k", k), ("c", c), ("x0", 0.0), ("v0", 0.0)];
    let mut load = unit("load", "oscillator2_force", &parameters);
    integrate(&mut load, Integrator::Exact, None);
    rest(&mut load, &["f_ext"]);
    s.units = vec![cylinder, load];
    s.connections = ["x", "v", "a"].map(|v| wire(&format!("cylinder.{v}"), &format!("load.{v}"))).to_vec();
    // Pressure times area is a force: the units of measurement differ.
    s.connections.push(Connection { factor: area, converts: false, ..wire("load.f", "cylinder.p") });
    s.record = record(&["cylinder.p", "cylinder.dp", "load.x", "load.v"]);
    s
}
