//! The macro step that keeps a bound of the *error*: of what a run leaves behind, not of what is predicted in a step.
//!
//! With y_k the trace of an output with H/k at the communication points of H, A its largest absolute value, and
//! d_k = max ‖y_k − y_2k‖/A over all outputs but those that depend on derivatives of inputs ([`unmeasured`]),
//!
//! ```text
//! p   = log(d_j/d_k) / log(k/j)                      observed order, of the two finest pairs
//! e_k = d_k · 2^p/(2^p − 1)                          estimated error of the run with H/k
//! k ← k · (e_k/(aim · bound))^(1/p)                  until e_k ≤ safe · bound
//! ```
//!
//! H, H/2 and H/4 come first. Steps are whole parts of H, so that values set at a time and rows stay where they are. Reference:
//! \[Roache 1994\] for the estimate of a grid refinement.

use super::{Unverified, is_constant, run};
use crate::assemble::{assemble, unmeasured};
use crate::catalogue::Catalogue;
use crate::finding::Finding;
use crate::scenario::Scenario;
use crate::words::Control;
use macrostep_master::RunError;
use macrostep_master::record::{ColumnKind, Trace};

/// Steps smaller than this part of H are not tried.
const PARTS_MAX: u32 = 20_000;

/// Times that a step is chosen anew.
const CHOICES_MAX: usize = 12;

/// The part of the bound that the next choice aims at, and that an estimate may have.
const AIM: f64 = 0.6;
const SAFE: f64 = 0.85;

/// An estimate below this part of the bound is worth one longer step.
const IDLE: f64 = 0.3;

/// Orders beyond these are none.
const ORDERS: std::ops::RangeInclusive<f64> = 0.5..=8.0;

/// The result of keeping a bound of the error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// Largest error allowed, relative to the largest absolute value of each output.
    pub error: f64,
    /// The largest error, as estimated.
    pub estimate: f64,
    /// Observed order.
    pub order: f64,
    /// The macro step \[s\].
    pub step_s: f64,
    /// Runs made to choose it.
    pub runs: u32,
}

/// Runs and what they say.
struct Search<'a> {
    scenario: &'a Scenario,
    catalogue: &'a dyn Catalogue,
    step_s: f64,
    /// Columns whose error does not shrink with the step.
    left_out: Vec<String>,
    /// Parts of H and trace; `None` where the run diverged.
    traces: Vec<(u32, Option<Trace>)>,
}

/// Chooses the macro step with which the scenario keeps its `error`; `None` where it has none. The macro step of the scenario
/// is the longest.
///
/// # Errors
/// [`Unverified`] where the scenario cannot run, or no step keeps the bound.
pub fn bound(scenario: &Scenario, catalogue: &dyn Catalogue) -> Result<Option<Bound>, Unverified> {
    let Some(error) = scenario.experiment.error else { return Ok(None) };
    if !(error > 0.0 && error < 1.0) {
        let what = format!("error = {error:?}, expected a number above 0 and below 1");
        let finding =
            Finding::error(&scenario.experiment.place, what, "1e-2 allows 1 % of the largest value of each output");
        return Err(Unverified::Findings(vec![finding]));
    }
    // What is run: the scenario with its times, and a whole number of steps.
    let mut plain = scenario.clone();
    plain.experiment.error = None;
    let (assembly, _) = assemble(&plain, catalogue).map_err(Unverified::Findings)?;
    let left_out = unmeasured(&assembly).0;
    let mut plain = assembly.effective;
    // What cannot be bounded: steps that are chosen already.
    let e = &mut plain.experiment;
    let refused =
        |what: String, next: &str| Unverified::Findings(vec![Finding::error(&scenario.experiment.place, what, next)]);
    if plain.coupling.control.kind != Control::Fixed {
        let what = format!("`error` of the experiment beside `control` by `{}`", plain.coupling.control.kind);
        return Err(refused(what, "leave one of them out: `error` chooses one macro step for the whole run"));
    }
    // The longest macro step: a whole number of them in the run, none longer than the scenario's.
    let span_s = e.stop_s.unwrap_or(f64::NAN) - e.start_s;
    let step_s = span_s / (span_s / e.step_s.unwrap_or(f64::NAN) - 1e-6).ceil().max(1.0);
    let mut search = Search { scenario: &plain, catalogue, step_s, left_out, traces: Vec::new() };
    // The first steps that tell an order.
    let mut parts = 1;
    while search.gap(parts)?.is_none() || search.gap(2 * parts)?.is_none() {
        parts *= 4;
        if parts > PARTS_MAX {
            return Err(refused(
                "no run reaches its end with finite values".to_owned(),
                "choose a shorter `step`, or another method",
            ));
        }
    }
    // The longest step whose error is small enough; else nothing has fitted within so many choices.
    match search.longest(error, parts)? {
        Ok(found) => Ok(Some(found)),
        Err(best) => {
            let what = format!(
                "an error of at most {error:e} is not reached: it is about {best:.1e} with the shortest step that was tried"
            );
            Err(refused(what, "choose a method of higher order, or a larger `error`"))
        }
    }
}

