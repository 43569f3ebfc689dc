//! The cheapest scheme and macro step for a system and a tolerance, with its predicted error and growth.
//!
//! Nothing is known of the solution. Every scheme is tried at H, H/2 and H/4, beginning with a guess of H that is halved
//! while the run grows or its error does not shrink; from the differences of the three runs
//!
//! ```text
//! d_1 = |x_H − x_{H/2}|,   d_2 = |x_{H/2} − x_{H/4}|,   p = log₂(d_1/d_2)
//! error(H') = d_2 · 2^p/(2^p − 1) · (2 H'/H)^p                                    Richardson
//! ```
//!
//! and H' is what seven tenths of the tolerance allow. A scheme whose d_2 is next to nothing has the error d_1 at H. Of the
//! schemes that do not grow over the run the one with the fewest calls of `fmi2DoStep` is run (`confirmed`) and advised; where units are
//! far away, the one whose run takes the shortest time, as its trials have taken it: they wait for messages. Step control is
//! tried last, beside a fine run of the best of the others. What the units do not allow is left out, with the reason; so is what was
//! not done in time. Where no scheme meets the tolerance, [`Missed`] says which comes nearest; where nothing moves, no other is tried.

use crate::candidates::candidates;
use crate::confirmed::{compare, confirm};
use crate::controlled::control;
use crate::explore::explore;
use crate::interfaces::{Capabilities, Connection, gain, observe};
use crate::measure::FLOOR;
use crate::missed::{AtRest, Missed, Nearest, Unadvised};
use crate::scenario::Benchmark;
use crate::scheme::{Control, Predict, Schedule, Scheme};
pub use crate::trial::Far;
use macrostep_master::RunError;
use macrostep_master::unit::Unit;
use rayon::prelude::*;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Macro steps of the finest of three trials to those of the first.
pub(super) const FINEST: u64 = 4;
/// Calls of a trial run, at most.
pub(super) const DO_STEPS_MAX: u64 = 400_000;
/// A scheme whose finest trial costs this many times what the cheapest costs is given up.
pub(super) const COST_MAX: u64 = 32;
/// And so, in parts of the cost of what is known already: with twice its first macro step it would cost as much.
const KNOWN_MAX: u64 = 8;
/// The part of the tolerance that the error is to have.
pub(super) const AIM: f64 = 0.7;
/// ln of the growth over a run that is accepted.
pub(super) const GROWTH_MAX: f64 = 1.0;

/// Schemes whose differences do not shrink, after which no other is tried where none has been found.
const STUCK_MAX: usize = 4;

/// The part of the time for all trials that one scheme may take, and the same where runs wait for units far away.
const SHARE: f64 = 1.0 / 6.0;
const SHARE_FAR: f64 = 0.5;

fn share(benchmark: &dyn Benchmark) -> f64 {
    if benchmark.is_far() { SHARE_FAR } else { SHARE }
}

/// What the schemes that are tried know of each other.
#[derive(Default)]
pub(super) struct Search {
    /// When the time is over, where it is limited.
    until: Option<Instant>,
    /// [`Candidate::cost`] of the cheapest scheme so far, and where it began.
    pub(super) cheapest: AtomicU64,
    known: u64,
    /// How long a unit that is far away takes to answer \[µs\]; 0 where none is known to be.
    round_trip_us: AtomicU64,
    /// Schemes whose runs stay in bounds and do not converge.
    pub(super) stuck: AtomicUsize,
    /// The values at which all quantities stay, where a trial has shown that they do.
    pub(super) rest: OnceLock<Vec<f64>>,
}

impl Search {
    /// What a trial was that has waited for units far away, if it has.
    pub(super) fn met(&self, far: Option<Far>) {
        if let Some(far) = far {
            self.round_trip_us.fetch_max((1e6 * far.round_trip_s) as u64, Ordering::Relaxed);
        }
    }

