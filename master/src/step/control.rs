//! *Step control*: chooses the step during a run and, if the predictor has degrees, the degree.
//!
//! Two estimates r, of which 1 is what is tolerated:
//!
//! ```text
//! error:  r = max |ũ(t_k + H) − u(t_k + H)| / (tol · size of u)   over inputs that are predicted, size as seen so far
//! ecco:   r = |δE| / (tol · H · largest power transmitted)        over power bonds
//! ```
//!
//! `error` compares the inputs predicted over the window with what they turned out to be; the same is done with degrees
//! k ± 1, which costs no step of a unit, and the degree that allows the largest step is taken. `ecco` is the energy-conservation
//! based control on residual energy. Both are O(H^{k+1}) for degree k, p = k + 1. The next step is a PI controller's,
//!
//! ```text
//! H ← H · α r_n^{−k_I} (r_{n−1}/r_n)^{k_P},   k_I = 0.3/p,  k_P = 0.4/p,  α = 0.9
//! ```
//!
//! and after a rejection or a change of degree `α r^{−1/p}`; it grows by no more than 2 and shrinks by no more than 5 at once,
//! and small changes are not made, because a corrector forgets its Jacobian with each. A window with r > 1 is taken back and
//! tried anew where all units can save their state; else it stands, and the next one is shorter.
//!
//! Waveforms of a corrector have another estimate and halve and double their windows, see `control/waveforms.rs`.
//!
//! Time stays whole ticks: a tick is H/[`StepControl::parts`] of the largest step H, and all steps of a window are the same
//! multiple of the shortest ones, so that rates between units stay.
//!
//! References: \[Busch 2011\] for the explicit estimate; \[Sadjina 2017\] for ECCO and its gains; \[Gustafsson 1991\] for PI control.

mod waveforms;

use crate::method::predict::Predictor;
use crate::method::{Estimate, StepControl};
use crate::savable::savable;
use crate::step::supply::Supply;
use crate::step::unit_port::UnitPort;
use crate::time::{Span, Tick};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The steps that step control has made.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Course {
    /// Windows taken back.
    pub rejected: u64,
    /// Shortest and longest window so far \[s\].
    pub window_s: [f64; 2],
    /// Lowest and highest place in the family used; (0, 0) where there was nothing to choose.
    pub degree: [usize; 2],
}

/// The control of a run.
pub(crate) struct Controller {
    estimate: Estimate,
    tolerance: f64,
    /// Shortest and longest window, in shortest ones of the plan.
    least: Tick,
    parts: Tick,
    family: Vec<Arc<dyn Predictor>>,
    lowest: usize,
    /// Whether all units can go back.
    pub revocable: bool,
    /// How many inputs each unit has.
    inputs: Vec<usize>,
    /// Units whose inputs are predicted, not known.
    blind: Vec<bool>,
    /// Intervals between nodes, where windows are waveforms of a corrector and chosen by what these leave out.
    waveforms: Option<usize>,
    /// Whether another run says how long windows are: nothing is chosen or taken back then.
    pub is_led: bool,
}

savable! {
/// What control has come to.
pub(crate) struct ControllerState {
    /// Length of the next window in shortest ones.
    length: Tick,
    last: f64,
    /// r of the window under way when it was taken back first, and its length then.
    refused: (f64, Tick),
    /// Of what windows of waveforms leave out.
    trend: waveforms::Trend,
    /// Inputs as predicted at the window's end with degree k − 1, k, k + 1, unit by unit.
    predicted: [Vec<Vec<f64>>; 3],
    size: Vec<Vec<f64>>,
    /// Residual energy of all bonds at the window's start \[J\].
    pub energy_j: f64,
    pub course: Course,
}
}

/// What becomes of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Accepted,
    /// It stands, and what comes after it is no continuation of what was before.
    Jumped,
    Rejected,
}

impl Controller {
    /// Control of units of which some are `blind`, by one of a family of predictors, with windows that are repeated or not.
    pub fn new(
        control: &StepControl,
        family: &[Arc<dyn Predictor>],
        unit_ports: &[UnitPort],
        (blind, repeats): (Vec<bool>, bool),
    ) -> Self {
        let nodes = family.last().map_or(0, |predictor| predictor.nodes());
        let is_waveform = repeats && nodes > 1 && control.estimate == Estimate::Error;
        let saves =
            |s: &UnitPort| s.unit.description().co_simulation.as_ref().is_some_and(|c| c.can_get_and_set_fmu_state);
        Controller {
            estimate: control.estimate,
            tolerance: control.tolerance,
            least: 1,
            parts: Tick::from(control.parts.max(1)),
            family: family.to_vec(),
            lowest: control.lowest,
            revocable: unit_ports.iter().all(saves),
            inputs: unit_ports.iter().map(|s| s.inputs.refs.len()).collect(),
            blind,
            waveforms: is_waveform.then_some(nodes),
            is_led: false,
        }
    }

