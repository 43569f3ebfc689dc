//! A model with its memory: one slave.
//!
//! # Input polynomials
//! u_i(t_N + τ) = Σ_j c_ij τ^j with c_i0 from `set_real` and c_ij = u^{(j)}/j! from `set_real_input_derivatives`. A step
//! moves their origin to its end. The first Set of an input after a step, of value or derivative, begins a new, constant
//! polynomial at the present value; an input that is not set goes on along its polynomial. Both functions may be called
//! in any order between two steps.

mod exchange;
mod io;
mod life;
mod state;
mod values;

use std::path::Path;

use macrostep_description::ModelDescription;

use exchange::Exchange;

use crate::access::{Access, CHANGED, COMPUTED, Flags, GATHER, group_flag};
use crate::{Fault, Group, Memory, Message, Model, Outcome, Phase, Shared, Slave, Snapshot, Tangent};

/// A slave made of a model.
#[derive(Debug)]
pub struct Instance<M> {
    name: String,
    model: M,
    access: Shared<Access>,
    memory: Memory,
    /// Groups of computed variables that are out of date, and whether the inputs' polynomials are.
    stale: Flags,
    /// Where it is driven by its equations.
    exchange: Option<Box<Exchange>>,
}

impl<M: Model> Instance<M> {
    /// A fresh instance; `resources` is the folder of the FMU's resources.
    ///
    /// # Errors
    /// Whatever the model's declaration finds wrong.
    pub fn new(name: &str, resources: Option<&Path>) -> Result<Instance<M>, Fault> {
        Instance::of(name, M::declare(resources)?)
    }

    /// A fresh instance of a model that was declared from something else than a folder.
    ///
    /// # Errors
    /// As [`Instance::new`].
    pub fn of(name: &str, (model, description): (M, ModelDescription)) -> Result<Instance<M>, Fault> {
        let access = Access::shared(description, &model)?;
        let memory = access.fresh.clone();
        Ok(Instance { name: name.into(), model, access, memory, stale: CHANGED, exchange: None })
    }

    /// The description of the model, without an instance.
    ///
    /// # Errors
    /// As [`Instance::new`].
    pub fn describe(resources: Option<&Path>) -> Result<ModelDescription, Fault> {
        M::declare(resources).map(|(_, description)| description)
    }

    /// Messages of the model since the last call.
    #[inline]
    pub fn messages(&mut self) -> Vec<Message> {
        self.model.messages()
    }

    /// [`Model::own_step_s`].
    pub fn own_step_s(&self) -> Option<f64> {
        self.model.own_step_s(&self.memory)
    }

    /// The memory, for tests and diagnosis.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Copies the inputs' values at the present time into their polynomials, where they have changed since.
    #[inline(always)]
    fn gather_inputs(&mut self) {
        if self.stale & GATHER == 0 {
            return;
        }
        self.stale &= !GATHER;
        let (inputs, reals) = (self.memory.inputs.values_mut(), self.memory.reals.as_slice());
        for (value, reference) in inputs.iter_mut().zip(&self.access.inputs) {
            *value = reals[*reference];
        }
    }

    /// Evaluates the groups in `needed` that are out of date.
    #[inline]
    fn refresh(&mut self, needed: Flags) -> Result<(), Fault> {
        let stale = needed & self.stale;
        if stale & COMPUTED == 0 { Ok(()) } else { self.evaluate(stale) }
    }

    fn evaluate(&mut self, stale: Flags) -> Result<(), Fault> {
        const OUTPUTS: Flags = group_flag(Group::Outputs);
        const DENSE: Flags = group_flag(Group::Dense);
        self.prepare()?;
        // Group by group in their order; mostly it is the usual outputs and nothing else.
        let mut left = stale & COMPUTED;
        while left != 0 {
            let group = match left & left.wrapping_neg() {
                OUTPUTS => Group::Outputs,
                DENSE => Group::Dense,
                _ => Group::Rates,
            };
            self.evaluate_group(group)?;
            left &= left - 1;
        }
        Ok(())
    }

    #[inline(always)]
    fn evaluate_group(&mut self, group: Group) -> Result<(), Fault> {
        let done = self.model.evaluate(&mut self.memory, group);
        self.survive(done)?;
        self.stale &= !group_flag(group);
        Ok(())
    }

    /// Brings inputs, and during initialisation the hidden state, up to date.
    #[inline(always)]
    fn prepare(&mut self) -> Result<(), Fault> {
        self.gather_inputs();
        if self.memory.phase == Phase::Initialization { self.initialise() } else { Ok(()) }
    }

    #[cold]
    #[inline(never)]
    fn initialise(&mut self) -> Result<(), Fault> {
        let done = self.model.initialise(&mut self.memory);
        self.stale |= GATHER;
        self.survive(done)
    }

