//! Connections between variables of different types: what arrives, in every place a system runs, and what is refused.

use crate::make;
use crate::run::{Left, macrostep};
use std::path::Path;

/// An FMU with one input and one output of each type that others have: a Real u and x, an Integer m and n, an Enumeration e (in the
/// place of m), a Boolean b_in and b. x is what was set last, n counts steps, b is true in every other step.
fn write(folder: &Path) {
    let types = "<TypeDefinitions><SimpleType name=\"Mode\"><Enumeration><Item name=\"off\" value=\"1\"/><Item name=\"slow\" value=\"2\"/><Item name=\"fast\" value=\"30\"/></Enumeration></SimpleType></TypeDefinitions>\n  <DefaultExperiment";
    let (before, rest) = make::XML.split_once("<ModelVariables>").expect("variables");
    let (_, after) = rest.split_once("</ModelStructure>").expect("a structure");
    let variable = |name: &str, reference: u32, rest: &str| {
        format!("<ScalarVariable name=\"{name}\" valueReference=\"{reference}\" {rest}</ScalarVariable>")
    };
    let input = |kind: &str| format!("causality=\"input\" variability=\"discrete\"><{kind} start=\"1\"/>");
    let output = |kind: &str| format!("causality=\"output\" variability=\"discrete\" initial=\"calculated\"><{kind}/>");
    let fmu = |number: &str, defines: &[(&str, &str)]| {
        let number = format!("causality=\"input\" variability=\"discrete\"><{number} start=\"1\"/>");
        let variables = [
            variable("u", 0, "causality=\"input\" variability=\"continuous\"><Real start=\"0\"/>"),
            variable("x", 1, "causality=\"output\" variability=\"continuous\" initial=\"exact\"><Real start=\"0\"/>"),
            variable("m", 0, &number),
            variable("n", 0, &output("Integer")),
            variable("b_in", 0, &input("Boolean").replace("\"1\"", "\"false\"")),
            variable("b", 0, &output("Boolean")),
        ];
        let outputs = "<Outputs><Unknown index=\"2\" dependencies=\"\"/><Unknown index=\"4\" dependencies=\"\"/><Unknown index=\"6\" dependencies=\"\"/></Outputs>";
        let structure = format!("<ModelStructure>{outputs}</ModelStructure>");
        let before = before.replace("<DefaultExperiment", types);
        let xml = format!("{before}<ModelVariables>{}</ModelVariables>{structure}{after}", variables.concat());
        make::fmu(&xml, defines)
    };
    // The source: x' = 1/4, n counts, b changes with every step. The others show what they were set to.
    let source = [("AT_EVERY_STEP", "s->u = 0.25, s->b = !s->b")];
    std::fs::write(folder.join("source.fmu"), fmu("Integer", &source)).expect("the FMU");
    let integer = [("AT_EVERY_STEP", "s->u = 0, s->x = s->m")];
    std::fs::write(folder.join("integer.fmu"), fmu("Integer", &integer)).expect("the FMU");
    std::fs::write(folder.join("mode.fmu"), fmu("Enumeration declaredType=\"Mode\"", &integer)).expect("the FMU");
    let boolean = [("AT_EVERY_STEP", "s->u = 0, s->x = s->b ? 7 : -7")];
    std::fs::write(folder.join("boolean.fmu"), fmu("Integer", &boolean)).expect("the FMU");
    let real = [("AT_EVERY_STEP", "s->x = s->u, s->u = 0")];
    std::fs::write(folder.join("real.fmu"), fmu("Integer", &real)).expect("the FMU");
}

/// `run` of the source and a receiver with this connection: what the receiver was given for steps 1, 2, …
fn run(folder: &Path, receiver: &str, connection: &str, options: &[&str]) -> (Left, Vec<f64>) {
    let _ = std::fs::remove_dir_all(folder.join("out"));
    let text = format!(
        "[experiment]\nstop = 6.0\nstep = 1.0\n[units.a]\nfmu = \"source.fmu\"\n[units.b]\nfmu = \"{receiver}.fmu\"\n\
         [connections]\n{connection}\n[record]\nvariables = [\"b.x\"]\n"
    );
    std::fs::write(folder.join("s.toml"), text).expect("the scenario");
    let left = macrostep(folder, &[&["run", "s.toml", "--out", "out"], options].concat());
    let number = |row: &String| row.split(',').nth(1).and_then(|x| x.parse().ok()).expect("a number");
    let rows = left.rows.iter().flatten().skip(1).map(number).collect();
    (left, rows)
}