    /// Makes the shortest windows of the plan shorter, not those of control.
    pub fn refine(&mut self, by: Tick) {
        self.least *= by;
        self.parts *= by;
    }

    /// Before the first window.
    pub fn state(&self) -> ControllerState {
        let room = || self.inputs.iter().map(|n| vec![0.0; *n]).collect::<Vec<_>>();
        ControllerState {
            // Waveforms need no past.
            length: if self.waveforms.is_some() { self.parts } else { self.least },
            last: 1.0,
            refused: (0.0, 0),
            trend: waveforms::Trend::default(),
            predicted: [room(), room(), room()],
            size: room(),
            energy_j: 0.0,
            course: Course { rejected: 0, window_s: [f64::INFINITY, 0.0], degree: [self.first_degree(); 2] },
        }
    }

    /// Place in the family of the predictor that is used first.
    pub fn first_degree(&self) -> usize {
        1.min(self.family.len() - 1)
    }

    /// The next length where `left` shortest windows are left: the end is met, and not by a sliver.
    pub fn fit(&self, state: &mut ControllerState, left: Tick) -> Tick {
        if self.is_led {
            return left;
        }
        state.length = state.length.clamp(self.least, self.parts);
        if state.length >= left {
            left
        } else if 2 * state.length > left {
            (left + 1) / 2
        } else {
            state.length
        }
    }

    /// Before the window: inputs at its end as each of the degrees predicts them.
    pub fn predict(
        &self,
        state: &mut ControllerState,
        unit_ports: &mut [UnitPort],
        supply: &mut Supply<'_>,
        span: &Span,
    ) {
        if self.estimate == Estimate::Ecco || self.waveforms.is_some() || self.is_led {
            return;
        }
        for (offset, predicted) in state.predicted.iter_mut().enumerate() {
            let Some(predictor) = (supply.pace.degree + offset).checked_sub(1).and_then(|k| self.family.get(k)) else {
                continue;
            };
            let supply = &mut supply.by(predictor.as_ref());
            for (u, unit_port) in unit_ports.iter_mut().enumerate().filter(|(u, _)| self.blind[*u]) {
                unit_port.predicted_inputs(supply, span, &mut predicted[u]);
            }
        }
    }

    /// After the window that ended at `at`: r for degrees k − 1, k, k + 1; infinite where there is no such degree.
    pub fn errors(
        &self,
        state: &mut ControllerState,
        unit_ports: &mut [UnitPort],
        supply: &mut Supply<'_>,
        at: Tick,
    ) -> [f64; 3] {
        let mut errors = [f64::INFINITY; 3];
        for (offset, error) in errors.iter_mut().enumerate() {
            if (supply.pace.degree + offset).checked_sub(1).is_some_and(|k| k < self.family.len()) {
                *error = 0.0;
            }
        }
        for (u, unit_port) in unit_ports.iter_mut().enumerate().filter(|(u, _)| self.blind[*u]) {
            unit_port.feed_now(supply, at);
            for (i, (value, size)) in unit_port.inputs.values.iter().zip(&mut state.size[u]).enumerate() {
                *size = size.max(value.abs());
                // Nothing seen yet of a signal that starts at zero: measure it absolutely.
                let scale = if *size > 0.0 { *size } else { 1.0 };
                for (error, predicted) in errors.iter_mut().zip(&state.predicted) {
                    let r = (predicted[u][i] - value).abs() / (scale * self.tolerance);
                    *error = if r.is_nan() { f64::INFINITY } else { error.max(r) };
                }
            }
        }
        errors
    }

    /// r from the residual energy of a window of `window_s` seconds and the largest power transmitted so far.
    pub fn leak(&self, state: &ControllerState, energy_j: f64, window_s: f64, power_w: f64) -> [f64; 3] {
        let size = window_s * power_w * self.tolerance;
        let r = if size > 0.0 { (energy_j - state.energy_j).abs() / size } else { 0.0 };
        [f64::INFINITY, if r.is_nan() { f64::INFINITY } else { r }, f64::INFINITY]
    }

    /// Whether the estimate is residual energy.
    pub fn weighs_energy(&self) -> bool {
        self.estimate == Estimate::Ecco
    }

