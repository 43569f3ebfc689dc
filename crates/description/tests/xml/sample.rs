//! A description that uses every part of the file, and its text as a snapshot.

use macrostep_description::xml::{read_str, write, write_3};
use macrostep_description::{
    BaseUnit, Causality, CoSimulation, DefaultExperiment, Dependencies, DependencyKind, DisplayUnit, Initial, Item,
    Kind, LogCategory, ModelDescription, ModelStructure, Naming, RealAttributes, TypeDefinition, Unit, Unknown, Value,
    Variability, Variable, VendorAnnotation, rules,
};

/// A real variable.
pub fn real(
    name: &str,
    reference: u32,
    causality: Causality,
    initial: Option<Initial>,
    start: Option<f64>,
) -> Variable {
    let fixed = matches!(causality, Causality::Parameter | Causality::CalculatedParameter);
    Variable {
        name: name.to_owned(),
        value_reference: reference,
        description: Some(format!("the \"{name}\" <of> a & b\nin two lines")),
        causality,
        variability: if fixed { Variability::Fixed } else { Variability::Continuous },
        initial,
        kind: Kind::Real(RealAttributes { unit: Some("m".to_owned()), ..RealAttributes::default() }),
        start: start.map(Value::Real),
        declared_type: None,
        can_handle_multiple_set: true,
    }
}

/// A unit with a base and a display unit, and one without.
fn units() -> Vec<Unit> {
    vec![
        Unit {
            name: "m".to_owned(),
            base: Some(BaseUnit { m: 1, ..BaseUnit::default() }),
            display: vec![DisplayUnit { name: "mm".to_owned(), factor: 1e3, offset: 0.0 }],
        },
        Unit { name: "1".to_owned(), base: None, display: Vec::new() },
    ]
}

/// An enumeration of two items.
fn mode_type() -> TypeDefinition {
    TypeDefinition {
        name: "Mode".to_owned(),
        description: None,
        kind: Kind::Enumeration {
            items: ["slow", "fast"]
                .into_iter()
                .zip(1..)
                .map(|(name, value)| Item { name: name.to_owned(), value, description: None })
                .collect(),
            min: None,
            max: None,
        },
    }
}

/// A description without a violation of any rule.
pub fn sample() -> ModelDescription {
    let mut derivative = real("der(x)", 3, Causality::Local, Some(Initial::Calculated), None);
    if let Kind::Real(a) = &mut derivative.kind {
        a.derivative = Some(2);
    }
    let mode = Variable {
        name: "mode".to_owned(),
        variability: Variability::Fixed,
        kind: Kind::Enumeration { items: Vec::new(), min: Some(1), max: Some(2) },
        start: Some(Value::Integer(2)),
        declared_type: Some("Mode".to_owned()),
        ..real("mode", 0, Causality::Parameter, Some(Initial::Exact), None)
    };
    let label = Variable {
        kind: Kind::String,
        start: Some(Value::String("tab\there".to_owned())),
        ..real("label", 0, Causality::Parameter, Some(Initial::Exact), None)
    };
    let unknown = |index, known: &[usize]| Unknown {
        index,
        dependencies: Dependencies::Known(known.iter().map(|at| (*at, DependencyKind::Dependent)).collect()),
    };
    ModelDescription {
        fmi_version: "2.0".to_owned(),
        model_name: "sample".to_owned(),
        guid: "{1}".to_owned(),
        description: Some("ξ̈ = −k ξ".to_owned()),
        naming: Naming::Structured,
        co_simulation: Some(CoSimulation {
            model_identifier: "sample".to_owned(),
            can_interpolate_inputs: true,
            max_output_derivative_order: 2,
            can_get_and_set_fmu_state: true,
            source_files: vec!["a.c".to_owned()],
            ..CoSimulation::default()
        }),
        units: units(),
        types: vec![mode_type()],
        log_categories: vec![LogCategory { name: "logStatusError".to_owned(), description: Some("errors".to_owned()) }],
        default_experiment: Some(DefaultExperiment {
            stop_time: Some(10.0),
            step_size: Some(1e-3),
            ..Default::default()
        }),
        vendor_annotations: vec![VendorAnnotation {
            tool: "macrostep".to_owned(),
            attributes: vec![("mayGetAfterSet".to_owned(), "true".to_owned())],
        }],
        variables: vec![
            real("time", 0, Causality::Independent, None, None),
            real("u", 1, Causality::Input, None, Some(0.1)),
            real("x", 2, Causality::Output, Some(Initial::Exact), Some(-1e-7)),
            derivative,
            real("a[1].y", 4, Causality::Output, Some(Initial::Calculated), None),
            mode,
            label,
        ],
        structure: ModelStructure {
            outputs: vec![unknown(2, &[]), unknown(4, &[1, 2])],
            derivatives: vec![Unknown { index: 3, dependencies: Dependencies::All }],
            initial_unknowns: vec![unknown(3, &[2]), unknown(4, &[2])],
        },
        ..ModelDescription::default()
    }
}

#[test]
fn the_text_is_kept() {
    insta::assert_snapshot!(write(&sample()));
}

#[test]
fn the_text_of_fmi_3_is_kept() {
    insta::assert_snapshot!(write_3(&sample()));
}

/// What FMI 3.0 has of a description comes back: all but the attributes that only FMI 2.0 has.
#[test]
fn fmi_3_reads_back() {
    let reading = read_str(&write_3(&sample())).expect("our own text");
    assert_eq!(reading.warnings, []);
    assert_eq!(rules::check(&reading.description), []);
    let (read, written) = (reading.description, sample());
    assert_eq!((&read.units, &read.types), (&written.units, &written.types));
    assert_eq!(read.structure, written.structure);
    assert_eq!((&read.log_categories, read.default_experiment), (&written.log_categories, written.default_experiment));
    assert_eq!(read.vendor_annotations, written.vendor_annotations);
    for (n, (read, written)) in (1..).zip(read.variables.iter().zip(&written.variables)) {
        let expected = Variable { value_reference: n, ..written.clone() };
        assert_eq!(*read, expected);
    }
}

/// Without unknowns the structure is there, and empty.
#[test]
fn fmi_3_always_has_a_structure() {
    let d = ModelDescription { structure: ModelStructure::default(), ..sample() };
    assert!(write_3(&d).contains("<ModelStructure/>"), "{}", write_3(&d));
    let outputs = vec![Unknown { index: 2, dependencies: Dependencies::All }];
    let d = ModelDescription { structure: ModelStructure { outputs, ..ModelStructure::default() }, ..sample() };
    assert!(write_3(&d).contains(r#"<Output valueReference="3"/>"#), "{}", write_3(&d));
}

/// The time is there where the description has no independent variable, under a name that is free.
#[test]
fn fmi_3_has_one_independent_variable() {
    let mut d = sample();
    d.variables[0].causality = Causality::Local;
    for (name, expected) in [("time", "independent time"), ("t", "time")] {
        d.variables[0].name = name.to_owned();
        let expected = format!(r#"<Float64 name="{expected}" valueReference="0" causality="independent""#);
        assert!(write_3(&d).contains(&expected), "{name}");
    }
    assert_eq!(write_3(&sample()).matches("independent").count(), 1);
}

#[test]
fn it_reads_back_without_a_warning_and_breaks_no_rule() {
    let reading = read_str(&write(&sample())).expect("our own text");
    assert_eq!(reading.description, sample());
    assert_eq!(reading.warnings, []);
    assert_eq!(rules::check(&sample()), []);
}
