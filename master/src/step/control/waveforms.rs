//! Windows of waveforms: as long as the nodes resolve the signals and the corrector converges.
//!
//! ```text
//! r = part of a signal that the nodes leave out / (tolerance · window / longest window);  ∞ where the window did not converge
//! ```
//!
//! A window is accepted with r ≤ 1, else it is taken back and halved, k times at once,
//!
//! ```text
//! k = max(1, ⌈log₂ r / Q⌉),   k = 1 where r is infinite
//! ```
//!
//! so that what is left out adds up to the tolerance over a longest window,
//! because what Q intervals between nodes leave out falls about as H^Q. It doubles again where r ≤ 2^−Q, or where what is left out is
//! rounding. A length that was refused is not tried again before 4 windows have passed, and twice as many after each further refusal.
//!
//! A fast motion that has died down may grow again from rounding, by a constant factor a window, where windows are too long for it. What is left out
//! is within the tolerance meanwhile, and what it does to the other signals adds up. So a window is taken back and halved as well where 8 windows in a row
//! each leave out more than the one before, and the last of them twice as much as was left out before the first.
//!
//! Windows are halves of the longest one and end at each multiple of it, so that few lengths occur: a corrector learns each of them anew.
//!
//! Halving is always cheaper here than more nodes: a slave is told the number of nodes before it is initialised, so that another number would
//! mean another run from the start.

use super::{Controller, ControllerState, Verdict};
use crate::step::iteration::Corrected;
use crate::time::Tick;

/// What is left out is rounding below this.
const ROUNDING: f64 = 1e-15;

/// So many windows of one length that each leave out more than the one before are too many, where the last leaves out so many times as much as the first.
const RISES: (Tick, f64) = (8, 2.0);

/// Windows to wait before a length that was refused is tried again, at first and at most.
const WAIT: [f64; 2] = [4.0, 1024.0];

impl Controller {
    /// Whether windows are waveforms of a corrector.
    pub fn is_of_waveforms(&self) -> bool {
        self.waveforms.is_some()
    }

    /// What nodes may leave out, where windows are chosen by it.
    pub fn left_out_max(&self) -> Option<f64> {
        self.waveforms.map(|_| self.tolerance)
    }

    /// The next length of a window from `now` on where `left` shortest windows are left, all in shortest ones: up to the next multiple of the
    /// longest.
    pub fn fit_waveform(&self, state: &ControllerState, now: Tick, left: Tick) -> Tick {
        let to_multiple = self.parts - now.rem_euclid(self.parts);
        state.length.clamp(self.least, self.parts).min(to_multiple).min(left)
    }

    /// Judges a waveform of `length` shortest ones and `window_s` seconds that ends at `end`, in shortest ones, and chooses the next length.
    pub fn judge_waveform(
        &self,
        state: &mut ControllerState,
        corrected: &Corrected,
        (end, length): (Tick, Tick),
        window_s: f64,
    ) -> Verdict {
        let is_converged = corrected.convergence.converged;
        let allowed = (self.tolerance * length as f64 / self.parts as f64).max(ROUNDING);
        let trend = state.trend.after(length, corrected.left_out);
        let r = if is_converged && !(trend.rises() && self.may_shorten(length)) {
            corrected.left_out / allowed
        } else {
            f64::INFINITY
        };
        let nodes = self.waveforms.unwrap_or(1) as f64;
        let (windows_left, refused) = state.refused;
        // Taken back and halved.
        if (r > 1.0 || r.is_nan()) && self.may_shorten(length) {
            state.course.rejected += 1;
            let wait = if refused == length { (2.0 * state.last).min(WAIT[1]) } else { WAIT[0] };
            (state.last, state.refused) = (wait, (wait, length));
            let halvings = if r.is_finite() { (r.log2() / nodes).ceil().clamp(1.0, 5.0) as u32 } else { 1 };
            state.length = (length >> halvings).max(self.least);
            return Verdict::Rejected;
        }
        state.trend = trend;
        state.course.window_s = [state.course.window_s[0].min(window_s), state.course.window_s[1].max(window_s)];
        // Doubled where that is expected to stand, from a multiple of the double on.
        let double = 2 * length;
        let is_waiting = windows_left >= 1.0 && double >= refused;
        state.refused.0 = (windows_left - 1.0).max(0.0);
        let is_smooth = r <= (-nodes).exp2() || corrected.left_out <= ROUNDING;
        if is_smooth && !is_waiting && length == state.length && double <= self.parts && end % double == 0 {
            state.length = double;
        }
        Verdict::Accepted
    }
}

/// What windows of one length have left out.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Trend {
    length: Tick,
    /// Before it began to rise, and last.
    first: f64,
    last: f64,
    /// Windows in a row that left out more than the one before.
    rises: Tick,
}

impl Trend {
    /// With one more window.
    fn after(self, length: Tick, left_out: f64) -> Trend {
        if length == self.length && left_out > self.last {
            return Trend { last: left_out, rises: self.rises + 1, ..self };
        }
        Trend { length, first: left_out, last: left_out, rises: 0 }
    }

    /// Whether it has risen for so long that it will go on.
    fn rises(self) -> bool {
        self.rises >= RISES.0 && self.last >= RISES.1 * self.first.max(10.0 * ROUNDING)
    }
}
