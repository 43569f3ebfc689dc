//! `macrostep converge`: observed orders.

use std::path::Path;

use macrostep_analysis::measure::{Convergence, Errors, Ladder, Orders, orders};
use macrostep_analysis::{Benchmark, Card, Scheme};
use macrostep_plot::Table;
use rayon::prelude::*;
use serde::Serialize;

use super::arguments::{self, ConvergeArguments, factory};
use super::json::{self, Parts};
use crate::Carried;
use crate::failure::Failure;
use crate::files::write_text;
use crate::print;
use crate::progress::progress_bar;

/// Exponents of 2 of the usual macro step: runs, and single steps.
const GLOBAL: [f64; 9] = [2.0, 1.5, 1.0, 0.5, 0.0, -1.0, -2.0, -3.0, -4.0];
const LOCAL: [f64; 9] = [3.0, 2.5, 2.0, 1.5, 1.0, 0.0, -1.0, -2.0, -3.0];

/// One object of `--json`.
#[derive(Serialize)]
struct Answer<'a> {
    scheme: String,
    #[serde(flatten)]
    parts: Parts,
    scenario: &'a str,
    /// Runs that failed, did not converge or had too few nodes, in words.
    told: &'a [String],
    /// Why there are no local errors, where there are none.
    no_local: Option<&'static str>,
    stop_s: f64,
    orders: Both<Orders>,
    expected: Both<[f64; 2]>,
    errors: Both<Vec<Point>>,
}

#[derive(Serialize)]
struct Both<T> {
    global: T,
    local: T,
}

/// Relative errors at one macro step; `null` where the run diverged.
#[derive(Serialize)]
struct Point {
    step_s: f64,
    position: Option<f64>,
    velocity: Option<f64>,
}

/// Runs, prints, writes.
///
/// # Errors
/// [`Failure`] of the options, the runs or the files.
pub fn run(carried: &'static Carried, arguments: &ConvergeArguments) -> Result<(), Failure> {
    // The system and its schemes; chosen steps have no order.
    let mut subject = arguments.subject.open(carried, "test-model", arguments.stop)?;
    subject.writes(arguments.output.out.as_deref(), &["converge.json", "converge.md", "converge.csv"])?;
    let benchmark = subject.benchmark.as_ref();
    let card = benchmark.card();
    let schemes = arguments.schemes.schemes(benchmark)?;
    let stop_s = arguments.stop.unwrap_or(card.stop_s);
    arguments.schemes.refuse_control("converge", "an order is defined for steps of one length only")?;
    // FMUs stay unpacked between the runs.
    let _open = (carried.open_all)().map_err(Failure::run)?;
    let bar = progress_bar(schemes.len() as u64, "schemes");
    // Schemes of the same reach share a ladder of steps, and its references.
    let mut reaches: Vec<f64> = schemes.iter().map(Scheme::step_factor).collect();
    reaches.sort_by(f64::total_cmp);
    reaches.dedup();
    // The longest step leaves room for the run to show an order: a part of it, and no more than the system takes.
    let longest_s = |part: f64| (part * stop_s).min(benchmark.step_max_s());
    let ladders = reaches.iter().map(|&reach| {
        let usual_s = reach * card.step_s;
        let ladder = |option, typed, part, exponents| {
            arguments::Ladder { option, typed, usual_s, longest_s: longest_s(part), exponents }.steps(benchmark)
        };
        let global_s = ladder("steps", arguments.steps.as_slice(), 0.5, GLOBAL.as_slice())?;
        let local_s = ladder("local-steps", &arguments.local_steps, 0.3, &LOCAL)?;
        Ok((reach, Ladder::new(benchmark, &global_s, &local_s, stop_s).map_err(Failure::run)?))
    });
    let ladders = ladders.collect::<Result<Vec<(f64, Ladder<'_>)>, Failure>>()?;
    // A scheme climbs the ladder: global errors, then local ones.
    let climb = |(scheme, ladder): (&Scheme, &Ladder<'_>)| {
        let found = ladder.climb(scheme, factory(carried, arguments.units));
        bar.inc(1);
        found
    };
    let of = |scheme: &Scheme| ladders.iter().find(|l| l.0 == scheme.step_factor()).map(|l| &l.1);
    let found: Vec<Convergence> =
        subject.install(|| schemes.par_iter().flat_map_iter(|s| of(s).map(|ladder| (s, ladder))).map(climb).collect());
    bar.finish_and_clear();

    // What the errors are, and above what the fit begins.
    let line = format!(
        "system {} · T = {stop_s} s · {} · errors relative to amplitudes, fitted above 1e-11 at the four smallest H",
        benchmark.name(),
        against(benchmark, stop_s)?
    );
    // The answer, as an object or as a table with what has to be said about it.
    let text = json::text(&found.iter().map(|c| answer(c, &card, (benchmark, stop_s))).collect::<Vec<_>>())?;
    if arguments.output.json {
        print::line(&text)?;
    } else {
        print::line(report(&found, (benchmark, &card), &line))?;
    }
    if let Some(folder) = &arguments.output.out {
        write(folder, &found, (&card, &text, &line))?;
    }
    // Schemes whose runs failed are rows like others; the command fails at the end.
    match found.iter().filter(|c| c.failed > 0).count() {
        0 => Ok(()),
        n => Err(Failure::Run(format!(
            "runs of {n} of {} schemes failed; the lines below the table say why",
            found.len()
        ))),
    }
}

/// The table, with what has to be said about it.
fn report(found: &[Convergence], (benchmark, card): (&dyn Benchmark, &Card), line: &str) -> String {
    let why = no_local(benchmark).map(|why| format!("no local errors: {why}"));
    let told = found.iter().flat_map(|c| c.told.iter().map(move |t| format!("{}, {t}", c.scheme)));
    let lines = [table(found, card).terminal(), line.to_owned()];
    lines.into_iter().chain(why).chain(told).collect::<Vec<_>>().join("\n")
}

/// Files, with pictures of the orders.
fn write(folder: &Path, found: &[Convergence], (card, text, line): (&Card, &str, &str)) -> Result<(), Failure> {
    write_text(&folder.join("converge.json"), text)?;
    write_text(&folder.join("converge.md"), &table(found, card).markdown())?;
    write_csv(&folder.join("converge.csv"), found)?;
    super::convergence::write(folder, found, line)?;
    crate::print::remark!("wrote orders and pictures of {} schemes to `{}`", found.len(), folder.display());
    Ok(())
}

/// Why there are no errors of single steps.
fn no_local(benchmark: &dyn Benchmark) -> Option<&'static str> {
    let why = "a single step would have to begin at the exact state of every FMU, but an FMU can only restore states of its own runs";
    (!benchmark.starts_anywhere()).then_some(why)
}

