//! The course of a run: one window after the other.

use super::Simulation;
use crate::error::RunError;
use crate::method::correct::Convergence;
use crate::step::control::{Controller, Verdict};
use crate::step::doubt::Doubt;
use crate::step::iteration::{Corrected, Iteration};
use crate::step::state::State;
use crate::step::window::Window;
use crate::time::{Span, Tick};

/// One window, repeated where there is an iteration.
#[inline]
fn window(
    window: &mut Window,
    iteration: Option<&Iteration>,
    state: &mut State,
) -> Result<Option<Corrected>, RunError> {
    match iteration {
        None => window.run(state).map(|()| None),
        Some(iteration) => iteration.run(window, state).map(Some),
    }
}

impl Simulation {
    /// One window: to the next point where all units meet.
    #[inline]
    pub fn step(&mut self) -> Result<Option<Convergence>, RunError> {
        // A shorter window at the end.
        if let Some(rest) = self.rest.as_ref().filter(|rest| rest.from == self.state.now) {
            self.state.pace.stretch = rest.parts;
            self.state.learnt = Default::default();
        }
        // Values set at this time.
        if self.changes.are_pending(self.state.changes_past) {
            let times_s = (self.grid.start_s, self.time_s(), self.window_s());
            self.changes.set(&mut self.state.changes_past, times_s, &mut self.window.unit_ports)?;
        }
        // The window.
        self.crossings.rows.clear();
        let began = self.state.now;
        let outcome = match &self.control {
            Some(_) => self.controlled(),
            None if self.crossings.is_empty() => self.run_window(),
            None => self.windows_with_events(),
        };
        let corrected = outcome.map_err(|error| self.blamed(error))?;
        // What it has cost, and whether it is to be relied on.
        let convergence = self.tally(corrected, began);
        self.state.look_at_signals(self.channels, &self.rated, &self.window.sources.clock);
        self.check_size()?;
        self.check_work()?;
        Ok(convergence)
    }

    /// One window of the present length, repeated where there is an iteration.
    #[inline]
    pub(super) fn run_window(&mut self) -> Result<Option<Corrected>, RunError> {
        match &mut self.repetition {
            Some(repetition) => repetition.run(&mut self.window, &mut self.state).map(Some),
            None => window(&mut self.window, self.iteration.as_ref(), &mut self.state),
        }
    }

    /// Counts a window that stands.
    pub(super) fn tally(&mut self, corrected: Option<Corrected>, began: Tick) -> Option<Convergence> {
        let convergence = corrected.as_ref().map(|c| c.convergence);
        self.state.statistics.windows += 1;
        self.state.statistics.runs += convergence.map_or(1, |c| c.runs as u64);
        if let Some(Corrected { convergence, doubt, .. }) = corrected {
            self.count(convergence, doubt.map(|doubt| (began, doubt)));
        }
        convergence
    }

    /// Counts a window that was repeated.
    fn count(&mut self, convergence: Convergence, doubt: Option<(Tick, Doubt)>) {
        let State { statistics, doubts, .. } = &mut self.state;
        statistics.unconverged += u64::from(!convergence.converged);
        statistics.coarse += u64::from(convergence.converged && doubt.is_some());
        statistics.residual_max = statistics.residual_max.max(convergence.residual);
        doubts.take(doubt, convergence.converged);
    }

