//! Error bars of a result in words: `macrostep verify`.

use macrostep_plot::Table;
use macrostep_plot::table::short;
use macrostep_system::verify::verdict::Verdict as Asked;
use macrostep_system::verify::{Judged, Unverified, Verification};
use serde::Serialize;

use super::{findings_failure, title};
use crate::failure::Failure;
use crate::junit::{Case, Suite, Verdict};
use crate::print::counted;

/// Outputs shown in the table.
const SHOWN: usize = 12;

/// The failure of runs that were made for an error.
pub fn failed(why: Unverified) -> Failure {
    match why {
        Unverified::Findings(findings) => findings_failure(&findings),
        Unverified::Run(which, e) => Failure::Run(format!("the run with {which}: {e}")),
    }
}

/// The outputs as tests, which fail above the tolerance.
pub fn suite(name: String, system: &str, v: &Verification) -> Suite {
    let case = |o: &Judged| {
        let (found, bar) = (share(o.relative()), format!("± {} {}", short(o.bar), o.column.unit));
        let remark = format!("{found} of the amplitude {}: {}", short(o.amplitude), bar.trim());
        let verdict = match &v.verdict {
            // NaN is above every tolerance.
            Some(asked) if o.relative().is_nan() || o.relative() > asked.tolerance => {
                Verdict::Failed(format!("{found}, expected at most {}", share(asked.tolerance)))
            }
            _ => Verdict::Passed,
        };
        Case { name: o.column.name.clone(), class: system.to_owned(), remark: Some(remark), verdict }
    };
    Suite { name, cases: v.outputs.iter().map(case).collect() }
}

/// "3.1 %", or "3.1e-7" where it is small, or "1.2e3" where it is beyond all percents.
pub fn share(x: f64) -> String {
    if !(1e-4..100.0).contains(&x) {
        return format!("{x:.1e}");
    }
    let percent = 100.0 * x;
    let places = (1.0 - percent.log10().floor()).max(0.0) as usize;
    let text = format!("{percent:.places$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} %")
}

/// "2.5 ms".
fn seconds(s: f64) -> String {
    let (value, unit) = match s {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (1e3 * s, "ms"),
        s if s >= 1e-6 => (1e6 * s, "µs"),
        s => return format!("{s:e} s"),
    };
    let rounded: f64 = format!("{value:.3e}").parse().unwrap_or(value);
    format!("{rounded} {unit}")
}

/// "H = 10 ms: 3.1 % at `plant.T`, worst of 14; H = 2.5 ms meets 1 %, as run; or iqn-ils at 10 ms (0.4 %)".
fn verdict(v: &Verification) -> String {
    // The worst output, where any moves.
    let h = seconds(v.step_s);
    let Some(worst) = v.outputs.first() else {
        return format!("H = {h}: no recorded real variable changes; choose others with `--record`");
    };
    let mut text =
        format!("H = {h}: {} at `{}`, worst of {}", share(worst.relative()), worst.column.name, v.outputs.len());
    // Errors that grow late in the run tell of an instability.
    if let Some(grown) = v.outputs.iter().filter_map(|o| o.grown).reduce(f64::max) {
        let name = v.outputs.iter().find(|o| o.grown == Some(grown)).map_or("", |o| &o.column.name);
        text += &format!("; growing: late in the run `{name}` is {grown:.1} times as large as with H/4");
    }
    // Against the tolerance: whether it is met, by which H it would be, or by which method.
    match &v.verdict {
        None => {}
        Some(Asked { tolerance, is_met: true, .. }) => text += &format!("; meets {}", share(*tolerance)),
        Some(Asked { tolerance, step_s, method, .. }) => {
            let allowed = share(*tolerance);
            text += &match step_s {
                Some(step_s) => format!("; H = {} meets {allowed}, as run", seconds(*step_s)),
                None => {
                    let smaller = v.step_s / 4.0;
                    format!("; no smaller H was found that meets {allowed}: verify again with `--step {smaller}`")
                }
            };
            if let Some((method, error)) = method {
                text += &format!("; or {method} at {h} ({})", share(*error));
            }
        }
    }
    text
}

