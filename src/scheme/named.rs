//! Named methods: predictor, schedule, corrector and macro step that belong together.
//!
//! | name | coupling | schedule | predictor | corrector | H |
//! |---|---|---|---|---|---|
//! | `jerk` | s-s | gs21 | jerk:3 | explicit | 1e-2 s |
//! | `waveform:Q` | s-s | gs21 | spectral:Q | newton | 0.2 s |
//! | `palindromic` | s-s | palindromic | hold | explicit | 1e-3 s |
//!
//! Coupling and macro step may be chosen otherwise.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::pair::Coupling;
use crate::predict::Predict;
use crate::scheme::{Correct, Schedule, Scheme};

/// A named method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// Explicit, with accelerations and their rates.
    Jerk,
    /// Implicit, on Q + 1 nodes inside the macro step.
    Waveform(u32),
    /// Half, whole, half a step.
    Palindromic,
}

/// What a name stands for.
pub struct Recipe {
    /// What the subsystems exchange, unless said otherwise.
    pub coupling: Coupling,
    /// Who steps when.
    pub schedule: Schedule,
    /// Prediction of the inputs.
    pub predict: Predict,
    /// Correction of a macro step.
    pub correct: Correct,
    /// The macro step in s, unless said otherwise.
    pub step_s: f64,
}

impl Named {
    /// What it stands for.
    pub fn recipe(self) -> Recipe {
        let coupling = Coupling::DisplacementDisplacement;
        let (schedule, predict, correct, step_s) = match self {
            Self::Jerk => (Schedule::Gs21, Predict::jerk(3), Correct::Explicit, 1e-2),
            Self::Waveform(q) => (Schedule::Gs21, Predict::spectral(q), Correct::Newton, 0.2),
            Self::Palindromic => (Schedule::Palindromic, Predict::classical(0), Correct::Explicit, 1e-3),
        };
        Recipe { coupling, schedule, predict, correct, step_s }
    }

    /// It as a scheme of a cut.
    pub fn scheme(self, coupling: Coupling) -> Scheme {
        let Recipe { schedule, predict, correct, .. } = self.recipe();
        Scheme { correct, ..Scheme::new(coupling, schedule, predict) }
    }
}

impl FromStr for Named {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "jerk" => Ok(Self::Jerk),
            None if text == "palindromic" => Ok(Self::Palindromic),
            Some(("waveform", q)) => match q.parse() {
                Ok(q) if (2..=20).contains(&q) => Ok(Self::Waveform(q)),
                _ => Err("expected `waveform:Q` with Q from 2 to 20".to_owned()),
            },
            _ => Err("expected `jerk`, `waveform:Q` with Q from 2 to 20, or `palindromic`".to_owned()),
        }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Jerk => f.write_str("jerk"),
            Self::Waveform(q) => write!(f, "waveform:{q}"),
            Self::Palindromic => f.write_str("palindromic"),
        }
    }
}

impl Serialize for Named {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
