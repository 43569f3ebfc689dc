//! What `convert` writes for other tools, and what it says of them.

use super::ssp::{finals, write};
use crate::make;
use crate::run::macrostep;
use std::io::Read;
use std::path::Path;

/// A file of an archive as text.
fn file(archive: &Path, name: &str) -> Option<String> {
    let archive = std::fs::File::open(archive).expect("the archive");
    let mut archive = zip::ZipArchive::new(archive).expect("an archive");
    let mut text = String::new();
    archive.by_name(name).ok()?.read_to_string(&mut text).expect(name);
    Some(text)
}

/// Two FMUs of a displacement in m and a force in N, of which the second takes a number, a flag and a text.
fn masses(folder: &Path) {
    let units = "<Unit name=\"mm\"><BaseUnit m=\"1\" factor=\"0.001\"/></Unit><Unit name=\"N\"><BaseUnit kg=\"1\" m=\"1\" s=\"-2\"/></Unit><Unit name=\"m\">";
    for (name, unit) in [("a", "m"), ("b", "N")] {
        let input = format!("<Real start=\"1\" unit=\"{unit}\"/>");
        let xml = make::XML.replace("<Unit name=\"m\">", units).replace("<Real start=\"1\"/>", &input);
        std::fs::write(folder.join(format!("{name}.fmu")), make::fmu(&xml, &[])).expect("written");
    }
}

const SYSTEM: &str = include_str!("../cases/foreign/written-as-ssp.toml");

/// Each component has the values it has in the end, in its own units: those of the sets too, which libcosim does not look for. FMPy gets
/// what it can set as a file.
#[test]
fn values_stand_where_other_tools_look_for_them() {
    let folder = make::folder("ssp-written-values");
    masses(&folder);
    write(&folder, "s.toml", SYSTEM);
    let made = macrostep(&folder, &["convert", "s.toml", "s.ssp"]);
    assert_eq!(made.code, Some(0), "{made:#?}");
    let archive = folder.join("s.ssp");
    let ssd = file(&archive, "SystemStructure.ssd").expect("the description");
    let of = |name: &str| {
        let start = ssd.find(&format!("<ssd:Component name=\"{name}\"")).expect("the component");
        let end = ssd[start..].find("</ssd:Component>").expect("its end");
        ssd[start..start + end].to_owned()
    };
    let parameter = |name: &str, value: &str| format!("<ssv:Parameter name=\"{name}\">\n{value}");
    let squeezed = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    for (component, name, value) in [
        ("a", "u", "<ssv:Real value=\"2.5\"/>"),
        ("a", "flag", "<ssv:Boolean value=\"true\"/>"),
        ("b", "flag", "<ssv:Boolean value=\"false\"/>"),
        ("b", "x", "<ssv:Real value=\"0.25\"/>"),
    ] {
        let text = squeezed(&of(component));
        assert!(text.contains(&parameter(name, value)), "{component}.{name}: {text}");
    }
    // FMPy's file has what FMPy sets as it is: no text, and no Boolean that is false.
    let values = squeezed(&file(&archive, "resources/parameters.ssv").expect("the values"));
    for (name, value) in [("a.u", "2.5"), ("b.x", "0.25")] {
        assert!(values.contains(&parameter(name, &format!("<ssv:Real value=\"{value}\"/>"))), "{values}");
    }
    assert!(values.contains("a.flag") && !values.contains("b.flag") && !values.contains("b.text"), "{values}");
    for says in [
        "`a.u` and 4 more: FMPy applies start values only where it is given them; with FILE the .ssp: `simulate_ssp(FILE, parameter_set=read_ssv(FILE, \"resources/parameters.ssv\"))`",
        "`b.flag` and 1 more: FMPy sets no texts, and takes every Boolean for true",
        "`b.x`: libcosim sets parameters and inputs only",
        "`a.x` to `b.u`: FMPy passes on values without their transformation",
    ] {
        assert!(made.stderr.contains(says), "{says}\n{}", made.stderr);
    }
    // The same run, and the sets are sets again.
    let expected = finals(&macrostep(&folder, &["run", "s.toml", "--json"]));
    assert_eq!(expected["a.x"], 2.5);
    assert_eq!(finals(&macrostep(&folder, &["run", "s.ssp", "--json"])), expected);
    assert_eq!(macrostep(&folder, &["convert", "s.ssp", "back/t.toml"]).code, Some(0));
    let back = std::fs::read_to_string(folder.join("back/t.toml")).expect("the scenario");
    assert_eq!(back.matches("\"b.x\"").count() + back.matches("\nx = ").count(), 1, "{back}");
    assert_eq!(finals(&macrostep(&folder, &["run", "back/t.toml", "--json"])), expected);
}

