//! The pictures of the main job, one set for each case.

use std::path::Path;

use macrostep_analysis::scheme::Scheme;
use macrostep_answers::choices::{Case, Correct, Coupling, Schedule, typed};
use macrostep_plot::{Axis, Bars, Chart, Figure, PlotError, Series};

use super::Entry;
use super::pictures::{column, energies, exact, positions, running_maximum};

/// Writes `caseN_motion`, `caseN_errors` and `caseN_overview` into `folder`.
///
/// # Errors
/// [`PlotError`] with the file that could not be written.
pub fn write(folder: &Path, case: Case, entries: &[Entry]) -> Result<(), PlotError> {
    let entries: Vec<&Entry> = entries.iter().filter(|entry| entry.case == case).collect();
    let prefix = format!("case{}", typed(case));
    motion(&entries).write(folder, &format!("{prefix}_motion"))?;
    errors(&entries).write(folder, &format!("{prefix}_errors"))?;
    overview(&entries).write(folder, &format!("{prefix}_overview"))?;
    Ok(())
}

/// Positions and energy of the benchmark's first coupling, linear, explicit, against exact.
fn motion(entries: &[&Entry]) -> Figure {
    let shown = |entry: &&&Entry| {
        entry.scheme.coupling == Coupling::ForceDisplacement
            && entry.scheme.schedule == Schedule::Jacobi
            && entry.scheme.predict.degree == 1
            && entry.scheme.correct == Correct::Explicit
    };
    let mut figure = Figure::new("Two-mass oscillator, co-simulated and exact").panel_size(1000.0, 340.0);
    if let Some(entry) = entries.iter().find(shown) {
        figure = figure.subtitle(&entry.line()).with(positions(&entry.found.rows)).with(energies(&entry.found.rows));
    }
    figure
}

/// The largest error so far over time: a panel a coupling and schedule, a line a predictor and corrector.
fn errors(entries: &[&Entry]) -> Figure {
    let largest = entries.iter().map(|entry| entry.found.error).filter(|error| error.is_finite());
    let ends = [largest.clone().fold(f64::INFINITY, f64::min) * 1e-2, largest.fold(1e-12, f64::max) * 2.0];
    let mut figure = Figure::new("Largest position error so far, relative to the amplitude")
        .subtitle("solid: explicit · dashed: Newton · both masses, the larger error")
        .columns(2)
        .panel_size(560.0, 270.0);
    for group in entries.chunk_by(|a, b| panel_key(a) == panel_key(b)) {
        let axis = Axis::log("error", "1").range(ends[0].max(1e-16), ends[1]);
        let mut chart = Chart::new(&panel_title(group[0]), Axis::linear("time", "s"), axis);
        for entry in group {
            chart = chart.with(error_line(entry));
        }
        figure = figure.with(chart);
    }
    figure
}

fn error_line(entry: &Entry) -> Series {
    let trace = &entry.found.rows;
    let relative = |name: &str| -> Vec<f64> {
        let amplitude = exact(trace, name).iter().fold(f64::MIN_POSITIVE, |max, x| max.max(x.abs()));
        column(trace, &format!("{name}_error")).iter().map(|error| error.abs() / amplitude).collect()
    };
    let both: Vec<f64> = relative("mass1.x").iter().zip(relative("mass2.x")).map(|(a, b)| a.max(b)).collect();
    let label = if is_newton(entry) { String::new() } else { entry.scheme.predict.to_string() };
    let line = Series::line(&label, column(trace, "time"), running_maximum(&both));
    let line = line.colour(entry.scheme.predict.degree as usize);
    if is_newton(entry) { line.dashed() } else { line }
}

/// All errors of a case as bars.
fn overview(entries: &[&Entry]) -> Figure {
    let groups: Vec<&[&Entry]> = entries.chunk_by(|a, b| panel_key(a) == panel_key(b)).collect();
    let mut figure = Figure::new("Largest relative position error, H = 1 ms, 10 s").columns(2).panel_size(620.0, 460.0);
    // One range for both, so that bars of equal length mean equal errors.
    let errors = || entries.iter().map(|entry| entry.found.error).filter(|e| e.is_finite() && *e > 0.0);
    let ends = [errors().fold(f64::INFINITY, f64::min), errors().fold(0.0, f64::max)];
    for correct in [Correct::Explicit, Correct::Newton] {
        let names = groups.iter().map(|group| panel_title(group[0]));
        let axis = Axis::log("largest error / amplitude", "1");
        let axis = if ends[0] < ends[1] { axis.range(ends[0], ends[1]) } else { axis };
        let mut bars = Bars::new(&format!("corrector: {}", typed(correct)), axis, names);
        for degree in 0..3 {
            let pick = |group: &&[&Entry]| {
                let fits = |e: &&&Entry| e.scheme.correct == correct && e.scheme.predict.degree == degree;
                group.iter().find(fits).map_or(f64::NAN, |entry| entry.found.error)
            };
            let label = ["hold", "linear", "quadratic"][degree as usize];
            bars = bars.with(label, groups.iter().map(pick).collect::<Vec<_>>());
        }
        figure = figure.with(bars);
    }
    figure
}

fn panel_key(entry: &Entry) -> (Coupling, Schedule) {
    (entry.scheme.coupling, entry.scheme.schedule)
}

fn panel_title(entry: &Entry) -> String {
    let Scheme { coupling, schedule, .. } = entry.scheme;
    format!("{} ({}) · {}", typed(coupling), coupling.letters(), schedule.short())
}

fn is_newton(entry: &Entry) -> bool {
    entry.scheme.correct == Correct::Newton
}
