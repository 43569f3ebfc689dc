//! `macrostep info FMU`: what an FMU declares, as a table or as JSON.

use std::path::{Path, PathBuf};

use clap::Args;
use macrostep_description::{Dependencies, ModelDescription, Value, Variable};
use macrostep_master::report::table::{Align, Table};
use macrostep_master::unit::fmu::Fmu;
use serde_json::{Value as Json, json};

use crate::failure::Failure;
use crate::{print, values};

/// `macrostep info`.
#[derive(Debug, Args)]
pub struct InfoArguments {
    /// The FMU: a file, or a folder it was unpacked into
    #[arg(value_name = "FMU")]
    pub fmu: PathBuf,
    /// Print one JSON object instead of tables
    #[arg(long)]
    pub json: bool,
}

/// Opens and prints.
///
/// # Errors
/// [`Failure::Run`] where the FMU cannot be read.
pub fn run(arguments: &InfoArguments) -> Result<(), Failure> {
    let fmu = open(&arguments.fmu)?;
    print::line(if arguments.json { json_of(&fmu).to_string() } else { text(&fmu) })
}

/// Opens an FMU for a verb.
///
/// # Errors
/// [`Failure::Run`] with what is wrong with it.
pub fn open(path: &Path) -> Result<Fmu, Failure> {
    Fmu::open(path).map_err(|e| Failure::Run(e.to_string()))
}

/// Capabilities by their names in the standard.
pub fn capabilities(fmu: &Fmu) -> [(&'static str, bool); 9] {
    let c = fmu.capabilities();
    [
        ("needsExecutionTool", c.needs_execution_tool),
        ("canHandleVariableCommunicationStepSize", c.can_handle_variable_communication_step_size),
        ("canInterpolateInputs", c.can_interpolate_inputs),
        ("canRunAsynchronuously", c.can_run_asynchronuously),
        ("canBeInstantiatedOnlyOncePerProcess", c.can_be_instantiated_only_once_per_process),
        ("canNotUseMemoryManagementFunctions", c.can_not_use_memory_management_functions),
        ("canGetAndSetFMUstate", c.can_get_and_set_fmu_state),
        ("canSerializeFMUstate", c.can_serialize_fmu_state),
        ("providesDirectionalDerivative", c.provides_directional_derivative),
    ]
}

fn text(fmu: &Fmu) -> String {
    let d = fmu.description();
    let mut about = Table::new([("property", Align::Left), ("value", Align::Left)]);
    let mut row = |name: &str, value: &str| {
        about.row([name.to_owned(), value.to_owned()]);
    };
    row("model", &d.model_name);
    row("identifier", &fmu.capabilities().model_identifier);
    row("GUID", &d.guid);
    row("description", d.description.as_deref().unwrap_or("–"));
    row("made by", d.generation_tool.as_deref().unwrap_or("–"));
    row("also for model exchange", if d.has_model_exchange { "yes" } else { "no" });
    for (name, offered) in capabilities(fmu) {
        row(name, if offered { "yes" } else { "no" });
    }
    row("maxOutputDerivativeOrder", &fmu.capabilities().max_output_derivative_order.to_string());
    if let Some(e) = &d.default_experiment {
        let time = |t: Option<f64>| t.map_or("–".to_owned(), |t| format!("{t} s"));
        let (start, stop, step) = (time(e.start_time), time(e.stop_time), time(e.step_size));
        row("default experiment", &format!("{start} to {stop}, step {step}"));
    }
    let warnings: String = fmu.warnings().iter().map(|w| format!("\nwarning: {w}")).collect();
    format!("{}\n\n{}{warnings}", about.terminal(), variables(d).terminal())
}

fn variables(d: &ModelDescription) -> Table {
    let mut table = Table::new([
        ("variable", Align::Left),
        ("reference", Align::Right),
        ("type", Align::Left),
        ("unit", Align::Left),
        ("causality", Align::Left),
        ("variability", Align::Left),
        ("start", Align::Right),
        ("follows at once", Align::Left),
    ]);
    for (i, v) in d.variables.iter().enumerate() {
        table.row([
            v.name.clone(),
            v.value_reference.to_string(),
            values::type_name(v).to_owned(),
            v.unit().to_owned(),
            word(v.causality),
            word(v.variability),
            v.start.as_ref().map_or_else(String::new, shown),
            match dependencies(d, i) {
                Some(Dependencies::All) => "all inputs".to_owned(),
                Some(Dependencies::Known(known)) => names(d, known).join(", "),
                None => String::new(),
            },
        ]);
    }
    table
}

/// A variant's name as the standard writes it.
pub fn word(variant: impl std::fmt::Debug) -> String {
    let mut text = format!("{variant:?}");
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    text
}

fn shown(value: &Value) -> String {
    match value {
        Value::Real(x) => x.to_string(),
        Value::Integer(i) => i.to_string(),
        Value::Boolean(b) => b.to_string(),
        Value::String(s) => format!("{s:?}"),
    }
}

/// Where the variable is an output: what it depends on.
fn dependencies(d: &ModelDescription, variable: usize) -> Option<&Dependencies> {
    d.structure.outputs.iter().find(|o| o.index == variable).map(|o| &o.dependencies)
}

fn names(d: &ModelDescription, known: &[(usize, macrostep_description::DependencyKind)]) -> Vec<String> {
    known.iter().filter_map(|(k, _)| d.variables.get(*k).map(|v| v.name.clone())).collect()
}

fn json_of(fmu: &Fmu) -> Json {
    let d = fmu.description();
    let capabilities: serde_json::Map<String, Json> =
        capabilities(fmu).into_iter().map(|(name, value)| (name.to_owned(), Json::from(value))).collect();
    let experiment = d.default_experiment.as_ref();
    json!({
        "fmi_version": d.fmi_version,
        "model_name": d.model_name,
        "model_identifier": fmu.capabilities().model_identifier,
        "guid": d.guid,
        "description": d.description,
        "generation_tool": d.generation_tool,
        "model_exchange": d.has_model_exchange,
        "capabilities": capabilities,
        "max_output_derivative_order": fmu.capabilities().max_output_derivative_order,
        "default_experiment": experiment.map(|e| json!({
            "start_time": e.start_time, "stop_time": e.stop_time, "tolerance": e.tolerance, "step_size": e.step_size,
        })),
        "units": d.units.iter().map(|u| u.name.as_str()).collect::<Vec<_>>(),
        "variables": d.variables.iter().enumerate().map(|(i, v)| variable(d, i, v)).collect::<Vec<_>>(),
        "warnings": fmu.warnings().iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

fn variable(d: &ModelDescription, i: usize, v: &Variable) -> Json {
    json!({
        "name": v.name,
        "value_reference": v.value_reference,
        "type": values::type_name(v),
        "unit": v.real().and_then(|r| r.unit.as_deref()),
        "causality": word(v.causality),
        "variability": word(v.variability),
        "initial": v.initial.map(word),
        "start": v.start.as_ref().map(json_value),
        "description": v.description,
        "dependencies": match dependencies(d, i) {
            Some(Dependencies::Known(known)) => json!(names(d, known)),
            Some(Dependencies::All) => json!("all"),
            None => Json::Null,
        },
    })
}

/// A value as JSON; what is not finite as text, since JSON has no such numbers.
pub fn json_value(value: &Value) -> Json {
    match value {
        Value::Real(x) if x.is_finite() => json!(x),
        Value::Real(x) => json!(x.to_string()),
        Value::Integer(i) => json!(i),
        Value::Boolean(b) => json!(b),
        Value::String(s) => json!(s),
    }
}
