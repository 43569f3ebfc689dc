//! Running a coupled pair.

use macrostep_description::shown;
use macrostep_master::record::{Column, Trace};
use macrostep_master::unit::UnitError;
use macrostep_master::{RunError, Simulation, SystemError, UnitId};
use std::time::Instant;

use super::build::{variable, vector};
use super::{Columns, Coupled, Energy, Multirate, Outcome, build};
use crate::pair::Factory;

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

/// Quantities of the mechanics after positions, speeds and forces.
const QUANTITIES: [(&str, &str); 9] = [
    ("e_kin", "J"),
    ("e_pot", "J"),
    ("interface_work", "J"),
    ("motor_work", "J"),
    ("constraint_work", "J"),
    ("violation", "m"),
    ("solver_residual", "1"),
    ("contact_force", "N"),
    ("log_height", "m"),
];

/// References read at every macro point.
struct Probe {
    units: [UnitId; 2],
    slow: Vec<u32>,
    fast: Vec<u32>,
    poses: Vec<u32>,
    row: Vec<f64>,
}

impl Probe {
    fn new(run: &Multirate, coupled: &mut Coupled) -> Result<Self, SystemError> {
        let (r, units) = (run.plant.rows(), coupled.units);
        let names = ["s", "w", "lam_i"].into_iter().flat_map(|n| vector(n, r));
        let names = names.chain(quantities(run).iter().map(|q| q.0.to_owned()));
        let slow = coupled.simulation.unit_mut(units[0]);
        let slow_refs = names.map(|n| variable(slow, &n)).collect::<Result<Vec<_>, _>>()?;
        let pose = |body: usize| ["x", "y", "z", "qx", "qy", "qz", "qw"].map(|c| format!("body[{body}].{c}"));
        let poses = (1..=run.plant.bodies()).flat_map(pose).map(|n| variable(slow, &n)).collect::<Result<_, _>>()?;
        let fast = vec![variable(coupled.simulation.unit_mut(units[1]), "work")?];
        Ok(Probe { units, row: vec![0.0; slow_refs.len() + 1], slow: slow_refs, fast, poses })
    }

    fn read(&mut self, simulation: &mut Simulation) -> Result<(), UnitError> {
        let n = self.slow.len();
        simulation.unit_mut(self.units[0]).get_real(&self.slow, &mut self.row[..n])?;
        simulation.unit_mut(self.units[1]).get_real(&self.fast, &mut self.row[n..])
    }
}

/// Those that the plant has.
fn quantities(run: &Multirate) -> &'static [(&'static str, &'static str)] {
    &QUANTITIES[..QUANTITIES.len() - usize::from(!run.plant.is_crane())]
}

fn columns(run: &Multirate) -> Vec<Column> {
    let r = run.plant.rows();
    let interface = [(Columns::position as fn(usize) -> String, "m"), (Columns::speed, "m/s"), (Columns::force, "N")];
    let mut list: Vec<Column> =
        interface.iter().flat_map(|(name, unit)| (0..r).map(move |i| Column::new(name(i), *unit))).collect();
    list.extend(quantities(run).iter().map(|(name, unit)| Column::new(*name, *unit)));
    list.push(Column::new("hydraulic_work", "J"));
    list
}

/// Runs to the end, or until a unit fails or moves faster than the limit; `progress` is told after each macro step.
///
/// # Errors
/// As [`build()`]: what is wrong before the first step. A failure in a step is an unstable run, not an error.
pub fn run(
    run: &Multirate,
    factory: Factory<'_>,
    limits: Limits,
    progress: &mut dyn FnMut(),
) -> Result<Outcome, RunError> {
    let mut coupled = build(run, factory)?;
    let mut probe = Probe::new(run, &mut coupled)?;
    // Whole macro steps up to the end.
    let steps = (run.stop_s / run.step_s + 1e-9).floor().max(0.0) as u64;
    let mut trace = Trace::new(columns(run));
    trace.reserve(steps as usize + 1);
    let mut frames = Vec::new();
    let (mut wall_s, mut end_s, mut ended_by) = (0.0, 0.0, None);
    for n in 0..=steps {
        if n > 0 {
            let began = Instant::now();
            let done = coupled.simulation.step();
            wall_s += began.elapsed().as_secs_f64();
            if let Err(error) = done {
                ended_by = Some(error.to_string());
                break;
            }
        }
        probe.read(&mut coupled.simulation)?;
        let t_s = coupled.simulation.time_s();
        trace.push(t_s, &probe.row);
        end_s = t_s;
        if !probe.poses.is_empty() && t_s + 1e-9 >= frames.len() as f64 * limits.frame_s {
            let mut poses = vec![0.0; probe.poses.len()];
            coupled.simulation.unit_mut(probe.units[0]).get_real(&probe.poses, &mut poses)?;
            frames.push((t_s, poses));
        }
        let r = run.plant.rows();
        // Written so that NaN is too fast.
        if !probe.row[r..2 * r].iter().all(|w| w.abs() <= limits.speed_ms) {
            ended_by = Some(format!("interface speed above {} m/s at t = {} s", limits.speed_ms, shown::time(t_s)));
            break;
        }
        progress();
    }
    let steps_made = coupled.simulation.do_steps();
    let units = coupled.simulation.kinds()[0];
    let outcome = Outcome {
        complete: ended_by.is_none(),
        ended_by,
        end_s,
        speed_max_ms: largest(&trace, (0..run.plant.rows()).map(Columns::speed)),
        violation_max_m: largest(&trace, ["violation".to_owned()]),
        residual_max: largest(&trace, ["solver_residual".to_owned()]),
        energy: energy(&trace),
        energy_mismatch_j: mismatch(&trace),
        real_time_factor: coupled.simulation.time_s() / wall_s.max(1e-12),
        do_steps: [steps_made[0], steps_made[1]],
        units,
        frames,
        trace,
    };
    Ok(outcome)
}

fn largest(trace: &Trace, names: impl IntoIterator<Item = String>) -> f64 {
    let all = names.into_iter().flat_map(|name| trace.column(&name).unwrap_or_default());
    all.fold(0.0, |m: f64, x| if x.is_nan() { f64::INFINITY } else { m.max(x.abs()) })
}

fn mismatch(trace: &Trace) -> f64 {
    let column = |name| trace.column(name).unwrap_or_default();
    let pairs = column("interface_work").into_iter().zip(column("hydraulic_work"));
    pairs.map(|(slow, fast)| (slow - fast).abs()).fold(0.0, f64::max)
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
