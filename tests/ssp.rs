//! SSP: the same system in both formats gives the same numbers; what is not understood is named.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use macrostep_system::{Severity, ssp};

fn macrostep(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_macrostep")).args(arguments).output().expect("the program starts")
}

fn done(arguments: &[&str]) -> (String, String) {
    let output = macrostep(arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

fn finals(path: &Path) -> serde_json::Value {
    let (out, _) = done(&["run", str(path), "--json"]);
    serde_json::from_str::<serde_json::Value>(&out).expect("JSON")["final"].clone()
}

fn str(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// An empty folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("made");
    folder
}

#[test]
fn every_example_runs_the_same_in_every_format() {
    for name in ["oscillator-f-s", "oscillator-s-s", "oscillator-f-f"] {
        let folder = folder(&format!("ssp-{name}"));
        let original = root().join(format!("examples/systems/{name}.toml"));
        let expected = finals(&original);
        let (ssp, ssd, back) = (folder.join("a.ssp"), folder.join("b/a.ssd"), folder.join("c/back.toml"));
        done(&["convert", str(&original), str(&ssp)]);
        done(&["convert", str(&ssp), str(&ssd)]);
        done(&["convert", str(&ssd), str(&back)]);
        for path in [ssp, ssd, back] {
            assert_eq!(finals(&path), expected, "{}", path.display());
        }
    }
}

/// Nested systems, connectors of systems, transformations composed, values and mappings in files, and no annotation.
#[test]
fn nested_systems_are_made_flat() {
    let folder = folder("ssp-nested");
    done(&["fmus", "--out", str(&folder.join("resources"))]);
    let case = root().join("tests/cases/nested");
    for name in ["system.ssd", "stiffness.ssv", "stiffness.ssm"] {
        std::fs::copy(case.join(name), folder.join(name)).expect("copied");
    }
    let (_, told) = done(&["run", str(&folder.join("system.ssd"))]);
    for expected in [
        "system.ssd/stiffness.ssv:6: parameter `colour` is not in the mapping; it is not applied",
        "system.ssd:27: ElementGeometry (1, first here) means nothing to a run; it is left out",
        "system.ssd:73: annotation `com.example.layout` is not understood; it is left out",
        "note: ",
        "no annotation of ours: Jacobi with hold, explicit",
        "no macro step: 0.001 s, the smallest the FMUs propose",
    ] {
        assert!(told.contains(expected), "{expected}\n---\n{told}");
    }
    assert_eq!(finals(&folder.join("system.ssd")), finals(&case.join("same.toml")));
}

const HEAD: &str = "<SystemStructureDescription version=\"1.0\" name=\"a\">";

/// Mistakes have the line, and nothing is dropped in silence.
#[test]
fn mistakes_have_a_line() {
    for (text, expected) in [
        ("<a/>".to_owned(), "s.ssd:1: `a`, expected `SystemStructureDescription`; is this an SSD file?"),
        ("<!DOCTYPE a [<!ENTITY b \"c\">]><a/>".to_owned(), "s.ssd:1: a document type"),
        (format!("{HEAD}\n</SystemStructureDescription>"), "s.ssd:1: a description without a `System`; add one"),
        (format!("{HEAD}\n<System>"), "s.ssd:2: the end of the file"),
        (format!("{HEAD}\n<System name=\"s\"><Elements>\n<Component name=\"c\"/>"), "s.ssd:3: the end of the file"),
        (element("<Component name=\"c\"/>"), "s.ssd:3: `Component` without `source`"),
        (
            element("<Component name=\"c\" source=\"https://a.example/b.fmu\"/>"),
            "s.ssd:3: source `https://a.example/b.fmu`, expected a path",
        ),
        (
            element("<Component name=\"c\" source=\"a\" type=\"text/plain\"/>"),
            "s.ssd:3: component `c` of type `text/plain`",
        ),
        (
            element("<Component name=\"c\" source=\"a\" implementation=\"ModelExchange\"/>"),
            "s.ssd:3: component `c` asks for model exchange",
        ),
        (
            element(
                "<Component name=\"c\" source=\"a\"><Connectors>\n<Connector name=\"x\" kind=\"in\"/></Connectors></Component>",
            ),
            "s.ssd:4: connector kind `in`",
        ),
        ("x".repeat(10), "s.ssd:1: the end of the file"),
        ("<a>".repeat(100_000), "s.ssd:1: more than 128 nested elements"),
    ] {
        let error = ssp::read_ssd(text.as_bytes(), "s.ssd", Path::new(".")).expect_err(&text).to_string();
        assert!(error.starts_with(expected), "{}: {error}", text.chars().take(100).collect::<String>());
    }
}

fn element(text: &str) -> String {
    format!("{HEAD}\n<System name=\"s\"><Elements>\n{text}</Elements></System></SystemStructureDescription>")
}

#[test]
fn unknown_parts_are_named() {
    let text = element("<Component name=\"c\" source=\"a.fmu\" colour=\"red\"><Wheels/></Component>\n<SignalDictionaryReference name=\"d\"/>")
        .replace("</Elements>", "</Elements><Connections>\n<Connection startElement=\"c\" startConnector=\"y\" endElement=\"c\" \
                  endConnector=\"u\"><BooleanMappingTransformation/></Connection>\n<Connection startConnector=\"z\" \
                  endElement=\"c\" endConnector=\"w\"/></Connections>");
    let document = ssp::read_ssd(text.as_bytes(), "s.ssd", Path::new(".")).expect("a system");
    let told: Vec<String> =
        document.findings.iter().filter(|f| f.severity == Severity::Warning).map(ToString::to_string).collect();
    for expected in [
        "s.ssd:3: the attribute `colour` of `Component` is not understood; it is left out",
        "s.ssd:3: `Wheels` in `Component` is not understood; it is left out",
        "s.ssd:4: the element `SignalDictionaryReference` `d` is not understood; it is left out",
        "s.ssd:5: `BooleanMappingTransformation` in `Connection` is not understood; it is left out",
        "s.ssd:6: `c.w` is fed by `z`, which has no source; the input keeps its start value",
    ] {
        assert!(told.iter().any(|t| t == expected), "{expected}: {told:#?}");
    }
    assert_eq!(document.scenario.connections.len(), 1);
}

/// Connectors that contradict the FMU.
#[test]
fn connectors_are_compared_with_the_fmu() {
    let folder = folder("ssp-connectors");
    let text = element(
        "<Component name=\"c\" source=\"embedded:coupling\"><Connectors>\n<Connector name=\"x1\" kind=\"output\"/>\n\
         <Connector name=\"f\" kind=\"output\"><Integer/></Connector>\n<Connector name=\"v1\" kind=\"input\"><Real unit=\"km\"/>\
         </Connector>\n<Connector name=\"nope\" kind=\"input\"/></Connectors></Component>",
    );
    let path = folder.join("s.ssd");
    std::fs::write(&path, text).expect("written");
    let output = macrostep(&["run", str(&path)]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    for expected in [
        "s.ssd:4: connector `c.x1` is of kind `output`, but an input in the FMU; correct the kind",
        "s.ssd:5: connector `c.f` is of type `Integer`, but a Real in the FMU; correct the type",
        "s.ssd:6: connector `c.v1` is in `km`, the variable of the FMU in `m/s`; the FMU's unit is used",
        "s.ssd:7: connector `nope` of `c`: the FMU has no such variable; the nearest are",
    ] {
        assert!(told.contains(expected), "{expected}\n---\n{told}");
    }
}

/// The archive is the same whenever it is made.
#[test]
fn archives_are_reproducible() {
    let folder = folder("ssp-same");
    let original = root().join("examples/systems/oscillator-f-s.toml");
    let bytes = |name: &str| {
        let path = folder.join(name);
        done(&["convert", str(&original), str(&path)]);
        std::fs::read(path).expect("an archive")
    };
    assert!(bytes("a.ssp") == bytes("b.ssp"));
}
