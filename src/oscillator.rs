//! `macrostep oscillator`: one run, compared with the exact solution.

use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use macrostep::pair::Outcome;
use macrostep_master::report::table::{Align, Table};
use macrostep_master::{Account, Course};

use crate::arguments::OscillatorArguments;
use crate::failure::Failure;
use crate::options::OscillatorOptions;
use crate::summary::Summary;
use crate::{pictures, print, simulate};

/// Runs, prints, writes, and compares with the tolerance asked for.
///
/// # Errors
/// [`Failure`] of the options, the run or the files; [`Failure::OutOfTolerance`] after everything is written.
pub fn run(arguments: &OscillatorArguments) -> Result<(), Failure> {
    let options = OscillatorOptions::new(arguments)?;
    let bar = progress_bar(options.steps(), "macro steps");
    let outcome = simulate::run(&options, &mut |done| bar.inc(done))?;
    bar.finish_and_clear();

    if arguments.json {
        print::line(json(&options, &outcome)?)?;
    } else {
        print::line(table(&options, &outcome))?;
    }
    if let Some(folder) = &arguments.out {
        write(folder, &options, &outcome)?;
        eprintln!("wrote trace, scenario, result and pictures to `{}`", folder.display());
    }
    judge(&outcome, arguments.tolerance)
}

/// A bar on standard error that is seen on a terminal only.
pub fn progress_bar(length: u64, unit: &str) -> ProgressBar {
    let bar = ProgressBar::new(length);
    let template = format!("{{bar:40}} {{human_pos}}/{{human_len}} {unit}  {{elapsed}}");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style.progress_chars("━╸─"));
    }
    bar
}

/// The JSON object, in full precision, on one line.
fn json(options: &OscillatorOptions, outcome: &Outcome) -> Result<String, Failure> {
    serde_json::to_string(&Summary::new(options, outcome))
        .map_err(|error| Failure::Format { what: "the JSON object", reason: error.to_string() })
}

/// `trace.csv`, `scenario.toml`, `result.json` and the pictures.
pub fn write(folder: &Path, options: &OscillatorOptions, outcome: &Outcome) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(Failure::file(folder))?;
    let path = folder.join("trace.csv");
    outcome.trace.write(std::fs::File::create(&path).map_err(Failure::file(&path))?)?;
    write_text(&folder.join("scenario.toml"), &scenario(options)?)?;
    write_text(&folder.join("result.json"), &json(options, outcome)?)?;
    pictures::write(folder, options, outcome)?;
    Ok(())
}

/// The effective scenario as TOML, every default filled in.
pub fn scenario(options: &OscillatorOptions) -> Result<String, Failure> {
    toml::to_string(options).map_err(|error| Failure::Format { what: "the scenario", reason: error.to_string() })
}

/// Writes a text that ends in a line end.
pub fn write_text(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, format!("{}\n", text.trim_end())).map_err(Failure::file(path))
}

fn table(options: &OscillatorOptions, outcome: &Outcome) -> String {
    let mut table = Table::new([("quantity", Align::Left), ("mass 1", Align::Right), ("mass 2", Align::Right)]);
    let full = |value: f64| format!("{value:.12e}");
    let short = |value: f64| format!("{value:.3e}");
    table
        .row(["position at the end [m]".to_owned(), full(outcome.end[0]), full(outcome.end[1])])
        .row(["velocity at the end [m/s]".to_owned(), full(outcome.end[2]), full(outcome.end[3])])
        .row(["largest error / amplitude".to_owned(), short(outcome.error[0]), short(outcome.error[1])])
        .row(["do_steps".to_owned(), outcome.do_steps[0].to_string(), outcome.do_steps[1].to_string()]);
    let bonds: String = outcome.accounts.iter().map(bond_line).collect();
    let course = outcome.course.map(|c| course_line(&c, outcome.statistics.windows)).unwrap_or_default();
    let growth = outcome.growth_rate.map(|rate| format!(" · amplitudes grow at {rate:.3} 1/s")).unwrap_or_default();
    format!(
        "{}\n\n{}\n\nenergy {:.6} J at the end · largest drift {:.3e} of the start{growth}{bonds}{course}\n{:.3} s · units: {}",
        options.line(),
        table.terminal(),
        outcome.energy,
        outcome.drift,
        outcome.wall_s,
        outcome.units
    )
}

fn bond_line(account: &Account) -> String {
    format!(
        "\npower bond `{}`: residual energy {:.3e} J, at most {:.3e} J · residual power at most {:.3e} W",
        account.name, account.residual_energy_j, account.residual_energy_max_j, account.residual_power_max_w
    )
}

fn course_line(course: &Course, windows: u64) -> String {
    let Course { rejected, window_s: [shortest, longest], degree: [lowest, highest] } = course;
    let degrees = if *highest > 0 { format!(" · degree {lowest} to {highest}") } else { String::new() };
    format!("\n{windows} steps of {shortest:.3e} to {longest:.3e} s, {rejected} rejected{degrees}")
}

fn judge(outcome: &Outcome, tolerance: Option<f64>) -> Result<(), Failure> {
    let found = outcome.max_relative_position();
    if outcome.end.iter().any(|value| !value.is_finite()) {
        return Err(Failure::Run("the states are not finite at the end: the run is unstable".to_owned()));
    }
    match tolerance {
        // An error that is not a number is out of any tolerance.
        Some(allowed) if found.is_nan() || found > allowed => Err(Failure::OutOfTolerance { found, allowed }),
        _ => Ok(()),
    }
}
