//! What a scenario's run came to: as JSON and as a table.

use std::time::Duration;

use macrostep_description::shown;
use macrostep_master::record::{Column, ColumnKind};
use macrostep_master::{Account, Course, Opening, Simulation, Statistics, Unconverged};
use macrostep_plot::Table;
use macrostep_plot::table::Align;
use macrostep_system::Scenario;
use macrostep_system::words::{Energy, Named};
use serde::Serialize;

use super::steps::Rows;
use super::{method_line, title};
use crate::failure::Failure;
use crate::oscillator::{bond_line, course_line};
use crate::print::counted;
use crate::summary::{ControlCourse, PowerBond};

/// A run that has ended, well or not.
pub struct Outcome {
    columns: Vec<Column>,
    statistics: Statistics,
    do_steps: Vec<u64>,
    kinds: Vec<&'static str>,
    warnings: Vec<String>,
    accounts: Vec<Account>,
    openings: Vec<Opening>,
    wall: Duration,
    error: Option<String>,
    /// The first macro step that did not converge.
    pub unconverged: Option<Unconverged>,
    diverged_at_s: Option<f64>,
    /// What step control has done.
    course: Option<Course>,
}

/// What `--json` prints and `result.json` holds.
#[derive(Debug, Serialize)]
pub struct Summary<'a> {
    pub scenario: &'a str,
    pub start_s: f64,
    pub end_s: f64,
    pub step_s: f64,
    pub rows: u64,
    pub schedule: &'static str,
    pub predict: String,
    pub correct: &'static str,
    pub sampling: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<Named>,
    pub energy: Energy,
    pub control: Option<ControlCourse>,
    pub units: Vec<UnitResult<'a>>,
    pub r#final: serde_json::Map<String, serde_json::Value>,
    pub power_bonds: Vec<PowerBond<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<ConstraintResult<'a>>,
    pub windows: u64,
    pub window_runs: u64,
    pub unconverged_windows: u64,
    pub unconverged: Option<String>,
    pub diverged_at_s: Option<f64>,
    pub wall_s: f64,
    pub warnings: &'a [String],
    pub error: Option<&'a str>,
}

#[derive(Debug, Serialize)]
pub struct UnitResult<'a> {
    pub name: &'a str,
    pub fmu: String,
    pub kind: &'a str,
    pub do_steps: u64,
}

/// What a joint was open by, at most, at communication points.
#[derive(Debug, Serialize)]
pub struct ConstraintResult<'a> {
    pub name: &'a str,
    pub gap_max: f64,
    pub rate_max: f64,
}

impl Outcome {
    /// Of a simulation that is over, and of what ended it early.
    pub fn new(simulation: &mut Simulation, wall: Duration, failure: Option<&Failure>) -> Self {
        let coarse: Vec<String> = simulation.coarse().iter().map(ToString::to_string).collect();
        coarse.iter().for_each(|warning| eprintln!("warning: {warning}"));
        Outcome {
            columns: simulation.columns().to_vec(),
            statistics: simulation.statistics(),
            do_steps: simulation.do_steps(),
            kinds: simulation.kinds(),
            warnings: [simulation.warnings(), coarse.as_slice()].concat(),
            accounts: simulation.accounts().to_vec(),
            openings: simulation.openings(),
            wall,
            error: failure.map(ToString::to_string),
            unconverged: simulation.unconverged(),
            diverged_at_s: simulation.diverged().map(|d| d.t_s),
            course: simulation.course(),
        }
    }

    /// Recorded variables.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Value of a column at the end.
    pub fn value(&self, i: usize, rows: &Rows) -> serde_json::Value {
        let x = rows.last.get(i).copied().unwrap_or(f64::NAN);
        match self.columns[i].kind {
            ColumnKind::Real => serde_json::json!(x),
            // Integers of 32 bits are doubles exactly.
            ColumnKind::Integer => serde_json::json!(x as i64),
            ColumnKind::Boolean => serde_json::json!(x != 0.0),
            ColumnKind::Text => serde_json::json!(rows.texts.iter().find(|(place, _)| *place == i).map(|(_, t)| t)),
        }
    }

    /// With what was run and recorded.
    pub fn summary<'a>(&'a self, s: &'a Scenario, rows: &Rows) -> Summary<'a> {
        // Nothing is known before the first row.
        let finals = self.columns.iter().enumerate().take(rows.last.len());
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
            method: s.coupling.method,
            energy: s.coupling.energy,
            control: self.course.map(|course| ControlCourse::of(course, self.statistics.windows)),
            units: units.map(unit).collect(),
            r#final: finals.map(|(i, c)| (c.name.clone(), self.value(i, rows))).collect(),
            power_bonds: self.accounts.iter().map(PowerBond::of).collect(),
            constraints: self.openings.iter().map(opening).collect(),
            windows: self.statistics.windows,
            window_runs: self.statistics.runs,
            unconverged_windows: self.statistics.unconverged,
            unconverged: self.unconverged.as_ref().map(ToString::to_string),
            diverged_at_s: self.diverged_at_s,
            wall_s: self.wall.as_secs_f64(),
            warnings: &self.warnings,
            error: self.error.as_deref(),
        }
    }

    /// Head line, values at the end and power bonds.
    pub fn table(&self, s: &Scenario, rows: &Rows) -> String {
        let head = format!("at t = {} s", shown::time(rows.last_s));
        let mut table = Table::new([("variable", Align::Left), (&head, Align::Right), ("unit", Align::Left)]);
        for (i, (column, value)) in self.columns.iter().zip(&rows.last).enumerate() {
            let shown = match column.kind {
                ColumnKind::Real => format!("{value:.9e}"),
                _ => self.value(i, rows).to_string(),
            };
            table.row([column.name.clone(), shown, column.unit.clone()]);
        }
        let steps: Vec<String> = s.units.iter().zip(&self.do_steps).map(|(u, n)| format!("{} {n}", u.name)).collect();
        let bonds: String = self.accounts.iter().map(bond_line).chain(self.openings.iter().map(opening_line)).collect();
        let chosen = self.course.map(|course| course_line(&course, self.statistics.windows)).unwrap_or_default();
        format!(
            "{} · {} · H = {} s\n\n{}\n{bonds}{chosen}\n{}, {} in {:.3} s; steps: {}",
            title(s),
            method_line(s),
            s.experiment.step_s.unwrap_or(f64::NAN),
            table.terminal(),
            counted(rows.count, "row"),
            counted(self.statistics.windows, "window"),
            self.wall.as_secs_f64(),
            steps.join(", ")
        )
    }
}

fn opening(o: &Opening) -> ConstraintResult<'_> {
    ConstraintResult { name: &o.name, gap_max: o.gap, rate_max: o.rate }
}

/// What a joint was open by, in a line that follows another.
fn opening_line(o: &Opening) -> String {
    format!("\nconstraint `{}`: open by at most {:.1e} in position, {:.1e} in velocity", o.name, o.gap, o.rate)
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
