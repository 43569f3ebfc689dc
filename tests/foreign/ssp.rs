//! System structures as other tools write them.

use std::io::Write;
use std::path::Path;
use std::process::Command;

use zip::write::{SimpleFileOptions, ZipWriter};

use crate::make;
use crate::run::{Left, macrostep};

const NAMESPACES: &str = r#"xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" xmlns:ssm="http://ssp-standard.org/SSP1/SystemStructureParameterMapping" xmlns:oms="https://raw.githubusercontent.com/OpenModelica/OMSimulator/master/schema/oms.xsd""#;

/// A description around what stands in its system.
pub(super) fn description(system: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<ssd:SystemStructureDescription {NAMESPACES} name=\"pair\" version=\"1.0\">\n<ssd:System name=\"root\">\n{system}\n</ssd:System>\n<ssd:DefaultExperiment startTime=\"0\" stopTime=\"1\"/>\n</ssd:SystemStructureDescription>\n"
    )
}

/// A component that asks for an FMU of the program's own.
fn component(name: &str, fmu: &str, inside: &str) -> String {
    format!(
        "<ssd:Component name=\"{name}\" type=\"application/x-fmu-sharedlibrary\" source=\"embedded:{fmu}\">{inside}</ssd:Component>"
    )
}

fn connection((a, y): (&str, &str), (b, u): (&str, &str)) -> String {
    format!("<ssd:Connection startElement=\"{a}\" startConnector=\"{y}\" endElement=\"{b}\" endConnector=\"{u}\"/>\n")
}

fn connectors(list: &[(&str, &str)]) -> String {
    let each = |(name, kind): &(&str, &str)| {
        format!("<ssd:Connector name=\"{name}\" kind=\"{kind}\"><ssc:Real/></ssd:Connector>")
    };
    format!("<ssd:Connectors>{}</ssd:Connectors>", list.iter().map(each).collect::<String>())
}

/// Values of reals at an element.
pub(super) fn values(list: &[(&str, &str)]) -> String {
    let each = |(name, value): &(&str, &str)| {
        format!("<ssv:Parameter name=\"{name}\"><ssv:Real value=\"{value}\"/></ssv:Parameter>\n")
    };
    let list: String = list.iter().map(each).collect();
    format!(
        "<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version=\"1.0\" name=\"p\"><ssv:Parameters>\n{list}</ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings>"
    )
}

/// OMSimulator's way to say how a system is stepped.
pub(super) fn stepped(step: &str) -> String {
    format!(
        "<ssd:Annotations><ssc:Annotation type=\"org.openmodelica\"><oms:Annotations><oms:SimulationInformation><oms:FixedStepMaster description=\"oms-ma\" stepSize=\"{step}\" absoluteTolerance=\"0.0001\" relativeTolerance=\"0.0001\"/></oms:SimulationInformation></oms:Annotations></ssc:Annotation></ssd:Annotations>"
    )
}

/// The pair of masses, coupled as force and displacement.
fn pair(bindings: &str) -> String {
    let masses = component("mass1", "oscillator1_displacement", "") + &component("mass2", "oscillator2_force", "");
    let wires = connection(("mass2", "x"), ("mass1", "xi"))
        + &connection(("mass2", "v"), ("mass1", "xi_dot"))
        + &connection(("mass1", "f_c"), ("mass2", "f"));
    format!(
        "{bindings}<ssd:Elements>{masses}</ssd:Elements><ssd:Connections>{wires}</ssd:Connections>{}",
        stepped("0.001")
    )
}