/// Connectors of all that is recorded, also where nothing is said; no unit where OMSimulator would compare what is not to be compared.
#[test]
fn connectors_are_those_of_the_rows() {
    let folder = make::folder("ssp-written-connectors");
    masses(&folder);
    let connectors = |text: &str| {
        write(&folder, "s.toml", text);
        let made = macrostep(&folder, &["convert", "s.toml", "s.ssd"]);
        assert_eq!(made.code, Some(0), "{made:#?}");
        let ssd = std::fs::read_to_string(folder.join("s.ssd")).expect("the description");
        let lines: Vec<&str> = ssd.lines().map(str::trim).collect();
        let is_start = |i: &usize| lines[*i].starts_with("<ssd:Connector ");
        let pair = |i: usize| {
            let name = lines[i].split('"').nth(1).expect("a name").to_owned();
            (name, lines[i + 1].to_owned())
        };
        (0..lines.len()).filter(is_start).map(pair).collect::<Vec<_>>()
    };
    let [metre, nothing, integer] = ["<ssc:Real unit=\"m\"/>", "<ssc:Real/>", "<ssc:Integer/>"];
    let all = |list: &[(&str, &str)]| list.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect::<Vec<_>>();
    // `b.u` is in N and gets a number in m as it is. Its output is connected to nothing.
    assert_eq!(connectors(SYSTEM), all(&[("x", metre), ("u", nothing), ("x", metre)]));
    let recorded = format!("{SYSTEM}[record]\nvariables = [\"*.steps\"]\n");
    assert_eq!(connectors(&recorded), all(&[("x", metre), ("steps", integer), ("u", nothing), ("steps", integer)]));
    // Of one quantity, units are compared and converted, by OMSimulator as here.
    let same = SYSTEM.replace("fmu = \"b.fmu\"", "fmu = \"a.fmu\"");
    assert_eq!(connectors(&same), all(&[("x", metre), ("u", metre), ("x", metre)]));
}

/// A description as SSP 2.0 has it: what SSP 1.0 can say is read, what is new is named.
#[test]
fn ssp_2_is_read_as_far_as_ssp_1_goes() {
    let folder = make::folder("ssp-written-2");
    masses(&folder);
    let uris: String = ["Common", "Description", "ParameterValues"]
        .iter()
        .zip(["ssc", "ssd", "ssv"])
        .map(|(name, prefix)| format!(" xmlns:{prefix}=\"http://ssp-standard.org/SSP1/SystemStructure{name}\""))
        .collect();
    let connector = |name: &str, kind: &str, of: &str| {
        format!("<ssd:Connector name=\"{name}\" kind=\"{kind}\"><ssc:{of}/><ssc:Dimension size=\"1\"/></ssd:Connector>")
    };
    let component = |name: &str, inside: &str| {
        let ports = [
            connector("u", "input", "Float64 unit=\"m\""),
            connector("x", "output", "Float64 unit=\"m\""),
            connector("steps", "local", "Int32"),
        ];
        format!(
            "<ssd:Component name=\"{name}\" source=\"a.fmu\" implementation=\"any\"><ssd:Connectors>{}</ssd:Connectors>{inside}\
             <ssc:MetaData kind=\"quality\" type=\"application/xml\" source=\"q.xml\"/></ssd:Component>",
            ports.concat()
        )
    };
    let values = "<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version=\"2.0\" name=\"p\"><ssv:Parameters>\
        <ssv:Parameter name=\"u\"><ssv:Float64 value=\"0.5\" unit=\"mm\"/></ssv:Parameter></ssv:Parameters>\
        <ssc:MetaData kind=\"k\" type=\"t\"/></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings>";
    let wire = "<ssd:Connection startElement=\"a\" startConnector=\"x\" endElement=\"b\" endConnector=\"u\"><ssc:LinearTransformation factor=\"3\"/></ssd:Connection>";
    let text = format!(
        "<?xml version=\"1.0\"?><ssd:SystemStructureDescription{uris} name=\"two\" version=\"2.0\"><ssd:System name=\"root\"><ssd:Elements>{}{}</ssd:Elements>\
         <ssd:Connections>{wire}</ssd:Connections><ssc:Signature role=\"author\" type=\"t\"/></ssd:System>\
         <ssd:DefaultExperiment startTime=\"0\" stopTime=\"1\"/></ssd:SystemStructureDescription>",
        component("a", values),
        component("b", "")
    );
    write(&folder, "s.ssd", &text);
    let left = macrostep(&folder, &["run", "s.ssd", "--step", "0.1", "--json"]);
    // a.x = t / 2000, of which three times the sum of nine steps is b.x.
    let end = finals(&left);
    let number = |name: &str| end[name].as_f64().expect("a number");
    assert!((number("a.x") - 5e-4).abs() < 1e-15 && (number("b.x") - 3.0 * 0.45 * 5e-4).abs() < 1e-15, "{left:#?}");
    for says in ["MetaData (of SSP 2.0) has no effect on a run", "Signature (of SSP 2.0)"] {
        assert!(left.stderr.contains(says), "{says}\n{}", left.stderr);
    }
}
