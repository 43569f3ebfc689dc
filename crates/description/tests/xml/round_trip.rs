//! Whatever a description holds comes back from its text.

use macrostep_description::xml::{read_str, write};
use macrostep_description::{
    BaseUnit, Causality, CoSimulation, DefaultExperiment, Dependencies, DependencyKind, DisplayUnit, Initial, Kind,
    ModelDescription, ModelStructure, RealAttributes, Unit, Unknown, Value, Variability, Variable,
    rules::{Combination, combination},
};
use proptest::collection::{btree_set, vec};
use proptest::option::of;
use proptest::prelude::*;

/// Any text XML can hold, blanks, quotes and brackets among it.
fn text() -> impl Strategy<Value = String> {
    "([ -~\t\n\r]|&amp;|]]>|\\PC){0,12}".prop_filter("characters of XML", |t| {
        !t.chars().any(|c| (c < ' ' && !"\t\n\r".contains(c)) || c == '\u{fffe}' || c == '\u{ffff}')
    })
}

/// Any number but NaN, which equals nothing.
fn number() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("a number", |x| !x.is_nan())
}

fn causality() -> impl Strategy<Value = (Causality, Variability, Option<Initial>)> {
    use Causality::*;
    use Variability::*;
    let all = [Parameter, CalculatedParameter, Input, Output, Local, Independent]
        .into_iter()
        .flat_map(|c| [Constant, Fixed, Tunable, Discrete, Continuous].map(|v| (c, v)))
        .flat_map(|(c, v)| match combination(c, v) {
            Combination::Illegal => vec![],
            Combination::None => vec![(c, v, None)],
            Combination::Of(allowed) => allowed.iter().map(|i| (c, v, Some(*i))).collect(),
        });
    proptest::sample::select(all.collect::<Vec<_>>())
}

fn kind() -> impl Strategy<Value = (Kind, Option<Value>)> {
    let real =
        (of(text()), of(text()), any::<(bool, bool)>(), [of(number()), of(number()), of(number()), of(number())])
            .prop_map(|(unit, quantity, (relative_quantity, unbounded), [min, max, nominal, start])| {
                let a = RealAttributes {
                    unit,
                    quantity,
                    relative_quantity,
                    unbounded,
                    min,
                    max,
                    nominal,
                    ..Default::default()
                };
                (Kind::Real(a), start.map(Value::Real))
            });
    prop_oneof![
        real,
        any::<[Option<i32>; 3]>().prop_map(|[min, max, s]| (Kind::Integer { min, max }, s.map(Value::Integer))),
        any::<Option<bool>>().prop_map(|s| (Kind::Boolean, s.map(Value::Boolean))),
        of(text()).prop_map(|s| (Kind::String, s.map(Value::String))),
    ]
}

fn variable() -> impl Strategy<Value = Variable> {
    (text(), any::<u32>(), of(text()), causality(), kind(), of(text()), any::<bool>()).prop_map(
        |(
            name,
            value_reference,
            description,
            (causality, variability, initial),
            (kind, start),
            declared_type,
            multiple,
        )| {
            Variable {
                name,
                value_reference,
                description,
                causality,
                variability,
                initial,
                kind,
                start,
                declared_type,
                can_handle_multiple_set: multiple,
            }
        },
    )
}

fn unknowns(count: usize) -> impl Strategy<Value = Vec<Unknown>> {
    let kinds = proptest::sample::select(vec![DependencyKind::Dependent, DependencyKind::Tunable]);
    let dependencies = prop_oneof![Just(Dependencies::All), vec((0..count, kinds), 0..4).prop_map(Dependencies::Known)];
    (btree_set(0..count, 0..=count), vec(dependencies, count)).prop_map(|(indices, dependencies)| {
        indices.into_iter().zip(dependencies).map(|(index, dependencies)| Unknown { index, dependencies }).collect()
    })
}

fn unit() -> impl Strategy<Value = Unit> {
    let base = (any::<[i32; 3]>(), number(), number()).prop_map(|([kg, m, rad], factor, offset)| BaseUnit {
        kg,
        m,
        rad,
        factor,
        offset,
        ..BaseUnit::default()
    });
    let display = (text(), number(), number()).prop_map(|(name, factor, offset)| DisplayUnit { name, factor, offset });
    (text(), of(base), vec(display, 0..3)).prop_map(|(name, base, display)| Unit { name, base, display })
}

fn description() -> impl Strategy<Value = ModelDescription> {
    let variables = vec(variable(), 1..6).prop_map(|mut all| {
        // Unique names, and one derivative.
        all.iter_mut().enumerate().for_each(|(at, v)| v.name.push_str(&at.to_string()));
        let last = all.len() - 1;
        if let Kind::Real(a) = &mut all[0].kind {
            a.derivative = Some(last);
        }
        all
    });
    let with_structure = variables.prop_flat_map(|variables| {
        let lists = [(); 3].map(|()| unknowns(variables.len()));
        (Just(variables), lists)
    });
    let header = (text(), text(), of(text()), any::<[bool; 4]>(), any::<u32>(), of(number()));
    (header, vec(unit(), 0..3), with_structure).prop_map(
        |((model_name, guid, author, flags, order, stop_time), mut units, (variables, lists))| {
            units.iter_mut().enumerate().for_each(|(at, u)| u.name.push_str(&at.to_string()));
            let [outputs, derivatives, initial_unknowns] = lists;
            ModelDescription {
                fmi_version: "2.0".to_owned(),
                model_name,
                guid,
                author,
                co_simulation: flags[0].then(|| CoSimulation {
                    model_identifier: "m".to_owned(),
                    needs_execution_tool: flags[1],
                    can_serialize_fmu_state: flags[2],
                    can_be_instantiated_only_once_per_process: flags[3],
                    max_output_derivative_order: order,
                    ..CoSimulation::default()
                }),
                units,
                default_experiment: stop_time.map(|t| DefaultExperiment { stop_time: Some(t), ..Default::default() }),
                variables,
                structure: ModelStructure { outputs, derivatives, initial_unknowns },
                ..ModelDescription::default()
            }
        },
    )
}

proptest! {
    #[test]
    fn reading_undoes_writing(d in description()) {
        let text = write(&d);
        let reading = read_str(&text).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        prop_assert_eq!(&reading.description, &d);
        prop_assert_eq!(reading.warnings.len(), 0);
        prop_assert_eq!(write(&reading.description), text);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "(<|>|/|fmiModelDescription|ScalarVariable|\"|=|&|;|x|<!\\[CDATA\\[|\n|é)*") {
        let _ = read_str(&text);
    }
}
