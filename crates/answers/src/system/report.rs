//! The page of a run: `report.html`, which opens in any browser without network.

use std::path::Path;

use macrostep_description::shown;
use macrostep_master::record::{Column, ColumnKind, Observer};
use macrostep_master::{Grade, RunError, SavedState, Simulation, Verdict};
use macrostep_plot::Page;
use macrostep_plot::page::{Curve, Sheet};
use macrostep_run::{OutputError, Rows, Sink, Stream, Thinned};
use macrostep_system::{Assembly, Scenario, toml};

use super::outcome::{Outcome, Summary};
use super::watch::Watch;
use super::{fragment, method_line, title};
use crate::failure::Failure;
use crate::print::counted;

/// The picture of the system as SVG; nothing where it cannot be drawn, which is said on standard error.
pub fn picture(assembly: &Assembly) -> Option<String> {
    let drawn = macrostep_system::graph::graph(assembly);
    drawn
        .inspect_err(|why| crate::print::remark!("note: the report is without a picture of the system: {why}"))
        .ok()
        .map(|d| d.svg())
}

/// The page of a run while it goes on.
#[derive(Debug)]
pub struct Live {
    watch: Watch,
    scenario: Scenario,
    picture: Option<String>,
}

impl Live {
    /// Serves the page of a run that is about to begin.
    ///
    /// # Errors
    /// [`Failure`] where the port cannot be had.
    pub fn serve(port: u16, (scenario, picture): (&Scenario, Option<String>)) -> Result<Live, Failure> {
        let page = Page { is_live: true, ..head(scenario, picture.as_deref()) };
        Ok(Live { watch: Watch::serve(port, &page)?, scenario: scenario.clone(), picture })
    }

    /// Whether somebody looks and has an old state.
    pub fn is_due(&self) -> bool {
        self.watch.is_due()
    }

    /// Shows what there is so far.
    ///
    /// # Errors
    /// [`Failure`] where it cannot be put into words.
    pub fn show(&mut self, simulation: &Simulation, rows: &Rows) -> Result<(), Failure> {
        let (s, n) = (&self.scenario, simulation.statistics());
        let fact = |name: &str, value: String| (name.to_owned(), value);
        let units = s.units.iter().zip(simulation.do_steps());
        let calls = units.map(|(unit, n)| vec![unit.name.clone(), n.to_string()]).collect();
        let page = Page {
            facts: vec![
                fact("time", format!("{} of {} s", shown::time(simulation.time_s()), stop(s))),
                fact("macro step H", format!("{} s", shown::time(s.experiment.step_s.unwrap_or(f64::NAN)))),
                fact("macro steps", n.windows.to_string()),
                fact("rows", rows.count.to_string()),
                fact("verdict so far", simulation.verdict().to_string()),
            ],
            warnings: simulation.warnings().to_vec(),
            tables: sheet("Units", CALLS, &["unit", "calls"], calls).into_iter().collect(),
            is_live: true,
            ..signals(rows, head(s, self.picture.as_deref()))
        };
        self.watch.show(&page)
    }

    /// Shows how the run ended to who is still there.
    ///
    /// # Errors
    /// As [`Live::show`].
    pub fn end(self, outcome: &Outcome, rows: &Rows) -> Result<(), Failure> {
        let page = page((&self.scenario, self.picture.as_deref()), (outcome, rows));
        self.watch.end(&page)
    }
}

/// Rows that somebody looks at while they come.
pub struct Shown<'a> {
    /// The rows.
    pub rows: &'a mut Rows,
    /// Who shows them.
    pub live: Live,
}

impl Observer for Shown<'_> {
    fn row(&mut self, t_s: f64, values: &[f64]) {
        self.rows.row(t_s, values);
    }

    fn event(&mut self, t_s: f64, values: &[f64], texts: &[(usize, String)]) {
        self.rows.event(t_s, values, texts);
    }

    fn texts(&mut self, texts: &[(usize, String)]) {
        self.rows.texts(texts);
    }

    fn goes_on(&mut self) -> bool {
        self.rows.goes_on()
    }
}

impl Sink for Shown<'_> {
    fn stream(&mut self) -> Option<&mut Stream> {
        self.rows.stream()
    }

    fn end(&mut self, simulation: &mut Simulation) -> Result<(), RunError> {
        self.rows.end(simulation)
    }

    fn is_cut(&self) -> bool {
        self.rows.is_cut()
    }

    fn saved_state(&mut self, simulation: &mut Simulation) -> Result<SavedState, RunError> {
        self.rows.saved_state(simulation)
    }

    fn is_watched(&self) -> bool {
        true
    }

    fn show(&mut self, simulation: &Simulation) -> Result<(), macrostep_run::Error> {
        if !self.live.is_due() {
            return Ok(());
        }
        self.live.show(simulation, self.rows).map_err(|failure| macrostep_run::Error::Sink(Box::new(failure)))
    }
}

