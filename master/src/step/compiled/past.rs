//! Values of the windows before, and the polynomials through them that inputs follow where a predictor does not hold.
//!
//! Windows are of one length and everybody publishes once in each, so that the samples of all signals are evenly spaced. A
//! source that is published ahead of a step is known at the step's end: its samples are one window later.

use super::moves::has_whole_steps;
use crate::method::predict::{Hermite, Stencil, line};
use crate::method::schedule::{Op, Plan};
use crate::signal::history::History;
use crate::signal::segment::{Segment, interpolate_values};
use crate::step::feed::Feed;
use crate::step::unit_port::{UnitPort, UnitPortState};
use crate::step::window::Window;
use crate::system::refresh::Refresh;
use crate::time::Tick;

/// Local times of the newest three samples, where the source is published after the step and ahead of it.
const AFTER: [f64; 3] = [0.0, -1.0, -2.0];
const AHEAD: [f64; 3] = [1.0, 0.0, -1.0];

/// What a unit's inputs get of one channel.
struct Wave {
    /// Place of the channel's first component in the row.
    first: usize,
    /// Pairs of component and place among the unit's inputs.
    picks: Vec<(usize, usize)>,
    /// Components up to the last one that is picked.
    width: usize,
    /// Whether it is published ahead of the unit's step.
    is_ahead: bool,
}

/// The rows before, and what follows from them.
pub(super) struct Past {
    stencil: Stencil,
    /// Of each place in the row: its values at the starts of this window and of the two before.
    values: Vec<[f64; 3]>,
    /// Of each unit.
    waves: Vec<Vec<Wave>>,
    /// Room for a motion and its derivatives.
    room: [Segment; 3],
    /// Room for a row of the widest channel.
    row: Vec<f64>,
}

impl Past {
    /// For a plan whose steps are all as long as the window, with channels at these places of a row of that size; `None` where
    /// inputs follow something else than evenly spaced samples.
    pub fn of(window: &Window, (places, size): (&[usize], usize)) -> Option<Self> {
        let Window { unit_ports, sources, plan, groups, histories, .. } = window;
        let [predictor] = sources.family.as_slice() else { return None };
        let stencil = predictor.stencil()?;
        // What a motion is made of is known of all channels.
        let width = |channel: usize| histories[channel].width();
        let is_motion = |channel: usize| stencil != Stencil::Motion || (2..=3).contains(&width(channel));
        let is_known = |feed: &Feed| matches!(feed, Feed::Channel { channel, .. } if is_motion(*channel));
        let follows = |s: &UnitPort| {
            (s.inputs.takes >= stencil.degree() || s.inputs.refs.is_empty())
                && !s.rates
                && s.outputs.refresh != Refresh::Directional
                && s.feeds.iter().all(is_known)
        };
        if !unit_ports.iter().all(follows) || !has_whole_steps(plan) {
            return None;
        }
        let waves = waves(unit_ports, (plan, groups), places)?;
        let row = vec![0.0; (0..places.len()).map(width).max().unwrap_or(0)];
        Some(Past { stencil, values: vec![[0.0; 3]; size], waves, room: [Segment::default(); 3], row })
    }

    /// Whether all samples are there, one window of `length` ticks apart.
    pub fn is_known(
        &self,
        (unit_ports, states): (&[UnitPort], &[UnitPortState]),
        histories: &[History],
        ticks: (Tick, Tick),
    ) -> bool {
        let (now, length) = ticks;
        let (rows, degree) = (self.stencil.rows(), self.stencil.degree());
        unit_ports.iter().zip(states).all(|(unit_port, state)| {
            let is_even = |history: &History| {
                history.len() >= rows
                    && (0..rows).all(|j| history.at(history.newest() - j) == (now - j as Tick * length) as f64)
            };
            let is_sent = unit_port.inputs.refs.is_empty() || state.inputs.order() == degree;
            is_sent && unit_port.outputs.channels.iter().all(|&(channel, ..)| is_even(&histories[channel]))
        })
    }

    /// Takes the samples before the newest ones; the places in the row begin at `first` for each unit.
    pub fn load(&mut self, unit_ports: &[UnitPort], first: impl Fn(usize) -> usize, histories: &[History]) {
        for (u, unit_port) in unit_ports.iter().enumerate() {
            for &(channel, place, width) in &unit_port.outputs.channels {
                let history = &histories[channel];
                for j in 1..self.stencil.rows() {
                    let row = history.row(history.newest() - j);
                    (0..width).for_each(|c| self.values[first(u) + place + c][j - 1] = row[c]);
                }
            }
        }
    }

