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
//! A fast motion that has died down may grow from nothing in windows that are too long for it, by a constant factor each, while the other signals
//! are smooth; what is left out would say so when it has pushed the masses for long. So a window at the end of 8 that leave out more and more, twice as much at
//! least, is taken back and halved as well.
//! Windows are halves of the longest one and end at each multiple of it, so that few lengths occur: a corrector learns each of them anew.
//!
//! Halving is always cheaper here than more nodes: a slave is told the number of nodes before it is initialised, so that another number would
//! mean another run from the start.

use super::{Controller, ControllerState, Verdict};
use crate::step::iteration::Corrected;
use crate::time::Tick;

/// What is left out is rounding below this.
const ROUNDING: f64 = 1e-15;

/// Windows of one length that leave out more and more before the length is refused, and how many times as much the last of them leaves out.
const GROWING: (Tick, f64) = (8, 2.0);

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
        let growth = state.growth.of(length, corrected.left_out);
        let is_growing = growth.windows >= GROWING.0
            && corrected.left_out >= GROWING.1 * growth.first.max(10.0 * ROUNDING)
            && self.may_shorten(length);
        let r = if is_converged && !is_growing { corrected.left_out / allowed } else { f64::INFINITY };
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
        state.growth = growth;
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

/// How what is left out has grown in windows of one length.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Growth {
    length: Tick,
    /// What the first of them left out, and the last.
    first: f64,
    last: f64,
    /// Windows since the first.
    windows: Tick,
}

impl Growth {
    /// With one more window, of `length`: growth goes on, or begins here.
    fn of(self, length: Tick, left_out: f64) -> Growth {
        if length == self.length && left_out > self.last {
            return Growth { last: left_out, windows: self.windows + 1, ..self };
        }
        Growth { length, first: left_out, last: left_out, windows: 0 }
    }
}
