//! `macrostep advise`: the cheapest scheme and macro step for a tolerance, its predicted error, and with `--apply` its
//! measured error.

mod faces;
mod say;

use macrostep_analysis::advise::{Advice, Candidate, LeftOut, Question, advise};
use macrostep_analysis::interfaces::{Capabilities, Connection};
use macrostep_analysis::measure::{Reference, Work, run as run_scheme};
use macrostep_analysis::missed::Unadvised;
use macrostep_analysis::models::{self, Factory};
use macrostep_analysis::scheme::{Control, Predict, Schedule};
use macrostep_analysis::{Benchmark, Scheme, Setup};
use macrostep_plot::table::short;
use macrostep_plot::{Axis, Bars, Figure, PlotError};
use serde::Serialize;
use std::path::Path;
use std::time::Duration;

use super::arguments::{AdviseArguments, factory};
use super::json::{self, Parts};
use super::missed::missed;
use super::subject::Subject;
use crate::Carried;
use crate::choices::Units;
use crate::failure::Failure;
use crate::files::write_text;
use crate::print;
use crate::progress::progress_bar;
use faces::Faces;
use say::say;

/// Schemes drawn.
const DRAWN: usize = 20;
/// Macro steps of the first guess in a run.
const GUESS: f64 = 50.0;
/// The same where each of them waits for a unit that is far away.
const GUESS_FAR: f64 = 8.0;

/// The object of `--json`.
#[derive(Serialize)]
struct Answer<'a> {
    scenario: &'a str,
    tolerance: f64,
    stop_s: f64,
    /// The method as keys of `[coupling]`, with the cut where there is a choice, and `step`.
    advised: serde_json::Value,
    /// What each face came to, where FMUs have both.
    #[serde(skip_serializing_if = "Option::is_none")]
    faces: Option<Faces>,
    predicted_error: f64,
    /// With `--apply`.
    measured_error: Option<f64>,
    /// What the measured error is held against has this error itself.
    reference_error: Option<f64>,
    do_steps: u64,
    /// Growth rate [1/s]; `null` where the scheme has no map from step to step.
    growth: Option<f64>,
    advice: Choice,
    candidates: Vec<Choice>,
    left_out: &'a [LeftOut],
    first_guess: Guess,
    connections: &'a [Connection],
    loop_gain: Option<f64>,
    /// What `--limit` left no time for: "interfaces", "loop gain", "growth".
    no_time: &'a [&'static str],
    units: &'a [Capabilities],
    applied: Option<Applied>,
}

#[derive(Serialize)]
struct Choice {
    scheme: String,
    #[serde(flatten)]
    parts: Parts,
    step_s: f64,
    control_tolerance: Option<f64>,
    predicted_error: f64,
    growth_rate: Option<f64>,
    order: Option<f64>,
    do_steps: u64,
    /// Where units are far away: messages to them, the time that one takes, and the time of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    round_trips: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    round_trip_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_s: Option<f64>,
}

#[derive(Serialize)]
struct Guess {
    scheme: String,
    step_s: f64,
    growth_rate: Option<f64>,
    unstable: bool,
}

/// What a run of the advice came to.
#[derive(Serialize)]
struct Applied {
    measured_error: Option<f64>,
    measured_over_predicted: Option<f64>,
    do_steps: u64,
    wall_s: f64,
    units: String,
}

/// Runs, prints, writes.
///
/// # Errors
/// [`Failure`] of the options, the runs or the files.
pub fn run(carried: &'static Carried, arguments: &AdviseArguments) -> Result<(), Failure> {
    // The system, from a name or a file, and what is asked of it.
    let mut subject = arguments.subject.open(carried, "case-1", arguments.stop)?;
    subject.writes(arguments.output.out.as_deref(), &["advise.json", "advise.csv"])?;
    let benchmark = subject.benchmark.as_ref();
    let stop_s = arguments.stop.unwrap_or(benchmark.card().stop_s);
    let units = match arguments.units {
        Units::Fmu => carried.unit,
        Units::Native => models::native,
    };
    let guess_s = arguments.step.unwrap_or(stop_s / if benchmark.is_far() { GUESS_FAR } else { GUESS });
    // FMUs stay unpacked between the runs.
    let _open = (carried.open_all)().map_err(Failure::run)?;
    // Schemes are tried, by both faces of FMUs that have them: each has half of the time.
    let by_equations = arguments.subject.by_equations(carried, "case-1", arguments.stop)?;
    let faces = if by_equations.is_some() { 2.0 } else { 1.0 };
    let limit = Duration::try_from_secs_f64(arguments.limit / faces).ok();
    let question = Question { guess_s, limit, ..Question::new(arguments.tolerance, stop_s, units) };
    let advice = tried(&subject, &question);
    let (taken, advice, faces) = faces::choose((&subject, advice), by_equations.as_ref(), &question);
    let benchmark = taken.benchmark.as_ref();
    let advice = match advice {
        Ok(advice) => advice,
        Err(why) => return Err(missed(why, benchmark, &question, arguments.output.json)?),
    };
    // What is advised is run where that is wanted.
    let applied = if arguments.apply {
        Some(apply(benchmark, &advice, factory(carried, arguments.units), stop_s)?)
    } else {
        None
    };

    // The answer, as an object or as words.
    let mut answer = answer(benchmark, &advice, &question, applied.as_ref())?;
    answer.put(faces);
    let text = json::text(&answer)?;
    if arguments.output.json {
        print::line(&text)?;
    } else {
        say(&answer, &advice)?;
    }
    // Files.
    if let Some(folder) = &arguments.output.out {
        write_text(&folder.join("advise.json"), &text)?;
        write_csv(&folder.join("advise.csv"), &advice.candidates)?;
        draw(folder, &advice, &answer)?;
        crate::print::remark!("wrote the advice to `{}`", folder.display());
    }
    Ok(())
}