/// What the calls of a table of units are.
const CALLS: &str = "Calls of fmi2DoStep, repetitions included.";

fn stop(s: &Scenario) -> String {
    shown::time(s.experiment.stop_s.unwrap_or(f64::NAN)).to_string()
}

/// What is known of a run before it begins.
fn head(scenario: &Scenario, picture: Option<&str>) -> Page {
    let mut texts = vec![("Scenario".to_owned(), toml::write(scenario))];
    // The page of the laboratory is not beside this one yet.
    texts.extend(fragment::fragment(scenario).map(|fragment| {
        let how = format!(
            "macrostep lab --out .\n\nin the folder of this page writes the laboratory.\nThere this run is\n\nlaboratory.html#{fragment}"
        );
        ("The same run in the laboratory".to_owned(), how)
    }));
    Page {
        title: title(scenario).to_owned(),
        subtitle: format!("{} · macrostep {}", method_line(scenario), env!("CARGO_PKG_VERSION")),
        picture: picture.map(|svg| ("System".to_owned(), svg.to_owned())),
        texts,
        ..Page::default()
    }
}

/// The same with the curves there are.
fn signals(rows: &Rows, page: Page) -> Page {
    let Some(thinned) = &rows.curves else { return page };
    Page { note: curves_note(rows.count, thinned), time: thinned.times(), curves: curves(thinned), ..page }
}

/// Writes the page of a run.
///
/// # Errors
/// [`Failure`] where the file cannot be written.
pub fn write(path: &Path, of: (&Scenario, Option<&str>), run: (&Outcome, &Rows)) -> Result<(), Failure> {
    Ok(page(of, run).write(path)?)
}

/// The page of a run that is over.
fn page((scenario, picture): (&Scenario, Option<&str>), (outcome, rows): (&Outcome, &Rows)) -> Page {
    let summary = outcome.summary(scenario, rows);
    Page {
        facts: facts(&summary),
        error: summary.error.map(str::to_owned).or_else(|| refused(summary.verdict)),
        warnings: summary.warnings.to_vec(),
        tables: [units(&summary), errors(&summary), bonds(&summary), finals(outcome, rows)]
            .into_iter()
            .flatten()
            .collect(),
        ..signals(rows, head(scenario, picture))
    }
}

/// What is to be told as an error of a run that has come to its end.
fn refused(verdict: &Verdict) -> Option<String> {
    (verdict.grade >= Grade::Growing).then(|| verdict.reason.clone())
}

fn facts(s: &Summary) -> Vec<(String, String)> {
    // What every run has.
    let fact = |name: &str, value: String| (name.to_owned(), value);
    let mut facts = vec![
        // What is worse than doubtful stands in a sentence of its own.
        fact(
            "verdict",
            if s.verdict.grade == Grade::Doubtful { s.verdict.to_string() } else { s.verdict.grade.to_string() },
        ),
        fact("time span", format!("{} … {} s", shown::time(s.start_s), shown::time(s.end_s))),
        fact("macro step H", format!("{} s", shown::time(s.step_s))),
        fact("macro steps", s.windows.to_string()),
        fact("runs of macro steps", s.window_runs.to_string()),
        fact("macro steps not converged", s.unconverged_windows.to_string()),
        fact("rows", s.rows.to_string()),
        fact("computing time", format!("{:.3} s", s.wall_s)),
    ];
    // What only some have: chosen steps, a clock, a divergence.
    if let Some(control) = &s.control {
        let [shortest, longest] = control.window_s();
        facts.push(fact("chosen steps", format!("{shortest:.3e} … {longest:.3e} s, {} rejected", control.rejected())));
    }
    if let Some(real_time) = &s.real_time {
        let (late, most_s) = (real_time.overruns, real_time.late_max_s);
        let unit = real_time.unit.as_ref().map(|unit| format!(", `{unit}`")).unwrap_or_default();
        facts.push(fact("real time", format!("× {}: {late} late, by {:.3} ms{unit}", real_time.factor, 1e3 * most_s)));
    }
    facts.extend(s.diverged_at_s.map(|t_s| fact("diverged at", format!("{} s", shown::time(t_s)))));
    facts
}

