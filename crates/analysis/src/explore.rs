//! The macro step of one scheme for a tolerance, from trials with H, H/2 and H/4; [`crate::advise`] has the equations.

use crate::advise::{AIM, COST_MAX, Candidate, DO_STEPS_MAX, FINEST, GROWTH_MAX, Question, Search, growth_rate};
use crate::measure::FLOOR;
use crate::missed::Nearest;
use crate::scenario::Benchmark;
use crate::scheme::{Correct, Family, Scheme};
use crate::trial::{Done, Steps, Trial, difference, moves, run, worst};
use macrostep_master::RunError;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Macro steps that are tried with one scheme.
const TRIALS_MAX: usize = 20;
/// Errors above this are beyond Richardson's reach.
const ERROR_MAX: f64 = 0.2;
/// Trials one after the other whose differences are large and do not shrink, after which a scheme is given up.
const UNMOVED_MAX: u32 = 7;
/// Unknowns of a macro step that a method with a dense matrix of them is tried with.
const UNKNOWNS_MAX: usize = 1000;

/// The macro step of one scheme; where it costs too much or grows, the reason in words.
pub(super) fn explore(
    benchmark: &dyn Benchmark,
    scheme: &Scheme,
    question: &Question,
    search: &Search,
    nearest: &mut Option<Nearest>,
) -> Result<Result<Candidate, String>, RunError> {
    let (units, quantities) = (benchmark.card().units as u64, benchmark.quantities().len());
    is_small(benchmark, scheme)?;
    let until = question.until(search);
    let (mut reason, mut unmoved) = (String::new(), 0);
    let mut next = question.guessed(benchmark, FINEST);
    for _ in 0..TRIALS_MAX {
        // Numbers of macro steps that units allow come to an end.
        let Some(windows) = next else { break };
        next = question.windows(benchmark, 2 * windows, FINEST);
        // The finest trial may cost some times what the best does.
        let bound = search.cheapest.load(Ordering::Relaxed).saturating_mul(COST_MAX).min(DO_STEPS_MAX);
        if FINEST * windows * units > bound || search.is_hopeless() {
            break;
        }
        let three = match three(benchmark, scheme, (question, until), windows)? {
            Ok(three) => three,
            Err(why) => {
                reason = why;
                continue;
            }
        };
        // An error relative to a size is none where nothing moves.
        if !moves(&three.runs[2], quantities) {
            let _ = search.rest.set(three.runs[2].rows[0][..quantities].to_vec());
            return Ok(Err(String::new()));
        }
        let near = Nearest::of(scheme, question.stop_s / (FINEST * windows) as f64, three.d1, three.d2);
        *nearest = near.into_iter().chain(*nearest).min_by(|a, b| a.error.total_cmp(&b.error));
        // Runs whose difference stays as large as it is do not converge.
        unmoved = if three.d2 > ERROR_MAX && three.order < 0.5 { unmoved + 1 } else { 0 };
        if unmoved == UNMOVED_MAX {
            search.stuck.fetch_add(1, Ordering::Relaxed);
            return Ok(Err(three.worst(benchmark)));
        }
        let chosen = match three.choose(benchmark, scheme, question) {
            Choice::Step(chosen) => chosen,
            Choice::Unclear => {
                reason = three.worst(benchmark);
                continue;
            }
            Choice::Far(windows) => {
                next = question.windows(benchmark, windows, FINEST);
                continue;
            }
        };
        // Trials cannot show less than rounding and what correctors leave.
        let error = chosen.error.max(FLOOR);
        let step_s = question.stop_s / chosen.windows as f64;
        let growth_rate = growth_rate(benchmark, (scheme, step_s), until);
        if growth_rate * question.stop_s > GROWTH_MAX {
            reason = format!("deviations grow by {growth_rate:.2e} 1/s");
            continue;
        }
        let (order, do_steps) = (chosen.order, chosen.do_steps);
        search.cheapest.fetch_min(do_steps, Ordering::Relaxed);
        return Ok(Ok(Candidate { scheme: *scheme, step_s, error, order, growth_rate, do_steps }));
    }
    Ok(Err(reason))
}

