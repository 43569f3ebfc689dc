//! Descriptions as other tools write them: values of declared types are used, and contradictions are reported.

use macrostep_description::xml;

use crate::make::{self, XML, fmu};
use crate::run::{Left, macrostep};

/// The output in bar and the input in Pa, both by a declared type only.
const TYPES: &str = r#"<UnitDefinitions>
    <Unit name="Pa"><BaseUnit kg="1" m="-1" s="-2"/></Unit>
    <Unit name="bar"><BaseUnit kg="1" m="-1" s="-2" factor="1e5"/><DisplayUnit name="kPa" factor="100"/></Unit>
  </UnitDefinitions>
  <TypeDefinitions>
    <SimpleType name="Bar"><Real quantity="Pressure" unit="bar" displayUnit="kPa" min="0"/></SimpleType>
    <SimpleType name="Pascal"><Real quantity="Pressure" unit="Pa"/></SimpleType>
    <SimpleType name="Mode"><Enumeration><Item name="slow" value="1" description="by day"/><Item name="fast" value="2"/></Enumeration></SimpleType>
  </TypeDefinitions>"#;

/// The description with these types, `u` of the one and `x` of the other, and a mode.
fn typed() -> String {
    let units = r#"<UnitDefinitions><Unit name="m"><BaseUnit m="1"/></Unit></UnitDefinitions>"#;
    let text = r#"    <ScalarVariable name="text""#;
    let mode = r#"    <ScalarVariable name="mode" valueReference="1" causality="parameter" variability="fixed" initial="exact"><Enumeration declaredType="Mode" start="2"/></ScalarVariable>"#;
    XML.replace(units, TYPES)
        .replace(r#"<Real start="1"/>"#, r#"<Real declaredType="Pascal" start="1"/>"#)
        .replace(r#"<Real start="0" unit="m"/>"#, r#"<Real declaredType="Bar" start="0"/>"#)
        .replace(text, &format!("{mode}\n{text}"))
}

#[test]
fn a_value_is_converted_by_the_units_of_declared_types() {
    let folder = make::folder("types/run");
    std::fs::write(folder.join("a.fmu"), fmu(&typed(), &[])).expect("the FMU");
    // The source says 2 bar from its first step on.
    std::fs::write(folder.join("source.fmu"), fmu(&typed(), &[("AT_EVERY_STEP", "s->u = 0; s->x = 2")]))
        .expect("the FMU");
    let system = include_str!("../cases/foreign/declared-units.toml");
    std::fs::write(folder.join("system.toml"), system).expect("the system");
    let left = macrostep(&folder, &["run", "system.toml", "--out", "out", "--no-pictures"]);
    assert_eq!(left.code, Some(0), "{left:#?}");
    let rows = left.rows.as_ref().expect("rows");
    let last: Vec<f64> = rows[3].split(',').map(|cell| cell.parse().expect("a number")).collect();
    assert_eq!(last[1..], [2.0, 2e5], "{left:#?}");
}

#[test]
fn info_shows_units_of_types_items_and_how_units_are_made() {
    let folder = make::folder("types/info");
    std::fs::write(folder.join("a.fmu"), fmu(&typed(), &[])).expect("the FMU");
    let left = macrostep(&folder, &["info", "a.fmu"]);
    assert_eq!((left.code, left.stderr.as_str()), (Some(0), ""), "{left:#?}");
    let squeezed = left.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "bar 100000 kg·m^-1·s^-2 kPa = 100 · bar",
        "Mode slow 1 by day fast 2",
        "u 0 Real Pa input",
        "x 1 Real bar output",
        "mode 1 Enumeration Mode parameter fixed 2 = fast",
    ] {
        assert!(squeezed.contains(part), "`{part}` is not in {}", left.stdout);
    }
    let left = macrostep(&folder, &["info", "a.fmu", "--json"]);
    let info: serde_json::Value = serde_json::from_str(&left.stdout).expect("one JSON object");
    assert_eq!(info["types"][2]["items"][1]["name"], "fast");
    assert_eq!(info["units"][1]["base"]["factor"], 1e5);
    let x = &info["variables"][1];
    assert_eq!([&x["unit"], &x["display_unit"], &x["quantity"]], ["bar", "kPa", "Pressure"]);
    assert_eq!(x["min"], 0.0);
}

#[test]
fn what_stands_in_an_archive_or_a_list_twice_is_a_warning() {
    let files = "<SourceFiles><File name=\"a.c\"/><File name=\"a.c\"/></SourceFiles>";
    let co_simulation = r#"canHandleVariableCommunicationStepSize="true"/>"#;
    let xml = make::replaced(co_simulation, &co_simulation.replace("/>", &format!(">{files}</CoSimulation>")));
    let library = make::library(&[]);
    let entries: [(&str, &[u8]); 3] =
        [("./", b""), ("modelDescription.xml", xml.as_bytes()), (make::LIBRARY, library.as_slice())];
    let folder = make::folder("twice");
    std::fs::write(folder.join("a.fmu"), make::archive(&entries)).expect("the FMU");
    let left = macrostep(&folder, &["simulate", "a.fmu", "--stop", "1", "--step", "0.1", "--out", "out"]);
    assert_eq!((left.code, left.rows.as_ref().map(Vec::len)), (Some(0), Some(11)), "{left:#?}");
    for part in ["the archive entry `./` with a part `.`", "`a.c` again in `SourceFiles`"] {
        assert!(left.stderr.contains(part), "`{part}`: {left:#?}");
    }
}

/// What `simulate` says and does with this default experiment.
fn with_experiment(name: &str, experiment: &str) -> Left {
    let folder = make::folder(&format!("experiment/{name}"));
    let of_file = r#"<DefaultExperiment startTime="0" stopTime="1" stepSize="0.1"/>"#;
    let xml = make::replaced(of_file, &format!("<DefaultExperiment {experiment}/>"));
    std::fs::write(folder.join("a.fmu"), fmu(&xml, &[])).expect("the FMU");
    macrostep(&folder, &["simulate", "a.fmu", "--out", "out"])
}

#[test]
fn what_no_run_can_use_of_a_default_experiment_is_said_with_what_is_taken() {
    let cases = [
        (
            "x36",
            r#"stopTime="1" stepSize="0""#,
            "`stepSize` of the default experiment: found 0, expected",
            "; the step is 0.001 s",
        ),
        (
            "x37",
            r#"stopTime="1" stepSize="-0.1""#,
            "found -0.1, expected a finite length above 0",
            "; the step is 0.001 s",
        ),
        ("x59", r#"stopTime="1" stepSize="1e-12""#, "found 1e-12, expected at least 1e-8 s", "; the step is 0.001 s"),
        (
            "x38",
            r#"startTime="2" stopTime="1" stepSize="0.1""#,
            "`stopTime` of the default experiment: found 1, expected a finite time after the start at 2 s",
            "; the run stops at 3 s",
        ),
        ("x39", r#"stopTime="INF" stepSize="0.1""#, "found inf, expected a finite time", "; the run stops at 1 s"),
        (
            "x35",
            r#"startTime="NaN" stopTime="1" stepSize="0.1""#,
            "`startTime` of the default experiment: found NaN",
            "; the run starts at 0 s",
        ),
        (
            "x57",
            r#"stopTime="1" stepSize="0.1" tolerance="-1""#,
            "`tolerance` of the default experiment: found -1",
            "; the FMU uses its own",
        ),
    ];
    for (name, experiment, found, taken) in cases {
        let left = with_experiment(name, experiment);
        assert_eq!(left.code, Some(0), "{left:#?}");
        let notes: Vec<&str> = left.stderr.lines().filter(|line| line.contains("of the default experiment")).collect();
        assert_eq!(notes.len(), 1, "{left:#?}");
        assert!(notes[0].contains(found) && notes[0].ends_with(taken), "{left:#?}");
    }
    let rows = with_experiment("times", r#"startTime="2" stopTime="1" stepSize="0.1""#).rows.expect("rows");
    assert_eq!(rows.len(), 11);
    assert!(rows[0].starts_with("2,") && rows[10].starts_with("3,"), "{rows:?}");
    assert!(!with_experiment("good", r#"stopTime="1" stepSize="0.1""#).stderr.contains("default experiment"));
}

#[test]
fn long_names_are_cut_in_messages() {
    let long = "n".repeat(100_000);
    let xml = make::replaced("name=\"steps\"", &format!("name=\"{long}\""))
        .replace("<String start=\"a\"/>", "<Real start=\"1e300\" max=\"0\"/>");
    let folder = make::folder("long");
    std::fs::write(folder.join("a.fmu"), fmu(&xml, &[])).expect("the FMU");
    for arguments in ["simulate a.fmu --start nope=1", "check a.fmu --no-library --json", "info a.fmu --json"] {
        let left = macrostep(&folder, &arguments.split(' ').collect::<Vec<_>>());
        assert!(left.stderr.len() < 2000, "{} bytes of {}", left.stderr.len(), left.command);
    }
    let left = macrostep(&folder, &["check", "a.fmu", "--no-library"]);
    assert!(left.stdout.contains("the start value 1e300, expected at most 0") && left.stdout.len() < 2000, "{left:#?}");
    assert!(macrostep(&folder, &["info", "a.fmu"]).stdout.len() < 20_000);
}

#[test]
fn our_descriptions_are_what_tools_made_from_the_schema_can_read() {
    let folder = make::folder("ours");
    assert_eq!(macrostep(&folder, &["fmus", "--out", "fmus"]).code, Some(0));
    let mut read = 0;
    for entry in std::fs::read_dir(folder.join("fmus")).expect("the folder") {
        let path = entry.expect("an entry").path();
        let bytes = std::fs::read(&path).expect("the FMU");
        let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).expect("an archive");
        let mut text = String::new();
        let mut file = archive.by_name("modelDescription.xml").expect("the description");
        std::io::Read::read_to_string(&mut file, &mut text).expect("UTF-8");
        // Such tools know no element below `Tool`, and some take a file for anything but UTF-8.
        let tool = text.find("<Tool ").expect("an annotation");
        let inside = &text[tool + 1..tool + text[tool..].find("</Tool>").expect("its end")];
        let elements = inside.match_indices('<').filter(|(at, _)| !inside[*at..].starts_with("<?")).count();
        assert_eq!((elements, text.is_ascii()), (0, true), "{}", path.display());
        // Written again it is the same, and the annotation is there.
        let description = xml::read_str(&text).expect("readable").description;
        assert_eq!(xml::write(&description), text);
        let flags: Vec<_> = description.vendor_annotations.iter().flat_map(|a| &a.attributes).collect();
        assert!(flags.iter().any(|(name, value)| (name.as_str(), value.as_str()) == ("getAfterSet", "true")));
        read += 1;
    }
    assert!(read > 20, "{read} FMUs");
}
