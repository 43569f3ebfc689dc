//! Fine runs of systems without a solution, to compare other runs with, and what is known of their own error.
//!
//! A scheme is run with n, 2n, 4n, … macro steps. With d_k the difference of two runs that follow each other,
//!
//! ```text
//! p = log₂(d_{k−1}/d_k),   error of the finer one = d_k/(2^p − 1)
//! ```
//!
//! until that is rounding or a run costs too much. Two schemes are asked: where they differ by more than both errors, the
//! difference is the error. Between its rows a trajectory is the polynomial of degree 7 through the eight nearest ones, or
//! fewer between two events; what that leaves out is estimated by those of every second row, whose error is 2⁸ times as large.

use crate::scenario::Benchmark;
use crate::scheme::Scheme;
use crate::trial::{Done, Steps, Trial, difference, run, worst};
use macrostep_master::RunError;
use std::ops::Range;

/// Rows that a value between them is made of.
const NODES: usize = 8;
/// Errors that are good enough for all that is asked.
const GOOD: f64 = 3e-10;
/// Calls of one run, at most.
const DO_STEPS_MAX: u64 = 1_000_000;
/// Doublings after the first run that stays in bounds.
const DOUBLINGS_MAX: u32 = 9;
/// The order an error is allowed to have.
const ORDER_MAX: f64 = 8.0;

/// A run, fine and evenly sampled.
#[derive(Debug, Clone)]
pub struct Trajectory {
    /// Distance of rows \[s\].
    pub step_s: f64,
    /// From the start.
    pub rows: Vec<Vec<f64>>,
    /// Times of events after the start \[s\], ascending, at which values may jump.
    pub events_s: Vec<f64>,
    /// Its error, relative to the amplitudes.
    pub error: f64,
}

impl Trajectory {
    /// Values at a time \[s\] after the start; beyond the end those of the end.
    pub fn at(&self, t_s: f64) -> Vec<f64> {
        let place = t_s / self.step_s;
        let nearest = (place.round().max(0.0) as usize).min(self.rows.len() - 1);
        if (place - nearest as f64).abs() < 1e-6 {
            return self.rows[nearest].clone();
        }
        let nodes = self.nodes(place);
        if nodes.is_empty() {
            self.rows[nearest].clone()
        } else {
            between(&self.rows[nodes.clone()], place - nodes.start as f64)
        }
    }

    /// The rows nearest to a place, counted in rows, that no event parts it from.
    fn nodes(&self, place: f64) -> Range<usize> {
        // Rows strictly between the events before and after.
        let next = self.events_s.partition_point(|t_s| *t_s <= place * self.step_s);
        let after = |t_s: f64| ((t_s / self.step_s + 1e-6).floor() as usize + 1).min(self.rows.len());
        let before = |t_s: f64| ((t_s / self.step_s - 1e-6).ceil() as usize).min(self.rows.len());
        let first = next.checked_sub(1).map_or(0, |i| after(self.events_s[i]));
        let end = self.events_s.get(next).map_or(self.rows.len(), |t_s| before(*t_s));
        // As many of them as the polynomial has, around the place where there are so many.
        let count = NODES.min(end.saturating_sub(first));
        let middle = (place - 0.5 * (NODES - 1) as f64).round().max(0.0) as usize;
        let from = middle.clamp(first.min(end), end - count);
        from..from + count
    }

    /// What values between rows add to the error, relative to the amplitudes.
    fn interpolation(&self) -> f64 {
        let every: Vec<Vec<f64>> = self.rows.iter().step_by(2).cloned().collect();
        if every.len() < NODES {
            return 0.0;
        }
        let coarse = Trajectory { step_s: 2.0 * self.step_s, rows: every, events_s: self.events_s.clone(), error: 0.0 };
        let amplitude = amplitude(&self.rows);
        let mut worst = 0.0f64;
        for i in (1..self.rows.len() - 1).step_by(2) {
            let made = coarse.at(i as f64 * self.step_s);
            // The error of a polynomial through n rows is of the power n of their distance.
            let share = (-(coarse.nodes(0.5 * i as f64).len() as f64)).exp2();
            for (j, x) in made.iter().enumerate().filter(|(j, _)| amplitude[*j] > 0.0) {
                worst = worst.max(share * (x - self.rows[i][j]).abs() / amplitude[j]);
            }
        }
        worst
    }
}

/// Largest absolute value of each column.
fn amplitude(rows: &[Vec<f64>]) -> Vec<f64> {
    let width = rows.first().map_or(0, Vec::len);
    (0..width).map(|i| rows.iter().fold(0.0f64, |max, row| max.max(row[i].abs()))).collect()
}

