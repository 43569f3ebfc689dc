//! What real files do and the reader puts up with, or not.

use macrostep_description::xml::{ReadError, Reading, read, read_str, write};
use macrostep_description::{Causality, Dependencies, Initial, Value, Variability};

use crate::sample::sample;

/// A file with these lines inside its `ModelVariables` and these after it. The first inner line is line 5.
fn file(variables: &str, after: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<fmiModelDescription fmiVersion=\"2.0\" modelName=\"m\" guid=\"g\">\n\
         <CoSimulation modelIdentifier=\"m\"/>\n<ModelVariables>\n{variables}\n</ModelVariables>\n{after}\n\
         </fmiModelDescription>"
    )
}

fn reading(variables: &str, after: &str) -> Reading {
    read_str(&file(variables, after)).unwrap_or_else(|e| panic!("{e}"))
}

fn refusal(variables: &str, after: &str) -> ReadError {
    read_str(&file(variables, after)).expect_err("a refusal")
}

const X: &str = r#"<ScalarVariable name="x" valueReference="1"><Real/></ScalarVariable>"#;

#[test]
fn every_encoding_reads_the_same() {
    let text = write(&sample());
    let wide: Vec<u8> =
        "\u{feff}".chars().chain(text.chars()).collect::<String>().encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert_eq!(read(&wide).map(|r| r.description), Ok(sample()));
    assert_eq!(read(format!("\u{feff}{text}").as_bytes()).map(|r| r.description), Ok(sample()));
    let windows = text.replace('\n', "\r\n");
    assert_eq!(read(windows.as_bytes()).map(|r| r.description), Ok(sample()));
}

#[test]
fn the_standards_defaults_are_filled_in() {
    let r = reading(
        "<ScalarVariable name='a' valueReference='0'><Integer/></ScalarVariable>\
         <ScalarVariable name='b' valueReference='1' causality='output'><Real start='1'/></ScalarVariable>\
         <ScalarVariable name='c' valueReference='2' causality='parameter' variability='fixed'><Boolean start='1'/></ScalarVariable>",
        "<ModelStructure/>",
    );
    let v = &r.description.variables;
    assert_eq!(
        (v[0].causality, v[0].variability, v[0].initial),
        (Causality::Local, Variability::Discrete, Some(Initial::Calculated))
    );
    assert_eq!((v[1].variability, v[1].initial), (Variability::Continuous, Some(Initial::Calculated)));
    assert_eq!((v[2].initial, &v[2].start), (Some(Initial::Exact), &Some(Value::Boolean(true))));
    assert_eq!(r.warnings, []);
}

#[test]
fn what_is_unknown_is_noted_with_its_line_and_passed_over() {
    let r = reading(
        &format!(
            "<ScalarVariable name=\"u\" valueReference=\"0\" colour=\"red\">\n<Annotations><Tool name=\"t\"/></Annotations><Real start=\" 1.5 \"/>\n</ScalarVariable>{X}"
        ),
        "<Extra><deep><deeper/></deep></Extra>\n<ModelStructure><![CDATA[ <no> &markup; ]]>\n<Outputs/></ModelStructure>",
    );
    assert_eq!(r.description.variables[0].start, Some(Value::Real(1.5)));
    let notes: Vec<(u32, &str)> = r.warnings.iter().map(|w| (w.line, w.found.as_str())).collect();
    assert_eq!(
        notes,
        [
            (5, "the attribute `colour` of `ScalarVariable`"),
            (9, "the element `Extra` in `fmiModelDescription`"),
            (10, "the text `<no> &markup;`"),
        ]
    );
    assert_eq!(r.variable_lines, [5, 7]);
}

