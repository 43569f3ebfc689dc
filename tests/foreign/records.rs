//! Recorded variables of every type and elements of arrays, in rows, table, JSON and after a resume.

use std::path::{Path, PathBuf};

use crate::make;
use crate::run::{Left, macrostep};

/// Outputs of all types, the real one an element of an array.
fn described() -> String {
    let outputs = "<ScalarVariable name=\"open\" valueReference=\"0\" causality=\"output\" variability=\"discrete\" initial=\"calculated\"><Boolean/></ScalarVariable>
    <ScalarVariable name=\"mode\" valueReference=\"2\" causality=\"output\" variability=\"discrete\" initial=\"calculated\"><Enumeration declaredType=\"Mode\"/></ScalarVariable>
    <ScalarVariable name=\"says\" valueReference=\"0\" causality=\"output\" variability=\"discrete\" initial=\"calculated\"><String/></ScalarVariable>
    </ModelVariables>";
    let types = "<TypeDefinitions><SimpleType name=\"Mode\"><Enumeration><Item name=\"off\" value=\"0\"/><Item name=\"on\" value=\"1\"/></Enumeration></SimpleType></TypeDefinitions>
  <DefaultExperiment";
    make::XML
        .replace("name=\"x\"", "name=\"x[1]\"")
        .replace("</ModelVariables>", outputs)
        .replace("<DefaultExperiment", types)
        .replace("canHandle", "canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" canHandle")
        .replace(
            "<Unknown index=\"3\" dependencies=\"\"/></Outputs>",
            "<Unknown index=\"3\" dependencies=\"\"/><Unknown index=\"6\" dependencies=\"\"/><Unknown index=\"7\" dependencies=\"\"/><Unknown index=\"8\" dependencies=\"\"/></Outputs>",
        )
}

/// Blanks at the ends of a text are the user's; those around a number mean nothing.
#[test]
fn texts_keep_their_blanks() {
    let folder = system("blanks", "");
    let simulate = ["simulate", "a.fmu", "--stop", "0.1", "--step", "0.1", "--out", "out", "--output-variable", "text"];
    let left = macrostep(&folder, &[&simulate[..], &["--start", "text= b ", "--start", "u= 2 "]].concat());
    assert_eq!((left.code, rows(&left)), (Some(0), vec!["0, b ", "0.1, b "]), "{left:#?}");
    let wrong = macrostep(&folder, &[&simulate[..], &["--start-value", "u", "two"]].concat());
    assert!(wrong.error().contains("`--start-value`: `u` is `two`, expected a finite number"), "{wrong:#?}");
}

const SYSTEM: &str = "[experiment]\nstop = 0.5\nstep = 0.1\n[units.a]\nfmu = \"a.fmu\"\n";

fn system(name: &str, record: &str) -> PathBuf {
    let folder = make::folder(name);
    let fmu = make::fmu(&described(), &[("AT_EVERY_STEP", "s->b = s->steps % 2")]);
    std::fs::write(folder.join("a.fmu"), fmu).expect("the FMU");
    std::fs::write(folder.join("s.toml"), format!("{SYSTEM}{record}")).expect("the system");
    folder
}

fn header(folder: &Path) -> String {
    let text = std::fs::read_to_string(folder.join("out/trace.csv")).expect("rows");
    text.lines().next().unwrap_or_default().to_owned()
}

fn rows(left: &Left) -> Vec<&str> {
    left.rows.as_ref().expect("rows").iter().map(String::as_str).collect()
}

const ALL: [&str; 6] = [
    "0,0,0,0,0,\"a,\"\"b\"\"\"",
    "0.1,0.1,1,0,1,\"a,\"\"b\"\"\"",
    "0.2,0.2,2,1,2,\"a,\"\"b\"\"\"",
    "0.30000000000000004,0.30000000000000004,3,0,3,",
    "0.4,0.4,4,1,4,\"a,\"\"b\"\"\"",
    "0.5,0.5,5,0,5,\"a,\"\"b\"\"\"",
];

/// Without a word in the scenario there is no real output outside of an array: the others are recorded, and said so once.
#[test]
fn a_result_without_a_column_does_not_happen() {
    let folder = system("records_usual", "");
    let left = macrostep(&folder, &["run", "s.toml", "--out", "out"]);
    assert_eq!(left.code, Some(0), "{left:#?}");
    assert_eq!(header(&folder), "time,a.x[1],a.steps,a.open,a.mode,a.says");
    assert_eq!(rows(&left), ALL);
    let notes: Vec<&str> = left.stderr.lines().filter(|line| line.contains("`--record ")).collect();
    let [note] = notes.as_slice() else { panic!("{left:#?}") };
    assert!(note.starts_with("note: ") && note.contains("no output is a real number outside of arrays"), "{note}");
    for shown in ["a.x[1]", "false", "\"a,\\\"b\\\"\""] {
        assert!(left.stdout.contains(shown), "`{shown}` is not in {}", left.stdout);
    }
}

/// The option asks for what the default leaves out, in processes of their own too.
#[test]
fn every_type_is_recorded_where_it_is_asked_for() {
    let folder = system("records_asked", "[record]\nvariables = [\"a.steps\"]\n");
    let alone = macrostep(&folder, &["run", "s.toml", "--out", "out"]);
    assert_eq!(header(&folder), "time,a.steps", "{alone:#?}");
    assert_eq!(rows(&alone)[5], "0.5,5");
    for isolated in [&[][..], &["--isolate"]] {
        let asked =
            ["run", "s.toml", "--out", "out", "--json", "--record", "a.x[*]", "--record", "a.s*", "--record", "*.open"];
        let left = macrostep(&folder, &[&asked[..], isolated].concat());
        assert_eq!(left.code, Some(0), "{left:#?}");
        assert_eq!(header(&folder), "time,a.x[1],a.steps,a.open,a.says");
        assert_eq!(rows(&left)[3], "0.30000000000000004,0.30000000000000004,3,0,");
        assert_eq!(rows(&left)[4], "0.4,0.4,4,1,\"a,\"\"b\"\"\"");
        let json: serde_json::Value = serde_json::from_str(&left.stdout).expect("JSON");
        assert_eq!(json["final"]["a.steps"], 5);
        assert_eq!(json["final"]["a.open"], false);
        assert_eq!(json["final"]["a.says"], "a,\"b\"");
    }
    // A part that matches nothing is a warning; where nothing is recorded at all, there is no answer.
    let part = macrostep(&folder, &["run", "s.toml", "--record", "b.*", "--record", "a.stepz", "--record", "a.x[1]"]);
    assert!(part.code == Some(0) && part.stderr.contains("matches `b.*`; nothing is recorded for it"), "{part:#?}");
    assert!(part.stderr.contains("near it: `a.steps`"), "{part:#?}");
    for verb in [&["run", "s.toml"][..], &["verify", "s.toml", "--tolerance", "0.1"]] {
        let nothing = macrostep(&folder, &[verb, &["--record", "b.*"]].concat());
        let said = "no variable of a unit matches `b.*`, and nothing else is recorded; near it: `a.*`";
        assert!(nothing.code == Some(1) && nothing.stderr.contains(said), "{nothing:#?}");
        let unit = macrostep(&folder, &[verb, &["--record", "a"]].concat());
        assert!(unit.code == Some(1) && unit.stderr.contains("`a.*` are all variables of that unit"), "{unit:#?}");
    }
}

/// Values of every type are set, also an element of an array's start and a text that looks like a number.
#[test]
fn every_type_is_set() {
    let folder = system(
        "records_set",
        "[units.a.set]\n\"x[1]\" = 2.0\nflag = true\ntext = \"b\"\n[record]\nvariables = [\"a.*\"]\n",
    );
    let left = macrostep(&folder, &["run", "s.toml", "--out", "out", "--set", "a.text=\"7\""]);
    assert_eq!(left.code, Some(0), "{left:#?}");
    assert_eq!(header(&folder), "time,a.u,a.x[1],a.steps,a.flag,a.text,a.open,a.mode,a.says");
    assert_eq!(rows(&left)[0], "0,1,2,0,1,7,1,0,7");
}

/// Columns of every type are the same after a resume.
#[test]
fn a_resumed_run_has_the_same_columns() {
    let folder = system("records_resumed", "");
    let run = |more: &[&str]| macrostep(&folder, &[&["run", "s.toml", "--out", "out"], more].concat());
    let kept = run(&["--checkpoint", "c.ck", "--checkpoint-every", "3"]);
    assert_eq!(rows(&kept), ALL, "{kept:#?}");
    let again = run(&["--resume", "c.ck", "--json"]);
    assert_eq!((again.code, rows(&again)), (Some(0), ALL.to_vec()), "{again:#?}");
    let json: serde_json::Value = serde_json::from_str(&again.stdout).expect("JSON");
    assert_eq!(json["final"]["a.mode"], 5);
    assert_eq!(json["final"]["a.says"], "a,\"b\"");
}

/// First the unit of measurement, offset and all, then the connection's own factor and offset: 20 °C is 293.15 K, and
/// `2 · 293.15 + 1` arrives.
#[test]
fn factor_and_offset_come_after_the_conversion_of_units() {
    let folder = make::folder("records_celsius");
    let units = "<UnitDefinitions><Unit name=\"K\"><BaseUnit K=\"1\"/></Unit><Unit name=\"degC\"><BaseUnit K=\"1\" offset=\"273.15\"/></Unit>";
    let xml = make::XML
        .replace("<UnitDefinitions>", units)
        .replace("<Real start=\"1\"/>", "<Real start=\"1\" unit=\"K\"/>")
        .replace("unit=\"m\"", "unit=\"degC\"");
    std::fs::write(folder.join("a.fmu"), make::fmu(&xml, &[])).expect("the FMU");
    let toml = include_str!("../cases/foreign/converted-factor-offset.toml");
    std::fs::write(folder.join("s.toml"), toml).expect("the system");
    let left = macrostep(&folder, &["run", "s.toml", "--out", "out"]);
    assert_eq!(left.code, Some(0), "{left:#?}");
    let arrived = 2.0 * (20.0 + 273.15) + 1.0;
    let number = |row: &str, i: usize| row.split(',').nth(i).and_then(|x| x.parse::<f64>().ok()).expect("a number");
    let rows = rows(&left);
    assert!((number(rows[1], 1) - arrived).abs() < 1e-9, "{rows:?}");
    assert!((number(rows[1], 2) - 0.1 * arrived).abs() < 1e-9, "{rows:?}");
}

/// Beside reference rows under the FMU's own names; texts have no difference.
#[test]
fn numbers_of_all_types_are_compared_with_reference_rows() {
    let folder = system("reference", "");
    std::fs::write(
        folder.join("r.csv"),
        "time,steps,open,mode,says\n0.1,1,false,1,a\n0.2,2,true,2,a\n0.3,5,true,3,b\n",
    )
    .expect("rows");
    let simulate = ["simulate", "a.fmu", "--stop", "0.3", "--step", "0.1", "--solution", "r.csv", "--json"];
    let left = macrostep(&folder, &simulate);
    let result: serde_json::Value = serde_json::from_str(&left.stdout).expect("JSON");
    let errors = result["errors"]["outputs"].as_array().expect("errors");
    let of = |name: &str| errors.iter().find(|e| e["name"] == name).map(|e| e["largest"].as_f64());
    // The rows have `open` = 0, 1, 0 where the reference has 0, 1, 1.
    let found = ["steps", "open", "mode", "says"].map(of);
    assert_eq!(found, [Some(Some(2.0)), Some(Some(1.0)), Some(Some(0.0)), None], "{left:#?}");
}

/// Held from the start of a step, or at its middle; a written scenario says which, and outputs of units have a predictor for that.
#[test]
fn inputs_of_a_file_are_held_from_the_start_of_a_step_where_that_is_asked_for() {
    let folder = make::folder("held");
    std::fs::write(folder.join("a.fmu"), make::fmu(make::XML, &[])).expect("the FMU");
    std::fs::write(folder.join("u.csv"), "time,u\n0,0\n1,10\n").expect("the inputs");
    let text = |from: &str| {
        format!(
            "[experiment]\nstop = 0.2\nstep = 0.1\n[units.a]\nfmu = \"a.fmu\"\n[inputs]\nf = \"u.csv\"\n[connections]\n\"a.u\" = {from}\n"
        )
    };
    let run = |file: &str| macrostep(&folder, &["run", file, "--out", "out", "--no-pictures"]);
    let last = |left: &Left| -> f64 {
        rows(left).last().and_then(|row| row.split(',').nth(1)?.parse().ok()).expect("a number")
    };
    // ∫u dt with u = 0 and 1, or 0.5 and 1.5, over steps of 0.1 s.
    for (from, expected) in [("{ from = \"f.u\", hold = true }", 0.1), ("\"f.u\"", 0.2)] {
        std::fs::write(folder.join("s.toml"), text(from)).expect("the system");
        let first = run("s.toml");
        assert!((last(&first) - expected).abs() < 1e-12, "{first:#?}");
        assert_eq!(rows(&run("out/scenario.toml")), rows(&first));
    }
    std::fs::write(folder.join("s.toml"), text("{ from = \"a.x\", hold = true }")).expect("the system");
    assert!(run("s.toml").error().contains("`a.x` with `hold`, which is no column of a file of inputs"));
}
