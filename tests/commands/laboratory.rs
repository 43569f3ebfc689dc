//! The verbs of the laboratory as a user meets them: keys of their JSON, files, refusals.

use crate::run::{json, program as macrostep};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// An empty folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = crate::common::folder(module_path!()).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn written(folder: &Path, files: &[&str]) {
    for file in files {
        let size = std::fs::metadata(folder.join(file)).unwrap_or_else(|e| panic!("{file}: {e}")).len();
        assert!(size > 100, "{file} has {size} bytes");
    }
}

#[test]
fn stability_says_what_its_fraction_belongs_to() {
    let out = folder("stability");
    let place = out.to_str().expect("UTF-8");
    let few = ["--coupling", "f-f", "--schedule", "jacobi", "--predict", "ia0,quadratic", "--grid", "11"];
    let found = json(&[&["stability", "--json", "--out", place], few.as_slice()].concat());
    assert_eq!(found.as_array().map(Vec::len), Some(2));
    assert_eq!(found[0]["scheme"], "F/F jacobi ia0");
    assert_eq!(found[0]["grid"], serde_json::json!([11, 11]));
    assert_eq!(found[0]["window"]["re"], serde_json::json!([-3.0, 0.0]));
    assert!(found[0]["stable_fraction"].as_f64() > found[1]["stable_fraction"].as_f64());
    assert_eq!(found[0]["limits"].as_array().map(Vec::len), Some(7));
    written(&out, &["stability.csv", "stability.json", "stability.svg", "stability.png"]);
}

#[test]
fn stability_of_a_scenario_is_over_its_macro_step() {
    let few = ["--coupling", "f-f", "--schedule", "jacobi", "--predict", "hold,ia0", "--grid", "5"];
    let found = json(&[&["stability", "--json", "--scenario", "test-model"], few.as_slice()].concat());
    let limit = found[0]["limits"]["step_s"].as_f64().expect("hold grows at last");
    assert!((0.05..0.1).contains(&limit), "{limit}");
    assert!(found[1]["limits"]["step_s"].is_null());
}

/// Macro steps that are chosen are multiples of what units allow.
#[test]
fn steps_are_such_as_units_take() {
    let system = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/commands/block-on-spring.toml");
    let few = [system, "--schedule", "jacobi", "--predict", "hold", "--json"];
    let are_multiples = |steps: &[f64]| steps.iter().all(|h| (h / 2e-4 - (h / 2e-4).round()).abs() < 1e-9 * h / 2e-4);
    // The same steps are chosen for `compare`.
    let found = json(&[&["converge"][..], &few].concat());
    let chosen = found[0]["errors"]["global"].as_array().expect("runs").iter();
    let chosen: Vec<f64> = chosen.map(|run| run["step_s"].as_f64().expect("a step")).collect();
    assert!(chosen.len() > 3 && are_multiples(&chosen), "{chosen:?}");
    assert!(found[0]["told"].as_array().is_none_or(Vec::is_empty), "{found}");
    // Growth, with a limit that is one of them.
    let range = ["--grid", "4", "--steps", "2e-4,0.1"];
    let found = json(&[&["stability"][..], &few, &range].concat());
    let steps: Vec<f64> = found[0]["step_s"].as_array().expect("steps").iter().filter_map(Value::as_f64).collect();
    assert!(steps.len() > 8 && are_multiples(&steps) && steps.is_sorted(), "{steps:?}");
    assert!(found[0]["failed"].is_null() && found[0]["unknown"].is_null(), "{found}");
    assert!(found[0]["limits"]["step_s"].as_f64().is_some_and(|h| are_multiples(&[h])), "{found}");
}

