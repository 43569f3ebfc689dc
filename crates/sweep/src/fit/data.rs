//! Measured data beside a run: which values belong to which variable, and the run's values at their times.

use macrostep_master::record::Observer;

use crate::refused::Refused;
use crate::samples::Samples;
use crate::study::Study;

/// A measured variable.
#[derive(Debug, Clone)]
pub struct Signal {
    /// `UNIT.VARIABLE`.
    pub variable: String,
    /// Unit of measurement of the variable.
    pub unit: String,
    /// Place among the recorded variables.
    pub column: usize,
    /// Times of the run \[s\] at which it was measured, without gaps.
    pub times_s: Vec<f64>,
    /// What was measured, in the unit of the variable.
    pub values: Vec<f64>,
    /// What differences are multiplied with.
    pub weight: f64,
}

/// Names of columns that are recorded variables of a system, given those that all its FMUs declare.
pub fn variables(samples: &Samples, is_known: impl Fn(&str) -> bool) -> Vec<String> {
    samples.columns.iter().filter(|column| is_known(&column.name)).map(|column| column.name.clone()).collect()
}

/// The signals of a file in a run of a study.
///
/// # Errors
/// [`Refused::Usage`] where a unit of measurement is not known, or no value lies in the run.
pub fn signals(samples: &Samples, study: &Study<'_>, offset_s: f64) -> Result<Vec<Signal>, Refused> {
    // Variables of units that the file has a column for.
    let e = &study.scenario().experiment;
    let (start_s, stop_s) = (e.start_s, e.stop_s.unwrap_or(f64::INFINITY));
    let mut out = Vec::new();
    for (column, variable) in study.recorded.iter().enumerate() {
        let Ok(sampled) = samples.column(variable) else { continue };
        let Some((unit, name)) = variable.split_once('.') else { continue };
        let Some(description) = study.scenario().unit(unit).map(|u| &study.descriptions()[u]) else { continue };
        let Some(declared) = description.variable(name) else { continue };
        // Measured values, in the unit of the variable.
        let wrong = |what: String| Refused::Usage(format!("`{}`: {what}", samples.shown));
        let values = sampled.in_unit_of(declared, description).map_err(wrong)?;
        // What is a gap, or before or after the run, is left out.
        let slack_s = 1e-9 * (stop_s - start_s);
        let times = samples.times_s.iter().map(|t_s| t_s + offset_s);
        let known = times.zip(values).filter(|(t, x)| !x.is_nan() && *t >= start_s - slack_s && *t <= stop_s + slack_s);
        let (times_s, values): (Vec<f64>, Vec<f64>) = known.unzip();
        // Signals weigh alike at first, however large they are.
        let weight = 1.0 / deviation(&values);
        out.push(Signal {
            variable: variable.clone(),
            unit: declared.unit().to_owned(),
            column,
            times_s,
            values,
            weight,
        });
    }
    // Data that lie outside of the run altogether are most likely shifted.
    out.retain(|signal| !signal.values.is_empty());
    if out.is_empty() {
        let (first, last) = (samples.times_s.first(), samples.times_s.last());
        let (first, last) = (first.unwrap_or(&f64::NAN) + offset_s, last.unwrap_or(&f64::NAN) + offset_s);
        return Err(Refused::Usage(format!(
            "`{}` has values from {first} s to {last} s, the run goes from {start_s} s to {stop_s} s: no value lies in it; \
             `--time-offset S` shifts the data",
            samples.shown
        )));
    }
    Ok(out)
}

/// Standard deviation about the mean; 1 for values that do not change.
fn deviation(values: &[f64]) -> f64 {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    let square = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
    if square > 1e-24 * mean * mean { square.sqrt() } else { 1.0 }
}

/// The rows of a run.
#[derive(Debug, Default)]
pub struct Rows {
    times_s: Vec<f64>,
    values: Vec<Vec<f64>>,
}

impl Observer for Rows {
    fn row(&mut self, t_s: f64, values: &[f64]) {
        self.times_s.push(t_s);
        self.values.push(values.to_vec());
    }
}

impl Rows {
    /// The run's values of a signal at the times of its data: the cubic through four rows, which is exact at rows.
    pub fn at(&self, signal: &Signal) -> Vec<f64> {
        signal.times_s.iter().map(|t_s| self.value(*t_s, signal.column)).collect()
    }

    fn value(&self, t_s: f64, column: usize) -> f64 {
        let n = self.times_s.len();
        let after = self.times_s.partition_point(|t| *t < t_s);
        // Four rows around it, fewer at most where the run has no more.
        let first = after.saturating_sub(2).min(n.saturating_sub(4));
        let nodes = first..n.min(first + 4);
        let term = |i: usize| {
            let others = nodes.clone().filter(|j| *j != i);
            let product: f64 = others.map(|j| (t_s - self.times_s[j]) / (self.times_s[i] - self.times_s[j])).product();
            self.values[i][column] * product
        };
        nodes.clone().map(term).sum()
    }

    /// Times and values of one variable, for a picture.
    pub fn curve(&self, column: usize) -> (Vec<f64>, Vec<f64>) {
        (self.times_s.clone(), self.values.iter().map(|row| row[column]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_is_met_between_rows() {
        let mut rows = Rows::default();
        let cubic = |t: f64| 1.0 - 2.0 * t + 3.0 * t.powi(3);
        (0..=10).for_each(|i| rows.row(f64::from(i) * 0.1, &[cubic(f64::from(i) * 0.1)]));
        for t in [0.0, 0.03, 0.1, 0.4444, 0.97, 1.0] {
            assert!((rows.value(t, 0) - cubic(t)).abs() < 1e-12, "{t}");
        }
    }
}
