//! A run of crane or actuator with what a study needs of it: rows, some poses, energies, and how far it is from a reference.
//!
//! ```text
//! rms_w = √(mean_n (w(t_n) − w_ref(t_n))²)
//! rms_λ = √(mean_n (λ_n − mean of λ_ref over the same macro step)²)      λ_n the force the mechanics got in step n
//! energy mismatch = max_n |W_mechanics(t_n) − W_hydraulics(t_n)|         work of the same forces on both sides
//! ```
//! The works differ by what the coupling adds to the energy: the hydraulics do work on the predicted motion, the mechanics
//! receive work on the true one.

use std::time::Instant;

use macrostep_analysis::models::{self, Factory};
use macrostep_benchmarks::Multirate;
use macrostep_description::shown;
use macrostep_master::record::{Observer, Trace};
use macrostep_master::{RunError, Simulation, SystemError, UnitId};

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
}

/// Energies at the end, and works since the start \[J\]; `missing_j` is the residual of the balance of the mechanics.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct Energy {
    /// Change of kinetic energy.
    pub kinetic_j: f64,
    /// Change of potential energy.
    pub potential_j: f64,
    /// Work of the cylinders on the mechanics.
    pub interface_work_j: f64,
    /// Work of motors and brakes: the grip cylinder drives, brakes take.
    pub motor_work_j: f64,
    /// Work of contacts, friction, stops and joints: what they take is negative.
    pub constraint_work_j: f64,
    /// Sum of the works less the change of energy, the error of the time stepping.
    pub missing_j: f64,
}

/// A run.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// One row a communication point.
    pub trace: Trace,
    /// Why it did not reach its end with finite numbers.
    pub ended_by: Option<String>,
    /// Largest interface speed \[m/s\].
    pub speed_max_ms: f64,
    /// Largest joint violation \[m\].
    pub violation_max_m: f64,
    /// Energies at the end.
    pub energy: Energy,
    /// Largest difference of the work as the two sides see it \[J\].
    pub energy_mismatch_j: f64,
    /// Simulated time over the time that stepping took.
    pub real_time_factor: f64,
    /// Calls of `fmi2DoStep` to mechanics and hydraulics.
    pub do_steps: [u64; 2],
    /// Poses of all bodies, 7 numbers each (place, quaternion x y z w), frame by frame.
    pub frames: Vec<(f64, Vec<f64>)>,
}

impl Outcome {
    /// Height of the crane's log at the end \[m\].
    pub fn log_height_m(&self) -> Option<f64> {
        self.trace.column("log_height").and_then(|column| column.last().copied())
    }
}

/// Columns of a trace.
#[derive(Debug, Clone, Copy)]
pub struct Columns;

impl Columns {
    /// Name of the interface speed of row i.
    pub fn speed(i: usize) -> String {
        format!("w{}", i + 1)
    }

    /// Name of the interface position of row i.
    pub fn position(i: usize) -> String {
        format!("s{}", i + 1)
    }

    /// Name of the force on row i in the step that ends here.
    pub fn force(i: usize) -> String {
        format!("lam{}", i + 1)
    }
}

/// Quantities of the mechanics after positions, speeds and forces; the last one is of the crane alone.
const QUANTITIES: [&str; 7] =
    ["e_kin", "e_pot", "interface_work", "motor_work", "constraint_work", "violation", "log_height"];

/// The simulation, initialised in the equilibrium the mechanics ask for. Its rows have the columns of a trace, and behind them,
/// where `has_poses` says so, the poses of all bodies.
///
/// # Errors
/// What a unit refuses.
pub fn build(run: &Multirate, factory: Factory<'_>, has_poses: bool) -> Result<Simulation, RunError> {
    let refused = |found| RunError::grid("system", found, "values that make one");
    let mut assembly = models::assembly(&run.scenario().map_err(refused)?, factory)?;
    // Columns have names of their own.
    assembly.recorded.clear();
    let (mechanics, hydraulics) = (assembly.units[0], assembly.units[1]);
    let mut simulation = assembly.simulation()?;
    simulation.initialise()?;
    record(&mut simulation, run, [mechanics, hydraulics])?;
    if has_poses {
        let pose = |body: usize| ["x", "y", "z", "qx", "qy", "qz", "qw"].map(|c| format!("body[{body}].{c}"));
        for name in (1..=run.plant.bodies()).flat_map(pose) {
            simulation.record(mechanics, &name, &name)?;
        }
    }
    Ok(simulation)
}

