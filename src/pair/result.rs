//! Running a pair and comparing it with the exact solution.

use super::build::{Coupled, Foundry, build};
use super::order::solution;
use super::{Kind, Pair};
use macrostep_master::record::Trace;
use macrostep_master::{RunError, Statistics};
use macrostep_oscillator::{Grid, Parameters, State};
use std::time::Instant;

/// What came out of a run.
#[derive(Debug, Clone)]
pub struct PairResult {
    /// (x1, x2, v1, v2) at the end [m, m/s].
    pub end: State,
    /// Largest |x_i − exact| over all macro points, relative to the amplitude of x_i.
    pub error: [f64; 2],
    /// Largest |E − E_exact| over all macro points, relative to E at the start.
    pub energy_drift: f64,
    /// Energy at the end [J].
    pub energy_end_j: f64,
    /// Calls of `fmi2DoStep` of both units, rejected and repeated ones included.
    pub do_steps: [u64; 2],
    /// Time spent in the run [s], without set-up and comparison.
    pub wall_s: f64,
    /// "fmu" or "native", of each unit.
    pub units: [&'static str; 2],
    /// Repetitions and convergence.
    pub statistics: Statistics,
    /// Growth rate of the solution [1/s], where there is more energy at the end than at the start.
    pub growth_per_s: Option<f64>,
    /// When the run was given up because it had diverged [s].
    pub diverged_at_s: Option<f64>,
    /// Recorded variables, every n-th macro point.
    pub trace: Trace,
    /// What was noticed that may surprise.
    pub warnings: Vec<String>,
}

/// Column names of the recorded variables of unit `i`.
fn recorded(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Displacement => &["x", "v", "a", "f_c", "e_kin", "e_pot"],
        Kind::Force => &["x", "v", "a", "e_kin", "e_pot"],
    }
}

/// Runs a pair to its stop time and compares it with the exact solution at every macro point; `progress` is told the
/// fraction done now and then.
///
/// # Errors
/// As [`build`], and what a unit may answer in a run.
pub fn run(
    pair: &Pair,
    foundry: Foundry<'_>,
    record_every: u64,
    progress: &mut dyn FnMut(f64),
) -> Result<PairResult, RunError> {
    let mut coupled = build(pair, foundry)?;
    record(&mut coupled, pair.coupling.kinds())?;
    let windows = coupled.simulation.windows_in(pair.stop_s)?;
    let mut comparison = Comparison::new(pair, &coupled, record_every, windows)?;
    let mut done = 0;
    comparison.take(&mut coupled)?;
    while done < windows && comparison.diverged_at_s.is_none() {
        // Chunks bound the memory and keep the comparison out of the time measured.
        let chunk = (windows - done).min(CHUNK);
        let began = Instant::now();
        for _ in 0..chunk {
            coupled.simulation.step()?;
            if !comparison.take(&mut coupled)? {
                break;
            }
        }
        comparison.wall_s += began.elapsed().as_secs_f64();
        comparison.settle();
        done += chunk;
        progress(done as f64 / windows as f64);
    }
    let (do_steps, kinds) = (coupled.simulation.do_steps(), coupled.simulation.kinds());
    coupled.simulation.terminate()?;
    Ok(PairResult {
        end: comparison.last,
        error: comparison.error,
        energy_drift: comparison.energy_drift,
        energy_end_j: pair.parameters.energy(&comparison.last),
        do_steps: [do_steps[0], do_steps[1]],
        wall_s: comparison.wall_s,
        units: [kinds[0], kinds[1]],
        statistics: coupled.simulation.statistics(),
        growth_per_s: comparison.growth_per_s(),
        diverged_at_s: comparison.diverged_at_s,
        trace: comparison.trace,
        warnings: coupled.simulation.warnings().to_vec(),
    })
}

/// Windows between two comparisons.
const CHUNK: u64 = 4096;

/// A motion larger than this many times its amplitude has diverged; the run ends.
const DIVERGED: f64 = 1e100;