    /// A window of a length that keeps the tolerance.
    fn controlled(&mut self) -> Result<Option<Corrected>, RunError> {
        // Where windows end at the latest.
        let end = self.grid.stop_s.map_or(Tick::MAX, |stop_s| self.tick(stop_s));
        let end = self.until.map_or(end, |until| until.min(end));
        let clock = self.window.sources.clock;
        self.look_first()?;
        loop {
            let Simulation { window: steps, control: Some(control), iteration, state, .. } = self else {
                return Ok(None);
            };
            // How long the window is.
            let left = ((end - state.now) / steps.plan.window).max(1);
            let Some(chosen) = &mut state.control else { return Ok(None) };
            let length = match control.is_of_waveforms() && !control.is_led {
                true => control.fit_waveform(chosen, state.now / steps.plan.window, left),
                false => control.fit(chosen, left),
            };
            let length = self.crossings.fit(length, (steps, state));
            if length != state.pace.stretch {
                state.learnt = Default::default();
            }
            state.pace.stretch = length;
            if control.revocable {
                steps.begin(state)?;
            }
            // What is predicted of its end, and the window.
            let ticks = steps.length(state);
            let span = Span { from: state.now, to: state.now + ticks, length_s: clock.length_s(ticks) };
            steps.predict(control, state, &span);
            let outcome = window(steps, iteration.as_ref(), state);
            // One that a unit did not finish, or that did not converge, is repeated with half the length.
            if control.may_shorten(length) && is_failed(control, &outcome) {
                if let Some(chosen) = &mut state.control {
                    chosen.course.rejected += 1;
                    control.shrink(chosen, length, 0.5);
                }
                state.now = span.from;
                steps.rewind(state)?;
                continue;
            }
            // Whether it stands.
            let verdict = match &outcome {
                Err(_) => return outcome,
                Ok(_) if state.events.settles || control.is_led => Verdict::Accepted,
                Ok(Some(corrected)) if control.is_of_waveforms() => {
                    let Some(chosen) = &mut state.control else { return outcome };
                    let end = state.now / steps.plan.window;
                    control.judge_waveform(chosen, corrected, (end, length), span.length_s)
                }
                Ok(_) => steps.judge(control, state, (length, span.length_s)),
            };
            // A window with events may be taken back even though its length is right.
            match verdict {
                Verdict::Accepted if self.crossings.is_empty() => return outcome,
                Verdict::Accepted => return self.meet_events(outcome?, (span.from, length)),
                Verdict::Jumped => return self.pass_jump(outcome?, (span.from, length)),
                Verdict::Rejected => {
                    state.now = span.from;
                    steps.rewind(state)?;
                }
            }
        }
    }

    /// After a window of `length` shortest ones from `from` on that stands although a signal jumps in it: the next one begins
    /// with new histories, as it does after an event.
    fn pass_jump(&mut self, corrected: Option<Corrected>, window: (Tick, Tick)) -> Result<Option<Corrected>, RunError> {
        // The jump may have carried a function of an event beyond zero.
        let corrected = if self.crossings.is_empty() { corrected } else { self.meet_events(corrected, window)? };
        if !self.crossings.is_any() {
            self.jumps += 1;
            self.window.begin_anew(&mut self.state);
        }
        Ok(corrected)
    }

    /// Whether the stop time has been reached; never without one.
    pub fn is_over(&self) -> bool {
        let clock = self.window.sources.clock;
        self.grid.stop_s.is_some_and(|stop_s| self.time_s() >= stop_s - 0.5 * clock.length_s(1))
    }
}

/// Whether a window has no result to rely on; waveforms are judged by themselves.
fn is_failed(control: &Controller, outcome: &Result<Option<Corrected>, RunError>) -> bool {
    match outcome {
        Err(error) => matches!(error, RunError::Discarded { .. }),
        Ok(Some(corrected)) => !corrected.convergence.converged && !control.is_of_waveforms(),
        Ok(None) => false,
    }
}

/// What step control does with a window.
impl Window {
    /// Before the window over `span`: what is predicted of its end.
    fn predict(&mut self, control: &Controller, state: &mut State, span: &Span) {
        let State { control: Some(chosen), signals, pace, .. } = state else { return };
        let supply = &mut self.sources.with(&mut signals.histories, *pace);
        control.predict(chosen, &mut self.unit_ports, supply, span);
    }

    /// Judges the window just run, of so many shortest ones and seconds, and chooses the next.
    fn judge(&mut self, control: &Controller, state: &mut State, (length, length_s): (Tick, f64)) -> Verdict {
        let State { control: Some(chosen), signals, pace, now, .. } = state else { return Verdict::Accepted };
        let supply = &mut self.sources.with(&mut signals.histories, *pace);
        // The estimate.
        let errors = match (&self.balance, &mut signals.balance) {
            (Some(balance), Some(accounts)) if control.weighs_energy() => {
                balance.close_all(accounts, &mut self.unit_ports, supply);
                let (energy_j, power_w) = accounts.totals();
                control.leak(chosen, energy_j, length_s, power_w)
            }
            _ => control.errors(chosen, &mut self.unit_ports, supply, *now),
        };
        // What follows from it.
        let verdict = control.judge(chosen, errors, &mut pace.degree, (length, length_s));
        if verdict != Verdict::Rejected {
            chosen.energy_j = signals.balance.as_ref().map_or(0.0, |accounts| accounts.totals().0);
        }
        verdict
    }
}
