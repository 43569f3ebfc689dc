//! The page of a run: `report.html`, which opens in any browser without network.

use std::path::Path;

use macrostep_description::shown;
use macrostep_master::record::{Column, ColumnKind};
use macrostep_plot::Page;
use macrostep_plot::page::{Curve, Sheet};
use macrostep_system::{Assembly, Scenario, toml};

use super::outcome::{Outcome, Summary};
use super::steps::Rows;
use super::{method_line, title};
use crate::failure::Failure;
use crate::print::counted;
use crate::thinned::Thinned;

/// The picture of the system as SVG; nothing where it cannot be drawn, which is said on standard error.
pub fn picture(assembly: &Assembly) -> Option<String> {
    let drawn = macrostep_system::graph::graph(assembly);
    drawn
        .inspect_err(|why| eprintln!("note: the report is without a picture of the system: {why}"))
        .ok()
        .map(|d| d.svg())
}

/// Writes the page of a run with these curves.
///
/// # Errors
/// [`Failure`] where the file cannot be written.
pub fn write(
    path: &Path,
    (scenario, picture): (&Scenario, Option<&str>),
    (outcome, rows): (&Outcome, &Rows),
    thinned: &Thinned,
) -> Result<(), Failure> {
    let summary = outcome.summary(scenario, rows);
    let page = Page {
        title: title(scenario).to_owned(),
        subtitle: format!("{} · macrostep {}", method_line(scenario), env!("CARGO_PKG_VERSION")),
        facts: facts(&summary),
        error: summary.error.map(str::to_owned).or_else(|| summary.unconverged.clone()),
        warnings: summary.warnings.to_vec(),
        note: curves_note(rows.count, thinned),
        time: thinned.times(),
        curves: curves(thinned),
        tables: [units(&summary), bonds(&summary), finals(outcome, rows)].into_iter().flatten().collect(),
        picture: picture.map(|svg| ("System".to_owned(), svg.to_owned())),
        texts: vec![("Scenario".to_owned(), toml::write(scenario))],
    };
    Ok(page.write(path)?)
}

fn facts(s: &Summary) -> Vec<(String, String)> {
    let fact = |name: &str, value: String| (name.to_owned(), value);
    let mut facts = vec![
        fact("time span", format!("{} … {} s", shown::time(s.start_s), shown::time(s.end_s))),
        fact("macro step H", format!("{} s", shown::time(s.step_s))),
        fact("macro steps", s.windows.to_string()),
        fact("runs of macro steps", s.window_runs.to_string()),
        fact("macro steps not converged", s.unconverged_windows.to_string()),
        fact("rows", s.rows.to_string()),
        fact("computing time", format!("{:.3} s", s.wall_s)),
    ];
    if let Some(control) = &s.control {
        let [shortest, longest] = control.window_s();
        facts.push(fact("chosen steps", format!("{shortest:.3e} … {longest:.3e} s, {} rejected", control.rejected())));
    }
    facts.extend(s.diverged_at_s.map(|t_s| fact("diverged at", format!("{} s", shown::time(t_s)))));
    facts
}

fn curves_note(rows: u64, thinned: &Thinned) -> String {
    let how = if thinned.is_thinned() {
        ", thinned: of rows that follow each other first, lowest, highest and last"
    } else {
        ""
    };
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

fn units(s: &Summary) -> Option<Sheet> {
    let row = |u: &super::outcome::UnitResult| {
        vec![u.name.to_owned(), u.fmu.clone(), u.kind.to_owned(), u.do_steps.to_string()]
    };
    let note = "Calls of fmi2DoStep, repetitions included.";
    sheet("Units", note, &["unit", "FMU", "runs", "calls"], s.units.iter().map(row).collect())
}

fn bonds(s: &Summary) -> Option<Sheet> {
    let row = |b: &crate::summary::PowerBond| {
        let [energy, energy_max, power_max] = b.residuals();
        vec![b.name().to_owned(), format!("{energy:.6e}"), format!("{energy_max:.6e}"), format!("{power_max:.6e}")]
    };
    let columns = ["power bond", "residual energy [J]", "at most [J]", "residual power at most [W]"];
    let note = "What the coupling adds to the energy of the system: 0 for the exact solution.";
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
