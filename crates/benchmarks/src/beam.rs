//! The beam of 167 nodes on 167 springs, coupled by all positions and forces or by those of a few nodes.
//!
//! | name | beam | on the way to the springs | on the way back |
//! |---|---|---|---|
//! | `full` | `beam_full` | u, 501 values | F, 501 values |
//! | `reduced` | `beam_reduced`, `interface_adapter` | u = T u_int, 38 values | g_int = Tᵀ F, 38 values |
//! | | `beam_reduced`, maps in the master | the same | the same |
//!
//! Reference: \[Peeters 2024\] section 3.

use crate::parts::{end, predicted, record, set, system, times, unit, vector, wire};
use macrostep_system::scenario::{Map, Place, Scenario, Value};
use macrostep_system::words::Predict;

/// Coordinates of all nodes, and of the chosen ones.
const FULL: usize = 501;
const REDUCED: usize = 38;
/// Modes of the beam, rigid ones counted.
pub const MODES: usize = 19;

/// What goes between beam and springs.
#[derive(Debug, Clone, PartialEq)]
pub enum Interface {
    /// All positions and forces.
    Full,
    /// Those of the chosen nodes, mapped by a unit of its own.
    Adapter,
    /// Those of the chosen nodes, mapped by the master: rows of the matrices to the springs and back.
    Maps {
        /// All positions from those of the chosen nodes.
        there: Vec<Vec<f64>>,
        /// Forces of the chosen nodes from all forces.
        back: Vec<Vec<f64>>,
    },
}

/// Beam of so many modes on springs with held values, for 1 s.
pub fn beam(interface: &Interface, modes: usize) -> Scenario {
    let mut s = system("beam on springs", "beam of 167 nodes on 167 springs of 10 N/m", times(1e-4, 1.0));
    s.coupling = predicted(Predict::classical(0));
    // The units, and connections between vectors of them.
    let mut beam = unit("beam", if *interface == Interface::Full { "beam_full" } else { "beam_reduced" }, &[]);
    set(&mut beam, "modes", Value::Integer(i64::try_from(modes).unwrap_or(i64::MAX)));
    s.units = vec![beam, unit("springs", "spring_field", &[])];
    let mut connect = |(to, input): (&str, &str), (from, output): (&str, &str), count| {
        let (inputs, outputs) = (vector(input, count), vector(output, count));
        let pairs = inputs.iter().zip(&outputs);
        s.connections.extend(pairs.map(|(i, o)| wire(&format!("{to}.{i}"), &format!("{from}.{o}"))));
    };
    match interface {
        Interface::Full => {
            connect(("springs", "u"), ("beam", "u"), FULL);
            connect(("beam", "F"), ("springs", "F"), FULL);
        }
        // The adapter maps positions forward and forces back.
        Interface::Adapter => {
            connect(("adapter", "u_int"), ("beam", "u_int"), REDUCED);
            connect(("springs", "u"), ("adapter", "u"), FULL);
            connect(("adapter", "F"), ("springs", "F"), FULL);
            connect(("beam", "g_int"), ("adapter", "g_int"), REDUCED);
            s.units.push(unit("adapter", "interface_adapter", &[]));
        }
        Interface::Maps { there, back } => {
            s.maps.push(map(there, ("springs.u", FULL), ("beam.u_int", REDUCED)));
            s.maps.push(map(back, ("beam.g_int", REDUCED), ("springs.F", FULL)));
        }
    }
    // Vertical positions of the driven end, the middle and the free end.
    let shown = match interface {
        Interface::Full => [2, 251, 500].map(|i| format!("beam.u[{i}]")),
        Interface::Adapter => [2, 251, 500].map(|i| format!("adapter.u[{i}]")),
        Interface::Maps { .. } => [2, 20, 38].map(|i| format!("beam.u_int[{i}]")),
    };
    s.record = record(&shown.each_ref().map(String::as_str));
    s
}

/// A map from one vector to another, each `UNIT.NAME` and its length.
fn map(rows: &[Vec<f64>], to: (&str, usize), from: (&str, usize)) -> Map {
    let ends = |(name, count): (&str, usize)| vector(name, count).iter().map(|name| end(name)).collect();
    Map { from: ends(from), to: ends(to), matrix: rows.to_vec(), reaction: None, place: Place::default() }
}