    /// Judges a window of `length` shortest ones and `window_s` seconds and chooses the next.
    pub fn judge(
        &self,
        state: &mut ControllerState,
        errors: [f64; 3],
        degree: &mut usize,
        (length, window_s): (Tick, f64),
    ) -> Verdict {
        // The order p of a degree, and the factor that an error allows for itself, without the one before.
        let lowest = self.lowest;
        let order = |degree: usize| (lowest + degree) as f64 + 1.0;
        let elementary = |r: f64, degree: usize| 0.9 * r.max(1e-12).powf(-1.0 / order(degree));
        let r = errors[1];
        // Taken back; what the first refusal of this window was is kept, to tell a jump by.
        if (r > 1.0 || r.is_nan()) && self.revocable && length > self.least {
            state.course.rejected += 1;
            if state.refused.1 == 0 {
                state.refused = (r, length);
            }
            self.shrink(state, length, elementary(r, *degree));
            state.last = 1.0;
            return Verdict::Rejected;
        }
        // An error that does not shrink with the window is a jump.
        let (refused, longer) = std::mem::take(&mut state.refused);
        let smooth = refused * (length as f64 / longer.max(1) as f64);
        let is_jump = r > 1.0 && longer > 4 * length && r > 4.0 * smooth;
        // The shortest and the longest window, for what the run tells.
        state.course.window_s = [state.course.window_s[0].min(window_s), state.course.window_s[1].max(window_s)];
        // PI control where the tolerance is kept, the elementary rule where the window stands although it is not.
        let p = order(*degree);
        let pi = 0.9 * r.max(1e-12).powf(-0.3 / p) * (state.last / r.max(1e-12)).powf(0.4 / p);
        let mut best = (*degree, if r > 1.0 { elementary(r, *degree) } else { pi });
        for (offset, other) in [(0, errors[0]), (2, errors[2])] {
            // A change of degree must promise a gain.
            let candidate = (*degree + offset).wrapping_sub(1);
            if other.is_finite() && elementary(other, candidate) > 1.2 * elementary(r, *degree).max(best.1) {
                best = (candidate, elementary(other, candidate));
            }
        }
        // The error before is no measure where the degree is another one.
        state.last = if best.0 == *degree { r.max(1e-3) } else { 1.0 };
        *degree = best.0;
        state.course.degree = [state.course.degree[0].min(best.0), state.course.degree[1].max(best.0)];
        // Small changes are not worth a corrector's Jacobian.
        let factor = best.1.clamp(0.2, 2.0);
        if !(0.95..1.1).contains(&factor) {
            state.length = ((length as f64 * factor) as Tick).clamp(self.least, self.parts);
        }
        if is_jump { Verdict::Jumped } else { Verdict::Accepted }
    }

    /// A shorter window after a failure.
    pub fn shrink(&self, state: &mut ControllerState, length: Tick, factor: f64) {
        let factor = if factor.is_finite() { factor.clamp(0.2, 0.9) } else { 0.2 };
        state.length = ((length as f64 * factor) as Tick).clamp(self.least, (length - 1).max(self.least));
    }

    /// After an event: discards the estimates from before.
    pub fn begin_anew(state: &mut ControllerState) {
        (state.last, state.refused) = (1.0, (0.0, 0));
    }

    /// The longest window, in shortest ones of the plan.
    pub fn longest(&self) -> Tick {
        self.parts
    }

    /// Whether a window may be taken back for its length.
    pub fn may_shorten(&self, length: Tick) -> bool {
        self.revocable && length > self.least && !self.is_led
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::predict::Lagrange;

    /// What becomes of a window whose error is `r(length)`, taken back as often as control wants.
    fn last(r: impl Fn(f64) -> f64) -> Verdict {
        let family: Vec<Arc<dyn Predictor>> = vec![Arc::new(Lagrange::new(1))];
        let (inputs, blind) = (Vec::new(), Vec::new());
        let estimate = Estimate::Error;
        let control = Controller {
            estimate,
            tolerance: 1e-3,
            least: 1,
            parts: 1024,
            family,
            lowest: 1,
            revocable: true,
            inputs,
            blind,
            waveforms: None,
            is_led: false,
        };
        let mut state = control.state();
        state.length = 1024;
        loop {
            let length = control.fit(&mut state, Tick::MAX);
            let errors = [f64::INFINITY, r(length as f64), f64::INFINITY];
            let verdict = control.judge(&mut state, errors, &mut 0, (length, 1.0));
            if verdict != Verdict::Rejected {
                return verdict;
            }
        }
    }

    #[test]
    fn an_error_that_does_not_shrink_with_the_window_is_a_jump() {
        assert_eq!(last(|_| 50.0), Verdict::Jumped);
        assert_eq!(last(|length| 50.0 * length), Verdict::Accepted);
        assert_eq!(last(|length| 1e-5 * length * length), Verdict::Accepted);
    }
}
