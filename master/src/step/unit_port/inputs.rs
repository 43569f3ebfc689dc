//! Connected inputs of a unit: values, polynomials, and the values that the unit holds.

use super::parts::Parts;
use crate::savable::savable;
use crate::signal::segment::Segment;
use crate::unit::{Tangent, Unit, UnitError};

/// Connected inputs of a unit, and room for what they get in a step.
pub(crate) struct Inputs {
    pub refs: Vec<u32>,
    pub values: Vec<f64>,
    change: Vec<f64>,
    pub segments: Vec<Segment>,
    pub(super) row: Vec<f64>,
    /// First time derivatives, where they are sampled with.
    pub(super) rates: Vec<f64>,
    pub(super) first_orders: Vec<i32>,
    /// Highest order of input derivatives that the unit takes; with 0 it holds inputs and gets sub-steps.
    pub takes: usize,
    pub sub_steps: usize,
    /// For polynomials of a higher degree than the unit takes.
    pub(super) parts: Parts,
    /// What goes with derivatives of orders 1, 2, … as far as any were sent, those of one order after those of another.
    derivative_refs: Vec<u32>,
    derivative_orders: Vec<i32>,
    derivatives: Vec<f64>,
    /// n/H for the orders n sent, and H \[s\].
    factors: (Vec<f64>, f64),
}

savable! {
/// What has become of the inputs of a unit.
pub(crate) struct InputsState {
    /// What the unit holds at the end of its last step.
    pub(super) held: Vec<f64>,
    /// What an energy correction adds to each.
    offset: Option<Vec<f64>>,
    /// Highest order sent so far: once sent, orders are sent always, because a slave may keep them.
    pub(super) order: usize,
    /// Whether the unit was given `sent` since its last step, so that the same values need not be sent again.
    pub shown: bool,
    sent: Vec<f64>,
    /// Largest value that each has had, where inputs are sent in parts.
    pub(super) sizes: Vec<f64>,
}
}

impl InputsState {
    /// Of `n` inputs, before the first step.
    pub(super) fn new(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        InputsState { held: zeros(), offset: None, order: 0, shown: false, sent: zeros(), sizes: zeros() }
    }

    /// How many values there are.
    pub(super) fn shape(&self) -> [usize; 3] {
        [self.held.len(), self.sent.len(), self.offset.as_ref().map_or(self.held.len(), Vec::len)]
    }

    /// What the unit holds at the end of its last step; before the first one, at the start.
    pub fn held(&self) -> &[f64] {
        &self.held
    }

    /// Highest order of derivatives sent so far.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Whether the unit holds exactly these values already, by a refresh since its last step; a step comes now.
    #[inline]
    pub fn takes_shown(&mut self, values: &[f64]) -> bool {
        std::mem::take(&mut self.shown) && is_same(values, &self.sent)
    }

    /// Sets the offset that is added to the inputs from now on.
    pub fn set_offset(&mut self, offset: &[f64]) {
        self.offset.get_or_insert_with(|| vec![0.0; offset.len()]).copy_from_slice(offset);
    }
}

impl Inputs {
    /// Those of these value references, of which the unit takes derivatives up to an order; channels are at most `width` wide.
    pub(super) fn new(refs: Vec<u32>, width: usize, takes: usize, (sub_steps, parts): (usize, Parts)) -> Self {
        let n = refs.len();
        Inputs {
            values: vec![0.0; n],
            change: vec![0.0; n],
            segments: vec![Segment::default(); n],
            row: vec![0.0; width],
            rates: vec![0.0; n],
            first_orders: vec![1; n],
            takes,
            sub_steps,
            parts,
            derivative_refs: Vec::new(),
            derivative_orders: Vec::new(),
            derivatives: Vec::new(),
            factors: (Vec::new(), 0.0),
            refs,
        }
    }

    /// Whether the unit takes input derivatives; else it gets sub-steps.
    pub fn interpolates(&self) -> bool {
        self.takes > 0
    }

    /// `fmi2SetReal` of all connected inputs.
    #[inline]
    pub(super) fn set(&self, unit: &mut dyn Unit) -> Result<(), UnitError> {
        if self.refs.is_empty() { Ok(()) } else { unit.set_real(&self.refs, &self.values) }
    }

    /// As [`Inputs::set`], to be read after: the next step need not be given the same values again.
    #[inline]
    pub(super) fn show(&self, state: &mut InputsState, unit: &mut dyn Unit) -> Result<(), UnitError> {
        unit.set_real(&self.refs, &self.values)?;
        state.sent.copy_from_slice(&self.values);
        state.shown = true;
        Ok(())
    }