/// A matrix of all unknowns of a macro step is to be small.
fn is_small(benchmark: &dyn Benchmark, scheme: &Scheme) -> Result<(), RunError> {
    let nodes = if scheme.predict.family == Family::Spectral { scheme.predict.degree as usize } else { 1 };
    if scheme.correct == Correct::Newton && nodes * benchmark.signals() > UNKNOWNS_MAX {
        return Err(RunError::grid(
            "unknowns of a macro step",
            format!("{nodes} × {} signals between units", benchmark.signals()),
            format!("at most {UNKNOWNS_MAX} for a method with a matrix of them"),
        ));
    }
    Ok(())
}

/// Trials with H, H/2 and H/4, and how they differ.
struct Three {
    /// Macro steps of the first.
    windows: u64,
    runs: [Done; 3],
    /// |x_H − x_{H/2}| and |x_{H/2} − x_{H/4}|, relative to the amplitudes.
    d1: f64,
    d2: f64,
    /// Observed order p = log₂(d_1/d_2).
    order: f64,
}

/// The macro step that follows from three trials.
enum Choice {
    Step(Chosen),
    /// The differences are not those of an order.
    Unclear,
    /// It is far from the trials: try this number of macro steps.
    Far(u64),
}

/// A number of macro steps, with what is expected of it.
struct Chosen {
    windows: u64,
    error: f64,
    order: f64,
    do_steps: u64,
}

/// Three trials of a scheme; where one of them stops early, the reason in words.
fn three(
    benchmark: &dyn Benchmark,
    scheme: &Scheme,
    (question, until): (&Question, Option<Instant>),
    windows: u64,
) -> Result<Result<Three, String>, RunError> {
    let mut reason = String::new();
    let mut runs = Vec::with_capacity(3);
    for factor in [1, 2, FINEST] {
        match run(benchmark, scheme, Steps::to(question.stop_s, windows * factor), &question.factory, until)? {
            Trial::Done(done) => runs.push(done),
            Trial::Late => return Err(question.late()),
            Trial::Stopped(why) => reason = why,
        }
    }
    let Ok(runs) = <[Done; 3]>::try_from(runs) else { return Ok(Err(reason)) };
    let quantities = benchmark.quantities().len();
    let [d1, d2] = [0, 1].map(|i| difference(&runs[i].rows, &runs[i + 1].rows, quantities));
    Ok(Ok(Three { windows, runs, d1, d2, order: (d1 / d2).log2() }))
}

impl Three {
    /// The quantity that differs most between the two finest, in words.
    fn worst(&self, benchmark: &dyn Benchmark) -> String {
        worst(benchmark, &self.runs[1], &self.runs[2]).unwrap_or_default()
    }

    /// The macro step that the tolerance allows.
    fn choose(&self, benchmark: &dyn Benchmark, scheme: &Scheme, question: &Question) -> Choice {
        let Three { windows, runs: [a, b, _], d1, d2, order: p } = self;
        let (windows, d1, d2, p) = (*windows, *d1, *d2, *p);
        // So near to the solution is the second run that the first one's error is seen.
        let is_seen = d1 > 0.0 && d1 <= AIM * question.tolerance && p > 3.0;
        // Runs that agree to rounding have no error that a shorter step would reduce.
        let is_same = d1.max(d2) <= FLOOR && question.tolerance >= FLOOR;
        if is_seen || is_same {
            let order = if is_same { scheme.global_order() } else { p.min(scheme.global_order()) };
            return Choice::Step(Chosen { windows, error: d1, order, do_steps: a.do_steps });
        }
        let error = d2 * p.exp2() / (p.exp2() - 1.0);
        // An order that theory does not know is a coincidence of two differences.
        if !(p > 0.7 && p < scheme.global_order() + 1.6 && error < ERROR_MAX) {
            return Choice::Unclear;
        }
        // `error` is that of the run with 2·windows.
        let wanted = windows as f64 * 2.0 * (error / (AIM * question.tolerance)).powf(1.0 / p);
        let chosen = question.windows(benchmark, wanted.ceil().max(windows as f64) as u64, 1);
        // Far from the trials the order is not known well enough.
        let Some(chosen) = chosen.filter(|chosen| *chosen <= 3 * windows) else {
            return Choice::Far(chosen.map_or(2 * windows, |chosen| (chosen / 2).min(8 * windows)));
        };
        let factor = 2.0 * windows as f64 / chosen as f64;
        let do_steps = (b.do_steps as f64 / factor) as u64;
        Choice::Step(Chosen { windows: chosen, error: error * factor.powf(p), order: p, do_steps })
    }
}
