//! The JSON object of `--json`.

use macrostep_analysis::pair::Outcome;
use macrostep_master::{Account, Course, Verdict};
use serde::Serialize;

use crate::options::OscillatorOptions;

/// The object of `macrostep oscillator --json`, in full double precision.
#[derive(Debug, Serialize)]
pub struct Summary<'a> {
    scenario: &'a OscillatorOptions,
    r#final: Final,
    error: Error,
    energy: Energy,
    do_steps: [u64; 2],
    wall_s: f64,
    units: &'a str,
    growth_rate: Option<f64>,
    diverged_at_s: Option<f64>,
    power_bonds: Vec<PowerBond<'a>>,
    control: Option<ControlCourse>,
    window_runs: u64,
    unconverged_windows: u64,
    /// The first macro step that did not converge, in words.
    unconverged: Option<String>,
    /// What diverged, in words.
    diverged: Option<String>,
    /// Time of the final values in s.
    end_s: f64,
    warnings: &'a [String],
    verdict: &'a Verdict,
}

/// The account of a power bond.
#[derive(Debug, Serialize)]
pub struct PowerBond<'a> {
    name: &'a str,
    residual_energy_j: f64,
    residual_energy_max_j: f64,
    residual_power_max_w: f64,
    power_max_w: f64,
    missed_j: f64,
    passed_j: f64,
}

/// The steps that step control has made.
#[derive(Debug, Serialize)]
pub struct ControlCourse {
    windows: u64,
    rejected: u64,
    window_min_s: f64,
    window_max_s: f64,
    degree_min: usize,
    degree_max: usize,
}

#[derive(Debug, Serialize)]
struct Final {
    x1: f64,
    v1: f64,
    x2: f64,
    v2: f64,
}

#[derive(Debug, Serialize)]
struct Error {
    x1: f64,
    x2: f64,
    max_relative_position: f64,
}

#[derive(Debug, Serialize)]
struct Energy {
    max_relative_drift: f64,
    r#final: f64,
}

impl<'a> PowerBond<'a> {
    /// Its name.
    pub fn name(&self) -> &str {
        self.name
    }

    /// Residual energy at the end and at most \[J\], residual power at most \[W\].
    pub fn residuals(&self) -> [f64; 3] {
        [self.residual_energy_j, self.residual_energy_max_j, self.residual_power_max_w]
    }

    /// What the residuals are measured by: the energy passed \[J\], the power at most \[W\].
    pub fn scale(&self) -> [f64; 2] {
        [self.passed_j, self.power_max_w]
    }

    /// The same as numbers of the JSON object.
    pub fn of(account: &'a Account) -> Self {
        PowerBond {
            name: &account.name,
            residual_energy_j: account.residual_energy_j,
            residual_energy_max_j: account.residual_energy_max_j,
            residual_power_max_w: account.residual_power_max_w,
            power_max_w: account.power_max_w,
            missed_j: account.missed_j,
            passed_j: account.passed_j,
        }
    }
}

impl ControlCourse {
    /// Shortest and longest step \[s\].
    pub fn window_s(&self) -> [f64; 2] {
        [self.window_min_s, self.window_max_s]
    }

    /// Steps that were rejected.
    pub fn rejected(&self) -> u64 {
        self.rejected
    }

    /// Of a run of so many windows.
    pub fn of(course: Course, windows: u64) -> Self {
        let Course { rejected, window_s: [window_min_s, window_max_s], degree: [degree_min, degree_max] } = course;
        ControlCourse { windows, rejected, window_min_s, window_max_s, degree_min, degree_max }
    }
}

impl<'a> Summary<'a> {
    /// Of a run and the scenario it was.
    pub fn new(scenario: &'a OscillatorOptions, outcome: &'a Outcome) -> Self {
        let (end, error) = (&outcome.end, &outcome.error);
        Summary {
            scenario,
            r#final: Final { x1: end[0], v1: end[2], x2: end[1], v2: end[3] },
            error: Error { x1: error[0], x2: error[1], max_relative_position: outcome.max_relative_position() },
            energy: Energy { max_relative_drift: outcome.drift, r#final: outcome.energy },
            do_steps: outcome.do_steps,
            wall_s: outcome.wall_s,
            units: &outcome.units,
            growth_rate: outcome.growth_rate,
            diverged_at_s: outcome.diverged_at_s,
            power_bonds: outcome.accounts.iter().map(PowerBond::of).collect(),
            control: outcome.course.map(|course| ControlCourse::of(course, outcome.statistics.windows)),
            window_runs: outcome.statistics.runs,
            unconverged_windows: outcome.statistics.unconverged,
            unconverged: outcome.unconverged.as_ref().map(ToString::to_string),
            diverged: outcome.diverged.as_ref().map(ToString::to_string),
            end_s: outcome.end_s,
            warnings: &outcome.warnings,
            verdict: &outcome.verdict,
        }
    }
}
