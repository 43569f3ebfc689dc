//! What an FMU declares, as one JSON object.

use std::io::{self, Write};

use macrostep_answers::values::{self, word};
use macrostep_description::{Dependencies, Kind, Member, ModelDescription, Terminal, TypeDefinition, Unit, Variable};
use macrostep_import::fmu::{Face, Fmu};
use macrostep_system::assemble::InputOrder;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value as Json, json};

use super::{capabilities, dependencies, exponents, items, json_value, names, reference, rollback};

/// Writes the object and a line end.
pub(super) fn write(fmu: &Fmu, tried: Option<&InputOrder>, mut out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut out, &document(fmu, tried))?;
    writeln!(out)
}

/// The keys of the object; variables are made one by one while they are written.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    head: Map<String, Json>,
    variables: Variables<'a>,
    warnings: Vec<String>,
}

fn document<'a>(fmu: &'a Fmu, tried: Option<&InputOrder>) -> Document<'a> {
    // Numbers that JSON has no form for are written as strings, like values.
    let d = fmu.description();
    let capabilities: Map<String, Json> =
        capabilities(fmu).into_iter().map(|(name, value)| (name.to_owned(), Json::from(value))).collect();
    let experiment = d.default_experiment.as_ref();
    let number = |x: Option<f64>| x.map(|x| json_value(&x.into()));
    // Everything but the variables, which may be too many to hold as one object.
    let head = json!({
        "fmi_version": d.fmi_version,
        "model_name": d.model_name,
        "model_identifier": fmu.capabilities().model_identifier,
        "guid": d.guid,
        "description": d.description,
        "generation_tool": d.generation_tool,
        "model_exchange": d.model_exchange.is_some(),
        "faces": fmu.faces().map(Face::word).collect::<Vec<_>>(),
        "capabilities": capabilities,
        "rollback": rollback(fmu),
        "input_derivatives": tried.map(|t| json!({ "order": t.order, "how": t.sentence() })),
        "max_output_derivative_order": fmu.capabilities().max_output_derivative_order,
        // The experiment is an object or nothing, even where only one of its values is given.
        "default_experiment": experiment.map(|e| json!({
            "start_time": number(e.start_time),
            "stop_time": number(e.stop_time),
            "tolerance": number(e.tolerance),
            "step_size": number(e.step_size),
        })),
        "units": d.units.iter().map(unit).collect::<Vec<_>>(),
        "types": d.types.iter().map(definition).collect::<Vec<_>>(),
        "terminals": d.fmi3.iter().flat_map(|fmi3| &fmi3.terminals).map(terminal).collect::<Vec<_>>(),
    });
    let head = if let Json::Object(head) = head { head } else { Map::new() };
    Document { head, variables: Variables(d), warnings: fmu.warnings().iter().map(ToString::to_string).collect() }
}

fn terminal(t: &Terminal) -> Json {
    let member = |m: &Member| json!({ "member": m.name, "variable": m.variable, "kind": m.kind });
    let members: Vec<Json> = t.members.iter().map(member).collect();
    json!({ "name": t.name, "rule": t.rule, "kind": t.kind, "members": members })
}

fn unit(unit: &Unit) -> Json {
    let base = unit.base.as_ref().map(|b| {
        let powers: Map<String, Json> =
            exponents(b).into_iter().filter(|(_, n)| *n != 0).map(|(name, n)| (name.to_owned(), n.into())).collect();
        json!({ "exponents": powers, "factor": b.factor, "offset": b.offset })
    });
    let display: Vec<Json> =
        unit.display.iter().map(|d| json!({ "name": d.name, "factor": d.factor, "offset": d.offset })).collect();
    json!({ "name": unit.name, "base": base, "display": display })
}

fn definition(t: &TypeDefinition) -> Json {
    let items: Vec<Json> = items(&t.kind)
        .iter()
        .map(|item| json!({ "name": item.name, "value": item.value, "description": item.description }))
        .collect();
    json!({ "name": t.name, "description": t.description, "type": values::kind_name(&t.kind), "items": items })
}

/// The variables as a list.
struct Variables<'a>(&'a ModelDescription);

impl Serialize for Variables<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Variables(d) = self;
        let depends = dependencies(d);
        serializer.collect_seq(
            d.variables.iter().zip(depends).enumerate().map(|(at, (v, depends))| variable(d, (at, v), depends)),
        )
    }
}

fn variable(d: &ModelDescription, (at, v): (usize, &Variable), depends: Option<&Dependencies>) -> Json {
    // Limits are those of the type; real numbers that JSON has no form for are written as text.
    let real = v.real();
    let number = |x: Option<f64>| x.map(|x| json_value(&x.into()));
    let (min, max) = match &v.kind {
        Kind::Real(a) => (number(a.min), number(a.max)),
        Kind::Integer { min, max } | Kind::Enumeration { min, max, .. } => (min.map(Json::from), max.map(Json::from)),
        Kind::Boolean | Kind::String => (None, None),
    };
    // Of an output that depends on everything: a word in place of the list.
    json!({
        "name": v.name,
        "value_reference": reference(d, at),
        "type": values::type_name(v),
        "declared_type": v.declared_type,
        // Only real variables have these three.
        "unit": real.and_then(|r| r.unit.as_deref()),
        "display_unit": real.and_then(|r| r.display_unit.as_deref()),
        "quantity": real.and_then(|r| r.quantity.as_deref()),
        // Values of the variable, and what it is for the FMU.
        "min": min,
        "max": max,
        "nominal": real.and_then(|r| number(r.nominal)),
        "causality": word(v.causality),
        "variability": word(v.variability),
        "initial": v.initial.map(word),
        "start": v.start.as_ref().map(json_value),
        "description": v.description,
        "dependencies": match depends {
            Some(Dependencies::Known(known)) => names(d, known).map(Json::from).collect(),
            Some(Dependencies::All) => json!("all"),
            None => Json::Null,
        },
    })
}
