//! The numbers of a run of the main job.

use macrostep_analysis::pair::Coupling;
use macrostep_analysis::scheme::{Correct, Predict};
use macrostep_answers::accounts::PowerBond;
use macrostep_answers::choices::Case;
use macrostep_master::Verdict;
use serde::Serialize;

use super::Entry;

/// An object of `summary.json`, in full double precision.
#[derive(Debug, Serialize)]
pub struct Summary<'a> {
    case: Case,
    coupling: Coupling,
    schedule: &'static str,
    predict: Predict,
    correct: Correct,
    r#final: Final,
    error: Error,
    energy: Energy,
    do_steps: [u64; 2],
    wall_s: f64,
    units: &'a str,
    growth_rate: Option<f64>,
    diverged_at_s: Option<f64>,
    power_bonds: Vec<PowerBond<'a>>,
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

impl<'a> Summary<'a> {
    /// Of a run.
    pub fn new(entry: &'a Entry) -> Self {
        let outcome = &entry.outcome;
        let (end, error) = (&outcome.end, &outcome.error);
        Summary {
            case: entry.case,
            coupling: entry.scheme.coupling,
            schedule: entry.scheme.schedule.short(),
            predict: entry.scheme.predict,
            correct: entry.scheme.correct,
            r#final: Final { x1: end[0], v1: end[2], x2: end[1], v2: end[3] },
            error: Error { x1: error[0], x2: error[1], max_relative_position: outcome.max_relative_position() },
            energy: Energy { max_relative_drift: outcome.drift, r#final: outcome.energy },
            do_steps: outcome.do_steps,
            wall_s: outcome.wall_s,
            units: &outcome.units,
            growth_rate: outcome.growth_rate,
            diverged_at_s: outcome.diverged_at_s,
            power_bonds: outcome.accounts.iter().map(PowerBond::of).collect(),
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
