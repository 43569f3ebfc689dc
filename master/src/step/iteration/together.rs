//! Trials of one window that are run together: all of them pass one operation of the plan before the next, so that what they ask of a unit
//! that is far away is one message. Each has a state of its own, which begins as the window does; what comes out has the bits of trials
//! that are run one after the other.

use super::problem::{Guessed, left, put};
use crate::method::schedule::Op;
use crate::step::state::State;
use crate::step::supply::Coupled;
use crate::step::unit_port::{Tried, UnitPort};
use crate::step::window::{START, Window};
use crate::time::Span;
use crate::unit::UnitError;
use nalgebra::DMatrix;

impl Guessed<'_> {
    /// As [`Problem::probe_all`](crate::correct::Problem::probe_all).
    pub(super) fn run_together(
        &mut self,
        trials: &DMatrix<f64>,
        residuals: &mut DMatrix<f64>,
    ) -> Result<bool, UnitError> {
        if !gains(self.window) {
            return Ok(false);
        }
        // Each trial begins as the window does, with a guess of its own.
        self.window.take_back(self.state);
        self.ran = true;
        let guessed = |y: &[f64]| {
            let mut state = self.state.clone();
            put(self.guesses, &mut state, y);
            state
        };
        let mut states: Vec<State> = trials.column_iter().map(|y| guessed(y.as_slice())).collect();
        // Where one fails, they are run one by one: it may be too far.
        if !pass(self.window, &mut states).unwrap_or(false) {
            return Ok(false);
        }
        // What came out of each.
        for (j, state) in states.iter().enumerate() {
            let mut column = residuals.column_mut(j);
            left(self.guesses, state, trials.column(j).as_slice(), column.as_mut_slice());
        }
        // What stays of trials that are run one by one: the state of the last.
        if let Some(last) = states.pop() {
            *self.state = last;
        }
        self.discarded = None;
        Ok(true)
    }
}

/// Whether a unit is far away, and nothing else is done in a window than to feed, step, read and publish. Accounts of power bonds that
/// correct nothing may be left out: they are taken back with the window.
fn gains(window: &Window) -> bool {
    let Window { unit_ports, links, lines, joints, balance, pre_step, .. } = window;
    let is_plain = links.is_empty() && lines.is_empty() && joints.is_empty() && pre_step.is_none();
    unit_ports.iter().any(|unit_port| unit_port.unit.distance().is_some())
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
