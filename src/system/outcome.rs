//! What a scenario's run came to: as JSON and as a table.

use std::time::Duration;

use macrostep_master::record::Column;
use macrostep_master::report::Table;
use macrostep_master::report::table::Align;
use macrostep_master::{Account, Simulation, Statistics};
use macrostep_system::Scenario;
use serde::Serialize;

use super::steps::Rows;
use super::title;
use crate::failure::Failure;
use crate::oscillator::bond_line;
use crate::single::counted;
use crate::summary::PowerBond;

/// A run that has ended, well or not.
pub struct Outcome {
    columns: Vec<Column>,
    statistics: Statistics,
    do_steps: Vec<u64>,
    kinds: Vec<&'static str>,
    warnings: Vec<String>,
    accounts: Vec<Account>,
    wall: Duration,
    error: Option<String>,
}

/// What `--json` prints and `result.json` holds.
#[derive(Debug, Serialize)]
pub struct Summary<'a> {
    scenario: &'a str,
    start_s: f64,
    end_s: f64,
    step_s: f64,
    rows: u64,
    schedule: &'static str,
    predict: String,
    correct: &'static str,
    sampling: &'static str,
    units: Vec<UnitResult<'a>>,
    r#final: serde_json::Map<String, serde_json::Value>,
    power_bonds: Vec<PowerBond<'a>>,
    windows: u64,
    window_runs: u64,
    unconverged_windows: u64,
    wall_s: f64,
    warnings: &'a [String],
    error: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct UnitResult<'a> {
    name: &'a str,
    fmu: String,
    kind: &'a str,
    do_steps: u64,
}

impl Outcome {
    /// Of a simulation that is over, and of what ended it early.
    pub fn new(simulation: &mut Simulation, wall: Duration, failure: Option<&Failure>) -> Self {
        Outcome {
            columns: simulation.columns().to_vec(),
            statistics: simulation.statistics(),
            do_steps: simulation.do_steps(),
            kinds: simulation.kinds(),
            warnings: simulation.warnings().to_vec(),
            accounts: simulation.accounts().to_vec(),
            wall,
            error: failure.map(ToString::to_string),
        }
    }

    /// Recorded variables.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// With what was run and recorded.
    pub fn summary<'a>(&'a self, s: &'a Scenario, rows: &Rows) -> Summary<'a> {
        let finals = self.columns.iter().zip(&rows.last);
        let units = s.units.iter().zip(&self.kinds).zip(&self.do_steps);
        let unit = |((u, kind), do_steps): ((&'a macrostep_system::scenario::Unit, &&'static str), &u64)| UnitResult {
            name: &u.name,
            fmu: u.source.to_string(),
            kind,
            do_steps: *do_steps,
        };
        Summary {
            scenario: &s.name,
            start_s: s.experiment.start_s,
            end_s: rows.last_s,
            step_s: s.experiment.step_s.unwrap_or(f64::NAN),
            rows: rows.count,
            schedule: s.coupling.schedule.word(),
            predict: s.coupling.predict.to_string(),
            correct: s.coupling.correct.word(),
            sampling: s.coupling.sampling.word(),
            units: units.map(unit).collect(),
            r#final: finals.map(|(c, v)| (c.name.clone(), serde_json::json!(v))).collect(),
            power_bonds: self.accounts.iter().map(PowerBond::of).collect(),
            windows: self.statistics.windows,
            window_runs: self.statistics.runs,
            unconverged_windows: self.statistics.unconverged,
            wall_s: self.wall.as_secs_f64(),
            warnings: &self.warnings,
            error: self.error.as_deref(),
        }
    }

    /// Head line, values at the end and power bonds.
    pub fn table(&self, s: &Scenario, rows: &Rows) -> String {
        let c = &s.coupling;
        let head = format!("at t = {} s", rows.last_s);
        let mut table = Table::new([("variable", Align::Left), (&head, Align::Right), ("unit", Align::Left)]);
        for (column, value) in self.columns.iter().zip(&rows.last) {
            table.row([column.name.clone(), format!("{value:.9e}"), column.unit.clone()]);
        }
        let steps: Vec<String> = s.units.iter().zip(&self.do_steps).map(|(u, n)| format!("{} {n}", u.name)).collect();
        let bonds: String = self.accounts.iter().map(bond_line).collect();
        format!(
            "{} · {} · {} · {} · {} · H = {} s\n\n{}\n{bonds}\n{}, {} windows in {:.3} s; steps: {}",
            title(s),
            c.schedule,
            c.predict,
            c.correct,
            c.sampling,
            s.experiment.step_s.unwrap_or(f64::NAN),
            table.terminal(),
            counted(rows.count),
            self.statistics.windows,
            self.wall.as_secs_f64(),
            steps.join(", ")
        )
    }
}

impl Summary<'_> {
    /// As text.
    ///
    /// # Errors
    /// [`Failure::Format`].
    pub fn json(&self) -> Result<String, Failure> {
        serde_json::to_string_pretty(self).map_err(|e| Failure::Format { what: "the result", reason: e.to_string() })
    }
}