    /// Constants where all polynomials are and always were; false where they are not.
    pub(super) fn are_constant(&mut self, state: &InputsState) -> bool {
        let is_constant = state.order == 0 && self.degree() == 0;
        if is_constant {
            for (v, p) in self.values.iter_mut().zip(&self.segments) {
                *v = p.coefficient(0);
            }
        }
        is_constant
    }

    pub(super) fn degree(&self) -> usize {
        self.segments.iter().map(Segment::degree).max().unwrap_or(0)
    }

    /// Values and derivatives at the step's start, all inputs in one call each.
    #[inline]
    pub(super) fn send_polynomials(
        &mut self,
        state: &mut InputsState,
        unit: &mut dyn Unit,
        length_s: f64,
    ) -> Result<(), UnitError> {
        self.make_polynomials(state, length_s);
        self.set(unit)?;
        let (refs, orders, derivatives) = self.derivatives(state);
        unit.set_input_derivatives(refs, orders, derivatives)
    }

    /// Values and derivatives of the polynomials at the step's start.
    #[inline(always)]
    pub(super) fn make_polynomials(&mut self, state: &mut InputsState, length_s: f64) {
        // Values, and the highest order there is.
        for (value, p) in self.values.iter_mut().zip(&self.segments) {
            *value = p.coefficient(0);
            state.order = state.order.max(p.degree());
        }
        self.reach(state.order, length_s);
        // Derivatives in seconds from coefficients in local time, order by order.
        let (n, factors) = (self.refs.len(), &self.factors.0);
        let mut rest = self.derivatives.as_mut_slice();
        for before in 0..state.order {
            let (of_order, next) = rest.split_at_mut(n);
            for (derivative, p) in of_order.iter_mut().zip(&self.segments) {
                *derivative = p.taylor(&factors[..=before]);
            }
            rest = next;
        }
    }

    /// Derivatives that were made, of all orders that are sent.
    #[inline(always)]
    pub(super) fn derivatives(&self, state: &InputsState) -> (&[u32], &[i32], &[f64]) {
        let sent = state.order * self.refs.len();
        (&self.derivative_refs[..sent], &self.derivative_orders[..sent], &self.derivatives[..sent])
    }

    /// What the unit holds at the end of a step with the polynomials: their value there, or at the middle of the last sub-step.
    pub(super) fn keep_held(&self, state: &mut InputsState) {
        let end = if self.interpolates() { 1.0 } else { 1.0 - 0.5 / self.sub_steps as f64 };
        for (held, p) in state.held.iter_mut().zip(&self.segments) {
            *held = p.at(end);
        }
    }

    /// Directional derivatives of outputs × change of the inputs from what the unit holds to `values`.
    #[inline]
    pub(super) fn respond(
        &mut self,
        state: &InputsState,
        unit: &mut dyn Unit,
        (refs, out): (&[u32], &mut [f64]),
    ) -> Result<(), UnitError> {
        for ((change, value), held) in self.change.iter_mut().zip(&self.values).zip(&state.held) {
            *change = value - held;
        }
        unit.directional(Tangent::new(refs, &self.refs, &self.change, out))
    }

    /// Makes room for derivatives up to this order over a step of this length.
    #[inline]
    fn reach(&mut self, order: usize, length_s: f64) {
        if self.factors.0.len() < order || self.factors.1 != length_s {
            self.factors.0.clear();
            self.factors.0.extend((1..order + 1).map(|i| i as f64 / length_s));
            self.factors.1 = length_s;
        }
        let n = self.refs.len();
        while self.derivative_refs.len() < order * n {
            let next = self.derivative_refs.len() / n + 1;
            self.derivative_refs.extend_from_slice(&self.refs);
            self.derivative_orders.extend(self.refs.iter().map(|_| next as i32));
            self.derivatives.resize(self.derivative_refs.len(), 0.0);
        }
    }

    /// Adds the offset to constants.
    #[inline]
    pub(super) fn shift_values(&mut self, state: &InputsState) {
        if let Some(offset) = &state.offset {
            self.values.iter_mut().zip(offset).for_each(|(v, d)| *v += d);
        }
    }

    /// Adds the offset to polynomials.
    #[inline]
    pub(super) fn shift_segments(&mut self, state: &InputsState) {
        if let Some(offset) = &state.offset {
            self.segments.iter_mut().zip(offset).for_each(|(p, d)| p.shift(*d));
        }
    }

    /// Whether the unit holds exactly `values` already, by a refresh since its last step.
    #[inline]
    pub(super) fn are_shown(&self, state: &InputsState) -> bool {
        state.shown && is_same(&self.values, &state.sent)
    }
}

/// Bit by bit.
pub(super) fn is_same(values: &[f64], sent: &[f64]) -> bool {
    values.iter().zip(sent).all(|(v, s)| v.to_bits() == s.to_bits())
}
