//! `macrostep simulate FMU`: one FMU alone, driven by a file of inputs.
//!
//! ```text
//! at t_n = start + n·H:  set the inputs' values at t_n  ·  step to t_{n+1}  ·  record the outputs
//! ```
//!
//! Rows go to the file as they are made. A run that fails leaves everything up to its last communication point.

mod options;
mod steps;

use std::path::{Path, PathBuf};
use std::time::Instant;

use macrostep_answers::distinct::Files;
use macrostep_answers::failure::{Failure, kept};
use macrostep_answers::files::rows_at;
use macrostep_answers::formats::units;
use macrostep_answers::values;
use macrostep_answers::{print, slaves};
use macrostep_description::{Causality, Dependencies, ModelDescription, Unknown, Value, Variable};
use macrostep_import::fmu::{Fmu, regular};
use macrostep_master::unit::{Start, Unit};
use macrostep_run::{Checkpoint, Stream};
use macrostep_system::check::not_finite;
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

pub use options::SimulateArguments;

use crate::{embedded, info};
use macrostep_answers::input::Input;
use options::Experiment;
use steps::{RunFiles, Steps};

/// Simulates, prints and writes.
///
/// # Errors
/// [`Failure::Usage`] for options that do not fit the FMU, [`Failure::Run`] where it fails; rows made before stay.
pub fn run(arguments: &SimulateArguments) -> Result<(), Failure> {
    // The FMU, and what of the run it says itself.
    let fmu = info::open(&arguments.fmu, embedded::fmu)?.by_face(arguments.face).map_err(Failure::run)?;
    let description = fmu.description();
    let mut warnings: Vec<String> = fmu.warnings().iter().map(ToString::to_string).collect();
    let experiment = Experiment::new(arguments, &fmu, &mut warnings)?;
    let starts = starts(arguments, description)?;
    warnings.extend(without_value(arguments, description, &starts));
    // The file of inputs, which may have nothing to say in the run.
    let (input, digest) = arguments.input.as_deref().map(|path| read(path, description)).transpose()?.unzip();
    warnings.extend(input.as_ref().and_then(|input| unused(input, &experiment)));
    // Recorded variables, and what is not to be expected of them.
    let recorded = recorded(arguments, description)?;
    warnings.extend(input.as_ref().and_then(|input| late(input, description, &recorded)));
    let names: Vec<&str> = recorded.iter().map(|v| v.name.as_str()).collect();
    // Options and files are checked before the FMU does anything.
    arguments.formats.need_rows(result_path(arguments).is_some())?;
    apart(arguments)?;
    // A checkpoint is of this run or it is refused.
    let run = identity(&fmu, &experiment, &starts, &names) + &digest.unwrap_or_default();
    let read = |path| Checkpoint::read(path, &run, experiment.steps + 1, false);
    let resumed = arguments.checkpoints.resume.as_deref().map(read).transpose()?;
    can_serialize(arguments, &fmu)?;
    // Where rows, checkpoints and the result go; units are beside the rows.
    let mut writer = arguments.checkpoints.writer(&run)?;
    let mut stream = stream(arguments, &names, resumed.as_ref())?;
    if arguments.out.is_some()
        && let Some(stream) = &stream
    {
        units::write(stream.path(), recorded.iter().map(|v| (v.name.as_str(), v.unit())))?;
    }
    // From here on code of the FMU runs, which may print.
    print::keep()?;
    let began = Instant::now();
    let mut steps = Steps::new(&experiment, &recorded, input.as_ref(), arguments.allow_non_finite);
    let outcome = slaves::make(&fmu, "slave", &arguments.slaves, None).and_then(|mut unit| {
        let kept = RunFiles { stream: stream.as_mut(), writer: writer.as_mut(), resumed };
        let done = steps.run(unit.as_mut(), &starts, kept);
        // What it has warned of, whether the run has failed or not.
        steps.warnings.extend(unit.warned().filter(|warned| warned.count > 0).map(|warned| warned.sentence("slave")));
        done
    });
    // What was reached is written, whether the run has failed or not.
    let outcome = outcome.and_then(|()| stream.as_mut().map_or(Ok(()), |stream| Ok(stream.close()?)));
    warnings.append(&mut steps.warnings);
    let summary = json!({
        "fmu": arguments.fmu.display().to_string(),
        "kind": slaves::kind(&arguments.slaves),
        "rows": steps.rows,
        "start_time": experiment.start_s,
        "end_time": steps.reached_s,
        "stop_time": experiment.stop_s,
        "step": experiment.step_s,
        "do_steps": steps.do_steps,
        "final": last(&names, &steps.reading.last),
        "units_of_measurement": units::known(recorded.iter().map(|v| (v.name.as_str(), v.unit()))),
        "result": stream.as_ref().map(|s| s.path().display().to_string()),
        "warnings": warnings,
        "wall_s": began.elapsed().as_secs_f64(),
        "error": outcome.as_ref().err().map(ToString::to_string),
    });
    // The result beside the rows, and other formats made from what is on disk.
    let written = write(arguments, &summary, stream.as_ref(), &recorded);
    // Failures come last: that of the run, with where its rows are, goes before that of a file.
    let reported = report(arguments, &summary, &names, &steps.reading.last);
    outcome.map_err(|failure| kept(failure, stream.as_ref()))?;
    written.and(reported)
}

