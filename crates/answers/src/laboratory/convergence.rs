//! Pictures of convergence: global and local errors of position and velocity over H, a line for each scheme.

use std::path::Path;

use macrostep_analysis::measure::{Convergence, Errors, FLOOR, Orders, orders};
use macrostep_plot::{Axis, Chart, Figure, PlotError, Series};

/// Schemes of one picture at most, beyond which there is one picture a predictor.
const SCHEMES_MAX: usize = 8;
/// Lines whose errors differ by less than this share everywhere lie on one another.
const SAME: f64 = 0.05;
/// An order this near to a whole one is that one.
const WHOLE: f64 = 0.2;
/// Length of a triangle: the ratio of its two macro steps.
const RATIO: f64 = 2.0;

/// Writes `convergence`, or `convergence_PREDICTOR` of each predictor where there are many schemes.
///
/// # Errors
/// [`PlotError`] with the file that could not be written.
pub fn write(folder: &Path, found: &[Convergence], line: &str) -> Result<(), PlotError> {
    if found.len() <= SCHEMES_MAX {
        return figure(&found.iter().collect::<Vec<_>>(), ("", line)).write(folder, "convergence").map(|_| ());
    }
    let mut predictors: Vec<String> = found.iter().map(|c| c.scheme.predict.to_string()).collect();
    predictors.sort();
    predictors.dedup();
    for predictor in predictors {
        let of: Vec<&Convergence> = found.iter().filter(|c| c.scheme.predict.to_string() == predictor).collect();
        let name = format!("convergence_{}", predictor.replace(':', ""));
        figure(&of, (&format!(", {predictor}"), line)).write(folder, &name)?;
    }
    Ok(())
}

/// Errors of positions or velocities.
type Of = fn(&Errors) -> f64;

/// A line of a panel: the schemes whose errors are the same to the eye, by their numbers.
struct Line {
    schemes: Vec<usize>,
    steps_s: Vec<f64>,
    values: Vec<f64>,
    order: Option<f64>,
}

fn figure(found: &[&Convergence], (which, line): (&str, &str)) -> Figure {
    let panels: [(&str, bool, Of, fn(&Orders) -> Option<f64>); 4] = [
        ("global error, position", true, |e| e.position, |o| o.position),
        ("global error, velocity", true, |e| e.velocity, |o| o.velocity),
        ("local error, position", false, |e| e.position, |o| o.position),
        ("local error, velocity", false, |e| e.velocity, |o| o.velocity),
    ];
    let mut figure = Figure::new(&format!("Convergence{which}")).subtitle(line).columns(2).panel_size(640.0, 470.0);
    for (title, is_global, of, order) in panels {
        let errors = |c: &Convergence| if is_global { c.global.clone() } else { c.local.clone() };
        let mut lines: Vec<Line> = Vec::new();
        for (i, c) in found.iter().enumerate() {
            let errors = errors(c);
            let (steps_s, values) = errors.iter().map(|(h, e)| (*h, shown(of(e)))).unzip();
            let line = Line { schemes: vec![i], steps_s, values, order: order(&orders(&errors)) };
            match lines.iter_mut().find(|other| is_same(other, &line)) {
                Some(same) => same.schemes.push(i),
                None => lines.push(line),
            }
        }
        let mut chart = Chart::new(title, Axis::log("H", "s"), Axis::log("error / amplitude", "1"));
        for line in &lines {
            let first = line.schemes[0];
            let series = Series::line(&names(found, &line.schemes), line.steps_s.clone(), line.values.clone());
            chart = chart.with(series.colour(first).marked(first));
        }
        figure = figure.with(triangles(chart, &lines));
    }
    figure
}

/// What is larger than the motion has no order; rounding has none either.
fn shown(error: f64) -> f64 {
    if error < 1.0 && error > 0.1 * FLOOR { error } else { f64::NAN }
}

/// Whether two lines lie on one another: what is shown of both differs by less than the width of a line.
fn is_same(a: &Line, b: &Line) -> bool {
    a.steps_s == b.steps_s
        && a.values.iter().zip(&b.values).all(|(a, b)| (a.is_nan() && b.is_nan()) || (a / b).ln().abs() < SAME)
}

/// "D/F, F/D jacobi ia0 · D/F gs12 ia0": couplings of the same schedule and words together.
fn names(found: &[&Convergence], schemes: &[usize]) -> String {
    let mut names: Vec<(Vec<&str>, String)> = Vec::new();
    for &i in schemes {
        let scheme = &found[i].scheme;
        let rest = format!("{} {}", scheme.schedule.short(), scheme.words());
        match names.iter_mut().find(|(_, other)| *other == rest) {
            Some((cuts, _)) => cuts.push(scheme.coupling.letters()),
            None => names.push((vec![scheme.coupling.letters()], rest)),
        }
    }
    let one = |(cuts, rest): &(Vec<&str>, String)| format!("{} {rest}", cuts.join(", ")).trim_start().to_owned();
    names.iter().map(one).collect::<Vec<_>>().join(" · ")
}

/// A triangle of each whole order that lines have, below the lowest of these lines.
fn triangles(mut chart: Chart, lines: &[Line]) -> Chart {
    let whole =
        |line: &Line| line.order.map(f64::round).filter(|p| *p > 0.0 && (line.order.unwrap_or(0.0) - p).abs() < WHOLE);
    let mut orders: Vec<f64> = lines.iter().filter_map(whole).collect();
    orders.sort_by(f64::total_cmp);
    orders.dedup();
    for p in orders {
        let of: Vec<&Line> = lines.iter().filter(|line| whole(line) == Some(p)).collect();
        // Under the middle of the steps whose errors are shown.
        let points = of.iter().flat_map(|line| line.steps_s.iter().zip(&line.values));
        let mut seen: Vec<(f64, f64)> = points.map(|(h, e)| (*h, *e)).filter(|(_, e)| *e > FLOOR).collect();
        seen.sort_by(|a, b| a.0.total_cmp(&b.0));
        let Some(&(h, _)) = seen.get(seen.len() / 2) else { continue };
        let lowest = seen.iter().filter(|(at, _)| *at == h).fold(f64::INFINITY, |min, (_, e)| min.min(*e));
        chart = chart.slope(p, [h, lowest * 0.3 / RATIO.powf(p)], RATIO);
    }
    chart
}
