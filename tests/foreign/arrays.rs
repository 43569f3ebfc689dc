//! Arrays of FMI 3.0 (tests/kit/matrix3.c, without any code of ours), connected and set as a whole, in TOML and in SSP 2.0.

use crate::make;
use crate::run::{Left, macrostep};
use std::path::{Path, PathBuf};

/// The description of tests/kit/matrix3.c; the second FMU has another one, of three outputs.
fn fmu(name: &str, outputs: u32) -> Vec<u8> {
    let xml = format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="{name}" instantiationToken="{{matrix}}">
  <CoSimulation modelIdentifier="matrix" canHandleVariableCommunicationStepSize="true"/>
  <ModelVariables>
    <Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
    <Float64 name="u" valueReference="1" causality="input" start="0 0"><Dimension start="2"/></Float64>
    <Float64 name="x" valueReference="2" causality="output"><Dimension start="{outputs}"/></Float64>
    <Float64 name="A" valueReference="3" causality="parameter" variability="fixed" start="1 0 0 1"><Dimension start="2"/><Dimension start="2"/></Float64>
  </ModelVariables>
  <ModelStructure><Output valueReference="2" dependencies=""/><InitialUnknown valueReference="2"/></ModelStructure>
</fmiModelDescription>
"#
    );
    let library = make::compiled("matrix3.c", &[]);
    make::archive(&[("modelDescription.xml", xml.as_bytes()), ("binaries/x86_64-linux/matrix.so", &library)])
}

/// A folder with both FMUs.
fn files(name: &str) -> PathBuf {
    let folder = make::folder(name);
    std::fs::write(folder.join("matrix.fmu"), fmu("matrix", 2)).expect("written");
    std::fs::write(folder.join("three.fmu"), fmu("three", 3)).expect("written");
    folder
}

fn run(folder: &Path, file: &str, text: &str) -> Left {
    std::fs::write(folder.join(file), text).expect("written");
    macrostep(folder, &["run", file, "--json", "--out", &format!("out-{file}"), "--no-pictures"])
}

/// The rows, which have every output.
fn rows(folder: &Path, file: &str) -> String {
    std::fs::read_to_string(folder.join(format!("out-{file}/trace.csv"))).expect("rows")
}

/// Two units that feed each other, with connections and values as given.
fn scenario(values: &str, connections: &str) -> String {
    format!(
        "[experiment]\nstop = 1.0\nstep = 0.1\n[units.a]\nfmu = \"matrix.fmu\"\n{values}[units.b]\nfmu = \"matrix.fmu\"\n\
         set = {{ A = [[0.0, 1.0], [-1.0, 0.0]] }}\n[connections]\n{connections}[record]\nvariables = [\"*.x[*]\"]\n"
    )
}

const ELEMENTS: &str = "\"a.u[1]\" = { from = \"b.x[1]\", factor = -1.0, offset = 1.0 }\n\"a.u[2]\" = { from = \"b.x[2]\", factor = -1.0, offset = 1.0 }\n\
     \"b.u[1]\" = \"a.x[1]\"\n\"b.u[2]\" = \"a.x[2]\"\n";

