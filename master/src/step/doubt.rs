//! Windows whose result is not reliable, or not to the last digits, and the messages about them.

use crate::savable::savable;
use crate::time::Tick;
use macrostep_description::shown;
use serde::{Deserialize, Serialize};

/// With more than this left out a waveform has nothing to do with the signal.
pub(crate) const COARSE: f64 = 1e-2;

/// Why a window is not to be relied on, or not to the last digits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Doubt {
    /// Channel and component.
    pub place: (usize, usize),
    /// Relative to the size of the signal.
    pub found: f64,
    pub cause: Cause,
}

impl Doubt {
    /// Whether the window counts as one that did not converge.
    pub fn is_serious(&self) -> bool {
        self.cause == Cause::Residual || self.found > COARSE
    }

    /// The residual that is left; infinite where something else is wrong, or it is NaN.
    fn residual(&self) -> f64 {
        if self.cause == Cause::Residual && self.found.is_finite() { self.found } else { f64::INFINITY }
    }
}

/// What a [`Doubt`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) enum Cause {
    /// A residual that is left.
    Residual,
    /// What the nodes of a waveform leave out.
    Nodes { allowed: f64 },
    /// What an interface model is wrong by, with no repetition left.
    Model { allowed: f64 },
}

savable! {
/// The doubts of a run, each with the start of its window.
#[derive(Default)]
pub(crate) struct Doubts {
    /// The first window not to be relied on.
    pub first: Option<(Tick, Doubt)>,
    /// The window with the largest part of a signal left out.
    pub coarse: Option<(Tick, Doubt)>,
    /// Sum of the residuals of windows that did not converge; infinite where one has no meaning for another reason.
    pub left: f64,
}
}

impl Doubts {
    /// Takes a window's doubt; one that has converged all the same is coarse, of which the worst is kept.
    pub fn take(&mut self, doubt: Option<(Tick, Doubt)>, converged: bool) {
        if !converged {
            self.first = self.first.or(doubt);
            self.left += doubt.map_or(f64::INFINITY, |(_, doubt)| doubt.residual());
        } else if let Some((_, found)) = doubt {
            let is_worst = self.coarse.is_none_or(|(_, worst)| found.found > worst.found);
            self.coarse = if is_worst { doubt } else { self.coarse };
        }
    }
}

/// A window that is not to be relied on, or not to the last digits.
#[derive(Debug, Clone, PartialEq)]
pub struct Unconverged {
    /// Its start \[s\].
    pub t_s: f64,
    /// How many there were.
    pub windows: u64,
    /// `UNIT.VARIABLE` that is worst.
    pub signal: String,
    /// Residual relative to the size of the signal, or the part of the signal that nodes leave out.
    pub found: f64,
    /// That part where it is allowed; `None` for a residual.
    pub allowed: Option<f64>,
    /// Whether it is an interface model that is wrong by that part.
    pub by_model: bool,
}

/// "3 macro steps did not converge, the first from …", "3 macro steps are coarse, the worst from …".
impl std::fmt::Display for Unconverged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Unconverged { t_s, windows, signal, found, allowed, by_model } = self;
        let (steps, t_s) = (if *windows == 1 { "macro step" } else { "macro steps" }, shown::time(*t_s));
        match allowed {
            None => write!(
                f,
                "{windows} {steps} did not converge, the first from t = {t_s} s: a residual of {found:.1e} of the size of \
                 `{signal}` is left; choose a smaller macro step"
            ),
            Some(_) if *by_model => write!(
                f,
                "{windows} {steps} with an interface model that stayed wrong after all repetitions, the worst from t = {t_s} s: `{signal}` \
                 differs from its prediction by {found:.1e} of the speeds; choose a smaller macro step"
            ),
            Some(allowed) => write!(
                f,
                "{windows} {steps} with too few nodes, for example from t = {t_s} s: each leaves out about {found:.1e} of `{signal}`, expected \
                 at most {allowed:.1e}, which adds up over the run; choose a smaller macro step or more nodes"
            ),
        }
    }
}
