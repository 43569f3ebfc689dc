//! The waveforms that a window has left, and the part of the signals that its nodes do not resolve.

use super::Iteration;
use crate::method::schedule::Op;
use crate::step::doubt::{COARSE, Cause, Doubt};
use crate::step::sizes::{Sizes, Waveform};
use crate::step::state::State;
use crate::step::window::Window;

/// Part of a signal that `nodes` intervals may leave out without a word: what makes errors of up to about 1e-9 with 16, 1e-6 with
/// 12 and 1e-3 with 8, and rounding at the least.
fn resolved(nodes: usize) -> f64 {
    10f64.powf(3.0 - 0.6875 * nodes as f64).clamp(1e-12, COARSE)
}

/// The waveforms that a window just run has left, of every component of every channel with nodes, with channel and component.
pub(super) fn waveforms<'a>(
    window: &'a Window,
    state: &'a State,
) -> impl Iterator<Item = ((usize, usize), Waveform<'a>)> {
    let (histories, now, stretch) = (&state.signals.histories, state.now, state.pace.stretch);
    let steps = window.unit_ports.iter().enumerate().filter_map(|(u, s)| Some((u, s, s.dense.as_ref()?.nodes.len())));
    steps.flat_map(move |(u, unit_port, nodes)| {
        let each = move |&(channel, _, width): &(usize, usize, usize)| {
            let history = &histories[channel];
            let ends = window.plan.ops.iter().filter_map(move |op| match op {
                Op::Publish { unit, at } if *unit == u => history.find(now + at * stretch)?.checked_sub(nodes),
                _ => None,
            });
            ends.flat_map(move |first| {
                (0..width).map(move |component| ((channel, component), Waveform { history, first, nodes, component }))
            })
        };
        unit_port.outputs.channels.iter().flat_map(each)
    })
}

impl Iteration {
    /// Takes the window as converged: its values are what later ones are measured with, unless it is to be taken back. What its nodes do
    /// not resolve, where that is more than is allowed, and the largest part of a signal that they leave out.
    pub(super) fn accept(&self, window: &Window, state: &mut State) -> (Option<Doubt>, f64) {
        let mut sizes = std::mem::take(&mut state.guess.sizes);
        // Sizes of what was guessed and of what was published.
        sizes.look();
        for g in &self.guesses {
            sizes.see(g.channel, &state.guess.unknowns[g.places()]);
        }
        for (place, waveform) in waveforms(window, state) {
            sizes.see_at(place, waveform.size());
        }
        // What the nodes leave out, measured with them.
        sizes.clear_left_out();
        for (place, waveform) in waveforms(window, state) {
            sizes.leave_out(place, waveform.left_out());
        }
        let (doubt, left_out) = self.unresolved(window, &sizes);
        if doubt.is_none() || self.chosen.is_none() {
            sizes.accept();
        }
        state.guess.sizes = sizes;
        (doubt, left_out)
    }

    /// What of a waveform is left out matters as far as a receiver follows it, and a receiver that follows fast motions has them
    /// in its own waveforms: the geometric mean of both counts, of the worst pair.
    fn unresolved(&self, window: &Window, sizes: &Sizes) -> (Option<Doubt>, f64) {
        let (mut doubt, mut most): (Option<Doubt>, f64) = (None, 0.0);
        for &(unit, channel) in &self.fed {
            let unit_port = &window.unit_ports[unit];
            let by_nodes = || unit_port.dense.as_ref().map_or(1.0, |d| resolved(d.nodes.len()));
            let allowed = self.chosen.map_or_else(by_nodes, |chosen| chosen.left_out_max);
            let (left_out, component) = sizes.left_out(channel);
            let own = unit_port.outputs.channels.iter().map(|c| sizes.left_out(c.0).0).reduce(f64::max);
            // A unit that nobody listens to is as wrong as what it is fed with.
            let own = own.unwrap_or(left_out);
            let found = (left_out * own).sqrt();
            most = most.max(found);
            if found > allowed && doubt.is_none_or(|d| d.found < found) {
                doubt = Some(Doubt { place: (channel, component), found, cause: Cause::Nodes { allowed } });
            }
        }
        (doubt, most)
    }
}
