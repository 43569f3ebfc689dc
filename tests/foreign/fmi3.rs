//! FMUs of FMI 3.0: masses on springs that ask for their force inside their steps (tests/kit/mass3.c, without any code of ours), as they should, or
//! when they must not. Reference: the exact solution of two masses.

use crate::make;
use crate::run::{Left, macrostep};
use macrostep_oscillator::{Exact, Parameters};
use std::path::{Path, PathBuf};

/// Nodes that the FMU has variables for.
const NODES: usize = 32;

/// The description of tests/kit/mass3.c.
fn description(flags: &str) -> String {
    let node = |name: &str, base: usize, i: usize| {
        format!(
            "    <Float64 name=\"{name}_node[{i}]\" valueReference=\"{}\" causality=\"local\" variability=\"continuous\"/>\n",
            100 + base * (NODES + 1) + i
        )
    };
    let nodes: String =
        ["x", "v"].iter().enumerate().flat_map(|(base, name)| (0..=NODES).map(move |i| node(name, base, i))).collect();
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="mass" instantiationToken="{{mass}}">
  <CoSimulation modelIdentifier="mass" {flags}/>
  <DefaultExperiment startTime="0" stopTime="10" stepSize="0.001"/>
  <ModelVariables>
    <Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
    <Float64 name="f" valueReference="1" causality="input" start="0" intermediateUpdate="true"/>
    <Float64 name="x" valueReference="2" causality="output"/>
    <Float64 name="v" valueReference="3" causality="output" derivative="2"/>
    <Float64 name="m" valueReference="4" causality="parameter" variability="fixed" start="1"/>
    <Float64 name="k" valueReference="5" causality="parameter" variability="fixed" start="1"/>
    <Float64 name="x0" valueReference="6" causality="parameter" variability="fixed" start="0"/>
    <Float64 name="v0" valueReference="7" causality="parameter" variability="fixed" start="0"/>
    <Int64 name="dense_nodes" valueReference="8" causality="parameter" variability="fixed" start="0"/>
    <Int64 name="steps" valueReference="9" causality="local"/>
    <Int64 name="asked" valueReference="10" causality="local"/>
    <Boolean name="late" valueReference="11" causality="local"/>
{nodes}  </ModelVariables>
  <ModelStructure>
    <Output valueReference="2" dependencies=""/>
    <Output valueReference="3" dependencies=""/>
    <InitialUnknown valueReference="2"/>
    <InitialUnknown valueReference="3"/>
  </ModelStructure>
</fmiModelDescription>
"#
    )
}

/// What the FMU is able to.
const FLAGS: &str = r#"canHandleVariableCommunicationStepSize="true" providesIntermediateUpdate="true" canGetAndSetFMUState="true" canSerializeFMUState="true""#;

/// The FMU, with these macros and flags.
fn fmu(defines: &[(&str, &str)], flags: &str) -> Vec<u8> {
    let library = make::compiled("mass3.c", defines);
    let description = description(flags);
    make::archive(&[
        ("modelDescription.xml", description.as_bytes()),
        ("binaries/x86_64-linux/mass.so", library.as_slice()),
    ])
}

/// Two masses in a folder, `left.fmu` and another one; the spring between them is a law of the master. Case 1 of the oscillator.
fn pair(name: &str, left: &[u8], right: &str) -> PathBuf {
    let folder = make::folder(name);
    std::fs::write(folder.join("mass.fmu"), left).expect("written");
    let text = format!(
        r#"
[experiment]
stop = 10.0
step = 0.2

[units.left]
fmu = "mass.fmu"
set = {{ k = 10.0, v0 = 100.0 }}

[units.right]
fmu = "{right}"
set = {{ {}k = 1000.0, v0 = -100.0 }}

[laws.spring]
kind = "spring-damper"
stiffness = 100.0
damping = 0.0
inputs = ["left.x", "left.v", "right.x", "right.v"]
outputs = ["f"]

[connections]
"left.f" = {{ from = "spring.f", factor = -1.0 }}
"right.f" = "spring.f"
"#,
        if right == "mass.fmu" { "" } else { "integrator = \"exact\", " }
    );
    std::fs::write(folder.join("pair.toml"), text).expect("written");
    folder
}

fn run(folder: &Path, more: &[&str]) -> Left {
    let record = ["--record", "left.x", "--record", "left.v", "--record", "right.x", "--record", "right.v"];
    let mut arguments = vec!["run", "pair.toml", "--out", "out"];
    arguments.extend(record.iter().chain(more));
    macrostep(folder, &arguments)
}

