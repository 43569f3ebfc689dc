//! Running a coupled pair.

use macrostep_description::shown;
use macrostep_master::record::{Observer, Trace};
use macrostep_master::{RunError, SavedState, Simulation};
use serde::{Deserialize, Serialize};
use std::time::Instant;

use super::{Columns, Energy, Multirate, Outcome, build};
use crate::models::Factory;
use crate::pair::larger;

/// When a run is given up, and how often poses are kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Interface speed beyond which a run ends \[m/s\].
    pub speed_ms: f64,
    /// Time between two kept poses \[s\]; none are kept where it is infinite.
    pub frame_s: f64,
}

impl Limits {
    /// Ends soon after it is certain that a run is unstable; no poses.
    pub const BRIEF: Limits = Limits { speed_ms: 5.0, frame_s: f64::INFINITY };
    /// 30 poses a second.
    pub const WATCHED: Limits = Limits { speed_ms: 5.0, frame_s: 1.0 / 30.0 };

    /// Whether poses of this run are kept.
    fn have_poses(&self, run: &Multirate) -> bool {
        self.frame_s.is_finite() && run.plant.is_crane()
    }
}

/// A pair ready to run, and the recorder of its rows.
pub struct Watched {
    /// The pair; each window gives a row.
    pub simulation: Simulation,
    /// What is kept.
    pub recording: Recording,
}

/// Keeps the rows of a run with some of the poses, and stops a run that is too fast.
#[derive(Debug)]
pub struct Recording {
    trace: Trace,
    frames: Frames,
    ended_by: Option<String>,
    limits: Limits,
    /// Interface coordinates.
    rows: usize,
    /// Whether poses follow the columns of the trace.
    has_poses: bool,
    /// Steps of an earlier part of the run, and where it ended \[s\].
    do_steps: [u64; 2],
    start_s: f64,
}

/// Poses of all bodies at times.
type Frames = Vec<(f64, Vec<f64>)>;

/// What a checkpoint holds of a run besides the simulation.
#[derive(Serialize, Deserialize)]
struct Kept {
    engine: Vec<u8>,
    rows: Vec<Vec<f64>>,
    frames: Frames,
    do_steps: [u64; 2],
}

impl Watched {
    /// The pair at its start.
    ///
    /// # Errors
    /// As [`build()`].
    pub fn new(run: &Multirate, factory: Factory<'_>, limits: Limits) -> Result<Watched, RunError> {
        let has_poses = limits.have_poses(run);
        let simulation = build(run, factory, has_poses)?;
        let poses = if has_poses { 7 * run.plant.bodies() } else { 0 };
        let columns = simulation.columns();
        let mut trace = Trace::new(columns[..columns.len() - poses].iter().cloned());
        trace.reserve(simulation.windows_in(run.end_s())? as usize + 1);
        let recording = Recording {
            trace,
            frames: Vec::new(),
            ended_by: None,
            limits,
            rows: run.plant.rows(),
            has_poses,
            do_steps: [0; 2],
            start_s: 0.0,
        };
        Ok(Watched { simulation, recording })
    }

    /// Goes on with a run that was kept by [`Recording::keep`].
    ///
    /// # Errors
    /// Where the saved state is one of another run.
    pub fn resume(&mut self, saved: SavedState) -> Result<(), RunError> {
        let SavedState { units, engine } = saved;
        let Kept { engine, rows, frames, do_steps } = postcard::from_bytes(&engine).map_err(|e| unread(&e))?;
        self.simulation.resume(&SavedState { units, engine })?;
        let recording = &mut self.recording;
        // Initialisation may have made steps of its own.
        for ((before, made), now) in recording.do_steps.iter_mut().zip(do_steps).zip(self.simulation.do_steps()) {
            *before = made - now.min(made);
        }
        let columns = recording.trace.columns().len();
        if rows.iter().any(|row| row.len() != columns) {
            let (found, expected) = ("rows of other columns".to_owned(), format!("rows of {columns} columns"));
            return Err(RunError::grid("saved state", found, expected));
        }
        for row in &rows {
            recording.trace.push(row[0], &row[1..]);
            recording.watch(row[0], &row[1 + recording.rows..1 + 2 * recording.rows]);
        }
        (recording.frames, recording.start_s) = (frames, self.simulation.time_s());
        Ok(())
    }

