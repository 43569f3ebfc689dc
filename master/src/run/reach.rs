//! A run that its caller leads from point to point, with inputs from outside at each of them.

use super::Simulation;
use crate::error::RunError;
use crate::time::Tick;

/// Part of a window that a point may be off one where all units meet.
const OFF_MAX: f64 = 1e-6;

/// Part of a window that is rounding of times that are added up.
const ROUNDING: f64 = 1e-9;

/// Windows of a run without a stop time, for which ticks stay exact.
const WINDOWS_OPEN: f64 = 1e8;

/// Ticks that a run may have.
const TICKS_MAX: f64 = 4.5e15;

/// A window more than so many times as long as the one before begins with new histories: predictors that extrapolate over many times the
/// distance of their samples amplify what is wrong with these.
const GROWTH_MAX: Tick = 2;

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

    /// Lets windows be shortened to any length, for [`Simulation::reach_any`]; call it before [`Simulation::initialise`]. All units must be able
    /// to vary their step. Whole windows keep their bits. Says no where something counts on windows of one length: step control, half
    /// steps that are merged, events of a condition, lines, joints, interface models, and linear models of a step.
    pub fn shorten(&mut self) -> bool {
        let is_free = self.control.is_none()
            && self.crossings.is_empty()
            && self.repetition.is_none()
            && !self.window.plan.is_staggered()
            && self.window.lines.is_empty()
            && self.window.joints.is_empty()
            && self.window.pre_step.is_none();
        if !is_free {
            return false;
        }
        // Ticks as fine as stays exact in the histories, which count them in doubles: a time is met as well as a double says it. Windows of a
        // power of two times as many ticks keep their bits.
        let (clock, length) = (self.window.sources.clock, self.window.length(&self.state));
        let span_s = self.grid.stop_s.map(|stop_s| stop_s - self.grid.start_s);
        let windows = span_s.map_or(WINDOWS_OPEN, |span_s| (span_s / clock.length_s(length)).ceil().max(1.0));
        let room = TICKS_MAX / (windows * length as f64);
        let mut parts: Tick = 1;
        while (2 * parts) as f64 <= room {
            parts *= 2;
        }
        self.window.sources.clock.per_unit *= parts;
        self.state.pace.stretch *= parts;
        self.whole = Some(self.state.pace.stretch);
        // A shorter last window is one of many from now on, and the compiled plan knows one length only.
        (self.rest, self.compiled) = (None, None);
        true
    }

    /// Windows up to `to_s` \[s\], where [`Simulation::shorten`] has said yes: whole ones, and a shortened one at the end. Where less than
    /// half a window would be left before another step, the last two share what is left. The next call begins a new grid where this one has
    /// ended.
    ///
    /// # Errors
    /// [`RunError::Grid`] for a time beyond what ticks can count; else as [`Simulation::step`].
    pub fn reach_any(&mut self, to_s: f64) -> Result<(), RunError> {
        let Some(whole) = self.whole else { return self.reach(to_s) };
        if self.tick(to_s) as f64 > 2.0 * TICKS_MAX {
            let (found, expected) = (format!("{to_s} s"), "a time up to which steps can be counted: give a stop time");
            return Err(RunError::grid("end of a communication step", found, expected.to_owned()));
        }
        let (clock, unit) = (self.window.sources.clock, self.window.plan.window);
        let (now, window) = (self.state.now, unit * whole);
        // The end: a whole number of windows where it is near one, and not past the stop time.
        let near = |a: Tick, b: Tick| (a - b).abs() as f64 <= ROUNDING * window as f64;
        let windows = ((self.tick(to_s) - now) as f64 / window as f64).round() as Tick;
        let to = if near(self.tick(to_s), now + windows * window) {
            now + windows * window
        } else {
            now + (self.tick(to_s) - now) / unit * unit
        };
        let stop_s = self.grid.stop_s.unwrap_or(f64::INFINITY);
        let is_past = clock.seconds(to) - stop_s > 1e-12 * clock.length_s(window);
        let to = if is_past && !near(to, now + windows * window) { to - unit } else { to };
        let is_last = (clock.seconds(to) - stop_s).abs() <= OFF_MAX * clock.length_s(window);
        while self.state.now < to {
            let left = to - self.state.now;
            let length = match left as f64 / window as f64 {
                // Slightly longer than a whole one, rather than a whole one and nearly nothing.
                part if part <= 1.0 + OFF_MAX => left / unit,
                part if part < 1.5 && !is_last => left / 2 / unit,
                _ => whole,
            };
            if length > GROWTH_MAX * self.state.pace.stretch {
                self.window.begin_anew(&mut self.state);
            }
            self.pace(length);
            self.step()?;
        }
        Ok(())
    }

    /// Windows, with step control of the shortest kind at the end, up to the first point at or beyond `to_s` \[s\]. Says whether it is
    /// beyond; `last` is then called before the window that `to_s` lies in.
    ///
    /// # Errors
    /// As [`Simulation::step`], and those of `last`.
    pub fn pass(
        &mut self,
        to_s: f64,
        last: impl FnOnce(&mut Simulation) -> Result<(), RunError>,
    ) -> Result<bool, RunError> {
        if self.reaches(to_s) {
            return self.reach(to_s).map(|()| false);
        }
        // The last point before it.
        let clock = self.window.sources.clock;
        let length = if self.control.is_some() { self.window.plan.window } else { self.window.length(&self.state) };
        let windows = (to_s - self.time_s()) / clock.length_s(length) + OFF_MAX;
        let before = self.state.now + (windows.max(0.0) as Tick) * length;
        self.until = Some(before);
        while self.state.now < before {
            self.step()?;
        }
        // One that was near enough is not passed.
        if to_s - self.time_s() <= OFF_MAX * clock.length_s(length) {
            return Ok(false);
        }
        last(self)?;
        self.until = Some(before + length);
        while self.state.now < before + length {
            self.step()?;
        }
        Ok(true)
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
        let shortest = if self.control.is_some() { 1 } else { self.whole.unwrap_or(self.state.pace.stretch) };
        clock.length_s(self.window.plan.window * shortest)
    }

    /// The tick nearest to a time.
    pub(super) fn tick(&self, t_s: f64) -> Tick {
        let clock = self.window.sources.clock;
        ((t_s - clock.start_s) / clock.unit_s * clock.per_unit as f64).round() as Tick
    }
}
