//! One step of a unit in several trials of a window: with inputs of its own in each, made together.

use super::inputs::is_same;
use super::{UnitPort, UnitPortState};
use crate::step::dense::Dense;
use crate::step::feed::Feed;
use crate::step::supply::Supply;
use crate::system::refresh::Refresh;
use crate::time::Span;
use crate::unit::{Trials, UnitError};

/// Inputs of a step in several trials, and what is read behind it.
#[derive(Default)]
pub(crate) struct Tried {
    /// Which step each trial makes: with inputs that are those of an earlier one, to the bit, it makes the same.
    steps: Vec<usize>,
    /// How many steps there are, and their inputs, row by row.
    count: usize,
    values: Vec<f64>,
    derivatives: Vec<f64>,
    /// Highest order of the derivatives, of all trials.
    order: usize,
    read: Vec<f64>,
}

impl UnitPort {
    /// Whether the unit is only fed, stepped and read in a step, which is one step: it is sampled at its end, has variables for what
    /// is inside, or reads it in its trials, and no output follows an input at once.
    pub fn may_be_tried(&self) -> bool {
        let is_plain = |feed: &Feed| feed.is_memoryless() || matches!(feed, Feed::Series(_) | Feed::Outside(_));
        let is_refreshed = self.outputs.refresh != Refresh::Reported && !self.outputs.refresh_refs.is_empty();
        let is_stepped = self.dense.as_ref().is_some_and(Dense::is_stepped);
        let is_whole = !is_stepped || self.unit.gains_by_trials() && !self.holds;
        is_whole && !is_refreshed && self.feeds.iter().all(is_plain)
    }

    /// Adds a trial with the inputs that [`UnitPort::advance`] would feed; false where these take more than one call.
    pub fn propose(
        &mut self,
        state: &mut UnitPortState,
        supply: &mut Supply<'_>,
        span: &Span,
        tried: &mut Tried,
    ) -> bool {
        // Orders that were sent before are sent always.
        state.inputs.order = state.inputs.order.max(tried.order);
        if self.holds {
            for feed in &mut self.feeds {
                feed.constants(supply, span.from, span.to, &mut self.inputs.values);
            }
            self.inputs.shift_values(&state.inputs);
        } else {
            for feed in &mut self.feeds {
                feed.segments(supply, span, &mut self.inputs.segments, &mut self.inputs.values);
            }
            self.inputs.shift_segments(&state.inputs);
            if !self.inputs.are_constant(&state.inputs) {
                if self.inputs.degree() > self.inputs.takes {
                    return false;
                }
                self.inputs.make_polynomials(&mut state.inputs, span.length_s);
            }
        }
        // All of them have derivatives up to the same order.
        let order = if self.holds { 0 } else { state.inputs.order };
        if tried.count > 0 && order != tried.order {
            return false;
        }
        tried.order = order;
        let derivatives = if order > 0 { self.inputs.derivatives(&state.inputs).2 } else { &[] };
        let (values, n) = (&self.inputs.values, (self.inputs.values.len(), derivatives.len()));
        let is_known = |i: &usize| {
            is_same(values, &tried.values[i * n.0..(i + 1) * n.0])
                && is_same(derivatives, &tried.derivatives[i * n.1..(i + 1) * n.1])
        };
        let step = (0..tried.count).find(is_known).unwrap_or(tried.count);
        tried.steps.push(step);
        if step == tried.count {
            tried.values.extend_from_slice(values);
            tried.derivatives.extend_from_slice(derivatives);
            tried.count += 1;
        }
        true
    }

    /// Makes the steps of all trials; false where one was not finished.
    pub fn make(
        &mut self,
        state: &UnitPortState,
        (t_s, step_s): (f64, f64),
        tried: &mut Tried,
        slot: usize,
    ) -> Result<bool, UnitError> {
        let (refs, orders) = match tried.order {
            0 => (&[] as &[u32], &[] as &[i32]),
            _ => {
                let (refs, orders, _) = self.inputs.derivatives(&state.inputs);
                (refs, orders)
            }
        };
        let dense = self.dense.as_ref().map_or(&[] as &[u32], |dense| dense.refs());
        let outputs = [&self.outputs.refs, dense].concat();
        // A unit without variables for the nodes is read there.
        let stepped = self.dense.as_ref().filter(|dense| dense.is_stepped());
        let nodes = stepped.map_or(&[] as &[f64], |dense| &dense.nodes);
        tried.read.resize(tried.count * outputs.len() * nodes.len().max(1), 0.0);
        let of = Trials {
            count: tried.count,
            slot,
            t_s,
            step_s,
            inputs: (&self.inputs.refs, &tried.values),
            derivatives: (refs, orders, &tried.derivatives),
            outputs: &outputs,
            nodes,
        };
        self.unit.trials(&of, &mut tried.read)
    }

    /// What was read in trial `i`, as [`UnitPort::advance`] leaves it.
    pub fn take_trial(&self, state: &mut UnitPortState, tried: &Tried, i: usize, span: &Span) {
        let width = tried.read.len() / tried.count;
        let row = &tried.read[tried.steps[i] * width..][..width];
        let n = self.outputs.refs.len();
        let (outputs, inside) = match &self.dense {
            Some(dense) if dense.is_stepped() => (&row[width - n..], row),
            _ => row.split_at(n),
        };
        state.outputs.values.copy_from_slice(outputs);
        if let (Some(dense), Some(samples)) = (&self.dense, &mut state.dense) {
            dense.take(samples, inside, span);
        }
        self.keep_reported(state);
    }
}
