//! What a declaration becomes: attributes, references, structure, both faces; and what is refused.

use macrostep_description::{
    BaseUnit, Builder, CoSimulation, Declared, Dependencies, DependencyKind, Initial, Kind, ModelDescription, Unknown,
    Value, Variability, VendorAnnotation, rules, xml,
};

/// A body with a parameter of each type, a state that an output shows, its rate, and one state that none shows.
fn body() -> Builder {
    let mut b = Builder::new("body", "A body");
    b.version("1.2.3");
    b.capabilities(CoSimulation {
        model_identifier: "another".into(),
        can_get_and_set_fmu_state: true,
        can_serialize_fmu_state: true,
        can_not_use_memory_management_functions: true,
        provides_directional_derivative: true,
        can_interpolate_inputs: true,
        ..CoSimulation::default()
    });
    b.si_units(&["m", "s", "furlong"]);
    b.unit("mm", BaseUnit { m: 1, factor: 1e-3, ..BaseUnit::default() });
    b.unit("mm", BaseUnit { m: 1, factor: 7.0, ..BaseUnit::default() });
    b.enumeration("Law", "A law", &[("linear", "a line"), ("cubic", "a cube")]);
    b.log_category("logEvents", "Events");
    b.experiment(1.0, 5.0, 0.25);
    b.annotate("getAfterSet", "true");
    b.annotate("more", "yes");
    let x0 = b.add(Declared::parameter("x0", 1.0).unit("m").range(0.0, f64::INFINITY).nominal(10.0).about("start"));
    b.add(Declared::parameter("law", 2).of_type("Law").bounds(1, 2));
    b.add(Declared::parameter("name", "body"));
    b.add(Declared::parameter("on", true));
    let u = b.add(Declared::input("u", 0.5).unit("mm"));
    b.add(Declared::input("count", 3).bounds(-1, 4));
    assert_eq!(b.next_id().0, 6);
    let state = b.next_id();
    let x = b.add(Declared::output("x").unit("m").depends(&[(state, DependencyKind::Constant)]).initially(&[x0]));
    let kinds = [(x, DependencyKind::Dependent), (u, DependencyKind::Fixed)];
    let v = b.add(Declared::output("v").state_derivative_of(x).depends(&kinds).initially(&[u, x0]));
    let w = b.add(Declared::local("w").depends(&[]).initially(&[x0]));
    b.add(Declared::local("der(w)").state_derivative_of(w).depends(&[(u, DependencyKind::Constant)]).initially(&[u]));
    b.add(Declared::output("a").derivative_of(v).depends(&[]).initially(&[]));
    b.add(Declared::discrete_output("steps", 0).depends(&[]).initially(&[]));
    assert_eq!((b.name(x), b.reference(x), b.reference(v)), ("x", 2, 3));
    b
}

fn indices(list: &[Unknown]) -> Vec<usize> {
    list.iter().map(|unknown| unknown.index).collect()
}

fn known(d: &[Unknown], at: usize) -> Vec<(usize, DependencyKind)> {
    match &d.iter().find(|unknown| unknown.index == at).expect("an unknown").dependencies {
        Dependencies::Known(list) => list.clone(),
        other => panic!("{other:?}"),
    }
}

/// The head of a description, for whoever reads it.
#[test]
fn what_is_said_of_a_model_is_there() {
    let d = body().finish().expect("legal");
    let texts = [&d.version, &d.description, &d.generation_tool, &d.license].map(|text| text.as_deref());
    assert_eq!(texts, ["1.2.3", "A body", "macrostep", "MIT OR Apache-2.0"].map(Some));
    assert_eq!((d.fmi_version.as_str(), d.model_name.as_str()), ("2.0", "body"));
    let c = d.co_simulation.as_ref().expect("the face");
    assert_eq!((c.model_identifier.as_str(), c.can_interpolate_inputs), ("body", true));
    assert!(d.model_exchange.is_none());
    let e = d.default_experiment.as_ref().expect("given");
    assert_eq!((e.start_time, e.stop_time, e.step_size, e.tolerance), (Some(1.0), Some(5.0), Some(0.25), None));
    let attributes = vec![("getAfterSet".into(), "true".into()), ("more".into(), "yes".into())];
    assert_eq!(d.vendor_annotations, [VendorAnnotation { tool: "macrostep".into(), attributes }]);
    let category = (d.log_categories[0].name.as_str(), d.log_categories[0].description.as_deref());
    assert_eq!((category, d.log_categories.len()), (("logEvents", Some("Events")), 1));
    // A unit that there is not is left out, and of two with one name the first counts.
    let units: Vec<_> = d.units.iter().map(|unit| (unit.name.as_str(), unit.base.map(|base| base.factor))).collect();
    assert_eq!(units, [("m", Some(1.0)), ("s", Some(1.0)), ("mm", Some(1e-3))]);
    match &d.types[0].kind {
        Kind::Enumeration { items, .. } => {
            let items: Vec<_> = items.iter().map(|i| (i.name.as_str(), i.value, i.description.as_deref())).collect();
            assert_eq!(items, [("linear", 1, Some("a line")), ("cubic", 2, Some("a cube"))]);
        }
        other => panic!("{other:?}"),
    }
}

