//! Named methods: schedule, predictor and corrector that belong together.
//!
//! | name | schedule | predictor | corrector | control |
//! |---|---|---|---|---|
//! | `jerk` | gauss-seidel-reversed | jerk:3 | explicit | |
//! | `waveform` | gauss-seidel-reversed | spectral:16 | newton | error, 1e-9 |
//! | `waveform:Q` | gauss-seidel-reversed | spectral:Q | newton | |
//! | `palindromic` | palindromic | hold | explicit | |

use super::{Control, Correct, Predict, Schedule};
use std::fmt;
use std::str::FromStr;

/// A named method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// Explicit, with accelerations and their rates.
    Jerk,
    /// Implicit, on Q + 1 nodes inside the macro step, Q from 2 to 20; without Q macro steps are as long as 17 nodes resolve.
    Waveform(Option<u32>),
    /// Half, whole, half a step.
    Palindromic,
}

/// Intervals between nodes, and what they may leave out in a longest macro step, unless said otherwise.
const NODES: u32 = 16;
const LEFT_OUT: f64 = 1e-9;

impl Named {
    /// The parts of the method.
    pub fn parts(self) -> (Schedule, Predict, Correct) {
        match self {
            Self::Jerk => (Schedule::GaussSeidelReversed, Predict::jerk(3), Correct::Explicit),
            Self::Waveform(q) => {
                (Schedule::GaussSeidelReversed, Predict::spectral(q.unwrap_or(NODES)), Correct::Newton)
            }
            Self::Palindromic => (Schedule::Palindromic, Predict::classical(0), Correct::Explicit),
        }
    }

    /// The choice of steps that belongs to it, with its tolerance; none for steps of one length.
    pub fn control(self) -> Option<(Control, f64)> {
        (self == Self::Waveform(None)).then_some((Control::Error, LEFT_OUT))
    }
}

impl FromStr for Named {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "jerk" => Ok(Self::Jerk),
            None if text == "palindromic" => Ok(Self::Palindromic),
            None if text == "waveform" => Ok(Self::Waveform(None)),
            Some(("waveform", q)) => match q.parse() {
                Ok(q) if (2..=20).contains(&q) => Ok(Self::Waveform(Some(q))),
                _ => Err("expected `waveform`, or `waveform:Q` with Q from 2 to 20".to_owned()),
            },
            _ => Err("expected `jerk`, `waveform`, `waveform:Q` with Q from 2 to 20, or `palindromic`".to_owned()),
        }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Jerk => f.write_str("jerk"),
            Self::Waveform(None) => f.write_str("waveform"),
            Self::Waveform(Some(q)) => write!(f, "waveform:{q}"),
            Self::Palindromic => f.write_str("palindromic"),
        }
    }
}

impl serde::Serialize for Named {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
