//! Two meshes of a circuit with a shunt branch in common: charge and current in the place of displacement and velocity.
//!
//! ```text
//! u_s = (q_1 − q_2)/C_s + R_s (i_1 − i_2)
//! L_1 di_1/dt = −R_1 i_1 − q_1/C_1 − u_s,   L_2 di_2/dt = −R_2 i_2 − q_2/C_2 + u_s
//! ```
//!
//! A mesh is driven by the voltage of the shunt (F) or owns the shunt and is driven by the other's current (D).

use crate::oscillator::{Coupling, Integrator, Kind, integrate};
use crate::parts::{bond, obeying, port, record, spring, system, times, unit, wire};
use macrostep_system::scenario::Scenario;

/// L \[H\], R \[Ω\], C \[F\], q(0) \[C\], i(0) \[A\] of either mesh: natural frequencies of some 5 and 10 kHz.
pub const MESHES: [[f64; 5]; 2] = [[1e-3, 2.0, 1e-6, 1e-6, 0.02], [1.5e-3, 3.0, 5e-7, -2e-6, 0.01]];
/// C_s \[F\], R_s \[Ω\].
pub const SHUNT: [f64; 2] = [7e-7, 5.0];

/// The circuit in one of the four cuts.
pub fn circuit(coupling: Coupling) -> Scenario {
    meshes(coupling, &MESHES, SHUNT)
}

/// The same with other values, as [`MESHES`] and [`SHUNT`] have them.
pub fn meshes(coupling: Coupling, meshes: &[[f64; 5]; 2], shunt: [f64; 2]) -> Scenario {
    let mut s = system("circuit", "two meshes of an RLC circuit with a shunt in common", times(1e-6, 4e-4));
    let kinds = coupling.kinds();
    let mut ports = Vec::new();
    for i in 0..2 {
        // A mesh that owns the shunt has its parameters, too.
        let [l, r, c, q0, i0] = meshes[i];
        let mut parameters = vec![("L", l), ("R", r), ("C", c), ("q0", q0), ("i0", i0)];
        let owner = kinds[i] == Kind::Displacement;
        if owner {
            parameters.extend([("C_s", shunt[0]), ("R_s", shunt[1])]);
        }
        let (own, other) = (format!("mesh{}", i + 1), format!("mesh{}", 2 - i));
        let mut mesh = unit(&own, if owner { "circuit_mesh_shunt" } else { "circuit_mesh" }, &parameters);
        integrate(&mut mesh, Integrator::Exact, None);
        s.units.push(mesh);
        // What drives the mesh: the other's motion, or the voltage.
        let (law, voltage) = (format!("shunt{}", i + 1), format!("{own}.u"));
        let flow = format!("{own}.i");
        if owner {
            s.connections.push(wire(&format!("{own}.q_o"), &format!("{other}.q")));
            s.connections.push(wire(&format!("{own}.i_o"), &format!("{other}.i")));
            ports.push(port(&flow, &[("q_o", 1.0 / shunt[0]), ("i_o", shunt[1])]));
            continue;
        }
        // The voltage in the sense of this mesh: that of the other's motion against its own.
        let inputs = [(&other, "q"), (&other, "i"), (&own, "q"), (&own, "i")].map(|(m, v)| format!("{m}.{v}"));
        s.laws.push(spring(&law, [1.0 / shunt[0], shunt[1]], inputs.each_ref().map(String::as_str)));
        s.connections.push(match kinds[1 - i] {
            Kind::Displacement => obeying(&voltage, &format!("{other}.u_s"), &law),
            Kind::Force => wire(&voltage, &format!("{law}.f")),
        });
        ports.push(port(&flow, &[("u", 1.0)]));
    }
    s.bonds.push(bond("shunt", ports));
    s.record = record(&["mesh*.q", "mesh*.i"]);
    s
}
