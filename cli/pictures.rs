//! The pictures of one run: positions against exact, error on a logarithmic axis, energy.

use std::path::Path;

use macrostep_master::record::Trace;
use macrostep_plot::{Axis, Chart, Figure, PlotError, Series};
use macrostep_run::Thinned;

use crate::options::OscillatorOptions;

/// How many times as large as the exact solution a picture shows.
const GROWN: f64 = 20.0;

/// Rows as curves.
pub trait Curves {
    /// Times and values of a column; nothing where there is none of this name.
    fn curve_of(&self, column: &str) -> (Vec<f64>, Vec<f64>);
}

impl Curves for Trace {
    fn curve_of(&self, name: &str) -> (Vec<f64>, Vec<f64>) {
        (column(self, "time"), column(self, name))
    }
}

impl Curves for Thinned {
    fn curve_of(&self, name: &str) -> (Vec<f64>, Vec<f64>) {
        self.columns().position(|column| column.name == name).map(|place| self.curve(place)).unwrap_or_default()
    }
}

/// Writes `positions`, `error` and `energy`, each as SVG and PNG, into `folder`.
///
/// # Errors
/// [`PlotError`] with the file that could not be written.
pub fn write(folder: &Path, options: &OscillatorOptions, rows: &dyn Curves) -> Result<(), PlotError> {
    let amplitude = |i: usize| -> f64 {
        let (_, column) = rows.curve_of(["x1_exact", "x2_exact"][i]);
        column.iter().fold(0.0, |max: f64, x| max.max(x.abs()))
    };
    let figures = [
        ("positions", "Positions against the exact solution", positions(rows)),
        ("error", "Position error", errors(rows, [amplitude(0), amplitude(1)])),
        ("energy", "Energy", energies(rows)),
    ];
    for (name, title, chart) in figures {
        let figure = Figure::new(title).subtitle(&options.line()).with(chart);
        figure.panel_size(1000.0, 440.0).write(folder, name)?;
    }
    Ok(())
}

/// Both positions and, dashed, their exact values.
pub fn positions(rows: &dyn Curves) -> Chart {
    let (title, axis) = within(rows, Axis::linear("position", "m"), ["x1", "x2"], ["x1_exact", "x2_exact"]);
    Chart::new(&title, seconds(), axis)
        .with(line(rows, "x₁", "x1"))
        .with(line(rows, "x₂", "x2"))
        .with(line(rows, "x₁ exact", "x1_exact").dashed().colour(6))
        .with(line(rows, "x₂ exact", "x2_exact").dotted().colour(6))
}

/// The axis, cut where values leave all bounds of what they should be, and words that say so.
fn within(rows: &dyn Curves, axis: Axis, found: [&str; 2], exact: [&str; 2]) -> (String, Axis) {
    let largest = |names: [&str; 2]| {
        let values = names.into_iter().flat_map(|name| rows.curve_of(name).1);
        values.filter(|x| x.is_finite()).fold(0.0, |max: f64, x| max.max(x.abs()))
    };
    let (found, exact) = (largest(found), largest(exact));
    if exact == 0.0 || found <= GROWN * exact {
        return (String::new(), axis);
    }
    (
        format!("axis cut: the run grows to {found:.1e}, the exact solution to {exact:.1e}"),
        axis.range(-3.0 * exact, 3.0 * exact),
    )
}

/// A column of the rows as a line.
fn line(rows: &dyn Curves, label: &str, column: &str) -> Series {
    let (times, values) = rows.curve_of(column);
    Series::line(label, times, values)
}

/// Errors relative to the largest displacement, thin with their dips, and thick their largest value so far.
pub fn errors(rows: &dyn Curves, amplitude: [f64; 2]) -> Chart {
    let mut chart = Chart::new("", seconds(), Axis::log("|x − x exact| / amplitude", "1"));
    for (i, (name, label)) in [("x1_error", "x₁"), ("x2_error", "x₂")].into_iter().enumerate() {
        let scale = if amplitude[i] > 0.0 { amplitude[i] } else { 1.0 };
        let (time, error) = rows.curve_of(name);
        let error: Vec<f64> = error.iter().map(|error| error.abs() / scale).collect();
        let so_far = running_maximum(&error);
        chart = chart
            .with(Series::line(label, time.clone(), error).colour(i).width(0.8))
            .with(Series::line(&format!("{label} largest so far"), time, so_far).colour(i).width(2.2));
    }
    chart
}

/// Energy and, dashed, its exact value.
pub fn energies(rows: &dyn Curves) -> Chart {
    let (title, axis) = within(rows, Axis::linear("energy", "J"), ["energy"; 2], ["energy_exact"; 2]);
    Chart::new(&title, seconds(), axis)
        .with(line(rows, "kinetic + potential", "energy"))
        .with(line(rows, "exact", "energy_exact").dashed().colour(6))
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
