//! `macrostep stability SYSTEM`: growth rates over the macro step.

use macrostep_analysis::sweep::{Sweep, sweep};
use macrostep_analysis::{Benchmark, Scheme, Source};
use macrostep_plot::table::{Table, short};
use macrostep_plot::{Axis, Chart, Figure, PlotError, Series};
use rayon::prelude::*;
use serde::Serialize;
use std::path::Path;

use super::arguments::{StabilityArguments, interval};
use super::json::{self, Parts};
use crate::Carried;
use crate::failure::Failure;
use crate::files::write_text;
use crate::print;
use crate::progress::progress_bar;

/// By how much a run of the system's length may grow, where nothing else is said.
const GROWTH_OF_A_RUN: f64 = 0.01;

/// Part of the growth allowed below which growth is not drawn: rounding grows as fast.
const SHOWN_MIN: f64 = 1e-6;

/// One object of `--json`.
#[derive(Serialize)]
struct Answer<'a> {
    scheme: String,
    #[serde(flatten)]
    parts: Parts,
    scenario: &'a str,
    /// Share of the macro steps looked at (evenly on a logarithmic axis) that grow by no more than `limits_growth`.
    stable_fraction: f64,
    window: [f64; 2],
    grid: usize,
    /// First H \[s\] at which ln ρ / H exceeds `limits_growth` [1/s].
    limits: Limits,
    limits_growth: f64,
    step_s: &'a [f64],
    spectral_radius: Vec<Option<f64>>,
    growth_rate: Vec<Option<f64>>,
    /// How growth was found: "one-step-map" or "perturbed-runs".
    source: Option<Source>,
    /// Why no growth is known at the first macro step that has `null`, where there is one.
    unknown: Option<&'a str>,
    /// Why there is no result, where there is none.
    failed: Option<&'a str>,
}

#[derive(Serialize)]
struct Limits {
    step_s: Option<f64>,
}

/// Runs, prints, writes.
///
/// # Errors
/// [`Failure`] of the options, the runs or the files.
pub fn run(carried: &'static Carried, arguments: &StabilityArguments, name: &str) -> Result<(), Failure> {
    // The system, and steps from short ones up to those it can take.
    let mut subject = arguments.subject.open(carried, name, arguments.stop)?;
    subject.writes(arguments.output.out.as_deref(), &["growth.json", "growth.csv"])?;
    let benchmark = subject.benchmark.as_ref();
    let card = benchmark.card();
    let schemes = arguments.schemes.schemes(benchmark)?;
    // A rate that belongs to the length of its runs: slow and fast systems are asked the same.
    let allowed = arguments.growth.unwrap_or(GROWTH_OF_A_RUN / arguments.stop.unwrap_or(card.stop_s));
    let window = match arguments.steps.as_slice() {
        [] => {
            let last_s = (30.0 * card.step_s).min(benchmark.step_max_s());
            let first_s = (0.01 * card.step_s).max(benchmark.growth_step_min_s()).min(0.1 * last_s);
            [first_s, last_s].map(|step_s| benchmark.allowed_step_s(step_s))
        }
        steps => interval("steps", steps)?,
    };
    if window[0] <= 0.0 {
        return Err(Failure::Usage(format!("`--steps` begins at {} s, expected above 0", window[0])));
    }
    let steps = steps(benchmark, window, arguments.grid as usize);
    let bar = progress_bar(schemes.len() as u64, "schemes");
    // A scheme without a map is a row that says why.
    let one = |scheme: &Scheme| {
        let found = sweep(benchmark, scheme, &steps, allowed);
        bar.inc(1);
        found.unwrap_or_else(|e| Sweep::failed(scheme, e.to_string()))
    };
    let found: Vec<Sweep> = subject.install(|| schemes.par_iter().map(one).collect());
    bar.finish_and_clear();
    // The question as a line.
    let line = format!(
        "system {} · H {:.4e} … {:.4e} s, {} steps · stable: ln ρ / H ≤ {:e} 1/s · limit: first H above it",
        benchmark.name(),
        window[0],
        window[1],
        steps.len(),
        allowed
    );
    // The answer, as an object or as a table with the limit of each scheme.
    let text = json::text(&found.iter().map(|s| answer(s, allowed, (benchmark.name(), window))).collect::<Vec<_>>())?;
    if arguments.output.json {
        print::line(&text)?;
    } else {
        print::line(table(&found, allowed).terminal())?;
        print::line(&line)?;
        for sweep in found.iter().filter(|s| s.failed.is_none()) {
            print::line(prose(sweep, allowed))?;
        }
    }
    // Files.
    if let Some(folder) = &arguments.output.out {
        write_text(&folder.join("growth.json"), &text)?;
        write_csv(&folder.join("growth.csv"), &found)?;
        // Without a radius there is no axis to draw on.
        if found.iter().any(|s| !s.radius.is_empty()) {
            draw(folder, &found, allowed, &line)?;
        }
        crate::print::remark!("wrote growth rates of {} schemes to `{}`", found.len(), folder.display());
    }
    // Schemes that fail are rows like others; the command fails at the end.
    match found.iter().filter_map(|s| Some((&s.scheme, s.failed.as_ref()?))).collect::<Vec<_>>().as_slice() {
        [] => Ok(()),
        [(scheme, why)] => Err(Failure::Run(format!("{scheme}: {why}"))),
        failed => {
            let (n, all) = (failed.len(), found.len());
            Err(Failure::Run(format!("{n} of {all} schemes failed; their rows say why")))
        }
    }
}

