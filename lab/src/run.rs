//! A run: the scenario as TOML, read as the program reads it, assembled, and followed to its end.

use std::path::Path;

use macrostep_analysis::models::{Models, native};
use macrostep_master::record::Observer;
use macrostep_master::{RunError, Simulation};
use macrostep_system::words::Control;
use macrostep_system::{Catalogue, Finding, Scenario, Severity, assemble, second_look, toml};

use crate::answer::{Answer, Column, Panel, Ran};
use crate::command;
use crate::question::Settings;
use crate::{others, pair, systems};

/// Macro steps of a run in a page.
const WINDOWS_MAX: f64 = 1e6;

/// Macro steps that step control may choose in a page: each has a row.
const CHOSEN_MAX: u64 = 100_000;

/// Rows that a page gets, about.
const ROWS_MAX: u64 = 20_000;

/// Runs what the controls say.
///
/// # Errors
/// In words: what cannot be run, and why.
pub fn run(settings: &Settings) -> Result<Answer, String> {
    let windows = settings.stop / settings.step;
    if !(settings.step > 0.0 && settings.stop > 0.0 && windows.is_finite()) {
        return Err(format!("H = {} s up to {} s: expected positive numbers", settings.step, settings.stop));
    }
    if windows > WINDOWS_MAX {
        return Err(format!(
            "{windows:.0} macro steps, expected at most {WINDOWS_MAX:.0} in a page; in a shell there is no limit"
        ));
    }
    // Of steps that are chosen each is shown.
    let is_chosen = settings.coupling()?.control.kind != Control::Fixed;
    let every = if is_chosen { 1 } else { (windows as u64).div_ceil(ROWS_MAX).max(1) };
    if settings.system == systems::PAIR { pair::run(settings, every) } else { others::run(settings, every) }
}

/// A scenario that was read from its own text, at its start.
pub struct Begun {
    /// What was read.
    pub scenario: Scenario,
    /// As it is shown, and what is to be said of it.
    pub ran: Ran,
    /// At its start.
    pub simulation: Simulation,
}

/// From a scenario to a simulation by way of the text that the page shows.
///
/// # Errors
/// What the reader, the check or a unit says.
pub fn begun(scenario: &Scenario, name: &str) -> Result<Begun, String> {
    let (text, file) = (toml::write(scenario), format!("{name}.toml"));
    let scenario = toml::read(&text, &file, Path::new("")).map_err(|finding| finding.to_string())?;
    let (assembly, findings) = assemble(&scenario, &Models(&native)).map_err(|findings| first(&findings))?;
    let scenario = assembly.effective.clone();
    let mut simulation = assembly.simulation().map_err(|e| e.to_string())?;
    simulation.initialise().map_err(|e| e.to_string())?;
    let notes = findings.iter().filter(|f| f.severity == Severity::Warning).map(ToString::to_string).collect();
    let ran = Ran {
        commands: vec![("In a shell, from the scenario below".to_owned(), command::run(&file))],
        toml: text,
        file,
        notes,
        ..Ran::default()
    };
    Ok(Begun { scenario, ran, simulation })
}

/// The error that keeps a scenario from running.
fn first(findings: &[Finding]) -> String {
    let error = findings.iter().find(|f| f.severity == Severity::Error).or(findings.first());
    error.map_or_else(|| "it cannot be run".to_owned(), ToString::to_string)
}

impl Begun {
    /// Steps to `stop_s` \[s\], every row shown to `rows`; the run that leaves all bounds ends there.
    ///
    /// # Errors
    /// What a unit answers.
    pub fn follow(&mut self, stop_s: f64, every: u64, rows: &mut dyn Observer) -> Result<(), String> {
        let is_chosen = self.simulation.course().is_some();
        let in_all = || self.simulation.windows_in(stop_s).map_err(|e| e.to_string());
        let windows = if is_chosen { CHOSEN_MAX } else { in_all()? };
        match self.simulation.run(windows, every, rows) {
            Ok(()) if is_chosen && !self.simulation.is_over() => Err(format!(
                "step control has come to {} s in {CHOSEN_MAX} macro steps, the most in a page; in a shell there is no limit: choose a larger tolerance",
                self.simulation.time_s()
            )),
            Ok(()) => {
                // The end has a row, whatever the interval of rows.
                if !is_chosen && !windows.is_multiple_of(every) {
                    self.simulation.observe(rows).map_err(|e| e.to_string())?;
                }
                self.simulation.terminate().map_err(|e| e.to_string())
            }
            Err(RunError::Diverged(_)) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Verdict, remarks and numbers of calls.
    pub fn judged(&mut self) {
        let (simulation, statistics) = (&self.simulation, self.simulation.statistics());
        let models = Models(&native);
        let verdict =
            second_look(simulation.verdict(), (&self.scenario, &models as &dyn Catalogue), statistics.windows, &|| {
                true
            });
        let steps: Vec<String> = simulation.do_steps().iter().map(u64::to_string).collect();
        self.ran.facts.push(("macro steps".to_owned(), statistics.windows.to_string()));
        self.ran.facts.push(("doSteps of each unit".to_owned(), steps.join(" + ")));
        if let Some(course) = simulation.course() {
            let [shortest, longest] = course.window_s;
            self.ran.facts.push(("shortest, longest step".to_owned(), format!("{shortest:.1e}, {longest:.1e} s")));
            self.ran.facts.push(("steps taken back".to_owned(), course.rejected.to_string()));
        }
        let warnings = simulation.warnings().iter().filter(|warning| **warning != verdict.reason);
        self.ran.notes.extend(warnings.cloned());
        (self.ran.verdict, self.ran.reason) = (verdict.grade.to_string(), verdict.reason);
    }

    /// The answer with these columns, each as long as the others.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn answer(mut self, mut columns: Vec<Vec<f64>>) -> Result<Answer, String> {
        // Steps that were chosen are seen.
        if self.simulation.course().is_some() {
            columns.push(steps(&columns[0]));
            self.ran.columns.push(Column { name: "step".to_owned(), unit: "s".to_owned() });
            let curve = ("H", columns.len() - 1, 3, false);
            self.ran.panels.push(Panel { stairs: true, ..Panel::new("macro step", "s", &[curve]).log() });
        }
        self.ran.rows = columns.first().map_or(0, Vec::len);
        Answer::new(&self.ran, columns.concat())
    }
}

/// The macro step that ends at each row; at the start, and at a second row of one instant, that of the row beside it.
fn steps(times_s: &[f64]) -> Vec<f64> {
    let mut steps: Vec<f64> = times_s.windows(2).map(|t| t[1] - t[0]).collect();
    steps.insert(0, steps.first().copied().unwrap_or(f64::NAN));
    for i in 1..steps.len() {
        if steps[i] == 0.0 {
            steps[i] = steps[i - 1];
        }
    }
    steps
}
