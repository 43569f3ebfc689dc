//! The same description as text of FMI 3.0 (FMI 3.0.2, sections 2.4 and 4.4).

use std::io;

use super::super::write::{Tag, Xml, about, annotation, category, default_experiment, list, text, unit};
use super::super::write_variables::{Typed, Types, attributes, dependencies, items, role, value_text};
use crate::inherit::by_name;
use crate::{Causality, CoSimulation, Kind, ModelDescription, Native, TypeDefinition, Unknown, Value, Variable};

/// The text of `modelDescription.xml` for FMI 3.0 of a description of ours, as [`super::super::write()`] writes that for FMI 2.0.
///
/// Value references are positions of variables, counted from 1; 0 is the time. The instantiation token is the GUID. An input that can be a
/// polynomial in FMI 2.0 can be set inside steps in FMI 3.0.
pub fn write_3(description: &ModelDescription) -> String {
    text(|xml| root(xml, description))
}

fn root(xml: &mut Xml, d: &ModelDescription) -> io::Result<()> {
    // Attributes of the root.
    let mut tag = Tag::new("fmiModelDescription");
    tag.put("fmiVersion", "3.0");
    tag.put("modelName", &d.model_name);
    tag.put("instantiationToken", &d.guid);
    about(&mut tag, d);
    // Parts in the order that the schema demands.
    tag.around(xml, |xml| {
        if let Some(c) = &d.co_simulation {
            co_simulation(xml, d, c)?;
        }
        list(xml, "UnitDefinitions", &d.units, unit)?;
        list(xml, "TypeDefinitions", &d.types, type_definition)?;
        list(xml, "LogCategories", &d.log_categories, category)?;
        if let Some(experiment) = &d.default_experiment {
            default_experiment(xml, experiment)?;
        }
        let types = by_name(&d.types);
        Tag::new("ModelVariables").around(xml, |xml| {
            if d.variables.iter().all(|v| v.causality != Causality::Independent) {
                time(xml, d)?;
            }
            (1..).zip(&d.variables).try_for_each(|(reference, v)| variable(xml, (d, v), reference, &types))
        })?;
        structure(xml, d)?;
        list(xml, "Annotations", &d.vendor_annotations, |xml, a| annotation(xml, a, ("Annotation", "type")))
    })
}

fn co_simulation(xml: &mut Xml, d: &ModelDescription, c: &CoSimulation) -> io::Result<()> {
    let mut tag = Tag::new("CoSimulation");
    // Capabilities that are false or 0 are left out, as in the schema's defaults.
    tag.put("modelIdentifier", &c.model_identifier);
    tag.flag("needsExecutionTool", c.needs_execution_tool);
    tag.flag("canBeInstantiatedOnlyOncePerProcess", c.can_be_instantiated_only_once_per_process);
    tag.flag("canGetAndSetFMUState", c.can_get_and_set_fmu_state);
    tag.flag("canSerializeFMUState", c.can_serialize_fmu_state);
    tag.flag("providesDirectionalDerivatives", c.provides_directional_derivative);
    tag.flag("canHandleVariableCommunicationStepSize", c.can_handle_variable_communication_step_size);
    if c.max_output_derivative_order > 0 {
        tag.put("maxOutputDerivativeOrder", &c.max_output_derivative_order.to_string());
    }
    tag.flag("providesIntermediateUpdate", d.variables.iter().any(|v| d.takes_inside_steps(v)));
    tag.alone(xml)
}

/// `Float64Type` and the like.
fn type_definition(xml: &mut Xml, definition: &TypeDefinition) -> io::Result<()> {
    let mut tag = Tag::new(match definition.kind {
        Kind::Real(_) => "Float64Type",
        Kind::Integer { .. } => "Int32Type",
        Kind::Boolean => "BooleanType",
        Kind::String => "StringType",
        Kind::Enumeration { .. } => "EnumerationType",
    });
    tag.put("name", &definition.name);
    tag.maybe("description", definition.description.as_deref());
    let named = attributes(&mut tag, &Typed::of_type(&definition.kind));
    if named.is_empty() { tag.alone(xml) } else { tag.around(xml, |xml| items(xml, named)) }
}

/// The independent variable, which FMI 2.0 need not have and FMI 3.0 has exactly once.
fn time(xml: &mut Xml, d: &ModelDescription) -> io::Result<()> {
    let mut tag = Tag::new(Native::Float64.name());
    tag.put("name", if d.variable("time").is_none() { "time" } else { "independent time" });
    tag.put("valueReference", "0");
    tag.put("causality", "independent");
    tag.put("variability", "continuous");
    tag.alone(xml)
}

/// A variable, which is an element of its type.
fn variable(
    xml: &mut Xml,
    (d, v): (&ModelDescription, &Variable),
    reference: u32,
    types: &Types<'_>,
) -> io::Result<()> {
    let mut tag = Tag::new(Native::of(&v.kind).name());
    role(&mut tag, v, reference);
    tag.flag("intermediateUpdate", d.takes_inside_steps(v));
    attributes(&mut tag, &Typed::of_variable(v, types));
    // The start value of a text is an element.
    match &v.start {
        Some(start @ Value::String(_)) => tag.around(xml, |xml| {
            let mut inner = Tag::new("Start");
            inner.put("value", &value_text(start));
            inner.alone(xml)
        }),
        Some(start) => {
            tag.put("start", &value_text(start));
            tag.alone(xml)
        }
        None => tag.alone(xml),
    }
}

/// `ModelStructure`, which is never absent, with value references in place of positions.
fn structure(xml: &mut Xml, d: &ModelDescription) -> io::Result<()> {
    let s = &d.structure;
    let tag = Tag::new("ModelStructure");
    if s.outputs.is_empty() && s.derivatives.is_empty() && s.initial_unknowns.is_empty() {
        return tag.alone(xml);
    }
    let lists = [
        ("Output", &s.outputs),
        ("ContinuousStateDerivative", &s.derivatives),
        ("InitialUnknown", &s.initial_unknowns),
    ];
    tag.around(xml, |xml| {
        lists.into_iter().try_for_each(|(name, list)| list.iter().try_for_each(|u| unknown(xml, name, u)))
    })
}

fn unknown(xml: &mut Xml, name: &'static str, unknown: &Unknown) -> io::Result<()> {
    let mut tag = Tag::new(name);
    tag.put("valueReference", &(unknown.index + 1).to_string());
    dependencies(&mut tag, unknown);
    tag.alone(xml)
}
