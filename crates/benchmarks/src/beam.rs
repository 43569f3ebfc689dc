//! The beam of 167 nodes on 167 springs, coupled by all positions and forces or by those of a few nodes.
//!
//! | name | beam | on the way to the springs | on the way back |
//! |---|---|---|---|
//! | `full` | `beam_full` | u, 501 values | F, 501 values |
//! | `reduced` | `beam_reduced`, `interface_adapter` | u = T u_int, 38 values | g_int = Tᵀ F, 38 values |
//!
//! Reference: \[Peeters 2024\] section 3.

use crate::parts::{predicted, record, set, system, times, unit, vector, wire};
use macrostep_system::scenario::{Scenario, Value};
use macrostep_system::words::Predict;

/// Coordinates of all nodes, and of the chosen ones.
const FULL: usize = 501;
const REDUCED: usize = 38;
/// Modes of the beam, rigid ones counted.
const MODES: i64 = 19;

/// Beam on springs with held values, for 1 s.
pub fn beam(is_reduced: bool) -> Scenario {
    let mut s = system("beam on springs", "beam of 167 nodes on 167 springs of 10 N/m", times(1e-4, 1.0));
    s.coupling = predicted(Predict::classical(0));
    // The units, and connections between vectors of them.
    let mut beam = unit("beam", if is_reduced { "beam_reduced" } else { "beam_full" }, &[]);
    set(&mut beam, "modes", Value::Integer(MODES));
    s.units = vec![beam, unit("springs", "spring_field", &[])];
    let mut connect = |(to, input): (&str, &str), (from, output): (&str, &str), count| {
        let (inputs, outputs) = (vector(input, count), vector(output, count));
        let pairs = inputs.iter().zip(&outputs);
        s.connections.extend(pairs.map(|(i, o)| wire(&format!("{to}.{i}"), &format!("{from}.{o}"))));
    };
    // The adapter maps positions forward and forces back where the interface is reduced.
    if is_reduced {
        connect(("adapter", "u_int"), ("beam", "u_int"), REDUCED);
        connect(("springs", "u"), ("adapter", "u"), FULL);
        connect(("adapter", "F"), ("springs", "F"), FULL);
        connect(("beam", "g_int"), ("adapter", "g_int"), REDUCED);
        s.units.push(unit("adapter", "interface_adapter", &[]));
    } else {
        connect(("springs", "u"), ("beam", "u"), FULL);
        connect(("beam", "F"), ("springs", "F"), FULL);
    }
    // Vertical positions of the driven end, the middle and the free end.
    let shown = if is_reduced { "adapter" } else { "beam" };
    let nodes = [2, 251, 500].map(|i| format!("{shown}.u[{i}]"));
    s.record = record(&nodes.each_ref().map(String::as_str));
    s
}
