//! Steps that are tried from one saved state, each with inputs of its own: the differences of a Jacobian.

use super::{Outcome, Steps, UnitError};

/// Steps of a unit from one saved state.
#[derive(Debug, Clone, Copy)]
pub struct Trials<'a> {
    /// How many there are.
    pub count: usize,
    /// Slot of the state, see [`States::save`](super::States::save).
    pub slot: usize,
    /// Start of all of them \[s\].
    pub t_s: f64,
    /// Their length \[s\].
    pub step_s: f64,
    /// Inputs and their values, those of one trial after those of another.
    pub inputs: (&'a [u32], &'a [f64]),
    /// As of [`Derivatives::set_input_derivatives`](super::Derivatives::set_input_derivatives), in the same way; none where inputs are held.
    pub derivatives: (&'a [u32], &'a [i32], &'a [f64]),
    /// What is read behind each step.
    pub outputs: &'a [u32],
    /// Parts of the step, up to 1, at which that is read, row by row; none: at its end. Only for units that gain by trials on this machine.
    pub nodes: &'a [f64],
}

impl Trials<'_> {
    /// Values and derivatives of the inputs in trial `i`.
    pub fn of(&self, i: usize) -> (&[f64], &[f64]) {
        let part = |n: usize| i * n..(i + 1) * n;
        (&self.inputs.1[part(self.inputs.0.len())], &self.derivatives.2[part(self.derivatives.0.len())])
    }

    /// [`Steps::trials`] of a unit that gains nothing by making them together; false where nodes inside the step are to be read.
    ///
    /// # Errors
    /// Those of the unit.
    pub fn one_by_one(&self, unit: &mut (impl Steps + ?Sized), values: &mut [f64]) -> Result<bool, UnitError> {
        if !self.nodes.is_empty() {
            return Ok(false);
        }
        let n = self.outputs.len();
        for i in 0..self.count {
            unit.restore(self.slot)?;
            let (inputs, derivatives) = self.of(i);
            if !inputs.is_empty() {
                unit.set_real(self.inputs.0, inputs)?;
            }
            if !derivatives.is_empty() {
                unit.set_input_derivatives(self.derivatives.0, self.derivatives.1, derivatives)?;
            }
            if unit.step(self.t_s, self.step_s, false)? != Outcome::Done {
                return Ok(false);
            }
            if n > 0 {
                unit.get_real(self.outputs, &mut values[i * n..(i + 1) * n])?;
            }
        }
        Ok(true)
    }
}

/// How far a unit is away.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distance {
    /// Messages that were sent to it and answered since it was made.
    pub round_trips: u64,
    /// The shortest time that one has taken \[s\].
    pub shortest_s: f64,
}