fn curves_note(rows: u64, thinned: &Thinned) -> String {
    let how =
        if thinned.is_thinned() { ", reduced: of each group of rows the first, lowest, highest and last" } else { "" };
    format!("{}{how}", counted(rows, "row"))
}

/// Columns that change; a constant is in the table of final values.
fn curves(thinned: &Thinned) -> Vec<Curve> {
    let curve = |(place, column): (usize, &Column)| {
        let values = thinned.values(place);
        let changes = values.iter().any(|x| x.to_bits() != values[0].to_bits());
        let is_stepped = column.kind != ColumnKind::Real;
        changes.then(|| Curve { name: column.name.clone(), unit: column.unit.clone(), is_stepped, values })
    };
    thinned.columns().enumerate().filter_map(curve).collect()
}

fn sheet(title: &str, note: &str, columns: &[&str], rows: Vec<Vec<String>>) -> Option<Sheet> {
    let columns = columns.iter().map(|c| (*c).to_owned()).collect();
    let sheet = Sheet { title: title.to_owned(), note: note.to_owned(), columns, rows };
    (!sheet.rows.is_empty()).then_some(sheet)
}

/// Where a unit runs, and by which face, where there is a choice.
fn runs(u: &super::units::UnitResult) -> String {
    u.face.map_or_else(|| u.kind.to_owned(), |face| format!("{}, {face}", u.kind))
}

fn units(s: &Summary) -> Option<Sheet> {
    let row = |u: &super::units::UnitResult| {
        let mut cells = vec![u.name.to_owned(), u.fmu.clone(), runs(u), u.do_steps.to_string()];
        cells.extend(u.wall_s.map(|wall_s| format!("{wall_s:.6}")));
        cells.extend(u.wall_s.map(|wall_s| format!("{:.1}", 1e6 * wall_s / u.do_steps.max(1) as f64)));
        cells
    };
    let is_timed = s.units.iter().all(|u| u.wall_s.is_some());
    let columns = ["unit", "FMU", "runs", "calls", "time [s]", "a call [µs]"];
    let note = format!("{CALLS} Time is the time that the master waits for them.");
    let (note, shown) = if is_timed { (note.as_str(), 6) } else { (CALLS, 4) };
    sheet("Units", note, &columns[..shown], s.units.iter().map(row).collect())
}

fn errors(s: &Summary) -> Option<Sheet> {
    let errors = s.errors?;
    let row = |e: &OutputError| {
        vec![e.name.clone(), format!("{:.4e}", e.largest), e.unit.clone(), format!("{:.4e}", e.relative)]
    };
    let note = format!("Beside `{}`, in {} after the start.", errors.solution, counted(errors.rows, "row"));
    let columns = ["variable", "largest error", "unit", "relative to the amplitude"];
    sheet("Errors", &note, &columns, errors.outputs.iter().map(row).collect())
}

fn bonds(s: &Summary) -> Option<Sheet> {
    let row = |b: &crate::accounts::PowerBond| {
        let ([energy, energy_max, power_max], [passed, power]) = (b.residuals(), b.scale());
        let share = |residual: f64, scale: f64| match 100.0 * residual.abs() / scale {
            percent if percent >= 0.1 => format!("{percent:.1} %"),
            percent if percent.is_finite() => format!("{percent:.0e} %"),
            _ => "–".to_owned(),
        };
        let numbers = [energy, energy_max, passed].map(|x| format!("{x:.4e}"));
        let [energy, at_most, passed] = numbers;
        let powers = [format!("{power_max:.4e}"), share(power_max, power)];
        [vec![b.name().to_owned(), energy, at_most, passed, share(energy_max, b.scale()[0])], powers.to_vec()].concat()
    };
    let columns = [
        "power bond",
        "residual energy [J]",
        "at most [J]",
        "energy passed [J]",
        "share",
        "residual power at most [W]",
        "share of the power",
    ];
    let note = "The energy that the coupling adds to the system, beside the energy that has passed through the bond: 0 for the exact solution.";
    sheet("Energy", note, &columns, s.power_bonds.iter().map(row).collect())
}

fn finals(outcome: &Outcome, rows: &Rows) -> Option<Sheet> {
    let row = |(i, column): (usize, &Column)| {
        let value = match outcome.value(i, rows) {
            serde_json::Value::String(text) => text,
            other => other.to_string(),
        };
        vec![column.name.clone(), value, column.unit.clone()]
    };
    let columns = outcome.columns().iter().take(rows.last.len()).enumerate();
    let note = format!("At t = {} s.", shown::time(rows.last_s));
    sheet("Final values", &note, &["variable", "value", "unit"], columns.map(row).collect())
}
