//! Log messages of an FMU.

use std::fmt;
use std::sync::Arc;

use super::status;

/// One message of an FMU.
#[derive(Debug, Clone, Copy)]
pub struct LogRecord<'a> {
    /// Name of the instance.
    pub instance: &'a str,
    /// The status it came with, any integer.
    pub status: i32,
    /// Its category, empty where the FMU gave none.
    pub category: &'a str,
    /// The text, formatted, at most 4095 bytes; variable references as `#r12#` are left as they are.
    pub text: &'a str,
}

impl LogRecord<'_> {
    /// One line without control characters, whatever the FMU wrote: a terminal obeys them.
    pub fn plain(&self) -> String {
        super::plain(&self.to_string())
    }
}

impl fmt::Display for LogRecord<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LogRecord { instance, status, category, text } = *self;
        write!(f, "`{instance}` ({}", status::name(status))?;
        if !category.is_empty() {
            write!(f, ", {category}")?;
        }
        write!(f, "): {text}")
    }
}

/// Where messages go; it may be called from threads of the FMU, and never calls the FMU.
pub type LogSink = Arc<dyn Fn(&LogRecord<'_>) + Send + Sync>;
