//! Sampled outputs of a unit, and their values for the true inputs where they have feed-through.

use crate::savable::savable;
use crate::system::System;
use crate::system::refresh::Refresh;
use crate::unit::{Unit, UnitError};

savable! {
/// Sampled outputs of a unit as they were read last.
pub(crate) struct OutputsState {
    pub values: Vec<f64>,
    /// What the unit itself said of those with feed-through.
    pub(super) reported: Vec<f64>,
}
}

impl OutputsState {
    /// How many values there are.
    pub(super) fn shape(&self) -> [usize; 2] {
        [self.values.len(), self.reported.len()]
    }
}

/// Sampled outputs of a unit, and room to read them.
pub(crate) struct Outputs {
    pub refs: Vec<u32>,
    /// Positions of the variables in the unit's description.
    pub variables: Vec<usize>,
    /// Channels of this unit: number of the channel, first place in `values`, width.
    pub channels: Vec<(usize, usize, usize)>,
    pub refresh: Refresh,
    /// Value references of feed-through outputs and their places in `values`.
    pub refresh_refs: Vec<u32>,
    pub refresh_places: Vec<usize>,
    pub(super) refreshed: Vec<f64>,
    /// The outputs without feed-through, and whether they are the first ones.
    state_refs: Vec<u32>,
    state_places: Vec<usize>,
    state_values: Vec<f64>,
    state_first: bool,
}

impl Outputs {
    /// Reads the unit after a step, without the outputs that are evaluated later by setting inputs and getting. The
    /// first of `values` are the outputs.
    #[inline(always)]
    pub fn read_into(&mut self, unit: &mut dyn Unit, values: &mut [f64]) -> Result<(), UnitError> {
        if self.refresh != Refresh::GetAfterSet {
            return unit.get_real(&self.refs, &mut values[..self.refs.len()]);
        }
        let n = self.state_refs.len();
        if self.state_first {
            return unit.get_real(&self.state_refs, &mut values[..n]);
        }
        unit.get_real(&self.state_refs, &mut self.state_values)?;
        for (&place, &v) in self.state_places.iter().zip(&self.state_values) {
            values[place] = v;
        }
        Ok(())
    }

    /// The sampled outputs of unit `u` of the system.
    pub(super) fn new(system: &System, u: usize, refresh: Refresh) -> Self {
        // Outputs channel by channel, and which of them have feed-through.
        let (mut refs, mut channels): (Vec<u32>, Vec<_>) = (Vec::new(), Vec::new());
        let (mut refresh_refs, mut refresh_places) = (Vec::new(), Vec::new());
        let (mut variables, mut state_places) = (Vec::new(), Vec::new());
        for (number, channel) in system.channels_of(u) {
            channels.push((number, refs.len(), channel.refs.len()));
            for (&reference, &variable) in channel.refs.iter().zip(&channel.variables) {
                if system.has_feedthrough(u, variable) {
                    refresh_refs.push(reference);
                    refresh_places.push(refs.len());
                } else {
                    // The others are read only.
                    state_places.push(refs.len());
                }
                refs.push(reference);
                variables.push(variable);
            }
        }
        let m = refresh_refs.len();
        Outputs {
            state_refs: state_places.iter().map(|&place: &usize| refs[place]).collect(),
            state_values: vec![0.0; state_places.len()],
            state_first: state_places.iter().copied().eq(0..state_places.len()),
            state_places,
            refs,
            variables,
            channels,
            refresh,
            refresh_refs,
            refresh_places,
            refreshed: vec![0.0; m],
        }
    }

    /// Nothing read yet.
    pub(super) fn state(&self) -> OutputsState {
        OutputsState { values: vec![0.0; self.refs.len()], reported: vec![0.0; self.refresh_refs.len()] }
    }

    /// Keeps what the unit itself said of its feed-through outputs, before they are refreshed.
    #[inline]
    pub(super) fn keep_reported(&self, state: &mut OutputsState) {
        for (reported, &place) in state.reported.iter_mut().zip(&self.refresh_places) {
            *reported = state.values[place];
        }
    }

    /// Values of the feed-through outputs.
    pub fn refreshed_values<'a>(&'a self, state: &'a OutputsState) -> impl Iterator<Item = f64> + 'a {
        self.refresh_places.iter().map(|&place| state.values[place])
    }

    /// Takes the first values given as those of the feed-through outputs; returns how many that are.
    pub fn set_refreshed(&self, state: &mut OutputsState, y: &[f64]) -> usize {
        for (&place, &v) in self.refresh_places.iter().zip(y) {
            state.values[place] = v;
        }
        self.refresh_places.len()
    }
}