/// Rows, JSON and files are there, however many of the schemes fail.
#[test]
fn schemes_without_a_map_fail_stability_of_a_scenario() {
    let out = folder("failed");
    let place = out.to_str().expect("UTF-8");
    let few = ["--coupling", "f-f", "--schedule", "jacobi", "--energy", "nepce", "--grid", "2", "--out", place];
    for (predict, says) in [("linear", "error: "), ("hold,linear", "2 of 2 schemes failed")] {
        let output = macrostep(&[&["stability", "test-model", "--json", "--predict", predict], &few[..]].concat());
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains(says), "{message}");
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("rows");
        assert!(found.as_array().is_some_and(|rows| rows.iter().all(|row| row["failed"].is_string())), "{found}");
        written(&out, &["growth.json"]);
    }
}

#[test]
fn converge_and_compare_print_and_write() {
    let out = folder("lab");
    let place = out.to_str().expect("UTF-8");
    let few = ["--coupling", "s-s", "--schedule", "jacobi", "--predict", "linear,ia0", "--out", place, "--json"];
    let found = json(&[&["converge"], few.as_slice()].concat());
    for n in 0..2 {
        let order = found[n]["orders"]["global"]["position"].as_f64().expect("an order");
        assert!((order - 2.0).abs() < 0.1, "{order}");
    }
    let found = json(&[&["compare", "--stop", "1"], few.as_slice()].concat());
    let runs = found[1]["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 6);
    assert!(runs[5]["position"].as_f64() < runs[0]["position"].as_f64());
    assert_eq!(runs[0]["units"], "fmu");
    written(&out, &["converge.csv", "convergence.png", "converge.md", "compare.csv", "compare.png", "compare.json"]);
}

/// Named methods, corrections of energy and chosen steps stand beside each other in one comparison.
#[test]
fn every_kind_of_scheme_can_be_compared() {
    let found =
        json(&["compare", "--coupling", "s-s", "--method", "jerk,waveform:12,palindromic", "--stop", "2", "--json"]);
    let schemes: Vec<&str> = found.as_array().expect("schemes").iter().filter_map(|s| s["scheme"].as_str()).collect();
    assert_eq!(schemes, ["D/D gs21 jerk:3", "D/D gs21 spectral:12 newton", "D/D palindromic hold"]);
    let best = |n: usize| {
        let runs = found[n]["runs"].as_array().expect("runs");
        runs.iter().filter_map(|run| run["position"].as_f64()).fold(f64::INFINITY, f64::min)
    };
    assert!(best(0) < 1e-6 && best(1) < 1e-8 && best(2) < 1e-3, "{} {} {}", best(0), best(1), best(2));

    let few = ["--coupling", "f-f", "--schedule", "jacobi", "--predict", "linear", "--stop", "2", "--steps", "4e-3"];
    let rest = ["--energy", "monitor,nepce", "--control", "fixed,error", "--control-tolerance", "1e-2,1e-4", "--json"];
    let found = json(&[&["compare"], few.as_slice(), rest.as_slice()].concat());
    let names: Vec<&str> = found.as_array().expect("schemes").iter().filter_map(|s| s["scheme"].as_str()).collect();
    assert_eq!(
        names[1..],
        ["F/F jacobi linear control error", "F/F jacobi linear nepce", "F/F jacobi linear nepce control error"]
    );
    assert_eq!(found[1]["runs"].as_array().map(Vec::len), Some(2));
    assert_eq!(found[1]["runs"][0]["control_tolerance"], 1e-2);
    assert!(found[2]["runs"][0]["position"].as_f64() < found[0]["runs"][0]["position"].as_f64());
}

#[test]
fn advice_is_applied() {
    let found = json(&["advise", "--scenario", "test-model", "--apply", "--json"]);
    let ratio = found["applied"]["measured_over_predicted"].as_f64().expect("a number");
    assert!((1.0 / 3.0..3.0).contains(&ratio), "{ratio}");
    assert!(found["applied"]["measured_error"].as_f64() < Some(1e-3));
    for key in ["advice", "candidates", "first_guess", "connections", "loop_gain", "units"] {
        assert!(!found[key].is_null(), "{key}");
    }
}

#[test]
fn what_makes_no_sense_is_usage() {
    for arguments in [
        ["stability", "--re", "0,1"],
        ["stability", "--ratio", "m22=1"],
        ["converge", "--scenario", "nothing"],
        ["compare", "--steps", "-1"],
        ["advise", "--scenario", "model"],
        ["converge", "--control", "error"],
        ["stability", "--control", "ecco"],
        ["compare", "--method", "waveform:1"],
        ["converge", "--method", "waveform"],
        ["stability", "--method", "waveform"],
    ] {
        let output = macrostep(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let refused = macrostep(&["compare", "--schedule", "palindromic", "--correct", "newton"]);
    let words = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(words.contains("`--schedule palindromic` cannot be combined with `--correct newton`"), "{words}");
    let refused = macrostep(&["stability", "--energy", "nepce", "--predict", "linear"]);
    let words = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(words.contains("F/D jacobi linear nepce") || words.contains("linear nepce"), "{words}");
    let refused = macrostep(&["converge", "--scenario", "cylinder", "--coupling", "s-s"]);
    let words = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(words.contains("error: `--coupling s-s`: the scenario has `f-s`"), "{words}");
}

const PAIR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/systems/oscillator-f-s.toml");

/// All verbs take a file as they take a name.
#[test]
fn every_answer_is_there_for_a_file() {
    let advice = json(&["advise", PAIR, "--stop", "1", "--tolerance", "1e-3", "--apply", "--limit", "1000", "--json"]);
    let number = |key: &str| advice[key].as_f64().unwrap_or_else(|| panic!("{key}: {}", advice[key]));
    let ratio = number("measured_error") / number("predicted_error");
    assert!((0.5..=2.0).contains(&ratio), "{ratio}");
    assert!(number("do_steps") > 0.0 && number("reference_error") < 1e-4);
    for key in ["schedule", "predict", "correct", "step"] {
        assert!(!advice["advised"][key].is_null(), "{key}");
    }
    // These FMUs offer all that a method may need.
    assert_eq!(advice["left_out"], serde_json::json!([]));
    let found = json(&["converge", PAIR, "--stop", "1", "--schedule", "jacobi", "--predict", "linear", "--json"]);
    let order = found[0]["orders"]["global"]["position"].as_f64().expect("an order");
    assert!((order - 2.0).abs() < 0.2, "{order}");
    assert_eq!(found[0]["errors"]["local"], serde_json::json!([]));
    let found = json(&["compare", "--scenario", PAIR, "--stop", "1", "--repeat", "1", "--json"]);
    assert_eq!(found[0]["scheme"], "jacobi linear");
    assert!(found[0]["runs"][5]["position"].as_f64() < found[0]["runs"][0]["position"].as_f64());
    assert!(found[0]["runs"][0]["velocity"].is_null());
    let found = json(&["stability", PAIR, "--predict", "hold", "--grid", "2", "--json"]);
    assert_eq!(found[0]["source"], "perturbed-runs");
    assert!(found[0]["limits"]["step_s"].as_f64().is_some());
    let found = json(&["energy", PAIR, "--stop", "1", "--json"]);
    assert_eq!(found.as_array().map(Vec::len), Some(3));
    // An end between two steps is moved, and said; steps that would not end are refused.
    let moved = macrostep(&["energy", PAIR, "--stop", "1", "--step", "0.03", "--json"]);
    let lines: serde_json::Value = serde_json::from_slice(&moved.stdout).expect("JSON");
    assert!((lines[0]["stop_s"].as_f64().expect("an end") - 0.99).abs() < 1e-12, "{lines}");
    assert!(String::from_utf8_lossy(&moved.stderr).contains("the runs end at 0.99 s"), "{moved:?}");
    let endless = macrostep(&["energy", PAIR, "--stop", "1", "--step", "1e-12"]);
    assert_eq!(endless.status.code(), Some(2), "{endless:?}");
}

/// `verify --tolerance` answers, and its answer holds.
#[test]
fn a_tolerance_is_met_or_not() {
    let few = ["verify", PAIR, "--stop", "1", "--predict", "linear", "--json"];
    let output = macrostep(&[&few[..], &["--tolerance", "3e-4"]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(found["is_met"], false);
    let outputs = found["outputs"].as_array().expect("outputs");
    let relative = |n: usize| {
        outputs[n]["error_bar"].as_f64().expect("a bar") / outputs[n]["amplitude"].as_f64().expect("an amplitude")
    };
    assert!((1..outputs.len()).all(|n| relative(n) <= relative(n - 1)), "the worst are first");
    assert!(found["verdict"].as_str().is_some_and(|v| v.starts_with("H = 1 ms: ")), "{}", found["verdict"]);
    let step = found["step_for_tolerance_s"].as_f64().expect("a step").to_string();
    let met = json(&[&few[..], &["--tolerance", "3e-4", "--step", &step]].concat());
    assert_eq!(met["is_met"], true);
    assert!(!found["method_for_tolerance"].is_null(), "{}", found["verdict"]);
    // Hold makes this pair grow.
    let grows = json(&["verify", PAIR, "--stop", "10", "--predict", "hold", "--step", "2e-2", "--json"]);
    assert_eq!(grows["growing"], true, "{}", grows["verdict"]);
    // From steps this long no order is seen that holds for a short one: 434.8 µs was promised once, and has 10 %.
    let long = ["verify", PAIR, "--stop", "10", "--predict", "hold", "--step", "1e-2", "--tolerance", "1e-2", "--json"];
    let output = macrostep(&long);
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(found["step_for_tolerance_s"].is_null(), "{}", found["verdict"]);
    assert!(found["verdict"].as_str().is_some_and(|v| v.contains("`--step 0.0025`")), "{}", found["verdict"]);
}

/// The jerk of a mass under a force depends on the rate of the force, which no method but `jerk` sends: its error does not shrink
/// with the step, and no error bar is given.
#[test]
fn what_depends_on_derivatives_of_inputs_has_no_error_bar() {
    let output = macrostep(&["verify", PAIR, "--stop", "1", "--json"]);
    assert!(output.status.success(), "{output:?}");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let outputs = found["outputs"].as_array().expect("a list");
    let names: Vec<&str> = outputs.iter().filter_map(|o| o["name"].as_str()).collect();
    assert!(names.contains(&"mass2.a") && names.iter().all(|name| !name.ends_with(".jerk")), "{names:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("depend on derivatives of inputs"), "{output:?}");
}

/// A bound on the error does not hold for such outputs, and says so.
#[test]
fn a_bound_names_what_it_does_not_hold_for() {
    let path = crate::common::folder(module_path!()).join("bounded.toml");
    let text = std::fs::read_to_string(PAIR).expect("the example");
    std::fs::write(&path, text.replace("stop = 10.0", "stop = 1.0\nerror = 1e-2")).expect("written");
    let output = macrostep(&["run", path.to_str().expect("UTF-8"), "--json"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("depend on derivatives of inputs"), "{said}");
}

/// A tolerance that no output is held against is not met.
#[test]
fn a_tolerance_of_nothing_is_not_met() {
    let output = macrostep(&["verify", PAIR, "--stop", "1", "--record", "mass1.m", "--tolerance", "1e-2", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(found["is_met"], false);
    assert!(String::from_utf8_lossy(&output.stderr).contains("`--record`"), "{output:?}");
}

/// Nodes that are too few are named in the rows of a comparison.
#[test]
fn too_few_nodes_are_named_in_the_rows() {
    let few = ["--coupling", "s-s", "--method", "waveform:8", "--steps", "0.5", "--stop", "2", "--json"];
    let found = json(&[&["compare"], few.as_slice()].concat());
    let state = found[0]["runs"][0]["state"].as_str().expect("a state");
    assert!(state.contains("too few nodes") || state.contains("unconverged"), "{state}");
    let found = json(&[&["converge", "case-1"], few.as_slice()].concat());
    assert!(found[0]["told"].as_array().is_some_and(|t| !t.is_empty()), "{}", found[0]["told"]);
}
