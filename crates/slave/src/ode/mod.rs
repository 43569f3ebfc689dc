//! [`Equations`] as a [`Model`].
//!
//! # Variables
//! Reals: the parameters p, `micro_step`, the inputs u, the outputs y, the dense outputs, 21 each, the states and rates that no output shows.
//! Integers: `integrator`, `dense_nodes`. A system without states has neither integrator nor micro step. Hidden reals: the states now, the
//! states at the last step's start.
//!
//! # Dense output
//! `name[i]`, i = 0 … q, is an output at t_N + s_i H inside the last step, s_i = (1 − cos(π i/q))/2 (Chebyshev–Lobatto), i
//! beyond q repeats q. It is computed when read: by micro steps from the saved start, with a last one of partial length up
//! to the node, or exactly. Before the first step all nodes show the output at the end of initialisation.

mod declare;
mod dense;
mod derivatives;
mod propagate;
mod shown;

use std::path::Path;

use macrostep_description::{ModelDescription, Variable};
use macrostep_ode::{MAX_NODES, Point, Polynomials, Vector, micro};

use crate::{Equations, Fault, Group, Memory, Model, Outcome, Shape, Span, Tangent};
use propagate::Exact;
use shown::Shown;

/// Items of the parameter `integrator`.
const SEMI_IMPLICIT_EULER: i32 = 1;
const EXACT: i32 = 3;
/// Values of each dense output.
const NODES: usize = MAX_NODES + 1;

/// A model made of equations.
#[derive(Debug)]
pub struct Ode<E: Equations> {
    /// Output of each dense output.
    dense: Vec<usize>,
    /// Pairs of state and output.
    states: Vec<(usize, usize)>,
    shown: Shown,
    /// Names of the reals, for messages.
    names: Vec<String>,
    exact: Exact<E>,
    rhythm: Rhythm,
}

/// How a macro step is divided.
#[derive(Debug, Clone, Copy, Default)]
struct Rhythm {
    /// Macro step (s).
    step_s: f64,
    /// The parameter `micro_step` (s).
    micro_step_s: f64,
    /// Number of micro steps.
    count: u64,
    /// Length of each (s).
    h: f64,
}

impl Rhythm {
    fn new(span: Span, micro_step_s: f64) -> Result<Rhythm, Fault> {
        let count = span.micro_steps(micro_step_s, 1)?;
        Ok(Rhythm { step_s: span.step_s, micro_step_s, count, h: span.step_s / count as f64 })
    }
}

/// Whether equations are exchanged: a browser has no FMUs.
const IS_EXCHANGED: bool = cfg!(not(target_family = "wasm"));

impl<E: Equations> Ode<E> {
    const P: usize = E::Parameters::<f64>::LEN;
    const Z: usize = E::States::<f64>::LEN;
    const U: usize = E::Inputs::<f64>::LEN;
    const Y: usize = E::Outputs::<f64>::LEN;
    /// Whether there is something to integrate.
    const DYNAMIC: bool = Self::Z > 0;
    /// Value reference of `micro_step`.
    const MICRO_STEP: usize = Self::P;
    /// Value reference of the first input, output and dense output.
    const INPUTS: usize = Self::P + Self::DYNAMIC as usize;
    const OUTPUTS: usize = Self::INPUTS + Self::U;
    const DENSE: usize = Self::OUTPUTS + Self::Y;

    /// Value reference of the first local variable.
    fn locals(&self) -> usize {
        Self::DENSE + self.dense.len() * NODES
    }

    /// States and rates that no output shows.
    #[cold]
    #[inline(never)]
    fn evaluate_locals(&self, memory: &mut Memory) -> Result<(), Fault> {
        if !IS_EXCHANGED {
            return Ok(());
        }
        let (t, p, z) = (memory.time_s, Self::parameters(memory), Self::states(memory));
        let u = E::Inputs::<f64>::from_fn(|i| memory.inputs.coefficient(i, 0));
        let rates = E::rates(&Point { t, p, z, u, du: E::Inputs::<f64>::from_fn(|i| memory.inputs.coefficient(i, 1)) });
        let hidden = self.shown.hidden.iter().map(|k| z.as_slice()[*k]);
        let unrated = self.shown.unrated.iter().map(|k| rates.as_slice()[*k]);
        let locals = &mut memory.reals[self.locals()..];
        locals.iter_mut().zip(hidden.chain(unrated)).for_each(|(local, value)| *local = value);
        Ok(())
    }

    fn parameters(memory: &Memory) -> E::Parameters<f64> {
        E::Parameters::<f64>::from_fn(|i| memory.reals[i])
    }

    fn states(memory: &Memory) -> E::States<f64> {
        E::States::<f64>::from_fn(|i| memory.hidden_reals[i])
    }

    /// The states at the last step's start.
    fn start_states(memory: &Memory) -> E::States<f64> {
        E::States::<f64>::from_fn(|i| memory.hidden_reals[Self::Z + i])
    }