/// The same with the second mass in a system of its own, written as OMSimulator exports it: the system's own connectors have an
/// empty element.
fn nested() -> String {
    let own = connectors(&[("x", "output"), ("v", "output"), ("force", "input"), ("stiffness", "parameter")]);
    let inner = connection(("", "force"), ("mass2", "f"))
        + &connection(("mass2", "x"), ("", "x"))
        + &connection(("mass2", "v"), ("", "v"))
        + &connection(("", "stiffness"), ("mass2", "k"));
    let mass2 =
        component("mass2", "oscillator2_force", &connectors(&[("k", "parameter"), ("f", "input"), ("x", "output")]));
    let sub = format!(
        "<ssd:System name=\"sub\">{own}<ssd:Elements>{mass2}</ssd:Elements>\n<ssd:Connections>{inner}</ssd:Connections></ssd:System>"
    );
    let wires = connection(("sub", "x"), ("mass1", "xi"))
        + &connection(("sub", "v"), ("mass1", "xi_dot"))
        + &connection(("mass1", "f_c"), ("sub", "force"));
    format!(
        "{}<ssd:Elements>{}{sub}</ssd:Elements>\n<ssd:Connections>{wires}</ssd:Connections>{}",
        values(&[("sub.stiffness", "3.5")]),
        component("mass1", "oscillator1_displacement", ""),
        stepped("0.001")
    )
}

pub(super) fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("written");
}

/// Last values of the run by name.
pub(super) fn finals(left: &Left) -> serde_json::Value {
    assert_eq!(left.code, Some(0), "{}", left.stderr);
    serde_json::from_str::<serde_json::Value>(&left.stdout).expect("JSON")["final"].clone()
}

pub(super) fn run(folder: &Path, file: &str) -> Left {
    macrostep(folder, &["run", file, "--json"])
}

fn refused(folder: &Path, text: &str, expected: &str) {
    write(folder, "s.ssd", text);
    let left = run(folder, "s.ssd");
    assert_eq!(left.code, Some(1), "{expected}: {left:#?}");
    assert!(left.stderr.contains(expected), "{expected}\n---\n{}", left.stderr);
}

#[test]
fn systems_whose_own_connectors_have_an_empty_element_are_coupled() {
    let folder = make::folder("foreign-ssp-nested");
    write(&folder, "flat.toml", include_str!("../cases/foreign/outer-connectors.toml"));
    write(&folder, "nested.ssd", &description(&nested()));
    let (expected, left) = (finals(&run(&folder, "flat.toml")), run(&folder, "nested.ssd"));
    let found = finals(&left);
    for name in ["x", "v"] {
        assert_eq!(found["mass1.".to_owned() + name], expected["mass1.".to_owned() + name]);
        assert_eq!(found[format!("sub/mass2.{name}")], expected[format!("mass2.{name}")]);
        assert!(expected[format!("mass2.{name}")].is_number(), "{expected}");
    }
    assert!(!left.stderr.contains("has no source"), "{}", left.stderr);
    assert!(!left.stderr.contains("warning"), "{}", left.stderr);
}

#[test]
fn a_connection_that_ends_nowhere_is_an_error() {
    let folder = make::folder("foreign-ssp-nowhere");
    for (from, to, expected) in [
        (
            "startElement=\"sub\" startConnector=\"v\"",
            "startElement=\"sup\" startConnector=\"v\"",
            "s.ssd:13: a connection to an element `sup`, which this system does not have; it has `mass1`, `sub`",
        ),
        (
            "startConnector=\"x\" endElement=\"mass1\"",
            "startConnector=\"y\" endElement=\"mass1\"",
            "s.ssd:12: a connection from `y`, which is not a connector of system `sub`; correct the name",
        ),
        (
            "endElement=\"\" endConnector=\"v\"",
            "endElement=\"\" endConnector=\"w\"",
            "s.ssd:9: a connection to `w`, which is not a connector of system `sub`",
        ),
    ] {
        let text = nested();
        assert!(text.contains(from), "{from}");
        refused(&folder, &description(&text.replacen(from, to, 1)), expected);
    }
}

