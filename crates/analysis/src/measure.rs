//! Errors of a scheme on a scenario: over a run, and of a single macro step.
//!
//! ```text
//! global = max_n max_i |x_i(t_n) − x_i*(t_n)| / max_t |x_i*|     over a run, the same for the rates
//! local  = the same after one macro step from the solution's state and history, the largest over several starting times
//! order  = slope of the least-squares line through (ln H, ln error)
//! ```
//!
//! Errors below 1e-11 say more of rounding than of a scheme and are left out of the line; of the others it goes through those
//! of the four smallest H, and needs three.

use crate::models::Factory;
use crate::pair::{Start, slope};
use crate::scenario::{Benchmark, Coupled, Setup, check_cut};
use crate::scheme::{Control, Scheme};
use macrostep_master::RunError;

/// Relative errors below this are rounding.
pub const FLOOR: f64 = 1e-11;
/// Starting times of local errors, as parts of the run's length: none is a zero of a motion by design.
const STARTS: [f64; 7] = [0.0, 0.105, 0.21, 0.315, 0.42, 0.525, 0.63];
/// Points an order is read from.
pub const FITTED: usize = 4;
/// States this many times the amplitude have diverged.
const DIVERGED: f64 = 1e6;

/// Largest errors relative to the amplitudes.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct Errors {
    /// Of quantities (positions).
    pub position: f64,
    /// Of their rates (velocities).
    pub velocity: f64,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Work {
    /// The macro step \[s\], the longest one where it is chosen.
    pub step_s: f64,
    /// Tolerance of the choice of the macro step.
    pub control_tolerance: Option<f64>,
    /// Errors; infinite where the run diverged.
    pub error: Errors,
    /// Calls of `fmi2DoStep` of all units.
    pub do_steps: u64,
    /// Time of the macro steps \[s\].
    pub wall_s: f64,
    /// "fmu", "native".
    pub units: String,
    /// Macro steps that did not converge.
    pub unconverged: u64,
    /// Macro steps with too few nodes, where there were any, in words.
    pub coarse: Option<String>,
    /// Why there is no result, where there is none.
    pub failed: Option<String>,
}

impl Work {
    /// A run that came to no result, and why.
    pub fn failed(scheme: &Scheme, step_s: f64, why: String) -> Self {
        let control_tolerance = (scheme.control != Control::Fixed).then_some(scheme.control_tolerance);
        let (error, units) = (Errors { position: f64::NAN, velocity: f64::NAN }, String::new());
        Work {
            step_s,
            control_tolerance,
            error,
            do_steps: 0,
            wall_s: 0.0,
            units,
            unconverged: 0,
            coarse: None,
            failed: Some(why),
        }
    }

    /// "done", "diverged", "unconverged macro steps: 3", "3 macro steps with too few nodes, …" or "failed: …".
    pub fn state(&self) -> String {
        match (&self.failed, self.unconverged, &self.coarse) {
            (Some(why), ..) => format!("failed: {why}"),
            (None, ..) if !self.error.position.is_finite() => "diverged".to_owned(),
            (None, 0, None) => "done".to_owned(),
            (None, 0, Some(coarse)) => coarse.clone(),
            (None, n, _) => format!("unconverged macro steps: {n}"),
        }
    }
}

/// The solution on the grid of a macro step, with its amplitudes.
pub struct Reference {
    rows: Vec<Vec<f64>>,
    amplitude: Vec<f64>,
    stop_s: f64,
    /// Quantities at the front of a row; rates follow.
    quantities: usize,
}

impl Reference {
    /// At 0, H, 2H, … `stop_s`.
    ///
    /// # Errors
    /// Where the scenario has no solution.
    pub fn new(scenario: &dyn Benchmark, step_s: f64, stop_s: f64) -> Result<Self, RunError> {
        let n = (stop_s / step_s).round().max(1.0) as usize;
        let times: Vec<f64> = (0..=n).map(|i| i as f64 * step_s).collect();
        let rows = scenario.solution(&times)?;
        let quantities = scenario.quantities().len();
        Ok(Reference { amplitude: amplitude(&rows), rows, stop_s: n as f64 * step_s, quantities })
    }
}

fn amplitude(rows: &[Vec<f64>]) -> Vec<f64> {
    let width = rows.first().map_or(0, Vec::len);
    let largest = |i: usize| rows.iter().fold(0.0f64, |max, row| max.max(row[i].abs()));
    // What does not move is measured in its own unit.
    (0..width).map(largest).map(|a| if a > 0.0 { a } else { 1.0 }).collect()
}

impl Errors {
    /// Those of a run that diverged.
    const DIVERGED: Errors = Errors { position: f64::INFINITY, velocity: f64::INFINITY };

    fn is_diverged(&self) -> bool {
        self.position > DIVERGED
    }

