//! SSP: the same system in both formats gives the same numbers; elements that are not understood are named.

use std::path::{Path, PathBuf};

use crate::run::{self, program as macrostep};
use macrostep_system::{Severity, ssp, toml};

fn done(arguments: &[&str]) -> (String, String) {
    let output = run::done(arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
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
    let folder = crate::common::folder(module_path!()).join(name);
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
            // What a run leaves runs again, the archive it came from gone.
            let out = folder.join("out");
            let _ = std::fs::remove_dir_all(&out);
            let moved = path.with_extension("moved");
            done(&["run", str(&path), "--out", str(&out), "--no-pictures"]);
            if path.extension().is_some_and(|e| e == "ssp") {
                std::fs::rename(&path, &moved).expect("moved");
            }
            assert_eq!(finals(&out.join("scenario.toml")), expected, "{}", path.display());
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
        "system.ssd:27: ElementGeometry (1, first here) has no effect on a run; it is left out",
        "system.ssd:73: annotation `com.example.layout` (1, first here) has no effect on a run; it is left out",
        "note: ",
        "no annotation `macrostep`: Jacobi with hold, explicit",
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
            element(
                "<Component name=\"c\" source=\"a\"><Connectors>\n<Connector name=\"x\" kind=\"in\"/></Connectors></Component>",
            ),
            "s.ssd:4: connector kind `in`",
        ),
        (
            element("<Component name=\"c\" source=\"a\"/>\n<System name=\"c\"/>"),
            "s.ssd:4: a second element named `c` in one system; give each a name of its own",
        ),
        ("x".repeat(10), "s.ssd:1: the end of the file"),
        ("<a>".repeat(100_000), "s.ssd:1: 128 nested elements and one more, expected a flat file"),
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
    let text =
        element("<Component name=\"c\" source=\"a.fmu\" colour=\"red\"><Wheels/></Component>\n<Bus name=\"d\"/>")
            .replace(
                "</Elements>",
                "</Elements><Connectors><Connector name=\"z\" kind=\"input\"/></Connectors><Connections>\n<Connection startElement=\"c\" startConnector=\"y\" endElement=\"c\" \
                  endConnector=\"u\"><SplineTransformation/></Connection>\n<Connection startConnector=\"z\" \
                  endElement=\"c\" endConnector=\"w\"/></Connections>",
            );
    let document = ssp::read_ssd(text.as_bytes(), "s.ssd", Path::new(".")).expect("a system");
    let told: Vec<String> =
        document.findings.iter().filter(|f| f.severity == Severity::Warning).map(ToString::to_string).collect();
    for expected in [
        "s.ssd:3: the attribute `colour` of `Component` is not understood; it is left out",
        "s.ssd:3: `Wheels` in `Component` is not understood; it is left out",
        "s.ssd:4: the element `Bus` `d` is not understood; it is left out",
        "s.ssd:5: `SplineTransformation` in `Connection` is not understood; it is left out",
        "s.ssd:6: `c.w` is connected to `z`, which has no source; the input keeps its start value",
    ] {
        assert!(told.iter().any(|t| t == expected), "{expected}: {told:#?}");
    }
    assert_eq!(document.scenario.connections.len(), 1);
}