/// Tries all schemes.
fn tried(subject: &Subject, question: &Question) -> Result<Advice, Unadvised> {
    let benchmark = subject.benchmark.as_ref();
    let bar = progress_bar(macrostep_analysis::candidates::candidates(benchmark).len() as u64, "schemes tried");
    let advice = subject.install(|| advise(benchmark, question, &|| bar.inc(1)));
    bar.finish_and_clear();
    advice
}

/// Runs what is advised beside the solution.
fn apply(benchmark: &dyn Benchmark, advice: &Advice, units: Factory<'_>, stop_s: f64) -> Result<Work, Failure> {
    let Candidate { scheme, step_s, .. } = advice.candidates[0];
    let setup = Setup::new(&scheme, step_s, units);
    let work =
        Reference::new(benchmark, step_s, stop_s).and_then(|reference| run_scheme(benchmark, &setup, &reference));
    work.map_err(Failure::run)
}

fn choice(c: &Candidate) -> Choice {
    let finite = |x: f64| x.is_finite().then_some(x);
    Choice {
        scheme: c.scheme.to_string(),
        parts: Parts::new(&c.scheme),
        step_s: c.step_s,
        control_tolerance: (c.scheme.control != Control::Fixed).then_some(c.scheme.control_tolerance),
        predicted_error: c.error,
        growth_rate: finite(c.growth_rate),
        order: finite(c.order),
        do_steps: c.do_steps,
        round_trips: c.far.map(|far| far.round_trips),
        round_trip_s: c.far.map(|far| far.round_trip_s),
        run_s: c.far.map(|far| far.run_s),
    }
}

/// The advice as keys of a scenario: those of `[coupling]` that are not the default, and the step.
fn advised(benchmark: &dyn Benchmark, best: &Candidate) -> serde_json::Value {
    // What a scenario has without a word of its own.
    let (scheme, usual) = (&best.scheme, Scheme::new(best.scheme.coupling, Schedule::Jacobi, Predict::default()));
    let mut keys = serde_json::Map::new();
    // A file says itself what its units exchange; a system by name has a choice of cuts.
    if benchmark.written().is_none() {
        keys.insert("coupling".to_owned(), scheme.coupling.name().into());
    }
    // The method, always in full.
    keys.insert("schedule".to_owned(), scheme.schedule.word().into());
    keys.insert("predict".to_owned(), scheme.predict.to_string().into());
    keys.insert("correct".to_owned(), scheme.correct.word().into());
    // The rest, where it is not what the defaults are.
    let mut unusual = |key: &str, is_unusual: bool, value: serde_json::Value| {
        if is_unusual {
            keys.insert(key.to_owned(), value);
        }
    };
    unusual("gs_variant", scheme.variant != usual.variant, scheme.variant.word().into());
    unusual("derivative", scheme.derivative != usual.derivative, scheme.derivative.word().into());
    unusual("sampling", scheme.sampling != usual.sampling, scheme.sampling.word().into());
    let control = serde_json::json!({
        "kind": scheme.control.word(),
        "tolerance": scheme.control_tolerance,
        "step_max": best.step_s,
    });
    unusual("control", scheme.control != usual.control, control);
    // The step, which is a key of another section.
    keys.insert("step".to_owned(), best.step_s.into());
    serde_json::Value::Object(keys)
}

