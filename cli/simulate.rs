//! `macrostep simulate FMU`: one FMU alone, as a scenario of one unit that is run as any other one; options have the words of fmusim.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use macrostep_answers::failure::Failure;
use macrostep_answers::system::{findings_failure, proposed};
use macrostep_answers::values;
use macrostep_description::{Kind, ModelDescription};
use macrostep_import::fmu::Face;
use macrostep_system::check::input_table;
use macrostep_system::propose::{STEPS, propose};
use macrostep_system::scenario::{Connection, Endpoint, InputFile, Place, Setting, Source, Value};
use macrostep_system::{Document, Finding, Scenario};

use crate::system::arguments::RunArguments;
use crate::system::run;
use crate::{embedded, info};

/// `macrostep simulate`. The names that fmusim has for options are accepted too.
#[derive(Debug, Args)]
#[command(
    mut_arg("system", |a| a.value_name("FMU").help(FMU)),
    mut_arg("fmus", |a| a.hide(true)),
    mut_arg("step", |a| a.alias("output-interval").alias("step-size").help(STEP)),
    mut_arg("stop", |a| a.alias("stop-time").help("Stop time in s [default: that of the FMU, or 1 s after the start]")),
    mut_arg("solver_tolerance", |a| a.alias("relative-tolerance").help("Relative tolerance for the FMU's own solver [default: that of the FMU, or none]")),
    mut_arg("method", |a| a.hide(true)),
    mut_arg("predict", |a| a.hide(true)),
    mut_arg("schedule", |a| a.hide(true)),
    mut_arg("correct", |a| a.hide(true)),
    mut_arg("corrector_tolerance", |a| a.hide(true)),
    mut_arg("energy", |a| a.hide(true)),
    mut_arg("control", |a| a.hide(true)),
    mut_arg("control_tolerance", |a| a.hide(true)),
    mut_arg("parameters", |a| a.hide(true)),
    mut_arg("rollback", |a| a.hide(true)),
    mut_arg("threads", |a| a.hide(true)),
    mut_arg("set", |a| a.hide(true)),
    mut_arg("record", |a| a.hide(true)),
    mut_arg("error", |a| a.hide(true)),
    mut_arg("accept_growth", |a| a.hide(true)),
)]
pub struct SimulateArguments {
    /// Another start value; may be repeated [default: none]
    #[arg(long, value_name = "NAME=VALUE")]
    pub start: Vec<String>,
    /// The same as `--start`, as two words [default: none]
    #[arg(long, num_args = 2, value_names = ["NAME", "VALUE"], action = clap::ArgAction::Append, allow_hyphen_values = true)]
    pub start_value: Vec<String>,
    /// Values of inputs: a CSV file, first column `time` in s; reals are interpolated, others held [default: none]
    #[arg(long, alias = "input-file", value_name = "CSV")]
    pub input: Option<PathBuf>,
    /// Start time in s [default: that of the FMU, or 0]
    #[arg(long, value_name = "T0", allow_hyphen_values = true)]
    pub start_time: Option<f64>,
    /// How the FMU is driven: `co-simulation`, by its own steps, or `model-exchange`, by its equations, which are integrated here
    /// [default: co-simulation, where the FMU offers it]
    #[arg(long, alias = "interface-type", value_name = "FACE", value_parser = face)]
    pub face: Option<Face>,
    /// Record this variable instead of all outputs; may be repeated [default: all outputs]
    #[arg(long, value_name = "NAME")]
    pub output_variable: Vec<String>,
    #[command(flatten)]
    pub run: RunArguments,
}

/// Help of the FMU and of its step.
const FMU: &str = "The FMU: a file, a folder it was unpacked into, or `embedded:NAME` for one of this program's";
const STEP: &str = "Communication step H in s [default: that of the FMU, or a thousandth of the run]";

/// A face by its word, or by the one that fmusim has for it.
fn face(word: &str) -> Result<Face, String> {
    let face = match word {
        "cs" => Some(Face::CoSimulation),
        "me" => Some(Face::ModelExchange),
        _ => Face::of(word),
    };
    face.ok_or_else(|| format!("found `{word}`, expected {}", Face::ALL.map(|face| format!("`{face}`")).join(" or ")))
}

/// Runs the scenario that the words stand for, as `macrostep run` does it.
///
/// # Errors
/// [`Failure::Usage`] for options that do not fit the FMU; all others as of [`run::of`].
pub fn run(arguments: &SimulateArguments) -> Result<(), Failure> {
    let system = &arguments.run.system;
    if !system.fmus.is_empty() {
        return Err(Failure::Usage("`macrostep simulate` takes one FMU: `macrostep run` couples several".to_owned()));
    }
    // The FMU, driven as it is to be.
    let mut source = proposed::named(&system.system);
    match (&mut source, arguments.face) {
        (Source::File { face, .. }, asked) => *face = asked,
        (Source::Embedded(_), None | Some(Face::CoSimulation)) => {}
        (Source::Embedded(_), Some(_)) => {
            let next = "write the FMU to a file by `macrostep fmus`, and simulate that";
            return Err(Failure::Usage(format!("`--face`: `{source}` is driven by co-simulation: {next}")));
        }
    }
    let fmu = info::open(&system.system, embedded::fmu)?;
    let fmu = fmu.by_face(source.face()).map_err(Failure::run)?;
    let description = Arc::new(fmu.description().clone());
    // The scenario: what is proposed for an FMU alone, and what the options say.
    let mut scenario = propose(&[(source, description.clone())]).scenario;
    let mut findings = times(&mut scenario, arguments, &description);
    findings.extend(fmu.warnings().iter().map(|said| Finding::warning(&Place::default(), said.to_string(), "")));
    let mut document = Document { scenario, findings, unpacked: Vec::new() };
    starts(&mut document.scenario, arguments, &description)?;
    if let Some(file) = &arguments.input {
        inputs(&mut document.scenario, file)?;
    }
    record(&mut document.scenario, arguments, &description)?;
    run::of(&arguments.run, document)
}

