//! Who reads the rows of a run.

/// Takes rows as they come.
pub trait Observer {
    /// One row: time \[s\] and the values of the recorded variables; Booleans are 1 and 0, and NaN stands for a text.
    fn row(&mut self, t_s: f64, values: &[f64]);

    /// The texts of the row that follows, each with its place there, ascending; not called where no text is recorded.
    fn texts(&mut self, _texts: &[(usize, String)]) {}

    /// A row beside the others, right before or after an event; texts as in [`Observer::texts`]. Left out unless wanted.
    fn event(&mut self, _t_s: f64, _values: &[f64], _texts: &[(usize, String)]) {}

    /// Whether the run goes on; asked before each window.
    #[inline]
    fn goes_on(&mut self) -> bool {
        true
    }
}

impl Observer for super::Trace {
    fn row(&mut self, t_s: f64, values: &[f64]) {
        self.push(t_s, values);
    }
}

/// For runs of which only the end is wanted.
impl Observer for () {
    fn row(&mut self, _: f64, _: &[f64]) {}
}
