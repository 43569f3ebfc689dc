//! The result of a scenario's run, as JSON and as a table.

use std::collections::HashMap;
use std::time::Duration;

use macrostep_description::shown;
use macrostep_import::fmu::Face;
use macrostep_master::record::{Column, ColumnKind};
use macrostep_master::{Account, Course, Grade, LineAccount, Opening, Simulation, Statistics, Unconverged, Verdict};
use macrostep_plot::Table;
use macrostep_run::{Comparison, OutputError, RealTime, Rows, Times};
use macrostep_system::Scenario;
use macrostep_system::assemble::InputOrder;
use macrostep_system::scenario::{LawKind, Unit};
use macrostep_system::verify::Bound;
use macrostep_system::words::{Energy, Named};
use serde::Serialize;

use super::errors::Errors;
use super::events::Events;
use super::units::UnitResult;
use super::warned::{nearly, recorded, told};
use super::{method_line, title};
use crate::accounts::{ControlCourse, PowerBond, bond_line, course_line};
use crate::failure::Failure;
use crate::formats::units;
use crate::print::counted;

/// A run that has ended, well or not.
pub struct Outcome {
    columns: Vec<Column>,
    pub(super) statistics: Statistics,
    do_steps: Vec<u64>,
    kinds: Vec<&'static str>,
    pub(super) warnings: Vec<String>,
    accounts: Vec<Account>,
    lines: Vec<LineAccount>,
    openings: Vec<Opening>,
    wall: Duration,
    error: Option<String>,
    /// The first macro step that did not converge.
    pub unconverged: Option<Unconverged>,
    /// What the run is worth.
    pub verdict: Verdict,
    diverged_at_s: Option<f64>,
    /// What step control has done.
    course: Option<Course>,
    /// Time in steps of each unit by its name \[s\], where it was taken.
    unit_s: HashMap<String, f64>,
    /// Which derivatives of inputs each unit takes, where that was tried.
    pub(super) taken: Vec<Option<InputOrder>>,
    /// How the run has kept to the clock.
    real_time: Option<RealTime>,
    /// Events of a condition, where the scenario has any.
    events: Option<Events>,
    /// What the macro step was chosen by, where it was.
    pub bound: Option<Bound>,
    /// Errors beside known values, where there are any.
    errors: Option<Errors>,
}

/// A bound on the error, with its estimate.
#[derive(Debug, Serialize)]
pub struct ErrorBound {
    pub(super) bound: f64,
    pub(super) estimate: f64,
    pub(super) order: f64,
    pub(super) runs: u32,
}

impl From<Bound> for ErrorBound {
    fn from(b: Bound) -> Self {
        ErrorBound { bound: b.error, estimate: b.estimate, order: b.order, runs: b.runs }
    }
}

/// The object of `--json` and of `result.json`.
#[derive(Debug, Serialize)]
pub struct Summary<'a> {
    pub(super) scenario: &'a str,
    pub(super) start_s: f64,
    pub(super) end_s: f64,
    pub(super) step_s: f64,
    pub(super) rows: u64,
    pub(super) schedule: &'static str,
    pub(super) predict: String,
    pub(super) correct: &'static str,
    pub(super) sampling: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) method: Option<Named>,
    pub(super) energy: Energy,
    pub(super) control: Option<ControlCourse>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) events: Option<&'a Events>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error_bound: Option<ErrorBound>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) errors: Option<&'a Errors>,
    pub(super) units: Vec<UnitResult<'a>>,
    pub(super) r#final: serde_json::Map<String, serde_json::Value>,
    pub(super) units_of_measurement: serde_json::Map<String, serde_json::Value>,
    pub(super) power_bonds: Vec<PowerBond<'a>>,
    pub(super) real_time: Option<&'a RealTime>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) lines: Vec<LineResult<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) constraints: Vec<ConstraintResult<'a>>,
    pub(super) windows: u64,
    pub(super) window_runs: u64,
    pub(super) unconverged_windows: u64,
    pub(super) unconverged: Option<String>,
    pub(super) diverged_at_s: Option<f64>,
    pub(super) wall_s: f64,
    pub(super) warnings: &'a [String],
    pub(super) error: Option<&'a str>,
    pub(super) verdict: &'a Verdict,
}

