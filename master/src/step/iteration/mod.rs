//! A window that is repeated by a corrector: the samples that are consumed before they are published are guessed, put into the
//! histories, the plan is run, and what was published is compared with the guess.

mod guesses;
mod mobility;
mod polynomial;
mod problem;
mod together;
mod waveforms;

use crate::error::RunError;
use crate::method::correct::{Convergence, Correction, Problem};
use crate::signal::history::History;
use crate::step::doubt::{Cause, Doubt};
use crate::step::feed::Feed;
use crate::step::guess::GuessState;
use crate::step::joints::expected;
use crate::step::sizes::Sizes;
use crate::step::state::State;
use crate::step::supply::Supply;
use crate::step::window::Window;
use crate::time::Tick;
use crate::unit::UnitError;
use guesses::Guess;
pub(crate) use guesses::consumed_early;
use nalgebra::DMatrix;
use problem::Guessed;

/// Least size of a force that trials are sized by, relative to what residuals of forces are measured with at least.
const TRIED: f64 = 1e-2;

/// The most that residuals of windows that did not converge may add up to where they are taken for nothing.
const LEFT_MAX: f64 = 1e-6;

/// How the windows of a run are repeated.
pub(crate) struct Iteration {
    correction: Correction,
    guesses: Vec<Guess>,
    /// Which unit is fed with which channel, where nodes are sampled.
    fed: Vec<(usize, usize)>,
    /// Components of each channel.
    widths: Vec<usize>,
    /// How many channels units have; those of joints come behind.
    channels: usize,
    /// What windows may leave, where they are chosen by it.
    pub chosen: Option<Chosen>,
}

/// What windows of waveforms that are chosen may leave, relative to the signals.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chosen {
    /// Part of a signal that nodes may leave out in a window, and what is left of corrections in a longest one.
    pub left_out_max: f64,
    /// The longest window \[s\].
    pub longest_s: f64,
}

/// How the repetition of a window ended.
pub(crate) struct Corrected {
    pub convergence: Convergence,
    /// Why the window is not to be relied on.
    pub doubt: Option<Doubt>,
    /// Largest part of a signal that nodes leave out, of a window that has converged.
    pub left_out: f64,
}

impl Iteration {
    /// Of windows with histories as at the start; `channels` of these are not of feeds.
    pub fn new(correction: &Correction, window: &Window, channels: usize) -> Self {
        let signals = window.signals();
        let joined = channels + window.joints.channels().count();
        let widths: Vec<usize> = signals.histories[..joined].iter().map(History::width).collect();
        let dense = window.unit_ports.iter().enumerate().filter(|(_, s)| s.dense.is_some());
        let fed = dense.flat_map(|(u, s)| s.feeds.iter().flat_map(Feed::channels).map(move |channel| (u, channel)));
        let fed = fed.collect();
        Iteration {
            correction: correction.clone(),
            guesses: guesses::find(window, &widths[..channels]),
            fed,
            widths,
            channels,
            chosen: None,
        }
    }

    /// What the residuals of windows that did not converge may add up to in so many windows: no more than windows that just meet the tolerance
    /// leave. `None` where more than the residual decides: nodes, or a joint with a limit of its own.
    pub fn left_max(&self, window: &Window, windows: u64) -> Option<f64> {
        let decides = self.fed.is_empty() && !window.joints.has_limits();
        let tolerance = self.correction.tolerance().filter(|_| decides)?;
        Some((tolerance * windows as f64).min(LEFT_MAX))
    }

    /// The state before the first guess.
    pub fn state(&self) -> GuessState {
        let n = self.guesses.last().map_or(0, |g| g.places().end);
        let sizes = Sizes::new(self.widths.iter().copied(), self.channels);
        GuessState { unknowns: vec![0.0; n], scale: vec![1.0; n], lasting: vec![1.0; n], sizes, worst: (0, 0) }
    }

    /// Runs one window as often as the corrector wants.
    pub fn run(&self, window: &mut Window, state: &mut State) -> Result<Corrected, RunError> {
        window.begin(state)?;
        // The first guess.
        let mut y = std::mem::take(&mut state.guess.unknowns);
        self.guess_first(window, state, &mut y);
        // The corrector improves it.
        let before = self.prepare_joints(window, state, &mut y)?;
        let mut learnt = std::mem::take(&mut state.learnt);
        let mut problem = Guessed::new(window, state, &self.guesses);
        if let Some(chosen) = self.chosen {
            problem.share(chosen);
        }
        let result = match self.correction.corrector() {
            Some(corrector) if !y.is_empty() => corrector.correct(&mut learnt, &mut problem, &mut y),
            _ => problem.run_once(),
        };
        let discarded = problem.discarded.take();
        (state.guess.unknowns, state.learnt) = (y, learnt);
        // What has come out of it.
        let mut convergence = result?;
        self.judge_joints(window, state, &convergence);
        convergence.runs += before;
        let (doubt, left_out) = match convergence.converged {
            true => self.accept(window, state),
            false => (Some(unmet(state, convergence.residual)), 0.0),
        };
        convergence.converged = doubt.is_none_or(|d| !d.is_serious());
        if let Some(unfinished) = discarded {
            return Err(window.unfinished(state, unfinished));
        }
        state.now += window.length(state);
        Ok(Corrected { convergence, doubt, left_out })
    }

    /// First guesses: what the predictor makes of the past; of the forces of joints, what the windows before say.
    fn guess_first(&self, window: &mut Window, state: &mut State, y: &mut [f64]) {
        let now = state.now;
        let supply = &mut window.sources.with(&mut state.signals.histories, state.pace);
        for g in &self.guesses {
            let y = &mut y[g.places()];
            if g.channel >= self.channels {
                expected(&supply.histories[g.channel], g.end(now, supply.pace.stretch), y);
            } else {
                predict(g, supply, now, y);
            }
        }
        let sizes = &mut state.guess.sizes;
        sizes.begin();
        for g in &self.guesses {
            sizes.guess(g.channel, &y[g.places()]);
        }
        // Forces that are nothing but rounding, as in free fall, say nothing of how large their trials are.
        for (i, floor) in state.joints.floor.iter().enumerate() {
            sizes.guess(self.channels + i, &[TRIED * floor]);
        }
    }

    /// The interface Jacobian at the start of the window to come, from directional derivatives; `None` where a unit offers
    /// none or nothing is guessed.
    pub fn interface_jacobian(
        &self,
        window: &mut Window,
        state: &mut State,
    ) -> Result<Option<DMatrix<f64>>, UnitError> {
        // The first guess is put into the histories, from which it is taken back.
        window.keep(state);
        let mut y = std::mem::take(&mut state.guess.unknowns);
        self.guess_first(window, state, &mut y);
        let mut jacobian = DMatrix::zeros(y.len(), y.len());
        let mut problem = Guessed::new(window, state, &self.guesses);
        problem.put(&y);
        let found = problem.estimate_jacobian(&mut jacobian);
        state.guess.unknowns = y;
        window.take_back(state);
        Ok((found? && !self.guesses.is_empty()).then_some(jacobian))
    }
}

/// What the predictor makes of a sample.
fn predict(g: &Guess, supply: &mut Supply<'_>, now: Tick, y: &mut [f64]) {
    let span = g.span(supply, now);
    if g.is_end() {
        supply.value(g.channel, span.to, y);
    } else {
        supply.guess(g.channel, &span, g.s(), y);
    }
}

/// The signal with the largest residual of the guess evaluated last.
fn unmet(state: &State, residual: f64) -> Doubt {
    Doubt { place: state.guess.worst, found: residual, cause: Cause::Residual }
}