#[derive(Serialize)]
struct Output<'a> {
    name: &'a str,
    unit: &'a str,
    amplitude: f64,
    error_bar: f64,
    order: Option<f64>,
    drift_1_s: f64,
    halved: f64,
    switched: f64,
    /// How many times as large it is late in the run as with H/4, where it grows.
    grown: Option<f64>,
}

#[derive(Serialize)]
struct Summary<'a> {
    scenario: &'a str,
    step_s: f64,
    schedule: &'static str,
    other_schedule: &'static str,
    verdict: String,
    growing: bool,
    /// Largest error bar relative to its amplitude, and whose it is.
    worst: Option<&'a str>,
    relative_error: Option<f64>,
    tolerance: Option<f64>,
    is_met: Option<bool>,
    /// A macro step that meets the tolerance, as run.
    step_for_tolerance_s: Option<f64>,
    /// A method that meets it with H.
    method_for_tolerance: Option<&'a str>,
    constants: usize,
    outputs: Vec<Output<'a>>,
}

/// As one JSON object.
///
/// # Errors
/// [`Failure::Json`].
pub fn json(v: &Verification) -> Result<String, Failure> {
    // Every output with its error bar and how that was found.
    let outputs = v.outputs.iter().map(|o| Output {
        name: &o.column.name,
        unit: &o.column.unit,
        amplitude: o.amplitude,
        error_bar: o.bar,
        order: o.order,
        drift_1_s: o.drift_1_s,
        halved: o.halved,
        switched: o.switched,
        grown: o.grown,
    });
    // The verdict in words and in parts, numbers that JSON has no form for left out.
    let summary = Summary {
        scenario: &v.effective.name,
        step_s: v.step_s,
        schedule: v.effective.coupling.schedule.word(),
        other_schedule: v.other.word(),
        verdict: verdict(v),
        growing: v.outputs.iter().any(|o| o.grown.is_some()),
        worst: v.outputs.first().map(|o| o.column.name.as_str()),
        relative_error: v.outputs.first().map(Judged::relative).filter(|x| x.is_finite()),
        tolerance: v.verdict.as_ref().map(|x| x.tolerance),
        is_met: v.verdict.as_ref().map(|x| x.is_met),
        step_for_tolerance_s: v.verdict.as_ref().and_then(|x| x.step_s),
        method_for_tolerance: v.verdict.as_ref().and_then(|x| x.method.as_ref()).map(|(words, _)| words.as_str()),
        constants: v.constants,
        outputs: outputs.collect(),
    };
    Ok(serde_json::to_string_pretty(&summary)?)
}

/// As a verdict and a table.
pub fn table(v: &Verification) -> String {
    // The worst outputs, with the differences that the error bar is made from.
    let columns = "output | > amplitude | > error bar | unit | > relative | > order | > drift [1/s] | > H against H/2";
    let mut table = Table::new(&format!("{columns} | > against {}", v.other));
    for o in v.outputs.iter().take(SHOWN) {
        // Absolute in the unit of the output, and relative to its amplitude.
        table.row([
            o.column.name.clone(),
            short(o.amplitude),
            format!("± {}", short(o.bar)),
            o.column.unit.clone(),
            share(o.relative()),
            o.order.map_or("-".to_owned(), |p| format!("{p:.2}")),
            short(o.drift_1_s),
            short(o.halved),
            short(o.switched),
        ]);
    }
    // What the table does not show.
    let c = &v.effective.coupling;
    let more = v.outputs.len().saturating_sub(SHOWN);
    let mut left_out: Vec<String> = Vec::new();
    if more > 0 {
        let are = if more == 1 { "is" } else { "are" };
        let more = counted(more as u64, "more output");
        left_out.push(format!("{more} that {are} better (`--json` has all)"));
    }
    if v.constants > 0 {
        left_out.push(format!("{} that {} not move", v.constants, if v.constants == 1 { "does" } else { "do" }));
    }
    let left_out = if left_out.is_empty() { String::new() } else { format!("\nLeft out: {}", left_out.join("; ")) };
    // The verdict, the method, and the table.
    format!(
        "{}\n\n{} · {} · {} · {} · {} · H = {} s, against H/2, H/4 and {}\n\n{}{left_out}",
        verdict(v),
        title(&v.effective),
        c.schedule,
        c.predict,
        c.correct,
        c.sampling,
        v.step_s,
        v.other,
        table.terminal()
    )
}
