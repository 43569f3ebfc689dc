//! Pictures of convergence: global and local errors of position and velocity over H, a line a scheme.

use std::path::Path;

use macrostep_analysis::Card;
use macrostep_analysis::measure::{Convergence, Errors, FLOOR};
use macrostep_plot::{Axis, Chart, Figure, PlotError, Series};

/// Lines of one picture at most, beyond which there is one picture a predictor.
const LINES_MAX: usize = 8;

/// Writes `convergence`, or `convergence_PREDICTOR` of each predictor where there are many schemes.
///
/// # Errors
/// [`PlotError`] with the file that could not be written.
pub fn write(folder: &Path, found: &[Convergence], card: &Card, line: &str) -> Result<(), PlotError> {
    if found.len() <= LINES_MAX {
        return figure(&found.iter().collect::<Vec<_>>(), ("", line), card).write(folder, "convergence").map(|_| ());
    }
    let mut predictors: Vec<String> = found.iter().map(|c| c.scheme.predict.to_string()).collect();
    predictors.sort();
    predictors.dedup();
    for predictor in predictors {
        let of: Vec<&Convergence> = found.iter().filter(|c| c.scheme.predict.to_string() == predictor).collect();
        let name = format!("convergence_{}", predictor.replace(':', ""));
        figure(&of, (&format!(", {predictor}"), line), card).write(folder, &name)?;
    }
    Ok(())
}

fn figure(found: &[&Convergence], (which, line): (&str, &str), card: &Card) -> Figure {
    type Of = fn(&Errors) -> f64;
    let panels: [(&str, bool, Of); 4] = [
        ("global error, position", true, |e| e.position),
        ("global error, velocity", true, |e| e.velocity),
        ("local error, position", false, |e| e.position),
        ("local error, velocity", false, |e| e.velocity),
    ];
    let mut figure = Figure::new(&format!("Convergence{which}")).subtitle(line).columns(2).panel_size(640.0, 470.0);
    for (n, (title, global, of)) in panels.into_iter().enumerate() {
        let mut chart = Chart::new(title, Axis::log("H", "s"), Axis::log("error / amplitude", "1"));
        for (i, c) in found.iter().enumerate() {
            let errors = if global { &c.global } else { &c.local };
            let steps: Vec<f64> = errors.iter().map(|(h, _)| *h).collect();
            // What is larger than the motion has no order; rounding has none either.
            let shown = |e: f64| if e < 1.0 && e > 0.1 * FLOOR { e } else { f64::NAN };
            let values: Vec<f64> = errors.iter().map(|(_, e)| shown(of(e))).collect();
            // Those below are wider, so that equal ones are seen beside each other.
            let width = 1.6 + 1.2 * (found.len() - 1 - i).min(LINES_MAX) as f64;
            let series = Series::line(&c.scheme.to_string(), steps, values).marked(i).width(width);
            chart = chart.with(if i >= LINES_MAX { series.dashed() } else { series });
        }
        figure = figure.with(triangle(chart, found, card, (n, global, of)));
    }
    figure
}

/// The slope theory promises, below the lowest line.
fn triangle(
    chart: Chart,
    found: &[&Convergence],
    card: &Card,
    (n, global, of): (usize, bool, fn(&Errors) -> f64),
) -> Chart {
    let order = |c: &Convergence| {
        if global { c.scheme.global_order() } else { c.scheme.local_orders(card.integrations)[n - 2] }
    };
    let Some(first) = found.first() else { return chart };
    if found.iter().any(|c| order(c) != order(first)) {
        return chart;
    }
    let errors = |c: &Convergence| if global { c.global.clone() } else { c.local.clone() };
    let (p, ratio) = (order(first), 2.0f64);
    // Under the middle of the steps whose errors are shown.
    let mut seen: Vec<(f64, f64)> = found
        .iter()
        .flat_map(|c| errors(c))
        .map(|(h, e)| (h, of(&e)))
        .filter(|(_, e)| *e > FLOOR && *e < 1.0)
        .collect();
    seen.sort_by(|a, b| a.0.total_cmp(&b.0));
    let Some(&(h, _)) = seen.get(seen.len() / 2) else { return chart };
    let lowest = seen.iter().filter(|(at, _)| *at == h).fold(f64::INFINITY, |min, (_, e)| min.min(*e));
    chart.slope(p, [h, lowest * 0.3 / ratio.powf(p)], ratio)
}