/// The polynomial through evenly spaced rows, at `place` in distances from the first.
fn between(rows: &[Vec<f64>], place: f64) -> Vec<f64> {
    let n = rows.len() as i32;
    let mut out = vec![0.0; rows[0].len()];
    for i in 0..n {
        let factor = |j: i32| (place - f64::from(j)) / f64::from(i - j);
        let weight: f64 = (0..n).filter(|j| *j != i).map(factor).product();
        out.iter_mut().zip(&rows[i as usize]).for_each(|(out, x)| *out += weight * x);
    }
    out
}

/// The best trajectory that the schemes, the most promising first, come to up to `stop_s` \[s\] from steps of `step_s` \[s\].
///
/// # Errors
/// [`RunError::Grid`] where no scheme converges; what units answer before they step.
pub fn fine(
    benchmark: &dyn Benchmark,
    schemes: &[Scheme],
    (step_s, stop_s): (f64, f64),
) -> Result<Trajectory, RunError> {
    // Two good trajectories, so that each says what the other's error is.
    let mut found: Vec<Trajectory> = Vec::new();
    let (mut refusal, mut reason) = (None, String::new());
    for scheme in schemes {
        match refined(benchmark, scheme, (step_s, stop_s)) {
            Ok(Ok(trajectory)) => found.push(trajectory),
            Ok(Err(why)) => reason = why,
            // A scheme that the units do not allow.
            Err(why) => refusal = Some(why),
        }
        if found.iter().filter(|t| t.error <= GOOD).count() == 2 {
            break;
        }
    }
    // The best one. Where there is none, the reason of a scheme that ran says more than a refusal.
    found.sort_by(|a, b| a.error.total_cmp(&b.error));
    let mut found = found.into_iter();
    let Some(mut best) = found.next() else {
        return Err(refusal.filter(|_| reason.is_empty()).unwrap_or_else(|| {
            RunError::grid(
                "reference run",
                format!("no method that converges with up to {DO_STEPS_MAX} calls of the units: {reason}"),
                "quantities that converge with smaller macro steps; name them by `--record`, or choose an \
                       earlier `--stop`",
            )
        }));
    };
    // It is no better than its difference from the other one.
    if let Some(other) = found.next() {
        best.error = best.error.max(apart(&best, &other) - other.error);
    }
    Ok(best)
}

/// Largest difference of two trajectories at the rows of the coarser one.
fn apart(a: &Trajectory, b: &Trajectory) -> f64 {
    let (fine, coarse) = if a.step_s < b.step_s { (a, b) } else { (b, a) };
    let amplitude = amplitude(&fine.rows);
    let mut worst = 0.0f64;
    for (n, row) in coarse.rows.iter().enumerate() {
        let other = fine.at(n as f64 * coarse.step_s);
        for j in (0..row.len()).filter(|j| amplitude[*j] > 0.0) {
            worst = worst.max((row[j] - other[j]).abs() / amplitude[j]);
        }
    }
    worst
}

/// One scheme with more and more steps; where it does not converge, the reason in words.
fn refined(
    benchmark: &dyn Benchmark,
    scheme: &Scheme,
    (step_s, stop_s): (f64, f64),
) -> Result<Result<Trajectory, String>, RunError> {
    // The size of the system: units that step, and quantities that are compared.
    let (units, quantities) = (benchmark.card().units as u64, benchmark.quantities().len());
    // Methods of high order need fewer steps than the system's own, which may have a longest one.
    let mut windows = first_windows(stop_s / step_s, stop_s / (8.0 * step_s).min(benchmark.step_max_s()));
    // The run before, the best so far, and what has gone wrong.
    let (mut before, mut d_before): (Option<Done>, Option<f64>) = (None, None);
    let (mut best, mut doublings, mut has_run): (Option<Trajectory>, u32, bool) = (None, 0, false);
    let (mut reason, mut refused) = (String::new(), String::new());
    while windows * units <= DO_STEPS_MAX && doublings <= DOUBLINGS_MAX {
        let step_s = stop_s / windows as f64;
        let done = match run(benchmark, scheme, Steps { step_s, windows }, &crate::models::native, None) {
            Ok(Trial::Done(done)) => done,
            Ok(Trial::Stopped(why)) => {
                (windows, has_run, refused) = (2 * windows, true, why);
                continue;
            }
            Ok(Trial::Late) => break,
            // Units that took longer steps may refuse shorter ones.
            Err(_) if has_run => break,
            Err(why) => return Err(why),
        };
        // Order and error from two differences that follow each other; near rounding no order is seen.
        if let Some(before) = &before {
            let d = difference(&before.rows, &done.rows, quantities);
            if let Some(d_before) = d_before {
                let p = (d_before / d).log2().min(ORDER_MAX);
                let is_rounding = d < 1e-12 || (p < 0.5 && d < 1e-9);
                if is_rounding || p > 0.5 {
                    let error = if is_rounding { d.max(1e-14) } else { d / (p.exp2() - 1.0) };
                    let (rows, events_s) = (done.rows.clone(), done.events_s.clone());
                    let mut found = Trajectory { step_s, rows, events_s, error };
                    // Finer rows are needed where values between them are worse than the rows.
                    let between = found.interpolation();
                    found.error = error.max(between);
                    let is_good = (is_rounding || error < GOOD) && between <= error.max(GOOD);
                    // It goes on until it is good enough.
                    if best.as_ref().is_none_or(|b| found.error < b.error) {
                        best = Some(found);
                    }
                    if is_good {
                        break;
                    }
                }
            }
            // Why it is not: the quantity that is farthest off.
            reason = worst(benchmark, before, &done).unwrap_or_default();
            d_before = Some(d);
        }
        // Half the macro step.
        (before, has_run) = (Some(done), true);
        windows *= 2;
        doublings += 1;
    }
    // All reasons, of schemes that ran and of such that stopped.
    if !refused.is_empty() {
        reason =
            [reason, refused].into_iter().filter(|r| !r.is_empty()).collect::<Vec<_>>().join("; with other steps ");
    }
    Ok(best.ok_or(reason))
}

