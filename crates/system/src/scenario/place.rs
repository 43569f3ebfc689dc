//! A place in a file.

use std::sync::Arc;

/// A place in a file. Line 0: in no particular line.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// The file as named by the user.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 where only the line is known.
    pub column: u32,
}

/// Two scenarios are equal wherever they were read.
impl PartialEq for Place {
    fn eq(&self, _: &Place) -> bool {
        true
    }
}

impl Eq for Place {}

/// `FILE:LINE:COLUMN: `, as far as known.
impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.file.is_empty(), self.line, self.column) {
            (true, ..) => Ok(()),
            (_, 0, _) => write!(f, "{}: ", self.file),
            (_, line, 0) => write!(f, "{}:{line}: ", self.file),
            (_, line, column) => write!(f, "{}:{line}:{column}: ", self.file),
        }
    }
}

impl Place {
    /// This place where it is one, else the other.
    pub fn or<'a>(&'a self, other: &'a Place) -> &'a Place {
        if self.file.is_empty() { other } else { self }
    }

    /// An option of the command line.
    pub fn option(name: &str) -> Place {
        Place { file: name.into(), line: 0, column: 0 }
    }
}
