//! A summary of the rows of a folder: how the runs ended, and the spread of each measure. Read from the file, row after
//! row.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::refused::Refused;
use crate::table::{Definition, rows};

/// A summary of all rows.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// Rows in the file.
    pub rows: u64,
    /// Rows whose status is `ok`.
    pub ok: u64,
    /// How many rows begin their status with each word.
    pub statuses: BTreeMap<String, u64>,
    /// Each measure.
    pub measures: Vec<Spread>,
}

/// The values of a measure over all rows that have one.
#[derive(Debug, Clone, Serialize)]
pub struct Spread {
    /// Its name.
    pub name: String,
    /// How many rows have a value.
    pub count: u64,
    /// Smallest value.
    pub min: Option<f64>,
    /// Largest value.
    pub max: Option<f64>,
    /// Mean.
    pub mean: Option<f64>,
    /// Standard deviation of one value.
    pub deviation: Option<f64>,
    /// What was varied in the row of the smallest value.
    pub at_min: Vec<String>,
    /// What was varied in the row of the largest value.
    pub at_max: Vec<String>,
}

/// A measure as it is added up: Welford's recurrence, which does not cancel.
#[derive(Debug, Default, Clone)]
struct Sum {
    count: u64,
    mean: f64,
    squares: f64,
    min: Option<(f64, Vec<String>)>,
    max: Option<(f64, Vec<String>)>,
}

impl Sum {
    fn take(&mut self, x: f64, varied: &[&str]) {
        self.count += 1;
        let off = x - self.mean;
        self.mean += off / self.count as f64;
        self.squares += off * (x - self.mean);
        let here = || varied.iter().map(|text| (*text).to_owned()).collect();
        if self.min.as_ref().is_none_or(|(least, _)| x < *least) {
            self.min = Some((x, here()));
        }
        if self.max.as_ref().is_none_or(|(most, _)| x > *most) {
            self.max = Some((x, here()));
        }
    }

    fn spread(self, name: String) -> Spread {
        let n = self.count;
        let (min, at_min) = self.min.unzip();
        let (max, at_max) = self.max.unzip();
        Spread {
            name,
            count: n,
            min,
            max,
            mean: (n > 0).then_some(self.mean),
            deviation: (n > 1).then(|| (self.squares / (n - 1) as f64).sqrt()),
            at_min: at_min.unwrap_or_default(),
            at_max: at_max.unwrap_or_default(),
        }
    }
}

impl Summary {
    /// Reads the rows of a folder.
    ///
    /// # Errors
    /// [`Refused`] where they cannot be read.
    pub fn read(folder: &Path, definition: &Definition) -> Result<Summary, Refused> {
        let varied = definition.varied.len();
        let mut sums = vec![Sum::default(); definition.measures.len()];
        let (mut count, mut statuses) = (0, BTreeMap::new());
        for record in rows(folder)?.into_records() {
            let record = record.map_err(|e| Refused::Run(e.to_string()))?;
            let point: Vec<&str> = record.iter().take(varied).collect();
            for (sum, text) in sums.iter_mut().zip(record.iter().skip(varied)) {
                if let Ok(x) = text.parse() {
                    sum.take(x, &point);
                }
            }
            let status = record.get(varied + sums.len()).unwrap_or_default();
            let word = status.split(':').next().unwrap_or_default();
            *statuses.entry(word.to_owned()).or_default() += 1;
            count += 1;
        }
        let names = definition.head().into_iter().skip(varied);
        let measures = names.zip(sums).map(|(name, sum)| sum.spread(name)).collect();
        Ok(Summary { rows: count, ok: statuses.get("ok").copied().unwrap_or(0), statuses, measures })
    }
}
