//! Each rule is broken once, and only the rules that are meant to notice do.

use macrostep_description::rules::{ALL, check};
use macrostep_description::{
    BaseUnit, Causality, CoSimulation, DefaultExperiment, Dependencies, DependencyKind, DisplayUnit, Fmi3, Initial,
    Item, Kind, LogCategory, Member, ModelDescription, ModelExchange, ModelStructure, Naming, RealAttributes, Terminal,
    TypeDefinition, Unit, Unknown, Value, Variability, Variable, VendorAnnotation,
};

fn real(
    name: &str,
    value_reference: u32,
    causality: Causality,
    initial: Option<Initial>,
    start: Option<f64>,
) -> Variable {
    Variable {
        name: name.to_owned(),
        value_reference,
        description: None,
        causality,
        variability: Variability::Continuous,
        initial,
        kind: Kind::Real(RealAttributes { unit: Some("m".to_owned()), ..RealAttributes::default() }),
        start: start.map(Value::Real),
        declared_type: None,
        can_handle_multiple_set: true,
    }
}

fn on(index: usize, known: &[usize]) -> Unknown {
    let known = known.iter().map(|at| (*at, DependencyKind::Dependent)).collect();
    Unknown { index, dependencies: Dependencies::Known(known) }
}

/// Variables: 0 an input, 1 a state, 2 its derivative, 3 an output, 4 a parameter, 5 an enumeration.
fn good() -> ModelDescription {
    let mut derivative = real("der(x)", 2, Causality::Local, Some(Initial::Calculated), None);
    attributes(&mut derivative).derivative = Some(1);
    let parameter = |name: &str, at| Variable {
        variability: Variability::Fixed,
        ..real(name, at, Causality::Parameter, Some(Initial::Exact), Some(1.0))
    };
    let mode = Variable {
        kind: Kind::Enumeration { items: Vec::new(), min: None, max: None },
        start: Some(Value::Integer(1)),
        declared_type: Some("Mode".to_owned()),
        ..parameter("mode", 5)
    };
    ModelDescription {
        fmi_version: "2.0".to_owned(),
        model_name: "m".to_owned(),
        guid: "g".to_owned(),
        naming: Naming::Structured,
        co_simulation: Some(CoSimulation {
            model_identifier: "m".to_owned(),
            provides_directional_derivative: true,
            ..CoSimulation::default()
        }),
        units: vec![Unit {
            name: "m".to_owned(),
            base: Some(BaseUnit { m: 1, ..BaseUnit::default() }),
            display: vec![],
        }],
        types: vec![TypeDefinition {
            name: "Mode".to_owned(),
            description: None,
            kind: Kind::Enumeration {
                items: vec![Item { name: "on".to_owned(), value: 1, description: None }],
                min: None,
                max: None,
            },
        }],
        log_categories: vec![LogCategory { name: "all".to_owned(), description: None }],
        default_experiment: Some(DefaultExperiment { stop_time: Some(1.0), ..DefaultExperiment::default() }),
        variables: vec![
            real("u", 0, Causality::Input, None, Some(0.0)),
            real("x", 1, Causality::Local, Some(Initial::Exact), Some(0.0)),
            derivative,
            real("y", 3, Causality::Output, Some(Initial::Calculated), None),
            parameter("k", 4),
            mode,
        ],
        structure: ModelStructure {
            outputs: vec![on(3, &[0, 1])],
            derivatives: vec![on(2, &[0])],
            initial_unknowns: vec![on(2, &[0, 4]), on(3, &[1])],
        },
        ..ModelDescription::default()
    }
}

fn attributes(v: &mut Variable) -> &mut RealAttributes {
    match &mut v.kind {
        Kind::Real(a) => a,
        _ => panic!("`{}` is a Real here", v.name),
    }
}

/// The face of model exchange, which may say that it serialises states.
fn exchange(model_identifier: &str, can_serialize_fmu_state: bool) -> Option<ModelExchange> {
    let model_identifier = model_identifier.to_owned();
    Some(ModelExchange { model_identifier, can_serialize_fmu_state, ..ModelExchange::default() })
}