    /// The outputs at `tau` from the origin of the polynomials `u`.
    #[inline]
    fn outputs(t: f64, p: E::Parameters<f64>, z: E::States<f64>, u: &Polynomials, tau: f64) -> E::Outputs<f64> {
        let du = |i| if u.degree() == 0 { 0.0 } else { u.rate(i, tau) };
        E::outputs(&Point {
            t,
            p,
            z,
            u: E::Inputs::<f64>::from_fn(|i| u.value(i, tau)),
            du: E::Inputs::<f64>::from_fn(du),
        })
    }

    /// The micro steps of a macro step; they are worked out again only where a length has changed.
    #[inline]
    fn micro_steps(&mut self, memory: &Memory, span: Span) -> Result<Rhythm, Fault> {
        let micro_step_s = memory.reals[Self::MICRO_STEP];
        if self.rhythm.step_s != span.step_s || self.rhythm.micro_step_s != micro_step_s {
            self.rhythm = Rhythm::new(span, micro_step_s)?;
        }
        Ok(self.rhythm)
    }

    /// The method of micro steps.
    #[inline]
    fn method(memory: &Memory) -> micro::Method {
        match memory.integers[0] {
            SEMI_IMPLICIT_EULER => micro::Method::SemiImplicitEuler,
            _ => micro::Method::RungeKutta4,
        }
    }

    /// Whether states are carried over by the matrix exponential.
    #[inline]
    fn is_exact(memory: &Memory) -> bool {
        E::LINEAR && memory.integers[0] == EXACT
    }
}

impl<E: Equations> Model for Ode<E> {
    const EXCLUDES_CALLS: bool = false;

    fn declare(_resources: Option<&Path>) -> Result<(Self, ModelDescription), Fault> {
        declare::declare()
    }

    fn shape(&self) -> Shape {
        Shape { hidden_reals: 2 * Self::Z, hidden_integers: 0 }
    }

    fn group(&self, variable: &Variable) -> Group {
        match variable.value_reference as usize {
            r if r >= self.locals() => Group::Rates,
            r if r >= Self::DENSE => Group::Dense,
            _ => Group::Outputs,
        }
    }

    fn states(&self) -> &[usize] {
        &self.shown.order
    }

    fn initialise(&mut self, memory: &mut Memory) -> Result<(), Fault> {
        let z = E::start(&Self::parameters(memory));
        memory.hidden_reals[..Self::Z].copy_from_slice(z.as_slice());
        memory.hidden_reals[Self::Z..].copy_from_slice(z.as_slice());
        Ok(())
    }

    // Nodes of dense output lie in the whole of a macro step.
    fn own_step_s(&self, memory: &Memory) -> Option<f64> {
        (Self::DYNAMIC && self.dense.is_empty()).then(|| memory.reals[Self::MICRO_STEP])
    }

    #[inline]
    fn step(&mut self, memory: &mut Memory, span: Span) -> Result<Outcome, Fault> {
        if !Self::DYNAMIC {
            return Ok(Outcome::Done);
        }
        let (p, mut z) = (Self::parameters(memory), Self::states(memory));
        let u = &memory.last_inputs;
        let end = if Self::is_exact(memory) {
            self.exact.advance(p, u, span, &mut z)?;
            z
        } else {
            let rhythm = self.micro_steps(memory, span)?;
            let start = micro::Span::<E> { t0: span.start_s, p, u };
            micro::advance(Self::method(memory), &start, z, 0..rhythm.count, rhythm.h)
        };
        if !end.as_slice().iter().all(|x| x.is_finite()) {
            let message = format!("the states left the finite numbers in a step of {} s", span.step_s);
            return Err(Fault::Model { t_s: span.start_s, message });
        }
        memory.hidden_reals.copy_within(..Self::Z, Self::Z);
        memory.hidden_reals[..Self::Z].copy_from_slice(end.as_slice());
        Ok(Outcome::Done)
    }

    #[inline]
    fn evaluate(&mut self, memory: &mut Memory, group: Group) -> Result<(), Fault> {
        if group != Group::Outputs {
            return if group == Group::Dense { self.evaluate_dense(memory) } else { self.evaluate_locals(memory) };
        }
        let (p, z) = (Self::parameters(memory), Self::states(memory));
        let y = Self::outputs(memory.time_s, p, z, &memory.inputs, 0.0);
        memory.reals[Self::OUTPUTS..Self::DENSE].copy_from_slice(y.as_slice());
        Ok(())
    }

    fn output_derivatives(
        &mut self,
        memory: &Memory,
        refs: &[u32],
        orders: &[i32],
        values: &mut [f64],
    ) -> Result<(), Fault> {
        self.time_derivatives(memory, refs, orders, values);
        Ok(())
    }

    fn directional_derivative(&mut self, memory: &Memory, of: Tangent<'_>) -> Result<(), Fault> {
        self.tangents(memory, of)
    }
}
