//! Descriptions for FMI 3.0 read by another reader: what the crate `fmi-schema` finds in each one that we write is what our reader finds there.
//!
//! `fmi-schema` 0.8 refuses some things that the standard has, which are taken out of the text or written as it wants them: `unit` and `nominal` of a
//! variable, the exponents `A` and `K` of a unit, and the processing instruction in our annotation. Variables of enumerations it leaves out.

use super::second_reader::same;
use fmi_schema::fmi3::{
    AbstractVariableTrait, Fmi3ModelDescription, Fmi3Unknown, Initial as TheirInitial, InitializableVariableTrait,
    Variable as TheirVariable,
};
use fmi_schema::traits::FmiModelDescription;
use macrostep_analysis::catalogue::all;
use macrostep_description::xml::{read_str, write_3};
use macrostep_description::{Dependencies, Fmi3, Kind, ModelDescription, Native, Place, Unknown, Value, Variable};

/// Without what theirs does not know.
fn adapted(text: &str) -> String {
    let without = |line: &str, attribute: &str| match line.split_once(attribute) {
        Some((before, after)) => format!("{before}{}", after.split_once('"').expect("an end").1),
        None => line.replace(" A=\"", " a=\"").replace(" K=\"", " k=\""),
    };
    let adapted = |line: &str| without(&without(line, " unit=\""), " nominal=\"");
    let is_known = |line: &&str| !line.trim_start().starts_with("<?annotation");
    text.lines().filter(is_known).map(|line| adapted(line) + "\n").collect()
}

/// Both readers' findings in one text, field by field; the number of variables.
fn compare(name: &str, text: &str) -> usize {
    let ours = read_str(text).unwrap_or_else(|e| panic!("{name}: {e}")).description;
    let theirs =
        Fmi3ModelDescription::deserialize(&adapted(text)).unwrap_or_else(|e| panic!("{name}: fmi-schema: {e}"));
    let three = ours.fmi3.as_ref().expect("FMI 3.0");
    header(name, (&ours, three), &theirs);
    units(name, &ours, &theirs);
    // Variables, in the order of the file.
    let known = |(_, place): &(&Variable, &Place)| place.native != Native::Enumeration;
    let known: Vec<_> = ours.variables.iter().zip(&three.places).filter(known).collect();
    let variables = &theirs.model_variables.variables;
    assert_eq!(known.len(), variables.len(), "{name}: variables");
    for ((v, place), w) in known.iter().zip(variables) {
        variable((name, three), (v, place), w);
    }
    // The structure: unknowns with dependencies and kinds.
    let (s, t) = (&ours.structure, &theirs.model_structure);
    structure((name, three), &s.outputs, t.outputs());
    structure((name, three), &s.derivatives, t.continuous_state_derivatives());
    structure((name, three), &s.initial_unknowns, t.initial_unknowns());
    assert_eq!((t.clocked_states().count(), t.event_indicators().count()), (0, 0), "{name}");
    known.len()
}

fn header(name: &str, (ours, three): (&ModelDescription, &Fmi3), theirs: &Fmi3ModelDescription) {
    assert_eq!(ours.model_name, theirs.model_name, "{name}: modelName");
    assert_eq!(ours.guid, theirs.instantiation_token, "{name}: instantiationToken");
    assert_eq!(ours.fmi_version, theirs.fmi_version, "{name}: fmiVersion");
    assert_eq!(ours.generation_tool, theirs.generation_tool, "{name}: generationTool");
    assert_eq!(ours.description, theirs.description, "{name}: description");
    assert!(theirs.model_exchange.is_none() && theirs.scheduled_execution.is_none(), "{name}");
    let (a, b) = (ours.co_simulation.as_ref(), theirs.co_simulation.as_ref());
    let (a, b) = (a.expect("co-simulation"), b.expect("co-simulation"));
    assert_eq!(a.model_identifier, b.model_identifier, "{name}: modelIdentifier");
    // Capabilities, with the default of the standard where none stands there.
    let flags = [
        (a.can_handle_variable_communication_step_size, b.can_handle_variable_communication_step_size),
        (a.can_be_instantiated_only_once_per_process, b.can_be_instantiated_only_once_per_process),
        (a.can_get_and_set_fmu_state, b.can_get_and_set_fmu_state),
        (a.can_serialize_fmu_state, b.can_serialize_fmu_state),
        (a.provides_directional_derivative, b.provides_directional_derivatives),
        (three.provides_intermediate_update, b.provides_intermediate_update),
        (three.has_event_mode, b.has_event_mode),
    ];
    for (i, (flag, other)) in flags.into_iter().enumerate() {
        assert_eq!(flag, other.unwrap_or(false), "{name}: capability {i}");
    }
    assert_eq!(a.max_output_derivative_order, b.max_output_derivative_order.unwrap_or(0), "{name}");
    let (a, b) = (ours.default_experiment, theirs.default_experiment.as_ref());
    assert_eq!(a.and_then(|e| e.stop_time), b.and_then(|e| e.stop_time), "{name}: stopTime");
    assert_eq!(a.and_then(|e| e.step_size), b.and_then(|e| e.step_size), "{name}: stepSize");
}

