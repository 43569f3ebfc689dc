//! Curves of a run for its pictures, in memory that does not grow with the run: of each group of rows the first, the
//! lowest, the highest and the last value of each column.
//!
//! Rows come in groups of one size. When there are too many groups, neighbours become one group and the size doubles, so that a
//! short run keeps every row and a long one more groups than a picture has columns of pixels.

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;

use macrostep_master::record::{Column, ColumnKind, Observer};

use crate::error::Error;
use crate::trace::TraceError;

/// Most groups.
const GROUPS: usize = 2048;

/// Columns of which curves are kept: more than are drawn in one picture.
const COLUMNS: usize = 256;

/// Time and value.
type Point = [f64; 2];

/// The first, the lowest, the highest and the last of a group.
type Group = [Point; 4];

/// Thinned curves.
#[derive(Debug)]
pub struct Thinned {
    /// Columns of the rows, without time.
    columns: Vec<Column>,
    /// Those of which curves are kept.
    kept: Vec<usize>,
    /// Groups, one for each kept column side by side.
    groups: Vec<Group>,
    /// Rows in a group, and in the last one.
    size: u64,
    filled: u64,
}

impl Thinned {
    /// Of rows with these columns; of more than can be drawn the first ones that are not `fixed` are kept.
    pub fn new(columns: &[Column], fixed: &HashSet<String>) -> Self {
        let wanted = (0..columns.len()).filter(|i| columns[*i].kind != ColumnKind::Text);
        let mut kept: Vec<usize> = wanted.collect();
        if kept.len() > COLUMNS {
            kept.retain(|i| !fixed.contains(&columns[*i].name));
            kept.truncate(COLUMNS);
        }
        let groups = Vec::with_capacity(GROUPS * kept.len());
        Thinned { columns: columns.to_vec(), kept, groups, size: 1, filled: 0 }
    }

    /// Columns with a curve.
    pub fn columns(&self) -> impl Iterator<Item = &Column> {
        self.kept.iter().map(|i| &self.columns[*i])
    }

    /// How many columns of numbers that are not `fixed` have no curve.
    pub fn left_out(&self, fixed: &HashSet<String>) -> usize {
        let is_wanted =
            |i: &usize| self.columns[*i].kind != ColumnKind::Text && !fixed.contains(&self.columns[*i].name);
        (0..self.columns.len()).filter(|i| is_wanted(i) && self.kept.binary_search(i).is_err()).count()
    }

    /// Times that all curves have in common: of each group the first, the last and two between.
    pub fn times(&self) -> Vec<f64> {
        let groups = self.groups.iter().step_by(self.kept.len().max(1));
        let even = |[first, _, _, last]: &Group| {
            let (from_s, span_s) = (first[0], last[0] - first[0]);
            let points = if span_s > 0.0 { 4 } else { 1 };
            (0..points).map(move |n| from_s + span_s * f64::from(n) / 3.0)
        };
        groups.flat_map(even).collect()
    }

    /// Values at [`Thinned::times`] of the curve of that place: first, extremes in their order, last.
    pub fn values(&self, place: usize) -> Vec<f64> {
        let groups = self.groups.iter().skip(place).step_by(self.kept.len().max(1));
        let even = |[first, low, high, last]: &Group| {
            let [a, b] = if high[0] < low[0] { [high, low] } else { [low, high] };
            let points = if last[0] > first[0] { 4 } else { 1 };
            [first[1], a[1], b[1], last[1]].into_iter().take(points)
        };
        groups.flat_map(even).collect()
    }

    /// Whether rows were left out.
    pub fn is_thinned(&self) -> bool {
        self.size > 1
    }

    /// Times and values of the curve of that place among [`Thinned::columns`].
    pub fn curve(&self, place: usize) -> (Vec<f64>, Vec<f64>) {
        let groups = self.groups.iter().skip(place).step_by(self.kept.len().max(1));
        let (mut times, mut values) = (Vec::new(), Vec::new());
        for group in groups {
            let [first, mut low, mut high, last] = *group;
            if high[0] < low[0] {
                (low, high) = (high, low);
            }
            // Without what a group of few rows holds twice; NaN in the middle says that there is nothing finite.
            let mut before = f64::NEG_INFINITY;
            for [t_s, value] in [first, low, high, last] {
                if t_s > before {
                    times.push(t_s);
                    values.push(value);
                    before = t_s;
                }
            }
        }
        (times, values)
    }