/// The same as lines of a scenario in TOML.
fn as_toml(advised: &serde_json::Value) -> String {
    let keys = advised
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(key, _)| !["step", "coupling", "faces"].contains(&key.as_str()));
    let value = |value: &serde_json::Value| match value.as_object() {
        None => value.to_string(),
        Some(table) => {
            let parts: Vec<String> = table.iter().map(|(key, value)| format!("{key} = {value}")).collect();
            format!("{{ {} }}", parts.join(", "))
        }
    };
    let lines: Vec<String> = keys.map(|(key, x)| format!("    {key} = {}", value(x))).collect();
    // Keys of units stand in sections of their own.
    let faces = advised["faces"].as_object().into_iter().flatten();
    let faces: String = faces
        .map(|(unit, face)| format!("\n    [units.{}]\n    face = {face}", macrostep_system::toml::key(unit)))
        .collect();
    format!("    [experiment]\n    step = {}\n    [coupling]\n{}{faces}", advised["step"], lines.join("\n"))
}

fn answer<'a>(
    benchmark: &'a dyn Benchmark,
    advice: &'a Advice,
    question: &Question,
    applied: Option<&Work>,
) -> Result<Answer<'a>, Failure> {
    // What is not finite has no form in JSON.
    let best = &advice.candidates[0];
    let finite = |x: f64| x.is_finite().then_some(x);
    // How far off the run is that a measured error is held against.
    let reference_error = match applied {
        None => None,
        Some(_) => Some(benchmark.solution_error(question.stop_s).map_err(Failure::run)?),
    };
    // What was asked, and the cheapest scheme that meets the tolerance.
    Ok(Answer {
        scenario: benchmark.name(),
        tolerance: question.tolerance,
        stop_s: question.stop_s,
        advised: advised(benchmark, best),
        faces: None,
        predicted_error: best.error,
        measured_error: applied.and_then(|work| finite(work.error.position)),
        reference_error,
        do_steps: best.do_steps,
        growth: finite(best.growth_rate),
        // All that do, why others do not, and the guess that the search began with.
        advice: choice(best),
        candidates: advice.candidates.iter().map(choice).collect(),
        left_out: &advice.left_out,
        first_guess: Guess {
            scheme: advice.first.scheme.to_string(),
            step_s: advice.first.step_s,
            growth_rate: finite(advice.first.growth_rate),
            unstable: advice.first.unstable,
        },
        // What was seen of the system on the way.
        connections: &advice.connections,
        loop_gain: advice.loop_gain,
        no_time: &advice.no_time,
        units: &advice.capabilities,
        // The advice, tried.
        applied: applied.map(|work| Applied {
            measured_error: finite(work.error.position),
            measured_over_predicted: finite(work.error.position / best.error),
            do_steps: work.do_steps,
            wall_s: work.wall_s,
            units: work.units.clone(),
        }),
    })
}

fn write_csv(path: &Path, candidates: &[Candidate]) -> Result<(), Failure> {
    let header = ["scheme", "step_s", "predicted_error", "order", "growth_rate_per_s", "do_steps"];
    let rows = candidates.iter().map(|c| {
        let values = [c.step_s, c.error, c.order, c.growth_rate].map(|x| x.to_string());
        [vec![c.scheme.to_string()], values.to_vec(), vec![c.do_steps.to_string()]].concat()
    });
    json::csv(path, &header, rows)
}

/// What schemes that meet the tolerance cost, the cheapest first.
fn draw(folder: &Path, advice: &Advice, answer: &Answer<'_>) -> Result<(), PlotError> {
    // One row a scheme: where it meets the tolerance at several steps, the cheapest of these.
    let mut cheapest: Vec<(String, &Candidate)> = Vec::new();
    for c in &advice.candidates {
        let name = c.scheme.to_string();
        match cheapest.iter_mut().find(|(other, _)| *other == name) {
            Some((_, best)) if best.do_steps > c.do_steps => *best = c,
            Some(_) => {}
            None => cheapest.push((name, c)),
        }
    }
    cheapest.sort_by_key(|(_, c)| c.do_steps);
    let count = cheapest.len();
    cheapest.truncate(DRAWN);

    // The advised one is the first of its name.
    let best = &answer.advice;
    let label = |(name, c): &(String, &Candidate)| {
        let mark = if *name == best.scheme { "advised: " } else { "" };
        format!("{mark}{name}, H = {} s", short(c.step_s))
    };
    let bars = Bars::new("", Axis::linear("do_steps of all units", "1"), cheapest.iter().map(label));
    let bars = bars.with("", cheapest.iter().map(|(_, c)| c.do_steps as f64).collect::<Vec<_>>());
    let title = format!("{}: calls for an error of {:e}", answer.scenario, answer.tolerance);
    let shown = if count > DRAWN { format!("the {DRAWN} cheapest of {count}") } else { format!("{count} schemes") };
    let line = format!("{shown} · error predicted for the advised one {:.1e}", best.predicted_error);
    let height = 70.0 + 24.0 * cheapest.len() as f64;
    Figure::new(&title).subtitle(&line).with(bars).panel_size(760.0, height).write(folder, "advise").map(|_| ())
}