#[test]
fn an_input_whose_value_is_given_at_the_system_is_not_called_without_one() {
    let folder = make::folder("foreign-ssp-given");
    let system = |bindings: &str| {
        let own = connectors(&[("load", "input")]);
        let mass = component("mass2", "oscillator2_force", "");
        let wire = connection(("", "load"), ("mass2", "f"));
        description(&format!(
            "{own}{bindings}<ssd:Elements>{mass}</ssd:Elements><ssd:Connections>{wire}</ssd:Connections>"
        ))
    };
    write(&folder, "given.ssd", &system(&values(&[("load", "2.0")])));
    write(&folder, "free.ssd", &system(""));
    let (given, free) = (run(&folder, "given.ssd"), run(&folder, "free.ssd"));
    assert_ne!(finals(&given)["mass2.x"], finals(&free)["mass2.x"]);
    let text = "`mass2.f` is connected to `load`, which has no source; the input keeps its start value";
    assert!(free.stderr.contains(text) && !given.stderr.contains(text), "{} {}", free.stderr, given.stderr);
}

/// SSP: a value for which there is no parameter is passed over. What a scenario in TOML sets must be there.
#[test]
fn parameters_a_component_lacks_are_passed_over_with_one_note() {
    let folder = make::folder("foreign-ssp-lacks");
    write(
        &folder,
        "s.ssd",
        &description(&pair(&values(&[("mass2.k", "3.5"), ("mass2.nope", "1"), ("mass1.never", "2")]))),
    );
    write(&folder, "t.ssd", &description(&pair(&values(&[("mass2.k", "3.5")]))));
    let left = run(&folder, "s.ssd");
    assert_eq!(finals(&left), finals(&run(&folder, "t.ssd")));
    let text = "2 of the parameters are not variables of their FMUs: `mass1.never`, `mass2.nope`; SSP demands that they are ignored";
    assert!(left.stderr.contains(text), "{text}\n{}", left.stderr);
    // The scenario that is left behind runs, and so does what is converted.
    let out = macrostep(&folder, &["run", "s.ssd", "--out", "out", "--no-pictures"]);
    assert_eq!(out.code, Some(0), "{}", out.stderr);
    assert_eq!(finals(&run(&folder, "out/scenario.toml")), finals(&left));
    assert_eq!(macrostep(&folder, &["convert", "s.ssd", "c.toml"]).code, Some(0));
    assert_eq!(finals(&run(&folder, "c.toml")), finals(&left));
    let set = macrostep(&folder, &["run", "s.ssd", "--set", "mass2.nope=1"]);
    assert_eq!(set.code, Some(1), "{}", set.stderr);
}

#[test]
fn two_values_for_one_parameter_are_told_and_the_connection_wins() {
    let folder = make::folder("foreign-ssp-two");
    let system = |list: &[(&str, &str)]| {
        let own = connectors(&[("stiffness", "parameter")]);
        let mass = component("mass2", "oscillator2_force", &connectors(&[("k", "parameter")]));
        let wire = connection(("", "stiffness"), ("mass2", "k"));
        description(&format!(
            "{own}{}<ssd:Elements>{mass}</ssd:Elements><ssd:Connections>{wire}</ssd:Connections>",
            values(list)
        ))
    };
    write(&folder, "one.ssd", &system(&[("stiffness", "30")]));
    write(&folder, "other.ssd", &system(&[("mass2.k", "10")]));
    write(&folder, "both.ssd", &system(&[("stiffness", "30"), ("mass2.k", "10")]));
    let both = run(&folder, "both.ssd");
    assert_eq!(finals(&both), finals(&run(&folder, "one.ssd")));
    assert_ne!(finals(&both), finals(&run(&folder, "other.ssd")));
    let expected = "`mass2.k` has two values: 30.0 through a connection of parameters, and 10.0 in line 6; the one through the connection is used";
    assert!(both.stderr.contains(expected), "{expected}\n{}", both.stderr);
}