/// Energy of a line with delay \[J\]: under way, lost to sampling, and all that its ends have sent.
#[derive(Debug, Serialize)]
pub struct LineResult<'a> {
    pub(super) name: &'a str,
    pub(super) stored_j: f64,
    pub(super) lost_j: f64,
    pub(super) sent_j: f64,
}

/// The largest gap of a joint at communication points.
#[derive(Debug, Serialize)]
pub struct ConstraintResult<'a> {
    pub(super) name: &'a str,
    pub(super) gap_max: f64,
    pub(super) rate_max: f64,
}

impl Outcome {
    /// Of a simulation that is over, and of what ended it early.
    pub fn new(simulation: &mut Simulation, rows: &Rows, wall: Duration, failure: Option<&Failure>) -> Self {
        // Accounts are closed before they are judged.
        let accounts = simulation.accounts().to_vec();
        // What was too coarse is known only now, and joins the warnings.
        let coarse: Vec<String> = simulation.coarse().iter().map(ToString::to_string).collect();
        let (told, slaves) = told(simulation);
        // A run that ended early has failed, whatever it has seen of itself.
        let warned = slaves.reason.clone();
        let ended = |failure: &Failure| Verdict::new(Grade::Failed, failure.to_string(), None);
        let verdict =
            failure.map_or_else(|| simulation.verdict().or(slaves).or(recorded(simulation.columns(), rows)), ended);
        let doubt = (verdict.grade == Grade::Doubtful).then(|| verdict.reason.clone());
        let doubt = doubt.filter(|doubt| !coarse.contains(doubt) && *doubt != warned);
        let nearly = simulation.nearly_converged().map(|seen| nearly(&seen));
        // It is told with the verdict, but for a run that ended early.
        coarse.iter().filter(|_| failure.is_some()).for_each(|warning| eprintln!("warning: {warning}"));
        // What the simulation counted and kept; fields of the run as a whole follow where they are known.
        Outcome {
            columns: simulation.columns().to_vec(),
            statistics: simulation.statistics(),
            do_steps: simulation.do_steps(),
            kinds: simulation.kinds(),
            warnings: [simulation.warnings(), coarse.as_slice(), told.as_slice(), doubt.as_slice(), nearly.as_slice()]
                .concat(),
            accounts,
            // What is under way or open at the end, and how it ended.
            lines: simulation.lines(),
            openings: simulation.openings(),
            wall,
            error: failure.map(ToString::to_string),
            unconverged: simulation.unconverged(),
            verdict,
            diverged_at_s: simulation.diverged().map(|d| d.t_s),
            course: simulation.course(),
            unit_s: HashMap::new(),
            taken: Vec::new(),
            real_time: None,
            events: Events::of(simulation),
            bound: None,
            errors: None,
        }
    }

    /// With the times of units and how the run has kept to the clock.
    pub fn timed(mut self, times: Option<&Times>, real_time: Option<RealTime>) -> Self {
        let counters = times.map(Times::counters).unwrap_or_default();
        self.unit_s =
            counters.into_iter().filter_map(|(name, _)| Some((name.clone(), times?.seconds(&name)?))).collect();
        self.real_time = real_time;
        self
    }

    /// With the errors of its rows, where they were compared.
    pub fn compared(mut self, s: &Scenario, comparison: Option<&Comparison>) -> Self {
        self.errors = Errors::of(s, comparison);
        self.columns = comparison.map_or(self.columns, |comparison| comparison.columns().to_vec());
        self.weigh_errors();
        self
    }

    /// What is known to be off by more than one amplitude is not ok, whatever the run has seen of itself.
    pub(super) fn weigh_errors(&mut self) {
        let Some(known) = self.errors.as_ref().and_then(Errors::verdict) else { return };
        if self.verdict.grade == Grade::Ok {
            self.warnings.push(known.reason.clone());
            self.verdict = known;
        }
    }

