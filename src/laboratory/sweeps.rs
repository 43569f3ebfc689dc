//! `macrostep stability --scenario NAME`: growth rates over the macro step.

use macrostep::lab::sweep::{Sweep, sweep};
use macrostep_master::report::table::{Align, Table, short};
use macrostep_master::report::{Axis, Chart, Figure, PlotError, Series};
use rayon::prelude::*;
use serde::Serialize;
use std::path::Path;

use super::arguments::{StabilityArguments, interval, scenario};
use super::json::{self, Parts};
use crate::failure::Failure;
use crate::oscillator::{progress_bar, write_text};
use crate::print;

/// One object of `--json`.
#[derive(Serialize)]
struct Answer<'a> {
    scheme: String,
    #[serde(flatten)]
    parts: Parts,
    scenario: &'a str,
    /// Share of the macro steps looked at (evenly on a logarithmic axis) with ρ ≤ 1 + tolerance.
    stable_fraction: f64,
    window: [f64; 2],
    grid: usize,
    tolerance: f64,
    /// First H [s] at which ln ρ / H exceeds `limits_growth` [1/s].
    limits: Limits,
    limits_growth: f64,
    step_s: &'a [f64],
    spectral_radius: Vec<Option<f64>>,
    growth_rate: Vec<Option<f64>>,
}

#[derive(Serialize)]
struct Limits {
    step_s: Option<f64>,
}

/// Runs, prints, writes.
///
/// # Errors
/// [`Failure`] of the options, the runs or the files.
pub fn run(arguments: &StabilityArguments) -> Result<(), Failure> {
    let scenario = scenario(&arguments.scenario)?;
    let card = scenario.card();
    let schemes = arguments.schemes.schemes(card.couplings)?;
    let window = match arguments.steps.as_slice() {
        [] => [0.01 * card.step_s, 30.0 * card.step_s],
        steps => interval("steps", steps)?,
    };
    if window[0] <= 0.0 {
        return Err(Failure::Usage(format!("`--steps` begins at {} s, expected above 0", window[0])));
    }
    let steps = logarithmic(window, arguments.grid as usize);
    let bar = progress_bar(schemes.len() as u64, "schemes");
    let found = schemes
        .par_iter()
        .map(|scheme| {
            let found = sweep(scenario.as_ref(), scheme, &steps, arguments.growth);
            bar.inc(1);
            found.map_err(|e| Failure::Run(format!("{scheme}: {e}")))
        })
        .collect::<Result<Vec<Sweep>, Failure>>()?;
    bar.finish_and_clear();

    let line = format!(
        "scenario {} · H {:e} … {:e} s, {} steps · stable: ρ ≤ 1 + {:e} · limit: first H with ln ρ / H > {:e} 1/s",
        card.name,
        window[0],
        window[1],
        steps.len(),
        arguments.tolerance,
        arguments.growth
    );
    let text = json::text(&found.iter().map(|s| answer(s, arguments, window)).collect::<Vec<_>>())?;
    if arguments.output.json {
        print::line(&text)?;
    } else {
        print::line(table(&found, arguments.tolerance).terminal())?;
        print::line(&line)?;
    }
    if let Some(folder) = &arguments.output.out {
        std::fs::create_dir_all(folder).map_err(Failure::file(folder))?;
        write_text(&folder.join("growth.json"), &text)?;
        write_csv(&folder.join("growth.csv"), &found)?;
        draw(folder, &found, &line)?;
        eprintln!("wrote growth rates and pictures of {} schemes to `{}`", found.len(), folder.display());
    }
    Ok(())
}

/// From the first to the last, `a_decade` for each factor of 10.
pub fn logarithmic([low, high]: [f64; 2], a_decade: usize) -> Vec<f64> {
    let n = ((high / low).log10() * a_decade as f64).ceil().max(1.0) as usize;
    (0..=n).map(|i| low * (high / low).powf(i as f64 / n as f64)).collect()
}