/// An FMU with an enumeration of two items, which shows as `x` what it was set to.
fn switch() -> Vec<u8> {
    let types = "<TypeDefinitions><SimpleType name=\"Mode\"><Enumeration><Item name=\"none\" value=\"0\"/><Item name=\"off\" value=\"1\"/><Item name=\"on\" value=\"2\"/><Item name=\"full\" value=\"30\"/></Enumeration></SimpleType></TypeDefinitions>\n  <DefaultExperiment";
    let input = "<ModelVariables><ScalarVariable name=\"mode\" valueReference=\"7\" causality=\"input\" variability=\"discrete\"><Enumeration declaredType=\"Mode\" start=\"1\"/></ScalarVariable>";
    let xml = make::replaced("<DefaultExperiment", types).replace("<ModelVariables>", input);
    // One variable more stands before the others.
    let xml = xml.replace("index=\"3\"", "index=\"4\"").replace("index=\"2\"", "index=\"3\"");
    make::fmu(&xml, &[("AT_EVERY_STEP", "s->u = 0, s->x = s->m")])
}

#[test]
fn integers_go_into_enumerations_whose_items_they_are() {
    let folder = make::folder("foreign-ssp-enumeration");
    std::fs::write(folder.join("count.fmu"), make::fmu(make::XML, &[])).expect("written");
    std::fs::write(folder.join("switch.fmu"), switch()).expect("written");
    let system = |inside: &str| {
        let each = |n: &str| format!("<ssd:Component name=\"{n}\" source=\"{n}.fmu\"/>");
        description(&format!(
            "<ssd:Elements>{}{}</ssd:Elements><ssd:Connections>\n<ssd:Connection startElement=\"count\" startConnector=\"steps\" endElement=\"switch\" endConnector=\"mode\">{inside}</ssd:Connection></ssd:Connections>",
            each("count"),
            each("switch")
        ))
    };
    let mapping = |lines: &[(u32, u32)]| {
        let lines: String =
            lines.iter().map(|(a, b)| format!("<ssc:MapEntry source=\"{a}\" target=\"{b}\"/>")).collect();
        format!("<ssc:IntegerMappingTransformation>{lines}</ssc:IntegerMappingTransformation>")
    };
    let go = |text: &str, stop: &str| {
        write(&folder, "s.ssd", text);
        macrostep(&folder, &["run", "s.ssd", "--step", "0.1", "--stop", stop, "--json"])
    };
    // In its second step it has what was counted after the first.
    let plain = go(&system(""), "0.2");
    assert_eq!(finals(&plain)["switch.x"], 1.0, "{}", plain.stderr);
    let far = go(&system(""), "1.0");
    assert_eq!(far.code, Some(1), "{far:#?}");
    assert!(
        far.stderr.contains("3 of `steps`") && far.stderr.contains("`switch.mode` takes 0, 1, 2, 30"),
        "{}",
        far.stderr
    );
    let mapped = go(&system(&mapping(&[(0, 1), (1, 30), (2, 2)])), "0.2");
    assert_eq!(finals(&mapped)["switch.x"], 30.0, "{}", mapped.stderr);
    let wrong = go(&system(&mapping(&[(0, 1), (1, 31), (2, 2)])), "0.2");
    let says = "31 in the table for `mode`, expected one of `none` (0), `off` (1), `on` (2), `full` (30)";
    assert!(wrong.code == Some(1) && wrong.stderr.contains(says), "{wrong:#?}");
}

