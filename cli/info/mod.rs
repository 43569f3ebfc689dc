//! `macrostep info FMU`: what an FMU declares, as tables or as JSON, written piece by piece: an FMU may have 200 000 variables.

mod document;
mod text;

use std::path::{Path, PathBuf};

use clap::Args;
use macrostep_answers::failure::Failure;
use macrostep_answers::print;
use macrostep_answers::slaves::{self, SlaveArguments};
use macrostep_description::{BaseUnit, Causality, Dependencies, Item, Kind, ModelDescription, Place, Value};
use macrostep_import::fmu::Fmu;
use macrostep_system::Fmus;
use macrostep_system::assemble::{InputOrder, order_alone};
use macrostep_system::catalogue::Embedded;
use macrostep_system::scenario::Source;
use serde_json::{Value as Json, json};

use crate::embedded;

/// `macrostep info`.
#[derive(Debug, Args)]
pub struct InfoArguments {
    /// The FMU: a file, a folder it was unpacked into, or `embedded:NAME` for one of this program's
    #[arg(value_name = "FMU")]
    pub fmu: PathBuf,
    /// Print one JSON object instead of tables [default: off]
    #[arg(long)]
    pub json: bool,
    /// Try which derivatives of its inputs the FMU takes: instances of it run for two steps [default: off]
    #[arg(long)]
    pub probe: bool,
}

/// Opens and prints.
///
/// # Errors
/// [`Failure::Run`] where the FMU cannot be read.
pub fn run(arguments: &InfoArguments) -> Result<(), Failure> {
    let fmu = open(&arguments.fmu, embedded::packed)?;
    let tried = if arguments.probe { input_order(&fmu) } else { None };
    let tried = tried.as_ref();
    print::stream(|out| if arguments.json { document::write(&fmu, tried, out) } else { text::write(&fmu, tried, out) })
}

/// Opens an FMU for a verb: a path, or a name as scenarios have it. One of the program is the archive that `carried` gives: with all that a
/// file has, or what a run needs.
///
/// # Errors
/// [`Failure::Run`] with what is wrong with it.
pub fn open(path: &Path, carried: Embedded) -> Result<Fmu, Failure> {
    // One of the program.
    if let Some(source @ Source::Embedded(_)) = path.to_str().map(Source::named) {
        return Fmus::new(carried).fmu(&source).map_err(Failure::Run);
    }
    // A system is for another verb.
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let is_system = matches!(ending, "toml" | "ssd" | "ssp") && path.is_file();
    if is_system || (!path.exists() && path.to_str().is_some_and(|name| macrostep_benchmarks::find(name).is_some())) {
        let shown = path.display();
        let text =
            format!("`{shown}` names a system of FMUs, expected one FMU; `macrostep run {shown}` runs the system");
        return Err(Failure::Run(text));
    }
    Fmu::open(path).map_err(Failure::run)
}

/// Which derivatives of its inputs the FMU takes; `None` where it does not claim to take any.
fn input_order(fmu: &Fmu) -> Option<InputOrder> {
    let arguments = SlaveArguments::default();
    let only_once = fmu.capabilities().can_be_instantiated_only_once_per_process;
    let mut make = || {
        let unit = if only_once {
            slaves::make_by_fork(fmu, &fmu.description().model_name, &arguments)
        } else {
            slaves::make(fmu, &fmu.description().model_name, &arguments, None)
        };
        unit.map_err(|e| e.to_string())
    };
    order_alone(fmu.description(), &mut make)
}

/// Capabilities by their names in the standard that the FMU follows.
fn capabilities(fmu: &Fmu) -> Vec<(&'static str, bool)> {
    let c = fmu.capabilities();
    if let Some(fmi3) = &fmu.description().fmi3 {
        return vec![
            ("needsExecutionTool", c.needs_execution_tool),
            ("canHandleVariableCommunicationStepSize", c.can_handle_variable_communication_step_size),
            ("providesIntermediateUpdate", fmi3.provides_intermediate_update),
            ("hasEventMode", fmi3.has_event_mode),
            ("canBeInstantiatedOnlyOncePerProcess", c.can_be_instantiated_only_once_per_process),
            ("canGetAndSetFMUState", c.can_get_and_set_fmu_state),
            ("canSerializeFMUState", c.can_serialize_fmu_state),
            ("providesDirectionalDerivatives", c.provides_directional_derivative),
        ];
    }
    vec![
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

/// What only an FMU of FMI 3.0 says of a variable.
fn place(d: &ModelDescription, at: usize) -> Option<&Place> {
    d.fmi3.as_ref()?.places.get(at)
}

/// The value reference of a variable in the FMU.
fn reference(d: &ModelDescription, at: usize) -> u32 {
    place(d, at).map_or(d.variables[at].value_reference, |place| place.reference)
}

/// How the FMU goes back where a method repeats steps.
fn rollback(fmu: &Fmu) -> &'static str {
    match (fmu.capabilities().can_get_and_set_fmu_state, cfg!(target_os = "linux")) {
        (true, _) => "own",
        (false, true) => "fork",
        (false, false) => "none",
    }
}

fn exponents(b: &BaseUnit) -> [(&'static str, i32); 8] {
    [("kg", b.kg), ("m", b.m), ("s", b.s), ("A", b.a), ("K", b.k), ("mol", b.mol), ("cd", b.cd), ("rad", b.rad)]
}

/// Of each variable, where it is an output, what it depends on.
fn dependencies(d: &ModelDescription) -> Vec<Option<&Dependencies>> {
    let mut of = vec![None; d.variables.len()];
    for output in &d.structure.outputs {
        if let Some(place) = of.get_mut(output.index) {
            *place = Some(&output.dependencies);
        }
    }
    of
}

/// The inputs among them; others are states.
fn names<'a>(
    d: &'a ModelDescription,
    known: &'a [(usize, macrostep_description::DependencyKind)],
) -> impl Iterator<Item = &'a str> {
    let known = known.iter().filter_map(|(k, _)| d.variables.get(*k));
    known.filter(|v| v.causality == Causality::Input).map(|v| v.name.as_str())
}

/// Items of a kind; none where it is no enumeration.
fn items(kind: &Kind) -> &[Item] {
    match kind {
        Kind::Enumeration { items, .. } => items,
        _ => &[],
    }
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
