//! Work-precision diagrams: a row of panels a coupling, or a coupling and schedule where there are many schemes: error against
//! do_steps and against time.

use std::path::Path;

use macrostep_analysis::Scheme;
use macrostep_plot::{Axis, Chart, Figure, PlotError, Series};

use super::compare::Entry;

/// Lines of one panel at most, where schedules are not apart.
const LINES_MAX: usize = 8;

/// Writes `compare`.
///
/// # Errors
/// [`PlotError`] with the file that could not be written.
pub fn write(folder: &Path, entries: &[Entry], line: &str) -> Result<(), PlotError> {
    // Few schemes of a cut share a panel; of many, each schedule has one.
    let of = |coupling| entries.iter().filter(|e| e.scheme.coupling == coupling).count();
    let is_together = |s: &Scheme| of(s.coupling) <= LINES_MAX;
    let panel = |s: &Scheme| {
        if is_together(s) { s.coupling.to_string() } else { format!("{} {}", s.coupling, s.schedule.short()) }
    };
    let title = "Accuracy against work";
    // Two panels in a row, as each group has two: by calls and by time.
    let mut figure = Figure::new(title).subtitle(line).columns(2).panel_size(640.0, 430.0);
    for group in entries.chunk_by(|a, b| panel(&a.scheme) == panel(&b.scheme)) {
        let name = panel(&group[0].scheme);
        for (words, x) in [("do_steps of all units", Axis::log("do_steps", "1")), ("time", Axis::log("time", "s"))] {
            let by_time = words == "time";
            let title = format!("{name}: {words}");
            let mut chart = Chart::new(&title, x, Axis::log("position error / amplitude", "1"));
            // A curve for each scheme; errors above the amplitude say nothing.
            for (i, entry) in group.iter().enumerate() {
                let work = entry.runs.iter().map(|w| if by_time { w.wall_s } else { w.do_steps as f64 });
                let error = entry.runs.iter().map(|w| w.error.position).map(|e| if e < 1.0 { e } else { f64::NAN });
                let words = entry.scheme.words();
                let label = if is_together(&entry.scheme) {
                    format!("{} {words}", entry.scheme.schedule.short())
                } else {
                    words
                };
                let (work, error) = (work.collect::<Vec<_>>(), error.collect::<Vec<_>>());
                // Times of short runs scatter: points without lines.
                let line = || Series::line(&label, work.clone(), error.clone()).marked(i);
                chart = chart.with(if by_time { Series::points(&label, work, error, i) } else { line() });
            }
            figure = figure.with(chart);
        }
    }
    figure.write(folder, "compare").map(|_| ())
}
