//! Trial runs of a scheme, and how far two of them are apart.

use crate::models::Factory;
use crate::scenario::{Benchmark, Setup};
use crate::scheme::Scheme;
use macrostep_master::RunError;
use macrostep_master::unit::Distance;
use std::time::Instant;

/// The result of a trial run.
pub enum Trial {
    /// To its end.
    Done(Done),
    /// It stopped early: values beyond all bounds, or a unit or the master that refused to go on, in words.
    Stopped(String),
    /// It was still on its way when its time was over.
    Late,
}

/// A trial run to its end.
pub struct Done {
    /// States at all communication points.
    pub rows: Vec<Vec<f64>>,
    /// Calls of `fmi2DoStep` of all units.
    pub do_steps: u64,
    /// Times of events, after the start \[s\].
    pub events_s: Vec<f64>,
    /// What was waited for, where units are far away.
    pub far: Option<Far>,
}

/// What a run with units that are far away waits for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Far {
    /// Messages to all of them.
    pub round_trips: u64,
    /// The shortest time that one takes, the mean over them \[s\].
    pub round_trip_s: f64,
    /// Time of all macro steps \[s\].
    pub run_s: f64,
}

impl Far {
    /// Of macro steps that took `run_s` \[s\], from what units had been asked before them and what they have been asked now.
    pub(super) fn of(before: &[Option<Distance>], now: &[Option<Distance>], run_s: f64) -> Option<Far> {
        let (mut round_trips, mut waits_s) = (0, 0.0);
        for (before, now) in before.iter().zip(now).filter_map(|(before, now)| before.zip(*now)) {
            let trips = now.round_trips - before.round_trips;
            round_trips += trips;
            waits_s += trips as f64 * now.shortest_s;
        }
        (round_trips > 0).then(|| Far { round_trips, round_trip_s: waits_s / round_trips as f64, run_s })
    }

    /// The time of the run \[µs\].
    pub(super) fn cost(self) -> u64 {
        (1e6 * self.run_s) as u64
    }

    /// The same with another number of macro steps, `factor` times as many.
    pub(super) fn scaled(self, factor: f64) -> Far {
        Far { round_trips: (self.round_trips as f64 * factor) as u64, run_s: self.run_s * factor, ..self }
    }
}

/// Macro steps of a run.
#[derive(Debug, Clone, Copy)]
pub struct Steps {
    /// The macro step \[s\].
    pub step_s: f64,
    /// How many.
    pub windows: u64,
}

impl Steps {
    /// So many to the end of a run.
    pub fn to(stop_s: f64, windows: u64) -> Steps {
        Steps { step_s: stop_s / windows as f64, windows }
    }
}

/// A run of so many macro steps, which ends at an instant where there is one.
///
/// # Errors
/// Where the system cannot be coupled like this.
pub fn run(
    benchmark: &dyn Benchmark,
    scheme: &Scheme,
    Steps { step_s, windows }: Steps,
    factory: Factory<'_>,
    until: Option<Instant>,
) -> Result<Trial, RunError> {
    let is_late = || until.is_some_and(|until| Instant::now() > until);
    if is_late() {
        return Ok(Trial::Late);
    }
    // Units are told of an end that lies behind that of the system.
    let stop_s = Some(step_s * windows as f64).filter(|stop_s| *stop_s > benchmark.card().stop_s);
    let setup = Setup { stop_s, ..Setup::new(scheme, step_s, factory) };
    let mut coupled = benchmark.couple(&setup)?;
    let (start_s, before) = (coupled.simulation.time_s(), coupled.simulation.distances());
    let mut rows = Vec::with_capacity(windows as usize + 1);
    // The start, and the ends of all macro steps.
    rows.push(Vec::new());
    coupled.state(&mut rows[0])?;
    let is_bounded = |state: &[f64]| state.iter().all(|x| x.abs() < 1e100);
    let (mut goes_on, mut run_s) = (is_bounded(&rows[0]), 0.0);
    if goes_on {
        let ended = coupled.follow(windows, |point| {
            rows.push(point.state.to_vec());
            run_s = point.wall_s;
            goes_on = is_bounded(point.state);
            goes_on && !is_late()
        });
        // A unit that refuses what has grown beyond all bounds has diverged as well.
        if let Err(why) = ended {
            return Ok(Trial::Stopped(why.to_string()));
        }
    }
    if !goes_on {
        return Ok(Trial::Stopped(format!("with H = {step_s:.3e} s values grow beyond 1e100")));
    }
    if rows.len() <= windows as usize {
        return Ok(Trial::Late);
    }
    let events_s = coupled.simulation.events().0.map(|(_, t_s)| t_s - start_s).collect();
    let far = Far::of(&before, &coupled.simulation.distances(), run_s);
    Ok(Trial::Done(Done { rows, do_steps: coupled.simulation.do_steps().iter().sum(), events_s, far }))
}

/// What a quantity may move by while it is said to rest, relative to its value: rounding.
const REST: f64 = 1e-13;

/// Whether any quantity moves within a run.
pub fn moves(run: &Done, quantities: usize) -> bool {
    let is_still = |row: &Vec<f64>, i: usize| (row[i] - run.rows[0][i]).abs() <= REST * run.rows[0][i].abs();
    (0..quantities).any(|i| !run.rows.iter().all(|row| is_still(row, i)))
}

/// Largest difference of each quantity at common points, relative to its amplitude in the finer run, which has twice as many
/// rows.
pub fn differences(coarse: &[Vec<f64>], fine: &[Vec<f64>], quantities: usize) -> Vec<f64> {
    let worst = |i: usize| {
        let amplitude = fine.iter().fold(0.0f64, |max, row| max.max(row[i].abs()));
        let off = coarse.iter().zip(fine.iter().step_by(2)).fold(0.0f64, |max, (c, f)| max.max((c[i] - f[i]).abs()));
        if amplitude > 0.0 { off / amplitude } else { off }
    };
    (0..quantities).map(worst).collect()
}

/// The largest of [`differences`].
pub fn difference(coarse: &[Vec<f64>], fine: &[Vec<f64>], quantities: usize) -> f64 {
    differences(coarse, fine, quantities).into_iter().fold(0.0, f64::max)
}

/// The quantity that differs most, and by how much, in words.
pub fn worst(benchmark: &dyn Benchmark, coarse: &Done, fine: &Done) -> Option<String> {
    let quantities = benchmark.quantities();
    let differences = differences(&coarse.rows, &fine.rows, quantities.len());
    let (quantity, d) = quantities.iter().zip(differences).max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(format!("`{}` differs by {d:.1e} of its amplitude between the two finest runs", quantity.name))
}