#[test]
fn macro_steps_of_other_tools_are_taken_and_told() {
    let folder = make::folder("foreign-ssp-steps");
    let osp = "<ssd:DefaultExperiment startTime=\"0\" stopTime=\"1\"><ssd:Annotations><ssc:Annotation type=\"com.opensimulationplatform\"><osp:Algorithm xmlns:osp=\"http://opensimulationplatform.com/SSP/OSPAnnotations\"><osp:FixedStepAlgorithm baseStepSize=\"2e-3\"/></osp:Algorithm></ssc:Annotation></ssd:Annotations></ssd:DefaultExperiment>";
    let text = description(&pair(""));
    write(&folder, "oms.ssd", &text.replace("stepSize=\"0.001\"", "stepSize=\"0.004\""));
    write(&folder, "osp.ssd", &text.replace("<ssd:DefaultExperiment startTime=\"0\" stopTime=\"1\"/>", osp));
    for (file, step, from) in [
        ("oms.ssd", "0.004", "FixedStepMaster stepSize` of the annotation `org.openmodelica"),
        ("osp.ssd", "0.002", "FixedStepAlgorithm baseStepSize` of the annotation `com.opensimulationplatform"),
    ] {
        let left = run(&folder, file);
        let same = macrostep(&folder, &["run", file, "--step", step, "--json"]);
        assert_eq!(finals(&left), finals(&same));
        assert!(left.stderr.contains(&format!("macro step {step} s, from `{from}`")), "{}", left.stderr);
        assert!(!left.stderr.contains("effect on a run"), "{}", left.stderr);
    }
    assert_ne!(finals(&run(&folder, "oms.ssd")), finals(&run(&folder, "osp.ssd")));
    refused(
        &folder,
        &text.replace("stepSize=\"0.001\"", "stepSize=\"-1\""),
        "`stepSize` of `FixedStepMaster` is -1, expected a time above 0",
    );
}

#[test]
fn namespaces_and_versions() {
    let folder = make::folder("foreign-ssp-namespace");
    let text = description(&pair(""));
    let other = text
        .replace("xmlns:ssd=\"http://ssp-standard.org/SSP1/SystemStructureDescription\"", "xmlns:ssd=\"urn:other\"");
    refused(
        &folder,
        &other,
        "s.ssd:2: `SystemStructureDescription` of the namespace `urn:other`, expected one that begins with `http://ssp-standard.org/SSP`",
    );
    // What SSP 2.0 adds.
    let new = text
        .replace("version=\"1.0\">\n<ssd:System", "version=\"2.0\">\n<ssd:System")
        .replace("<ssd:Elements>", "<ssd:Connectors><ssd:Connector name=\"c\"><ssc:Float64 unit=\"m\"/></ssd:Connector></ssd:Connectors><ssd:Elements>")
        .replace("</ssd:System>\n", "</ssd:System>\n<ssc:MetaData kind=\"general\" type=\"text/plain\"/>\n");
    write(&folder, "s.ssd", &text);
    write(&folder, "new.ssd", &new);
    let left = run(&folder, "new.ssd");
    assert_eq!(finals(&left), finals(&run(&folder, "s.ssd")));
    assert!(!left.stderr.contains("warning"), "{}", left.stderr);
    assert!(left.stderr.contains("MetaData (of SSP 2.0) has no effect on a run"), "{}", left.stderr);
}

/// An archive of these entries.
fn archive(path: &Path, entries: &[(&str, &[u8])]) {
    std::fs::write(path, make::archive(entries)).expect("written");
}