    /// Whether so many macro steps, in the first of three trials, are not worth trying. Where messages are waited for, each of them takes
    /// one at least, and no scheme is advised with fewer; `own` is what that trial has taken, where it is made. Else the finest trial may
    /// cost some times what the best does.
    pub(super) fn is_dear(&self, (windows, units): (u64, u64), own: Option<Far>) -> bool {
        let (cheapest, finest) = (self.cheapest.load(Ordering::Relaxed), FINEST * windows * units);
        match self.round_trip_us.load(Ordering::Relaxed) {
            0 => {
                let known = self.known.saturating_mul(KNOWN_MAX);
                finest > cheapest.saturating_mul(COST_MAX).min(known).min(DO_STEPS_MAX)
            }
            trip_us => own.map_or(windows * trip_us, Far::cost) > cheapest || finest > DO_STEPS_MAX,
        }
    }

    /// Whether the quantities, not the schemes, are what does not converge, or does not move.
    pub(super) fn is_hopeless(&self) -> bool {
        let is_stuck = self.stuck.load(Ordering::Relaxed) >= STUCK_MAX || self.rest.get().is_some();
        is_stuck && self.cheapest.load(Ordering::Relaxed) == self.known
    }
}

/// A unit from a model's identifier and an instance name, from any thread.
pub type MakeUnit = fn(&str, &str) -> Result<Box<dyn Unit>, RunError>;

/// The question for advice: tolerance and limits.
#[derive(Clone, Copy)]
pub struct Question {
    /// Error relative to the amplitudes that is allowed.
    pub tolerance: f64,
    /// What is known already takes so many calls, or µs where messages are waited for: what is far dearer is given up. `u64::MAX` for nothing.
    pub known: u64,
    /// End of the run \[s\].
    pub stop_s: f64,
    /// First guess of the macro step \[s\].
    pub guess_s: f64,
    /// Where units of the trials come from.
    pub factory: MakeUnit,
    /// Time for all trials.
    pub limit: Option<Duration>,
}

impl Question {
    /// With a first guess of 50 macro steps, and nothing known.
    pub fn new(tolerance: f64, stop_s: f64, factory: MakeUnit) -> Question {
        Question { tolerance, known: u64::MAX, stop_s, guess_s: stop_s / 50.0, factory, limit: None }
    }

    /// The fewest macro steps of the run that are at least `wanted` and may be divided by `divided` again, where units take multiples of
    /// a step only; none where there are no such.
    pub(super) fn windows(&self, benchmark: &dyn Benchmark, wanted: u64, divided: u64) -> Option<u64> {
        let Some(multiple_s) = benchmark.step_multiple_s() else { return Some(wanted) };
        let parts = self.stop_s / multiple_s;
        // A run that is no multiple itself has no such steps: units say so.
        let whole = parts.round();
        if (parts - whole).abs() > 1e-6 || !(1.0..1e9).contains(&whole) {
            return Some(wanted);
        }
        let whole = whole as u64;
        (wanted.max(1)..=(whole / divided).min(DO_STEPS_MAX)).find(|n| whole.is_multiple_of(n * divided))
    }

    /// Macro steps of the first guess.
    pub(super) fn guessed(&self, benchmark: &dyn Benchmark, divided: u64) -> Option<u64> {
        let guess_s = self.guess_s.min(benchmark.step_max_s());
        self.windows(benchmark, (self.stop_s / guess_s).ceil().max(1.0) as u64, divided)
    }

    /// When a scheme that is begun now is to be done.
    pub(super) fn until(&self, benchmark: &dyn Benchmark, search: &Search) -> Option<Instant> {
        let own = self.limit.and_then(|limit| Instant::now().checked_add(limit.mul_f64(share(benchmark))));
        own.zip(search.until).map(|(own, all)| own.min(all))
    }

    /// A scheme that was not done in time.
    pub(super) fn late(&self, benchmark: &dyn Benchmark) -> RunError {
        let limit_s = self.limit.unwrap_or_default().as_secs_f64();
        RunError::grid(
            "time of trials",
            format!("more than {:.3} s for a scheme, or {limit_s} s for all", share(benchmark) * limit_s),
            "less: a larger `--limit` allows more, an earlier `--stop` needs less",
        )
    }
}

