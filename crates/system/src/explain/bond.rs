//! *Power bonds*: a pair of signals in opposite directions whose product is a power.
//!
//! Over a step unit A sees its input u_A and its own output y_A, unit B sees u_B and y_B, where u_A is what A believes of
//! y_B, and u_B what B believes of y_A. Without coupling error u_A y_A = u_B y_B at every instant; what the master adds
//! to the system is
//!
//! ```text
//! ΔE = ∫ (u_B y_B − u_A y_A) dt
//! ```
//!
//! over all bonds, as far as the signals of the bond are what drives the units: a unit that is driven by a displacement and
//! given its velocity beside it works with the displacement, and the residual is then an indicator of the same sign and order.
//! B is the unit that receives the effort (force, torque, pressure, voltage: what has kg to the power 1) and is taken to be
//! driven by it in the direction of its flow. A linear map with its dual is a bond with as many terms as it has signals. A
//! pair is found by its units of measurement: a bond is two connections between the same two units whose units' product is W.
//!
//! Reference: \[Sadjina 2017\].

use crate::scenario::{Endpoint, Scenario};
use macrostep_description::ModelDescription;
use std::sync::Arc;

/// One side of a bond: what an input of a unit carries times what an output of it sends.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// The input.
    pub input: Endpoint,
    /// The output of the same unit.
    pub output: Endpoint,
    /// What the input is divided by: the factor of its connection.
    pub factor: f64,
    /// +1 or −1.
    pub sign: f64,
}

/// A power bond.
#[derive(Debug, Clone, PartialEq)]
pub struct Bond {
    /// For people: the two connections, or the map.
    pub name: String,
    /// Its sides.
    pub terms: Vec<Term>,
}

/// Exponents of kg, m, s, A, K, mol, cd of the watt.
const WATT: [i32; 7] = [1, 2, -3, 0, 0, 0, 0];

/// All bonds of a scenario.
pub fn bonds(s: &Scenario, descriptions: &[Arc<ModelDescription>]) -> Vec<Bond> {
    let mut out = Vec::new();
    for (i, there) in s.connections.iter().enumerate() {
        for back in &s.connections[i + 1..] {
            let opposite = there.from.unit == back.to.unit && there.to.unit == back.from.unit;
            if opposite && is_power(&there.from, &back.from, s, descriptions) {
                let term = |input: &Endpoint, output: &Endpoint, factor: f64, sign: f64| Term {
                    input: input.clone(),
                    output: output.clone(),
                    factor: if factor == 0.0 { 1.0 } else { factor },
                    sign,
                };
                out.push(Bond {
                    name: format!("{} → {}, {} → {}", there.from, there.to, back.from, back.to),
                    terms: vec![
                        term(&there.to, &back.from, there.factor, sign(&there.from, s, descriptions)),
                        term(&back.to, &there.from, back.factor, sign(&back.from, s, descriptions)),
                    ],
                });
            }
        }
    }
    for (m, map) in s.maps.iter().enumerate() {
        let Some(r) = &map.reaction else { continue };
        let Some((flow, effort)) = map.from.first().zip(r.from.first()) else { continue };
        if !is_power(flow, effort, s, descriptions) {
            continue;
        }
        let side = |inputs: &[Endpoint], outputs: &[Endpoint], sign: f64| {
            let pairs: Vec<Term> = inputs
                .iter()
                .zip(outputs)
                .map(|(i, o)| Term { input: i.clone(), output: o.clone(), factor: 1.0, sign })
                .collect();
            pairs
        };
        let terms = [
            side(&map.to, &r.from, sign(flow, s, descriptions)),
            side(&r.to, &map.from, sign(effort, s, descriptions)),
        ]
        .concat();
        out.push(Bond { name: format!("map {} and its dual", m + 1), terms });
    }
    out
}

/// Exponents of the base units of a variable.
fn base(e: &Endpoint, s: &Scenario, descriptions: &[Arc<ModelDescription>]) -> Option<[i32; 7]> {
    let d = &descriptions[s.unit(&e.unit)?];
    let unit = d.variable(&e.variable)?.unit();
    let b = d.units.iter().find(|u| u.name == unit)?.base?;
    Some([b.kg, b.m, b.s, b.a, b.k, b.mol, b.cd])
}

/// +1 for the side that is fed with the effort `from`, −1 for that fed with a flow.
fn sign(from: &Endpoint, s: &Scenario, descriptions: &[Arc<ModelDescription>]) -> f64 {
    if base(from, s, descriptions).is_some_and(|b| b[0] == 1) { 1.0 } else { -1.0 }
}

/// Whether the product of two outputs is a power.
fn is_power(a: &Endpoint, b: &Endpoint, s: &Scenario, descriptions: &[Arc<ModelDescription>]) -> bool {
    match (base(a, s, descriptions), base(b, s, descriptions)) {
        (Some(a), Some(b)) => (0..7).all(|i| a[i] + b[i] == WATT[i]),
        _ => false,
    }
}
