//! The macro step of one scheme for a tolerance, from trials with H, H/2 and H/4; [`crate::advise`] has the equations.

use crate::advise::{AIM, Candidate, FINEST, GROWTH_MAX, Question, Search, growth_rate};
use crate::measure::FLOOR;
use crate::missed::Nearest;
use crate::scenario::Benchmark;
use crate::scheme::{Correct, Family, Scheme};
use crate::trial::{Done, Far, Steps, Trial, difference, moves, run, worst};
use macrostep_master::RunError;
use std::rc::Rc;
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
    let until = question.until(benchmark, search);
    let (mut reason, mut unmoved) = (String::new(), 0);
    let (mut next, mut known) = (question.guessed(benchmark, FINEST), Known { runs: Vec::new(), until });
    for _ in 0..TRIALS_MAX {
        // Numbers of macro steps that units allow come to an end.
        let Some(windows) = next else { break };
        next = question.windows(benchmark, 2 * windows, FINEST);
        // Where messages are waited for, the run with half the step before was this one: it is known what it takes.
        let own = known.runs.iter().find(|(n, _)| *n == windows).and_then(|(_, run)| run.far);
        if search.is_dear((windows, units), own) || search.is_hopeless() {
            break;
        }
        let tried = tried(benchmark, scheme, question, (windows, &mut known))?;
        known.runs.iter().for_each(|(_, run)| search.met(run.far));
        let choice = match tried {
            Tried::Three(three) => {
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
                three.choose(benchmark, scheme, question)
            }
            Tried::Enough(choice) => choice,
        };
        let chosen = match choice {
            Choice::Step(chosen) => chosen,
            Choice::Unclear(why) => {
                reason = why;
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
        let Chosen { order, do_steps, far, .. } = chosen;
        let found = Candidate { scheme: *scheme, step_s, error, order, growth_rate, do_steps, far };
        search.cheapest.fetch_min(found.cost(), Ordering::Relaxed);
        return Ok(Ok(found));
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
    runs: [Rc<Done>; 3],
    /// |x_H − x_{H/2}| and |x_{H/2} − x_{H/4}|, relative to the amplitudes.
    d1: f64,
    d2: f64,
    /// Observed order p = log₂(d_1/d_2).
    order: f64,
}

/// The macro step that follows from three trials.
enum Choice {
    Step(Chosen),
    /// The differences are not those of an order, in words.
    Unclear(String),
    /// It is far from the trials: try this number of macro steps.
    Far(u64),
}

/// A number of macro steps, with what is expected of it.
struct Chosen {
    windows: u64,
    error: f64,
    order: f64,
    do_steps: u64,
    far: Option<Far>,
}

/// Runs that are known, with their numbers of macro steps, and when there are to be no more.
struct Known {
    runs: Vec<(u64, Rc<Done>)>,
    until: Option<Instant>,
}

/// What trials came to.
enum Tried {
    Three(Three),
    /// Fewer say enough.
    Enough(Choice),
}

/// Three trials of a scheme; or fewer, where one of them stops early.
fn tried(
    benchmark: &dyn Benchmark,
    scheme: &Scheme,
    question: &Question,
    (windows, known): (u64, &mut Known),
) -> Result<Tried, RunError> {
    let mut reason = String::new();
    let mut runs = Vec::with_capacity(3);
    for n in [1, 2, FINEST].map(|factor| windows * factor) {
        // The runs of the trials before are those of longer steps now.
        if let Some((_, run)) = known.runs.iter().find(|(known, _)| *known == n) {
            runs.push(Rc::clone(run));
        } else {
            match run(benchmark, scheme, Steps::to(question.stop_s, n), &question.factory, known.until)? {
                Trial::Done(done) => runs.push(Rc::new(done)),
                Trial::Late => return Err(question.late(benchmark)),
                Trial::Stopped(why) => reason = why,
            }
        }
        if let (true, [a, b]) = (benchmark.is_far(), runs.as_slice())
            && let Some(choice) = by_two(benchmark, question, (a, b), windows)
        {
            known.runs = vec![(windows, Rc::clone(a)), (2 * windows, Rc::clone(b))];
            return Ok(Tried::Enough(choice));
        }
    }
    let Ok(runs) = <[Rc<Done>; 3]>::try_from(runs) else { return Ok(Tried::Enough(Choice::Unclear(reason))) };
    known.runs = [1, 2, FINEST].iter().map(|factor| windows * factor).zip(runs.iter().cloned()).collect();
    let quantities = benchmark.quantities().len();
    let [d1, d2] = [0, 1].map(|i| difference(&runs[i].rows, &runs[i + 1].rows, quantities));
    Ok(Tried::Three(Three { windows, runs, d1, d2, order: (d1 / d2).log2() }))
}

/// What the runs with H and H/2 say alone, where messages are waited for: that they have next to nothing in common, or so much that the
/// tolerance is met whatever the order is, which is 1 at least.
fn by_two(benchmark: &dyn Benchmark, question: &Question, (a, b): (&Done, &Done), windows: u64) -> Option<Choice> {
    let quantities = benchmark.quantities().len();
    let error = 2.0 * difference(&a.rows, &b.rows, quantities);
    if error > ERROR_MAX {
        return Some(Choice::Unclear(worst(benchmark, a, b).unwrap_or_default()));
    }
    let is_met = error <= AIM * question.tolerance && moves(b, quantities);
    let (do_steps, far) = (a.do_steps, a.far);
    is_met.then_some(Choice::Step(Chosen { windows, error, order: f64::NAN, do_steps, far }))
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
            return Choice::Step(Chosen { windows, error: d1, order, do_steps: a.do_steps, far: a.far });
        }
        let error = d2 * p.exp2() / (p.exp2() - 1.0);
        // An order that theory does not know is a coincidence of two differences.
        if !(p > 0.7 && p < scheme.global_order() + 1.6 && error < ERROR_MAX) {
            return Choice::Unclear(self.worst(benchmark));
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
        let far = b.far.map(|far| far.scaled(1.0 / factor));
        Choice::Step(Chosen { windows: chosen, error: error * factor.powf(p), order: p, do_steps, far })
    }
}
