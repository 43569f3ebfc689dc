//! Windows that are *repeated* because their interface model was wrong.
//!
//! W and b hold for the set of contacts, brakes and stops that carry force at the window's start. Where the set changes inside
//! the window, the slow unit does not arrive at the speed that the fast one was run with. Then the window is taken back and
//! run again with the mobility that the slow unit has at the end, and the bias that makes what was seen exact:
//!
//! ```text
//! w⁰, w⁺    interface speed at the window's start and end, as the slow unit says
//! w_N       at its end as predicted
//! repeat where |w⁺ − w_N| > ε (|w⁰| + |w⁺| + H (|W λ̄| + |b|)):
//!     W ← W(t + H),   b ← (w⁺ − w⁰)/H − W λ̄
//! ```
//!
//! Where the set of the second run is that of the first, the second prediction is exact to the change of W in a window. Sets
//! can also alternate for ever; when no repetition is left, the run with the smallest |w⁺ − w_N| is made once more, if it
//! is not the last, and stands.
//!
//! Nothing but values and rollback is asked of the units.

use crate::error::RunError;
use crate::ids::Signal;
use crate::method::correct::Convergence;
use crate::method::predict::InterfaceModel;
use crate::signal::history::History;
use crate::step::doubt::{Cause, Doubt};
use crate::step::feed::Feed;
use crate::step::iteration::Corrected;
use crate::step::state::State;
use crate::step::unit_port::UnitPort;
use crate::step::window::Window;
use crate::time::Tick;

/// Part of the speeds that a prediction may be wrong by: above rounding, below what matters.
const TOLERANCE: f64 = 1e-6;

/// The interface models whose windows are repeated.
pub(crate) struct Repetition {
    models: Vec<Repeated>,
    /// Most repetitions of a window.
    most: u32,
}

/// An interface model, and what it is taken to be.
struct Repeated {
    of: InterfaceModel,
    /// w_N, and w⁺.
    predicted: Vec<Signal>,
    arrived: Vec<Signal>,
    /// Whether λ̄ is the mean of the samples in the window, not the one at its end.
    is_sampled: bool,
    /// W and b of the next run, and of the best one so far.
    next: Values,
    best: Values,
    force: Vec<f64>,
}

/// W, packed, and b.
#[derive(Default)]
struct Values {
    mobility: Vec<f64>,
    bias: Vec<f64>,
}

/// How wrong a run was: relative to the speeds, and the signal that is worst.
#[derive(Clone, Copy)]
struct Gap {
    found: f64,
    worst: Signal,
}

impl Repetition {
    /// Of the models that ask for it; `None` where none does.
    pub fn of(interfaces: &[InterfaceModel], unit_ports: &[UnitPort]) -> Option<Self> {
        let wanted = interfaces.iter().enumerate().filter(|(_, model)| model.repeat > 0);
        let models: Vec<Repeated> = wanted.map(|(i, model)| Repeated::new(i, model, unit_ports)).collect();
        let most = models.iter().map(|m| m.of.repeat).max()?;
        Some(Repetition { models, most })
    }

    /// Runs one window, and again where it has to be.
    pub fn run(&mut self, window: &mut Window, state: &mut State) -> Result<Corrected, RunError> {
        let span = (state.now, state.now + window.length(state));
        let length_s = window.sources.clock.length_s(span.1 - span.0);
        window.begin(state)?;
        let (mut runs, mut best, mut is_last) = (0, f64::INFINITY, false);
        let gap = loop {
            // A run, and how far its prediction was off.
            if let Some(unfinished) = window.execute(state, false)? {
                return Err(window.unfinished(state, unfinished));
            }
            runs += 1;
            let Some(gap) = self.compare(&state.signals.histories, span, length_s) else { break None };
            if gap.found <= TOLERANCE || is_last {
                break Some(gap);
            }
            // What to run it again with: what was seen, or in the end the best there was.
            let is_better = gap.found < best;
            if is_better {
                best = gap.found;
                self.models.iter_mut().for_each(|m| m.keep(&state.signals.histories, span.0));
            }
            is_last = runs > self.most as usize;
            if is_last && is_better {
                break Some(gap);
            }
            for model in &mut self.models {
                model.choose(is_last, &state.signals.histories, span, length_s);
            }
            window.rewind(state)?;
            self.models.iter().for_each(|m| m.put(&mut state.signals.histories, span.0));
        };
        // The run that stands, and by how much its prediction was off.
        state.now = span.1;
        let residual = gap.map_or(0.0, |gap| gap.found);
        let place = |gap: Gap| (gap.worst.channel, gap.worst.component);
        let cause = Cause::Model { allowed: TOLERANCE };
        let doubt =
            gap.filter(|gap| gap.found > TOLERANCE).map(|gap| Doubt { place: place(gap), found: residual, cause });
        // What is left is no worse than without repetition: no failure.
        Ok(Corrected { convergence: Convergence { runs, residual, converged: true }, doubt, left_out: 0.0 })
    }