/// Positions, speeds and forces of the interface, what the mechanics say of themselves, and the work of the hydraulics.
fn record(
    simulation: &mut Simulation,
    run: &Multirate,
    [mechanics, hydraulics]: [UnitId; 2],
) -> Result<(), SystemError> {
    let interface = [("s", Columns::position as fn(usize) -> String), ("w", Columns::speed), ("lam_i", Columns::force)];
    for (name, column) in interface {
        for i in 0..run.plant.rows() {
            simulation.record(mechanics, &format!("{name}[{}]", i + 1), &column(i))?;
        }
    }
    for name in &QUANTITIES[..QUANTITIES.len() - usize::from(!run.plant.is_crane())] {
        simulation.record(mechanics, name, name)?;
    }
    simulation.record(hydraulics, "work", "hydraulic_work")
}

/// Keeps the rows of a run with some of the poses, and stops a run that is too fast.
#[derive(Debug)]
struct Recording {
    trace: Trace,
    frames: Vec<(f64, Vec<f64>)>,
    ended_by: Option<String>,
    limits: Limits,
    /// Interface coordinates.
    rows: usize,
}

impl Observer for Recording {
    fn row(&mut self, t_s: f64, values: &[f64]) {
        // The row, and the poses where it is time.
        let (row, poses) = values.split_at(self.trace.columns().len() - 1);
        self.trace.push(t_s, row);
        if !poses.is_empty() && t_s + 1e-9 >= self.frames.len() as f64 * self.limits.frame_s {
            self.frames.push((t_s, poses.to_vec()));
        }
        // Written so that NaN is too fast.
        let limit_ms = self.limits.speed_ms;
        if !row[self.rows..2 * self.rows].iter().all(|w| w.abs() <= limit_ms) {
            self.ended_by = Some(format!("interface speed above {limit_ms} m/s at t = {} s", shown::time(t_s)));
        }
    }

    #[inline]
    fn goes_on(&mut self) -> bool {
        self.ended_by.is_none()
    }
}

/// Runs to the end, or until a unit fails or moves faster than the limit.
///
/// # Errors
/// As [`build`]: what is wrong before the first step. A failure in a step is an unstable run, not an error.
pub fn run(run: &Multirate, factory: Factory<'_>, limits: Limits) -> Result<Outcome, RunError> {
    let has_poses = limits.frame_s.is_finite() && run.plant.is_crane();
    let mut simulation = build(run, factory, has_poses)?;
    let poses = if has_poses { 7 * run.plant.bodies() } else { 0 };
    let columns = simulation.columns();
    let trace = Trace::new(columns[..columns.len() - poses].iter().cloned());
    let rows = run.plant.rows();
    let mut recording = Recording { trace, frames: Vec::new(), ended_by: None, limits, rows };
    // The run, and how long it took.
    let windows = simulation.windows_in(run.end_s())?;
    let began = Instant::now();
    let ended = simulation.run(windows, 1, &mut recording);
    let wall_s = began.elapsed().as_secs_f64();
    let Recording { trace, frames, ended_by, .. } = recording;
    let steps = simulation.do_steps();
    // What ended it before its time, and the largest of what is watched over the run.
    Ok(Outcome {
        ended_by: ended.err().map(|error| error.to_string()).or(ended_by),
        speed_max_ms: largest(&trace, (0..rows).map(Columns::speed)),
        violation_max_m: largest(&trace, ["violation".to_owned()]),
        energy: energy(&trace),
        energy_mismatch_j: mismatch(&trace),
        real_time_factor: simulation.time_s() / wall_s.max(1e-12),
        do_steps: [steps[0], steps[1]],
        frames,
        trace,
    })
}

