//! Pictures of a run: one chart a unit of measurement, all recorded variables over time.

use std::path::Path;

use macrostep_master::record::Trace;
use macrostep_master::report::{Axis, Chart, Figure, PlotError, Series};
use macrostep_system::Scenario;

/// Lines in one chart before the rest is left to the CSV file.
const LINES_MAX: usize = 12;
/// Charts in one picture.
const CHARTS_MAX: usize = 12;

/// Writes `outputs.svg` and `outputs.png`.
///
/// # Errors
/// [`PlotError`] with the file that could not be written.
pub fn write(folder: &Path, s: &Scenario, trace: &Trace) -> Result<(), PlotError> {
    let columns = trace.columns();
    let mut units: Vec<&str> = columns.iter().skip(1).map(|c| c.unit.as_str()).collect();
    units.sort_unstable();
    units.dedup();
    let c = &s.coupling;
    let mut figure = Figure::new(if s.name.is_empty() { "Recorded variables" } else { &s.name }).subtitle(&format!(
        "{} · {} · {} · {} · H = {} s",
        c.schedule,
        c.predict,
        c.correct,
        c.sampling,
        s.experiment.step_s.unwrap_or(f64::NAN)
    ));
    let time = trace.column("time").unwrap_or_default();
    for unit in units.iter().take(CHARTS_MAX) {
        let mut chart = Chart::new("", Axis::linear("time", "s"), Axis::linear("value", unit));
        for (i, column) in columns.iter().enumerate().skip(1).filter(|(_, c)| c.unit == *unit).take(LINES_MAX) {
            let values: Vec<f64> = trace.rows().map(|row| row[i]).collect();
            chart = chart.with(Series::line(&column.name, time.clone(), values));
        }
        figure = figure.with(chart);
    }
    if units.is_empty() {
        return Ok(());
    }
    figure.columns(if units.len() > 3 { 2 } else { 1 }).panel_size(620.0, 320.0).write(folder, "outputs").map(|_| ())
}
