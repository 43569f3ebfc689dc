//! Where rules begin: changes that are just within them, and what is said of those that are just not.

use macrostep_description::rules::check;
use macrostep_description::{
    BaseUnit, Builder, Causality, CoSimulation, Declared, Dependencies, DependencyKind, DisplayUnit, Initial, Kind,
    ModelDescription, Naming, RealAttributes, TypeDefinition, Unknown, Value, Variability, Variable,
};

/// Variables: 0 a parameter, 1 an enumeration, 2 an input, 3 a state that is an output, 4 its rate, 5 a text.
fn good() -> ModelDescription {
    let mut b = Builder::new("m", "A model");
    b.capabilities(CoSimulation {
        can_get_and_set_fmu_state: true,
        can_serialize_fmu_state: true,
        provides_directional_derivative: true,
        ..CoSimulation::default()
    });
    b.unit("m", BaseUnit { m: 1, ..BaseUnit::default() });
    b.enumeration("Mode", "A mode", &[("on", ""), ("off", "")]);
    b.log_category("all", "All");
    b.experiment(0.0, 1.0, 0.1);
    let p = b.add(Declared::parameter("p", 1.0).unit("m").range(1.0, 1.0));
    b.add(Declared::parameter("mode", 2).of_type("Mode").bounds(2, 2));
    let u = b.add(Declared::input("u", 0.0));
    let x = b.next_id();
    b.add(Declared::output("x").depends(&[(x, DependencyKind::Constant)]).initially(&[p]));
    b.add(Declared::output("v").state_derivative_of(x).depends(&[(u, DependencyKind::Fixed)]).initially(&[p, u]));
    b.add(Declared::parameter("text", "some"));
    b.model_exchange();
    b.finish().expect("legal")
}

fn attributes(v: &mut Variable) -> &mut RealAttributes {
    match &mut v.kind {
        Kind::Real(a) => a,
        _ => panic!("`{}` is a Real here", v.name),
    }
}

/// Another variable like this one, with a name and a value reference.
fn copy(d: &mut ModelDescription, at: usize, name: &str, value_reference: u32) -> usize {
    let variable = Variable { name: name.into(), value_reference, ..d.variables[at].clone() };
    d.variables.push(variable);
    d.variables.len() - 1
}

fn on(index: usize, known: &[(usize, DependencyKind)]) -> Unknown {
    Unknown { index, dependencies: Dependencies::Known(known.to_vec()) }
}

/// Without a face that asks for derivatives.
fn without_derivatives(d: &mut ModelDescription) {
    d.model_exchange = None;
    d.co_simulation.as_mut().expect("there").provides_directional_derivative = false;
}

/// Changes that break no rule.
const WITHIN: &[fn(&mut ModelDescription)] = &[
    |_| {},
    |d| d.co_simulation = None,
    |d| d.model_exchange = None,
    |d| d.generation_date_and_time = Some(" 2024-02-29T23:59:59+14:59 ".into()),
    |d| d.default_experiment = None,
    |d| d.co_simulation.as_mut().expect("there").model_identifier = "_m_2".into(),
    |d| d.units[0].base = Some(BaseUnit { factor: -1e-9, offset: -273.15, ..BaseUnit::default() }),
    // A unit is one of its own display units.
    |d| attributes(&mut d.variables[0]).display_unit = Some("m".into()),
    |d| {
        d.units[0].display.push(DisplayUnit { name: "mm".into(), factor: 1e3, offset: 0.0 });
        attributes(&mut d.variables[0]).display_unit = Some("mm".into());
    },
    |d| {
        (d.naming, d.variables[0].name) = (Naming::Flat, "p [".into());
    },
    |d| d.variables[0].name = "a.'b c'[1, 2].d".into(),
    // Aliases: one start value for both, or constants with one each.
    |d| {
        let at = copy(d, 3, "alias", 2);
        d.variables[at].causality = Causality::Local;
    },
    |d| {
        d.variables[0].variability = Variability::Constant;
        d.variables[0].causality = Causality::Local;
        copy(d, 0, "alias", 0);
        d.structure.initial_unknowns[0] = on(3, &[]);
        d.structure.initial_unknowns[1] = on(4, &[(2, DependencyKind::Dependent)]);
    },
    |d| {
        d.variables.push(Variable {
            name: "time".into(),
            value_reference: 9,
            causality: Causality::Independent,
            initial: None,
            start: None,
            ..d.variables[3].clone()
        });
        let at = d.variables.len() - 1;
        d.structure.outputs[1] = on(4, &[(2, DependencyKind::Fixed), (at, DependencyKind::Dependent)]);
        d.structure.initial_unknowns[1] = on(4, &[(0, DependencyKind::Dependent), (at, DependencyKind::Dependent)]);
    },
    // A state with an exact start value is no initial unknown; one with a guess is.
    |d| {
        (d.variables[3].initial, d.variables[3].start) = (Some(Initial::Exact), Some(Value::Real(0.0)));
        d.structure.initial_unknowns.remove(0);
    },
    |d| (d.variables[3].initial, d.variables[3].start) = (Some(Initial::Approx), Some(Value::Real(0.0))),
    |d| attributes(&mut d.variables[3]).reinit = true,
    |d| d.variables[2].can_handle_multiple_set = false,
    // A slave that offers no derivatives may list what it likes.
    |d| {
        without_derivatives(d);
        d.structure.derivatives.push(on(2, &[(0, DependencyKind::Fixed)]));
    },
    |d| d.structure.outputs[0].dependencies = Dependencies::All,
];