/// Steps \[s\] even on a logarithmic axis, between the two ends the nearest ones that units allow.
fn steps(benchmark: &dyn Benchmark, window: [f64; 2], a_decade: usize) -> Vec<f64> {
    let even = logarithmic(window, a_decade);
    let [first, .., last] = even[..] else { return even };
    let inner = even[1..even.len() - 1].iter().map(|h| benchmark.allowed_step_s(*h));
    let inner = inner.filter(|h| *h > first * (1.0 + 1e-9) && *h < last * (1.0 - 1e-9));
    let mut steps: Vec<f64> = std::iter::once(first).chain(inner).chain([last]).collect();
    steps.dedup();
    steps
}

/// From the first to the last, `a_decade` for each factor of 10.
pub fn logarithmic([low, high]: [f64; 2], a_decade: usize) -> Vec<f64> {
    let n = ((high / low).log10() * a_decade as f64).ceil().max(1.0) as usize;
    (0..=n).map(|i| low * (high / low).powf(i as f64 / n as f64)).collect()
}

/// "jacobi linear: grows from H = 12.3 ms on", or that it does not.
fn prose(sweep: &Sweep, growth: f64) -> String {
    let last = sweep.step_s.last().copied().unwrap_or(f64::NAN);
    if let (Some((step_s, why)), Some(limit)) = (&sweep.unknown, sweep.limit_s)
        && *step_s <= limit
    {
        return format!("{}: no growth rate is known from H = {step_s:.4e} s on: {why}", sweep.scheme);
    }
    match (sweep.limit_s, sweep.step_s.first()) {
        // Of a chaotic motion deviations grow by themselves.
        (Some(limit), Some(first)) if limit <= *first => {
            let rate = sweep.growth_rate().first().copied().unwrap_or(f64::NAN);
            format!(
                "{}: grows by more than {growth:e} 1/s from the first H on, by {} 1/s at {first:.4e} s; a rate that stays as H falls \
                 is that of the motion itself",
                sweep.scheme,
                short(rate)
            )
        }
        (Some(limit), _) => format!("{}: largest stable H = {limit:.4e} s", sweep.scheme),
        (None, _) => format!("{}: stable at every H up to {last:.4e} s", sweep.scheme),
    }
}