    /// None yet, of rows with this many quantities and as many values.
    fn none(quantities: usize, width: usize) -> Errors {
        Errors { position: 0.0, velocity: if quantities == width { f64::NAN } else { 0.0 } }
    }

    fn take(&mut self, state: &[f64], exact: &[f64], (amplitude, quantities): (&[f64], usize)) {
        for i in 0..state.len() {
            let e = (state[i] - exact[i]).abs() / amplitude[i];
            let worst = if i < quantities { &mut self.position } else { &mut self.velocity };
            // NaN is the largest of errors.
            *worst = if e.is_nan() { f64::INFINITY } else { worst.max(e) };
        }
    }
}

/// A run to the end of the reference.
///
/// # Errors
/// What units and master answer; diverging is a result.
pub fn run(scenario: &dyn Benchmark, setup: &Setup<'_>, reference: &Reference) -> Result<Work, RunError> {
    // The end is told to the master only where steps are chosen: others end by their number.
    check_cut(&scenario.card(), setup.scheme.coupling)?;
    let setup = Setup { stop_s: setup.stop_s.or(Some(reference.stop_s)), ..*setup };
    let is_chosen = setup.scheme.control != Control::Fixed;
    let mut coupled = scenario.couple(&Setup { stop_s: setup.stop_s.filter(|_| is_chosen), ..setup })?;
    // Errors beside the reference, at the times where both have a point.
    let (mut error, wall_s) =
        if is_chosen { chosen(scenario, &mut coupled, reference)? } else { fixed(&mut coupled, reference)? };
    if error.is_diverged() {
        error = Errors::DIVERGED;
    }
    // What is remarked about the run, and what it has cost.
    let unconverged = coupled.simulation.unconverged().map_or(0, |u| u.windows);
    let coarse = coupled.simulation.coarse().map(|c| c.to_string());
    let (do_steps, kinds) = (coupled.simulation.do_steps().iter().sum(), coupled.simulation.kinds());
    let units = if kinds.windows(2).all(|k| k[0] == k[1]) { kinds[0].to_string() } else { kinds.join(" + ") };
    let control_tolerance = is_chosen.then_some(setup.scheme.control_tolerance);
    // What the run came to.
    Ok(Work {
        step_s: setup.step_s,
        control_tolerance,
        error,
        do_steps,
        wall_s,
        units,
        unconverged,
        coarse,
        failed: None,
    })
}

/// Errors and time of steps of one length.
fn fixed(coupled: &mut Coupled, reference: &Reference) -> Result<(Errors, f64), RunError> {
    let mut error = Errors::none(reference.quantities, reference.amplitude.len());
    let (mut exact, mut wall_s) = (reference.rows.iter().skip(1), 0.0);
    let ended = coupled.follow(exact.len() as u64, |point| {
        let exact = exact.next().map_or(point.state, Vec::as_slice);
        error.take(point.state, exact, (&reference.amplitude, reference.quantities));
        wall_s = point.wall_s;
        !error.is_diverged()
    });
    // A unit that refuses what has grown far beyond the motion has diverged.
    match ended {
        Err(RunError::Diverged(_)) => error = Errors::DIVERGED,
        Err(_) if error.position > 1.0 => error = Errors::DIVERGED,
        ended => ended?,
    }
    Ok((error, wall_s))
}

/// Errors and time of steps that are chosen, which are compared once their instants are known.
fn chosen(scenario: &dyn Benchmark, coupled: &mut Coupled, reference: &Reference) -> Result<(Errors, f64), RunError> {
    let (mut times_s, mut states, mut wall_s) = (Vec::new(), Vec::new(), 0.0);
    let ended = coupled.follow(u64::MAX, |point| {
        wall_s = point.wall_s;
        times_s.push(point.t_s);
        states.push(point.state.to_vec());
        point.state.iter().zip(&reference.amplitude).all(|(x, a)| x.abs() < DIVERGED * a)
    });
    match ended {
        Err(RunError::Diverged(_)) => return Ok((Errors::DIVERGED, wall_s)),
        ended => ended?,
    }
    let mut error = Errors::none(reference.quantities, reference.amplitude.len());
    for (state, exact) in states.iter().zip(scenario.solution(&times_s)?) {
        error.take(state, &exact, (&reference.amplitude, reference.quantities));
    }
    Ok((error, wall_s))
}

/// Errors of a scheme over macro steps.
#[derive(Debug, Clone)]
pub struct Convergence {
    /// The scheme.
    pub scheme: Scheme,
    /// H \[s\] and the errors over a run.
    pub global: Vec<(f64, Errors)>,
    /// H \[s\] and the errors of single steps.
    pub local: Vec<(f64, Errors)>,
    /// Runs that failed, did not converge or had too few nodes, in words.
    pub told: Vec<String>,
    /// How many failed.
    pub failed: usize,
}