fn units(name: &str, ours: &ModelDescription, theirs: &Fmi3ModelDescription) {
    let theirs = theirs.unit_definitions.as_ref().map_or(&[][..], |u| &u.units);
    assert_eq!(ours.units.len(), theirs.len(), "{name}: units");
    for (a, b) in ours.units.iter().zip(theirs) {
        assert_eq!(a.name, b.name, "{name}: name of a unit");
        let (Some(base), Some(other)) = (&a.base, &b.base_unit) else { panic!("{name}: {} has no base", a.name) };
        let exponents = [other.kg, other.m, other.s, other.a, other.k, other.mol, other.cd, other.rad];
        let expected = [base.kg, base.m, base.s, base.a, base.k, base.mol, base.cd, base.rad];
        assert_eq!(expected, exponents.map(|e| e.unwrap_or(0)), "{name}: exponents of {}", a.name);
        assert_eq!((base.factor, base.offset), (other.factor.unwrap_or(1.0), other.offset.unwrap_or(0.0)), "{name}");
    }
}

/// What all their variables have.
fn role(place: &str, (ours, where_it_is): (&Variable, &Place), theirs: &dyn AbstractVariableTrait) {
    assert_eq!(ours.name, theirs.name(), "{place}");
    assert_eq!(where_it_is.reference, theirs.value_reference(), "{place}: valueReference");
    assert_eq!(ours.description.as_deref(), theirs.description(), "{place}: description");
    same(place, "causality", ours.causality, theirs.causality());
    same(place, "variability", ours.variability, theirs.variability());
}

fn variable((file, three): (&str, &Fmi3), ours: (&Variable, &Place), theirs: &TheirVariable) {
    let (v, at) = ours;
    let place = format!("{file}: {}", v.name);
    // Where none stands there, ours has the default of the table of the standard, and theirs has nothing.
    let is_same = |found: Option<TheirInitial>, intermediate: Option<bool>| {
        if found.is_some() {
            same(&place, "initial", v.initial, found);
        }
        assert_eq!(at.is_intermediate, intermediate.unwrap_or(false), "{place}: intermediateUpdate");
    };
    // The element: its type, and what theirs keeps of it.
    match (&v.kind, theirs) {
        (Kind::Real(a), TheirVariable::Float64(b)) => {
            role(&place, ours, b);
            is_same(b.initial, b.intermediate_update);
            assert_eq!(v.start, b.start().map(|s| Value::Real(s[0])), "{place}: start");
            assert_eq!(a.derivative.map(|i| three.places[i].reference), b.derivative, "{place}: derivative");
            assert_eq!((a.min, a.max), (b.min, b.max), "{place}: bounds");
        }
        (Kind::Integer { min, max }, TheirVariable::Int32(b)) => {
            role(&place, ours, b);
            is_same(b.initial, b.intermediate_update);
            assert_eq!(v.start, b.start().map(|s| Value::Integer(s[0])), "{place}: start");
            assert_eq!((*min, *max), (b.min, b.max), "{place}: bounds");
        }
        (Kind::Boolean, TheirVariable::Boolean(b)) => {
            role(&place, ours, b);
            is_same(b.initial, b.intermediate_update);
            assert_eq!(v.start, b.start().map(|s| Value::Boolean(s[0])), "{place}: start");
        }
        (a, b) => panic!("{place}: type {a:?}, read as {b:?}"),
    }
}

fn structure<'a>((file, three): (&str, &Fmi3), ours: &[Unknown], theirs: impl Iterator<Item = &'a Fmi3Unknown>) {
    let theirs: Vec<_> = theirs.collect();
    assert_eq!(ours.len(), theirs.len(), "{file}: unknowns");
    for (a, b) in ours.iter().zip(theirs) {
        assert_eq!(three.places[a.index].reference, b.value_reference, "{file}: reference");
        let Dependencies::Known(known) = &a.dependencies else {
            assert!(b.dependencies.is_none(), "{file}: dependencies of {}", b.value_reference);
            continue;
        };
        let references: Vec<_> = known.iter().map(|(i, _)| three.places[*i].reference).collect();
        assert_eq!(Some(&references), b.dependencies.as_ref().map(|d| &d.0), "{file}: of {}", b.value_reference);
        let kinds: Vec<_> = known.iter().map(|(_, kind)| kind).collect();
        if let Some(theirs) = &b.dependencies_kind {
            same(file, "dependenciesKind", kinds, &theirs.0);
        }
    }
}

#[test]
fn another_reader_finds_the_same_in_what_we_write_for_fmi_3() {
    let models = all();
    let compared = models.iter().map(|model| compare(model.identifier, &write_3(&model.describe())));
    let variables: usize = compared.sum();
    assert!(models.len() >= 30 && variables > 5000, "{} models, {variables} variables", models.len());
}