/// Types, bounds and start values; references count from 0 in each type.
#[test]
fn variables_are_as_declared() {
    let d = body().finish().expect("legal");
    let references: Vec<u32> = d.variables.iter().map(|v| v.value_reference).collect();
    assert_eq!(references, [0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 2]);
    let real = |name: &str| d.variable(name).expect("there").real().expect("a Real").clone();
    let x0 = real("x0");
    assert_eq!((x0.min, x0.max, x0.nominal, x0.unit.as_deref()), (Some(0.0), None, Some(10.0), Some("m")));
    assert_eq!([real("v").derivative, real("der(w)").derivative, real("a").derivative], [Some(6), Some(8), Some(7)]);
    let start = |name: &str| d.variable(name).expect("there").start.clone();
    assert_eq!(start("law"), Some(Value::Integer(2)));
    assert_eq!([start("name"), start("on")], [Some(Value::String("body".into())), Some(Value::Boolean(true))]);
    assert_eq!([start("x"), start("w"), start("steps")], [None, None, None]);
    let law = d.variable("law").expect("there");
    assert!(matches!(law.kind, Kind::Enumeration { min: Some(1), max: Some(2), .. }), "{:?}", law.kind);
    assert_eq!(law.declared_type.as_deref(), Some("Law"));
    let count = d.variable("count").expect("there");
    assert!(matches!(count.kind, Kind::Integer { min: Some(-1), max: Some(4) }), "{:?}", count.kind);
    let variability = ["x0", "u", "count", "x", "w", "steps"].map(|name| d.variable(name).expect("there").variability);
    use Variability::{Continuous, Discrete, Fixed};
    assert_eq!(variability, [Fixed, Continuous, Discrete, Continuous, Continuous, Discrete]);
    assert_eq!(d.variable("steps").expect("there").initial, Some(Initial::Calculated));
    // What another declaration has is taken over.
    let like = Declared::output("y").like(&Declared::parameter("p", 1.0).unit("m").range(-1.0, 1.0));
    assert_eq!((like.name(), like.is_real(), like.start()), ("y", true, None));
    assert!(!Declared::parameter("n", 1).is_real());
}

/// Outputs, derivatives of states and initial unknowns, with what they depend on, ascending; the rules find nothing wrong.
#[test]
fn the_structure_is_complete() {
    let mut b = body();
    b.model_exchange();
    let d = b.finish().expect("legal");
    let s = &d.structure;
    assert_eq!([indices(&s.outputs), indices(&s.derivatives)], [vec![6, 7, 10, 11], vec![7, 9]]);
    assert_eq!(indices(&s.initial_unknowns), [6, 7, 8, 9, 10, 11]);
    use DependencyKind::{Constant, Dependent, Fixed};
    assert_eq!(known(&s.outputs, 7), [(4, Fixed), (6, Dependent)]);
    assert_eq!(known(&s.derivatives, 9), [(4, Constant)]);
    assert_eq!(known(&s.initial_unknowns, 7), [(0, Dependent), (4, Dependent)]);
    // The face of model exchange can what the other one can.
    let m = d.model_exchange.as_ref().expect("the face");
    assert_eq!(m.model_identifier, "body");
    assert!(m.completed_integrator_step_not_needed && m.can_not_use_memory_management_functions);
    assert!(m.can_get_and_set_fmu_state && m.can_serialize_fmu_state && m.provides_directional_derivative);
    assert!(!m.needs_execution_tool && !m.can_be_instantiated_only_once_per_process);
    assert_eq!(rules::check(&d), []);
    // What is written is read back as it was, but for what is not in a file.
    let read = xml::read(xml::write(&d).as_bytes()).expect("our own file").description;
    assert_eq!((&read.structure, &read.variables, &read.guid), (&d.structure, &d.variables, &d.guid));
}

/// The first variable that breaks a rule, and how.
fn refused(declared: Declared) -> String {
    let mut b = body();
    b.add(declared);
    b.finish().map(|_: ModelDescription| ()).expect_err("an error").to_string()
}

/// By name, with what was found and what would have been right.
#[test]
fn declarations_that_break_a_rule_are_refused_by_name() {
    let output = || Declared::output("y").depends(&[]).initially(&[]);
    for (declared, expected) in [
        (Declared::parameter("u", 1.0), "variable `u` is declared twice"),
        (output().unit("furlong"), "variable `y` has the undefined unit `furlong`"),
        (Declared::parameter("n", 1).of_type("Rule"), "variable `n` has the undefined type `Rule`"),
        (Declared::output("y").initially(&[]), "variable `y` does not state what it depends on"),
        (Declared::output("y").depends(&[]), "variable `y` does not state what it depends on"),
        (Declared::local("l"), "variable `l` does not state what it depends on"),
        (Declared::parameter("p", 3.5).range(1.0, 3.0), "variable `p` has the start value 3.5, expected 1 to 3"),
        (Declared::parameter("p", 0.5).range(1.0, 3.0), "variable `p` has the start value 0.5, expected 1 to 3"),
        (Declared::parameter("p", f64::INFINITY), "variable `p` has the start value inf, expected -inf to inf"),
        (Declared::input("n", 5).bounds(1, 4), "variable `n` has the start value 5, expected 1 to 4"),
        (
            Declared::parameter("n", 0).of_type("Law").bounds(1, 2),
            "variable `n` has the start value 0, expected 1 to 2",
        ),
        (
            Declared::parameter("n", 1).like(&Declared::input("b", true)),
            "variable `n` has a start value of another type",
        ),
        (output().like(&Declared::input("b", true)), "variable `y` is continuous and not a Real"),
    ] {
        assert_eq!(refused(declared), expected);
    }
    // Bounds themselves are fine.
    for declared in [Declared::parameter("p", 3.0).range(1.0, 3.0), Declared::parameter("p", 1.0).range(1.0, 3.0)] {
        let mut b = body();
        b.add(declared);
        b.finish().expect("within");
    }
}
