//! What a run is compared with.

use super::Scenario;
use super::driven::InputFile;
use super::place::Place;
use std::fmt;
use std::path::Path;

/// The known values of outputs, from which the error of a run is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// Where they come from.
    pub of: SolutionOf,
    /// Of a file: outputs `UNIT.VARIABLE`, each with its column; others have the column of their own name.
    pub columns: Vec<(String, String)>,
    /// Largest error allowed, relative to the amplitude of each output.
    pub tolerance: Option<f64>,
    /// Where.
    pub place: Place,
}

/// Where known values come from.
#[derive(Debug, Clone, PartialEq)]
pub enum SolutionOf {
    /// The matrix exponential of the whole system, which is linear.
    Exact,
    /// The solution of a built-in system with its own values, by its name.
    Named(String),
    /// A file of `[inputs]`, by its name.
    Rows(String),
    /// A run of the same scenario with this macro step \[s\].
    Finer(f64),
}

impl Solution {
    /// The name of a file of rows that is not among the inputs.
    const FILE: &'static str = "solution";

    /// What a text stands for: `exact`, a macro step, a file of inputs by its name or its path, or the name of a built-in system. A path begins
    /// in `folder`, and its file becomes one of the inputs.
    pub fn of(text: &str, place: &Place, folder: &Path, inputs: &mut Vec<InputFile>) -> Solution {
        let text = text.trim();
        let is_path = Path::new(text).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
        let of = match text.parse::<f64>() {
            Ok(step_s) => SolutionOf::Finer(step_s),
            Err(_) if text == "exact" => SolutionOf::Exact,
            Err(_) if inputs.iter().any(|file| file.name == text) => SolutionOf::Rows(text.to_owned()),
            Err(_) if is_path => {
                // A slave may change the working folder before it is read.
                let path = folder.join(text);
                let path = std::path::absolute(&path).unwrap_or(path);
                let (name, shown) = (Self::FILE.to_owned(), text.to_owned());
                inputs.retain(|file| file.name != name);
                inputs.push(InputFile { name, path, shown, place: place.clone() });
                SolutionOf::Rows(Self::FILE.to_owned())
            }
            Err(_) => SolutionOf::Named(text.to_owned()),
        };
        Solution { of, columns: Vec::new(), tolerance: None, place: place.clone() }
    }

    /// The column of a file that has the values of this output.
    pub fn column<'a>(&'a self, output: &'a str) -> &'a str {
        self.columns.iter().find(|(name, _)| name == output).map_or(output, |(_, column)| column)
    }
}

/// As it is written.
impl fmt::Display for SolutionOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolutionOf::Exact => f.write_str("exact"),
            SolutionOf::Named(name) | SolutionOf::Rows(name) => f.write_str(name),
            SolutionOf::Finer(step_s) => write!(f, "{step_s:?}"),
        }
    }
}

impl Scenario {
    /// Whether a file of inputs is what a run is compared with, and feeds nothing.
    pub fn is_solution(&self, file: &InputFile) -> bool {
        let is_named = self.solution.as_ref().is_some_and(|s| s.of == SolutionOf::Rows(file.name.clone()));
        is_named && !self.connections.iter().any(|c| c.from.unit == file.name)
    }
}
