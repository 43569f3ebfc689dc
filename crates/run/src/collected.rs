//! Rows of a run in memory.

use macrostep_master::record::Observer;

/// Rows as they were recorded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Collected {
    /// Time of each row \[s\].
    pub time_s: Vec<f64>,
    /// Values, row by row; those of text columns say nothing.
    pub values: Vec<f64>,
    /// Texts, row by row; each with the place of its column.
    pub texts: Vec<Vec<(usize, String)>>,
}

impl Observer for Collected {
    fn row(&mut self, t_s: f64, values: &[f64]) {
        self.time_s.push(t_s);
        self.values.extend_from_slice(values);
    }

    fn texts(&mut self, texts: &[(usize, String)]) {
        self.texts.push(texts.to_vec());
    }
}