/// Slopes of errors over H, where three of them lie above rounding.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Orders {
    /// Of positions.
    pub position: Option<f64>,
    /// Of velocities.
    pub velocity: Option<f64>,
}

/// The slopes of a list of errors, of the [`FITTED`] smallest macro steps whose errors lie above rounding.
pub fn orders(errors: &[(f64, Errors)]) -> Orders {
    let of = |f: fn(&Errors) -> f64| {
        let fits = |e: f64| e > FLOOR && e < 0.5;
        let mut points: Vec<(f64, f64)> = errors.iter().map(|(h, e)| (*h, f(e))).filter(|(_, e)| fits(*e)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points.truncate(FITTED);
        slope(&points, FLOOR)
    };
    Orders { position: of(|e| e.position), velocity: of(|e| e.velocity) }
}

/// The solutions that schemes on one scenario are compared with at the same macro steps, worked out once.
pub struct Ladder<'a> {
    scenario: &'a dyn Benchmark,
    global: Vec<(f64, Reference)>,
    /// H \[s\], and the ends of a step from each starting time.
    local: Vec<(f64, Vec<Vec<f64>>)>,
    starts_s: Vec<f64>,
    amplitude: Vec<f64>,
    quantities: usize,
}

impl<'a> Ladder<'a> {
    /// For runs to `stop_s` with macro steps `global_s`, and single steps `local_s` from starts in the first two thirds.
    ///
    /// # Errors
    /// Where the scenario has no solution.
    pub fn new(scenario: &'a dyn Benchmark, global_s: &[f64], local_s: &[f64], stop_s: f64) -> Result<Self, RunError> {
        let starts_s: Vec<f64> = STARTS.iter().map(|part| part * stop_s).collect();
        let ends = |h: f64| {
            let ends: Vec<f64> = starts_s.iter().map(|t| t + h).collect();
            Ok((h, scenario.solution(&ends)?))
        };
        // Sampled finely enough for the first digits of the amplitudes.
        let amplitude = Reference::new(scenario, stop_s / 400.0, stop_s)?.amplitude;
        let local = local_s.iter().filter(|_| scenario.starts_anywhere()).map(|&h| ends(h));
        let global = global_s.iter().map(|&h| Ok((h, Reference::new(scenario, h, stop_s)?)));
        Ok(Ladder {
            scenario,
            global: global.collect::<Result<_, RunError>>()?,
            local: local.collect::<Result<_, RunError>>()?,
            starts_s,
            amplitude,
            quantities: scenario.quantities().len(),
        })
    }

    /// Global and local errors of a scheme, from an exact start. A run that fails has no errors, and is told.
    pub fn climb(&self, scheme: &Scheme, factory: Factory<'_>) -> Convergence {
        // From the solution's own state and history, so that the start has no error.
        let setup = |step_s| Setup { start: Start::Exact, ..Setup::new(scheme, step_s, factory) };
        let none = Errors { position: f64::NAN, velocity: f64::NAN };
        let (mut told, mut failed) = (Vec::new(), 0);
        let (mut global, mut local) = (Vec::new(), Vec::new());
        // Whole runs with each macro step.
        for (h, reference) in &self.global {
            let work = run(self.scenario, &setup(*h), reference);
            let work = work.unwrap_or_else(|e| Work::failed(scheme, *h, e.to_string()));
            failed += usize::from(work.failed.is_some());
            if work.failed.is_some() || work.unconverged > 0 || work.coarse.is_some() {
                told.push(format!("H = {h:e} s: {}", work.state()));
            }
            global.push((*h, work.error));
        }
        // One step from several starting times.
        for (h, ends) in &self.local {
            let errors = self.step(&setup(*h), ends).unwrap_or_else(|e| {
                failed += 1;
                told.push(format!("one step of H = {h:e} s: failed: {e}"));
                none
            });
            local.push((*h, errors));
        }
        Convergence { scheme: *scheme, global, local, told, failed }
    }

    /// The largest error of one step over all starting times.
    fn step(&self, setup: &Setup<'_>, ends: &[Vec<f64>]) -> Result<Errors, RunError> {
        let mut error = Errors::none(self.quantities, self.amplitude.len());
        for (&from_s, exact) in self.starts_s.iter().zip(ends) {
            let mut coupled = self.scenario.couple(&Setup { from_s, ..*setup })?;
            let ended = coupled.follow(1, |point| {
                error.take(point.state, exact, (&self.amplitude, self.quantities));
                true
            });
            match ended {
                Err(RunError::Diverged(_)) => return Ok(Errors::DIVERGED),
                ended => ended?,
            }
        }
        Ok(error)
    }
}
