//! Two masses on a hardening spring: the law is in the master, or in the mass that owns the spring.
//!
//! ```text
//! f^c = k_c Δx + β Δx³ + c_c Δv,   Δx = x_1 − x_2,  Δv = v_1 − v_2
//! m_1 a_1 = −k_1 x_1 − c_1 v_1 − f^c,   m_2 a_2 = −k_2 x_2 − c_2 v_2 + f^c
//! ```
//!
//! Reference: \[Li 2019\], abstract, for coupling laws other than linear ones.

use crate::oscillator::{Coupling, Integrator, Kind, integrate};
use crate::parts::{bond, law, obeying, port, record, rest, system, times, unit, wire};
use macrostep_system::scenario::{LawKind, Scenario, Unit};

/// m \[kg\], k \[N/m\], c \[N·s/m\], x(0) \[m\], v(0) \[m/s\] of either mass.
pub const MASSES: [[f64; 5]; 2] = [[1.0, 10.0, 0.2, 0.5, 1.0], [1.5, 20.0, 0.3, -0.6, 0.5]];
/// k_c \[N/m\], β \[N/m³\], c_c \[N·s/m\]: at the start the force is cubic for the larger part.
pub const SPRING: [f64; 3] = [15.0, 20.0, 0.5];
/// Micro step of a mass that owns the spring \[s\]: its own error, of order 4, lies below 1e-12 of the amplitudes.
pub const MICRO_S: f64 = 2.5e-4;

/// The system in one of the four cuts.
pub fn nonlinear_spring(coupling: Coupling) -> Scenario {
    masses(coupling, &MASSES, SPRING)
}

/// The same with other values, as [`MASSES`] and [`SPRING`] have them.
pub fn masses(coupling: Coupling, masses: &[[f64; 5]; 2], spring: [f64; 3]) -> Scenario {
    let description = "two masses on a spring that hardens";
    let mut s = system("nonlinear spring", description, times(2.5e-3, 2.0));
    let kinds = coupling.kinds();
    // Each mass is driven by the other's motion or by the force.
    for i in 0..2 {
        s.units.push(mass(i, kinds[i], &masses[i], spring));
        let input = |name: &str| format!("mass{}.{name}", i + 1);
        let other = |name: &str| format!("mass{}.{name}", 2 - i);
        match (kinds[i], kinds[1 - i]) {
            (Kind::Displacement, _) => {
                s.connections.extend([wire(&input("xi"), &other("x")), wire(&input("xi_dot"), &other("v"))])
            }
            (Kind::Force, Kind::Displacement) => s.connections.push(obeying(&input("f"), &other("f_c"), "spring")),
            (Kind::Force, Kind::Force) => s.connections.push(wire(&input("f"), "spring.f")),
        }
    }
    // The law stands in the master where a mass is driven by force.
    if kinds != [Kind::Displacement; 2] {
        let [k, cubic, damping] = spring;
        let kind = LawKind::NonlinearSpring { coefficients: vec![k, 0.0, cubic], damping };
        s.laws.push(law("spring", kind, ["mass1.x", "mass1.v", "mass2.x", "mass2.v"]));
    }
    // The effort of a displacement on a spring that hardens is no constant times it: that has no bond.
    if kinds == [Kind::Force; 2] {
        s.bonds.push(bond("spring", vec![port("mass1.v", &[("f", -1.0)]), port("mass2.v", &[("f", 1.0)])]));
    }
    s.record = record(&["mass*.x", "mass*.v"]);
    s
}

fn mass(i: usize, kind: Kind, &[m, k, c, x0, v0]: &[f64; 5], spring: [f64; 3]) -> Unit {
    let mut parameters = vec![("m", m), ("k", k), ("c", c), ("x0", x0), ("v0", v0)];
    let name = format!("mass{}", i + 1);
    if kind == Kind::Force {
        let mut mass = unit(&name, &format!("oscillator{}_force", i + 1), &parameters);
        integrate(&mut mass, Integrator::Exact, None);
        rest(&mut mass, &["f_ext"]);
        return mass;
    }
    let [stiffness, cubic, damping] = spring;
    parameters.extend([("k_c", stiffness), ("k_3", cubic), ("c_c", damping)]);
    let mut mass = unit(&name, &format!("oscillator{}_hardening", i + 1), &parameters);
    integrate(&mut mass, Integrator::RungeKutta4, Some(MICRO_S));
    rest(&mut mass, &["f_ext"]);
    mass
}
