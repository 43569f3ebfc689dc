//! The cheapest candidate is run before it is advised: with its macro step and with half of it, whose difference is its error.
//!
//! ```text
//! error(H) = |x_H − x_{H/2}| · 2^p/(2^p − 1)                        p as observed, no higher than that of the scheme
//! ```

use crate::advise::{AIM, Candidate, Question, leave_out};
use crate::advise::{LeftOut, Search};
use crate::measure::FLOOR;
use crate::scenario::Benchmark;
use crate::trial::{Steps, Trial, difference, run};
use macrostep_master::RunError;

/// Steps that are tried for one scheme.
const STEPS_MAX: usize = 3;

/// Candidates that are run.
const CANDIDATES_MAX: usize = 8;

/// Runs the cheapest candidates until the cheapest one is as it ran; those that do not keep their promise are left out.
pub(super) fn confirm(
    benchmark: &dyn Benchmark,
    (question, search): (&Question, &Search),
    candidates: &mut Vec<Candidate>,
    left_out: &mut Vec<LeftOut>,
) {
    let mut done = Vec::new();
    for _ in 0..CANDIDATES_MAX {
        candidates.sort_by_key(Candidate::cost);
        let Some(best) = candidates.first().copied().filter(|best| !done.contains(&best.scheme)) else { return };
        done.push(best.scheme);
        match confirmed(benchmark, (question, search), &best) {
            Ok(found) => candidates[0] = found,
            Err(why) => {
                // The last one is kept: its prediction is all that there is.
                if candidates.len() == 1 {
                    return;
                }
                leave_out(left_out, &best.scheme, why.to_string());
                candidates.remove(0);
            }
        }
    }
    candidates.sort_by_key(Candidate::cost);
}

/// Whether no candidate can be relied on: where the cheapest one agrees with itself to rounding, whatever the step, and another one says something else. Units
/// with steps of their own do the same in each part of such a step; no error is seen then, and there may be any. All are short of the tolerance.
pub(super) fn compare(
    benchmark: &dyn Benchmark,
    asked: (&Question, &Search),
    candidates: &mut Vec<Candidate>,
    short: &mut Vec<LeftOut>,
) -> bool {
    let Some(why) = contradicted(benchmark, asked, candidates) else { return false };
    candidates.drain(..).for_each(|c| leave_out(short, &c.scheme, why.clone()));
    true
}

/// How the cheapest candidate is contradicted by one of another schedule, in words.
fn contradicted(
    benchmark: &dyn Benchmark,
    (question, search): (&Question, &Search),
    candidates: &[Candidate],
) -> Option<String> {
    let best = candidates.first().filter(|c| c.error <= FLOOR && c.far.is_none())?;
    let other = candidates.iter().find(|c| c.scheme.schedule != best.scheme.schedule)?;
    // Both with no longer steps than they are said to need; what does not run to its end says nothing.
    let (until, quantities) = (question.until(benchmark, search), benchmark.quantities().len());
    let windows = (question.stop_s / best.step_s.min(other.step_s)).ceil() as u64;
    let windows = question.windows(benchmark, windows, 2)?;
    let rows = |scheme, n| match run(benchmark, scheme, Steps::to(question.stop_s, n), &question.factory, until) {
        Ok(Trial::Done(done)) => Some(done.rows),
        _ => None,
    };
    let off = difference(&rows(&best.scheme, windows)?, &rows(&other.scheme, 2 * windows)?, quantities);
    let (step_s, one, two) = (question.stop_s / windows as f64, best.scheme, other.scheme);
    (off > 2.0 * question.tolerance.max(FLOOR)).then(|| {
        format!(
            "with H = {step_s:.1e} s smaller macro steps change nothing, and `{two}` is {off:.0e} of the amplitude away from `{one}`: units have longer steps of their own"
        )
    })
}

/// A candidate with the error that it shows, with a shorter step where that is too large. As it is where there is no time, or units do
/// not take half its step.
fn confirmed(
    benchmark: &dyn Benchmark,
    (question, search): (&Question, &Search),
    c: &Candidate,
) -> Result<Candidate, RunError> {
    // Two runs have shown it already.
    if c.far.is_some() && c.order.is_nan() {
        return Ok(*c);
    }
    let (until, quantities) = (question.until(benchmark, search), benchmark.quantities().len());
    let p = if c.order.is_finite() { c.order.min(c.scheme.global_order()).max(1.0) } else { 1.0 };
    let mut windows = (question.stop_s / c.step_s).round() as u64;
    let mut found = 0.0;
    for _ in 0..STEPS_MAX {
        if question.windows(benchmark, windows, 2) != Some(windows) {
            return Ok(*c);
        }
        let mut trials = Vec::with_capacity(2);
        for n in [windows, 2 * windows] {
            match run(benchmark, &c.scheme, Steps::to(question.stop_s, n), &question.factory, until)? {
                Trial::Done(done) => trials.push(done),
                Trial::Late => return Ok(*c),
                Trial::Stopped(why) => return Err(RunError::grid("run of the candidate", why, "a run to its end")),
            }
        }
        let off = difference(&trials[0].rows, &trials[1].rows, quantities);
        let error = (off * p.exp2() / (p.exp2() - 1.0)).max(FLOOR);
        if error <= question.tolerance.max(FLOOR) {
            let step_s = question.stop_s / windows as f64;
            return Ok(Candidate { step_s, error, do_steps: trials[0].do_steps, far: trials[0].far, ..*c });
        }
        // A shorter step by the order, where units have one.
        found = error;
        let wanted = windows as f64 * (error / (AIM * question.tolerance)).powf(1.0 / p);
        let Some(next) = question.windows(benchmark, (wanted.ceil() as u64).max(windows + 1), 2) else { break };
        windows = next;
    }
    let allowed = format!("at most {:e}", question.tolerance);
    Err(RunError::grid("error of the candidate as run", format!("{found:.1e}"), allowed))
}