/// Results of one scheme.
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    /// The scheme.
    pub scheme: Scheme,
    /// The macro step for the tolerance \[s\].
    pub step_s: f64,
    /// Error to expect, relative to the amplitudes.
    pub error: f64,
    /// Order observed.
    pub order: f64,
    /// Growth rate ln ρ / H \[1/s\]; NaN where the scheme has no map from step to step.
    pub growth_rate: f64,
    /// Calls of `fmi2DoStep` of all units to expect.
    pub do_steps: u64,
    /// What is to be waited for, where units are far away.
    pub far: Option<Far>,
}

impl Candidate {
    /// What the cheapest has least of: calls, or the time of the run \[µs\] where messages are waited for.
    pub fn cost(&self) -> u64 {
        self.far.map_or(self.do_steps, Far::cost)
    }
}

/// The scheme one would think of first, at the macro step guessed.
#[derive(Debug, Clone, Copy)]
pub struct FirstGuess {
    /// First cut, Jacobi, linear.
    pub scheme: Scheme,
    /// The macro step \[s\].
    pub step_s: f64,
    /// Growth rate \[1/s\].
    pub growth_rate: f64,
    /// Whether a run grows by it beyond `GROWTH_MAX`, more than the solution does.
    pub unstable: bool,
}

/// Schemes that the units do not allow.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct LeftOut {
    /// Their names.
    pub schemes: Vec<String>,
    /// What is missing, with unit and variable or attribute.
    pub why: String,
}

/// The answer.
#[derive(Debug, Clone)]
pub struct Advice {
    /// All that meet the tolerance, the cheapest first.
    pub candidates: Vec<Candidate>,
    /// The first guess.
    pub first: FirstGuess,
    /// Interfaces with power bonds.
    pub connections: Vec<Connection>,
    /// Spectral radius of the interface Jacobian at the step advised, where units offer derivatives.
    pub loop_gain: Option<f64>,
    /// Units.
    pub capabilities: Vec<Capabilities>,
    /// What could not be tried.
    pub left_out: Vec<LeftOut>,
    /// What there was no time for: "interfaces", "loop gain", "growth" of the first guess or of candidates.
    pub no_time: Vec<&'static str>,
}

