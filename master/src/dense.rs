//! *Dense output*: samples at the Chebyshev–Lobatto nodes inside a slave's last step.
//!
//! FMI 2.0 has no such thing; it is had from ordinary variables. A slave offers it for an output `x` where it declares
//! outputs `x_node[0] … x_node[q]` (`r_node[1,0] …` for `r[1]`) and an integer parameter `dense_nodes` that sets q.

use crate::error::RunError;
use crate::history::History;
use crate::predict::lobatto;
use crate::savable::savable;
use crate::system::System;
use crate::time::{Span, Tick};
use crate::unit::{Unit, UnitError};
use macrostep_description::{ModelDescription, node_name};

/// Name of the parameter that sets q.
const NODES: &str = "dense_nodes";

/// An instant inside a step, in (broken) ticks; the same bits wherever it is worked out.
pub(crate) fn instant(from: Tick, to: Tick, s: f64) -> f64 {
    if s == 1.0 { to as f64 } else { from as f64 + s * (to - from) as f64 }
}

/// Dense output of one unit.
pub(crate) struct Dense {
    /// Length of the shortest step whose inside is sampled: half steps have no samples.
    shortest: Tick,
    /// Local times s_1 … s_q of the nodes after the step's start.
    pub nodes: Vec<f64>,
    /// Value reference of the parameter that sets q.
    parameter: u32,
    /// Value references, those of one node after those of another, each in the order of the sampled outputs.
    refs: Vec<u32>,
    outputs: usize,
}

savable! {
/// The samples inside the step made last.
pub(crate) struct DenseState {
    values: Vec<f64>,
    /// The step they belong to.
    from: Tick,
    to: Tick,
}
}

impl DenseState {
    /// How many values there are.
    pub fn shape(&self) -> usize {
        self.values.len()
    }
}

impl Dense {
    /// Dense output of all sampled outputs of unit `u` in steps of at least `shortest` ticks; sets `dense_nodes`, so the unit must not be
    /// initialised yet.
    ///
    /// # Errors
    /// [`RunError::DenseOutput`] with the output that has none.
    pub fn new((system, u): (&System, usize), unit: &mut dyn Unit, q: usize, shortest: Tick) -> Result<Self, RunError> {
        let description = &system.descriptions[u];
        let variables: Vec<usize> = system.channels_of(u).flat_map(|(_, c)| c.variables.iter().copied()).collect();
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
        let dense = Dense { shortest, nodes, parameter, refs, outputs: variables.len() };
        dense.ask(unit)?;
        Ok(dense)
    }

    /// Tells a unit, which must not be initialised, how many nodes are wanted.
    pub fn ask(&self, unit: &mut dyn Unit) -> Result<(), UnitError> {
        unit.set_integer(&[self.parameter], &[self.nodes.len() as i32])
    }

    /// No step has been made.
    pub fn state(&self) -> DenseState {
        DenseState { values: vec![0.0; self.refs.len()], from: 0, to: 0 }
    }

    /// Whether every sampled output of unit `u` has it and none follows an input at once: such a one changes at a communication point
    /// once more, with the true input.
    pub fn is_offered(system: &System, u: usize) -> bool {
        let description = &system.descriptions[u];
        let mut variables = system.channels_of(u).flat_map(|(_, c)| c.variables.iter());
        reference(description, NODES).is_some()
            && variables
                .all(|&v| reference(description, &node(description, v, 0)).is_some() && !system.has_feedthrough(u, v))
    }

    /// Reads the nodes of the step just done.
    pub fn read(&self, state: &mut DenseState, unit: &mut dyn Unit, span: &Span) -> Result<(), UnitError> {
        (state.from, state.to) = (span.from, span.to);
        unit.get_real(&self.refs, &mut state.values)
    }

    /// Puts the samples inside the step into the history of a channel: its first place among the outputs.
    pub fn publish(&self, state: &DenseState, history: &mut History, first: usize) {
        if state.to - state.from < self.shortest {
            return;
        }
        let (inner, width) = (self.nodes.len() - 1, history.width());
        for (i, &s) in self.nodes[..inner].iter().enumerate() {
            let row = i * self.outputs + first;
            history.put_at(instant(state.from, state.to, s), &state.values[row..row + width]);
        }
    }
}

fn node(description: &ModelDescription, variable: usize, i: usize) -> String {
    node_name(&description.variables[variable].name, i)
}

fn reference(description: &ModelDescription, name: &str) -> Option<u32> {
    description.variable(name).map(|v| v.value_reference)
}
