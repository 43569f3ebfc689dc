//! Descriptions read by another reader: what the crate `fmi-schema` finds in each `modelDescription.xml` that we write, and in foreign
//! ones of the tests, is what our reader finds there.
//!
//! `fmi-schema` reads less than ours: of a variable's element it has `start`, `derivative` and `declaredType`.

#[cfg(target_os = "linux")]
use crate::make::XML;
use fmi_schema::fmi2::{
    Fmi2ModelDescription, Fmi2VariableDependency, ScalarVariable, ScalarVariableElement as Element,
};
use fmi_schema::traits::FmiModelDescription;
use macrostep_analysis::catalogue::all;
use macrostep_description::xml::{read_str, write};
use macrostep_description::{Dependencies, Kind, ModelDescription, Unit, Unknown, Value, Variable};
use std::fmt::Debug;

/// Both readers' findings in one text, field by field.
fn compare(name: &str, text: &str) {
    let ours = read_str(text).unwrap_or_else(|e| panic!("{name}: {e}")).description;
    let theirs = Fmi2ModelDescription::deserialize(text).unwrap_or_else(|e| panic!("{name}: fmi-schema: {e}"));
    header(name, &ours, &theirs);
    units(name, &ours.units, &theirs);
    // Variables, in the order of the file.
    let variables = &theirs.model_variables.variables;
    assert_eq!(ours.variables.len(), variables.len(), "{name}: variables");
    for (v, w) in ours.variables.iter().zip(variables) {
        variable(name, v, w);
    }
    // The structure: unknowns with dependencies and kinds.
    let (s, t) = (&ours.structure, &theirs.model_structure);
    structure(name, &s.outputs, &t.outputs.unknowns);
    structure(name, &s.derivatives, &t.derivatives.unknowns);
    structure(name, &s.initial_unknowns, &t.initial_unknowns.unknowns);
}

/// Variants of enumerations have the names of the standard in both readers.
pub fn same(place: &str, what: &str, ours: impl Debug, theirs: impl Debug) {
    assert_eq!(format!("{ours:?}"), format!("{theirs:?}"), "{place}: {what}");
}

fn header(name: &str, ours: &ModelDescription, theirs: &Fmi2ModelDescription) {
    assert_eq!(ours.model_name, theirs.model_name, "{name}: modelName");
    assert_eq!(ours.guid, theirs.guid, "{name}: guid");
    assert_eq!(ours.fmi_version, theirs.fmi_version, "{name}: fmiVersion");
    assert_eq!(ours.generation_tool, theirs.generation_tool, "{name}: generationTool");
    assert_eq!(ours.model_exchange.is_some(), theirs.model_exchange.is_some(), "{name}: ModelExchange");
    assert_eq!(ours.co_simulation.is_some(), theirs.co_simulation.is_some(), "{name}: CoSimulation");
    if let (Some(a), Some(b)) = (&ours.co_simulation, &theirs.co_simulation) {
        assert_eq!(a.model_identifier, b.model_identifier, "{name}: modelIdentifier");
        // Capabilities, with the default of the standard where none stands there.
        let flags = [
            (a.can_handle_variable_communication_step_size, b.can_handle_variable_communication_step_size),
            (a.can_interpolate_inputs, b.can_interpolate_inputs),
            (a.can_be_instantiated_only_once_per_process, b.can_be_instantiated_only_once_per_process),
            (a.can_get_and_set_fmu_state, b.can_get_and_set_fmu_state),
            (a.can_serialize_fmu_state, b.can_serialize_fmu_state),
            (a.provides_directional_derivative, b.provides_directional_derivative),
        ];
        for (i, (flag, other)) in flags.into_iter().enumerate() {
            assert_eq!(flag, other.unwrap_or(false), "{name}: capability {i}");
        }
        assert_eq!(a.max_output_derivative_order, b.max_output_derivative_order.unwrap_or(0), "{name}");
    }
    let (a, b) = (ours.default_experiment, theirs.default_experiment.as_ref());
    assert_eq!(a.and_then(|e| e.stop_time), b.and_then(|e| e.stop_time), "{name}: stopTime");
    assert_eq!(a.and_then(|e| e.step_size), b.and_then(|e| e.step_size), "{name}: stepSize");
}