/// Each pair of types: the receiver, its connection, what is said, and what arrives in steps from 0, 1, 2, … s on.
const PASSED_ON: [(&str, &str, &str, [f64; 6]); 11] = [
    ("real", "\"b.u\" = \"a.b\"", "false is passed on as 0, true as 1, held", [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]),
    (
        "real",
        "\"b.u\" = { from = \"a.b\", factor = -0.5, offset = 2.0 }",
        "false is passed on as 2, true as 1.5",
        [2.0, 1.5, 2.0, 1.5, 2.0, 1.5],
    ),
    (
        "real",
        "\"b.u\" = { from = \"a.b\", table = [[true, 4.25], [false, -3]] }",
        "as -3, true as 4.25",
        [-3.0, 4.25, -3.0, 4.25, -3.0, 4.25],
    ),
    ("real", "\"b.u\" = \"a.n\"", "the number is passed on, held", [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]),
    (
        "real",
        "\"b.u\" = { from = \"a.n\", factor = 0.5, offset = 0.25 }",
        "0 is passed on as 0.25, 1 as 0.75, held",
        [0.25, 0.75, 1.25, 1.75, 2.25, 2.75],
    ),
    (
        "real",
        "\"b.u\" = { from = \"a.n\", table = [[0, 7], [1, 1.5], [2, -1e3], [3, 0], [4, 0], [5, 1], [6, 1]] }",
        "what its table says is passed on, held",
        [7.0, 1.5, -1e3, 0.0, 0.0, 1.0],
    ),
    // 0, 0.25, 0.5, … of which the half goes away from zero.
    (
        "integer",
        "\"b.m\" = { from = \"a.x\", round = true }",
        "the nearest whole number is passed on",
        [0.0, 0.0, 1.0, 1.0, 1.0, 1.0],
    ),
    (
        "integer",
        "\"b.m\" = { from = \"a.x\", factor = -10.0, offset = 3.0, round = true }",
        "nearest whole",
        [3.0, 1.0, -2.0, -5.0, -7.0, -10.0],
    ),
    ("integer", "\"b.m\" = \"a.b\"", "false is passed on as 0, true as 1", [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]),
    (
        "mode",
        "\"b.m\" = { from = \"a.b\", table = [[false, \"fast\"], [true, 2]] }",
        "false is passed on as 30, true as 2",
        [30.0, 2.0, 30.0, 2.0, 30.0, 2.0],
    ),
    (
        "boolean",
        "\"b.b_in\" = { from = \"a.n\", table = [[0, true], [1, false], [2, false], [3, true], [4, true], [5, true], [6, true]] }",
        "",
        [7.0, -7.0, -7.0, 7.0, 7.0, 7.0],
    ),
];