/// A warning of variables without a finite start value, which no option gives.
fn without_value(arguments: &SimulateArguments, description: &ModelDescription, starts: &[Start]) -> Option<String> {
    let is_started = |v: &Variable| starts.iter().any(|start| start.reference == v.value_reference);
    let is_driven = |v: &Variable| arguments.input.is_some() && v.causality == Causality::Input;
    not_finite(description, |v| !is_started(v) && !is_driven(v))
        .map(|what| format!("{what}; set them by `--start NAME=VALUE`"))
}

/// A warning for inputs of which only the first row is used.
fn unused(input: &Input, experiment: &Experiment) -> Option<String> {
    let (first_s, stop_s) = (input.first_s(), experiment.stop_s);
    (first_s > stop_s).then(|| {
        format!(
            "all rows of `--input` are after the stop time {stop_s} s: the first, at {first_s} s, holds for the whole run"
        )
    })
}

/// Writes the result beside the rows, and other formats made from what is on disk.
fn write(
    arguments: &SimulateArguments,
    summary: &Json,
    stream: Option<&Stream>,
    recorded: &[&Variable],
) -> Result<(), Failure> {
    let Some(stream) = stream else { return Ok(()) };
    if arguments.out.is_some() {
        let path = stream.path().with_file_name("result.json");
        std::fs::write(&path, format!("{summary:#}\n")).map_err(Failure::file(&path))?;
    }
    let unit = |name: &str| Some(recorded.iter().find(|v| v.name == name)?.unit().to_owned());
    arguments.formats.convert(stream.path(), Path::new(""), &unit)
}

/// What is written is not what is read.
fn apart(arguments: &SimulateArguments) -> Result<(), Failure> {
    let mut files = Files::default();
    files.reads("FMU", &arguments.fmu);
    files.reads_option("--input", arguments.input.as_deref());
    if let Some(path) = result_path(arguments) {
        let option = if arguments.output_file.is_some() { "--output-file" } else { "--out" };
        files.writes(option, &path);
        if arguments.out.is_some() {
            files.writes("--out", &path.with_file_name("result.json"));
            files.writes("--out", &path.with_extension(units::EXTENSION));
        }
    }
    arguments.formats.claim(&mut files, Path::new(""));
    files.checkpoints(&arguments.checkpoints);
    files.are_apart()
}

/// What tells this run from others, a line each.
fn identity(fmu: &Fmu, experiment: &Experiment, starts: &[Start], names: &[&str]) -> String {
    let guid = &fmu.description().guid;
    let Experiment { start_s, stop_s, step_s, tolerance, .. } = experiment;
    let starts: Vec<(u32, &Value)> = starts.iter().map(|start| (start.reference, &start.value)).collect();
    format!(
        "simulate\nGUID `{guid}`\nstart time {start_s} s\nstop time {stop_s} s\nstep {step_s} s\ntolerance {tolerance:?}\nstart values {starts:?}\nvariables {names:?}"
    )
}

/// A checkpoint needs states that can be written down.
fn can_serialize(arguments: &SimulateArguments, fmu: &Fmu) -> Result<(), Failure> {
    let Some(option) = arguments.checkpoints.option() else { return Ok(()) };
    if fmu.capabilities().can_serialize_fmu_state {
        return Ok(());
    }
    let fmu = arguments.fmu.display();
    Err(Failure::Usage(format!(
        "`{option}` needs `canSerializeFMUstate`, which FMU `{fmu}` does not offer: run it without checkpoints"
    )))
}

/// The file of inputs, and the line that tells a run with it from others.
fn read(path: &Path, d: &ModelDescription) -> Result<(Input, String), Failure> {
    let bytes = regular::read(path).map_err(Failure::file(path))?;
    let failed = |e| Failure::Run(format!("`{}`, {e}", path.display()));
    let input = Input::read(bytes.as_slice(), d).map_err(failed)?;
    Ok((input, format!("\ninputs of {:x}", Sha256::digest(&bytes))))
}

fn stream(
    arguments: &SimulateArguments,
    names: &[&str],
    resumed: Option<&Checkpoint>,
) -> Result<Option<Stream>, Failure> {
    let Some(path) = result_path(arguments) else { return Ok(None) };
    rows_at(&path, names.iter().copied(), resumed).map(Some)
}