/// Whole arrays give the bits of their elements, and a known value: x_a = t as long as x_b = 0, with u_a = 1 − x_b, then less.
#[test]
fn whole_arrays_are_connected_and_set_as_their_elements() {
    let folder = files("foreign-arrays");
    let by_element = "set = { \"A[1,1]\" = 2.0, \"A[1,2]\" = 0.5, \"A[2,1]\" = 0.25, \"A[2,2]\" = 1.0 }\n";
    let done = run(&folder, "elements.toml", &scenario(by_element, ELEMENTS));
    assert_eq!(done.code, Some(0), "{done:#?}");
    let expected = rows(&folder, "elements.toml");
    // By steps of Euler's method, as the FMU makes them.
    let (mut a, mut b) = ([0.0f64; 2], [0.0f64; 2]);
    for _ in 0..10 {
        let (u, v) = ([1.0 - b[0], 1.0 - b[1]], a);
        a = [a[0] + 0.1 * (2.0 * u[0] + 0.5 * u[1]), a[1] + 0.1 * (0.25 * u[0] + u[1])];
        b = [b[0] + 0.1 * v[1], b[1] - 0.1 * v[0]];
    }
    let last: Vec<f64> =
        expected.lines().last().expect("a row").split(',').skip(1).map(|x| x.parse().expect("a number")).collect();
    let near = |found: &[f64]| found.iter().zip(a.iter().chain(&b)).all(|(x, y)| (x - y).abs() < 1e-12);
    assert!(last.len() == 4 && near(&last), "{last:?} {a:?} {b:?}");
    // In TOML.
    let whole = "\"a.u\" = { from = \"b.x\", factor = -1.0, offset = 1.0 }\n\"b.u\" = \"a.x\"\n";
    let values = "set = { A = [[2.0, 0.5], [0.25, 1.0]] }\n";
    let done = run(&folder, "whole.toml", &scenario(values, whole));
    assert_eq!((done.code, rows(&folder, "whole.toml") == expected), (Some(0), true), "{done:#?}");
    // What a run leaves has elements, and runs again.
    let left = std::fs::read_to_string(folder.join("out-whole.toml/scenario.toml")).expect("a scenario");
    assert!(left.contains("\"a.u[2]\""), "{left}");
    // In SSP 2.0: dimensions of connectors, one connection as a whole and two by indices, values in a list.
    let ssd = ssd("1", "<ssc:Dimension size=\"2\"/><ssc:Dimension size=\"2\"/>");
    let done = run(&folder, "s.ssd", &ssd);
    assert_eq!(done.code, Some(0), "{done:#?}");
    assert!(!done.stderr.contains("warning"), "{}", done.stderr);
    assert_eq!(rows(&folder, "s.ssd"), expected);
    // Written as SSP it runs the same.
    assert_eq!(macrostep(&folder, &["convert", "s.ssd", "c.ssp"]).code, Some(0));
    let done = macrostep(&folder, &["run", "c.ssp", "--out", "out-c.ssp", "--no-pictures"]);
    assert_eq!((done.code, rows(&folder, "c.ssp") == expected), (Some(0), true), "{done:#?}");
}

/// The same system in SSP 2.0; `index` is of the second element that is connected by its own.
fn ssd(first: &str, dimensions: &str) -> String {
    let uris: String = ["Common", "Description", "ParameterValues", "ParameterMapping"]
        .iter()
        .zip(["ssc", "ssd", "ssv", "ssm"])
        .map(|(name, prefix)| format!(" xmlns:{prefix}=\"http://ssp-standard.org/SSP1/SystemStructure{name}\""))
        .collect();
    let component = |name: &str, set: &str, mapping: &str, parameter: &str| {
        let connector = |name: &str, kind: &str, sizes: &str| {
            format!("<ssd:Connector name=\"{name}\" kind=\"{kind}\"><ssc:Float64/>{sizes}</ssd:Connector>")
        };
        format!(
            "<ssd:Component name=\"{name}\" source=\"matrix.fmu\"><ssd:Connectors>{}{}{}</ssd:Connectors><ssd:ParameterBindings><ssd:ParameterBinding>\
             <ssd:ParameterValues><ssv:ParameterSet version=\"2.0\" name=\"p\"><ssv:Parameters><ssv:Parameter name=\"{parameter}\"><ssv:Float64 value=\"{set}\"/>\
             <ssc:Dimension size=\"2\"/><ssc:Dimension size=\"2\"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues>{mapping}\
             </ssd:ParameterBinding></ssd:ParameterBindings></ssd:Component>",
            connector("u", "input", "<ssc:Dimension size=\"2\"/>"),
            connector("x", "output", "<ssc:Dimension/>"),
            connector("A", "parameter", dimensions)
        )
    };
    let back = |from: &str, to: &str| {
        format!(
            "<ssd:Connection startElement=\"b\" startConnector=\"x\" startIndices=\"{from}\" endElement=\"a\" endConnector=\"u\" endIndices=\"{to}\">\
             <ssc:LinearTransformation factor=\"-1\" offset=\"1\"/></ssd:Connection>"
        )
    };
    let mapping = "<ssd:ParameterMapping><ssm:ParameterMapping version=\"2.0\"><ssm:MappingEntry source=\"M\" target=\"A\"/></ssm:ParameterMapping></ssd:ParameterMapping>";
    format!(
        "<?xml version=\"1.0\"?><ssd:SystemStructureDescription{uris} name=\"two\" version=\"2.0\"><ssd:System name=\"root\"><ssd:Elements>{}{}</ssd:Elements>\
         <ssd:Connections>{}{}<ssd:Connection startElement=\"a\" startConnector=\"x\" endElement=\"b\" endConnector=\"u\"/></ssd:Connections>\
         <ssd:Annotations><ssc:Annotation type=\"macrostep\">[experiment]\nstep = 0.1\n[record]\nvariables = [\"*.x[*]\"]\n</ssc:Annotation></ssd:Annotations></ssd:System>\
         <ssd:DefaultExperiment startTime=\"0\" stopTime=\"1\"/></ssd:SystemStructureDescription>",
        component("a", "2 0.5 0.25 1", "", "A"),
        component("b", "0 1 -1 0", mapping, "M"),
        back(first, "1"),
        back("2", "2"),
    )
}