/// Each pair of types, with one prediction and another.
#[test]
fn values_of_all_types_arrive_as_they_are_said_to() {
    let folder = make::folder("types");
    write(&folder);
    for (receiver, connection, says, expected) in &PASSED_ON {
        let (left, rows) = run(&folder, receiver, connection, &[]);
        assert!(left.code == Some(0) && left.stderr.contains(says), "{connection}: {left:#?}");
        assert_eq!(rows, expected, "{connection}");
        // What is held is no line through two samples.
        let (left, lines) = run(&folder, receiver, connection, &["--predict", "linear"]);
        assert_eq!(lines, expected, "{connection}: {}", left.stderr);
    }
    // Slaves in processes of their own, and a Gauss–Seidel schedule: what the source has made is there at once.
    let isolated = run(&folder, "real", "\"b.u\" = { from = \"a.n\", factor = 0.5 }", &["--isolate"]).1;
    assert_eq!(isolated, [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]);
    let next = run(&folder, "real", "\"b.u\" = \"a.b\"", &["--schedule", "gauss-seidel:a,b"]).1;
    assert_eq!(next, [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
}

/// Steps that are repeated begin with the same value again: by a corrector with FMUs that go back by fork.
#[cfg(target_os = "linux")]
#[test]
fn a_repeated_step_has_the_same_value() {
    let folder = make::folder("types-repeated");
    write(&folder);
    let back = "\"b.u\" = \"a.b\"\n\"a.u\" = \"b.x\"";
    let (left, rows) = run(&folder, "real", back, &["--isolate", "--correct", "newton"]);
    assert_eq!(rows, [0.0, 1.0, 0.0, 1.0, 0.0, 1.0], "{left:#?}");
}

/// A container has the scenario inside: its outputs are the same.
#[cfg(target_os = "linux")]
#[test]
fn a_container_converts_as_the_run_does() {
    let folder = make::folder("types-container");
    write(&folder);
    let (_, rows) = run(&folder, "real", "\"b.u\" = { from = \"a.b\", factor = 3.0 }", &[]);
    let made = macrostep(&folder, &["export", "s.toml", "--out", "c.fmu"]);
    assert_eq!(made.code, Some(0), "{made:#?}");
    let left = macrostep(
        &folder,
        &["simulate", "c.fmu", "--stop", "6", "--step", "1", "--output-variable", "b.x", "--out", "out"],
    );
    assert_eq!(left.code, Some(0), "{left:#?}");
    let number = |row: &String| row.split(',').nth(1).and_then(|x| x.parse().ok()).expect("a number");
    let inside: Vec<f64> = left.rows.iter().flatten().skip(1).map(number).collect();
    assert_eq!((inside, rows[1]), (rows.clone(), 3.0));
}

/// What has no meaning is an error that names both ends and the next step.
#[test]
fn types_that_do_not_meet_are_refused() {
    let folder = make::folder("types-refused");
    write(&folder);
    for (receiver, connection, says) in [
        (
            "integer",
            "\"b.m\" = \"a.x\"",
            "`a.x` is a Real, `b.m` is an Integer; write { from = \"a.x\", round = true }",
        ),
        ("boolean", "\"b.b_in\" = \"a.x\"", "`b.b_in` is a Boolean; an event sets a Boolean where a Real crosses"),
        ("boolean", "\"b.b_in\" = \"a.n\"", "`b.b_in` is a Boolean; write { from = \"a.n\", table = [[0, false]"),
        ("real", "\"b.u\" = { from = \"a.n\", round = true }", "`b.u` is a Real, and `round` makes whole numbers"),
        ("real", "\"b.u\" = { from = \"a.x\", round = true }", "`b.u` is a Real, and `round` makes whole numbers"),
        ("real", "\"b.u\" = { from = \"a.b\", mean = true }", "`b.u` gets a mean"),
        (
            "real",
            "\"b.u\" = { from = \"a.b\", table = [[false, \"x\"]] }",
            "\"x\" in the table for `u`, expected a number",
        ),
        (
            "integer",
            "\"b.m\" = { from = \"a.n\", factor = 0.5 }",
            "0.5 · y + 0 is not always a whole number; add `round",
        ),
        (
            "mode",
            "\"b.m\" = { from = \"a.b\", table = [[false, \"none\"], [true, 2]] }",
            "expected one of `off` (1), `slow`",
        ),
        (
            "mode",
            "\"b.m\" = { from = \"a.b\", table = [[false, 3], [true, 2]] }",
            "expected one of `off` (1), `slow` (2)",
        ),
    ] {
        let (left, _) = run(&folder, receiver, connection, &[]);
        assert!(left.code == Some(1) && left.error().contains(says), "{connection}: {left:#?}");
    }
    // Values that do not fit come in the run, which ends with the time.
    for (receiver, connection, says) in [
        ("mode", "\"b.m\" = { from = \"a.x\", factor = 4.0, offset = 1.0, round = true }", "t = 2 s"),
        ("real", "\"b.u\" = { from = \"a.n\", table = [[0, 1.5], [1, 2.5]] }", "the table of its connection has 0, 1"),
        ("integer", "\"b.m\" = { from = \"a.x\", factor = 1e10, round = true }", "takes whole numbers of 32 bits"),
    ] {
        let (left, _) = run(&folder, receiver, connection, &[]);
        assert!(left.code == Some(1) && left.error().contains(says), "{connection}: {left:#?}");
    }
}

/// Items of an enumeration by name or number, wherever a value is given.
#[test]
fn items_go_by_name_or_number() {
    let folder = make::folder("types-items");
    write(&folder);
    let set = |value: &str| {
        let text = format!(
            "[experiment]\nstop = 1.0\nstep = 1.0\n[units.b]\nfmu = \"mode.fmu\"\n[units.b.set]\nm = {value}\n[record]\nvariables = [\"b.x\"]\n"
        );
        std::fs::write(folder.join("s.toml"), text).expect("the scenario");
    };
    let last = |left: &Left| left.rows.iter().flatten().next_back().cloned().unwrap_or_default();
    for (value, expected) in [("\"fast\"", "1,30"), ("30", "1,30"), ("\"2\"", "1,2")] {
        set(value);
        let left = macrostep(&folder, &["run", "s.toml", "--out", "out"]);
        assert_eq!(last(&left), expected, "{left:#?}");
    }
    for (value, expected) in [("b.m=fast", "1,30"), ("b.m=30", "1,30"), ("b.m=slow", "1,2")] {
        let left = macrostep(&folder, &["run", "s.toml", "--out", "out", "--set", value]);
        assert_eq!(last(&left), expected, "{left:#?}");
    }
    for value in ["b.m=3", "b.m=none"] {
        let left = macrostep(&folder, &["run", "s.toml", "--out", "out", "--set", value]);
        let says = "expected one of `off` (1), `slow` (2), `fast` (30)";
        assert!(left.code != Some(0) && left.stderr.contains(says), "{left:#?}");
    }
}

/// The same through SSP: mappings that it has stand for numbers between types, and what it has no words for is in our annotation.
#[test]
fn ssp_connects_types_by_its_mappings() {
    let folder = make::folder("types-ssp");
    write(&folder);
    let rows = |file: &str| {
        let _ = std::fs::remove_dir_all(folder.join("out"));
        let left = macrostep(&folder, &["run", file, "--out", "out", "--step", "1", "--record", "b.x"]);
        assert_eq!(left.code, Some(0), "{left:#?}");
        let number = |row: &String| row.split(',').nth(1).and_then(|x| x.parse().ok()).expect("a number");
        left.rows.iter().flatten().skip(1).map(number).collect::<Vec<f64>>()
    };
    let entry = |(a, b): &(&str, &str)| format!("<ssc:MapEntry source=\"{a}\" target=\"{b}\"/>");
    let entries = |list: &[(&str, &str)]| list.iter().map(entry).collect::<String>();
    let swapped = entries(&[("false", "true"), ("true", "false")]);
    let flags = entries(&[("0", "1"), ("1", "0"), ("2", "1"), ("3", "0"), ("4", "0"), ("5", "0"), ("6", "0")]);
    let linear = "<ssc:LinearTransformation factor=\"0.5\" offset=\"1\"/>".to_owned();
    let of = |kind: &str, entries: &str| {
        format!("<ssc:{kind}MappingTransformation>{entries}</ssc:{kind}MappingTransformation>")
    };
    for (receiver, output, input, inside, expected) in [
        ("real", "b", "u", String::new(), [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]),
        ("real", "b", "u", linear.clone(), [1.0, 1.5, 1.0, 1.5, 1.0, 1.5]),
        ("real", "n", "u", linear, [1.0, 1.5, 2.0, 2.5, 3.0, 3.5]),
        ("real", "b", "u", of("Boolean", &swapped), [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]),
        ("boolean", "n", "b_in", of("Integer", &flags), [7.0, -7.0, 7.0, -7.0, -7.0, -7.0]),
    ] {
        let component = |name: &str, fmu: &str| format!("<ssd:Component name=\"{name}\" source=\"{fmu}.fmu\"/>");
        let wire = format!(
            "<ssd:Connection startElement=\"a\" startConnector=\"{output}\" endElement=\"b\" endConnector=\"{input}\">{inside}</ssd:Connection>"
        );
        let parts = format!("{}{}", component("a", "source"), component("b", receiver));
        let text = format!("<ssd:Elements>{parts}</ssd:Elements><ssd:Connections>{wire}</ssd:Connections>");
        let text = super::ssp::description(&text).replace("stopTime=\"1\"", "stopTime=\"6\"");
        std::fs::write(folder.join("s.ssd"), text).expect("the description");
        assert_eq!(rows("s.ssd"), expected, "{inside}");
    }
    // Written and read again, with what other tools are told of it.
    for (receiver, connection) in [
        ("real", "\"b.u\" = { from = \"a.b\", table = [[true, 4.25], [false, -3]] }"),
        ("integer", "\"b.m\" = { from = \"a.x\", factor = -10.0, offset = 3.0, round = true }"),
        ("real", "\"b.u\" = { from = \"a.n\", factor = 0.5, offset = 0.25 }"),
    ] {
        let (_, expected) = run(&folder, receiver, connection, &[]);
        let made = macrostep(&folder, &["convert", "s.toml", "t.ssd"]);
        let is_ours = made.stderr.contains("(rounded, or by a table between types) has no element in SSP");
        assert!(made.code == Some(0) && is_ours != connection.contains("a.n"), "{made:#?}");
        assert_eq!(rows("t.ssd"), expected, "{connection}");
    }
}
