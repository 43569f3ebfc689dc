//! `macrostep crane` and `macrostep actuator` as a user types them.

use std::path::Path;

use crate::run::{json, program as macrostep};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|v| v.as_f64().expect("a number")).collect()
}

#[test]
fn the_crane_says_all_it_must() {
    let found = json(&["crane", "--step", "0.016", "--reference", "--stop", "3.2", "--json"]);
    assert_eq!(found["stable"], true);
    assert_eq!([&found["joint_rows"], &found["joint_rank"], &found["mobility"]], [100, 95, 13]);
    let (speed, force) = (numbers(&found["rms_velocity"]), numbers(&found["rms_force"]));
    assert!(speed.len() == 2 && speed.iter().all(|e| *e > 0.0 && *e < 5e-3), "{speed:?}");
    assert!(force.len() == 2 && force.iter().all(|e| *e > 0.0 && *e < 5e3), "{force:?}");
    assert!(found["max_violation_m"].as_f64().expect("a number") <= 1e-5);
    assert!(found["real_time_factor"].as_f64().expect("a number") > 0.0);
    assert!(found["max_interface_speed"].as_f64().expect("a number") < 0.5);
    assert!(found["energy_mismatch_j"].as_f64().expect("a number") < 50.0);
    let heights = found["log_height"].as_array().expect("a list");
    assert_eq!(heights.len(), 201);
    let last = numbers(&heights[200]);
    assert!((last[0] - 3.2).abs() < 1e-9 && (last[1] - 0.25).abs() < 0.01, "{last:?}");
}

#[test]
fn every_option_chooses_what_it_says() {
    let common = ["actuator", "--units", "native", "--json", "--step", "0.004"];
    let run = |more: &[&str]| json(&[&common[..], more].concat());
    let best = run(&[]);
    assert_eq!(best["stable"], true);
    assert_eq!(best["units"], "native");
    // The pressures are limited: an unstable run goes on to its end.
    let unstable = ["--predict", "hold", "--schedule", "jacobi", "--force", "end"];
    let other = run(&[&unstable[..], &["--accept-growth"]].concat());
    assert_eq!((&other["stable"], &other["verdict"]["grade"]), (&false.into(), &"growing".into()));
    // It is a failure where nobody accepts it.
    let refused = macrostep(&[&common[..], &unstable].concat());
    assert_eq!(refused.status.code(), Some(1));
    let scheme = &other["scenario"]["scheme"];
    assert_eq!([&scheme["prediction"], &scheme["order"], &scheme["delivery"]], ["hold", "jacobi", "end"]);
    // Steps are repeated unless that is not wanted.
    let once = run(&["--repeat", "0"]);
    let repeated = |run: &Value| run["scenario"]["scheme"]["repeat"].clone();
    assert_eq!((once["stable"].as_bool(), repeated(&once), repeated(&best)), (Some(true), 0.into(), 2.into()));
    assert!(once["do_steps"][0].as_u64() < best["do_steps"][0].as_u64());
    let ahead = run(&["--lookahead"]);
    assert_eq!(ahead["scenario"]["scheme"]["look_ahead"], true);
    assert_ne!(numbers(&ahead["rms_force"]), numbers(&best["rms_force"]));
    let master = run(&["--place", "master"]);
    let apart = (numbers(&master["rms_velocity"])[0] - numbers(&best["rms_velocity"])[0]).abs();
    assert!(apart < 1e-9, "{apart:e}");
    assert!(best.get("log_height").is_none() && best.get("joint_rank").is_none());
}

#[test]
fn what_does_not_fit_is_a_usage_error() {
    for (arguments, words) in [
        (vec!["crane", "--step", "0.0163"], "multiple of the micro step 0.0002 s"),
        (vec!["crane", "--step", "0.016", "--stop", "0.01"], "the run is shorter than one macro step"),
        (vec!["crane", "--predict", "hold", "--place", "master"], "interface model"),
        (vec!["actuator", "--predict", "quadratic"], "invalid value"),
        (vec!["actuator", "--manoeuvre", "slewing"], "unexpected argument"),
    ] {
        let output = macrostep(&arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(words), "{arguments:?}: {message}");
    }
}

