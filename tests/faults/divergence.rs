//! Runs that blow up or do not converge: said in words, with time and signal, and the exit code is 1.

use crate::make;
use crate::run::{Left, error, macrostep};

const SYSTEM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/systems/oscillator-f-s.toml");

fn command(folder: &str, arguments: &[&str]) -> Left {
    macrostep(&make::folder(folder), arguments)
}

fn json(left: &Left) -> serde_json::Value {
    serde_json::from_str(&left.stdout).unwrap_or_else(|e| panic!("{e}: {left:#?}"))
}

#[track_caller]
fn fails(left: &Left, says: &[&str]) {
    assert_eq!(left.code, Some(1), "{left:#?}");
    let error = left.error();
    assert!(says.iter().all(|s| error.contains(s)), "{says:?}: {error}");
}

#[test]
fn an_oscillator_that_blew_up_says_when() {
    let options = ["oscillator", "--coupling", "f-f", "--predict", "quadratic", "--step", "0.1", "--stop", "100"];
    let left = command("divergence/oscillator", &options);
    fails(&left, &["diverged at t = ", " s of 100 s: `mass", "choose a smaller macro step", "verify"]);
    assert!(left.stdout.lines().all(|line| line.chars().count() < 200), "{}", left.stdout);

    let left = command("divergence/oscillator_json", &[&options[..], &["--json"]].concat());
    fails(&left, &["diverged at t = "]);
    let summary = json(&left);
    let (at_s, end_s) = (summary["diverged_at_s"].as_f64(), summary["end_s"].as_f64());
    let last_s = at_s.expect("a time") - 0.1;
    assert!((end_s.expect("a time") - last_s).abs() < 1e-9, "{summary}");
}

/// The coupling is what grows, not the unit that refuses what has grown.
#[test]
fn a_system_that_blew_up_does_not_blame_a_unit() {
    let options = ["run", SYSTEM, "--predict", "quadratic", "--step", "0.25", "--stop", "1000", "--out", "out"];
    let folder = make::folder("divergence/system");
    let left = macrostep(&folder, &options);
    fails(&left, &["diverged at t = ", " of 1000 s: `mass", "verify", "rows up to t = "]);
    assert!(!left.error().contains("fmi2"), "{left:#?}");
    let text = std::fs::read_to_string(folder.join("out/result.json")).expect("the result");
    let summary: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert!(summary["diverged_at_s"].is_f64(), "{summary}");
}

/// Without an interface model the coupling of the crane adds energy, and a run that a unit ends says when.
#[test]
fn a_crane_without_its_interface_model_fails() {
    let options = ["crane", "--predict", "hold", "--schedule", "jacobi", "--force", "end"];
    fails(&command("divergence/crane", &options), &["growing", "power bond `cylinder 1`", "--accept-growth"]);
    let options = ["crane", "--step", "0.064", "--predict", "linear", "--schedule", "jacobi", "--force", "mean"];
    fails(&command("divergence/crane", &options), &["unit `mechanics`", "t = 3."]);
}

#[test]
fn macro_steps_that_did_not_converge_are_counted_and_named() {
    let options = ["oscillator", "--method", "waveform:16", "--coupling", "f-f", "--set", "k_c=30000"];
    let left = command("divergence/unconverged", &[&options[..], &["--json"]].concat());
    fails(&left, &["50 macro steps", "too few nodes", "from t = 0 s", "`mass", "--accept-unconverged"]);
    assert!(json(&left)["unconverged_windows"].as_u64() > Some(0), "{left:#?}");
    let left = command("divergence/accepted", &[&options[..], &["--accept-unconverged"]].concat());
    assert_eq!(left.code, Some(0), "{left:#?}");
    assert!(left.stderr.contains("warning: failed: 50 macro steps"), "{left:#?}");
}

/// As documented: every cell is a row, and none ends the comparison.
#[test]
fn waveforms_on_the_nonlinear_spring_are_rows() {
    let options = [
        "compare",
        "--scenario",
        "nonlinear-spring",
        "--method",
        "waveform:12",
        "--steps",
        "0.2,1",
        "--units",
        "native",
        "--json",
    ];
    let left = command("divergence/compare", &options);
    assert_eq!(left.code, Some(0), "{left:#?}");
    let schemes = json(&left);
    let runs: Vec<&serde_json::Value> =
        schemes.as_array().expect("schemes").iter().flat_map(|s| s["runs"].as_array().expect("runs")).collect();
    assert!(runs.len() >= 8, "{runs:#?}");
    for run in runs {
        let (state, error) = (run["state"].as_str().expect("a state"), run["position"].as_f64());
        assert!(state != "done" || error.is_some_and(|e| e < 1e-5), "{run}");
        assert!(run["step_s"].as_f64() > Some(0.2) || state == "done", "{run}");
    }
}

/// A force that its owner sends is the law of predicted motions, as in the benchmark.
#[test]
fn integrated_accelerations_reach_a_force_that_a_unit_sends() {
    for predict in ["ia0", "ia1", "linear"] {
        let options = ["--predict", predict, "--step", "5e-3", "--json"];
        let system = json(&command("divergence/law_run", &[&["run", SYSTEM], &options[..]].concat()));
        let pair =
            json(&command("divergence/law_pair", &[&["oscillator", "--coupling", "f-s"], &options[..]].concat()));
        for name in ["mass1.x", "mass2.x"] {
            let (found, expected) = (system["final"][name].as_f64(), pair["final"][name].as_f64());
            let off = (found.expect("a value") - expected.expect("a value")).abs();
            assert!(off < 1e-10, "{predict} {name}: {found:?}, {expected:?}");
        }
        if predict == "ia1" {
            assert!(error(&pair, "mass1.x") < 2e-5, "{pair}");
        }
    }
}

#[test]
fn a_force_without_a_law_is_told_to_be_extrapolated() {
    let folder = make::folder("divergence/plain");
    let text = std::fs::read_to_string(SYSTEM).expect("the example");
    let plain = text.replace("{ from = \"mass1.f_c\", law = \"spring\" }", "\"mass1.f_c\"");
    assert!(plain != text);
    std::fs::write(folder.join("plain.toml"), plain).expect("a scenario");
    let left = macrostep(&folder, &["explain", "plain.toml", "--no-run", "--predict", "ia1"]);
    assert!(left.stderr.contains("`mass1.f_c` is not a motion") && left.stderr.contains("O(H^3)"), "{left:#?}");
    let left = macrostep(&folder, &["explain", SYSTEM, "--no-run", "--predict", "ia1"]);
    assert!(!left.stderr.contains("is not a motion") && left.stdout.contains("O(H^4)"), "{left:#?}");
}

#[test]
fn numbers_below_zero_are_numbers() {
    let left = command("divergence/negative", &["oscillator", "--step", "-1"]);
    assert_eq!(left.code, Some(2), "{left:#?}");
    assert!(left.stderr.contains("-1") && left.stderr.contains("a finite number above 0"), "{left:#?}");
}
