//! Calls of a unit that went on with a warning.

use macrostep_description::shown;

/// One of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Warning {
    /// Time of the unit \[s\].
    pub t_s: f64,
    /// The FMI function.
    pub call: String,
    /// What the unit itself said, in one line; empty where it said nothing.
    pub message: String,
}

/// All calls of a unit that returned or logged `fmi2Warning`, and went on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Warned {
    /// How many there were.
    pub count: u64,
    /// The first one.
    pub first: Warning,
    /// The last one.
    pub last: Warning,
}

impl Warned {
    /// Counts one more.
    pub fn add(&mut self, warning: Warning) {
        if self.count == 0 {
            self.first = warning.clone();
        }
        self.count += 1;
        self.last = warning;
    }

    /// In a sentence about the unit of this name.
    pub fn sentence(&self, unit: &str) -> String {
        let Warned { count, first, last } = self;
        let status = if first.call.starts_with("fmi3") { "fmi3Warning" } else { "fmi2Warning" };
        if *count == 1 {
            return format!("unit `{unit}`: {status}: {first}");
        }
        format!("unit `{unit}`: {status} {count} times, the first: {first}; the last: {last}")
    }
}

/// "fmi2DoStep at t = 0.1 s: its message".
impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Warning { t_s, call, message } = self;
        let said = if message.is_empty() { "it logged no reason" } else { message.as_str() };
        write!(f, "{call} at t = {} s: {said}", shown::time(*t_s))
    }
}