/// Booleans, integers and items of enumerations replaced on a connection, through a connector of a system, and back in a file.
#[test]
fn mappings_are_tables() {
    let entry = |a: &str, b: &str| format!("<MapEntry source=\"{a}\" target=\"{b}\"/>");
    let wire = |ends: &str, kind: &str, lines: &[(&str, &str)]| {
        let lines: String = lines.iter().map(|(a, b)| entry(a, b)).collect();
        format!("<Connection {ends}><{kind}MappingTransformation>{lines}</{kind}MappingTransformation></Connection>")
    };
    let inner =
        wire("startConnector=\"mode\" endElement=\"d\" endConnector=\"mode\"", "Integer", &[("10", "5"), ("20", "6")]);
    let outer = [
        wire(
            "startElement=\"c\" startConnector=\"n\" endElement=\"s\" endConnector=\"mode\"",
            "Integer",
            &[("1", "10"), ("2", "30")],
        ),
        wire(
            "startElement=\"c\" startConnector=\"b\" endElement=\"c\" endConnector=\"flag\"",
            "Boolean",
            &[("true", "false"), ("0", "1")],
        ),
        wire(
            "startElement=\"c\" startConnector=\"e\" endElement=\"c\" endConnector=\"kind\"",
            "Enumeration",
            &[("on", "off &amp; out")],
        ),
    ];
    let text = element(&format!(
        "<Component name=\"c\" source=\"a.fmu\"/><System name=\"s\"><Connectors><Connector name=\"mode\" kind=\"input\"/></Connectors>\
         <Elements><Component name=\"d\" source=\"a.fmu\"/></Elements><Connections>{inner}</Connections></System>"
    ))
    .replace("</Elements></System></SystemS", &format!("</Elements><Connections>{}</Connections></System></SystemS", outer.concat()));
    let document = ssp::read_ssd(text.as_bytes(), "s.ssd", Path::new(".")).expect("a system");
    assert!(document.findings.iter().all(|f| f.severity == Severity::Note), "{:?}", document.findings);
    let table = |input: &str| {
        let c = document.scenario.connections.iter().find(|c| c.to.to_string() == input).expect("a connection");
        c.table.iter().map(|(a, b)| format!("{a} {b}")).collect::<Vec<_>>()
    };
    // 2 becomes 30, which has no line in the second table.
    assert_eq!(table("s/d.mode"), ["1 5"]);
    assert_eq!(table("c.flag"), ["true false", "false true"]);
    assert_eq!(table("c.kind"), ["\"on\" \"off & out\""]);
    let written = toml::write(&document.scenario);
    assert_eq!(
        toml::read(&written, "s.toml", Path::new(".")).expect("a scenario").connections,
        document.scenario.connections
    );
    let empty = text.replace(&entry("on", "off &amp; out"), "");
    let error = ssp::read_ssd(empty.as_bytes(), "s.ssd", Path::new(".")).expect_err("no entry").to_string();
    assert!(error.contains("`EnumerationMappingTransformation` without a `MapEntry`"), "{error}");
}

/// The way through SSP keeps what only the annotation can say: events of a condition and the error that is asked for.
#[test]
fn events_and_the_error_stay_in_the_annotation() {
    let folder = folder("ssp-events");
    let example = std::fs::read_to_string(root().join("examples/systems/bouncing-ball.toml")).expect("the example");
    let (from, ssd, back) = (folder.join("a.toml"), folder.join("b/a.ssd"), folder.join("c/back.toml"));
    std::fs::write(&from, example.replace("step = 0.01\n", "step = 0.01\nerror = 1e-3\n")).expect("written");
    done(&["convert", str(&from), str(&ssd)]);
    done(&["convert", str(&ssd), str(&back)]);
    let read = |path: &Path| {
        let text = std::fs::read_to_string(path).expect("a scenario");
        toml::read(&text, "s.toml", Path::new(".")).expect("a scenario")
    };
    let (before, after) = (read(&from), read(&back));
    assert_eq!((before.state_events.len(), before.experiment.error), (1, Some(1e-3)));
    assert_eq!((after.state_events, after.experiment.error), (before.state_events, before.experiment.error));
}

/// A Boolean of a parameter set is the same as a word and as a digit.
#[test]
fn a_boolean_is_mapped_from_a_word_or_a_digit() {
    for (value, source) in [("true", "1"), ("true", "true"), ("1", "true"), ("1", "1")] {
        let text = element(&format!(
            "<Component name=\"c\" source=\"a.fmu\"><ParameterBindings><ParameterBinding><ParameterValues><ParameterSet version=\"1.0\" name=\"p\">\
             <Parameters><Parameter name=\"b\"><Boolean value=\"{value}\"/></Parameter></Parameters></ParameterSet></ParameterValues>\
             <ParameterMapping><ParameterMapping version=\"1.0\"><MappingEntry source=\"b\" target=\"n\"><IntegerMappingTransformation>\
             <MapEntry source=\"0\" target=\"7\"/><MapEntry source=\"{source}\" target=\"8\"/></IntegerMappingTransformation></MappingEntry>\
             </ParameterMapping></ParameterMapping></ParameterBinding></ParameterBindings></Component>"
        ));
        let document = ssp::read_ssd(text.as_bytes(), "s.ssd", Path::new(".")).expect("a system");
        let values: Vec<_> =
            document.scenario.settings("c").iter().map(|s| (s.variable.clone(), s.value.to_string())).collect();
        assert_eq!(values, [("n".to_owned(), "8".to_owned())], "{value} {source}");
    }
}

