//! The pictures of one run: positions against exact, error on a logarithmic axis, energy.

use std::path::Path;

use macrostep::pair::Outcome;
use macrostep_master::record::Trace;
use macrostep_plot::{Axis, Chart, Figure, PlotError, Series};

use crate::options::OscillatorOptions;

/// Writes `positions`, `error` and `energy`, each as SVG and PNG, into `folder`.
///
/// # Errors
/// [`PlotError`] with the file that could not be written.
pub fn write(folder: &Path, options: &OscillatorOptions, outcome: &Outcome) -> Result<(), PlotError> {
    let amplitude = |i: usize| -> f64 {
        let column = column(&outcome.trace, ["x1_exact", "x2_exact"][i]);
        column.iter().fold(0.0, |max: f64, x| max.max(x.abs()))
    };
    let figures = [
        ("positions", "Positions against the exact solution", positions(&outcome.trace)),
        ("error", "Position error", errors(&outcome.trace, [amplitude(0), amplitude(1)])),
        ("energy", "Energy", energies(&outcome.trace)),
    ];
    for (name, title, chart) in figures {
        let figure = Figure::new(title).subtitle(&options.line()).with(chart);
        figure.panel_size(1000.0, 440.0).write(folder, name)?;
    }
    Ok(())
}

/// Both positions and, dashed, what they should be.
pub fn positions(trace: &Trace) -> Chart {
    let time = column(trace, "time");
    Chart::new("", seconds(), Axis::linear("position", "m"))
        .with(Series::line("x₁", time.clone(), column(trace, "x1")))
        .with(Series::line("x₂", time.clone(), column(trace, "x2")))
        .with(Series::line("x₁ exact", time.clone(), column(trace, "x1_exact")).dashed().colour(6))
        .with(Series::line("x₂ exact", time, column(trace, "x2_exact")).dotted().colour(6))
}

/// Errors relative to the largest displacement, thin with their dips, and thick their largest value so far.
pub fn errors(trace: &Trace, amplitude: [f64; 2]) -> Chart {
    let time = column(trace, "time");
    let mut chart = Chart::new("", seconds(), Axis::log("|x − x exact| / amplitude", "1"));
    for (i, (name, label)) in [("x1_error", "x₁"), ("x2_error", "x₂")].into_iter().enumerate() {
        let scale = if amplitude[i] > 0.0 { amplitude[i] } else { 1.0 };
        let error: Vec<f64> = column(trace, name).iter().map(|error| error.abs() / scale).collect();
        let so_far = running_maximum(&error);
        chart = chart
            .with(Series::line(label, time.clone(), error).colour(i).width(0.8))
            .with(Series::line(&format!("{label} largest so far"), time.clone(), so_far).colour(i).width(2.2));
    }
    chart
}

/// Energy and, dashed, what it should be.
pub fn energies(trace: &Trace) -> Chart {
    let time = column(trace, "time");
    Chart::new("", seconds(), Axis::linear("energy", "J"))
        .with(Series::line("kinetic + potential", time.clone(), column(trace, "energy")))
        .with(Series::line("exact", time, column(trace, "energy_exact")).dashed().colour(6))
}

/// Largest value up to each point.
pub fn running_maximum(values: &[f64]) -> Vec<f64> {
    let mut max = f64::NAN;
    values
        .iter()
        .map(|value| {
            max = max.max(*value);
            max
        })
        .collect()
}

/// A column that every trace of a run has.
pub fn column(trace: &Trace, name: &str) -> Vec<f64> {
    trace.column(name).unwrap_or_default()
}

fn seconds() -> Axis {
    Axis::linear("time", "s")
}