/// Arrays that do not fit, values that are too few, and a connector that says other dimensions.
#[test]
fn arrays_that_do_not_fit_are_refused() {
    let folder = files("foreign-arrays-refused");
    let refused = |file: &str, text: &str, says: &[&str]| {
        let done = run(&folder, file, text);
        assert!(done.code == Some(1) && says.iter().all(|says| done.stderr.contains(says)), "{says:?} {done:#?}");
    };
    let text = scenario("", "\"a.u\" = \"b.x\"\n");
    let three = text.replace("[units.b]\nfmu = \"matrix.fmu\"", "[units.b]\nfmu = \"three.fmu\"");
    refused("three.toml", &three, &["`b.x` is an array of 3 elements, `x[1]` to `x[3]`", "`a.u` is an array of 2"]);
    refused("one.toml", &scenario("", "\"a.u[1]\" = \"b.x\"\n"), &["`a.u[1]` is one variable", "name elements"]);
    refused("none.toml", &scenario("", "\"a.w\" = \"b.x\"\n"), &["`a.w`", "array of 2 elements"]);
    let values = |set: &str| scenario(&format!("set = {{ {set} }}\n"), "\"a.u\" = \"b.x\"\n");
    refused("more.toml", &values("A = [[1, 0, 0], [0, 1, 0]]"), &["no variable `A[1,3]`"]);
    refused("empty.toml", &values("A = []"), &["`A` is an empty array"]);
    let few = ssd("1", "").replace("2 0.5 0.25 1", "2 0.5 0.25");
    refused("few.ssd", &few, &["`A` has 3 values for dimensions 2 × 2"]);
    // A list of nothing for more elements than there is memory for, and none.
    let none = few.replace("2 0.5 0.25", "").replacen(
        "<ssc:Dimension size=\"2\"/><ssc:Dimension size=\"2\"/></ssv:Parameter>",
        "<ssc:Dimension size=\"4294967295\"/><ssc:Dimension size=\"0\"/></ssv:Parameter>",
        1,
    );
    refused("none.ssd", &none, &["`A` has 0 values for dimensions 4294967295 × 0"]);
    let other = ssd("1", "<ssc:Dimension size=\"2\"/><ssc:Dimension size=\"3\"/>");
    refused("other.ssd", &other, &["connector `a.A` has the dimensions 2 × 3, but 2 × 2 in the FMU"]);
    refused("index.ssd", &ssd("4", "<ssc:Dimension/><ssc:Dimension/>"), &["x[4]"]);
}
