//! Files of FMI 3.0: attributes of variables, arrays, and inputs that may be set inside a step.

use macrostep_description::rules::check;
use macrostep_description::xml::{Reading, read_str};
use macrostep_description::{Dependencies, DependencyKind, Kind, ModelDescription};

/// With this attribute of the face, and these of the input and of the output.
fn reading([face, input, output]: [&str; 3]) -> ModelDescription {
    let text = format!(
        r#"<fmiModelDescription fmiVersion="3.0" modelName="m" instantiationToken="t">
<CoSimulation modelIdentifier="m" {face}/>
<UnitDefinitions><Unit name="m"><BaseUnit m="1"/></Unit></UnitDefinitions>
<ModelVariables>
<Float64 name="u" valueReference="1" causality="input" start="1.5" unit="m" displayUnit="m" quantity="Length" min="0" max="4" nominal="2" {input}/>
<Float64 name="a" valueReference="2" causality="output" {output}><Dimension start="2"/></Float64>
</ModelVariables>
<ModelStructure>
<Output valueReference="2" dependencies="1" dependenciesKind="fixed"/>
<InitialUnknown valueReference="2" dependencies="1" dependenciesKind="dependent"/>
</ModelStructure>
</fmiModelDescription>"#
    );
    read_str(&text).unwrap_or_else(|e| panic!("{e}")).description
}

/// Inputs are polynomials where the slave has updates inside a step, and one of its inputs takes part in them.
#[test]
fn inputs_inside_a_step_are_those_of_the_file() {
    let (has, takes) = (r#"providesIntermediateUpdate="true""#, r#"intermediateUpdate="true""#);
    for (attributes, expected) in
        [([has, takes, ""], true), ([has, "", takes], false), (["", takes, ""], false), ([has, "", ""], false)]
    {
        let d = reading(attributes);
        assert_eq!(d.co_simulation.expect("the face").can_interpolate_inputs, expected, "{attributes:?}");
    }
}

/// Attributes are kept, and each element of an array depends on what the array depends on.
#[test]
fn attributes_and_arrays_are_read() {
    let d = reading([""; 3]);
    let u = d.variables[0].real().expect("a Real");
    let texts = [&u.unit, &u.display_unit, &u.quantity].map(|text| text.as_deref());
    assert_eq!(texts, [Some("m"), Some("m"), Some("Length")]);
    assert_eq!([u.min, u.max, u.nominal], [Some(0.0), Some(4.0), Some(2.0)]);
    let names: Vec<&str> = d.variables.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, ["u", "a[1]", "a[2]"]);
    let of = |kind| Dependencies::Known(vec![(0, kind)]);
    let (outputs, initially) = (of(DependencyKind::Fixed), of(DependencyKind::Dependent));
    let found: Vec<_> = d.structure.outputs.iter().map(|unknown| (unknown.index, &unknown.dependencies)).collect();
    assert_eq!(found, [(1, &outputs), (2, &outputs)]);
    let found: Vec<_> = d.structure.initial_unknowns.iter().map(|o| (o.index, &o.dependencies)).collect();
    assert_eq!(found, [(1, &initially), (2, &initially)]);
}

/// A file with these type definitions, variables and structure.
pub fn file([types, variables, structure]: [&str; 3]) -> Result<Reading, String> {
    let text = format!(
        r#"<fmiModelDescription fmiVersion="3.0" modelName="m" instantiationToken="t">
<CoSimulation modelIdentifier="m" providesIntermediateUpdate="true"/>
<TypeDefinitions>{types}</TypeDefinitions>
<ModelVariables>{variables}</ModelVariables>
<ModelStructure>{structure}</ModelStructure>
</fmiModelDescription>"#
    );
    read_str(&text).map_err(|e| e.to_string())
}

/// The description of a file with these type definitions and variables.
fn with(types: &str, variables: &str) -> Result<ModelDescription, String> {
    file([types, variables, ""]).map(|reading| reading.description)
}

