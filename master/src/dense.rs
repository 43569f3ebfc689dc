//! *Dense output*: samples at the Chebyshev–Lobatto nodes inside a slave's last step.
//!
//! FMI 2.0 has no such thing; it is had from ordinary variables. A slave offers it for an output `x` where it declares
//! outputs `x_node[0] … x_node[q]` and an integer parameter `dense_nodes` that sets q.

use crate::error::RunError;
use crate::history::History;
use crate::predict::lobatto;
use crate::system::System;
use crate::time::{Span, Tick};
use crate::unit::{Unit, UnitError};
use macrostep_description::ModelDescription;

/// Name of the parameter that sets q.
const NODES: &str = "dense_nodes";

/// An instant inside a step, in (broken) ticks; the same bits wherever it is worked out.
pub(crate) fn instant(from: Tick, to: Tick, s: f64) -> f64 {
    if s == 1.0 { to as f64 } else { from as f64 + s * (to - from) as f64 }
}

/// Dense output of one unit.
pub(crate) struct Dense {
    /// Local times s_1 … s_q of the nodes after the step's start.
    pub nodes: Vec<f64>,
    /// Value reference of the parameter that sets q.
    parameter: u32,
    /// Value references, those of one node after those of another, each in the order of the sampled outputs.
    refs: Vec<u32>,
    values: Vec<f64>,
    outputs: usize,
    /// The step they belong to.
    from: Tick,
    to: Tick,
}

impl Dense {
    /// Dense output of all sampled outputs of unit `u`; sets `dense_nodes`, so the unit must not be initialised yet.
    ///
    /// # Errors
    /// [`RunError::DenseOutput`] with the output that has none.
    pub fn new(system: &System, u: usize, unit: &mut dyn Unit, q: usize) -> Result<Self, RunError> {
        let description = &system.descriptions[u];
        let channels = system.channels.iter().filter(|c| c.unit == u);
        let variables: Vec<usize> = channels.flat_map(|c| c.variables.iter().copied()).collect();
        let missing = |needed: String| RunError::DenseOutput { unit: unit.name().to_string(), needed };
        let parameter = reference(description, NODES).ok_or_else(|| missing(NODES.to_string()))?;
        let mut refs = Vec::new();
        for i in 1..=q {
            for &v in &variables {
                let name = node(description, v, i);
                refs.push(reference(description, &name).ok_or_else(|| missing(name))?);
            }
        }
        let nodes = (1..=q).map(|i| lobatto(i, q)).collect();
        let values = vec![0.0; refs.len()];
        let dense = Dense { nodes, parameter, values, refs, outputs: variables.len(), from: 0, to: 0 };
        dense.ask(unit)?;
        Ok(dense)
    }

    /// Tells a unit, which must not be initialised, how many nodes are wanted.
    fn ask(&self, unit: &mut dyn Unit) -> Result<(), UnitError> {
        unit.set_integer(&[self.parameter], &[self.nodes.len() as i32])
    }

    /// Begins anew: no step has been made, and the unit is told again how many nodes are wanted.
    pub fn begin(&mut self, unit: &mut dyn Unit) -> Result<(), UnitError> {
        (self.from, self.to) = (0, 0);
        self.ask(unit)
    }

    /// Whether every sampled output of unit `u` has it.
    pub fn is_offered(system: &System, u: usize) -> bool {
        let description = &system.descriptions[u];
        let mut variables = system.channels.iter().filter(|c| c.unit == u).flat_map(|c| c.variables.iter());
        reference(description, NODES).is_some()
            && variables.all(|&v| reference(description, &node(description, v, 0)).is_some())
    }

    /// Reads the nodes of the step just done.
    pub fn read(&mut self, unit: &mut dyn Unit, span: &Span) -> Result<(), UnitError> {
        (self.from, self.to) = (span.from, span.to);
        unit.get_real(&self.refs, &mut self.values)
    }

    /// Puts the samples inside the step into the history of a channel: its first place among the outputs.
    pub fn publish(&self, history: &mut History, first: usize) {
        let (inner, width) = (self.nodes.len() - 1, history.width());
        for (i, &s) in self.nodes[..inner].iter().enumerate() {
            let row = i * self.outputs + first;
            history.put_at(instant(self.from, self.to, s), &self.values[row..row + width]);
        }
    }
}

fn node(description: &ModelDescription, variable: usize, i: usize) -> String {
    format!("{}_node[{i}]", description.variables[variable].name)
}

fn reference(description: &ModelDescription, name: &str) -> Option<u32> {
    description.variable(name).map(|v| v.value_reference)
}
