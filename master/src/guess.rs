//! A window as a corrector sees it: the samples that are consumed before they are published are guessed, put into the
//! histories, the plan is run, and what was published is compared with the guess.

use crate::correct::Problem;
use crate::dense::instant;
use crate::feed::Feed;
use crate::history::History;
use crate::jacobian;
use crate::memento::Numbers;
use crate::predict::{NODES_MAX, lobatto};
use crate::schedule::Op;
use crate::sizes::{Sizes, Waveform};
use crate::station::Station;
use crate::time::{Span, Tick};
use crate::unit::UnitError;
use crate::window::Window;
use nalgebra::DMatrix;

/// Polynomials of the components of a motion by themselves that count as principal directions.
const SINGLE: usize = 8;

/// Roundings of a waveform that add up to what a residual cannot fall below.
const ROUNDINGS: f64 = 100.0;

/// A direction to move the guesses of a step in: those from `place` on, by the polynomial of degree `k`.
struct Direction {
    place: usize,
    component: usize,
    k: usize,
}

/// Coefficients of T_0, T_1, … on [−1, 1].
#[derive(Clone, Copy)]
struct Polynomial([f64; NODES_MAX + 4]);

impl Polynomial {
    /// T_k − T_k(−1).
    fn shifted_chebyshev(k: usize) -> Self {
        let mut a = [0.0; NODES_MAX + 4];
        a[k] = 1.0;
        a[0] -= if k.is_multiple_of(2) { 1.0 } else { -1.0 };
        Polynomial(a)
    }

    /// ∫ over s from 0, with x = 2s − 1: half the integral over x from −1.
    fn integral(&self) -> Self {
        let (a, mut b) = (&self.0, [0.0; NODES_MAX + 4]);
        let n = a.len();
        for k in 1..n {
            let before = if k == 1 { 2.0 * a[0] } else { a[k - 1] };
            let after = if k + 1 < n { a[k + 1] } else { 0.0 };
            b[k] = 0.5 * (before - after) / (2 * k) as f64;
        }
        let at_start: f64 = (1..n).map(|k| if k % 2 == 0 { b[k] } else { -b[k] }).sum();
        b[0] = -at_start;
        Polynomial(b)
    }