    /// Gives histories the samples before the newest ones, as of a row known at `now`.
    pub fn settle(
        &mut self,
        unit_ports: &[UnitPort],
        first: impl Fn(usize) -> usize,
        histories: &mut [History],
        ticks: (Tick, Tick),
    ) {
        let (now, length) = ticks;
        for (u, unit_port) in unit_ports.iter().enumerate() {
            for &(channel, place, width) in &unit_port.outputs.channels {
                let values = &self.values[first(u) + place..][..width];
                for j in (1..self.stencil.rows()).rev() {
                    let row = &mut self.row[..width];
                    row.iter_mut().zip(values).for_each(|(value, known)| *value = known[j - 1]);
                    histories[channel].put(now - j as Tick * length, row);
                }
            }
        }
    }

    /// A window begins.
    #[inline]
    pub fn begin(&mut self, newest: &[f64]) {
        for (known, value) in self.values.iter_mut().zip(newest) {
            *known = [*value, known[0], known[1]];
        }
    }

    /// The window has failed: the newest row is as at its start again.
    pub fn take_back(&mut self, newest: &mut [f64]) {
        for (known, value) in self.values.iter_mut().zip(newest) {
            let [start, before, earlier] = *known;
            (*value, *known) = (start, [before, earlier, earlier]);
        }
    }

    /// The polynomials that the inputs of a unit follow over its step.
    #[inline]
    pub fn follow(&mut self, unit: usize, newest: &[f64], length_s: f64, inputs: &mut [Segment]) {
        for wave in &self.waves[unit] {
            let s = if wave.is_ahead { AHEAD } else { AFTER };
            let values = &self.values;
            let samples = |c: usize| {
                let known = values[wave.first + c];
                if wave.is_ahead { [newest[wave.first + c], known[0], known[1]] } else { known }
            };
            match self.stencil {
                Stencil::Line => {
                    for &(c, to) in &wave.picks {
                        let [y1, y0, _] = samples(c);
                        line([s[0], s[1]], [y1, y0], &mut inputs[to]);
                    }
                }
                Stencil::Parabola => {
                    wave.picks.iter().for_each(|&(c, to)| interpolate_values(s, samples(c), &mut inputs[to]))
                }
                Stencil::Motion => {
                    let ([x1, x0, _], [v1, v0, _]) = (samples(0), samples(1));
                    Hermite::cubic([s[0], s[1]], [[x1, v1], [x0, v0]], length_s, &mut self.room[..wave.width]);
                    wave.picks.iter().for_each(|&(c, to)| inputs[to].copy_from(&self.room[c]));
                }
            }
        }
    }
}

/// What each unit gets of which channel; `None` where an output is refreshed by inputs that are published later.
fn waves(unit_ports: &[UnitPort], (plan, groups): (&Plan, &[Vec<usize>]), places: &[usize]) -> Option<Vec<Vec<Wave>>> {
    let mut owner = vec![0; places.len()];
    for (u, unit_port) in unit_ports.iter().enumerate() {
        unit_port.outputs.channels.iter().for_each(|c| owner[c.0] = u);
    }
    let mut published = vec![false; unit_ports.len()];
    let mut waves: Vec<Option<Vec<Wave>>> = unit_ports.iter().map(|_| None).collect();
    for op in &plan.ops {
        match *op {
            Op::Publish { unit, .. } => published[unit] = true,
            Op::Begin { unit, .. } | Op::Advance { unit, .. } => {
                let wave = |feed: &Feed| match feed {
                    Feed::Channel { channel, picks } => {
                        let width = picks.iter().map(|pick| pick.0 + 1).max().unwrap_or(0);
                        let is_ahead = published[owner[*channel]];
                        Some(Wave { first: places[*channel], picks: picks.clone(), width, is_ahead })
                    }
                    _ => None,
                };
                waves[unit].get_or_insert_with(|| unit_ports[unit].feeds.iter().filter_map(wave).collect());
            }
            Op::Refresh { .. } | Op::RefreshUnit { .. } => {
                let unit = match *op {
                    Op::Refresh { group, .. } => groups[group][0],
                    Op::RefreshUnit { unit, .. } => unit,
                    _ => continue,
                };
                let read = unit_ports[unit].feeds.iter().flat_map(Feed::channels);
                let refreshes = !unit_ports[unit].outputs.refresh_refs.is_empty();
                if refreshes && !read.into_iter().all(|channel| published[owner[channel]]) {
                    return None;
                }
            }
        }
    }
    Some(waves.into_iter().map(Option::unwrap_or_default).collect())
}
