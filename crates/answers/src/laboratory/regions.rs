//! Pictures of stability regions: a panel for each scheme, blue where it is stable.

use std::path::Path;

use macrostep_analysis::region::Region;
use macrostep_plot::{Axis, Figure, Heat, PlotError};

/// ln ρ shown as the strongest colour.
const STRONGEST: f64 = 0.6;
/// Width of all panels together, at least, in pixels.
const WIDTH: f64 = 1060.0;
/// Panels of one picture at most, beyond which there is one picture a predictor as well.
const PANELS_MAX: usize = 10;

/// Writes `stability` and, where there are many schemes, `stability_PREDICTOR` of each predictor.
///
/// # Errors
/// [`PlotError`] with the file that could not be written.
pub fn write(folder: &Path, found: &[Region], line: &str) -> Result<(), PlotError> {
    let mut predictors: Vec<String> = found.iter().map(|r| r.scheme.predict.to_string()).collect();
    predictors.dedup();
    predictors.sort();
    predictors.dedup();
    let columns = if found.len() > PANELS_MAX { predictors.len().max(2) } else { found.len().clamp(1, 4) };
    figure(&found.iter().collect::<Vec<_>>(), columns, line).write(folder, "stability")?;
    if found.len() > PANELS_MAX {
        for predictor in &predictors {
            let of: Vec<&Region> = found.iter().filter(|r| r.scheme.predict.to_string() == *predictor).collect();
            let name = format!("stability_{}", predictor.replace(':', ""));
            figure(&of, 4.min(of.len()), line).write(folder, &name)?;
        }
    }
    Ok(())
}

fn figure(found: &[&Region], columns: usize, line: &str) -> Figure {
    let title = "Stability of the coupled test model: ln ρ of the one-step map, blue stable; share of the window that is stable";
    // Few panels are larger, so that the words above them have room.
    let width = (WIDTH / columns as f64).clamp(330.0, WIDTH);
    let height = (0.94 * width).min(620.0);
    let mut figure = Figure::new(title).subtitle(line).columns(columns).panel_size(width, height).shared_bar();
    for region in found {
        figure = figure.with(panel(region));
    }
    figure
}

fn panel(region: &Region) -> Heat {
    // What is stable within the tolerance is shown below the level, whatever rounding says.
    let shown = |rho: &f64| {
        let ln = rho.ln();
        if ln.abs() < 1e-9 { -1e-9 } else { ln.clamp(f64::MIN, f64::MAX) }
    };
    let values = region.radius.iter().map(shown).collect();
    let title = format!("{} · {:.1} %", region.scheme, 100.0 * region.stable_fraction);
    let axes = [Axis::linear("Λr = Re λ₁ H", "1"), Axis::linear("Λi = Im λ₁ H", "1")];
    Heat::new(&title, axes, region.re.clone(), region.im.clone(), values)
        .quantity("ln ρ")
        .range(-STRONGEST, STRONGEST)
        .sides_of(0.0)
}