    /// The failure where an error beside known values is larger than the scenario allows.
    pub fn missed(&self, s: &Scenario) -> Option<Failure> {
        self.errors.as_ref()?.missed(s)
    }

    /// The error of each output that has a known value.
    pub fn errors(&self) -> &[OutputError] {
        self.errors.as_ref().map_or(&[], |errors| &errors.outputs)
    }

    /// Columns of the rows.
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
        // Units with where they ran and how often they were called.
        let called = s.units.iter().zip(&self.kinds).zip(&self.do_steps).enumerate();
        let unit = |(i, ((u, kind), do_steps)): (usize, ((&'a Unit, &&'static str), &u64))| UnitResult {
            name: &u.name,
            fmu: u.source.to_string(),
            kind,
            face: u.source.face().map(Face::word),
            do_steps: *do_steps,
            wall_s: self.unit_s.get(&u.name).copied(),
            input_derivatives: self.input_derivatives(i),
        };
        // The run, its method, what it gave and how it ended.
        Summary {
            // The scenario and its times.
            scenario: &s.name,
            start_s: s.experiment.start_s,
            end_s: rows.last_s,
            step_s: s.experiment.step_s.unwrap_or(f64::NAN),
            rows: rows.count,
            // The method.
            schedule: s.coupling.schedule.word(),
            predict: s.coupling.predict.to_string(),
            correct: s.coupling.correct.word(),
            sampling: s.coupling.sampling.word(),
            method: s.coupling.method,
            energy: s.coupling.energy,
            // What the options or the scenario brought with them, where they did.
            control: self.course.map(|course| ControlCourse::of(course, self.statistics.windows)),
            events: self.events.as_ref(),
            error_bound: self.bound.map(ErrorBound::from),
            errors: self.errors.as_ref(),
            // Units and values at the end, energy, and what a clock saw.
            units: called.map(unit).collect(),
            r#final: finals.map(|(i, c)| (c.name.clone(), self.value(i, rows))).collect(),
            units_of_measurement: units::known(self.columns.iter().map(|c| (c.name.as_str(), c.unit.as_str()))),
            power_bonds: self.accounts.iter().map(PowerBond::of).collect(),
            real_time: self.real_time.as_ref(),
            lines: self.lines(s),
            constraints: self.openings.iter().map(opening).collect(),
            // Windows and how the run ended.
            windows: self.statistics.windows,
            window_runs: self.statistics.runs,
            unconverged_windows: self.statistics.unconverged,
            unconverged: self.unconverged.as_ref().map(ToString::to_string),
            diverged_at_s: self.diverged_at_s,
            wall_s: self.wall.as_secs_f64(),
            warnings: &self.warnings,
            error: self.error.as_deref(),
            verdict: &self.verdict,
        }
    }

    /// What became of the lines, in the order in which connections first name them, as the master has them.
    fn lines<'a>(&self, s: &'a Scenario) -> Vec<LineResult<'a>> {
        let mut names: Vec<&'a str> = Vec::new();
        for law in s.connections.iter().filter_map(|c| s.law(&c.from.unit)) {
            if matches!(law.kind, LawKind::Line(_)) && !names.contains(&law.name.as_str()) {
                names.push(&law.name);
            }
        }
        let result = |(name, account): (&'a str, &LineAccount)| {
            let LineAccount { stored_j, lost_j, sent_j } = *account;
            LineResult { name, stored_j, lost_j, sent_j }
        };
        names.into_iter().zip(&self.lines).map(result).collect()
    }

    /// Head line, values at the end and power bonds.
    pub fn table(&self, s: &Scenario, rows: &Rows) -> String {
        // A row for each variable, with its last value and its errors.
        let head = format!("variable | > at t = {} s | unit", shown::time(rows.last_s));
        let mut table = Table::new(&self.errors.as_ref().map_or(head.clone(), |_| format!("{head}{}", Errors::HEAD)));
        let recorded = self.columns.len() - self.errors.as_ref().map_or(0, |errors| errors.outputs.len());
        for (i, (column, value)) in self.columns[..recorded].iter().zip(&rows.last).enumerate() {
            let shown = match column.kind {
                ColumnKind::Real => format!("{value:.9e}"),
                _ => self.value(i, rows).to_string(),
            };
            let errors = self.errors.as_ref().map(|errors| errors.cells(&column.name));
            table
                .row([column.name.clone(), shown, column.unit.clone()].into_iter().chain(errors.into_iter().flatten()));
        }
        // Calls of the units, power bonds, constraints and delay lines.
        let steps: Vec<String> = s.units.iter().zip(&self.do_steps).map(|(u, n)| format!("{} {n}", u.name)).collect();
        let bonds: String = self.accounts.iter().map(bond_line).chain(self.openings.iter().map(opening_line)).collect();
        let line = |l: LineResult<'_>| {
            let LineResult { name, stored_j, lost_j, sent_j } = l;
            format!(
                "\
line `{name}`: {stored_j:.3e} J under way, {lost_j:.3e} J of {sent_j:.3e} J sent lost to sampling"
            )
        };
        let lines: String = self.lines(s).into_iter().map(line).collect();
        // What the options or the scenario brought with them: chosen steps, events, an error bound, a clock.
        let chosen = self.course.map(|course| course_line(&course, self.statistics.windows)).unwrap_or_default();
        let mut events = self.events.as_ref().map(Events::line).unwrap_or_default();
        if let Some(Bound { error, estimate, order, runs, .. }) = self.bound {
            events +=
                &format!("\nerror ≤ {error:.1e} (estimated {estimate:.1e}, order {order:.1}, {runs} runs to choose H)");
        }
        let clock = self.real_time.as_ref().map(|seen| format!("\n{}", seen.line(self.statistics.windows)));
        // The method as a heading, counts at the end.
        format!(
            "{} · {} · H = {} s\n\n{}\n{bonds}{lines}{chosen}{events}\n{}, {} in {:.3} s; steps: {}{}\n{}",
            title(s),
            method_line(s),
            s.experiment.step_s.unwrap_or(f64::NAN),
            table.terminal(),
            counted(rows.count, "row"),
            counted(self.statistics.windows, "window"),
            self.wall.as_secs_f64(),
            steps.join(", "),
            clock.unwrap_or_default(),
            self.last_line()
        )
    }

    /// The verdict, the residual power as a part of the power transmitted, and what is known of the error.
    fn last_line(&self) -> String {
        let share = |a: &Account| if a.power_max_w > 0.0 { a.residual_power_max_w / a.power_max_w } else { 0.0 };
        let worst = self.accounts.iter().map(share).max_by(f64::total_cmp);
        let worst =
            worst.map(|share| format!(" · residual power up to {:.1} % of the power transmitted", 100.0 * share));
        let error = match (self.bound, &self.errors) {
            (_, Some(errors)) => errors.line(),
            (Some(Bound { error, .. }), None) => format!("error ≤ {error:.1e}"),
            (None, None) => "not verified: `macrostep verify` compares it with smaller macro steps".to_owned(),
        };
        format!("verdict: {}{} · {error}", self.verdict.grade, worst.unwrap_or_default())
    }
}

fn opening(o: &Opening) -> ConstraintResult<'_> {
    ConstraintResult { name: &o.name, gap_max: o.gap, rate_max: o.rate }
}

/// What a joint was open by, in a line that follows another.
fn opening_line(o: &Opening) -> String {
    format!("\nconstraint `{}`: largest gap {:.1e} in position, {:.1e} in velocity", o.name, o.gap, o.rate)
}

impl Summary<'_> {
    /// As text.
    ///
    /// # Errors
    /// [`Failure::Json`].
    pub fn json(&self) -> Result<String, Failure> {
        Ok(serde_json::to_string_pretty(self)?)
    }
}