    /// A model's failure leaves the slave in [`Phase::Error`].
    #[inline]
    fn survive<T>(&mut self, result: Result<T, Fault>) -> Result<T, Fault> {
        if let Err(Fault::Model { .. }) = result {
            self.memory.phase = Phase::Error;
        }
        result
    }
}

impl<M: Model> Slave for Instance<M> {
    fn instance_name(&self) -> &str {
        &self.name
    }
    fn description(&self) -> &ModelDescription {
        &self.access.description
    }
    fn phase(&self) -> Phase {
        self.memory.phase
    }
    fn time_s(&self) -> f64 {
        self.memory.time_s
    }
    fn setup_experiment(&mut self, start_s: f64, stop_s: Option<f64>, tolerance: Option<f64>) -> Result<(), Fault> {
        self.setup(start_s, stop_s, tolerance)
    }
    fn enter_initialization(&mut self) -> Result<(), Fault> {
        self.enter()
    }
    fn exit_initialization(&mut self) -> Result<(), Fault> {
        self.exit()
    }
    fn terminate(&mut self) -> Result<(), Fault> {
        self.end()
    }
    fn reset(&mut self) -> Result<(), Fault> {
        self.start_over()
    }
    // Both versions of FMI have a shell around these three: without it they are calls in both.
    #[inline(always)]
    fn set_real(&mut self, refs: &[u32], values: &[f64]) -> Result<(), Fault> {
        self.write_reals(refs, values)
    }
    #[inline(always)]
    fn get_real(&mut self, refs: &[u32], values: &mut [f64]) -> Result<(), Fault> {
        self.read_reals(refs, values)
    }
    fn set_integer(&mut self, refs: &[u32], values: &[i32]) -> Result<(), Fault> {
        self.write_integers(refs, values)
    }
    fn get_integer(&mut self, refs: &[u32], values: &mut [i32]) -> Result<(), Fault> {
        self.read_integers(refs, values)
    }
    fn set_boolean(&mut self, refs: &[u32], values: &[bool]) -> Result<(), Fault> {
        self.write_booleans(refs, values)
    }
    fn get_boolean(&mut self, refs: &[u32], values: &mut [bool]) -> Result<(), Fault> {
        self.read_booleans(refs, values)
    }
    fn set_string(&mut self, refs: &[u32], values: &[&str]) -> Result<(), Fault> {
        self.write_strings(refs, values)
    }
    fn get_string(&mut self, refs: &[u32]) -> Result<Vec<&str>, Fault> {
        self.read_strings(refs)
    }
    fn set_real_input_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &[f64]) -> Result<(), Fault> {
        self.write_input_derivatives(refs, orders, values)
    }
    fn get_real_output_derivatives(&mut self, refs: &[u32], orders: &[i32], values: &mut [f64]) -> Result<(), Fault> {
        self.read_output_derivatives(refs, orders, values)
    }
    #[inline(always)]
    fn do_step(&mut self, t_s: f64, step_s: f64, _keep: bool) -> Result<Outcome, Fault> {
        self.advance(t_s, step_s)
    }
    fn cancel_step(&mut self) -> Result<(), Fault> {
        crate::phase::CANCEL_STEP.check(self.memory.phase)
    }
    fn last_successful_time_s(&self) -> Result<f64, Fault> {
        crate::phase::GET_STATUS.check(self.memory.phase)?;
        Ok(self.memory.time_s)
    }
    fn wants_termination(&self) -> Result<bool, Fault> {
        crate::phase::GET_STATUS.check(self.memory.phase)?;
        Ok(self.memory.wants_termination)
    }
    fn save(&mut self, into: &mut Snapshot) -> Result<(), Fault> {
        self.save_to(into)
    }
    fn restore(&mut self, from: &Snapshot) -> Result<(), Fault> {
        self.restore_from(from)
    }
    fn hidden_state(&mut self) -> &mut [f64] {
        self.stale |= COMPUTED;
        &mut self.memory.hidden_reals
    }
    fn serialized_size(&self, snapshot: &Snapshot) -> Result<usize, Fault> {
        self.size_of(snapshot)
    }
    fn serialize(&self, snapshot: &Snapshot, bytes: &mut [u8]) -> Result<(), Fault> {
        self.write_bytes(snapshot, bytes)
    }
    fn deserialize(&self, bytes: &[u8], into: &mut Snapshot) -> Result<(), Fault> {
        self.read_bytes(bytes, into)
    }
    fn directional_derivative(&mut self, of: Tangent<'_>) -> Result<(), Fault> {
        self.differentiate(of)
    }
}