/// Macro steps of the first run: at least `fewest`, and 100. Where the system's own steps make up the run, their number divided
/// or multiplied by powers of 2, as units may allow multiples of a step of their own only.
fn first_windows(own: f64, fewest: f64) -> u64 {
    let fewest = fewest.max(100.0);
    let whole = own.round();
    if whole < 1.0 || (own - whole).abs() > 1e-6 * whole {
        return fewest.ceil() as u64;
    }
    let mut windows = whole as u64;
    while windows.is_multiple_of(2) && (windows / 2) as f64 >= fewest - 1e-6 {
        windows /= 2;
    }
    while (windows as f64) < fewest - 1e-6 {
        windows *= 2;
    }
    windows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_rows_it_is_a_polynomial_of_degree_seven() {
        let of = |t: f64| vec![t.sin(), t.powi(7) - t.powi(3)];
        let rows = (0..=40).map(|i| of(f64::from(i) * 0.1)).collect();
        let trajectory = Trajectory { step_s: 0.1, rows, events_s: Vec::new(), error: 0.0 };
        // Remainder of the polynomial through eight rows: |f⁽⁸⁾| h⁸ Π|place − j|/8!, and |f⁽⁸⁾| ≤ 1 for the sine.
        let remainder = |place: f64| -> f64 {
            let from = (place - 3.5).round().clamp(0.0, 33.0);
            (0..8).map(|j| (place - from - f64::from(j)).abs()).product::<f64>() * 1e-8 / 40320.0
        };
        for t in [0.013, 0.5, 1.234, 2.05, 3.99] {
            let (found, exact) = (trajectory.at(t), of(t));
            assert!((found[0] - exact[0]).abs() <= remainder(10.0 * t) + 1e-14, "{t}");
            assert!((found[1] - exact[1]).abs() < 1e-9 * exact[1].abs().max(1.0), "{t}");
        }
        // What is estimated is the largest of them, by the first and last rows, whose polynomials reach to one side only.
        let (estimate, worst) = (trajectory.interpolation(), (0..4000).map(|i| f64::from(i) * 1e-3));
        let worst = worst.fold(0.0f64, |max, t| max.max((trajectory.at(t)[0] - t.sin()).abs()));
        assert!((0.5..2.0).contains(&(estimate / worst)), "{estimate:e} for {worst:e}");
    }

    #[test]
    fn no_polynomial_goes_through_an_event() {
        // A jump at 1.23 and one at 1.37, with a row between them.
        let of = |t: f64| t.sin() + if t < 1.23 { 0.0 } else { 3.0 } - if t < 1.37 { 0.0 } else { 5.0 };
        let rows = (0..=40).map(|i| vec![of(f64::from(i) * 0.1)]).collect();
        let trajectory = Trajectory { step_s: 0.1, rows, events_s: vec![1.23, 1.37], error: 0.0 };
        for (t, bound) in [(1.15, 1e-8), (1.22, 1e-7), (1.32, 0.1), (1.38, 1e-7), (1.55, 1e-8)] {
            assert!((trajectory.at(t)[0] - of(t)).abs() < bound, "{t}: {}", trajectory.at(t)[0] - of(t));
        }
    }
}