fn result_path(arguments: &SimulateArguments) -> Option<PathBuf> {
    let in_folder = arguments.out.as_ref().map(|folder| folder.join("result.csv"));
    arguments.output_file.clone().or(in_folder)
}

/// Start values by name, `--start NAME=VALUE` and `--start-value NAME VALUE`.
fn starts(arguments: &SimulateArguments, d: &ModelDescription) -> Result<Vec<Start>, Failure> {
    // Both ways to type a start value; the second also takes names with `=`.
    let mut pairs = Vec::new();
    for text in &arguments.start {
        let Some((name, value)) = text.split_once('=') else {
            return Err(Failure::Usage(format!("`--start {}`: expected NAME=VALUE", values::cut(text))));
        };
        pairs.push(("--start", name.trim(), value));
    }
    let typed = arguments.start_value.chunks(2);
    pairs.extend(typed.filter_map(|p| Some(("--start-value", p.first()?.as_str(), p.get(1)?.as_str()))));
    // Names have to be variables that may be set, and texts values of their type.
    let mut out = Vec::new();
    for (option, name, text) in pairs {
        let usage = |reason: String| Failure::Usage(format!("`{option}`: {reason}"));
        let variable = values::find(d, name).map_err(usage)?;
        if matches!(variable.causality, Causality::Independent | Causality::CalculatedParameter) {
            let causality = values::word(variable.causality);
            return Err(usage(format!("`{name}` has the causality {causality}, expected one that may be set")));
        }
        let value = values::parse(d, variable, text).map_err(usage)?;
        let origin = format!("start value of `{}`, `{option}`", values::cut(name));
        out.push(Start { reference: variable.value_reference, value, origin });
    }
    Ok(out)
}

/// What a user may not expect of recorded outputs that follow a driven input without delay: they are read after the step,
/// with the input of its start, because FMI 2.0.5, section 4.2.4, wants a step between setting an input and reading.
fn late(input: &Input, d: &ModelDescription, recorded: &[&Variable]) -> Option<String> {
    let drives = |(i, _): &(usize, _)| d.variables.get(*i).is_some_and(|v| input.drives(&v.name));
    let follows = |u: &&Unknown| matches!(&u.dependencies, Dependencies::Known(on) if on.iter().any(drives));
    let is_recorded = |v: &&Variable| recorded.iter().any(|r| r.name == v.name);
    let names: Vec<String> = (d.structure.outputs.iter().filter(follows))
        .filter_map(|u| d.variables.get(u.index))
        .filter(is_recorded)
        .map(|v| values::cut(&v.name))
        .collect();
    let all = match names.as_slice() {
        [] => return None,
        some if some.len() <= 4 => format!("`{}`", some.join("`, `")),
        [first, rest @ ..] => format!("`{first}` and {} more outputs", rest.len()),
    };
    let next = "a row has their values for the input at the step's start; a smaller `--step` reduces the difference";
    Some(format!("{all} may follow an input of `--input` without delay: {next}"))
}

/// What is recorded: the variables asked for, or all outputs.
fn recorded<'a>(arguments: &SimulateArguments, d: &'a ModelDescription) -> Result<Vec<&'a Variable>, Failure> {
    if arguments.output_variable.is_empty() {
        return Ok(d.variables.iter().filter(|v| v.causality == Causality::Output).collect());
    }
    let find = |name: &String| values::find(d, name).map_err(|e| Failure::Usage(format!("`--output-variable`: {e}")));
    arguments.output_variable.iter().map(find).collect()
}

fn last(names: &[&str], row: &[Value]) -> Json {
    let pairs = names.iter().zip(row).map(|(name, value)| ((*name).to_owned(), info::json_value(value)));
    Json::Object(pairs.collect())
}

fn report(arguments: &SimulateArguments, summary: &Json, names: &[&str], row: &[Value]) -> Result<(), Failure> {
    for warning in summary["warnings"].as_array().into_iter().flatten() {
        eprintln!("warning: {}", warning.as_str().unwrap_or_default());
    }
    if arguments.json {
        return print::line(summary);
    }
    use macrostep_plot::Table;
    let mut table = Table::new("variable | > value at the end");
    for (name, value) in names.iter().zip(row) {
        table.row([(*name).to_owned(), info::json_value(value).to_string()]);
    }
    let rows = summary["rows"].as_u64().unwrap_or(0);
    if rows == 0 && !summary["error"].is_null() {
        // The error says it all.
        return Ok(());
    }
    print::line(format!("{}\n\nt = {} s · {}", table.terminal(), summary["end_time"], print::counted(rows, "row")))
}

/// Ends a unit whose run is over.
pub fn end(unit: &mut dyn Unit) -> Result<(), Failure> {
    unit.terminate().map_err(Failure::run)
}
