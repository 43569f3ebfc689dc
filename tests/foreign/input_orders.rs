//! FMUs that take derivatives of their inputs up to order 1 only, as those of other tools do, and answer higher ones with a warning, an error, or not
//! at all: predictors and waveforms of any degree reach them in lines, and nobody's input is held without a word.

use crate::make;
use crate::run::{Left, macrostep};
use macrostep_oscillator::{Exact, Parameters};
use std::path::{Path, PathBuf};

/// The description of tests/kit/mass.c.
const XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="mass" guid="{mass}">
  <CoSimulation modelIdentifier="mass" canHandleVariableCommunicationStepSize="true" canInterpolateInputs="true"
    canGetAndSetFMUstate="true" canSerializeFMUstate="true"/>
  <DefaultExperiment startTime="0" stopTime="10" stepSize="0.001"/>
  <ModelVariables>
    <ScalarVariable name="f" valueReference="0" causality="input" variability="continuous"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="x" valueReference="1" causality="output" variability="continuous" initial="calculated"><Real/></ScalarVariable>
    <ScalarVariable name="v" valueReference="2" causality="output" variability="continuous" initial="calculated"><Real derivative="2"/></ScalarVariable>
    <ScalarVariable name="m" valueReference="3" causality="parameter" variability="fixed" initial="exact"><Real start="1"/></ScalarVariable>
    <ScalarVariable name="k" valueReference="4" causality="parameter" variability="fixed" initial="exact"><Real start="1"/></ScalarVariable>
    <ScalarVariable name="x0" valueReference="5" causality="parameter" variability="fixed" initial="exact"><Real start="0"/></ScalarVariable>
    <ScalarVariable name="v0" valueReference="6" causality="parameter" variability="fixed" initial="exact"><Real start="0"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure>
    <Outputs><Unknown index="2" dependencies=""/><Unknown index="3" dependencies=""/></Outputs>
    <InitialUnknowns><Unknown index="2"/><Unknown index="3"/></InitialUnknowns>
  </ModelStructure>
</fmiModelDescription>
"#;

/// Two such masses in a folder, and the same of our own FMUs, which take any degree; the law of the spring is in the master.
fn pair(name: &str, answer: &str, takes: &str, description: &str) -> PathBuf {
    let folder = make::folder(name);
    let mut defines = vec![("ANSWER", answer), ("TAKES", takes)];
    if description.contains("canBeInstantiatedOnlyOncePerProcess") {
        defines.push(("ONCE", "1"));
    }
    let library = make::compiled("mass.c", &defines);
    let entries = [("modelDescription.xml", description.as_bytes()), ("binaries/linux64/mass.so", library.as_slice())];
    std::fs::write(folder.join("mass.fmu"), make::archive(&entries)).expect("written");
    let scenario = |left: &str, right: &str| {
        format!(
            r#"
[experiment]
stop = 10.0
step = 0.25

[units.left]
fmu = "{left}"
set = {{ k = 10.0, v0 = 100.0 }}

[units.right]
fmu = "{right}"
set = {{ k = {STIFFNESS:?}, v0 = -100.0 }}

[laws.spring]
kind = "spring-damper"
stiffness = {COUPLING:?}
damping = 0.0
inputs = ["left.x", "left.v", "right.x", "right.v"]
outputs = ["f"]
"#
        )
    };
    // Our FMUs take the force that pulls mass 1 back and mass 2 along.
    let wired = [("mass.fmu", "mass.fmu", -1.0), ("embedded:oscillator1_force", "embedded:oscillator2_force", 1.0)];
    for ((left, right, factor), file) in wired.into_iter().zip(["pair.toml", "own.toml"]) {
        let connections = format!(
            "\n[connections]\n\"left.f\" = {{ from = \"spring.f\", factor = {factor:?} }}\n\"right.f\" = \"spring.f\"\n"
        );
        let mut text = scenario(left, right) + &connections;
        if file == "own.toml" {
            text = text.replace("set = {", "set = { integrator = \"exact\",");
        }
        std::fs::write(folder.join(file), text).expect("written");
    }
    folder
}

/// Springs of mass 2 and between the masses \[N/m\]: ωH of the faster mode is 2.7.
const STIFFNESS: f64 = 100.0;
const COUPLING: f64 = 20.0;