/// The solution that errors are measured against.
pub fn against(benchmark: &dyn Benchmark, stop_s: f64) -> Result<String, Failure> {
    if benchmark.starts_anywhere() {
        return Ok("exact start".to_owned());
    }
    let error = benchmark.solution_error(stop_s).map_err(Failure::run)?;
    Ok(format!("against a fine run of the same system, which has an error of {error:.0e}"))
}

/// Orders that theory promises: global, and local of position and velocity.
fn expected(scheme: &Scheme, card: &Card) -> Both<[f64; 2]> {
    Both { global: [scheme.global_order(); 2], local: scheme.local_orders(card.integrations) }
}

fn answer<'a>(found: &'a Convergence, card: &Card, (benchmark, stop_s): (&'a dyn Benchmark, f64)) -> Answer<'a> {
    let finite = |x: f64| x.is_finite().then_some(x);
    let points = |errors: &[(f64, Errors)]| {
        let point =
            |(h, e): &(f64, Errors)| Point { step_s: *h, position: finite(e.position), velocity: finite(e.velocity) };
        errors.iter().map(point).collect()
    };
    Answer {
        scheme: found.scheme.to_string(),
        parts: Parts::new(&found.scheme),
        scenario: benchmark.name(),
        told: &found.told,
        no_local: no_local(benchmark),
        stop_s,
        orders: Both { global: orders(&found.global), local: orders(&found.local) },
        expected: expected(&found.scheme, card),
        errors: Both { global: points(&found.global), local: points(&found.local) },
    }
}

fn table(found: &[Convergence], card: &Card) -> Table {
    // A row for each scheme: fitted orders, and what theory says.
    let mut table = Table::new("scheme | > global position | > velocity | > local position | > velocity | theory");
    for c in found {
        // A dash where no order could be fitted.
        let word = |order: Option<f64>| order.map_or("–".to_owned(), |p| format!("{p:.2}"));
        let (global, local) = (orders(&c.global), orders(&c.local));
        let theory = expected(&c.scheme, card);
        let [g, l] = [theory.global, theory.local];
        table.row([
            c.scheme.to_string(),
            word(global.position),
            word(global.velocity),
            word(local.position),
            word(local.velocity),
            format!("{} {} / {} {}", g[0], g[1], l[0], l[1]),
        ]);
    }
    table
}

fn write_csv(path: &std::path::Path, found: &[Convergence]) -> Result<(), Failure> {
    let rows = found.iter().flat_map(|c| {
        let of = |kind: &'static str, errors: &'_ [(f64, Errors)]| -> Vec<Vec<String>> {
            let row = |(h, e): &(f64, Errors)| {
                vec![
                    c.scheme.to_string(),
                    kind.to_owned(),
                    h.to_string(),
                    e.position.to_string(),
                    e.velocity.to_string(),
                ]
            };
            errors.iter().map(row).collect()
        };
        [of("global", &c.global), of("local", &c.local)].concat()
    });
    json::csv(path, &["scheme", "error", "step_s", "position", "velocity"], rows)
}