#[test]
fn sloppy_values_are_noted_and_taken() {
    let r = reading(
        "<ScalarVariable name='a' valueReference='0'><Integer start='2.0'/></ScalarVariable>\
         <ScalarVariable name='b' valueReference='0'><Boolean start='True'/></ScalarVariable>",
        "<ModelStructure><Outputs><Unknown index='1' dependencies='1 2' dependenciesKind='fixed'/></Outputs></ModelStructure>",
    );
    assert_eq!(r.description.variables[0].start, Some(Value::Integer(2)));
    assert_eq!(r.description.variables[1].start, Some(Value::Boolean(true)));
    assert!(matches!(&r.description.structure.outputs[0].dependencies, Dependencies::Known(k) if k.len() == 2));
    assert_eq!(r.warnings.len(), 3);
}

#[test]
fn entities_of_attributes_are_resolved() {
    let r = reading(
        "<ScalarVariable name='&lt;&#120;&#x3BE;&amp;&gt;' valueReference='0' description='a\tb\r\nc&#10;d'><Real/></ScalarVariable>",
        "",
    );
    assert_eq!(r.description.variables[0].name, "<xξ&>");
    assert_eq!(r.description.variables[0].description.as_deref(), Some("a b c\nd"));
}

#[test]
fn what_would_make_a_run_wrong_is_refused_with_its_line() {
    let cases = [
        (format!("{X}\n{X}"), "", 6, "variable `x` again (first in line 5)"),
        (X.replace("\"1\"", "\"4294967296\""), "", 5, "valueReference=`4294967296` in `ScalarVariable`"),
        (X.replace("\"1\"", "\"-1\""), "", 5, "valueReference=`-1` in `ScalarVariable`"),
        (X.replace("<Real/>", "<Real start=\"abc\"/>"), "", 5, "start=`abc` in `Real`"),
        (X.replace("<Real/>", "<Integer start=\"3000000000\"/>"), "", 5, "start=`3000000000` in `Integer`"),
        (X.replace("<Real/>", "<Real derivative=\"7\"/>"), "", 5, "derivative of `x` 7"),
        (X.replace("<Real/>", "<Real derivative=\"0\"/>"), "", 5, "derivative 0"),
        (X.replace("<Real/>", ""), "", 5, "variable `x` without a type"),
        (X.replace("<Real/>", "<Real/>\n<Real/>"), "", 5, "variable `x` with two types"),
        (X.replace("name", "name=\"y\" name"), "", 5, "attribute `name` of `ScalarVariable` twice"),
        (X.to_owned(), "<ModelStructure><Outputs>\n<Unknown index=\"0\"/></Outputs></ModelStructure>", 8, "index 0"),
        (
            X.to_owned(),
            "<ModelStructure><Outputs><Unknown index=\"999\"/></Outputs></ModelStructure>",
            7,
            "index of `Outputs` 999",
        ),
        (
            X.to_owned(),
            "<ModelStructure><Outputs><Unknown index=\"1\" dependencies=\"2\"/></Outputs></ModelStructure>",
            7,
            "dependency in `Outputs` 2",
        ),
        (X.to_owned(), "<DefaultExperiment stopTime=\"soon\"/>", 7, "stopTime=`soon` in `DefaultExperiment`"),
        (X.replace("name", "causality=\"inout\" name"), "", 5, "causality=`inout` in `ScalarVariable`"),
    ];
    for (variables, after, line, found) in cases {
        let e = refusal(&variables, after);
        assert_eq!((e.line, e.found.as_str()), (line, found), "{e}");
    }
    let e = read_str(&file(X, "").replace("\"2.0\"", "\"3.0\"")).expect_err("another version");
    assert_eq!((e.line, e.found.as_str()), (2, "fmiVersion=`3.0`"));
}

#[test]
fn two_roots_or_none_are_refused() {
    assert!(read_str("").is_err());
    assert!(read_str("<other/>").is_err_and(|e| e.found.contains("`other`")));
    assert!(read_str(&(file(X, "") + "<fmiModelDescription/>")).is_err());
    assert!(read_str(&file(X, "").replace("</fmiModelDescription>", "")).is_err());
}