/// Positions at 10 s and amplitudes, by the exact solution.
fn exact() -> ([f64; 2], [f64; 2]) {
    let parameters = Parameters { k: [10.0, STIFFNESS], k_c: COUPLING, ..Parameters::case_1() };
    let exact = Exact::new(&parameters).expect("parameters");
    let end = exact.at(10.0);
    ([end[0], end[1]], exact.amplitudes(10.0))
}

/// Positions at the end of a run.
fn positions(left: &Left) -> [f64; 2] {
    assert_eq!(left.code, Some(0), "{}\n{}", left.command, left.stderr);
    let last = left.rows.as_ref().and_then(|rows| rows.last()).expect("rows");
    let last: Vec<f64> = last.split(',').map(|x| x.parse().expect("a number")).collect();
    assert_eq!(last[0], 10.0);
    // Columns: time, left.x, left.v, right.x, right.v.
    [last[1], last[3]]
}

/// Largest relative error at the end of a run.
fn error(left: &Left) -> f64 {
    let (end, amplitudes) = exact();
    let errors = positions(left).into_iter().zip(end).zip(amplitudes).map(|((x, y), a)| ((x - y) / a).abs());
    errors.fold(0.0, f64::max)
}

fn run(folder: &Path, file: &str, more: &[&str]) -> Left {
    let record = ["--record", "left.x", "--record", "left.v", "--record", "right.x", "--record", "right.v"];
    let mut arguments = vec!["run", file, "--out", "out"];
    arguments.extend(record.iter().chain(more));
    macrostep(folder, &arguments)
}

#[test]
fn waveforms_reach_slaves_that_take_lines_only() {
    for (name, answer, said) in [
        ("warns", "1", "fmi2Warning"),
        ("errs", "3", "fmi2Error"),
        ("ignores", "0", "accepts order 2 and does not use it"),
    ] {
        let folder = pair(name, answer, "1", XML);
        let left = run(&folder, "pair.toml", &["--method", "waveform:8"]);
        assert!(error(&left) <= 1e-5, "{name}: {:e}", error(&left));
        assert!(
            left.stderr.contains("takes input derivatives up to order 1") && left.stderr.contains(said),
            "{}",
            left.stderr
        );
        // The result says it of each unit, too.
        let result = std::fs::read(folder.join("out/result.json")).expect("the result");
        let result: serde_json::Value = serde_json::from_slice(&result).expect("a result");
        for unit in result["units"].as_array().expect("units") {
            let (order, how) = (&unit["input_derivatives"]["order"], unit["input_derivatives"]["how"].as_str());
            assert!(order == 1 && how.is_some_and(|how| how.contains(said)), "{name}: {unit}");
        }
    }
}

#[test]
fn a_smaller_tolerance_makes_shorter_lines() {
    let folder = pair("asked", "1", "1", XML);
    let text = std::fs::read_to_string(folder.join("pair.toml")).expect("read");
    std::fs::write(
        folder.join("pair.toml"),
        format!("{text}\n[coupling]\nmethod = \"waveform:16\"\ncorrector_tolerance = 1e-10\n"),
    )
    .expect("written");
    let left = run(&folder, "pair.toml", &[]);
    assert!(error(&left) <= 1e-8, "{:e}", error(&left));
}

#[test]
fn lines_do_what_polynomials_do() {
    let folder = pair("lines", "0", "1", XML);
    for method in ["quadratic", "poly:3", "h3"] {
        let at = |file| run(&folder, file, &["--predict", method, "--step", "1e-2"]);
        let (lines, polynomials) = (at("pair.toml"), at("own.toml"));
        // The error of extrapolation is much larger than what a line leaves out.
        let [a, b] = [&lines, &polynomials].map(positions);
        let (_, amplitudes) = exact();
        let difference = (0..2).map(|i| ((a[i] - b[i]) / amplitudes[i]).abs()).fold(0.0, f64::max);
        assert!(
            difference < 1e-6 && difference < 1e-2 * error(&polynomials),
            "{method}: {difference:e}, {:e}",
            error(&polynomials)
        );
    }
}