    /// Takes the first `rows` rows of a file, as many as it has.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn read(&mut self, path: &Path, rows: u64) -> Result<(), Error> {
        let file = File::open(path).map_err(Error::file(path))?;
        let mut reader = csv::Reader::from_reader(file);
        let mut row = vec![f64::NAN; self.columns.len()];
        let mut record = csv::StringRecord::new();
        for _ in 0..rows {
            if !reader.read_record(&mut record).map_err(TraceError::Csv)? {
                break;
            }
            let t_s = record.get(0).and_then(|t| t.parse().ok()).unwrap_or(f64::NAN);
            for &i in &self.kept {
                row[i] = record.get(i + 1).and_then(|x| x.parse().ok()).unwrap_or(f64::NAN);
            }
            self.row(t_s, &row);
        }
        Ok(())
    }

    /// Makes one group of each two.
    #[cold]
    fn halve(&mut self) {
        let n = self.kept.len();
        for group in 0..GROUPS / 2 {
            for i in 0..n {
                let [a, b] = [2 * group, 2 * group + 1].map(|g| self.groups[g * n + i]);
                let low = if b[1][1] < a[1][1] || a[1][1].is_nan() { b[1] } else { a[1] };
                let high = if b[2][1] > a[2][1] || a[2][1].is_nan() { b[2] } else { a[2] };
                self.groups[group * n + i] = [a[0], low, high, b[3]];
            }
        }
        self.groups.truncate(GROUPS / 2 * n);
        self.size *= 2;
    }
}

impl Observer for Thinned {
    fn row(&mut self, t_s: f64, values: &[f64]) {
        let n = self.kept.len();
        if n == 0 {
            return;
        }
        // A new group.
        if self.filled == self.size || self.groups.is_empty() {
            if self.groups.len() == GROUPS * n {
                self.halve();
            }
            self.filled = 1;
            let point = |i: &usize| if values[*i].is_finite() { [t_s, values[*i]] } else { [t_s, f64::NAN] };
            self.groups.extend(self.kept.iter().map(|i| [[t_s, values[*i]], point(i), point(i), [t_s, values[*i]]]));
            return;
        }
        // One more row of the last one.
        self.filled += 1;
        let last = self.groups.len() - n;
        for ([_, low, high, end], &i) in self.groups[last..].iter_mut().zip(&self.kept) {
            let value = values[i];
            *end = [t_s, value];
            if value.is_finite() {
                if low[1].is_nan() || value < low[1] {
                    *low = *end;
                }
                if high[1].is_nan() || value > high[1] {
                    *high = *end;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thinned(rows: u64, value: impl Fn(u64) -> f64) -> Thinned {
        let columns = [Column::discrete("text", ColumnKind::Text), Column::new("x", "m")];
        let mut thinned = Thinned::new(&columns, &HashSet::new());
        (0..rows).for_each(|n| thinned.row(n as f64, &[f64::NAN, value(n)]));
        thinned
    }

    #[test]
    fn a_short_run_keeps_every_row_and_a_long_one_its_extremes() {
        let wave = |n: u64| (n as f64 * 0.01).sin();
        let (times, values) = thinned(2048, wave).curve(0);
        assert!(times.iter().zip(&values).enumerate().all(|(n, (t, x))| *t == n as f64 && *x == wave(n as u64)));
        assert_eq!(times.len(), 2048);
        // Two values that nothing else comes near.
        let peaks = |n: u64| match n {
            654_321 => 7.0,
            765_432 => -9.0,
            800_000 => f64::NAN,
            n => wave(n),
        };
        let (times, values) = thinned(1_000_000, peaks).curve(0);
        assert!(times.len() <= 4 * GROUPS && times.len() > 1024, "{}", times.len());
        let has = |t: f64, x: f64| times.iter().zip(&values).any(|point| (*point.0, *point.1) == (t, x));
        assert!(has(654_321.0, 7.0) && has(765_432.0, -9.0) && has(0.0, 0.0) && has(999_999.0, wave(999_999)));
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]));
        // The same over times in common.
        let thinned = thinned(1_000_000, peaks);
        let (times, values) = (thinned.times(), thinned.values(0));
        assert!(times.len() == values.len() && times.is_sorted() && thinned.is_thinned());
        assert_eq!(
            [values.iter().copied().fold(0.0, f64::max), values.iter().copied().fold(0.0, f64::min)],
            [7.0, -9.0]
        );
        assert_eq!([times[0], times[times.len() - 1]], [0.0, 999_999.0]);
    }
}
