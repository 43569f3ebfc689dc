//! *Dense output*: samples at the Chebyshev–Lobatto nodes inside a slave's last step.
//!
//! FMI 2.0 has no such thing; it is had from ordinary variables. A slave offers it for an output `x` where it declares
//! outputs `x_node[0] … x_node[q]` (`r_node[1,0] …` for `r[1]`) and an integer parameter `dense_nodes` that sets q. A slave
//! without it makes the step in q parts, from node to node, and is read after each: `fmi2DoStep` in place of dense output.

use crate::error::RunError;
use crate::savable::savable;
use crate::signal::history::History;
use crate::signal::nodes::lobatto;
use crate::signal::segment::Segment;
use crate::system::System;
use crate::time::{Span, Tick};
use crate::unit::{Unit, UnitError};
use macrostep_description::{DENSE_NODES, ModelDescription, node_name};

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
    source: Source,
    outputs: usize,
}

/// Where the samples come from.
enum Source {
    /// Variables of the unit.
    Variables {
        /// Value reference of the parameter that sets q.
        parameter: u32,
        /// Value references, those of one node after those of another, each in the order of the sampled outputs.
        refs: Vec<u32>,
    },
    /// Steps from node to node, with the inputs' polynomials over the whole step here.
    Steps(Vec<Segment>),
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
    /// Samples of all sampled outputs of unit `u` in steps of at least `shortest` ticks. Sets `dense_nodes`, so the unit must not be
    /// initialised yet; one that lacks a variable for it makes its steps from node to node.
    ///
    /// # Errors
    /// [`RunError::DenseOutput`] with the output that has none, where the unit cannot make such steps either.
    pub fn new((system, u): (&System, usize), unit: &mut dyn Unit, q: usize, shortest: Tick) -> Result<Self, RunError> {
        let description = &system.descriptions[u];
        let variables: Vec<usize> = system.channels_of(u).flat_map(|(_, c)| c.variables.iter().copied()).collect();
        let nodes: Vec<f64> = (1..=q).map(|i| lobatto(i, q)).collect();
        let source = match Source::variables(description, &variables, q) {
            Ok(source) => source,
            Err(needed) if !may_step(description, &nodes) => {
                return Err(RunError::DenseOutput { unit: unit.name().to_string(), needed });
            }
            Err(_) => Source::Steps(vec![Segment::default(); system.connections_of(u).count()]),
        };
        let dense = Dense { shortest, nodes, source, outputs: variables.len() };
        dense.ask(unit)?;
        Ok(dense)
    }

    /// Tells a unit, which must not be initialised, how many nodes are wanted.
    pub fn ask(&self, unit: &mut dyn Unit) -> Result<(), UnitError> {
        match &self.source {
            Source::Variables { parameter, .. } => unit.set_integer(&[*parameter], &[self.nodes.len() as i32]),
            Source::Steps(_) => Ok(()),
        }
    }

    /// No step has been made.
    pub fn state(&self) -> DenseState {
        DenseState { values: vec![0.0; self.nodes.len() * self.outputs], from: 0, to: 0 }
    }

    /// Whether the unit makes its steps from node to node.
    #[inline]
    pub fn is_stepped(&self) -> bool {
        matches!(self.source, Source::Steps(_))
    }

    /// Room for the inputs' polynomials over a whole step, where the unit makes it from node to node.
    pub fn stepped(&mut self) -> Option<&mut Vec<Segment>> {
        match &mut self.source {
            Source::Steps(whole) => Some(whole),
            Source::Variables { .. } => None,
        }
    }

    /// Whether every sampled output of unit `u` has it and none follows an input at once: such a one changes at a communication point
    /// once more, with the true input.
    pub fn is_offered(system: &System, u: usize) -> bool {
        let description = &system.descriptions[u];
        let mut variables = system.channels_of(u).flat_map(|(_, c)| c.variables.iter());
        description.dense_nodes().is_some()
            && variables
                .all(|&v| reference(description, &node(description, v, 0)).is_some() && !system.has_feedthrough(u, v))
    }

    /// Reads the nodes of the step just done, where the unit has variables for them.
    #[inline]
    pub fn read(&self, state: &mut DenseState, unit: &mut dyn Unit, span: &Span) -> Result<(), UnitError> {
        (state.from, state.to) = (span.from, span.to);
        match &self.source {
            Source::Variables { refs, .. } => unit.get_real(refs, &mut state.values),
            Source::Steps(_) => Ok(()),
        }
    }

    /// What is read behind a step; nothing of a unit that makes it from node to node.
    pub fn refs(&self) -> &[u32] {
        if let Source::Variables { refs, .. } = &self.source { refs } else { &[] }
    }

    /// As [`Dense::read`], of values that were read already.
    pub fn take(&self, state: &mut DenseState, values: &[f64], span: &Span) {
        (state.from, state.to) = (span.from, span.to);
        state.values.copy_from_slice(values);
    }

    /// Room for the outputs at node `i`, 1 … q.
    pub fn row<'a>(&self, state: &'a mut DenseState, i: usize) -> &'a mut [f64] {
        &mut state.values[(i - 1) * self.outputs..i * self.outputs]
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

impl Source {
    /// Variables for nodes 1 … q of these outputs, or the name of one that is missing.
    fn variables(description: &ModelDescription, outputs: &[usize], q: usize) -> Result<Self, String> {
        let parameter = description.dense_nodes().ok_or(DENSE_NODES)?.value_reference;
        let names = (1..=q).flat_map(|i| outputs.iter().map(move |&v| node(description, v, i)));
        let refs: Result<Vec<u32>, String> = names.map(|name| reference(description, &name).ok_or(name)).collect();
        Ok(Source::Variables { parameter, refs: refs? })
    }
}

/// Whether a unit may be stepped from node to node: by parts of one length, or where it says that lengths may differ.
fn may_step(description: &ModelDescription, nodes: &[f64]) -> bool {
    let varies = description.co_simulation.as_ref().is_some_and(|c| c.can_handle_variable_communication_step_size);
    varies || nodes.iter().enumerate().all(|(i, s)| *s == (i + 1) as f64 / nodes.len() as f64)
}

fn node(description: &ModelDescription, variable: usize, i: usize) -> String {
    node_name(&description.variables[variable].name, i)
}

fn reference(description: &ModelDescription, name: &str) -> Option<u32> {
    description.variable(name).map(|v| v.value_reference)
}
