//! The trait of a model.

use std::path::Path;

use macrostep_description::{ModelDescription, Variable};
use macrostep_ode::micro;

use crate::{Fault, Memory, Message, Outcome, Shape, Tangent};

/// Computed variables that are evaluated together when one of them is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum Group {
    /// Cheap to evaluate: the usual outputs.
    #[default]
    Outputs = 0,
    /// Costly: dense output and the like.
    Dense = 1,
    /// Rates that the equations have to be solved for, and what no output shows.
    Rates = 2,
}

/// A macro step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Its start t_N (s).
    pub start_s: f64,
    /// Its length H (s), positive.
    pub step_s: f64,
}

/// Largest number of micro steps in a macro step of an ODE model, some ten nanoseconds each: a slave that computes for
/// minutes looks like one that hangs.
pub const MICRO_STEPS_MAX: u64 = 100_000_000;

/// A step shorter than this part of the steps that a slave makes is a remainder.
const REMAINDER: f64 = 1e-6;

impl Span {
    /// Whether it is what is left over where a master adds up its time (`while t < T: h = min(H, T - t)`): rounding, no step. It is time in which
    /// nothing moves. `whole_s` (s) is the length of the steps that the slave makes.
    pub fn is_remainder(&self, whole_s: f64) -> bool {
        self.step_s <= REMAINDER * whole_s
    }

    /// How many micro steps of about `micro_step_s` (s) make this step, at least 1. `work` is what a micro step costs in those
    /// of a small ODE model, at least 1.
    ///
    /// # Errors
    /// [`Fault::Model`] for more than [`MICRO_STEPS_MAX`] / `work`.
    pub fn micro_steps(self, micro_step_s: f64, work: u64) -> Result<u64, Fault> {
        let (count, most) = (micro::count(self.step_s, micro_step_s), MICRO_STEPS_MAX / work.max(1));
        if count <= most {
            return Ok(count);
        }
        let message = format!("a macro step of {count} micro steps found, expected at most {most}");
        Err(Fault::Model { t_s: self.start_s, message })
    }
}

/// The definition of a slave: its declaration, and the computations behind the functions of the standard. Whatever
/// changes is in the [`Memory`]; a field of the model that changes is a cache, which must be recoverable from the memory
/// at any time.
pub trait Model: Send + Sized + 'static {
    /// Whether calls of one instance that begin at the same instant, which FMI forbids, are told apart by an atomic exchange. Without
    /// it a call that begins while another one runs is refused all the same, but of two that begin within the same nanoseconds both
    /// run. That is for models whose calls are so short that the exchange is a tenth of them.
    const EXCLUDES_CALLS: bool = true;

    /// Builds the model and its declaration. `resources` is the folder of the FMU's resources; models that declare
    /// themselves without files ignore it. Value references must count from 0 in each type.
    fn declare(resources: Option<&Path>) -> Result<(Self, ModelDescription), Fault>;

    /// How much hidden memory is needed.
    fn shape(&self) -> Shape {
        Shape::default()
    }

    /// The group a computed variable (one with `initial = calculated`) is evaluated with.
    fn group(&self, _variable: &Variable) -> Group {
        Group::Outputs
    }

    /// Where each continuous state stands in [`Memory::hidden_reals`], in the order of `Derivatives`: what model exchange sets.
    fn states(&self) -> &[usize] {
        &[]
    }

    /// Sets the hidden state from parameters and inputs. Called whenever these may have changed before the end of
    /// initialisation, so that it must not depend on the hidden state before.
    fn initialise(&mut self, _memory: &mut Memory) -> Result<(), Fault> {
        Ok(())
    }

    /// Advances the hidden state over a macro step, with the inputs as polynomials since its start
    /// ([`Memory::last_inputs`]).
    fn step(&mut self, memory: &mut Memory, span: Span) -> Result<Outcome, Fault>;

    /// Steps \[s\] that it makes inside a macro step, from the present time on, where a macro step may be made in parts that end with one of them: what
    /// an importer of FMI 3.0 sets inside a macro step is followed by one polynomial in each part.
    fn own_step_s(&self, _memory: &Memory) -> Option<f64> {
        None
    }

    /// Evaluates the computed variables of a group from the hidden state and the inputs at the present time.
    fn evaluate(&mut self, memory: &mut Memory, group: Group) -> Result<(), Fault>;

    /// `values[i]`: derivative of order `orders[i]` of the real output `refs[i]`. References and orders have been checked
    /// against the declaration: a model that declares none is not asked for any.
    fn output_derivatives(
        &mut self,
        _memory: &Memory,
        _refs: &[u32],
        _orders: &[i32],
        values: &mut [f64],
    ) -> Result<(), Fault> {
        values.fill(0.0);
        Ok(())
    }

    /// Writes all that changes and stands elsewhere than in the memory, as other slaves do, into [`Memory::kept`]: the memory
    /// is about to be saved.
    ///
    /// # Errors
    /// Where it cannot be written down.
    fn keep_state(&mut self, _memory: &mut Memory) -> Result<(), Fault> {
        Ok(())
    }

    /// Takes up what [`Model::keep_state`] has written: the memory is another one from here on, one that was saved or a fresh one.
    ///
    /// # Errors
    /// Where it is none of this model.
    fn recall_state(&mut self, _memory: &mut Memory) -> Result<(), Fault> {
        Ok(())
    }

    /// What slaves inside the model have said since they were last asked, for the log.
    fn messages(&mut self) -> Vec<Message> {
        Vec::new()
    }

    /// A directional derivative with the hidden state fixed, or following the parameters during
    /// initialisation. References have been checked to be reals.
    fn directional_derivative(&mut self, memory: &Memory, of: Tangent<'_>) -> Result<(), Fault>;
}
