//! The outcome of a run so far: its numbers of calls, and windows whose result is not reliable.

use super::Simulation;
use crate::error::{Diverged, RunError};
use crate::step::account::Account;
use crate::step::control::Course;
use crate::step::doubt::{Cause, Doubt, Unconverged};
use crate::step::joints::Opening;
use crate::step::sizes::SIZE_MAX;
use crate::step::statistics::Statistics;
use crate::step::work::WORK_TOLERANCE;
use crate::system::line::LineAccount;
use crate::time::Tick;
use crate::unit::Warned;

/// One window in so many may miss the tolerance of the corrector by little.
const FEW: u64 = 100;

/// With sampled values larger than this a call that fails is taken for a sign of divergence.
const SIZE_BLAMED: f64 = 1e30;

/// Shows the state: all that changes in a run.
impl std::fmt::Debug for Simulation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.state.fmt(f)
    }
}

impl Simulation {
    /// Numbers of calls and steps so far.
    pub fn statistics(&self) -> Statistics {
        self.state.statistics
    }

    /// The steps that step control has made, if there is one.
    pub fn course(&self) -> Option<Course> {
        self.state.control.as_ref().map(|c| c.course)
    }

    /// The accounts of the power bonds, closed at the present time.
    pub fn accounts(&mut self) -> &[Account] {
        let (window, signals) = (&mut self.window, &mut self.state.signals);
        let (Some(balance), Some(accounts)) = (&window.balance, &mut signals.balance) else { return &[] };
        let supply = &mut window.sources.with(&mut signals.histories, self.state.pace);
        balance.close_all(accounts, &mut window.unit_ports, supply);
        &accounts.accounts
    }

    /// What calls of units returned `fmi2Warning`: name of the unit, and how many.
    pub fn warned(&mut self) -> Vec<(String, Warned)> {
        let units = self.window.unit_ports.iter_mut().map(|s| &mut s.unit);
        units.filter_map(|unit| Some((unit.name().to_owned(), unit.warned()?))).collect()
    }

    /// Energies of the lines with delay at the present time, in the order of their declaration.
    pub fn lines(&mut self) -> Vec<LineAccount> {
        self.window.sample_lines(&mut self.state);
        let (histories, clock) = (&self.state.signals.histories, &self.window.sources.clock);
        self.window.lines.iter().map(|line| line.account(histories, clock)).collect()
    }

    /// Largest gaps of the joints between units at the ends of windows so far; in the order of the constraints.
    pub fn openings(&self) -> Vec<Opening> {
        self.window.joints.openings(&self.state.joints)
    }

    /// The first window that did not converge, or whose nodes do not resolve a signal at all, if there was one; not where all such windows
    /// leave no more than what the tolerance allows the windows of the run together ([`Simulation::nearly_converged`]).
    pub fn unconverged(&self) -> Option<Unconverged> {
        self.told(self.state.doubts.first, self.state.statistics.unconverged).filter(|_| !self.is_left_little())
    }

    /// The first window whose residual stayed above the tolerance of the corrector, where all such windows leave so little that the run is as
    /// good as one whose windows all just meet it.
    pub fn nearly_converged(&self) -> Option<Unconverged> {
        self.told(self.state.doubts.first, self.state.statistics.unconverged).filter(|_| self.is_left_little())
    }

    /// Whether windows that did not converge are few, and their residuals add up to less than windows that converge may leave. Where they are
    /// many, the coupling is ill-conditioned, and small residuals may stand for large errors.
    fn is_left_little(&self) -> bool {
        let Statistics { windows, unconverged, .. } = self.state.statistics;
        let are_few = unconverged.saturating_mul(FEW) <= windows;
        let allowed = self.iteration.as_ref().and_then(|i| i.left_max(&self.window, windows));
        are_few && allowed.is_some_and(|allowed| self.state.doubts.left <= allowed)
    }