    /// Clenshaw's rule.
    fn at(&self, x: f64) -> f64 {
        let (mut one, mut two) = (0.0, 0.0);
        for a in self.0[1..].iter().rev() {
            (one, two) = (a + 2.0 * x * one - two, one);
        }
        self.0[0] + x * one - two
    }
}

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

    /// Whether its components are moved as one: a motion that is known inside the step.
    fn is_motion(&self) -> bool {
        self.nodes > 1 && self.width > 1
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
        self.scale = vec![1.0; first];
        if self.sizes.is_empty() {
            self.sizes = Sizes::new(self.supply.histories.iter().map(History::width));
            let fed = |(u, s): (usize, &Station)| {
                let channels = s.feeds.iter().flat_map(Feed::channels);
                channels.filter(|_| s.dense.is_some()).map(move |channel| (u, channel)).collect::<Vec<_>>()
            };
            self.fed = self.stations.iter().enumerate().flat_map(fed).collect();
        }
    }

    /// First guesses: what the predictor makes of the past.
    pub fn guess_first(&mut self, y: &mut [f64]) {
        self.predict_guesses(y);
        self.sizes.begin();
        for g in &self.guesses {
            y[g.first..g.first + g.width].iter().enumerate().for_each(|(c, y)| self.sizes.guess((g.channel, c), *y));
        }
    }

    fn predict_guesses(&mut self, y: &mut [f64]) {
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

    /// n independent directions, the principal ones first.
    fn directions(&self) -> impl Iterator<Item = Direction> + '_ {
        let starts = || self.guesses.iter().enumerate().filter(|(_, g)| g.node == 1);
        let whole = starts().flat_map(|(place, g)| {
            let lowest = if g.is_motion() { g.width - 1 } else { 0 };
            (lowest..g.width).flat_map(move |component| (1..=g.nodes).map(move |k| Direction { place, component, k }))
        });
        let single = |is_high: bool| {
            starts().filter(|(_, g)| g.is_motion()).flat_map(move |(place, g)| {
                let high = g.nodes.saturating_sub(SINGLE) + 1;
                let degrees = if is_high { high..=g.nodes } else { 1..=high - 1 };
                (0..g.width - 1)
                    .flat_map(move |component| degrees.clone().map(move |k| Direction { place, component, k }))
            })
        };
        whole.chain(single(true)).chain(single(false))
    }

    fn is_principal(&self, direction: &Direction) -> bool {
        let g = &self.guesses[direction.place];
        !g.is_motion() || direction.component + 1 == g.width || direction.k + SINGLE > g.nodes
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

/// Runs of a window with a guess.
impl Window {
    /// Takes the window back if it has been run, runs it with the guess `y`, and writes what comes out less the guess; infinity
    /// where a unit did not finish a step.
    fn run_with(&mut self, y: &[f64], residual: &mut [f64]) -> Result<(), UnitError> {
        if self.ran {
            self.rewind()?;
        }
        self.ran = true;
        for g in &self.guesses {
            self.supply.histories[g.channel].put_at(g.at(self.now), &y[g.first..g.first + g.width]);
        }
        self.discarded = None;
        self.execute(false)?;
        if self.discarded.is_some() {
            residual.fill(f64::INFINITY);
            return Ok(());
        }
        for g in &self.guesses {
            let history = &self.supply.histories[g.channel];
            let row = history.find_at(g.at(self.now)).map_or(&y[g.first..g.first + g.width], |i| history.row(i));
            for (c, value) in row.iter().enumerate() {
                residual[g.first + c] = value - y[g.first + c];
            }
        }
        Ok(())
    }

    /// Sizes of the signals with the guess `y`; where a signal is zero in all of it, with what came out.
    fn measure(&mut self, y: &[f64], residual: &[f64]) {
        let Window { guesses, sizes, scale, worst, .. } = self;
        sizes.look();
        for g in guesses.iter() {
            (0..g.width).for_each(|c| sizes.see((g.channel, c), y[g.first + c]));
        }
        for g in guesses.iter() {
            for c in 0..g.width {
                scale[g.first + c] = if sizes.is_zero((g.channel, c)) { residual[g.first + c].abs() } else { 0.0 };
            }
        }
        for g in guesses.iter() {
            (0..g.width).for_each(|c| sizes.see((g.channel, c), scale[g.first + c]));
        }
        let mut largest = -1.0;
        for g in guesses.iter() {
            for c in 0..g.width {
                let size = sizes.of_residual((g.channel, c));
                scale[g.first + c] = size;
                let part = residual[g.first + c].abs() / size;
                if part > largest || part.is_nan() {
                    (largest, *worst) = (part, (g.channel, c));
                }
            }
        }
    }

    /// The waveforms that a window just run has left, of every component of every channel with nodes, with channel and component.
    fn waveforms(&self) -> impl Iterator<Item = ((usize, usize), Waveform<'_>)> {
        let steps = self.stations.iter().enumerate().filter_map(|(u, s)| Some((u, s, s.dense.as_ref()?.nodes.len())));
        steps.flat_map(move |(u, station, nodes)| {
            let each = move |&(channel, _, width): &(usize, usize, usize)| {
                let history = &self.supply.histories[channel];
                let ends = self.plan.ops.iter().filter_map(move |op| match op {
                    Op::Publish { unit, at } if *unit == u => history.find(self.now + at)?.checked_sub(nodes),
                    _ => None,
                });
                ends.flat_map(move |first| {
                    (0..width)
                        .map(move |component| ((channel, component), Waveform { history, first, nodes, component }))
                })
            };
            station.outputs.channels.iter().flat_map(each)
        })
    }

    /// Takes the window as converged: its values are what later ones are measured with. What its nodes do not resolve, where
    /// there is such a thing.
    pub fn accept(&mut self) -> Option<Doubt> {
        let mut sizes = std::mem::take(&mut self.sizes);
        for g in &self.guesses {
            let y = &self.unknowns[g.first..g.first + g.width];
            y.iter().enumerate().for_each(|(c, y)| sizes.accept((g.channel, c), *y));
        }
        for (place, waveform) in self.waveforms() {
            sizes.accept(place, waveform.size());
        }
        sizes.look();
        sizes.clear_left_out();
        for (place, waveform) in self.waveforms() {
            sizes.leave_out(place, waveform.left_out());
        }
        let doubt = self.unresolved(&sizes);
        self.sizes = sizes;
        doubt
    }

    /// What of a waveform is left out matters as far as a receiver follows it, and a receiver that follows fast motions has them
    /// in its own waveforms: the geometric mean of both counts, of the worst pair.
    fn unresolved(&self, sizes: &Sizes) -> Option<Doubt> {
        let mut doubt: Option<Doubt> = None;
        for &(unit, channel) in &self.fed {
            let station = &self.stations[unit];
            let allowed = station.dense.as_ref().map_or(1.0, |d| resolved(d.nodes.len()));
            let (left_out, component) = sizes.left_out(channel);
            let own = station.outputs.channels.iter().map(|c| sizes.left_out(c.0).0).reduce(f64::max);
            // A unit that nobody listens to is as wrong as what it is fed with.
            let own = own.unwrap_or(left_out);
            let found = (left_out * own).sqrt();
            if found > allowed && doubt.is_none_or(|d| d.found < found) {
                doubt = Some(Doubt { place: (channel, component), found, cause: Cause::Nodes { allowed } });
            }
        }
        doubt
    }

    /// The signal with the largest residual of the guess evaluated last.
    pub fn unmet(&self, residual: f64) -> Doubt {
        Doubt { place: self.worst, found: residual, cause: Cause::Residual }
    }
}

/// Part of a signal that `nodes` intervals may leave out without a word: what makes errors of up to about 1e-9 with 16, 1e-6 with
/// 12 and 1e-3 with 8, and rounding at the least.
fn resolved(nodes: usize) -> f64 {
    10f64.powf(3.0 - 0.6875 * nodes as f64).clamp(1e-12, COARSE)
}

/// With more than this left out a waveform has nothing to do with the signal.
const COARSE: f64 = 1e-2;

/// Why a window is not to be relied on, or not to the last digits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Doubt {
    /// Channel and component.
    pub place: (usize, usize),
    /// Relative to the size of the signal.
    pub found: f64,
    pub cause: Cause,
}

