//! A run that its caller leads from point to point, with inputs from outside at each of them.

use super::Simulation;
use crate::error::RunError;
use crate::time::Tick;

/// Part of a window that a point may be off one where all units meet.
const OFF_MAX: f64 = 1e-6;

impl Simulation {
    /// Gives input `outside` from outside: `coefficients[j]` is its j-th time derivative at the present time divided by j!, at
    /// least one. It holds until it is given anew; no saved state holds it. Says whether its present value has changed.
    pub fn set_outside(&mut self, outside: usize, coefficients: &[f64]) -> bool {
        let origin_s = self.time_s();
        let Some(input) = self.window.sources.outside.get_mut(outside) else { return false };
        let before = input.at(origin_s);
        input.origin_s = origin_s;
        let degree = coefficients.iter().rposition(|c| *c != 0.0).unwrap_or(0);
        input.polynomial.fill(degree, |j| coefficients.get(j).copied().unwrap_or(0.0));
        input.at(origin_s) != before
    }

    /// Evaluates feed-through outputs once more at the present point, after inputs from outside were given other values.
    ///
    /// # Errors
    /// Those of the units.
    pub fn refresh(&mut self) -> Result<(), RunError> {
        Ok(self.window.refresh(&mut self.state)?)
    }

    /// Whether a whole number of windows ends at `to_s` \[s\]; with step control, of the shortest ones.
    pub fn reaches(&self, to_s: f64) -> bool {
        let clock = self.window.sources.clock;
        let (now, to) = (self.state.now, self.tick(to_s));
        let length = if self.control.is_some() { self.window.plan.window } else { self.window.length(&self.state) };
        let off_s = (clock.seconds(to) - to_s).abs();
        let is_last = self.rest.as_ref().is_some_and(|rest| {
            to == rest.from + self.window.plan.window * rest.parts && (rest.from - now) % length == 0
        });
        to > now && ((to - now) % length == 0 || is_last) && off_s <= OFF_MAX * clock.length_s(length)
    }

    /// Windows up to `to_s` \[s\].
    ///
    /// # Errors
    /// [`RunError::Grid`] where [`Simulation::reaches`] says no; nothing is done then. Else as [`Simulation::step`].
    pub fn reach(&mut self, to_s: f64) -> Result<(), RunError> {
        if !self.reaches(to_s) {
            let (from_s, window_s) = (self.time_s(), self.shortest_s());
            return Err(RunError::grid(
                "communication step",
                format!("{} s", to_s - from_s),
                format!("a whole number of steps of {window_s} s: {window_s} s, {} s, …", 2.0 * window_s),
            ));
        }
        let to = self.tick(to_s);
        self.until = Some(to);
        while self.state.now < to {
            self.step()?;
        }
        Ok(())
    }

    /// Length of the shortest window \[s\] that is no remainder.
    pub fn shortest_s(&self) -> f64 {
        let clock = self.window.sources.clock;
        if self.control.is_some() { clock.length_s(self.window.plan.window) } else { self.window_s() }
    }

    /// The tick nearest to a time.
    pub(super) fn tick(&self, t_s: f64) -> Tick {
        let clock = self.window.sources.clock;
        ((t_s - clock.start_s) / clock.unit_s * clock.per_unit as f64).round() as Tick
    }
}
