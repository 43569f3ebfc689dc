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

use crate::oscillator::{Coupling, Integrator, integrate};
use crate::parts::{bond, obeying, port, record, rest, spring, system, times, unit, wire};
use macrostep_system::scenario::{Connection, Gain, Scenario};

/// m \[kg\], k \[N/m\], c \[N·s/m\], x(0) \[m\], v(0) \[m/s\] of each mass.
pub const MASSES: [[f64; 5]; 5] = [
    [1.0, 10.0, 0.2, 0.1, 1.0],
    [1.5, 5.0, 0.1, -0.2, 0.5],
    [0.8, 0.0, 0.0, 0.15, -0.4],
    [1.2, 5.0, 0.1, 0.05, 0.8],
    [2.0, 20.0, 0.3, -0.1, -0.6],
];
/// k_c \[N/m\], c_c \[N·s/m\].
pub const SPRING: [f64; 2] = [15.0, 0.5];

/// The chain; every cut but s-f has the springs in the master.
pub fn chain(coupling: Coupling) -> Scenario {
    row(coupling, &MASSES, &[SPRING; MASSES.len() - 1])
}

/// Masses in a row, two or more, and the springs between them, one fewer.
pub fn row(coupling: Coupling, masses: &[[f64; 5]], springs: &[[f64; 2]]) -> Scenario {
    let owned = coupling == Coupling::DisplacementForce;
    let mut s = system("chain", "five masses in a row", times(1e-2, 2.0));
    // Where units own springs, the first mass owns none: its spring belongs to its neighbour.
    for (i, &[m, k, c, x0, v0]) in masses.iter().enumerate() {
        let mut parameters = vec![("m", m), ("k", k), ("c", c), ("x0", x0), ("v0", v0)];
        let model = match i {
            0 => "oscillator1_force",
            _ if owned => "oscillator2_displacement",
            _ => "oscillator2_force",
        };
        if owned && i > 0 {
            parameters.extend([("k_c", springs[i - 1][0]), ("c_c", springs[i - 1][1])]);
        }
        let mut mass = unit(&format!("mass{}", i + 1), model, &parameters);
        // Exact steps; the outer masses have an external force that stays zero.
        integrate(&mut mass, Integrator::Exact, None);
        if i == 0 || i + 1 == masses.len() {
            rest(&mut mass, &["f_ext"]);
        }
        s.units.push(mass);
    }
    // Connections from mass to mass.
    for (i, constants) in springs.iter().enumerate() {
        couple(&mut s, i + 2, owned, *constants);
    }
    s.record = record(&["mass*.x", "mass*.v"]);
    s
}

/// The spring between masses `right − 1` and `right`.
fn couple(s: &mut Scenario, right: usize, owned: bool, constants: [f64; 2]) {
    let left = right - 1;
    let name = format!("spring{left}");
    let motions = [(left, "x"), (left, "v"), (right, "x"), (right, "v")].map(|(i, v)| format!("mass{i}.{v}"));
    let force = if owned { format!("mass{right}.f_c") } else { format!("{name}.f") };
    // It acts with +f on the right mass, which may own it.
    if owned {
        s.connections.push(wire(&format!("mass{right}.xi"), &motions[0]));
        s.connections.push(wire(&format!("mass{right}.xi_dot"), &motions[1]));
    } else {
        s.connections.push(wire(&format!("mass{right}.f"), &force));
    }
    // On the left it acts with −f: mass 1 takes f so already, the others as an external force.
    let (input, factor, gain) = if left == 1 { ("f", 1.0, -1.0) } else { ("f_ext", -1.0, 1.0) };
    let to = format!("mass{left}.{input}");
    let wired = if owned { obeying(&to, &force, &name) } else { wire(&to, &force) };
    s.connections.push(Connection { factor, ..wired });
    s.laws.push(spring(&name, constants, [&motions[0], &motions[1], &motions[2], &motions[3]]));
    let mut own = port(&motions[3], &[("f", 1.0)]);
    if owned {
        own.inputs = [("xi", "k_c"), ("xi_dot", "c_c")].map(|(i, k)| (i.to_owned(), Gain::parse(k))).to_vec();
    }
    s.bonds.push(bond(&name, vec![port(&motions[1], &[(input, gain)]), own]));
}
