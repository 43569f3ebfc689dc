//! Files of FMI 3.0: attributes of variables, arrays, and inputs that may be set inside a step.

use macrostep_description::xml::read_str;
use macrostep_description::{Dependencies, DependencyKind, ModelDescription};

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