fn stable_fraction(sweep: &Sweep, allowed: f64) -> f64 {
    if sweep.radius.is_empty() {
        return f64::NAN;
    }
    let stable = sweep.growth_rate().iter().filter(|rate| **rate <= allowed).count();
    stable as f64 / sweep.radius.len() as f64
}

fn answer<'a>(sweep: &'a Sweep, allowed: f64, (name, window): (&'a str, [f64; 2])) -> Answer<'a> {
    // JSON has no infinities.
    let finite = |values: &[f64]| values.iter().map(|x| x.is_finite().then_some(*x)).collect();
    Answer {
        scheme: sweep.scheme.to_string(),
        parts: Parts::new(&sweep.scheme),
        scenario: name,
        stable_fraction: stable_fraction(sweep, allowed),
        window,
        grid: sweep.step_s.len(),
        limits: Limits { step_s: sweep.limit_s },
        limits_growth: allowed,
        step_s: &sweep.step_s,
        spectral_radius: finite(&sweep.radius),
        growth_rate: finite(&sweep.growth_rate()),
        source: sweep.source,
        unknown: sweep.unknown.as_ref().map(|(_, why)| why.as_str()),
        failed: sweep.failed.as_deref(),
    }
}

fn table(found: &[Sweep], allowed: f64) -> Table {
    let mut table =
        Table::new("scheme | > limit of H [s] | > stable fraction | > growth rate at smallest H [1/s] | state");
    for sweep in found {
        table.row([
            sweep.scheme.to_string(),
            sweep.limit_s.map_or("–".to_owned(), |h| format!("{h:.4e}")),
            if sweep.failed.is_some() { "–".to_owned() } else { format!("{:.3}", stable_fraction(sweep, allowed)) },
            sweep.growth_rate().first().map_or(String::new(), |g| short(*g)),
            sweep.failed.as_ref().map_or("done".to_owned(), |why| format!("failed: {why}")),
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
fn draw(folder: &Path, found: &[Sweep], growth: f64, line: &str) -> Result<(), PlotError> {
    let grows_at_first = |s: &Sweep| s.growth_rate().first().is_some_and(|g| *g > -growth);
    let undamped = found.iter().any(grows_at_first);
    let title = if undamped {
        "Growth rate ln ρ / H over the macro step; no line where nothing grows"
    } else {
        "Spectral radius of the one-step map over the macro step"
    };
    let least = SHOWN_MIN * growth;
    let shown = |g: &f64| if *g > least { *g } else { f64::NAN };
    // All panels have one range, so that they can be compared.
    let most = found.iter().flat_map(Sweep::growth_rate).map(|g| shown(&g)).fold(10.0 * least, f64::max);
    let mut figure = Figure::new(title).subtitle(line).columns(2).panel_size(620.0, 420.0);
    let panel = |s: &Sweep| format!("{} {}", s.scheme.coupling, s.scheme.schedule.short());
    // A chart for each cut and schedule, a line in it for each predictor.
    for group in found.chunk_by(|a, b| panel(a) == panel(b)) {
        let y = if undamped { Axis::log("ln ρ / H", "1/s").range(least, 2.0 * most) } else { Axis::linear("ρ", "1") };
        let mut chart = Chart::new(&panel(&group[0]), Axis::log("H", "s"), y);
        for sweep in group {
            // What cannot be drawn on the axis, or would hide the rest, is a gap.
            let values: Vec<f64> = if undamped {
                sweep.growth_rate().iter().map(shown).collect()
            } else {
                sweep.radius.iter().map(|rho| if *rho < 2.0 { *rho } else { f64::NAN }).collect()
            };
            chart = chart.with(Series::line(&sweep.scheme.words(), sweep.step_s.clone(), values));
        }
        figure = figure.with(if undamped { chart.level(growth, "limit") } else { chart.level(1.0, "stable below") });
    }
    figure.write(folder, "growth").map(|_| ())
}
