//! Derivatives of inputs and outputs.

use macrostep_ode::MAX_DEGREE;

use super::Instance;
use super::values::{same_length, union, unknown};
use crate::access::{COMPUTED, Flags, INPUT, OUTPUT, Space};
use crate::phase::{Call, DIRECTIONAL_DERIVATIVE, GET_OUTPUT_DERIVATIVES, SET_INPUT_DERIVATIVES};
use crate::{Fault, Model, Tangent};

impl<M: Model> Instance<M> {
    pub(super) fn write_input_derivatives(
        &mut self,
        refs: &[u32],
        orders: &[i32],
        values: &[f64],
    ) -> Result<(), Fault> {
        const CALL: Call = SET_INPUT_DERIVATIVES;
        // Nothing is set before all that is given has been checked.
        CALL.check(self.memory.phase)?;
        same_length(CALL, refs.len(), orders.len())?;
        same_length(CALL, refs.len(), values.len())?;
        let (list, max) = (self.access.reals.as_slice(), self.access.max_input_order);
        let mut is_fine = true;
        for ((reference, order), value) in refs.iter().zip(orders).zip(values) {
            let flags = list.get(*reference as usize).copied().unwrap_or(0);
            // An order below 1 is a large one here.
            is_fine &= (flags & INPUT != 0) & ((*order as u32).wrapping_sub(1) < max) & value.is_finite();
        }
        if !is_fine {
            self.look_at_derivatives(refs, orders, values)?;
        }
        // The coefficient is u⁽ʲ⁾/j!.
        for ((reference, order), value) in refs.iter().zip(orders).zip(values) {
            let input = self.access.input_of[*reference as usize];
            self.begin_polynomial(input);
            // Checked to be from 1 to 20.
            let j = *order as usize;
            self.memory.inputs.set(input, j, value / FACTORIALS[j]);
        }
        // All that is computed follows from inputs.
        self.stale |= COMPUTED;
        Ok(())
    }

    /// What is wrong with derivatives of inputs.
    #[cold]
    #[inline(never)]
    fn look_at_derivatives(&self, refs: &[u32], orders: &[i32], values: &[f64]) -> Result<(), Fault> {
        const CALL: Call = SET_INPUT_DERIVATIVES;
        self.check_orders(CALL, refs, orders, INPUT, self.access.max_input_order as usize)?;
        let mut given = refs.iter().zip(values);
        let Some((reference, value)) = given.find(|(_, value)| !value.is_finite()) else { return Ok(()) };
        let name = self.access.name(Space::Real, *reference);
        Err(Fault::NotFinite { call: CALL.name, name, value: *value })
    }

    pub(super) fn read_output_derivatives(
        &mut self,
        refs: &[u32],
        orders: &[i32],
        values: &mut [f64],
    ) -> Result<(), Fault> {
        const CALL: Call = GET_OUTPUT_DERIVATIVES;
        CALL.check(self.memory.phase)?;
        same_length(CALL, refs.len(), orders.len())?;
        same_length(CALL, refs.len(), values.len())?;
        let max = self.co_simulation().map_or(0, |c| c.max_output_derivative_order as usize);
        self.check_orders(CALL, refs, orders, OUTPUT, max)?;
        self.prepare()?;
        let done = self.model.output_derivatives(&self.memory, refs, orders, values);
        self.survive(done)
    }

    pub(super) fn differentiate(&mut self, of: Tangent<'_>) -> Result<(), Fault> {
        const CALL: Call = DIRECTIONAL_DERIVATIVE;
        CALL.check(self.memory.phase)?;
        same_length(CALL, of.known.len(), of.d_known.len())?;
        same_length(CALL, of.unknown.len(), of.d_unknown.len())?;
        union(CALL, &self.access.reals, of.unknown)?;
        union(CALL, &self.access.reals, of.known)?;
        self.prepare()?;
        let done = self.model.directional_derivative(&self.memory, of);
        self.survive(done)
    }

    fn co_simulation(&self) -> Option<&macrostep_description::CoSimulation> {
        self.access.description.co_simulation.as_ref()
    }

    /// # Errors
    /// [`Fault::UnknownReference`], and [`Fault::Order`] for a variable of another kind or an order out of range.
    fn check_orders(&self, call: Call, refs: &[u32], orders: &[i32], kind: Flags, max: usize) -> Result<(), Fault> {
        for (reference, order) in refs.iter().zip(orders) {
            let Some(flags) = self.access.reals.get(*reference as usize) else {
                return Err(unknown(call, *reference, self.access.reals.len()));
            };
            let max = if flags & kind == 0 { 0 } else { max };
            if *order < 1 || *order as usize > max {
                let name = self.access.name(Space::Real, *reference);
                return Err(Fault::Order { call: call.name, name, order: *order, max });
            }
        }
        Ok(())
    }
}

/// 0! … 20!, exact in floating point up to 18! and correctly rounded beyond.
const FACTORIALS: [f64; MAX_DEGREE + 1] = {
    let (mut list, mut product, mut j) = ([1.0; MAX_DEGREE + 1], 1u64, 1);
    while j <= MAX_DEGREE {
        product *= j as u64;
        list[j] = product as f64;
        j += 1;
    }
    list
};