    /// The window that converged but leaves out the largest part of a signal, where that is more than its nodes promise, or whose interface
    /// model stayed most wrong.
    pub fn coarse(&self) -> Option<Unconverged> {
        self.told(self.state.doubts.coarse, self.state.statistics.coarse)
    }

    fn told(&self, doubt: Option<(Tick, Doubt)>, windows: u64) -> Option<Unconverged> {
        let (at, doubt) = doubt?;
        let signal = self.window.name(doubt.place);
        let allowed = match doubt.cause {
            Cause::Residual => None,
            Cause::Nodes { allowed } | Cause::Model { allowed } => Some(allowed),
        };
        let by_model = matches!(doubt.cause, Cause::Model { .. });
        let t_s = self.window.sources.clock.seconds(at);
        Some(Unconverged { t_s, windows, signal, found: doubt.found, allowed, by_model })
    }

    /// The signal that grew beyond all bounds and ended the run, if there was one.
    pub fn diverged(&self) -> Option<&Diverged> {
        self.state.diverged.as_ref()
    }

    /// Whether all sampled values are those of a run that can go on.
    #[inline]
    pub(super) fn check_size(&mut self) -> Result<(), RunError> {
        let (now, sampled) = (self.state.now, &self.state.signals.histories[..self.channels]);
        let within = |x: &f64| x.abs() <= SIZE_MAX;
        if sampled.iter().all(|h| h.is_empty() || h.row(h.not_after(now)).iter().all(within)) {
            return Ok(());
        }
        self.too_large()
    }

    /// The error of sampled values with which a run cannot go on.
    #[cold]
    #[inline(never)]
    fn too_large(&mut self) -> Result<(), RunError> {
        match self.beyond(SIZE_MAX) {
            None => Ok(()),
            Some(diverged) => {
                self.state.diverged = Some(diverged.clone());
                Err(RunError::Diverged(Box::new(diverged)))
            }
        }
    }

    /// A call that failed; what a unit says to signals that have grown beyond all measure is not its fault.
    pub(super) fn blamed(&mut self, error: RunError) -> RunError {
        match (&error, self.beyond(SIZE_BLAMED)) {
            (RunError::Unit(_), Some(diverged)) => {
                self.state.diverged = Some(diverged.clone());
                RunError::Diverged(Box::new(diverged))
            }
            _ => error,
        }
    }

    /// The first sampled value at the present time that is larger than `size`, or is NaN.
    fn beyond(&self, size: f64) -> Option<Diverged> {
        let is_beyond = |x: &f64| x.is_nan() || x.abs() > size;
        let sampled = self.state.signals.histories[..self.channels].iter().enumerate();
        let known = sampled.filter(|(_, history)| !history.is_empty());
        let mut rows = known.map(|(channel, history)| (channel, history.row(history.not_after(self.state.now))));
        let (channel, row) = rows.find(|(_, row)| row.iter().any(is_beyond))?;
        let component = row.iter().position(is_beyond)?;
        let signal = self.window.name((channel, component));
        let unconverged = self.unconverged().filter(|u| u.allowed.is_none()).map(|u| (u.t_s, u.signal));
        Some(Diverged { t_s: self.time_s(), stop_s: self.grid.stop_s, signal, found: row[component], unconverged })
    }

    /// Looks at the newest samples of all pairs of maps under watch.
    #[inline]
    pub(super) fn check_work(&mut self) -> Result<(), RunError> {
        if self.watches.is_empty() { Ok(()) } else { self.look_at_work() }
    }

    fn look_at_work(&mut self) -> Result<(), RunError> {
        let state = &mut self.state;
        let supply = self.window.sources.with(&mut state.signals.histories, state.pace);
        for (watch, seen) in self.watches.iter_mut().zip(&mut state.watches) {
            watch.look(seen, &supply);
            state.statistics.work_defect = state.statistics.work_defect.max(seen.defect);
        }
        let found = state.statistics.work_defect;
        if found <= WORK_TOLERANCE {
            return Ok(());
        }
        Err(RunError::VirtualWork { t_s: self.time_s(), found, limit: WORK_TOLERANCE })
    }
}
