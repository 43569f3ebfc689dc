//! A *trace*: the values recorded in a run, with a row for each recorded point, `time` first.

/// Name and unit of one recorded variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Name, unique in its trace.
    pub name: String,
    /// Unit as the model description writes it, `1` where it has none.
    pub unit: String,
    /// What its values are.
    pub kind: ColumnKind,
}

/// Type of the values of a column; those of an enumeration are integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColumnKind {
    /// Real numbers.
    #[default]
    Real,
    /// Whole numbers of 32 bits.
    Integer,
    /// 1 for true and 0 for false.
    Boolean,
    /// Texts; the number in their place says nothing.
    Text,
}

impl Column {
    /// A column of real values of that name and unit.
    pub fn new(name: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { name: name.into(), unit: unit.into(), kind: ColumnKind::Real }
    }

    /// A column of values without a unit.
    pub fn discrete(name: impl Into<String>, kind: ColumnKind) -> Self {
        Self { kind, ..Self::new(name, "1") }
    }
}

/// Recorded values, row-major.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trace {
    columns: Vec<Column>,
    values: Vec<f64>,
}

impl Trace {
    /// An empty trace whose first column is `time` in s.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        let columns = std::iter::once(Column::new("time", "s")).chain(columns).collect();
        Self { columns, values: Vec::new() }
    }

    /// Makes room for that many rows, so that pushing them does not allocate.
    pub fn reserve(&mut self, rows: usize) {
        self.values.reserve(rows * self.columns.len());
    }

    /// Columns, `time` first.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        if self.columns.is_empty() { 0 } else { self.values.len() / self.columns.len() }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Adds a row at `t_s` in s; `values` are those of the columns after `time`.
    ///
    /// # Panics
    /// Where the number of values is not that of the columns: a mistake of the caller, not of a run.
    pub fn push(&mut self, t_s: f64, values: &[f64]) {
        assert_eq!(values.len() + 1, self.columns.len(), "values in a row of the trace");
        self.values.push(t_s);
        self.values.extend_from_slice(values);
    }

    /// Rows in the order recorded, `time` first.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &[f64]> + ExactSizeIterator {
        self.values.chunks_exact(self.columns.len().max(1))
    }

    /// Index of the column of that name.
    pub fn index(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// All values of the column of that name.
    ///
    /// ```
    /// use macrostep_master::record::{Column, Trace};
    ///
    /// let mut trace = Trace::new([Column::new("x", "m")]);
    /// trace.push(0.0, &[1.0]);
    /// trace.push(0.5, &[0.8]);
    /// assert_eq!(trace.column("x"), Some(vec![1.0, 0.8]));
    /// assert_eq!(trace.column("time"), Some(vec![0.0, 0.5]));
    /// ```
    pub fn column(&self, name: &str) -> Option<Vec<f64>> {
        let index = self.index(name)?;
        Some(self.rows().map(|row| row[index]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Trace {
        let mut trace = Trace::new([Column::new("x1", "m"), Column::new("f_c", "N")]);
        trace.push(0.0, &[-0.0, f64::MIN_POSITIVE]);
        trace.push(0.1 + 0.2, &[1.0 / 3.0, -6.02214076e23]);
        trace.push(1e-7, &[f64::NAN, f64::NEG_INFINITY]);
        trace
    }

    #[test]
    fn columns_come_out_by_name() {
        assert_eq!(sample().column("f_c").expect("there")[1], -6.02214076e23);
        assert_eq!(sample().column("f"), None);
        assert_eq!(sample().len(), 3);
    }
}
