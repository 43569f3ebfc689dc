//! Charts of a run of the main job: positions and energy against exact.

use macrostep_master::record::Trace;
use macrostep_plot::{Axis, Chart, Series};

/// How many times as large as the exact solution a picture shows.
const GROWN: f64 = 20.0;

/// Both positions and, dashed, their exact values.
pub fn positions(rows: &Trace) -> Chart {
    let (title, axis) = within(rows, Axis::linear("position", "m"), &["mass1.x", "mass2.x"]);
    Chart::new(&title, seconds(), axis)
        .with(line(rows, "x₁", column(rows, "mass1.x")))
        .with(line(rows, "x₂", column(rows, "mass2.x")))
        .with(line(rows, "x₁ exact", exact(rows, "mass1.x")).dashed().colour(6))
        .with(line(rows, "x₂ exact", exact(rows, "mass2.x")).dotted().colour(6))
}

/// The axis, cut where values leave all bounds of what they should be, and words that say so.
fn within(rows: &Trace, axis: Axis, names: &[&str]) -> (String, Axis) {
    let largest = |values: fn(&Trace, &str) -> Vec<f64>| {
        let values = names.iter().flat_map(|name| values(rows, name));
        values.filter(|x| x.is_finite()).fold(0.0, |max: f64, x| max.max(x.abs()))
    };
    let (found, exact) = (largest(column), largest(exact));
    if exact == 0.0 || found <= GROWN * exact {
        return (String::new(), axis);
    }
    (
        format!("axis cut: the run grows to {found:.1e}, the exact solution to {exact:.1e}"),
        axis.range(-3.0 * exact, 3.0 * exact),
    )
}

/// Values over the time of the rows as a line.
fn line(rows: &Trace, label: &str, values: Vec<f64>) -> Series {
    Series::line(label, column(rows, "time"), values)
}

/// Energy and, dashed, its exact value.
pub fn energies(rows: &Trace) -> Chart {
    let (title, axis) = within(rows, Axis::linear("energy", "J"), &["energy"]);
    Chart::new(&title, seconds(), axis)
        .with(line(rows, "kinetic + potential", column(rows, "energy")))
        .with(line(rows, "exact", exact(rows, "energy")).dashed().colour(6))
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

/// The exact values of a column: what is left of it without its error.
pub fn exact(trace: &Trace, name: &str) -> Vec<f64> {
    let errors = column(trace, &format!("{name}_error"));
    column(trace, name).into_iter().zip(errors).map(|(value, error)| value - error).collect()
}

fn seconds() -> Axis {
    Axis::linear("time", "s")
}