/// Start, stop and step, where they are not options: those that the FMU proposes. What it proposes and nobody can use is told.
fn times(s: &mut Scenario, a: &SimulateArguments, d: &ModelDescription) -> Vec<Finding> {
    let (declared, unusable) = d.default_experiment.unwrap_or_default().usable();
    let start_s = a.start_time.or(declared.start_time).unwrap_or(0.0);
    let stop_s = declared.stop_time.filter(|stop_s| *stop_s > start_s).unwrap_or(start_s + 1.0);
    let e = &mut s.experiment;
    (e.start_s, e.stop_s) = (start_s, Some(stop_s));
    // A step that the FMU proposes, or one that divides the run.
    let span_s = a.run.system.stop.unwrap_or(stop_s) - start_s;
    let step_s = declared.step_size.filter(|step_s| *step_s <= span_s).unwrap_or(span_s.abs() / STEPS);
    e.step_s = Some(step_s);
    let told = |value: &macrostep_description::Unusable| {
        let (is_given, next) = match value.attribute {
            "startTime" => (a.start_time.is_some(), format!("the run starts at {start_s} s")),
            "stopTime" => (a.run.system.stop.is_some(), format!("the run stops at {stop_s} s")),
            "stepSize" => (a.run.system.step.is_some(), format!("the step is {step_s} s")),
            _ => (a.run.system.solver_tolerance.is_some(), "the FMU uses its own".to_owned()),
        };
        (!is_given).then(|| Finding::warning(&Place::default(), value.to_string(), next))
    };
    unusable.iter().filter_map(told).collect()
}

/// Start values by name, `--start NAME=VALUE` and `--start-value NAME VALUE`.
fn starts(s: &mut Scenario, a: &SimulateArguments, d: &ModelDescription) -> Result<(), Failure> {
    // Both ways to type a start value; the second also takes names with `=`.
    let mut pairs = Vec::new();
    for text in &a.start {
        let Some((name, value)) = text.split_once('=') else {
            return Err(Failure::Usage(format!("`--start {}`: expected NAME=VALUE", values::cut(text))));
        };
        pairs.push(("--start", name.trim(), value));
    }
    let typed = a.start_value.chunks(2);
    pairs.extend(typed.filter_map(|p| Some(("--start-value", p.first()?.as_str(), p.get(1)?.as_str()))));
    for (option, name, text) in pairs {
        let variable = values::find(d, name).map_err(|reason| Failure::Usage(format!("`{option}`: {reason}")))?;
        values::parse(d, variable, text).map_err(|reason| Failure::Usage(format!("`{option}`: {reason}")))?;
        // A text is one whatever it looks like.
        let value = match variable.kind {
            Kind::String => Value::Text(text.to_owned()),
            _ => Value::typed(text.trim()),
        };
        for unit in &mut s.units {
            unit.settings.push(Setting::new(variable.name.clone(), value.clone(), Place::option(option)));
        }
    }
    Ok(())
}

/// A file of inputs, whose columns feed the inputs of their names: held over each step, as fmusim and FMPy do.
fn inputs(s: &mut Scenario, file: &Path) -> Result<(), Failure> {
    let Some(unit) = s.units.first().map(|unit| unit.name.clone()) else { return Ok(()) };
    // Names of files and units differ.
    let name = if unit == "input" { "inputs" } else { "input" }.to_owned();
    let path = std::path::absolute(file).map_err(Failure::file(file))?;
    let place = Place::option("--input");
    let input = InputFile { name: name.clone(), path, shown: file.display().to_string(), place: place.clone() };
    let table = input_table(&input).map_err(|finding| findings_failure(&[finding]))?;
    for column in table.names {
        let [from, to] = [&name, &unit].map(|unit| Endpoint { unit: unit.clone(), variable: column.clone() });
        s.connections.push(Connection { is_held: true, ..Connection::new(from, to, place.clone()) });
    }
    s.inputs.push(input);
    Ok(())
}

/// What is recorded, under the names that the FMU has: the variables asked for, or all outputs.
fn record(s: &mut Scenario, a: &SimulateArguments, d: &ModelDescription) -> Result<(), Failure> {
    let Some(unit) = s.units.first() else { return Ok(()) };
    let find = |name: &String| values::find(d, name).map_err(|e| Failure::Usage(format!("`--output-variable`: {e}")));
    let asked = a.output_variable.iter().map(find).collect::<Result<Vec<_>, Failure>>()?;
    let outputs = d.variables.iter().filter(|v| v.causality == macrostep_description::Causality::Output);
    let recorded = if asked.is_empty() { outputs.collect() } else { asked };
    let column = |name: &str| (format!("{}.{name}", unit.name), Place::option("--output-variable"));
    s.record.variables = recorded.into_iter().map(|v| column(&v.name)).collect();
    s.record.are_plain = true;
    Ok(())
}