    /// The result of the run, which has taken `wall_s` seconds; `failure` is the reason of its end.
    pub fn finish(self, wall_s: f64, failure: Option<String>) -> Outcome {
        // Calls of the units, and how long the run took.
        let Watched { simulation, recording } = self;
        let do_steps = recording.made(&simulation);
        let real_time_factor = (simulation.time_s() - recording.start_s) / wall_s.max(1e-12);
        let Recording { trace, frames, ended_by, rows, .. } = recording;
        // What ended it before its time.
        let ended_by = failure.or(ended_by);
        let end_s = trace.rows().next_back().map_or(0.0, |row| row[0]);
        // The largest of what is watched over the run.
        Outcome {
            verdict: simulation.verdict(),
            complete: ended_by.is_none(),
            ended_by,
            end_s,
            speed_max_ms: largest(&trace, (0..rows).map(Columns::speed)),
            violation_max_m: largest(&trace, ["violation".to_owned()]),
            residual_max: largest(&trace, ["solver_residual".to_owned()]),
            energy: energy(&trace),
            energy_mismatch_j: mismatch(&trace),
            real_time_factor,
            do_steps,
            units: simulation.kinds()[0],
            frames,
            trace,
        }
    }
}

impl Recording {
    /// The rows so far, one for each communication point.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Whether the interface has moved faster than the limit, which ends the run.
    pub fn is_too_fast(&self) -> bool {
        self.ended_by.is_some()
    }

    /// The simulation's saved state, with what is kept and the steps made beside the state of the engine.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn keep(&self, simulation: &Simulation, saved: SavedState) -> Result<SavedState, RunError> {
        let SavedState { units, engine } = saved;
        let rows = self.trace.rows().map(<[f64]>::to_vec).collect();
        let kept = Kept { engine, rows, frames: self.frames.clone(), do_steps: self.made(simulation) };
        let engine = postcard::to_stdvec(&kept).map_err(|e| unread(&e))?;
        Ok(SavedState { units, engine })
    }

    /// Ends the run where the interface is faster than the limit.
    fn watch(&mut self, t_s: f64, speeds: &[f64]) {
        // Written so that NaN is too fast.
        let limit_ms = self.limits.speed_ms;
        if !speeds.iter().all(|w| w.abs() <= limit_ms) {
            self.ended_by = Some(format!("interface speed above {limit_ms} m/s at t = {} s", shown::time(t_s)));
        }
    }

    /// Steps made by both units, those of an earlier part of the run counted.
    fn made(&self, simulation: &Simulation) -> [u64; 2] {
        let steps = simulation.do_steps();
        [0, 1].map(|i| self.do_steps[i] + steps[i])
    }
}

impl Observer for Recording {
    fn row(&mut self, t_s: f64, values: &[f64]) {
        // The row, and the poses where it is time.
        let (row, poses) = values.split_at(self.trace.columns().len() - 1);
        self.trace.push(t_s, row);
        if self.has_poses && t_s + 1e-9 >= self.frames.len() as f64 * self.limits.frame_s {
            self.frames.push((t_s, poses.to_vec()));
        }
        self.watch(t_s, &row[self.rows..2 * self.rows]);
    }

    #[inline]
    fn goes_on(&mut self) -> bool {
        !self.is_too_fast()
    }
}

/// Runs to the end, or until a unit fails or moves faster than the limit.
///
/// # Errors
/// As [`build()`]: what is wrong before the first step. A failure in a step is an unstable run, not an error.
pub fn run(run: &Multirate, factory: Factory<'_>, limits: Limits) -> Result<Outcome, RunError> {
    let mut watched = Watched::new(run, factory, limits)?;
    let Watched { simulation, recording } = &mut watched;
    let windows = simulation.windows_in(run.end_s())?;
    let began = Instant::now();
    let ended = simulation.run(windows, 1, recording);
    let wall_s = began.elapsed().as_secs_f64();
    Ok(watched.finish(wall_s, ended.err().map(|error| error.to_string())))
}

fn largest(trace: &Trace, names: impl IntoIterator<Item = String>) -> f64 {
    let all = names.into_iter().flat_map(|name| trace.column(&name).unwrap_or_default());
    all.fold(0.0, |m: f64, x| if x.is_nan() { f64::INFINITY } else { m.max(x.abs()) })
}

fn mismatch(trace: &Trace) -> f64 {
    let column = |name| trace.column(name).unwrap_or_default();
    let pairs = column("interface_work").into_iter().zip(column("hydraulic_work"));
    pairs.map(|(slow, fast)| (slow - fast).abs()).fold(0.0, larger)
}

fn energy(trace: &Trace) -> Energy {
    let change = |name| {
        let column = trace.column(name).unwrap_or_default();
        column.last().copied().unwrap_or(0.0) - column.first().copied().unwrap_or(0.0)
    };
    let [kinetic_j, potential_j] = ["e_kin", "e_pot"].map(change);
    let works = ["interface_work", "motor_work", "constraint_work"].map(change);
    let [interface_work_j, motor_work_j, constraint_work_j] = works;
    let missing_j = works.iter().sum::<f64>() - kinetic_j - potential_j;
    Energy { kinetic_j, potential_j, interface_work_j, motor_work_j, constraint_work_j, missing_j }
}

/// A run that cannot be kept or continued.
fn unread(error: &postcard::Error) -> RunError {
    RunError::grid("saved state", error.to_string(), "one of this run".to_owned())
}
