//! Known values of a unit at an instant: its sampled outputs, and its inputs as they are known or predicted.

use super::{UnitPort, UnitPortState};
use crate::step::supply::Supply;
use crate::system::refresh::Refresh;
use crate::time::{Span, Tick};
use crate::unit::UnitError;

impl UnitPort {
    /// Makes the outputs read last known to everybody.
    #[inline]
    pub fn publish(&self, state: &UnitPortState, supply: &mut Supply<'_>, at: Tick) {
        // Each channel gets a row, and those of inner nodes before it.
        for &(channel, first, width) in &self.outputs.channels {
            if let (Some(dense), Some(samples)) = (&self.dense, &state.dense) {
                dense.publish(samples, &mut supply.histories[channel], first);
            }
            supply.histories[channel].put(at, &state.outputs.values[first..first + width]);
        }
    }

    /// Sampled output `place` at `at`: the last one read, or what was published of it where the unit is ahead.
    #[inline]
    pub fn sampled(&self, state: &UnitPortState, supply: &Supply<'_>, place: usize, at: Tick) -> f64 {
        // A unit with samples inside its steps has published all that it knows.
        if self.dense.is_some() {
            let channel =
                self.outputs.channels.iter().find(|(_, first, width)| (*first..first + width).contains(&place));
            if let Some(&(channel, first, _)) = channel {
                let history = &supply.histories[channel];
                return history.value(history.not_after(at), place - first);
            }
        }
        state.outputs.values[place]
    }

    /// Evaluates feed-through outputs with the inputs' values at `at` and publishes them.
    #[inline]
    pub fn refresh(&mut self, state: &mut UnitPortState, supply: &mut Supply<'_>, at: Tick) -> Result<(), UnitError> {
        let (x, y) = (&mut self.inputs, &mut self.outputs);
        if y.refresh == Refresh::Reported || y.refresh_refs.is_empty() {
            return Ok(());
        }
        // The inputs as they are known now, and what the outputs make of them.
        for feed in &mut self.feeds {
            feed.values(supply, at, &mut x.row, &mut x.values);
        }
        // Inputs are set, with their rates where these count, or directional derivatives answer their change.
        match y.refresh {
            Refresh::GetAfterSet if self.rates => {
                x.show(&mut state.inputs, self.unit.as_mut())?;
                let step_s = supply.clock.length_s(self.step * supply.pace.stretch);
                for feed in &mut self.feeds {
                    feed.rates(supply, at, step_s, &mut x.row, &mut x.rates);
                }
                self.unit.set_input_derivatives(&x.refs, &x.first_orders, &x.rates)?;
                self.unit.get_real(&y.refresh_refs, &mut y.refreshed)?;
            }
            Refresh::GetAfterSet => {
                x.show(&mut state.inputs, self.unit.as_mut())?;
                self.unit.get_real(&y.refresh_refs, &mut y.refreshed)?;
            }
            Refresh::Directional => {
                x.respond(&state.inputs, self.unit.as_mut(), (&y.refresh_refs, &mut y.refreshed))?;
                for (d, reported) in y.refreshed.iter_mut().zip(&state.outputs.reported) {
                    *d += reported;
                }
            }
            Refresh::Reported => {}
        }
        // Everybody knows them from now on.
        for (&place, &v) in y.refresh_places.iter().zip(&y.refreshed) {
            state.outputs.values[place] = v;
        }
        self.publish(state, supply, at);
        Ok(())
    }

    /// Evaluates feed-through outputs by setting `inputs.values` and getting; the first of `values` are the outputs.
    #[inline]
    pub fn refresh_into(&mut self, state: &mut UnitPortState, values: &mut [f64]) -> Result<(), UnitError> {
        let y = &mut self.outputs;
        self.inputs.show(&mut state.inputs, self.unit.as_mut())?;
        self.unit.get_real(&y.refresh_refs, &mut y.refreshed)?;
        for (&place, &v) in y.refresh_places.iter().zip(&y.refreshed) {
            values[place] = v;
        }
        Ok(())
    }

    /// Keeps the unit's own values of its feed-through outputs, before they are refreshed.
    #[inline]
    pub fn keep_reported(&self, state: &mut UnitPortState) {
        if self.outputs.refresh == Refresh::Directional {
            self.outputs.keep_reported(&mut state.outputs);
        }
    }

    /// The inputs' values at `at` into `inputs.values`.
    pub fn feed_now(&mut self, supply: &mut Supply<'_>, at: Tick) {
        for feed in &mut self.feeds {
            feed.values(supply, at, &mut self.inputs.row, &mut self.inputs.values);
        }
    }

    /// Sets the inputs to `inputs.values`, if the unit does not hold them already, to read outputs that depend on them.
    /// The next step need not be given the same values again.
    pub fn show_known(&mut self, state: &mut UnitPortState) -> Result<(), UnitError> {
        if self.inputs.are_shown(&state.inputs) {
            return Ok(());
        }
        self.inputs.show(&mut state.inputs, self.unit.as_mut())
    }

    /// Sets the inputs to `inputs.values`, which is what the unit then holds.
    pub fn show_inputs(&mut self, state: &mut UnitPortState) -> Result<(), UnitError> {
        state.inputs.shown = false;
        state.inputs.held.copy_from_slice(&self.inputs.values);
        self.inputs.set(self.unit.as_mut())
    }

    /// Changes of outputs with these references when the inputs go from the values that the unit holds to
    /// `inputs.values`, by directional derivatives.
    pub fn respond(&mut self, state: &UnitPortState, refs: &[u32], out: &mut [f64]) -> Result<(), UnitError> {
        self.inputs.respond(&state.inputs, self.unit.as_mut(), (refs, out))
    }

    /// Values of the inputs at the end of `span`, as they are predicted before it.
    pub fn predicted_inputs(&mut self, supply: &mut Supply<'_>, span: &Span, out: &mut [f64]) {
        for feed in &mut self.feeds {
            feed.segments(supply, span, &mut self.inputs.segments, &mut self.inputs.values);
        }
        for (v, p) in out.iter_mut().zip(&self.inputs.segments) {
            *v = p.at(1.0);
        }
    }

    /// Input `i` as it was fed in the step just made, at its start (0) or end (1).
    #[inline]
    pub fn applied(&self, i: usize, s: f64) -> f64 {
        if self.holds { self.inputs.values[i] } else { self.inputs.segments[i].at(s) }
    }

    /// Reads all sampled outputs and publishes them.
    pub fn sample(&mut self, state: &mut UnitPortState, supply: &mut Supply<'_>, at: Tick) -> Result<(), UnitError> {
        self.unit.get_real(&self.outputs.refs, &mut state.outputs.values)?;
        self.keep_reported(state);
        self.publish(state, supply, at);
        Ok(())
    }
}