#[test]
fn archives_are_bounded_before_they_are_unpacked() {
    let folder = make::folder("foreign-ssp-bomb");
    let text = description(&pair(""));
    let mut zip = ZipWriter::new(std::fs::File::create(folder.join("bomb.ssp")).expect("a file"));
    let options = SimpleFileOptions::default();
    zip.start_file("SystemStructure.ssd", options).expect("an entry");
    zip.write_all(text.as_bytes()).expect("its bytes");
    zip.start_file("resources/zeros.bin", options).expect("an entry");
    (0..40).for_each(|_| zip.write_all(&vec![0; 1 << 20]).expect("its bytes"));
    zip.finish().expect("the archive");
    let left = run(&folder, "bomb.ssp");
    assert_eq!(left.code, Some(1));
    let error = left.error();
    assert!(
        error.contains("bomb.ssp: archive entry `resources/zeros.bin`: found 41943040 bytes packed into"),
        "{error}"
    );
    assert!(error.contains("expected at most 100 to 1"), "{error}");
    // The same in an archive inside.
    let inner = std::fs::read(folder.join("bomb.ssp")).expect("the archive");
    let outer = description(
        "<ssd:Elements><ssd:Component name=\"c\" type=\"application/x-ssp-package\" source=\"bomb.ssp\"/></ssd:Elements>",
    );
    archive(&folder.join("outer.ssp"), &[("SystemStructure.ssd", outer.as_bytes()), ("bomb.ssp", &inner)]);
    let error = run(&folder, "outer.ssp").error();
    assert!(error.contains("resources/zeros.bin"), "{error}");
    // An FMU that is not packed goes by its entry.
    let lost = text.replacen("embedded:oscillator2_force", "resources/lost.fmu", 1);
    archive(&folder.join("lost.ssp"), &[("SystemStructure.ssd", lost.as_bytes())]);
    let error = run(&folder, "lost.ssp").error();
    let expected = "error: lost.ssp/SystemStructure.ssd:4: unit `mass2`: FMU `resources/lost.fmu`: No such file";
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn a_system_in_itself_is_told_once() {
    let folder = make::folder("foreign-ssp-itself");
    let inside = |source: &str| {
        description(&format!(
            "<ssd:Elements>\n<ssd:Component name=\"c\" type=\"application/x-ssp-definition\" source=\"{source}\"/></ssd:Elements>"
        ))
    };
    refused(&folder, &inside("s.ssd"), "error: s.ssd:5: `s.ssd` contains itself; remove this component");
    write(&folder, "b.ssd", &inside("s.ssd"));
    refused(&folder, &inside("b.ssd"), "error: s.ssd/b.ssd:5: `s.ssd` contains itself");
    refused(
        &folder,
        &description("<ssd:Elements/>"),
        "s.ssd:3: a system without components, expected at least one FMU",
    );
}

#[test]
fn many_messages_of_one_kind_are_one_line() {
    let folder = make::folder("foreign-ssp-many");
    let names: Vec<String> = (0..200).map(|i| format!("unknown{i}")).collect();
    let list: Vec<(&str, &str)> = names.iter().map(|n| (n.as_str(), "1")).collect();
    let geometry = "<ssd:ElementGeometry x1=\"0\" y1=\"0\" x2=\"1\" y2=\"1\"/>";
    let text = pair(&values(&list)).replace("</ssd:Component>", &format!("{geometry}</ssd:Component>"));
    let foreign = "<ssd:Annotations><ssc:Annotation type=\"com.example\"><a/></ssc:Annotation><ssc:Annotation type=\"com.example\"/></ssd:Annotations></ssd:SystemStructureDescription>";
    write(&folder, "s.ssd", &description(&text).replace("</ssd:SystemStructureDescription>", foreign));
    let left = run(&folder, "s.ssd");
    let lines = |text: &str, part: &str| text.lines().filter(|l| l.contains(part)).count();
    assert_eq!(lines(&left.stderr, "belongs to no component"), 1, "{}", left.stderr);
    assert!(
        left.stderr.contains("`unknown0` belongs to no component; it is left out (and 199 more of this kind"),
        "{}",
        left.stderr
    );
    assert_eq!(lines(&left.stderr, "com.example"), 1, "{}", left.stderr);
    assert!(left.stderr.contains("annotation `com.example` (2, first here) has no effect on a run"), "{}", left.stderr);
    assert!(
        left.stderr.contains("note: s.ssd") && left.stderr.contains("ElementGeometry (2, first here)"),
        "{}",
        left.stderr
    );
    let all = macrostep(&folder, &["explain", "s.ssd", "--no-run"]);
    assert_eq!(lines(&all.stderr, "belongs to no component"), 200, "{}", all.stderr);
}

/// What OMSimulator and libcosim need to open a system.
#[test]
fn what_is_written_opens_elsewhere() {
    let folder = make::folder("foreign-ssp-written");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/systems/oscillator-f-s.toml");
    let example = example.to_str().expect("UTF-8");
    let left = macrostep(&folder, &["convert", example, "a.ssd"]);
    assert_eq!(left.code, Some(0), "{}", left.stderr);
    assert!(left.stderr.contains("the method (jacobi, linear, explicit) has no element in SSP"), "{}", left.stderr);
    let says = "`mass1.integrator` and 1 more: libcosim and ecos do not support enumerations";
    assert!(left.stderr.contains(says), "{}", left.stderr);
    let text = std::fs::read_to_string(folder.join("a.ssd")).expect("the description");
    for expected in [
        "name=\"two_masses_force_to_displacement\" generationTool",
        "<ssd:System name=\"two_masses_force_to_displacement\" description=\"two masses, force to displacement\">",
        "type=\"application/x-fmu-sharedlibrary\"",
        "<ssv:Integer value=\"3\"/>",
        "<ssc:Annotation type=\"org.openmodelica\">",
        "<oms:FixedStepMaster description=\"oms-ma\" stepSize=\"0.001\"",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    assert!(!text.contains("Enumeration"), "{text}");
    assert_eq!(text.matches("<ssd:Annotations>").count(), 1);
    // Theirs is the first, and both stand in the system.
    let (theirs, ours, end) =
        (text.find("org.openmodelica"), text.find("type=\"macrostep\""), text.find("</ssd:System>"));
    assert!(theirs < ours && ours < end, "{text}");
    let left = macrostep(&folder, &["convert", "a.ssd", "b.toml"]);
    assert_eq!(left.stderr, "", "{}", left.stderr);
    let back = std::fs::read_to_string(folder.join("b.toml")).expect("the scenario");
    assert!(back.contains("name = \"two masses, force to displacement\""), "{back}");
}

#[test]
#[cfg(unix)]
fn a_full_disk_leaves_no_half_of_a_file() {
    let folder = make::folder("foreign-ssp-full");
    // Each file in the FMU is smaller than what a file may be here; the archive is not.
    let noise = |seed: u32| {
        let mut x = seed;
        let mut next = || {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (x >> 24) as u8
        };
        (0..30_000).map(|_| next()).collect::<Vec<u8>>()
    };
    let (library, data): (Vec<u8>, Vec<Vec<u8>>) = (make::library(&[]), (1..6).map(noise).collect());
    let names: Vec<String> = (0..data.len()).map(|i| format!("resources/{i}.bin")).collect();
    let mut entries = vec![("modelDescription.xml", make::XML.as_bytes()), (make::LIBRARY, library.as_slice())];
    entries.extend(names.iter().zip(&data).map(|(name, bytes)| (name.as_str(), bytes.as_slice())));
    archive(&folder.join("a.fmu"), &entries);
    write(&folder, "a.toml", "[units.a]\nfmu = \"a.fmu\"\n");
    write(&folder, "old.ssp", "what was there");
    for name in ["new.ssp", "old.ssp"] {
        // Files may not grow beyond 128 blocks of 512 bytes.
        let command = "trap '' XFSZ; ulimit -f 128; exec \"$0\" convert a.toml \"$1\"";
        let output = Command::new("sh")
            .args(["-c", command, env!("CARGO_BIN_EXE_macrostep")])
            .arg(name)
            .current_dir(&folder)
            .output()
            .expect("it starts");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{told}");
        let errors: Vec<&str> =
            told.lines().filter(|l| !l.starts_with("warning: ") && !l.starts_with("note: ")).collect();
        assert_eq!(errors.len(), 1, "{told}");
        assert!(errors[0].starts_with(&format!("error: `{name}`: File too large")), "{told}");
    }
    let mut left: Vec<_> = std::fs::read_dir(&folder).expect("the folder").flatten().map(|e| e.file_name()).collect();
    left.sort();
    assert_eq!(left, ["a.fmu", "a.toml", "old.ssp"]);
    assert_eq!(std::fs::read_to_string(folder.join("old.ssp")).expect("the file"), "what was there");
}
