//! The samples of a window that are used before they are published, and the directions in which they are changed.

use crate::method::schedule::Op;
use crate::signal::nodes::lobatto;
use crate::step::dense::instant;
use crate::step::supply::Supply;
use crate::step::window::Window;
use crate::time::{Span, Tick};

/// Polynomials of the components of a motion by themselves that count as principal directions.
const SINGLE: usize = 8;

/// A sample a corrector guesses: a channel at an instant of the window, in ticks as the plan was made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Guess {
    pub channel: usize,
    /// The step it belongs to, from the window's start, and node `node` of `nodes` of it.
    from: Tick,
    to: Tick,
    pub node: usize,
    pub nodes: usize,
    /// Place of its first component among the unknowns.
    pub first: usize,
    pub width: usize,
}

impl Guess {
    /// Its step in a window that starts at `now`.
    pub fn span(&self, supply: &Supply<'_>, now: Tick) -> Span {
        let stretch = supply.pace.stretch;
        let (from, to) = (self.from * stretch, self.to * stretch);
        Span { from: now + from, to: now + to, length_s: supply.clock.length_s(to - from) }
    }

    /// Its instant in a window that starts at `now`, where steps are `stretch` times as long as made.
    pub fn at(&self, now: Tick, stretch: Tick) -> f64 {
        instant(now + self.from * stretch, now + self.to * stretch, self.s())
    }

    /// Length of its step.
    pub fn length(&self, stretch: Tick) -> Tick {
        (self.to - self.from) * stretch
    }

    /// End of its step.
    pub fn end(&self, now: Tick, stretch: Tick) -> Tick {
        now + self.to * stretch
    }

    /// Local time in its step.
    pub fn s(&self) -> f64 {
        lobatto(self.node, self.nodes)
    }

    /// Whether it is at its step's end, as all guesses are without inner nodes.
    pub fn is_end(&self) -> bool {
        self.node == self.nodes
    }

    /// Its place among the unknowns.
    pub fn places(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.width
    }

    /// Whether its components are moved as one: a motion that is known inside the step.
    pub fn is_motion(&self) -> bool {
        self.nodes > 1 && self.width > 1
    }
}

/// The samples that some step of the plan consumes before they are published, then the forces of joints over the window; `widths`
/// are those of the channels.
pub(super) fn find(window: &Window, widths: &[usize]) -> Vec<Guess> {
    let early = consumed_early(window, widths.len());
    let (mut guesses, mut first) = (Vec::new(), 0);
    for (channel, &width) in widths.iter().enumerate().filter(|(channel, _)| early[*channel]) {
        let Some(owner) = owner(window, channel) else { continue };
        // One at the end of each step, and those at its nodes.
        let nodes = window.unit_ports[owner].dense.as_ref().map_or(1, |d| d.nodes.len());
        let mut from = 0;
        for to in window.plan.published(owner) {
            for node in 1..=nodes {
                guesses.push(Guess { channel, from, to, node, nodes, first, width });
                first += width;
            }
            from = to;
        }
    }
    for (channel, width) in window.joints.channels() {
        guesses.push(Guess { channel, from: 0, to: window.plan.window, node: 1, nodes: 1, first, width });
        first += width;
    }
    guesses
}

/// The unit a channel is read from.
fn owner(window: &Window, channel: usize) -> Option<usize> {
    window.unit_ports.iter().position(|s| s.outputs.channels.iter().any(|c| c.0 == channel))
}

/// Which channels some step reads that goes on beyond what is published of them.
pub(crate) fn consumed_early(window: &Window, channels: usize) -> Vec<bool> {
    let owners: Vec<Option<usize>> = (0..channels).map(|channel| owner(window, channel)).collect();
    let read: Vec<Vec<usize>> =
        window.unit_ports.iter().map(|s| s.feeds.iter().flat_map(|f| f.channels()).collect()).collect();
    let (mut known, mut early) = (vec![0; window.unit_ports.len()], vec![false; channels]);
    for op in &window.plan.ops {
        match *op {
            Op::Publish { unit, at } => known[unit] = at,
            Op::Advance { unit, to, .. } => {
                for &channel in &read[unit] {
                    early[channel] |= owners[channel].is_some_and(|owner| to > known[owner]);
                }
            }
            Op::Begin { .. } | Op::Refresh { .. } | Op::RefreshUnit { .. } => {}
        }
    }
    early
}

/// A direction to move the guesses of a step in: those from `place` on, by the polynomial of degree `k`.
pub(super) struct Direction {
    pub place: usize,
    pub component: usize,
    pub k: usize,
}

/// n independent directions, the principal ones first.
pub(super) fn directions(guesses: &[Guess]) -> impl Iterator<Item = Direction> + '_ {
    let starts = || guesses.iter().enumerate().filter(|(_, g)| g.node == 1);
    let whole = starts().flat_map(|(place, g)| {
        let lowest = if g.is_motion() { g.width - 1 } else { 0 };
        (lowest..g.width).flat_map(move |component| (1..=g.nodes).map(move |k| Direction { place, component, k }))
    });
    let single = |is_high: bool| {
        starts().filter(|(_, g)| g.is_motion()).flat_map(move |(place, g)| {
            let high = g.nodes.saturating_sub(SINGLE) + 1;
            let degrees = if is_high { high..=g.nodes } else { 1..=high - 1 };
            (0..g.width - 1).flat_map(move |component| degrees.clone().map(move |k| Direction { place, component, k }))
        })
    };
    whole.chain(single(true)).chain(single(false))
}

/// Whether a direction is one of the first, which span the residuals that are to be expected.
pub(super) fn is_principal(guesses: &[Guess], direction: &Direction) -> bool {
    let g = &guesses[direction.place];
    !g.is_motion() || direction.component + 1 == g.width || direction.k + SINGLE > g.nodes
}