#[test]
fn what_takes_no_derivatives_is_told_and_held_in_sub_steps() {
    let folder = pair("holds", "0", "0", XML);
    let left = run(&folder, "pair.toml", &["--predict", "linear", "--step", "1e-3"]);
    assert_eq!(left.code, Some(0), "{}", left.stderr);
    assert!(left.stderr.contains("accepts order 1 and does not use it"), "{}", left.stderr);
    // The result says it of each unit.
    let result = macrostep(&folder, &["run", "pair.toml", "--predict", "linear", "--step", "1e-3", "--json"]);
    let result: serde_json::Value = serde_json::from_str(&result.stdout).expect("a result");
    for unit in result["units"].as_array().expect("units") {
        let taken = &unit["input_derivatives"];
        assert_eq!(taken["order"], 0, "{unit}");
        assert!(taken["how"].as_str().is_some_and(|how| how.contains("accepts order 1 and does not use it")), "{unit}");
    }
    // One that makes steps of one length gets one line a step, and that is a warning.
    let fixed = XML.replace("canHandleVariableCommunicationStepSize=\"true\"", "");
    let folder = pair("fixed", "0", "1", &fixed);
    let left = run(&folder, "pair.toml", &["--predict", "quadratic", "--step", "1e-3"]);
    assert!(left.stderr.contains("warning") && left.stderr.contains("steps of one length"), "{}", left.stderr);
    assert!(error(&left) < 1e-3, "{:e}", error(&left));
}

#[test]
fn explain_says_what_of_a_polynomial_reaches_a_unit() {
    let fixed = XML.replace("canHandleVariableCommunicationStepSize=\"true\"", "");
    let quadratic: &[&str] = &["--predict", "quadratic"];
    for (name, takes, description, more, way, order) in [
        ("told_held", "0", XML, quadratic, "lag; held at its value in the middle of the step", "O(H^1)"),
        ("told_parts", "1", XML, quadratic, "lag; in parts of degree 1, as many as it needs", "O(H^3)"),
        ("told_one", "1", &fixed, quadratic, "lag; in one part of degree 1, the nearest", "O(H^2)"),
        ("told_hold", "0", XML, &[], "the one-step lag  ", "O(H^1)"),
    ] {
        let folder = pair(name, "0", takes, description);
        let row = |file| {
            let told = macrostep(&folder, &[&["explain", file, "--no-run"], more].concat()).stdout;
            let table = told.split("\nDelays\n").nth(1).expect("the table").split("\n\n").next().expect("rows");
            table.lines().find(|line| line.contains("left.f")).expect("a row").to_owned()
        };
        let [theirs, ours] = ["pair.toml", "own.toml"].map(row);
        assert!(theirs.contains(way) && theirs.contains(order), "{name}: {theirs}");
        // FMUs of ours take all of it.
        let all = if more.is_empty() { "O(H^1)" } else { "O(H^3)" };
        assert!(ours.contains("the one-step lag  ") && ours.contains(all), "{name}: {ours}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_can_be_made_once_in_a_process_gets_one_for_each_run() {
    let once = XML.replace(" canInterpolate", " canBeInstantiatedOnlyOncePerProcess=\"true\" canInterpolate");
    let (once, often) = (pair("once", "0", "1", &once), pair("often", "0", "1", XML));
    let ran = |folder: &Path| run(folder, "pair.toml", &["--predict", "linear", "--step", "1e-2"]);
    // The same rows, though two of them are units of one system, and a second look takes two more.
    assert_eq!(positions(&ran(&once)), positions(&ran(&often)));
    for words in [
        &["verify", "pair.toml", "--step", "1e-2", "--predict", "linear", "--stop", "1"][..],
        &["stability", "pair.toml", "--predict", "linear", "--stop", "1"],
        &[
            "sweep",
            "pair.toml",
            "--vary",
            "step=0.01,0.02",
            "--measure",
            "end=last(left.x)",
            "--stop",
            "1",
            "--workers",
            "2",
            "--out",
            "s",
        ],
    ] {
        let left = macrostep(&once, words);
        assert_eq!(left.code, Some(0), "{}\n{}", left.command, left.stderr);
    }
    let rows = std::fs::read_to_string(once.join("s/runs.csv")).expect("rows");
    assert_eq!(rows.matches(",ok").count(), 2, "{rows}");
}
