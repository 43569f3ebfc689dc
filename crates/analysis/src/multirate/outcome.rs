//! The result of a run.
//!
//! ```text
//! rms_w = √(mean_n (w(t_n) − w_ref(t_n))²)
//! rms_λ = √(mean_n (λ_n − mean of λ_ref over the same macro step)²)      λ_n the force the mechanics got in step n
//! energy mismatch = max_n |W_mechanics(t_n) − W_hydraulics(t_n)|         work of the same forces on both sides
//! ```
//! The works differ by what the coupling adds to the energy: the hydraulics do work on the predicted motion, the mechanics
//! receive work on the true one.

use macrostep_master::record::Trace;

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
    /// Whether it reached its end with finite numbers.
    pub complete: bool,
    /// Why it did not.
    pub ended_by: Option<String>,
    /// What the run has seen of itself.
    pub verdict: macrostep_master::Verdict,
    /// Time of the last row \[s\].
    pub end_s: f64,
    /// Largest interface speed \[m/s\].
    pub speed_max_ms: f64,
    /// Largest joint violation \[m\].
    pub violation_max_m: f64,
    /// Largest natural residual of the complementarity problems.
    pub residual_max: f64,
    /// Energies at the end.
    pub energy: Energy,
    /// Largest difference of the work as the two sides see it \[J\].
    pub energy_mismatch_j: f64,
    /// Simulated time over the time that stepping took.
    pub real_time_factor: f64,
    /// Calls of `fmi2DoStep` to mechanics and hydraulics.
    pub do_steps: [u64; 2],
    /// "fmu" or "native".
    pub units: &'static str,
    /// Poses of all bodies, 7 numbers each (place, quaternion x y z w), frame by frame.
    pub frames: Vec<(f64, Vec<f64>)>,
}

/// Columns of a trace.
#[derive(Debug, Clone, Copy)]
pub struct Columns {
    /// Interface coordinates.
    pub rows: usize,
}

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
        return found.complete && is_slow && adds_little && is_near;
    }
    found.complete && verdict.is_some_and(|v| v.rms_velocity[0] <= 0.05 && v.rest <= 0.03)
}
