//! The last window of a run whose span is not a whole number of windows.

use super::Simulation;
use crate::error::RunError;
use crate::step::compiled::CompiledPlan;
use crate::time::Tick;

/// The last window of a run that is not a whole number of windows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rest {
    /// Where it begins.
    pub from: Tick,
    /// Its length, and that of a whole window, in ticks as the plan was made.
    pub parts: Tick,
    pub of: Tick,
}

/// Ticks that a run with a shorter last window may have.
const TICKS_MAX: f64 = 4.5e15;

impl Simulation {
    /// Makes the last window before the stop time a shorter one, where the span is not a whole number of windows; call it before
    /// [`Simulation::initialise`]. All units must be able to vary their step. Windows before it keep their bits: ticks are
    /// made finer, so that the rest is a whole number of them to 1e-12 of a window.
    ///
    /// # Errors
    /// [`RunError::Grid`] where steps are controlled or half steps merged: these choose their steps in another way.
    pub fn end_in_part(&mut self) -> Result<(), RunError> {
        let Some(stop_s) = self.grid.stop_s else { return Ok(()) };
        let span_s = stop_s - self.grid.start_s;
        let (whole, rest) = windows_and_rest(span_s, self.window_s());
        let Some(rest) = rest else { return Ok(()) };
        self.coarsen();
        if self.control.is_some() || self.window.plan.is_staggered() {
            return Err(RunError::grid(
                "stop time",
                format!("{span_s} s, {} windows", whole as f64 + rest),
                format!("a whole number of windows of {} s", self.window_s()),
            ));
        }
        // Ticks stay exact in the histories, which count them in doubles.
        let room = TICKS_MAX / (whole.max(1) as f64 * self.window.length(&self.state) as f64);
        let (parts, of) = fraction(rest, room.clamp(1.0, 1e6) as Tick);
        // As with steps that are controlled: steps of one part, stretched to the whole window.
        self.window.sources.clock.per_unit *= of;
        self.state.pace.stretch = of;
        let from = whole as Tick * self.window.length(&self.state);
        self.rest = Some(Rest { from, parts, of });
        if self.compiled.is_some() {
            self.compiled = CompiledPlan::of(&self.window, of);
        }
        self.refine();
        Ok(())
    }

    /// How many windows make up `span_s` seconds, from the start on; a shorter last one counts where
    /// [`Simulation::end_in_part`] allows it.
    ///
    /// # Errors
    /// [`RunError::Grid`] where it is not a whole number.
    pub fn windows_in(&self, span_s: f64) -> Result<u64, RunError> {
        let rest = self.rest.as_ref();
        let window_s =
            rest.map_or(self.window_s(), |rest| self.window.sources.clock.length_s(self.window.plan.window * rest.of));
        let n = span_s / window_s;
        match windows_and_rest(span_s, window_s) {
            (whole, None) if n.is_finite() && n >= 0.0 => Ok(whole),
            (whole, Some(_)) if self.rest.is_some() && n.is_finite() && n >= 0.0 => Ok(whole + 1),
            _ => Err(RunError::grid(
                "stop time",
                format!("{span_s} s, {n} windows"),
                format!("a whole number of windows of {window_s} s"),
            )),
        }
    }
}

/// How many whole windows a span has, and what part of another one is left; a part in a million is none.
///
/// ```
/// use macrostep_master::windows_and_rest;
///
/// assert_eq!(windows_and_rest(1.0, 0.1), (10, None));
/// assert_eq!(windows_and_rest(1.25, 0.5), (2, Some(0.5)));
/// ```
pub fn windows_and_rest(span_s: f64, window_s: f64) -> (u64, Option<f64>) {
    let n = span_s / window_s;
    if (n - n.round()).abs() <= 1e-6 * n.clamp(1.0, 1e3) {
        (n.round() as u64, None)
    } else {
        (n as u64, Some(n.fract()))
    }
}

/// The fraction p/q that comes nearest to `x` between 0 and 1, with q up to `most`, by continued fractions; p is at least 1.
fn fraction(x: f64, most: Tick) -> (Tick, Tick) {
    let (mut before, mut now) = ((1, 0), (0, 1));
    let mut left = x;
    while (x - now.0 as f64 / now.1 as f64).abs() > 1e-12 && left > 1.0 / most as f64 {
        let whole = (1.0 / left) as Tick;
        let next = (whole * now.0 + before.0, whole * now.1 + before.1);
        if next.1 > most {
            break;
        }
        (before, now) = (now, next);
        left = 1.0 / left - whole as f64;
    }
    if now.0 == 0 { (1, most) } else { now }
}

#[cfg(test)]
mod tests {
    use super::{fraction, windows_and_rest};

    #[test]
    fn rests_are_fractions() {
        assert_eq!(fraction(0.25, 1_000_000), (1, 4));
        assert_eq!(fraction(0.7 / 0.9, 1_000_000), (7, 9));
        assert_eq!(fraction(1e-9, 1000), (1, 1000));
        assert_eq!(fraction(0.999, 1_000_000), (999, 1000));
        for x in [0.123_456_789_f64, std::f64::consts::FRAC_1_PI, 0.618_033_988_7] {
            let (p, q) = fraction(x, 1_000_000);
            // No convergent that continues to a denominator above the largest is farther away than this.
            let bound = 1.0 / (q as f64 * 1e6);
            assert!((x - p as f64 / q as f64).abs() < bound && q <= 1_000_000, "{x}: {p}/{q}");
        }
        assert_eq!(windows_and_rest(1.0, 0.1), (10, None));
        let (whole, rest) = windows_and_rest(20.0, 0.0256);
        assert!(whole == 781 && (rest.expect("a rest") - 0.25).abs() < 1e-9);
        assert_eq!(windows_and_rest(0.5, 1.0), (0, Some(0.5)));
    }
}