/// Flags of reals, texts, and the name of the library of equations.
#[test]
fn kinds_and_faces_are_those_of_the_file() {
    let d = with(
        r#"<Float64Type name="Free" unbounded="true" relativeQuantity="true"/>"#,
        r#"<Float64 name="x" valueReference="1" unbounded="true"/><Float64 name="y" valueReference="2" relativeQuantity="true"/>
<String name="s" valueReference="3" causality="parameter"><Start value="a"/></String>
<Binary name="b" valueReference="4" causality="parameter"><Start value="00"/></Binary>"#,
    )
    .expect("legal");
    let flags = |n: usize| d.variables[n].real().map(|a| [a.unbounded, a.relative_quantity]);
    assert_eq!([flags(0), flags(1)], [Some([true, false]), Some([false, true])]);
    assert_eq!([&d.variables[2].kind, &d.variables[3].kind], [&Kind::String, &Kind::String]);
    let Kind::Real(free) = &d.types[0].kind else { panic!("{:?}", d.types) };
    assert!(free.unbounded && free.relative_quantity);
    let equations = r#"<fmiModelDescription fmiVersion="3.0" modelName="m" instantiationToken="t">
<ModelExchange modelIdentifier="other"/><ModelVariables/><ModelStructure/></fmiModelDescription>"#;
    let face = read_str(equations).expect("legal").description.model_exchange.expect("the face");
    assert_eq!(face.model_identifier, "other");
}

/// The first value beyond each end of a type is refused, and the last within it is not.
#[test]
fn whole_numbers_are_within_their_types() {
    for (name, least, greatest) in [
        ("Int8", -128, 127),
        ("UInt8", 0, 255),
        ("Int16", -32768, 32767),
        ("UInt16", 0, 65535),
        ("Int32", -2147483648, 2147483647),
        ("UInt32", 0, 4294967295),
        ("Int64", -9223372036854775808, 9223372036854775807),
        ("UInt64", 0, 18446744073709551615i128),
    ] {
        for attribute in ["start", "min"] {
            let read = |value: i128| {
                with(
                    "",
                    &format!(r#"<{name} name="i" valueReference="1" causality="parameter" {attribute}="{value}"/>"#),
                )
            };
            for value in [least, greatest] {
                assert!(read(value).is_ok(), "{name} {attribute}={value}: {:?}", read(value));
            }
            for value in [least - 1, greatest + 1] {
                let message = read(value).expect_err("a number outside");
                assert!(message.contains(&value.to_string()) && message.contains(name), "{message}");
            }
        }
    }
}

/// An enumeration has the items of its type.
#[test]
fn items_of_enumerations_are_read() {
    let types =
        r#"<EnumerationType name="Mode"><Item name="off" value="0"/><Item name="on" value="2"/></EnumerationType>"#;
    let variable = r#"<Enumeration name="e" valueReference="1" causality="parameter" declaredType="Mode" start="2"/>"#;
    let d = with(types, variable).expect("legal");
    let Kind::Enumeration { items, .. } = &d.types[0].kind else { panic!("{:?}", d.types) };
    let items: Vec<(&str, i32)> = items.iter().map(|item| (item.name.as_str(), item.value)).collect();
    assert_eq!(items, [("off", 0), ("on", 2)]);
}

/// What takes part in updates inside a step is continuous, and no parameter.
#[test]
fn updates_inside_a_step_are_of_continuous_inputs_and_of_outputs() {
    let found = |is_updated: bool, attributes: &str| {
        let variable =
            format!(r#"<Float64 name="x" valueReference="1" intermediateUpdate="{is_updated}" {attributes}/>"#);
        let d = with("", &variable).expect("legal");
        check(&d).iter().filter(|v| v.rule == "intermediate-update").count()
    };
    for (attributes, expected) in [
        (r#"causality="input" start="0""#, 0),
        (r#"causality="input" start="0" variability="discrete""#, 1),
        (r#"causality="output""#, 0),
        (r#"causality="output" variability="discrete""#, 0),
        (r#"causality="local""#, 0),
        (r#"causality="parameter" start="0" variability="fixed""#, 1),
    ] {
        assert_eq!([found(true, attributes), found(false, attributes)], [expected, 0], "{attributes}");
    }
}