    /// The largest gap of all models.
    fn compare(&mut self, histories: &[History], span: (Tick, Tick), length_s: f64) -> Option<Gap> {
        let gaps = self.models.iter_mut().flat_map(|m| m.gaps(histories, span, length_s));
        gaps.max_by(|a, b| a.found.total_cmp(&b.found))
    }
}

impl Repeated {
    fn new(index: usize, of: &InterfaceModel, unit_ports: &[UnitPort]) -> Self {
        // The motion that the master predicts stands in a history of the feed: speeds first.
        let fed = unit_ports.iter().flat_map(|s| &s.feeds).find_map(|feed| match feed {
            Feed::Interface(feed) if feed.model == index => Some(feed.history()),
            _ => None,
        });
        let in_feed = |channel| (0..of.speed.len()).map(|component| Signal { channel, component }).collect();
        let said = |list: &[Signal], other: &[Signal]| if list.is_empty() { other.to_vec() } else { list.to_vec() };
        Repeated {
            predicted: fed.map_or_else(|| said(&of.predicted, &of.speed), in_feed),
            arrived: said(&of.arrived, &of.speed),
            is_sampled: fed.is_some(),
            of: of.clone(),
            next: Values::default(),
            best: Values::default(),
            force: vec![0.0; of.force.len()],
        }
    }

    /// The gap of each speed; takes λ̄ on the way.
    fn gaps(&mut self, histories: &[History], (from, to): (Tick, Tick), length_s: f64) -> impl Iterator<Item = Gap> {
        for (force, signal) in self.force.iter_mut().zip(&self.of.force) {
            *force = if self.is_sampled {
                mean(&histories[signal.channel], signal.component, (from, to))
            } else {
                value(histories, *signal, to)
            };
        }
        let Repeated { of, predicted, arrived, force, .. } = &*self;
        (0..of.speed.len()).map(move |i| {
            let (start, end) = (value(histories, of.speed[i], from), value(histories, arrived[i], to));
            let push = |(j, force): (usize, &f64)| (value(histories, of.mobility[place(i, j)], from) * force).abs();
            let rate = force.iter().enumerate().map(push).sum::<f64>() + value(histories, of.bias[i], from).abs();
            let scale = start.abs() + end.abs() + length_s * rate;
            let apart = (end - value(histories, predicted[i], to)).abs();
            // At rest without forces nothing is wrong; a NaN is.
            let found = if apart == 0.0 { 0.0 } else { apart / scale };
            Gap { found: if found.is_nan() { f64::INFINITY } else { found }, worst: arrived[i] }
        })
    }

    /// Keeps W and b of the run just made as the best.
    fn keep(&mut self, histories: &[History], from: Tick) {
        read(histories, &self.of.mobility, from, &mut self.best.mobility);
        read(histories, &self.of.bias, from, &mut self.best.bias);
    }

    /// W and b of the next run: the best, or those that what was seen makes exact.
    fn choose(&mut self, is_last: bool, histories: &[History], (from, to): (Tick, Tick), length_s: f64) {
        if is_last {
            std::mem::swap(&mut self.next, &mut self.best);
            return;
        }
        let Repeated { of, arrived, next, force, .. } = self;
        read(histories, &of.mobility, to, &mut next.mobility);
        next.bias.clear();
        next.bias.extend((0..of.speed.len()).map(|i| {
            let gained = value(histories, arrived[i], to) - value(histories, of.speed[i], from);
            let pushed: f64 = force.iter().enumerate().map(|(j, force)| next.mobility[place(i, j)] * force).sum();
            gained / length_s - pushed
        }));
    }

    /// Puts W and b of the next run where the slow unit's are.
    fn put(&self, histories: &mut [History], from: Tick) {
        let parts = [(&self.of.mobility, &self.next.mobility), (&self.of.bias, &self.next.bias)];
        for (signals, values) in parts {
            for (signal, value) in signals.iter().zip(values) {
                histories[signal.channel].amend(from, signal.component, *value);
            }
        }
    }
}

/// Place in a packed lower triangle.
fn place(i: usize, j: usize) -> usize {
    if i >= j { i * (i + 1) / 2 + j } else { j * (j + 1) / 2 + i }
}

/// The sample at an instant, else the last before it.
fn value(histories: &[History], signal: Signal, at: Tick) -> f64 {
    let history = &histories[signal.channel];
    history.value(history.not_after(at), signal.component)
}

fn read(histories: &[History], signals: &[Signal], at: Tick, values: &mut Vec<f64>) {
    values.clear();
    values.extend(signals.iter().map(|s| value(histories, *s, at)));
}

/// The mean of the samples in a window, its end not counted.
fn mean(history: &History, component: usize, (from, to): (Tick, Tick)) -> f64 {
    let inside = |i: &usize| (from as f64..to as f64).contains(&history.at(*i));
    let (sum, count) = (0..history.len())
        .filter(inside)
        .fold((0.0, 0.0), |(sum, count), i| (sum + history.value(i, component), count + 1.0));
    sum / count
}