/// Columns x1, v1, …; the coupling force of the first owner is `f_c`.
fn record(coupled: &mut Coupled, kinds: [Kind; 2]) -> Result<(), RunError> {
    for (i, kind) in kinds.into_iter().enumerate() {
        for name in recorded(kind) {
            let column = if *name == "f_c" { "f_c".to_string() } else { format!("{name}{}", i + 1) };
            if !coupled.simulation.columns().iter().any(|c| c.name == column) {
                coupled.simulation.record(coupled.units[i], name, &column)?;
            }
        }
    }
    Ok(())
}

/// The exact solution beside the run.
struct Comparison {
    parameters: Parameters,
    exact: Grid,
    amplitudes: [f64; 2],
    energy_start_j: f64,
    /// States since the last comparison.
    states: Vec<State>,
    last: State,
    window_s: f64,
    compared: u64,
    error: [f64; 2],
    energy_drift: f64,
    /// Time and energy once a half of the run, to measure growth from.
    middle: Option<(f64, f64)>,
    half: u64,
    diverged_at_s: Option<f64>,
    trace: Trace,
    every: u64,
    count: u64,
    wall_s: f64,
}

impl Comparison {
    fn new(pair: &Pair, coupled: &Coupled, every: u64, windows: u64) -> Result<Self, RunError> {
        let p = &pair.parameters;
        let solution = solution(pair)?;
        let window_s = coupled.simulation.window_s();
        let every = every.max(1);
        let mut trace = Trace::new(coupled.simulation.columns().iter().cloned());
        trace.reserve((windows / every + 2) as usize);
        Ok(Comparison {
            exact: solution.grid(window_s),
            amplitudes: solution.amplitudes(pair.stop_s),
            energy_start_j: p.energy(&p.start()),
            parameters: p.clone(),
            states: Vec::with_capacity(CHUNK as usize + 1),
            last: p.start(),
            window_s,
            compared: 0,
            error: [0.0; 2],
            energy_drift: 0.0,
            middle: None,
            half: windows / 2,
            diverged_at_s: None,
            trace,
            every,
            count: 0,
            wall_s: 0.0,
        })
    }

    /// Takes the state at a macro point; false where the run has diverged.
    #[inline]
    fn take(&mut self, coupled: &mut Coupled) -> Result<bool, RunError> {
        let simulation = &mut coupled.simulation;
        let (a, b) = (simulation.latest(coupled.motions[0]), simulation.latest(coupled.motions[1]));
        let z = State::new(a[0], b[0], a[1], b[1]);
        self.states.push(z);
        if self.count.is_multiple_of(self.every) {
            simulation.observe(&mut self.trace)?;
        }
        self.count += 1;
        if z.amax() < DIVERGED {
            return Ok(true);
        }
        self.diverged_at_s = Some(simulation.time_s());
        Ok(false)
    }

    /// Compares what was taken.
    fn settle(&mut self) {
        for z in self.states.drain(..) {
            let Some(exact) = self.exact.next() else { break };
            for i in 0..2 {
                let e = (z[i] - exact[i]).abs() / self.amplitudes[i];
                self.error[i] = if e.is_nan() { f64::INFINITY } else { self.error[i].max(e) };
            }
            let energy = self.parameters.energy(&z);
            let drift = (energy - self.parameters.energy(&exact)).abs() / self.energy_start_j;
            self.energy_drift = if drift.is_nan() { f64::INFINITY } else { self.energy_drift.max(drift) };
            if self.compared == self.half {
                self.middle = Some((self.compared as f64 * self.window_s, energy));
            }
            self.last = z;
            self.compared += 1;
        }
    }

    /// `½ d(ln E)/dt` over the second half, where there is more energy than at the start: what a spectral radius
    /// ρ > 1 makes of the solution, `ln ρ / H`.
    fn growth_per_s(&self) -> Option<f64> {
        let end = self.parameters.energy(&self.last);
        let (t_s, energy) = self.middle.unwrap_or((0.0, self.energy_start_j));
        let span_s = (self.compared.saturating_sub(1)) as f64 * self.window_s - t_s;
        let grown = end > 1.01 * self.energy_start_j && end > energy && span_s > 0.0;
        grown.then(|| 0.5 * (end / energy).ln() / span_s)
    }
}