impl Doubt {
    /// Whether the window counts as one that did not converge.
    pub fn is_serious(&self) -> bool {
        self.cause == Cause::Residual || self.found > COARSE
    }
}

/// A doubt of a run and the window's start, for a memento.
pub(crate) fn pass(doubt: &mut Option<(Tick, Doubt)>, numbers: &mut Numbers<'_>) {
    let none = (0, Doubt { place: (0, 0), found: f64::NAN, cause: Cause::Residual });
    let (mut at, mut d) = doubt.unwrap_or(none);
    let mut allowed = if let Cause::Nodes { allowed } = d.cause { allowed } else { f64::NAN };
    numbers.count(&mut at);
    [&mut d.place.0, &mut d.place.1].into_iter().for_each(|n| numbers.size(n));
    [&mut d.found, &mut allowed].into_iter().for_each(|x| numbers.real(x));
    d.cause = if allowed.is_nan() { Cause::Residual } else { Cause::Nodes { allowed } };
    *doubt = (!d.found.is_nan()).then_some((at, d));
}

/// What a [`Doubt`] is about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cause {
    /// A residual that is left.
    Residual,
    /// What the nodes of a waveform leave out.
    Nodes { allowed: f64 },
}

impl Problem for Window {
    fn evaluate(&mut self, y: &[f64], residual: &mut [f64]) -> Result<(), UnitError> {
        self.run_with(y, residual)?;
        self.measure(y, residual);
        Ok(())
    }

    fn probe(&mut self, y: &[f64], residual: &mut [f64]) -> Result<(), UnitError> {
        self.run_with(y, residual)
    }

    fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// Rounding of the polynomials that inputs are given in.
    fn resolution(&self) -> f64 {
        let parts = self.waveforms().map(|(place, w)| w.rounding() / self.sizes.of_residual(place).max(w.size()));
        ROUNDINGS * parts.fold(0.0, f64::max)
    }

    /// Polynomials T_k(2s − 1) − T_k(−1) over the nodes of a step: single nodes would be perturbed by polynomials whose powers
    /// of s cancel to the last digit. A motion is moved as one, its last component by the polynomial and those before by its
    /// integrals; behind these directions come those of the other components by themselves, the highest k first. Without
    /// inner nodes that is a unit vector.
    fn direction(&self, j: usize, out: &mut [f64]) {
        out.fill(0.0);
        let Some(Direction { place, component, k }) = self.directions().nth(j) else { return };
        let (first, q) = (self.guesses[place], self.guesses[place].nodes);
        let step = &self.guesses[place..place + q];
        let size = |c: usize| self.sizes.of_trial((first.channel, c));
        let mut p = Polynomial::shifted_chebyshev(k);
        let (mut factor, lowest) = (size(component), if first.is_motion() { 0 } else { component });
        let lowest = if component + 1 == first.width { lowest } else { component };
        for c in (lowest..=component).rev() {
            if c < component {
                p = p.integral();
                factor *= self.supply.clock.length_s(first.to - first.from);
            }
            step.iter().for_each(|g| out[g.first + c] = 0.5 * factor * p.at(2.0 * g.s() - 1.0));
        }
    }

    /// Motions as one, and of the other components by themselves the [`SINGLE`] highest polynomials each: what a motion sampled at
    /// nodes and the integral of its sampled rate differ by.
    fn principal(&self) -> usize {
        self.directions().take_while(|d| self.is_principal(d)).count()
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
