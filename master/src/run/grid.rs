//! The *grid* of a run: the communication points of its units.

use crate::error::RunError;
use crate::method::schedule::Plan;
use crate::method::{Method, Sampling};
use crate::run::requirements::{check, stagger};
use crate::system::System;
use crate::system::feedthrough::FeedThrough;
use crate::time::{Clock, Tick, lcm};

/// Ticks in a macro step, and in a window.
const TICKS_MAX: Tick = 1_000_000;

/// Steps in a plan, which is a list of all of them, beside the first of each unit.
const PLAN_MAX: Tick = 100_000;

/// Start, macro step and the units' shares of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// Start time \[s\].
    pub start_s: f64,
    /// The slow macro step H \[s\], positive.
    pub step_s: f64,
    /// Stop time told to the units \[s\]; `None` leaves it open.
    pub stop_s: Option<f64>,
    /// For each unit its communication step as a fraction (numerator, denominator) of H; missing ones are (1, 1).
    pub shares: Vec<(u32, u32)>,
}

impl Grid {
    /// One macro step `step_s` for all units, from 0 to `stop_s`.
    pub fn uniform(step_s: f64, stop_s: f64) -> Self {
        Grid { start_s: 0.0, step_s, stop_s: Some(stop_s), shares: Vec::new() }
    }

    /// The plan of a window for a system that is not running, and the clock its ticks are counted by.
    ///
    /// # Errors
    /// [`RunError::Grid`] for times that make no sense, [`RunError::Schedule`] for an order that is not one of all units.
    pub fn plan(&self, system: &System, method: &Method) -> Result<(Plan, Clock), RunError> {
        let (clock, steps) = self.resolve(system.units.len(), method.schedule.parts())?;
        check(system, method, &steps)?;
        let n = system.units.len();
        let is_updated = method.sampling == Sampling::Updated;
        let refreshed = if is_updated { FeedThrough::of(system, false) } else { FeedThrough::none(n) };
        let plan = match stagger(system, method) {
            Some(order) => Plan::staggered(order, &steps, &refreshed, self.last_window(steps[0])),
            None => Plan::new(&method.schedule, &steps, &refreshed).beside(|unit| system.units[unit].is_parallel()),
        };
        Ok((plan, clock))
    }

    /// Length of a window in macro steps H, and how many steps each of `n` units makes in it.
    ///
    /// # Errors
    /// [`RunError::Grid`] for shares that make no window, or one of too many steps.
    ///
    /// ```
    /// use macrostep_master::Grid;
    ///
    /// // The second of two units makes three steps in a macro step.
    /// let grid = Grid { shares: vec![(1, 1), (1, 3)], ..Grid::uniform(1e-3, 1.0) };
    /// assert_eq!(grid.window(2)?, (1.0, vec![1, 3]));
    /// # Ok::<(), macrostep_master::RunError>(())
    /// ```
    pub fn window(&self, n: usize) -> Result<(f64, Vec<u64>), RunError> {
        let (clock, steps) = self.resolve(n, 1)?;
        let window = steps.iter().copied().fold(1, lcm);
        let made = steps.iter().map(|s| (window / s) as u64).collect();
        Ok((window as f64 / clock.per_unit as f64, made))
    }

    /// Start of the last window, of `window` ticks, before the stop time.
    pub(crate) fn last_window(&self, window: Tick) -> Option<Tick> {
        let windows = ((self.stop_s? - self.start_s) / self.step_s).round();
        (1.0..1e15).contains(&windows).then_some((windows as Tick - 1) * window)
    }

    /// Clock and steps in ticks of `n` units.
    pub(crate) fn resolve(&self, n: usize, parts: Tick) -> Result<(Clock, Vec<Tick>), RunError> {
        let bad = |what, found: String, expected: &str| RunError::grid(what, found, expected.to_string());
        // A step above zero, and a start.
        if !(self.step_s.is_finite() && self.step_s > 0.0) {
            return Err(bad("macro step", format!("{} s", self.step_s), "a positive number of seconds"));
        }
        if !self.start_s.is_finite() {
            return Err(bad("start time", format!("{} s", self.start_s), "a finite number of seconds"));
        }
        // A macro step has as many ticks as all rates divide it by.
        let share = |u: usize| self.shares.get(u).copied().unwrap_or((1, 1));
        let mut per_unit: Tick = parts;
        for (p, q) in (0..n).map(share) {
            if p == 0 || q == 0 || p > 1_000_000 || q > 1_000_000 {
                return Err(bad("rate", format!("{p}/{q}"), "a fraction of whole numbers from 1 to 1000000"));
            }
            per_unit = lcm(per_unit, Tick::from(q));
            if per_unit > TICKS_MAX {
                return Err(bad("rates", format!("{per_unit} parts of a macro step"), "at most 1000000"));
            }
        }
        // Steps in ticks, and the window after which all units meet.
        let steps: Vec<Tick> = (0..n).map(|u| per_unit * Tick::from(share(u).0) / Tick::from(share(u).1)).collect();
        let window = steps.iter().copied().fold(1, lcm);
        if window > TICKS_MAX {
            let ticks = if window == Tick::MAX { "9e18 ticks or more".to_string() } else { format!("{window} ticks") };
            return Err(bad("rates", format!("units that meet every {ticks}"), "units that meet within 1000000"));
        }
        // The length of the plan: steps of all units in one window.
        let made: Tick = steps.iter().map(|s| window / s).sum();
        // Each unit may step once, however many there are.
        if made - steps.len() as Tick > PLAN_MAX {
            return Err(bad(
                "rates",
                format!("{made} steps of units until all meet again"),
                "at most 100000: choose steps nearer to each other",
            ));
        }
        Ok((Clock { start_s: self.start_s, unit_s: self.step_s, per_unit }, steps))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_whose_common_multiple_is_beyond_all_ticks_are_refused() {
        let shares = vec![(991_031, 1), (993_793, 1), (994_069, 1), (993_647, 1)];
        let grid = Grid { shares, ..Grid::uniform(1e-3, 1.0) };
        let refused = |n: usize| grid.window(n).expect_err("refused").to_string();
        assert!(refused(2).contains("every 984879670583 ticks"), "{}", refused(2));
        assert!(refused(4).contains("every 9e18 ticks or more"), "{}", refused(4));
    }
}