/// The page holds the motion and asks for nothing outside itself.
/// All macro steps have one length: where they do not make up the run, it ends before, and says so.
#[test]
fn a_run_that_ends_before_its_stop_time_says_so() {
    for (stop, is_told) in [("0.1", true), ("0.096", false)] {
        let output = macrostep(&["crane", "--units", "native", "--json", "--step", "0.048", "--stop", stop]);
        assert!(output.status.success(), "{output:?}");
        let told = String::from_utf8_lossy(&output.stderr).contains("the run ends at 0.096 s");
        assert_eq!(told, is_told, "{output:?}");
    }
}

#[test]
fn the_animation_is_one_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_str().expect("a path");
    let output = macrostep(&["crane", "--step", "0.016", "--stop", "1", "--manoeuvre", "oblique", "--out", out]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for name in ["trace.csv", "scenario.toml", "result.json", "interface.svg", "interface.png", "crane.html"] {
        assert!(folder.path().join(name).exists(), "{name}");
    }
    let page = std::fs::read_to_string(folder.path().join("crane.html")).expect("the page");
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "`{outside}` in the page");
    }
    let data = page.split("type=\"application/json\">").nth(1).and_then(|p| p.split("</script>").next()).expect("data");
    let data: Value = serde_json::from_str(data).expect("JSON");
    assert_eq!(data["bodies"].as_array().expect("bodies").len(), 18);
    assert!(data["bodies"].as_array().expect("bodies").iter().all(|b| !b.as_array().expect("parts").is_empty()));
    let frames = data["frames"].as_array().expect("frames");
    assert!((28..=32).contains(&frames.len()), "{}", frames.len());
    assert_eq!(frames[0]["p"].as_array().expect("poses").len(), 18);
    has_all_rows(folder.path());
}

/// The trace has a row a macro step.
fn has_all_rows(folder: &Path) {
    let trace = std::fs::read_to_string(folder.join("trace.csv")).expect("the trace");
    assert_eq!(trace.lines().count(), 64);
    assert!(trace.starts_with("time,s1,s2,w1,w2,lam1,lam2,e_kin,"), "{}", trace.lines().next().unwrap_or_default());
}

/// Rows, poses and result of a run that goes on from a checkpoint, and of one with slaves in processes of their own.
#[test]
fn a_run_that_goes_on_is_the_whole_run() {
    for run in [&["crane", "--stop", "1.6", "--manoeuvre", "oblique"][..], &["actuator"]] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name).display().to_string();
        let (out, kept) = (path("out"), path("kept"));
        let result = |more: &[&str]| {
            let mut result = json(&[run, &["--json", "--out", &out], more].concat());
            result.as_object_mut().expect("an object").remove("real_time_factor");
            let texts = ["trace.csv", "crane.html"]
                .map(|name| std::fs::read_to_string(folder.path().join("out").join(name)).ok());
            (result, texts)
        };
        let whole = result(&["--checkpoint", &kept, "--checkpoint-every", "37"]);
        assert!(whole.1[0].as_ref().is_some_and(|rows| rows.lines().count() > 100));
        assert!(result(&["--resume", &kept]) == whole, "{run:?}");
        let other = macrostep(&[run, &["--resume", &kept, "--lookahead"]].concat());
        let said = String::from_utf8_lossy(&other.stderr).into_owned();
        assert!(other.status.code() == Some(1) && said.contains("look_ahead = false"), "{said}");
        if cfg!(target_os = "linux") {
            let mut isolated = result(&["--isolate"]);
            assert_eq!(isolated.0["units"].take(), "isolated");
            isolated.0["units"] = whole.0["units"].clone();
            assert!(isolated == whole, "{run:?}");
        }
    }
}
