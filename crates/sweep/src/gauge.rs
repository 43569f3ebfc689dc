//! A *gauge* takes the rows of a run as they come and makes the terms of all measures of them; no row is kept.
//!
//! Work is not in the rows: the runner counts it.
//!
//! Means and integrals are those of the line between rows (trapezoidal rule); the time of a crossing and the value at a time of a
//! reference lie on the same line.

use std::sync::Arc;

use macrostep_master::record::Observer;

use crate::expression::{Function, Measure};
use crate::runner::Cost;
use crate::samples::Samples;
use crate::study::Study;

/// A term with its variable's place in the rows, and its reference.
#[derive(Debug, Clone)]
struct Probe {
    function: Function,
    /// Place among the recorded variables; of what is of the whole run 0.
    column: usize,
    /// Times \[s\] and values of the reference, without gaps.
    reference: Option<Arc<(Vec<f64>, Vec<f64>)>>,
}

/// All measures, ready to be taken of runs.
#[derive(Debug, Clone)]
pub struct Measures {
    /// As typed.
    pub list: Vec<Measure>,
    probes: Vec<Probe>,
}

/// Terms of one run under way.
#[derive(Debug)]
pub struct Gauge<'m> {
    measures: &'m Measures,
    /// For each probe: what is added up, or found.
    sums: Vec<f64>,
    /// For each probe: the next time of its reference.
    next: Vec<usize>,
    /// For each probe: how many values of its reference have been met.
    met: Vec<usize>,
    /// The row before; empty before the first.
    last: Vec<f64>,
    last_s: f64,
    start_s: f64,
}

impl Measures {
    /// Measures of the runs of a study; references are read, in the units of its variables.
    ///
    /// # Errors
    /// In a sentence: a variable that is not recorded, or a reference that cannot be read.
    pub fn new(list: Vec<Measure>, study: &Study<'_>) -> Result<Measures, String> {
        // A probe for each term of each measure.
        let mut probes = Vec::new();
        for (measure, term) in list.iter().flat_map(|m| m.terms.iter().map(move |t| (m, t))) {
            let wrong = |what: String| format!("`--measure {}={}`: {what}", measure.name, measure.text);
            // Work has no variable.
            let Some(variable) = &term.variable else {
                probes.push(Probe { function: term.function.clone(), column: 0, reference: None });
                continue;
            };
            // The variable is one that is recorded.
            let column = study.recorded.iter().position(|name| name == variable);
            let column = column.ok_or_else(|| {
                wrong(format!("`{variable}` is no variable of a unit; `macrostep info` lists those of an FMU"))
            })?;
            // A reference is read once, in the unit of the variable and without its gaps.
            let reference = match &term.function {
                Function::Distance { path, column, .. } => {
                    let samples = Samples::read(path).map_err(wrong)?;
                    let read = samples.column(column.as_ref().unwrap_or(variable)).map_err(wrong)?;
                    let values = study.in_own_unit(variable, read).map_err(wrong)?;
                    let known = samples.times_s.iter().zip(values).filter(|(_, x)| !x.is_nan());
                    Some(Arc::new(known.map(|(t, x)| (*t, x)).unzip()))
                }
                _ => None,
            };
            probes.push(Probe { function: term.function.clone(), column, reference });
        }
        Ok(Measures { list, probes })
    }

    /// Checks that each reference has a time within the run.
    ///
    /// # Errors
    /// Which, and where its times are.
    pub fn overlap(&self, start_s: f64, stop_s: f64) -> Result<(), String> {
        for reference in self.probes.iter().filter_map(|p| p.reference.as_ref()) {
            if !reference.0.iter().any(|t| (start_s..=stop_s).contains(t)) {
                let ends = reference.0.first().zip(reference.0.last());
                let found = ends.map_or("no values".to_owned(), |(a, b)| format!("values from {a} s to {b} s"));
                return Err(format!(
                    "a reference of `distance` has {found}, the run goes from {start_s} s to {stop_s} s"
                ));
            }
        }
        Ok(())
    }

    /// For a run that begins.
    pub fn gauge(&self) -> Gauge<'_> {
        let n = self.probes.len();
        let (sums, next, met) = (vec![f64::NAN; n], vec![0; n], vec![0; n]);
        Gauge { measures: self, sums, next, met, last: Vec::new(), last_s: f64::NAN, start_s: f64::NAN }
    }
}

