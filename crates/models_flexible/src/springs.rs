//! The field of springs under the nodes of the beam.
//!
//! # Equations
//! ```text
//! F_y = −k (y − y₀) at each of the 167 nodes,   F_x = F_z = 0
//! ```
//! There is no state: forces follow positions at once.
//!
//! Reference: [Peeters 2024] section 3.

use std::path::Path;

use macrostep_description::{Declared, DependencyKind, ModelDescription};
use macrostep_slave::{Fault, Memory, Model, Outcome, Span, Tangent};

use crate::declare::{builder, finish};

/// Nodes of the beam, and values of its full interface.
const NODES: usize = 167;
const VALUES: usize = 3 * NODES;
/// First references: stiffness and level, positions, forces.
const INPUTS: usize = 2;
const OUTPUTS: usize = INPUTS + VALUES;

/// The field of springs.
#[derive(Debug)]
pub struct Springs;

impl Springs {
    /// `modelIdentifier`.
    pub const IDENTIFIER: &'static str = "spring_field";

    /// The equations as the body of an HTML page.
    pub fn documentation_html() -> String {
        "<h2>Equations</h2>\n<pre>F[3 i + 2] = -k (u[3 i + 2] - y0), i = 0 ... 166; all other forces are zero</pre>\n<p>u and \
         F list x, y and z of node after node. There is no state: forces follow positions at once.</p>\n<p>Source: \
         Peeters, Vermaut, Naets, Co-Simulation Interface Reduction Based on the Flexible Natural Coordinates \
         Formulation, 2024, section 3.</p>\n"
            .to_string()
    }
}

/// Whether value `i` is a vertical one.
fn is_vertical(i: usize) -> bool {
    i % 3 == 1
}

impl Model for Springs {
    fn declare(_: Option<&Path>) -> Result<(Self, ModelDescription), Fault> {
        let about = "A vertical spring to the ground under each of the 167 nodes of a beam";
        let mut b = builder(Self::IDENTIFIER, about, &["m", "N", "N/m"], None);
        let k = b.add(Declared::parameter("k", 10.0).unit("N/m").about("stiffness of each spring"));
        let y0 = b.add(Declared::parameter("y0", 0.0).unit("m").about("height at which the springs are at rest"));
        let input = |i: usize| Declared::input(&format!("u[{}]", i + 1), 0.0).unit("m").about("position of a node");
        let inputs: Vec<_> = (0..VALUES).map(|i| b.add(input(i))).collect();
        for (i, u) in inputs.iter().enumerate() {
            let force = Declared::output(&format!("F[{}]", i + 1)).unit("N").about("force on a node");
            b.add(if is_vertical(i) {
                force.depends(&[(*u, DependencyKind::Fixed)]).initially(&[k, y0, *u])
            } else {
                force.depends(&[]).initially(&[])
            });
        }
        b.experiment(0.0, 1.0, 1e-4);
        Ok((Springs, finish(b)?))
    }

    fn step(&mut self, _: &mut Memory, _: Span) -> Result<Outcome, Fault> {
        Ok(Outcome::Done)
    }

    fn evaluate(&mut self, memory: &mut Memory, _: macrostep_slave::Group) -> Result<(), Fault> {
        let (k, y0) = (memory.reals[0], memory.reals[1]);
        for i in 0..VALUES {
            memory.reals[OUTPUTS + i] = if is_vertical(i) { -k * (memory.reals[INPUTS + i] - y0) } else { 0.0 };
        }
        Ok(())
    }

    fn output_derivatives(
        &mut self,
        memory: &Memory,
        refs: &[u32],
        _: &[i32],
        values: &mut [f64],
    ) -> Result<(), Fault> {
        for (reference, value) in refs.iter().zip(values) {
            let i = *reference as usize - OUTPUTS;
            *value = if is_vertical(i) { -memory.reals[0] * memory.inputs.rate(i, 0.0) } else { 0.0 };
        }
        Ok(())
    }

    fn directional_derivative(&mut self, memory: &Memory, of: Tangent<'_>) -> Result<(), Fault> {
        let Tangent { unknown, known, d_known, d_unknown } = of;
        // Knowns are parameters and positions.
        if let Some(wrong) = known.iter().find(|r| **r as usize >= OUTPUTS) {
            let unknown = unknown.first().copied().unwrap_or(*wrong);
            return Err(crate::declare::no_derivative(memory, unknown, &[*wrong]));
        }
        for (reference, d) in unknown.iter().zip(d_unknown) {
            // Unknowns are forces.
            let Some(i) = (*reference as usize).checked_sub(OUTPUTS) else {
                return Err(crate::declare::no_derivative(memory, *reference, known));
            };
            // ∂F_y/∂k, ∂F_y/∂y₀ and ∂F_y/∂y at the same node.
            *d = 0.0;
            for (source, change) in known.iter().zip(d_known).filter(|_| is_vertical(i)) {
                *d += change
                    * match *source as usize {
                        0 => memory.reals[1] - memory.reals[INPUTS + i],
                        1 => memory.reals[0],
                        place if place == INPUTS + i => -memory.reals[0],
                        _ => 0.0,
                    };
            }
        }
        Ok(())
    }
}
