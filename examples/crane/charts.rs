//! Pictures of cylinder speed and force, several macro steps beside the reference.

use macrostep_plot::{Axis, Chart, Figure, Series};

use super::runs::{Columns, Outcome};

/// Speed, and below it force, of the first cylinder, over the run or for a span of it.
pub fn figure(
    title: &str,
    subtitle: &str,
    runs: &[(String, &Outcome)],
    reference: Option<&Outcome>,
    span: Option<[f64; 2]>,
) -> Figure {
    let speed = Quantity { name: "speed", unit: "mm/s", scale: 1e3, column: Columns::speed(0) };
    let force = Quantity { name: "force", unit: "kN", scale: 1e-3, column: Columns::force(0) };
    let [speed, force] = [speed, force].map(|quantity| chart(runs, reference, span, &quantity));
    Figure::new(title).subtitle(subtitle).with(speed).with(force).panel_size(1000.0, 330.0)
}

/// A column of the trace, times `scale` in `unit`.
struct Quantity {
    name: &'static str,
    unit: &'static str,
    scale: f64,
    column: String,
}

fn chart(
    runs: &[(String, &Outcome)],
    reference: Option<&Outcome>,
    span: Option<[f64; 2]>,
    quantity: &Quantity,
) -> Chart {
    let Quantity { name, unit, scale, column } = quantity;
    // The axes; a span makes a detail of the run.
    let mut x = Axis::linear("time", "s");
    if let Some([from, to]) = span {
        x = x.range(from, to);
    }
    let mut chart = Chart::new("", x, Axis::linear(name, unit));
    // A curve of a trace; points outside the span and values that are not finite are left out.
    let line = |label: &str, outcome: &Outcome| {
        let inside = |t: f64| span.is_none_or(|[from, to]| (from..=to).contains(&t));
        let time = outcome.trace.column("time").unwrap_or_default();
        let values = outcome.trace.column(column).unwrap_or_default();
        let points = time.into_iter().zip(values).filter(|(t, v)| inside(*t) && v.is_finite());
        let (t, v): (Vec<f64>, Vec<f64>) = points.map(|(t, v)| (t, scale * v)).unzip();
        Series::line(label, t, v)
    };
    // The runs in colours, and the reference over them.
    for (i, (label, outcome)) in runs.iter().enumerate() {
        chart = chart.with(line(label, outcome).colour(i));
    }
    if let Some(reference) = reference {
        chart = chart.with(line("reference, H = 0.2 ms", reference).colour(6).dashed());
    }
    chart
}
