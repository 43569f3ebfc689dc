//! Running a pair beside the exact solution.

use crate::models::Factory;

use super::build::{Coupled, build};
use super::order::unsolvable;
use super::{Outcome, Pair, Recorder};
use macrostep_master::record::{Observer, Trace};
use macrostep_master::{RunError, Simulation};
use macrostep_oscillator::State;

/// Rows on their way through the comparison with the exact solution.
struct Compared {
    recorder: Recorder,
    /// Whether steps are chosen as the run goes on.
    is_controlled: bool,
    trace: Trace,
}

impl Observer for Compared {
    fn row(&mut self, t_s: f64, values: &[f64]) {
        let &[x1, v1, x2, v2] = values else { return };
        let z = State::new(x1, x2, v1, v2);
        if self.is_controlled {
            self.recorder.point_at(t_s, &z, &mut self.trace);
        } else {
            self.recorder.point(&z, &mut self.trace);
        }
    }
}

/// Runs a pair to its stop time and compares it with the exact solution at every point where both units meet. A run that
/// diverges has the rows until then.
///
/// # Errors
/// As [`build`], and what a unit may answer in a run.
pub fn run(pair: &Pair, factory: Factory<'_>, record_every: u64) -> Result<Outcome, RunError> {
    let Coupled { mut simulation, units, .. } = build(pair, factory)?;
    for (i, unit) in units.into_iter().enumerate() {
        for name in ["x", "v"] {
            simulation.record(unit, name, &format!("{name}{}", i + 1))?;
        }
    }
    // Points that are known before, or the longest steps there may be.
    let is_controlled = pair.method.control.is_some();
    let (window_s, points, windows) = if is_controlled {
        (pair.step_s, (pair.stop_s / pair.step_s).round() as u64, u64::MAX)
    } else {
        let windows = simulation.windows_in(pair.stop_s)?;
        (simulation.window_s(), windows, windows)
    };
    let recorder = Recorder::new(pair.exact().map_err(unsolvable)?, window_s, points, record_every);
    let mut rows = Compared { trace: recorder.trace(), recorder, is_controlled };
    let began = std::time::Instant::now();
    match simulation.run(windows, 1, &mut rows) {
        Ok(()) => simulation.terminate()?,
        Err(RunError::Diverged(_)) => {}
        Err(error) => return Err(error),
    }
    let wall_s = began.elapsed().as_secs_f64();
    Ok(Outcome { trace: rows.trace, wall_s, ..finish(&mut simulation, rows.recorder) })
}

/// What the simulation knows of itself, and what the comparison has found.
fn finish(simulation: &mut Simulation, recorder: Recorder) -> Outcome {
    let steps = simulation.do_steps();
    let (accounts, course) = (simulation.accounts().to_vec(), simulation.course());
    let kinds = simulation.kinds();
    let units = if kinds[0] == kinds[1] { kinds[0].to_string() } else { kinds.join(" + ") };
    let (unconverged, diverged) = (simulation.unconverged(), simulation.diverged().cloned());
    let mut warnings = simulation.warnings().to_vec();
    warnings.extend(simulation.coarse().map(|coarse| coarse.to_string()));
    let verdict = simulation.verdict();
    Outcome {
        do_steps: [steps[0], steps[1]],
        units,
        statistics: simulation.statistics(),
        accounts,
        course,
        diverged_at_s: diverged.as_ref().map(|d| d.t_s),
        diverged,
        unconverged,
        warnings,
        verdict,
        ..recorder.finish()
    }
}