/// A rule, and a change of the good description that breaks it.
type Breach = (&'static str, fn(&mut ModelDescription));

const BREACHES: &[Breach] = &[
    ("fmi-version", |d| d.fmi_version = "2.1".to_owned()),
    ("model-name", |d| d.model_name.clear()),
    ("guid", |d| d.guid.clear()),
    ("generation-date", |d| d.generation_date_and_time = Some("29 Feb 2024".to_owned())),
    ("characters", |d| d.variables[0].description = Some("\u{1}".to_owned())),
    ("faces", |d| d.co_simulation = None),
    ("model-identifier", |d| d.co_simulation.as_mut().expect("there").model_identifier = "1-m".to_owned()),
    ("capabilities", |d| d.co_simulation.as_mut().expect("there").can_serialize_fmu_state = true),
    ("model-identifier", |d| d.model_exchange = exchange("1-m", false)),
    ("capabilities", |d| d.model_exchange = exchange("m", true)),
    ("log-categories", |d| d.log_categories.push(d.log_categories[0].clone())),
    ("default-experiment", |d| d.default_experiment.as_mut().expect("there").stop_time = Some(0.0)),
    ("units", |d| d.units.push(d.units[0].clone())),
    ("units", |d| d.units[0].base.as_mut().expect("there").factor = 0.0),
    ("unit-references", |d| attributes(&mut d.variables[0]).unit = Some("furlong".to_owned())),
    ("unit-references", |d| attributes(&mut d.variables[0]).display_unit = Some("mm".to_owned())),
    ("types", |d| d.types.push(d.types[0].clone())),
    ("declared-types", |d| d.variables[4].declared_type = Some("Mode".to_owned())),
    ("declared-types", |d| d.variables[4].declared_type = Some("Gone".to_owned())),
    ("declared-types", |d| d.variables[5].declared_type = None),
    ("unique-names", |d| d.variables[4].name = "u".to_owned()),
    ("names", |d| d.variables[4].name = "k[".to_owned()),
    ("aliases", |d| d.variables[4].value_reference = 0),
    ("combination", |d| {
        d.variables[4].variability = Variability::Continuous;
        d.variables[4].initial = Some(Initial::Exact);
    }),
    ("continuous", |d| {
        d.variables[0].kind = Kind::Boolean;
        d.variables[0].start = Some(Value::Boolean(true));
    }),
    ("initial", |d| d.variables[0].initial = Some(Initial::Exact)),
    ("independent", |d| {
        d.variables.extend([6, 7].map(|at| real(&format!("t{at}"), at, Causality::Independent, None, None)));
    }),
    ("derivative-of", |d| attributes(&mut d.variables[2]).reinit = true),
    ("states", |d| {
        d.model_exchange = exchange("m", false);
        attributes(&mut d.variables[0]).reinit = true;
    }),
    ("states", |d| {
        d.model_exchange = exchange("m", false);
        attributes(&mut d.variables[0]).derivative = Some(1);
        d.structure.derivatives.push(on(0, &[]));
    }),
    ("multiple-set", |d| d.variables[4].can_handle_multiple_set = false),
    ("start-given", |d| d.variables[0].start = None),
    ("start-given", |d| d.variables[3].start = Some(Value::Real(0.0))),
    ("start-type", |d| d.variables[4].start = Some(Value::Integer(1))),
    ("start-type", |d| d.variables[4].start = Some(Value::Real(f64::NAN))),
    ("start-range", |d| attributes(&mut d.variables[4]).min = Some(2.0)),
    ("start-range", |d| attributes(&mut d.variables[4]).nominal = Some(0.0)),
    ("start-range", |d| d.variables[5].start = Some(Value::Integer(2))),
    ("outputs", |d| d.structure.outputs.clear()),
    ("outputs", |d| d.structure.outputs.push(on(99, &[]))),
    ("initial-unknowns", |d| d.structure.initial_unknowns.reverse()),
    ("initial-unknowns", |d| {
        d.structure.initial_unknowns.pop();
    }),
    ("initial-unknowns", |d| d.structure.initial_unknowns.push(on(4, &[]))),
    ("dependencies", |d| d.structure.outputs[0] = on(3, &[1, 0])),
    ("dependencies", |d| d.structure.outputs[0] = on(3, &[4])),
    ("dependencies", |d| d.structure.initial_unknowns[1] = on(3, &[99])),
    // A derivative that names no state is no longer one, so the list of initial unknowns is wrong as well.
    ("derivatives", |d| {
        d.structure.derivatives.push(on(0, &[]));
    }),
    ("variables-exist", |d| {
        d.variables.clear();
        d.structure = ModelStructure::default();
    }),
];

#[test]
fn the_good_one_breaks_none() {
    assert_eq!(check(&good()), []);
}

#[test]
fn every_breach_is_noticed_by_its_rule_alone() {
    for (at, (rule, breach)) in BREACHES.iter().enumerate() {
        let mut d = good();
        breach(&mut d);
        let violations = check(&d);
        assert!(!violations.is_empty(), "breach {at} of `{rule}` went unnoticed");
        for v in &violations {
            assert_eq!(v.rule, *rule, "breach {at}: {v}");
        }
    }
}

/// Changes of the good description, each of which puts a text where `characters` looks for what XML cannot hold.
const TEXTS: &[fn(&mut ModelDescription, String)] = &[
    |d, text| d.copyright = Some(text),
    |d, text| d.co_simulation.as_mut().expect("there").model_identifier = text,
    |d, text| d.co_simulation.as_mut().expect("there").source_files.push(text),
    |d, text| d.model_exchange = Some(ModelExchange { model_identifier: text, ..ModelExchange::default() }),
    |d, text| d.units.push(Unit { name: text, base: None, display: vec![] }),
    |d, text| d.units[0].display.push(DisplayUnit { name: text, factor: 1.0, offset: 0.0 }),
    |d, text| d.types[0].description = Some(text),
    |d, text| d.types[0].kind = Kind::Real(RealAttributes { quantity: Some(text), ..RealAttributes::default() }),
    |d, text| {
        let item = Item { name: "off".to_owned(), value: 2, description: Some(text) };
        d.types[0].kind = Kind::Enumeration { items: vec![item], min: None, max: None };
    },
    |d, text| d.log_categories[0].description = Some(text),
    |d, text| d.vendor_annotations.push(VendorAnnotation { tool: text, attributes: vec![] }),
    |d, text| {
        let attributes = vec![("key".to_owned(), text)];
        d.vendor_annotations.push(VendorAnnotation { tool: "t".to_owned(), attributes });
    },
    |d, text| d.variables[5].declared_type = Some(text),
    |d, text| attributes(&mut d.variables[0]).quantity = Some(text),
    |d, text| attributes(&mut d.variables[0]).display_unit = Some(text),
    |d, text| {
        let terminals = vec![Terminal { name: "t".to_owned(), rule: text, ..Terminal::default() }];
        d.fmi3 = Some(Fmi3 { terminals, ..Fmi3::default() });
    },
    |d, text| {
        let members = vec![Member { variable: text, ..Member::default() }];
        d.fmi3 = Some(Fmi3 { terminals: vec![Terminal { members, ..Terminal::default() }], ..Fmi3::default() });
    },
];

#[test]
fn characters_are_looked_at_in_every_text() {
    for (at, change) in TEXTS.iter().enumerate() {
        for (text, is_told) in [("plain\t\u{7f}\u{3bb}", false), ("a\u{1}", true), ("\u{ffff}", true)] {
            let mut d = good();
            change(&mut d, text.to_owned());
            let told: Vec<_> = check(&d).into_iter().filter(|v| v.rule == "characters").collect();
            assert_eq!(told.len(), usize::from(is_told), "text {at} with {text:?}: {told:?}");
        }
    }
}

#[test]
fn every_rule_is_breached_here_and_named_once() {
    // What these find, others find: see the tests of the reader, of archives and of `check`.
    let elsewhere = ["archive", "form", "source-files", "intermediate-update", "terminals", "library"];
    for (at, rule) in ALL.iter().enumerate() {
        assert!(
            elsewhere.contains(&rule.name) || BREACHES.iter().any(|(name, _)| *name == rule.name),
            "`{}`",
            rule.name
        );
        assert!(ALL[at + 1..].iter().all(|other| other.name != rule.name), "`{}` twice", rule.name);
        assert!(
            ["2.2", "2.3"].iter().any(|chapter| rule.section.starts_with(chapter))
                || rule.section == "4.3.1"
                || !rule.section_3.is_empty(),
            "`{}`",
            rule.name
        );
    }
}

#[test]
fn a_violation_says_where_what_and_which_rule() {
    let mut d = good();
    d.variables[0].start = None;
    assert_eq!(
        check(&d)[0].to_string(),
        "variable `u`: found no start value, expected one: `initial` is exact or approx, or it is an input \
         (rule `start-given`, FMI 2.0.5, section 2.2.7)"
    );
}
