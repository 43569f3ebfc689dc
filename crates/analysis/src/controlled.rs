//! Advice on step control, beside a fine run of the best scheme with steps of one length.

use crate::advise::{COST_MAX, Candidate, DO_STEPS_MAX, LeftOut, Question, leave_out};
use crate::scenario::{Benchmark, Setup};
use crate::scheme::Scheme;
use crate::trajectory::Trajectory;
use crate::trial::{Done, Far, Steps, Trial, run};
use macrostep_master::RunError;
use std::time::{Duration, Instant};

/// Tolerances that step control is tried with, each a third of the one before.
const CONTROL_TRIALS: usize = 10;

/// Step control that meets the tolerance, as seen beside a fine run of the best scheme with steps of one length.
pub(super) fn control(
    benchmark: &dyn Benchmark,
    best: &Candidate,
    (question, until): (&Question, Option<Instant>),
    left_out: &mut Vec<LeftOut>,
) -> Result<Vec<Candidate>, RunError> {
    let wanted = 4 * ((question.stop_s / best.step_s).round() as u64).max(50);
    let Some(windows) = question.windows(benchmark, wanted, 1) else { return Ok(Vec::new()) };
    let step_s = question.stop_s / windows as f64;
    // Where messages are waited for, it is known beforehand whether there is time for it.
    let lasts = best.far.and_then(|far| Duration::try_from_secs_f64(far.run_s * best.step_s / step_s).ok());
    let is_long = lasts.zip(until).is_some_and(|(lasts, until)| Instant::now() + lasts > until);
    let fine = match is_long {
        true => Trial::Late,
        false => run(benchmark, &best.scheme, Steps { step_s, windows }, &question.factory, until)?,
    };
    let Done { rows, events_s, .. } = match fine {
        Trial::Done(done) => done,
        Trial::Stopped(_) => return Ok(Vec::new()),
        Trial::Late => {
            let all = crate::candidates::controlled(&best.scheme);
            all.into_iter().for_each(|scheme| leave_out(left_out, &scheme, question.late(benchmark).to_string()));
            return Ok(Vec::new());
        }
    };
    let is_late = || until.is_some_and(|until| Instant::now() > until);
    let fine = Trajectory { step_s, rows, events_s, error: 0.0 };
    let mut found = Vec::new();
    for scheme in crate::candidates::controlled(&best.scheme) {
        let mut tolerance = question.tolerance;
        for _ in 0..CONTROL_TRIALS {
            let scheme = Scheme { control_tolerance: tolerance, ..scheme };
            match controlled(benchmark, &scheme, question, &fine, until) {
                _ if is_late() => {
                    leave_out(left_out, &scheme, question.late(benchmark).to_string());
                    break;
                }
                Err(why) => {
                    leave_out(left_out, &scheme, why.to_string());
                    break;
                }
                Ok(Some((_, do_steps, _))) if do_steps > COST_MAX * best.do_steps => break,
                Ok(Some((error, do_steps, far))) if error <= 0.9 * question.tolerance => {
                    let (order, growth_rate) = (f64::NAN, f64::NAN);
                    let step_s = question.guess_s.min(benchmark.step_max_s());
                    found.push(Candidate { scheme, step_s, error, order, growth_rate, do_steps, far });
                    break;
                }
                Ok(_) => tolerance /= 3.0,
            }
        }
    }
    Ok(found)
}

/// Error and calls of a run with step control, and what it has waited for; `None` where it leaves all bounds.
fn controlled(
    benchmark: &dyn Benchmark,
    scheme: &Scheme,
    question: &Question,
    fine: &Trajectory,
    until: Option<Instant>,
) -> Result<Option<(f64, u64, Option<Far>)>, RunError> {
    let setup = Setup::new(scheme, question.guess_s.min(benchmark.step_max_s()), &question.factory);
    let mut coupled = benchmark.couple(&Setup { stop_s: Some(question.stop_s), ..setup })?;
    let quantities = benchmark.quantities().len();
    let amplitude = |i: usize| fine.rows.iter().fold(0.0f64, |max, row| max.max(row[i].abs()));
    let amplitudes: Vec<f64> = (0..quantities).map(amplitude).collect();
    let before = coupled.simulation.distances();
    let (mut error, mut do_steps, mut run_s) = (0.0f64, 0, 0.0);
    let ended = coupled.follow(u64::MAX, |point| {
        (do_steps, run_s) = (point.do_steps, point.wall_s);
        let exact = fine.at(point.t_s);
        for i in (0..quantities).filter(|i| amplitudes[*i] > 0.0) {
            // NaN is the largest of errors.
            let off = (point.state[i] - exact[i]).abs() / amplitudes[i];
            error = if off.is_nan() { f64::INFINITY } else { error.max(off) };
        }
        do_steps <= DO_STEPS_MAX && until.is_none_or(|until| Instant::now() <= until)
    });
    let far = Far::of(&before, &coupled.simulation.distances(), run_s);
    Ok((ended.is_ok() && do_steps <= DO_STEPS_MAX).then_some((error, do_steps, far)))
}