impl Gauge<'_> {
    /// All measures at the end of a run that has cost this; NaN where one is not defined.
    pub fn values(&self, cost: Cost) -> Vec<f64> {
        // A mean over a run of no length is the last value.
        let span_s = self.last_s - self.start_s;
        let probes = self.measures.probes.iter().zip(&self.sums).zip(&self.met);
        let mean = |p: &Probe, sum: f64, of: fn(f64) -> f64| {
            if span_s > 0.0 { sum / span_s } else { self.last.get(p.column).map_or(f64::NAN, |y| of(*y)) }
        };
        // Terms from their sums. Without a time of the reference in the run there is no distance.
        let terms: Vec<f64> = probes
            .map(|((p, sum), met)| match p.function {
                Function::Last => self.last.get(p.column).copied().unwrap_or(f64::NAN),
                Function::Mean => mean(p, *sum, |y| y),
                Function::Rms => mean(p, *sum, |y| y * y).sqrt(),
                Function::DoSteps => cost.do_steps as f64,
                Function::Time => cost.wall_s,
                Function::Distance { .. } if *met == 0 => f64::NAN,
                Function::Distance { is_largest: true, .. } => *sum,
                Function::Distance { .. } => (sum / *met as f64).sqrt(),
                _ => *sum,
            })
            .collect();
        // Each measure takes its own terms, which lie one after the other.
        let mut first = 0;
        let value = |m: &Measure| {
            let own = &terms[first..first + m.terms.len()];
            first += m.terms.len();
            m.expression.value(own)
        };
        self.measures.list.iter().map(value).collect()
    }

    /// The first row.
    fn begin(&mut self, t_s: f64, values: &[f64]) {
        (self.start_s, self.last_s) = (t_s, t_s);
        self.last.extend_from_slice(values);
        for (i, p) in self.measures.probes.iter().enumerate() {
            let y = values[p.column];
            self.sums[i] = match (&p.function, &p.reference) {
                (Function::Min | Function::Max, _) => y,
                (Function::Mean | Function::Rms | Function::Integral, _) => 0.0,
                (Function::Crossing(level), _) if y == *level => t_s,
                (Function::Distance { .. }, Some(reference)) => {
                    // What is before the run is left out.
                    let skipped = reference.0.iter().take_while(|t| **t < t_s).count();
                    self.next[i] = skipped;
                    0.0
                }
                _ => f64::NAN,
            };
        }
    }
}

impl Observer for Gauge<'_> {
    fn row(&mut self, t_s: f64, values: &[f64]) {
        // The first row is where sums begin.
        if self.last.is_empty() {
            self.begin(t_s, values);
        }
        let step_s = t_s - self.last_s;
        for (i, p) in self.measures.probes.iter().enumerate() {
            let (before, y, sum) = (self.last[p.column], values[p.column], &mut self.sums[i]);
            match &p.function {
                // Extremes. NaN is taken over, and stays.
                Function::Last | Function::DoSteps | Function::Time => {}
                Function::Min if y.is_nan() || y < *sum => *sum = y,
                Function::Max if y.is_nan() || y > *sum => *sum = y,
                Function::Min | Function::Max => {}
                // Integrals of the line between rows.
                Function::Mean | Function::Integral => *sum += 0.5 * step_s * (before + y),
                Function::Rms => *sum += 0.5 * step_s * (before * before + y * y),
                // The first crossing only, on the line between rows.
                Function::Crossing(level) => {
                    let (from, to) = (before - level, y - level);
                    if sum.is_nan() && from != to && from * to <= 0.0 {
                        *sum = self.last_s + step_s * from / (from - to);
                    }
                }
                Function::Distance { is_largest, .. } => {
                    let Some(reference) = &p.reference else { continue };
                    // A time at the end of the run counts whatever its last digit.
                    while let Some(at) = reference.0.get(self.next[i]).filter(|at| **at <= t_s + 1e-9 * step_s) {
                        let part = if step_s > 0.0 { ((at - self.last_s) / step_s).clamp(0.0, 1.0) } else { 1.0 };
                        let off = before + part * (y - before) - reference.1[self.next[i]];
                        // NaN stays.
                        *sum = match is_largest {
                            true if off.abs() <= *sum => *sum,
                            true => off.abs() + 0.0 * *sum,
                            false => *sum + off * off,
                        };
                        self.next[i] += 1;
                        self.met[i] += 1;
                    }
                }
            }
        }
        // The next row needs this one.
        self.last.copy_from_slice(values);
        self.last_s = t_s;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three rows, whose lines have sums in closed form.
    #[test]
    fn sums_are_those_of_the_lines_between_rows() {
        let texts = [
            ("a=last(u.y)", -1.0),
            ("a=min(u.y)", -1.0),
            ("a=max(u.y)", 3.0),
            ("a=integral(u.y)", 4.0),
            ("a=mean(u.y)", 4.0 / 3.0),
            ("a=rms(u.y)", 5.0f64.sqrt()),
            ("a=crossing(u.y,0)", 2.5),
            ("a=distance(u.y,r.csv)", 5.0f64.sqrt()),
            ("a=deviation(u.y,r.csv)", 3.0),
            ("a=do_steps()", 7.0),
            ("a=time()", 0.5),
        ];
        let list: Vec<Measure> = texts.iter().map(|(text, _)| text.parse().expect("a measure")).collect();
        // The line has 2 and 1 at these times.
        let reference = Arc::new((vec![0.5, 2.0], vec![1.0, 4.0]));
        let probe = |function: &Function| {
            let reference = matches!(function, Function::Distance { .. }).then(|| Arc::clone(&reference));
            Probe { function: function.clone(), column: 0, reference }
        };
        let probes = list.iter().flat_map(|m| &m.terms).map(|term| probe(&term.function)).collect();
        let measures = Measures { list, probes };
        let mut gauge = measures.gauge();
        for (t_s, y) in [(0.0, 1.0), (1.0, 3.0), (3.0, -1.0)] {
            gauge.row(t_s, &[y]);
        }
        let found = gauge.values(Cost { do_steps: 7, wall_s: 0.5 });
        for ((text, expected), found) in texts.iter().zip(found) {
            assert!((found - expected).abs() < 1e-14, "{text}: {found}, expected {expected}");
        }
    }
}
