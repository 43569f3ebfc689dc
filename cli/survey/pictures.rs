//! Charts of a run of the main job: positions and energy against exact.

use macrostep_master::record::Trace;
use macrostep_plot::{Axis, Chart, Series};

/// How many times as large as the exact solution a picture shows.
const GROWN: f64 = 20.0;

/// Both positions and, dashed, their exact values.
pub fn positions(rows: &Trace) -> Chart {
    let (title, axis) = within(rows, Axis::linear("position", "m"), ["x1", "x2"], ["x1_exact", "x2_exact"]);
    Chart::new(&title, seconds(), axis)
        .with(line(rows, "x₁", "x1"))
        .with(line(rows, "x₂", "x2"))
        .with(line(rows, "x₁ exact", "x1_exact").dashed().colour(6))
        .with(line(rows, "x₂ exact", "x2_exact").dotted().colour(6))
}

/// The axis, cut where values leave all bounds of what they should be, and words that say so.
fn within(rows: &Trace, axis: Axis, found: [&str; 2], exact: [&str; 2]) -> (String, Axis) {
    let largest = |names: [&str; 2]| {
        let values = names.into_iter().flat_map(|name| column(rows, name));
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
fn line(rows: &Trace, label: &str, name: &str) -> Series {
    Series::line(label, column(rows, "time"), column(rows, name))
}

/// Energy and, dashed, its exact value.
pub fn energies(rows: &Trace) -> Chart {
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