fn largest(trace: &Trace, names: impl IntoIterator<Item = String>) -> f64 {
    let all = names.into_iter().flat_map(|name| trace.column(&name).unwrap_or_default());
    all.fold(0.0, |m: f64, x| if x.is_nan() { f64::INFINITY } else { m.max(x.abs()) })
}

fn mismatch(trace: &Trace) -> f64 {
    let column = |name| trace.column(name).unwrap_or_default();
    let pairs = column("interface_work").into_iter().zip(column("hydraulic_work"));
    pairs
        .map(|(slow, fast)| (slow - fast).abs())
        .fold(0.0, |m: f64, x| if m.is_nan() || x.is_nan() { f64::NAN } else { m.max(x) })
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

/// Errors against a reference.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct Verdict {
    /// rms error of the interface speeds \[m/s\], one a row.
    pub rms_velocity: Vec<f64>,
    /// rms error of the forces \[N\], one a row.
    pub rms_force: Vec<f64>,
    /// Largest speed error in the last quarter of a second \[m/s\].
    pub rest: f64,
}

/// Compares with a reference whose macro step divides the other's; over the points both reached.
pub fn errors(found: &Outcome, reference: &Outcome, rows: usize) -> Verdict {
    let mut verdict = Verdict::default();
    let column = |o: &Outcome, name: &str| o.trace.column(name).unwrap_or_default();
    let (time, fine_time) = (column(found, "time"), column(reference, "time"));
    let end_s = time.last().copied().unwrap_or(0.0);
    // Index in the reference of each communication point.
    let step = |t: &[f64]| t.get(1).copied().unwrap_or(f64::NAN);
    let ratio = (step(&time) / step(&fine_time)).round().max(1.0) as usize;
    let last = (time.len().saturating_sub(1)).min(fine_time.len().saturating_sub(1) / ratio);
    // Each cylinder: its speed, late in the run by itself, and its force.
    for i in 0..rows {
        let [w, w_fine] = [found, reference].map(|o| column(o, &Columns::speed(i)));
        let [force, force_fine] = [found, reference].map(|o| column(o, &Columns::force(i)));
        let (mut speed, mut pull) = (0.0, 0.0);
        for n in 1..=last {
            let error = w[n] - w_fine[n * ratio];
            speed += error * error;
            if time[n] > end_s - 0.25 {
                verdict.rest = verdict.rest.max(error.abs());
            }
            // A force that was held over a macro step stands for the mean of the fine one.
            let mean = force_fine[(n - 1) * ratio + 1..=n * ratio].iter().sum::<f64>() / ratio as f64;
            pull += (force[n] - mean).powi(2);
        }
        verdict.rms_velocity.push((speed / last as f64).sqrt());
        verdict.rms_force.push((pull / last as f64).sqrt());
    }
    verdict
}

/// What the coupling may add to the energy in a stable run of the crane: a part of the work of the cylinders, at least so much \[J\].
const MISMATCH: (f64, f64) = (0.01, 10.0);
/// Largest rms error of the interface speeds in a stable run of the crane \[m/s\].
const RMS_MS: f64 = 0.01;

/// Whether a run is stable. The crane: complete, interface speeds up to 0.5 m/s, an energy mismatch up to 1 % of the work of
/// the cylinders or 10 J, and where there is a reference rms speed errors up to 10 mm/s. The actuator: complete, rms speed
/// error up to 0.05 m/s, and coming to rest as the reference does within 0.03 m/s.
pub fn judge(found: &Outcome, verdict: Option<&Verdict>, is_crane: bool) -> bool {
    if is_crane {
        let is_slow = found.speed_max_ms <= macrostep_crane::crane::SPEED_LIMIT_MS;
        let adds_little = found.energy_mismatch_j <= (MISMATCH.0 * found.energy.interface_work_j.abs()).max(MISMATCH.1);
        let is_near = verdict.is_none_or(|v| v.rms_velocity.iter().all(|rms| *rms <= RMS_MS));
        return found.ended_by.is_none() && is_slow && adds_little && is_near;
    }
    found.ended_by.is_none() && verdict.is_some_and(|v| v.rms_velocity[0] <= 0.05 && v.rest <= 0.03)
}
