//! A window as a corrector sees it: the samples that are consumed before they are published are guessed, put into the
//! histories, the plan is run, and what was published is compared with the guess.

use crate::correct::Problem;
use crate::dense::instant;
use crate::history::History;
use crate::jacobian;
use crate::predict::lobatto;
use crate::schedule::Op;
use crate::time::{Span, Tick};
use crate::unit::UnitError;
use crate::window::Window;
use nalgebra::DMatrix;

/// Samples a corrector guesses: a channel at an instant of the window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Guess {
    pub channel: usize,
    /// The step it belongs to, from the window's start, and node `node` of `nodes` of it.
    pub from: Tick,
    pub to: Tick,
    pub node: usize,
    pub nodes: usize,
    /// Place of its first component among the unknowns.
    pub first: usize,
    pub width: usize,
}

impl Guess {
    /// Its instant in a window that starts at `now`.
    fn at(&self, now: Tick) -> f64 {
        instant(now + self.from, now + self.to, self.s())
    }

    /// Local time in its step.
    pub fn s(&self) -> f64 {
        lobatto(self.node, self.nodes)
    }
}

impl Window {
    /// The samples that some step consumes before they are published.
    pub fn find_guesses(&mut self) {
        let mut first = 0;
        for channel in 0..self.supply.histories.len() {
            let owner = self.stations.iter().position(|s| s.outputs.channels.iter().any(|c| c.0 == channel));
            let Some(owner) = owner else { continue };
            if !self.consumed_early(channel, owner) {
                continue;
            }
            let width = self.supply.histories[channel].width();
            let nodes = self.stations[owner].dense.as_ref().map_or(1, |d| d.nodes.len());
            let mut from = 0;
            for to in self.plan.published(owner) {
                for node in 1..=nodes {
                    self.guesses.push(Guess { channel, from, to, node, nodes, first, width });
                    first += width;
                }
                from = to;
            }
        }
        self.unknowns = vec![0.0; first];
        self.seen = vec![0.0; first];
        self.scale = vec![1.0; first];
    }

    /// First guesses: what the predictor makes of the past.
    pub fn guess_first(&mut self, y: &mut [f64]) {
        for g in &self.guesses {
            let guess = &mut y[g.first..g.first + g.width];
            if g.node == g.nodes {
                self.supply.value(g.channel, self.now + g.to, guess);
            } else {
                let length_s = self.supply.clock.length_s(g.to - g.from);
                let span = Span { from: self.now + g.from, to: self.now + g.to, length_s };
                self.supply.guess(g.channel, &span, g.s(), guess);
            }
        }
    }

    /// The interface Jacobian at the start of the window to come, from directional derivatives; `None` where a unit offers
    /// none or nothing is guessed.
    pub fn interface_jacobian(&mut self) -> Result<Option<DMatrix<f64>>, UnitError> {
        if self.guesses.is_empty() {
            self.find_guesses();
        }
        self.histories_mut().for_each(History::begin_window);
        let mut y = std::mem::take(&mut self.unknowns);
        self.guess_first(&mut y);
        for g in &self.guesses {
            self.supply.histories[g.channel].put_at(g.at(self.now), &y[g.first..g.first + g.width]);
        }
        let mut jacobian = DMatrix::zeros(y.len(), y.len());
        self.unknowns = y;
        let found = self.estimate_jacobian(&mut jacobian)? && !self.guesses.is_empty();
        self.histories_mut().for_each(History::rewind);
        Ok(found.then_some(jacobian))
    }

    fn consumed_early(&self, channel: usize, owner: usize) -> bool {
        let mut known = 0;
        self.plan.ops.iter().any(|op| match *op {
            Op::Publish { unit, at } => {
                known = if unit == owner { at } else { known };
                false
            }
            Op::Advance { unit, to, .. } => {
                to > known && self.stations[unit].feeds.iter().any(|f| f.channels().contains(&channel))
            }
            Op::Begin { .. } | Op::Refresh { .. } | Op::RefreshUnit { .. } => false,
        })
    }
}

impl Problem for Window {
    fn evaluate(&mut self, y: &[f64], residual: &mut [f64]) -> Result<(), UnitError> {
        if self.ran {
            self.rewind()?;
        }
        self.ran = true;
        for g in &self.guesses {
            self.supply.histories[g.channel].put_at(g.at(self.now), &y[g.first..g.first + g.width]);
        }
        self.execute(false)?;
        for g in &self.guesses {
            let history = &self.supply.histories[g.channel];
            let row = history.find_at(g.at(self.now)).map_or(&y[g.first..g.first + g.width], |i| history.row(i));
            for (c, value) in row.iter().enumerate() {
                let i = g.first + c;
                residual[i] = value - y[i];
                self.seen[i] = self.seen[i].max(value.abs());
                // Nothing seen yet of a signal that starts at zero: measure it absolutely.
                self.scale[i] = if self.seen[i] > 0.0 { self.seen[i] } else { 1.0 };
            }
        }
        Ok(())
    }

    fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// Chebyshev polynomials T_k(2s − 1) − T_k(−1) over the nodes of a step: single nodes would be perturbed by polynomials
    /// whose powers of s cancel to the last digit. Without inner nodes that is a unit vector.
    fn direction(&self, j: usize, out: &mut [f64]) {
        out.fill(0.0);
        let owns = |g: &Guess| (g.first..g.first + g.width).contains(&j);
        let Some(place) = self.guesses.iter().position(owns) else { return };
        let (k, q, c) = (self.guesses[place].node, self.guesses[place].nodes, j - self.guesses[place].first);
        let step = &self.guesses[place + 1 - k..place + 1 - k + q];
        let size = step.iter().map(|g| self.scale[g.first + c]).fold(0.0, f64::max);
        for g in step {
            let angle = std::f64::consts::PI * ((k * g.node) % (2 * q)) as f64 / q as f64;
            let sign = if k % 2 == 0 { 0.5 } else { -0.5 };
            out[g.first + c] = size * sign * (angle.cos() - 1.0);
        }
    }

    fn estimate_jacobian(&mut self, jacobian: &mut DMatrix<f64>) -> Result<bool, UnitError> {
        let Window { stations, supply, plan, now, guesses, scale, .. } = self;
        if guesses.iter().any(|g| g.nodes > 1) {
            return Ok(false);
        }
        let samples: Vec<_> = guesses.iter().map(|g| (g.channel, g.first, *now + g.to)).collect();
        jacobian::estimate(stations, supply, plan, *now, &samples, scale, jacobian)
    }
}
