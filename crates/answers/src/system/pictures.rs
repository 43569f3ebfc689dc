//! Pictures of a run: all recorded variables over time, with one or more panels for each unit of measurement.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use macrostep_description::{Causality, Variability};
use macrostep_master::record::Column;
use macrostep_plot::{Axis, Chart, Figure, PlotError, Series};
use macrostep_run::Thinned;
use macrostep_system::{Assembly, Scenario};

/// Lines in one panel: as many as there are colours.
const LINES_MAX: usize = 8;
/// Panels in one picture: it stays a few thousand pixels high.
const PANELS_MAX: usize = 24;

/// Columns of recorded variables that a run cannot change: parameters and constants.
pub fn parameters(assembly: &Assembly) -> HashSet<String> {
    let is_fixed = |&&(u, v): &&(usize, usize)| {
        let variable = &assembly.descriptions[u].variables[v];
        matches!(variable.causality, Causality::Parameter | Causality::CalculatedParameter)
            || variable.variability == Variability::Constant
    };
    assembly.recorded.iter().filter(is_fixed).map(|&(u, v)| assembly.column(u, v)).collect()
}

/// Writes `outputs.svg` and `outputs.png`, and names on standard error the variables that are not drawn.
///
/// # Errors
/// [`PlotError`] with the file that could not be written.
pub fn write(folder: &Path, s: &Scenario, rows: &Thinned, parameters: &HashSet<String>) -> Result<(), PlotError> {
    // A parameter is a number, not a curve, unless the unit changes it all the same.
    let columns: Vec<&Column> = rows.columns().collect();
    let changes = |i: &usize| {
        let (_, values) = rows.curve(*i);
        values.iter().any(|value| Some(value) != values.first())
    };
    let curves: Vec<usize> =
        (0..columns.len()).filter(|i| !parameters.contains(&columns[*i].name) || changes(i)).collect();
    // Charts by unit of measurement; a picture has room for some of them.
    let left_out = rows.left_out(parameters);
    let panels = panels(&columns, &curves);
    let drawn: usize = panels.iter().take(PANELS_MAX).map(|panel| panel.lines.len()).sum();
    let all = curves.len() + left_out;
    let left_out = all - drawn;
    if panels.is_empty() {
        return Ok(());
    }

    // How it was run, and a note where not every variable is drawn.
    let c = &s.coupling;
    let step_s = s.experiment.step_s.unwrap_or(f64::NAN);
    let mut how = format!("{} · {} · {} · {} · H = {step_s} s", c.schedule, c.predict, c.correct, c.sampling);
    if left_out > 0 {
        how = format!("{how} · {drawn} of {all} variables");
        crate::print::remark!(
            "note: `{}` shows {drawn} of {all} recorded variables, the others are in `trace.csv`; name those to be drawn in \
             `variables` of [record]",
            folder.join("outputs.png").display()
        );
    }
    // A chart for each panel, a line in it for each variable.
    let title = if s.name.is_empty() { "Recorded variables" } else { &s.name };
    let mut figure = Figure::new(title).subtitle(&how);
    for panel in panels.iter().take(PANELS_MAX) {
        let mut chart = Chart::new("", Axis::linear("time", "s"), Axis::linear("value", panel.unit));
        for i in &panel.lines {
            let (times, values) = rows.curve(*i);
            chart = chart.with(Series::line(&columns[*i].name, times, values));
        }
        figure = figure.with(chart);
    }
    // Two in a row where there are many.
    let wide = if panels.len() > 3 { 2 } else { 1 };
    figure.columns(wide).panel_size(620.0, 320.0).write(folder, "outputs").map(|_| ())
}

/// Columns that are drawn together.
struct Panel<'a> {
    unit: &'a str,
    lines: Vec<usize>,
}

/// Curves by unit of measurement, errors apart, in the order in which units first occur, spread evenly where one panel cannot hold them.
fn panels<'a>(columns: &[&'a Column], curves: &[usize]) -> Vec<Panel<'a>> {
    let mut units: Vec<Panel<'a>> = Vec::new();
    let mut place: HashMap<(&str, bool), usize> = HashMap::new();
    // Errors are small beside what they are errors of.
    let names: HashSet<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let is_error = |name: &str| name.strip_suffix("_error").is_some_and(|of| names.contains(of));
    for i in curves {
        let unit = columns[*i].unit.as_str();
        let at = *place.entry((unit, is_error(&columns[*i].name))).or_insert(units.len());
        if at == units.len() {
            units.push(Panel { unit, lines: Vec::new() });
        }
        units[at].lines.push(*i);
    }
    let split = |Panel { unit, lines }: Panel<'a>| {
        let each = lines.len().div_ceil(lines.len().div_ceil(LINES_MAX));
        let parts: Vec<_> = lines.chunks(each).map(|part| Panel { unit, lines: part.to_vec() }).collect();
        parts
    };
    units.into_iter().flat_map(split).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_curve_is_in_one_panel_of_its_unit() {
        let units = ["m", "1", "m", "N"];
        let columns: Vec<Column> = (0..50).map(|i| Column::new(format!("v{i}"), units[i % 4])).collect();
        let curves: Vec<usize> = (1..50).collect();
        let columns: Vec<&Column> = columns.iter().collect();
        let panels = panels(&columns, &curves);
        let mut drawn: Vec<usize> = panels.iter().flat_map(|p| p.lines.clone()).collect();
        drawn.sort_unstable();
        assert_eq!(drawn, curves);
        let shape: Vec<_> = panels.iter().map(|p| (p.unit, p.lines.len())).collect();
        assert_eq!(shape, [("1", 7), ("1", 6), ("m", 8), ("m", 8), ("m", 8), ("N", 6), ("N", 6)]);
        assert!(panels.iter().all(|p| p.lines.iter().all(|i| columns[*i].unit == p.unit)));
    }
}