/// Signals that meet in an entry of a dictionary are connected, from whatever system.
#[test]
fn signal_dictionaries_connect() {
    let dictionary = "<SignalDictionaries><SignalDictionary name=\"bus\"><SignalDictionary><DictionaryEntry name=\"speed\"><Real unit=\"m/s\"/></DictionaryEntry></SignalDictionary></SignalDictionary></SignalDictionaries>";
    let inner = "<System name=\"s\"><Elements><Component name=\"d\" source=\"a.fmu\"/><SignalDictionaryReference name=\"here\" dictionary=\"bus\"/></Elements>\
        <Connections><Connection startElement=\"here\" startConnector=\"speed\" endElement=\"d\" endConnector=\"u\"><LinearTransformation factor=\"3\"/></Connection></Connections></System>";
    let read = |end: &str| {
        // Written against the direction of the signal: the component's connector tells.
        let text = element(&format!(
            "<Component name=\"c\" source=\"a.fmu\"><Connectors><Connector name=\"y\" kind=\"output\"/></Connectors></Component>\n\
             <SignalDictionaryReference name=\"there\" dictionary=\"bus\"/>{inner}"
        ))
        .replace(
            "</Elements></System></SystemS",
            &format!("</Elements><Connections>\n<Connection startElement=\"there\" startConnector=\"{end}\" endElement=\"c\" endConnector=\"y\"/></Connections>{dictionary}</System></SystemS"),
        );
        ssp::read_ssd(text.as_bytes(), "s.ssd", Path::new("."))
    };
    let document = read("speed").expect("a system");
    let connections: Vec<String> =
        document.scenario.connections.iter().map(|c| format!("{} = {} {}", c.to, c.factor, c.from)).collect();
    assert_eq!(connections, ["s/d.u = 3 c.y"]);
    assert!(document.findings.iter().all(|f| f.severity == Severity::Note), "{:?}", document.findings);
    let error = read("pace").expect_err("no entry").to_string();
    assert_eq!(error, "s.ssd:5: `pace` is not an entry of its signal dictionary; it has `speed`");
    let lost = element("<SignalDictionaryReference name=\"there\" dictionary=\"bus\"/>");
    let error = ssp::read_ssd(lost.as_bytes(), "s.ssd", Path::new(".")).expect_err("no dictionary").to_string();
    assert!(
        error.contains("reference `there` to the signal dictionary `bus`, which is in no system around it"),
        "{error}"
    );
}

/// Values inside a component's archive.
#[test]
fn sources_may_be_inside_the_component() {
    let folder = folder("ssp-base");
    let set = |k: &str| {
        format!(
            "<ParameterSet version=\"1.0\" name=\"p\"><Parameters><Parameter name=\"k\"><Real value=\"{k}\"/></Parameter></Parameters></ParameterSet>"
        )
    };
    let (inside, beside) = (set("7.5"), set("2.5"));
    let entry = |path: &str, text: &str| ssp::Entry { path: path.to_owned(), bytes: text.as_bytes().to_vec() };
    let file = std::fs::File::create(folder.join("a.fmu")).expect("created");
    ssp::pack(&[entry("resources/own.ssv", &inside)], file).expect("packed");
    std::fs::create_dir_all(folder.join("resources")).expect("made");
    std::fs::write(folder.join("resources/own.ssv"), beside).expect("written");
    let read = |base: &str, uri: &str| {
        let text = element(&format!(
            "<Component name=\"c\" source=\"a.fmu\"><ParameterBindings>\n<ParameterBinding source=\"{uri}\" {base}/></ParameterBindings></Component>"
        ));
        ssp::read_ssd(text.as_bytes(), "s.ssd", &folder)
    };
    let value =
        |base: &str| read(base, "resources/own.ssv").expect("a system").scenario.units[0].settings[0].value.to_string();
    assert_eq!(value("sourceBase=\"component\""), "7.5");
    assert_eq!(value("sourceBase=\"SSD\""), "2.5");
    assert_eq!(value(""), "2.5");
    let told = read("sourceBase=\"FMU\"", "resources/own.ssv").expect("a system").findings;
    assert!(
        told.iter().any(|f| f.to_string().starts_with("s.ssd:4: `sourceBase` is `FMU`, expected `SSD` or `component`"))
    );
    for (uri, expected) in [
        ("own.ssv", "s.ssd:4: `own.ssv`: in `a.fmu`: "),
        ("../own.ssv", "s.ssd:4: `../own.ssv`: in `a.fmu`: it leads out"),
    ] {
        let error = read("sourceBase=\"component\"", uri).expect_err(uri).to_string();
        assert!(error.starts_with(expected), "{error}");
    }
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
