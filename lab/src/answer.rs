//! What the page is answered.

use serde::Serialize;

/// A text in JSON, and numbers.
pub struct Answer {
    /// JSON.
    pub text: String,
    /// Columns one after the other.
    pub numbers: Vec<f64>,
}

/// Why there is no other answer.
#[derive(Serialize)]
struct Failed<'a> {
    error: &'a str,
}

impl Answer {
    /// Of these parts.
    ///
    /// # Errors
    /// Where a part cannot be written.
    pub fn new(content: &impl Serialize, numbers: Vec<f64>) -> Result<Answer, String> {
        let text = serde_json::to_string(content).map_err(|e| e.to_string())?;
        Ok(Answer { text, numbers })
    }

    /// A reason in words.
    pub fn failed(error: &str) -> Answer {
        let text = serde_json::to_string(&Failed { error }).unwrap_or_default();
        Answer { text, numbers: Vec::new() }
    }
}

/// A run.
#[derive(Debug, Default, Serialize)]
pub struct Ran {
    /// The scenario.
    pub toml: String,
    /// The name of a file for it.
    pub file: String,
    /// Commands that give the same in a shell, each with what it is.
    pub commands: Vec<(String, String)>,
    /// Rows of each column.
    pub rows: usize,
    /// Columns of the numbers.
    pub columns: Vec<Column>,
    /// What is drawn over time.
    pub panels: Vec<Panel>,
    /// What is drawn: `masses`, `bars`, `rods` or `ball`.
    pub kind: &'static str,
    /// Columns of the drawing: those of the run, then, where there are any, those of the solution.
    pub drawing: Vec<usize>,
    /// Short facts, each with its name.
    pub facts: Vec<(String, String)>,
    /// The largest error, relative to the amplitude; `None` where no solution is known or it is not finite.
    pub off: Option<f64>,
    /// The grade of the run.
    pub verdict: String,
    /// Why it is not better.
    pub reason: String,
    /// Notes of the reader and of the run.
    pub notes: Vec<String>,
}

/// A column.
#[derive(Debug, Serialize)]
pub struct Column {
    /// Name.
    pub name: String,
    /// Unit of measurement.
    pub unit: String,
}

/// Curves over one axis.
#[derive(Debug, Serialize)]
pub struct Panel {
    /// What the axis shows.
    pub title: String,
    /// Its unit of measurement.
    pub unit: String,
    /// Whether it is an axis of powers of ten, of absolute values.
    pub log: bool,
    /// Whether a value holds from the row before on.
    pub stairs: bool,
    /// Curves.
    pub curves: Vec<Curve>,
}

/// A curve.
#[derive(Debug, Serialize)]
pub struct Curve {
    /// Its name.
    pub name: String,
    /// Its column.
    pub column: usize,
    /// Whose colour it has.
    pub colour: usize,
    /// Whether it is a solution, which lies behind.
    pub solution: bool,
}

impl Panel {
    /// Of these curves: name, column, colour, whether it is a solution.
    pub fn new(title: &str, unit: &str, curves: &[(&str, usize, usize, bool)]) -> Panel {
        let curve = |&(name, column, colour, solution): &(&str, usize, usize, bool)| Curve {
            name: name.to_owned(),
            column,
            colour,
            solution,
        };
        let curves = curves.iter().map(curve).collect();
        Panel { title: title.to_owned(), unit: unit.to_owned(), log: false, stairs: false, curves }
    }

    /// On an axis of powers of ten.
    pub fn log(self) -> Panel {
        Panel { log: true, ..self }
    }
}