fn units(name: &str, ours: &[Unit], theirs: &Fmi2ModelDescription) {
    let theirs = theirs.unit_definitions.as_ref().map_or(&[][..], |u| &u.units);
    assert_eq!(ours.len(), theirs.len(), "{name}: units");
    for (a, b) in ours.iter().zip(theirs) {
        assert_eq!(a.name, b.name, "{name}: name of a unit");
        assert_eq!(a.base.is_some(), b.base_unit.is_some(), "{name}: {}", a.name);
        if let (Some(a), Some(b)) = (&a.base, &b.base_unit) {
            let exponents = [b.kg, b.m, b.s, b.a, b.k, b.mol, b.cd, b.rad].map(|e| e.unwrap_or(0));
            assert_eq!([a.kg, a.m, a.s, a.a, a.k, a.mol, a.cd, a.rad], exponents, "{name}: exponents");
            assert_eq!(
                (a.factor, a.offset),
                (b.factor.unwrap_or(1.0), b.offset.unwrap_or(0.0)),
                "{name}: factor, offset"
            );
        }
    }
}

fn variable(file: &str, ours: &Variable, theirs: &ScalarVariable) {
    let place = format!("{file}: {}", ours.name);
    assert_eq!(ours.name, theirs.name, "{place}");
    assert_eq!(ours.value_reference, theirs.value_reference, "{place}: valueReference");
    assert_eq!(ours.description, theirs.description, "{place}: description");
    same(&place, "causality", ours.causality, &theirs.causality);
    same(&place, "variability", ours.variability, theirs.variability.unwrap_or_default());
    // Where none stands there, ours has the default of the table of the standard, and theirs has nothing.
    if let Some(initial) = &theirs.initial {
        same(&place, "initial", ours.initial, Some(initial));
    }
    // The element: its type, and what theirs keeps of it.
    match (&ours.kind, &theirs.elem) {
        (Kind::Real(a), Element::Real(b)) => {
            assert_eq!(ours.start, b.start.map(Value::Real), "{place}: start");
            assert_eq!(a.derivative.map(|i| i as u32 + 1), b.derivative, "{place}: derivative");
            assert_eq!(ours.declared_type, b.declared_type, "{place}: declaredType");
        }
        (Kind::Integer { .. }, Element::Integer(b)) => {
            assert_eq!(ours.start, b.start.map(Value::Integer), "{place}: start");
        }
        (Kind::Boolean, Element::Boolean(b)) => assert_eq!(ours.start, b.start.map(Value::Boolean), "{place}: start"),
        (Kind::String, Element::String) | (Kind::Enumeration { .. }, Element::Enumeration) => {}
        (a, b) => panic!("{place}: type {a:?}, read as {b:?}"),
    }
}

fn structure(file: &str, ours: &[Unknown], theirs: &[Fmi2VariableDependency]) {
    assert_eq!(ours.len(), theirs.len(), "{file}: unknowns");
    for (a, b) in ours.iter().zip(theirs) {
        assert_eq!(a.index as u32 + 1, b.index, "{file}: index");
        // Theirs does not tell an absent list from an empty one.
        let Dependencies::Known(known) = &a.dependencies else { continue };
        let indices: Vec<_> = known.iter().map(|(i, _)| *i as u32 + 1).collect();
        assert_eq!(indices, b.dependencies, "{file}: dependencies of {}", b.index);
        let kinds: Vec<_> = known.iter().map(|(_, kind)| kind).collect();
        if !b.dependencies_kind.is_empty() {
            same(file, "dependenciesKind", kinds, &b.dependencies_kind);
        }
    }
}

#[test]
fn another_reader_finds_the_same_in_what_we_write() {
    let models = all();
    assert!(models.len() >= 30, "{}", models.len());
    for model in models {
        compare(model.identifier, &write(&model.describe()));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn another_reader_finds_the_same_in_a_foreign_description() {
    compare("the foreign slave of the tests", XML);
}