/// The observed order: between the two finest pairs of runs, and no more than between the coarsest and the finest.
fn order(pairs: &[(u32, f64)]) -> f64 {
    let between =
        |(j, coarse): (u32, f64), (k, fine): (u32, f64)| (coarse / fine).ln() / (f64::from(k) / f64::from(j)).ln();
    let n = pairs.len();
    let near = between(pairs[n - 2], pairs[n - 1]);
    let far = between(pairs[0], pairs[n - 1]);
    let order = if far.is_nan() || far >= near { near } else { far.max(0.8 * near) };
    if order.is_nan() { *ORDERS.start() } else { order.clamp(*ORDERS.start(), *ORDERS.end()) }
}

impl Search<'_> {
    /// The longest step whose error is at most `error`, from two pairs of runs that begin with H/parts; else the smallest d of any.
    fn longest(&mut self, error: f64, parts: u32) -> Result<Result<Bound, f64>, Unverified> {
        // Pairs of runs: parts and gap, the finest last.
        let mut pairs = vec![self.pair(parts)?, self.pair(2 * parts)?];
        let mut is_idle = true;
        for _ in 0..CHOICES_MAX {
            let order = order(&pairs);
            let estimate = |gap: f64| gap * order.exp2() / (order.exp2() - 1.0);
            let fits = pairs.iter().filter(|(_, gap)| estimate(*gap) <= SAFE * error).min_by_key(|(parts, _)| *parts);
            let wanted =
                |(parts, gap): (u32, f64)| f64::from(parts) * (estimate(gap) / (AIM * error)).powf(1.0 / order);
            if let Some(&(parts, gap)) = fits {
                let longer = (wanted((parts, gap)).ceil() as u32).max(1);
                let is_wasteful = is_idle && estimate(gap) < IDLE * error && longer < parts;
                if !is_wasteful || pairs.iter().any(|pair| pair.0 == longer) {
                    let (estimate, runs) = (estimate(gap), self.traces.len() as u32);
                    return Ok(Ok(Bound { error, estimate, order, step_s: self.step_s / f64::from(parts), runs }));
                }
                is_idle = false;
                pairs.push(self.pair(longer)?);
            } else {
                // No run fits yet: a step that is short enough by the order seen so far, shorter in any case.
                let finest = pairs.iter().copied().max_by_key(|(parts, _)| *parts).unwrap_or((1, f64::INFINITY));
                let parts = wanted(finest).ceil().max(f64::from(finest.0) + 1.0);
                if parts > f64::from(PARTS_MAX) || parts.is_nan() {
                    break;
                }
                pairs.push(self.pair(parts as u32)?);
            }
            pairs.sort_by_key(|(parts, _)| *parts);
        }
        Ok(Err(pairs.iter().map(|(_, gap)| *gap).fold(f64::INFINITY, f64::min)))
    }

    /// Parts of H, and d of them; infinite where one of the two runs diverged.
    fn pair(&mut self, parts: u32) -> Result<(u32, f64), Unverified> {
        Ok((parts, self.gap(parts)?.unwrap_or(f64::INFINITY)))
    }

    /// d of H/parts; `None` where one of the two runs diverged.
    fn gap(&mut self, parts: u32) -> Result<Option<f64>, Unverified> {
        self.run(parts)?;
        self.run(2 * parts)?;
        let trace = |parts| self.traces.iter().find(|(p, _)| *p == parts).and_then(|(_, trace)| trace.as_ref());
        let (Some(coarse), Some(fine)) = (trace(parts), trace(2 * parts)) else { return Ok(None) };
        let columns = coarse.columns();
        let is_real = |i: &usize| columns[*i].kind == ColumnKind::Real && !self.left_out.contains(&columns[*i].name);
        let moves = |i: &usize| !(is_constant(coarse, *i) && is_constant(fine, *i));
        let mut worst = 0.0f64;
        for i in (1..columns.len()).filter(is_real).filter(moves) {
            let (mut apart, mut amplitude) = (0.0f64, 0.0f64);
            for (a, b) in coarse.rows().zip(fine.rows()) {
                let gap = (a[i] - b[i]).abs();
                apart = if gap.is_nan() { f64::INFINITY } else { apart.max(gap) };
                amplitude = amplitude.max(b[i].abs());
            }
            worst = worst.max(if amplitude > 0.0 { apart / amplitude } else { apart });
        }
        Ok(Some(worst))
    }

    /// Runs the scenario with H/parts, where it has not been.
    fn run(&mut self, parts: u32) -> Result<(), Unverified> {
        if self.traces.iter().any(|(known, _)| *known == parts) {
            return Ok(());
        }
        let mut s = self.scenario.clone();
        s.experiment.step_s = Some(self.step_s / f64::from(parts));
        s.record.every = u64::from(parts);
        let (assembly, _) = assemble(&s, self.catalogue).map_err(Unverified::Findings)?;
        let trace = match run(assembly, &s) {
            Ok((trace, _)) => Some(trace),
            Err(RunError::Diverged(_)) => None,
            Err(e) => return Err(Unverified::Run(format!("H/{parts}"), e)),
        };
        self.traces.push((parts, trace));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::order;

    #[test]
    fn orders_of_pairs() {
        let gaps = |p: f64, parts: &[u32]| parts.iter().map(|k| (*k, f64::from(*k).powf(-p))).collect::<Vec<_>>();
        assert!((order(&gaps(2.0, &[1, 2, 7])) - 2.0).abs() < 1e-12);
        // Rounding alone is no order.
        assert_eq!(order(&[(1, 1e-16), (2, 1e-16)]), 0.5);
    }
}