/// Tries all schemes; `done` is called after each.
///
/// # Errors
/// [`Unadvised::Missed`] where no scheme meets the tolerance.
pub fn advise(benchmark: &dyn Benchmark, question: &Question, done: &(dyn Fn() + Sync)) -> Result<Advice, Unadvised> {
    // No trial could show an error that rounding hides.
    if question.tolerance < FLOOR {
        let hidden = LeftOut { schemes: Vec::new(), why: format!("rounding hides errors below {FLOOR:.0e}") };
        let (tolerance, short) = (question.tolerance, vec![hidden]);
        return Err(Unadvised::Missed(Box::new(Missed { tolerance, nearest: None, left_out: Vec::new(), short })));
    }
    let until = question.limit.and_then(|limit| Instant::now().checked_add(limit));
    let search = Search { until, cheapest: AtomicU64::new(question.known), known: question.known, ..Search::default() };
    let tried: Vec<Tried> = candidates(benchmark)
        .par_iter()
        .with_max_len(1)
        .map(|scheme| {
            let mut nearest = None;
            let found = explore(benchmark, scheme, question, &search, &mut nearest);
            done();
            Tried { scheme: *scheme, found, nearest }
        })
        .collect();
    // Those that meet the tolerance, those that cannot be made, those that do not meet it, and how near they come.
    let (mut candidates, mut left_out, mut short) = (Vec::new(), Vec::new(), Vec::new());
    let mut nearest: Option<Nearest> = None;
    for Tried { scheme, found, nearest: near } in tried {
        nearest = near.into_iter().chain(nearest).min_by(|a, b| a.error.total_cmp(&b.error));
        match found {
            Ok(Ok(found)) => candidates.push(found),
            Ok(Err(why)) if why.is_empty() => (),
            Ok(Err(why)) => leave_out(&mut short, &scheme, why),
            Err(why) => leave_out(&mut left_out, &scheme, why.to_string()),
        }
    }
    // The cheapest is run before it is advised. It has steps of one length; step control is looked at beside it, and may be cheaper.
    confirm(benchmark, (question, &search), &mut candidates, &mut left_out);
    if compare(benchmark, (question, &search), &mut candidates, &mut short) {
        nearest = None;
    }
    let Some(best) = candidates.first().copied() else {
        if let Some(values) = search.rest.get() {
            return Err(Unadvised::AtRest(AtRest::new(benchmark, values, question.stop_s)));
        }
        let missed = Missed { tolerance: question.tolerance, nearest, left_out, short };
        return Err(Unadvised::Missed(Box::new(missed)));
    };
    let until = question.until(benchmark, &search);
    // Where that fails, there is the advice without it.
    match control(benchmark, &best, (question, until), &mut left_out) {
        Ok(found) => candidates.extend(found),
        Err(why) => {
            let all = crate::candidates::controlled(&best.scheme);
            all.iter().for_each(|scheme| leave_out(&mut left_out, scheme, why.to_string()));
        }
    }
    candidates.sort_by_key(Candidate::cost);
    let best = candidates[0];
    // What goes through the interfaces of the best one, and its loop gain.
    let until = question.until(benchmark, &search);
    let (connections, capabilities) = observe(benchmark, &best, (question, until))?;
    // Units without derivatives or rollback have none; there is time for it, or not.
    let is_late = || until.is_some_and(|until| Instant::now() > until);
    let no_gain = is_late();
    let loop_gain = if no_gain { None } else { gain(benchmark, &best, question).unwrap_or(None) };
    let first = first_guess(benchmark, question, until);
    // What is unknown for want of time is not to look as if there were none.
    let is_unknown = |c: &Candidate| c.growth_rate.is_nan() && c.scheme.control == Control::Fixed;
    let no_growth = is_late() && (first.growth_rate.is_nan() || candidates.iter().any(is_unknown));
    let all = [(connections.is_none(), "interfaces"), (no_gain, "loop gain"), (no_growth, "growth")];
    let no_time = all.iter().filter(|(is_late, _)| *is_late).map(|(_, what)| *what).collect();
    let connections = connections.unwrap_or_default();
    Ok(Advice { candidates, first, connections, loop_gain, capabilities, left_out, no_time })
}

/// A scheme that was tried.
struct Tried {
    scheme: Scheme,
    /// What meets the tolerance, or why it does not; why it cannot be made.
    found: Result<Result<Candidate, String>, RunError>,
    /// The smallest error of its trials.
    nearest: Option<Nearest>,
}

/// Jacobi and linear on the first cut.
fn first_guess(benchmark: &dyn Benchmark, question: &Question, until: Option<Instant>) -> FirstGuess {
    let scheme = Scheme::new(benchmark.card().couplings[0], Schedule::Jacobi, Predict::classical(1));
    // Units that take multiples of a step only are given one.
    let guess_s = question.guess_s.min(benchmark.step_max_s());
    let windows = benchmark.step_multiple_s().and_then(|_| question.guessed(benchmark, 1));
    let step_s = windows.map_or(guess_s, |n| question.stop_s / n as f64);
    let growth_rate = growth_rate(benchmark, (&scheme, step_s), until);
    let unstable = growth_rate * question.stop_s > GROWTH_MAX;
    FirstGuess { scheme, step_s, growth_rate, unstable }
}

/// Adds a scheme to those that lack the same.
pub(super) fn leave_out(left_out: &mut Vec<LeftOut>, scheme: &Scheme, why: String) {
    let name = scheme.to_string();
    match left_out.iter_mut().find(|l| l.why == why) {
        Some(known) => known.schemes.push(name),
        None => left_out.push(LeftOut { schemes: vec![name], why }),
    }
}

/// ln ρ / H; infinite where the map is not finite, NaN where there is none, or none in time.
pub(super) fn growth_rate(benchmark: &dyn Benchmark, (scheme, step_s): (&Scheme, f64), until: Option<Instant>) -> f64 {
    match benchmark.growth(scheme, step_s, until) {
        Ok(growth) if growth.radius.is_nan() => f64::INFINITY,
        Ok(growth) => growth.radius.ln() / step_s,
        Err(_) => f64::NAN,
    }
}
