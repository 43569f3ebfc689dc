//! Values at the nodes inside the last step.

use macrostep_ode::{Vector, lobatto_node, micro};

use super::{NODES, Ode};
use crate::{Equations, Fault, Memory, Phase, Span};

impl<E: Equations> Ode<E> {
    /// Evaluates all dense outputs.
    #[inline(never)]
    pub(super) fn evaluate_dense(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        // The step that was made last, and how many nodes are wanted of it.
        let nodes = memory.integers[1] as usize;
        let step_s = memory.last_step_s;
        let start_s = memory.time_s - step_s;
        let mut walk = Walk { z: Self::start_states(memory), done: 0 };
        let p = Self::parameters(memory);
        for i in 0..NODES {
            // Places behind the last node show its value.
            if i > nodes {
                self.repeat(memory, i);
                continue;
            }
            // States at the node; the last is the present. Model exchange has no steps: nodes stay as they are after initialisation.
            let tau = lobatto_node(i, nodes) * step_s;
            let z = if memory.phase.is_exchange() {
                Self::start_states(memory)
            } else if i == nodes || step_s == 0.0 {
                Self::states(memory)
            } else {
                self.state_inside(memory, Span { start_s, step_s }, tau, &mut walk)?
            };
            // During initialisation no step was made: inputs are those of now.
            let inputs = if memory.phase == Phase::Initialization { &memory.inputs } else { &memory.last_inputs };
            let y = Self::outputs(start_s + tau, p, z, inputs, tau);
            for (k, output) in self.dense.iter().enumerate() {
                memory.reals[Self::DENSE + k * NODES + i] = y.as_slice()[*output];
            }
        }
        Ok(())
    }

    /// Node `i` shows what the one before shows.
    fn repeat(&self, memory: &mut Memory, i: usize) {
        for k in 0..self.dense.len() {
            let at = Self::DENSE + k * NODES + i;
            memory.reals[at] = memory.reals[at - 1];
        }
    }

    /// The states at `tau` in the last step. `walk` goes along the micro steps, so that ascending nodes cost one walk.
    fn state_inside(
        &mut self,
        memory: &Memory,
        span: Span,
        tau: f64,
        walk: &mut Walk<E>,
    ) -> Result<E::States<f64>, Fault> {
        let (p, u) = (Self::parameters(memory), &memory.last_inputs);
        if Self::is_exact(memory) {
            let mut z = Self::start_states(memory);
            if tau > 0.0 {
                self.exact.advance(p, u, Span { step_s: tau, ..span }, &mut z)?;
            }
            return Ok(z);
        }
        let rhythm = self.micro_steps(memory, span)?;
        let (method, h) = (Self::method(memory), rhythm.h);
        // Whole micro steps before the node; the last micro step may end at the node by rounding.
        let whole = ((tau / h) as u64).min(rhythm.count - 1);
        let start = micro::Span::<E> { t0: span.start_s, p, u };
        walk.z = micro::advance(method, &start, walk.z, walk.done..whole, h);
        walk.done = walk.done.max(whole);
        let passed = whole as f64 * h;
        Ok(micro::step(method, &start, walk.z, passed, tau - passed))
    }
}

/// How far the micro steps have been repeated.
struct Walk<E: Equations> {
    z: E::States<f64>,
    done: u64,
}
