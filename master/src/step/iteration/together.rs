//! Trials of one window that are run together: all of them pass one operation of the plan before the next, so that what they ask of a unit
//! that is far away is one message, and a unit with derivatives of what it does is integrated once. Each has a state of its own, which begins as the
//! window does. What comes out has the bits of trials that are run one after the other, but for units with derivatives.

use super::problem::{Guessed, left, put};
use crate::method::schedule::Op;
use crate::step::state::State;
use crate::step::supply::Coupled;
use crate::step::unit_port::{Tried, UnitPort};
use crate::step::window::{START, Window};
use crate::time::Span;
use crate::unit::UnitError;
use nalgebra::DMatrix;
use std::ops::Range;

/// Trials that are run together at most, since each has a state of its own.
const TOGETHER_MAX: usize = 128;

impl Guessed<'_> {
    /// As [`Problem::probe_all`](crate::correct::Problem::probe_all).
    pub(super) fn run_together(
        &mut self,
        at: (&[f64], &[f64]),
        trials: &DMatrix<f64>,
        residuals: &mut DMatrix<f64>,
    ) -> Result<bool, UnitError> {
        // No unit in a browser is far away or has equations that are integrated here.
        if cfg!(target_family = "wasm") || !gains(self.window) {
            return Ok(false);
        }
        self.window.take_back(self.state);
        self.ran = true;
        let mut last = None;
        for first in (0..trials.ncols()).step_by(TOGETHER_MAX) {
            let columns = first..trials.ncols().min(first + TOGETHER_MAX);
            last = self.run_some(at, columns, trials, residuals);
            // Where one fails, they are run one by one: it may be too far.
            if last.is_none() {
                return Ok(false);
            }
        }
        // What stays of trials that are run one by one: the state of the last.
        if let Some(last) = last {
            *self.state = last;
        }
        self.discarded = None;
        Ok(true)
    }

    /// The trials of some columns; the state of the last, where all of them came to something.
    fn run_some(
        &mut self,
        (y, residual): (&[f64], &[f64]),
        columns: Range<usize>,
        trials: &DMatrix<f64>,
        residuals: &mut DMatrix<f64>,
    ) -> Option<State> {
        // What is linear in the difference from the first of them has the guess itself there: no difference from what came out of it then.
        let is_linear = self.window.unit_ports.iter().any(|unit_port| unit_port.unit.gains_by_trials());
        let guesses = is_linear.then_some(y).into_iter().chain(columns.clone().map(|j| column(trials, j)));
        // Each trial begins as the window does, with a guess of its own.
        let guessed = |y: &[f64]| {
            let mut state = self.state.clone();
            put(self.guesses, &mut state, y);
            state
        };
        let mut states: Vec<State> = guesses.map(guessed).collect();
        if !pass(self.window, &mut states).unwrap_or(false) {
            return None;
        }
        // What came out of each.
        let behind = states.len() - columns.len();
        let mut of_guess = residual.to_vec();
        if is_linear {
            left(self.guesses, &states[0], y, &mut of_guess);
        }
        for (j, state) in columns.zip(&states[behind..]) {
            let mut out = residuals.column_mut(j);
            left(self.guesses, state, column(trials, j), out.as_mut_slice());
            let by = residual.iter().zip(&of_guess).map(|(before, now)| before - now);
            out.iter_mut().zip(by).for_each(|(out, by)| *out += by);
        }
        states.pop()
    }
}

/// Column `j`, whose numbers lie side by side.
fn column(matrix: &DMatrix<f64>, j: usize) -> &[f64] {
    &matrix.as_slice()[j * matrix.nrows()..(j + 1) * matrix.nrows()]
}

/// Whether a unit gains, since it is far away or has derivatives of what it does, and nothing else is done in a window than to feed, step, read
/// and publish. Accounts of power bonds that correct nothing may be left out: they are taken back with the window.
fn gains(window: &Window) -> bool {
    let Window { unit_ports, links, lines, joints, balance, pre_step, .. } = window;
    let is_plain = links.is_empty() && lines.is_empty() && joints.is_empty() && pre_step.is_none();
    unit_ports.iter().any(|unit_port| unit_port.unit.distance().is_some() || unit_port.unit.gains_by_trials())
        && is_plain
        && !balance.as_ref().is_some_and(|balance| balance.corrects())
        && unit_ports.iter().all(UnitPort::may_be_tried)
}

/// Runs the plan with all trials; false where they must be run one by one.
fn pass(window: &mut Window, trials: &mut [State]) -> Result<bool, UnitError> {
    let Some(first) = trials.first() else { return Ok(false) };
    let (now, stretch, clock) = (first.now, first.pace.stretch, window.sources.clock);
    let ops: Vec<Op> = window.plan.ops_at(now).iter().map(|op| op.stretched(stretch)).collect();
    // Each unit makes one step.
    let steps = |unit: usize| ops.iter().filter(|op| matches!(op, Op::Advance { unit: u, .. } if *u == unit)).count();
    if (0..window.unit_ports.len()).any(|unit| steps(unit) != 1) {
        return Ok(false);
    }
    for op in ops {
        match op {
            Op::Advance { unit, from, to } => {
                let span = Span { from: now + from, to: now + to, length_s: clock.length_s(to - from) };
                let mut tried = Tried::default();
                for trial in &mut *trials {
                    let Coupled { unit_ports, states, mut supply } = window.parts(trial);
                    if !unit_ports[unit].propose(&mut states[unit], &mut supply, &span, &mut tried) {
                        return Ok(false);
                    }
                }
                let unit_port = &mut window.unit_ports[unit];
                let times = (clock.seconds(span.from), span.length_s);
                if !unit_port.make(&trials[0].unit_ports[unit], times, &mut tried, START)? {
                    return Ok(false);
                }
                for (i, trial) in trials.iter_mut().enumerate() {
                    unit_port.take_trial(&mut trial.unit_ports[unit], &tried, i, &span);
                }
            }
            Op::Publish { unit, at } => {
                for trial in &mut *trials {
                    let Coupled { unit_ports, states, mut supply } = window.parts(trial);
                    unit_ports[unit].publish(&states[unit], &mut supply, now + at);
                }
            }
            // Steps that could begin beside others are made together here, and nothing follows an input at once.
            Op::Begin { .. } | Op::Refresh { .. } | Op::RefreshUnit { .. } => {}
        }
    }
    Ok(true)
}