fn stable_fraction(sweep: &Sweep, tolerance: f64) -> f64 {
    let stable = sweep.radius.iter().filter(|rho| **rho <= 1.0 + tolerance).count();
    stable as f64 / sweep.radius.len() as f64
}

fn answer<'a>(sweep: &'a Sweep, arguments: &'a StabilityArguments, window: [f64; 2]) -> Answer<'a> {
    // JSON has no infinities.
    let finite = |values: &[f64]| values.iter().map(|x| x.is_finite().then_some(*x)).collect();
    Answer {
        scheme: sweep.scheme.to_string(),
        parts: Parts::new(&sweep.scheme),
        scenario: &arguments.scenario,
        stable_fraction: stable_fraction(sweep, arguments.tolerance),
        window,
        grid: sweep.step_s.len(),
        tolerance: arguments.tolerance,
        limits: Limits { step_s: sweep.limit_s },
        limits_growth: arguments.growth,
        step_s: &sweep.step_s,
        spectral_radius: finite(&sweep.radius),
        growth_rate: finite(&sweep.growth_rate()),
    }
}

fn table(found: &[Sweep], tolerance: f64) -> Table {
    let columns = [
        ("scheme", Align::Left),
        ("limit of H [s]", Align::Right),
        ("stable fraction", Align::Right),
        ("growth rate at smallest H [1/s]", Align::Right),
    ];
    let mut table = Table::new(columns);
    for sweep in found {
        table.row([
            sweep.scheme.to_string(),
            sweep.limit_s.map_or("–".to_owned(), |h| format!("{h:.4e}")),
            format!("{:.3}", stable_fraction(sweep, tolerance)),
            sweep.growth_rate().first().map_or(String::new(), |g| short(*g)),
        ]);
    }
    table
}

fn write_csv(path: &Path, found: &[Sweep]) -> Result<(), Failure> {
    let rows = found.iter().flat_map(|sweep| {
        let growth = sweep.growth_rate();
        (0..growth.len()).map(move |i| {
            let values = [sweep.step_s[i], sweep.radius[i], growth[i]].map(|x| x.to_string());
            [vec![sweep.scheme.to_string()], values.to_vec()].concat()
        })
    });
    json::csv(path, &["scheme", "step_s", "spectral_radius", "growth_rate_per_s"], rows)
}

/// A panel a coupling and schedule, a line a predictor. Growth is drawn on a logarithmic axis where a scenario is undamped
/// and nearly everything grows a little; else ρ itself, up to 2.
fn draw(folder: &Path, found: &[Sweep], line: &str) -> Result<(), PlotError> {
    let grows_at_first = |s: &Sweep| s.growth_rate().first().is_some_and(|g| *g > -1e-3);
    let undamped = found.iter().any(grows_at_first);
    let title = if undamped {
        "Growth rate ln ρ / H over the macro step; where a line is missing nothing grows"
    } else {
        "Spectral radius of the one-step map over the macro step"
    };
    let mut figure = Figure::new(title).subtitle(line).columns(2).panel_size(620.0, 420.0);
    let panel = |s: &Sweep| format!("{} {}", s.scheme.coupling, s.scheme.schedule.short());
    for group in found.chunk_by(|a, b| panel(a) == panel(b)) {
        let y = if undamped { Axis::log("ln ρ / H", "1/s") } else { Axis::linear("ρ", "1") };
        let mut chart = Chart::new(&panel(&group[0]), Axis::log("H", "s"), y);
        for sweep in group {
            let values: Vec<f64> = if undamped {
                sweep.growth_rate().iter().map(|g| if *g > 1e-9 { *g } else { f64::NAN }).collect()
            } else {
                sweep.radius.iter().map(|rho| if *rho < 2.0 { *rho } else { f64::NAN }).collect()
            };
            chart = chart.with(Series::line(&sweep.scheme.words(), sweep.step_s.clone(), values));
        }
        figure = figure.with(if undamped { chart } else { chart.level(1.0, "stable below") });
    }
    figure.write(folder, "growth").map(|_| ())
}