/// Largest error of both positions in all rows \[m\].
fn error(left: &Left) -> f64 {
    assert_eq!(left.code, Some(0), "{}\n{}", left.command, left.stderr);
    let exact = Exact::new(&Parameters::case_1()).expect("parameters");
    let rows = left.rows.as_ref().expect("rows");
    let mut worst: f64 = 0.0;
    for row in rows.iter().filter(|row| row.starts_with(|c: char| c.is_ascii_digit())) {
        let row: Vec<f64> = row.split(',').map(|x| x.parse().expect("a number")).collect();
        let z = exact.at(row[0]);
        worst = worst.max((row[1] - z[0]).abs()).max((row[3] - z[1]).abs());
    }
    worst
}

#[test]
fn a_pair_that_asks_inside_its_steps_reaches_the_last_digits() {
    let folder = pair("asks", &fmu(&[], FLAGS), "mass.fmu");
    let left = run(&folder, &["--method", "waveform:20"]);
    assert!(error(&left) <= 1e-11, "{:e}", error(&left));
    // In processes of their own to the same bits, and so where each goes back by fork.
    let isolated = run(&folder, &["--method", "waveform:20", "--isolate"]);
    assert_eq!(left.rows, isolated.rows, "{}", isolated.stderr);
    let flags = FLAGS.replace(r#"canGetAndSetFMUState="true" canSerializeFMUState="true""#, "");
    let folder = pair("forks", &fmu(&[("NO_STATES", "1")], &flags), "mass.fmu");
    assert_eq!(left.rows, run(&folder, &["--method", "waveform:20"]).rows);
}

#[test]
fn an_fmu_that_returns_early_makes_the_rest_of_its_step() {
    let [plain, early] = [&[][..], &[("EARLY", "1")]].map(|defines| {
        let flags = format!("{FLAGS} hasEventMode=\"false\" mightReturnEarlyFromDoStep=\"true\"");
        let folder = pair(if defines.is_empty() { "plain" } else { "early" }, &fmu(defines, &flags), "mass.fmu");
        error(&run(&folder, &["--predict", "linear", "--step", "1e-3"]))
    });
    assert!((plain - early).abs() <= 1e-6 * plain, "{plain:e} {early:e}");
}

#[test]
fn one_that_never_asks_is_held_and_told() {
    let folder = pair("lies", &fmu(&[("ASKS", "1")], FLAGS), "mass.fmu");
    let left = run(&folder, &["--predict", "linear", "--step", "1e-3"]);
    assert_eq!(left.code, Some(0), "{}", left.stderr);
    assert!(left.stderr.contains("accepts order 1 and does not use it"), "{}", left.stderr);
}

#[test]
fn calls_at_the_wrong_time_or_place_are_one_error() {
    for (asks, said) in [
        ("2", "outside of fmi3DoStep"),
        ("3", "from another thread"),
        ("4", "expected a time in it"),
        ("5", "intermediateUpdate"),
    ] {
        let folder = pair(&format!("asks-{asks}"), &fmu(&[("ASKS", asks)], FLAGS), "mass.fmu");
        for more in [&["--record", "left.late"][..], &["--record", "left.late", "--isolate"]] {
            let left = run(&folder, &[more, &["--predict", "linear", "--step", "1e-2"]].concat());
            assert_eq!(left.code, Some(1), "{asks}: {}", left.stderr);
            assert!(left.error().contains(said), "{asks}: {}", left.stderr);
        }
    }
    // One that does not hand its environment back is known all the same.
    let folder = pair("asks-6", &fmu(&[("ASKS", "6")], FLAGS), "mass.fmu");
    let left = run(&folder, &["--method", "waveform:20", "--isolate"]);
    assert!(error(&left) <= 1e-11, "{}", left.stderr);
}

#[test]
fn it_couples_with_an_fmu_of_fmi_2() {
    let folder = pair("mixed", &fmu(&[], FLAGS), "embedded:oscillator2_force");
    let left = run(&folder, &["--method", "waveform:20"]);
    assert!(error(&left) <= 1e-10, "{:e}", error(&left));
}

/// The oscillator of case 1 with our own FMUs, written for a version of FMI.
fn own(fmi: &str) -> PathBuf {
    let folder = make::folder(&format!("own-{fmi}"));
    let done = |left: Left| assert_eq!(left.code, Some(0), "{}\n{}", left.command, left.stderr);
    done(macrostep(&folder, &["fmus", "--out", "fmus", "--fmi", fmi]));
    done(macrostep(&folder, &["convert", "case-1:f-f", "embedded.toml"]));
    let text = std::fs::read_to_string(folder.join("embedded.toml")).expect("a scenario");
    let on_disk: String = text
        .lines()
        .map(|line| match line.strip_prefix("fmu = \"embedded:") {
            Some(name) => format!("fmu = \"fmus/{}.fmu\"\n", name.trim_end_matches('"')),
            None => format!("{line}\n"),
        })
        .collect();
    assert!(on_disk.contains("fmus/oscillator1_force.fmu") && on_disk.contains("fmus/oscillator2_force.fmu"));
    std::fs::write(folder.join("pair.toml"), on_disk).expect("written");
    folder
}

/// As [`run`], of [`own`].
fn run_own(folder: &Path, more: &[&str]) -> Left {
    let record = ["--record", "mass1.x", "--record", "mass1.v", "--record", "mass2.x", "--record", "mass2.v"];
    let mut arguments = vec!["run", "pair.toml", "--out", "out", "--stop", "10"];
    arguments.extend(record.iter().chain(more));
    macrostep(folder, &arguments)
}

#[test]
fn our_own_fmus_are_the_same_in_both_versions() {
    let folders = ["2", "3"].map(own);
    let [two, three] =
        [0, 1].map(|i| run_own(&folders[i], &["--predict", "hold", "--step", "1e-2", "--accept-growth"]));
    assert_eq!(two.code, Some(0), "{}", two.stderr);
    assert!(two.rows.is_some());
    assert_eq!(two.rows, three.rows, "{}", three.stderr);
}

/// The inputs come by the callback alone: there are no derivatives of inputs in FMI 3.0.
#[test]
fn our_own_fmus_ask_inside_their_steps() {
    let folder = own("3");
    let left =
        run_own(&folder, &["--step", "0.2", "--predict", "spectral:16", "--correct", "iqn-ils", "--solution", "exact"]);
    assert!(error(&left) <= 1e-11, "{:e}", error(&left));
    let result = std::fs::read_to_string(folder.join("out/result.json")).expect("result.json");
    let result: serde_json::Value = serde_json::from_str(&result).expect("JSON");
    let steps = |unit: &serde_json::Value| unit["do_steps"].as_u64().expect("steps");
    let steps: Vec<u64> = result["units"].as_array().expect("units").iter().map(steps).collect();
    assert!(steps.len() == 2 && steps.iter().all(|steps| (50..=130).contains(steps)), "{steps:?}");
}

#[test]
fn what_cannot_run_is_refused_by_name() {
    let xml = description(FLAGS);
    let dimension = |inside: &str| {
        let array = format!(
            "<Float64 name=\"a\" valueReference=\"900\" causality=\"local\">{inside}</Float64></ModelVariables>"
        );
        xml.replacen("</ModelVariables>", &array, 1)
    };
    let cases = [
        (xml.replacen("fmiVersion=\"3.0\"", "fmiVersion=\"3.1\"", 1), "`2.0` or `3.0`"),
        (xml[..xml.len() / 2].to_owned(), "modelDescription.xml"),
        (dimension("<Dimension start=\"18446744073709551615\"/><Dimension start=\"2\"/>"), "at most 100000 elements"),
        (dimension("<Dimension valueReference=\"900\"/>"), "structural parameter"),
        (dimension("").replace("\"900\"", "\"3\""), "value reference 3 again"),
        (xml.replacen("<CoSimulation", "<ModelExchange", 1), "for model exchange alone"),
        (
            dimension(
                "</Float64><Clock name=\"c\" valueReference=\"901\"/><Float64 name=\"b\" valueReference=\"902\">",
            ),
            "clocks are not driven",
        ),
    ];
    let library = make::compiled("mass3.c", &[]);
    let folder = make::folder("refused");
    for (xml, said) in cases {
        let entries = [("modelDescription.xml", xml.as_bytes()), ("binaries/x86_64-linux/mass.so", library.as_slice())];
        std::fs::write(folder.join("mass.fmu"), make::archive(&entries)).expect("written");
        let left = macrostep(&folder, &["simulate", "mass.fmu", "--stop", "0.1"]);
        assert_eq!(left.code, Some(1), "{said}: {}", left.stderr);
        assert!(left.error().contains(said), "{said}: {}", left.stderr);
    }
    std::fs::write(folder.join("mass.fmu"), fmu(&[], FLAGS)).expect("written");
    let left = macrostep(&folder, &["simulate", "mass.fmu", "--face", "model-exchange"]);
    assert!(left.error().contains("equations of FMI 3.0"), "{}", left.stderr);
}

/// Two FMUs in a folder whose terminals fit together, but not their names: `mass.fmu`, and one that feels its velocity and answers with a force.
fn with_terminals(name: &str, members: [[&str; 3]; 2]) -> PathBuf {
    let file = |members: [[&str; 3]; 2]| {
        let member = |[member, variable, kind]: [&str; 3]| {
            format!(
                r#"<TerminalMemberVariable memberName="{member}" variableName="{variable}" variableKind="{kind}"/>"#
            )
        };
        format!(
            r#"<fmiTerminalsAndIcons fmiVersion="3.0"><Terminals><Terminal name="flange" matchingRule="plug" terminalKind="translational">{}</Terminal></Terminals></fmiTerminalsAndIcons>"#,
            members.map(member).concat()
        )
    };
    let folder = make::folder(name);
    let write = |to: &str, description: &str, library: (&str, Vec<u8>), members: [[&str; 3]; 2]| {
        let archive = make::archive(&[
            ("modelDescription.xml", description.as_bytes()),
            ("terminalsAndIcons/terminalsAndIcons.xml", file(members).as_bytes()),
            (library.0, &library.1),
        ]);
        std::fs::write(folder.join(to), archive).expect("written");
    };
    let mass = ("binaries/x86_64-linux/mass.so", make::compiled("mass3.c", &[]));
    write("mass.fmu", &description(FLAGS), mass, [["velocity", "v", "signal"], ["force", "f", "inflow"]]);
    let other = (make::LIBRARY_3, make::library(&[("THREE", "1"), ("VERSION", "\"3.0\"")]));
    write("other.fmu", make::XML_3, other, members);
    folder
}

#[test]
fn terminals_that_fit_together_are_connected() {
    let folder = with_terminals("fits", [["force", "x", "outflow"], ["velocity", "u", "signal"]]);
    let new = macrostep(&folder, &["new", "mass.fmu", "other.fmu"]);
    assert_eq!(new.code, Some(0), "{new:#?}");
    for line in ["\"mass.f\" = \"other.x\"", "\"other.u\" = \"mass.v\"", "terminal `flange` with terminal `flange`"] {
        assert!(new.stdout.contains(line), "{line}: {}", new.stdout);
    }
    let run = macrostep(&folder, &["run", "mass.fmu", "other.fmu", "--stop", "0.1", "--out", "out"]);
    assert_eq!(run.code, Some(0), "{run:#?}");
    let info = macrostep(&folder, &["info", "mass.fmu"]);
    assert!(info.stdout.contains("translational, plug: v, f"), "{}", info.stdout);

    // Flows that both count inwards are opposite to each other.
    let folder = with_terminals("opposite", [["force", "x", "inflow"], ["velocity", "u", "signal"]]);
    let new = macrostep(&folder, &["new", "mass.fmu", "other.fmu"]);
    assert!(new.stdout.contains(r#""mass.f" = { from = "other.x", factor = -1.0,"#), "{}", new.stdout);

    // A plug that lacks a member fits nothing, and nothing else speaks for these names.
    let folder = with_terminals("lacks", [["force", "x", "outflow"], ["angle", "u", "signal"]]);
    let new = macrostep(&folder, &["new", "mass.fmu", "other.fmu"]);
    assert!(new.stdout.contains("OPEN: nothing is connected"), "{}", new.stdout);
    // So does one whose kinds do not go together.
    let folder = with_terminals("kinds", [["force", "x", "signal"], ["velocity", "u", "signal"]]);
    let new = macrostep(&folder, &["new", "mass.fmu", "other.fmu"]);
    assert!(new.stdout.contains("OPEN: nothing is connected"), "{}", new.stdout);
}

#[test]
fn a_terminal_of_a_variable_that_is_not_there_is_a_warning() {
    let folder = with_terminals("unknown", [["force", "x", "outflow"], ["velocity", "w", "signal"]]);
    let check = macrostep(&folder, &["check", "other.fmu"]);
    assert_eq!(check.code, Some(0), "{check:#?}");
    let said = format!("{}{}", check.stdout, check.stderr);
    assert!(said.contains("terminal `flange`: found the member `w`, expected a variable of the FMU"), "{said}");
}