/// Each change is one that a file may have.
#[test]
fn what_is_just_within_a_rule_breaks_none() {
    for (at, change) in WITHIN.iter().enumerate() {
        let mut d = good();
        change(&mut d);
        assert_eq!(check(&d), [], "change {at}");
    }
}

/// A change, and what is said: the place, what was found and the rule of each violation.
type Breach = (fn(&mut ModelDescription), &'static [(&'static str, &'static str, &'static str)]);

const BEYOND: &[Breach] = &[
    (|d| d.fmi_version = "1.0".into(), &[("`fmiVersion`", "`1.0`", "fmi-version")]),
    (
        |d| d.co_simulation.as_mut().expect("there").model_identifier.clear(),
        &[("`modelIdentifier`", "``", "model-identifier")],
    ),
    (
        |d| d.model_exchange.as_mut().expect("there").model_identifier = "2m".into(),
        &[("`modelIdentifier`", "`2m`", "model-identifier")],
    ),
    (|d| d.guid = " ".into(), &[("`guid`", "an empty string", "guid")]),
    (|d| d.log_categories[0].name.clear(), &[("log category", "an empty name", "log-categories")]),
    (
        |d| d.units[0].base.as_mut().expect("there").offset = f64::NAN,
        &[("unit `m`", "factor 1 and offset NaN", "units")],
    ),
    (
        |d| d.units[0].base.as_mut().expect("there").factor = f64::INFINITY,
        &[("unit `m`", "factor inf and offset 0", "units")],
    ),
    (
        |d| {
            let twice = DisplayUnit { name: "mm".into(), factor: 1e3, offset: 0.0 };
            d.units[0].display = vec![twice.clone(), twice];
        },
        &[("unit `m`", "display unit `mm` twice", "units")],
    ),
    (
        |d| (attributes(&mut d.variables[2])).display_unit = Some("mm".into()),
        &[("variable `u`", "display unit `mm` without a unit", "unit-references")],
    ),
    (
        |d| {
            let unit = RealAttributes { unit: Some("furlong".into()), ..RealAttributes::default() };
            d.types.push(TypeDefinition { name: "Length".into(), description: None, kind: Kind::Real(unit) });
        },
        &[("type `Length`", "unit `furlong`, which is not defined", "unit-references")],
    ),
    (|d| d.variables[5].name = "Mode".into(), &[("type `Mode`", "the name of a variable", "types")]),
    (
        |d| {
            if let Kind::Enumeration { items, .. } = &mut d.types[0].kind {
                items[0].value = 2;
            }
        },
        &[("type `Mode`", "item `off` = 2 again", "types")],
    ),
    (
        |d| {
            if let Kind::Enumeration { items, .. } = &mut d.types[0].kind {
                items[0].name = "off".into();
            }
        },
        &[("type `Mode`", "item `off` = 2 again", "types")],
    ),
    (|d| d.variables[5].name.clear(), &[("variable ``", "an empty name", "names")]),
    (|d| d.variables[5].name = "a\tb".into(), &[("variable `a\tb`", "a tabulator or line feed in the name", "names")]),
    (|d| d.variables[5].name = "x".into(), &[("variable `x`", "the name of variable 4 again", "unique-names")]),
    // Then x is no state any more.
    (
        |d| attributes(&mut d.variables[4]).derivative = Some(4),
        &[
            ("variable `v`", "`derivative` of itself", "derivative-of"),
            ("variable `x`", "a dependency on `x` in `Outputs`", "dependencies"),
        ],
    ),
    (|d| attributes(&mut d.variables[0]).derivative = Some(1), &[("variable `p`", "`derivative` 2", "derivative-of")]),
    (
        |d| attributes(&mut d.variables[0]).derivative = Some(99),
        &[("variable `p`", "`derivative` 100", "derivative-of")],
    ),
    (
        |d| {
            copy(d, 2, "second", 2);
            d.variables[6].value_reference = 1;
        },
        &[("variable `second`", "a second start value beside that of its alias `u`", "aliases")],
    ),
    (
        |d| attributes(&mut d.variables[0]).min = Some(1.5),
        &[("variable `p`", "min 1.5 and max 1", "start-range"), ("variable `p`", "the start value 1", "start-range")],
    ),
    (
        |d| attributes(&mut d.variables[0]).max = Some(1.0 - 1e-15),
        &[
            ("variable `p`", "min 1 and max 0.999999999999999", "start-range"),
            ("variable `p`", "the start value 1", "start-range"),
        ],
    ),
    (|d| attributes(&mut d.variables[2]).nominal = Some(f64::NAN), &[("variable `u`", "nominal NaN", "start-range")]),
    (|d| d.structure.outputs.push(on(2, &[])), &[("variable `u`", "no output, but listed in `Outputs`", "outputs")]),
    (|d| drop(d.structure.outputs.remove(0)), &[("variable `x`", "an output that `Outputs` does not list", "outputs")]),
    (
        |d| d.structure.outputs.push(d.structure.outputs[0].clone()),
        &[("variable `x`", "listed twice in `Outputs`", "outputs")],
    ),
    (|d| d.structure.outputs.push(on(6, &[])), &[("`Outputs`", "index 7", "outputs")]),
    (
        |d| d.structure.initial_unknowns.swap(0, 1),
        &[("`InitialUnknowns`", "indices that do not ascend", "initial-unknowns")],
    ),
    (
        |d| d.structure.outputs[1] = on(4, &[(2, DependencyKind::Fixed), (2, DependencyKind::Fixed)]),
        &[("variable `v`", "dependencies in `Outputs` that do not ascend", "dependencies")],
    ),
    (
        |d| d.structure.derivatives[0] = on(4, &[(0, DependencyKind::Fixed)]),
        &[("variable `v`", "a dependency on `p` in `Derivatives`", "dependencies")],
    ),
    (
        |d| d.structure.initial_unknowns[1] = on(4, &[(3, DependencyKind::Dependent)]),
        &[("variable `v`", "a dependency on `x` in `InitialUnknowns`", "dependencies")],
    ),
    (
        |d| d.structure.outputs[1] = on(4, &[(6, DependencyKind::Fixed)]),
        &[("variable `v`", "dependency 7 in `Outputs`", "dependencies")],
    ),
    (
        |d| d.structure.derivatives.push(on(2, &[])),
        &[("variable `u`", "listed in `Derivatives` without `derivative`", "derivatives")],
    ),
    (
        |d| {
            d.co_simulation.as_mut().expect("there").provides_directional_derivative = false;
            d.structure.derivatives.push(on(2, &[]));
        },
        &[("variable `u`", "listed in `Derivatives` without `derivative`", "derivatives")],
    ),
];

/// Each change is said by its rule, and by others only where it breaks them too.
#[test]
fn what_is_just_beyond_a_rule_is_said_once() {
    for (at, (change, expected)) in BEYOND.iter().enumerate() {
        let mut d = good();
        change(&mut d);
        let violations = check(&d);
        let found: Vec<_> = violations.iter().map(|v| (v.subject.as_str(), v.found.as_str(), v.rule)).collect();
        assert_eq!(found, *expected, "change {at}");
    }
}
