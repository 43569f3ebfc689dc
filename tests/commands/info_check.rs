//! `info` and `check` as a user meets them, on the FMUs this program carries.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::LazyLock;

/// The folder with all FMUs, written once: tests run side by side.
static FMUS: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = crate::common::folder(module_path!()).join("verbs");
    std::fs::create_dir_all(&folder).expect("a folder");
    for name in macrostep::embedded::names() {
        let bytes = macrostep::embedded::packed(name).expect("carried");
        std::fs::write(folder.join(format!("{name}.fmu")), bytes).expect("the FMU");
    }
    folder
});

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_macrostep")).args(arguments).current_dir(&*FMUS).output().expect("started")
}

#[test]
fn ours_keep_every_rule() {
    for name in macrostep::embedded::names() {
        let output = run(&["check", &format!("{name}.fmu")]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
}

#[test]
fn what_an_fmu_declares_is_shown() {
    let output = run(&["info", "oscillator1_displacement.fmu", "--json"]);
    let info: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(info["model_identifier"], "oscillator1_displacement");
    assert_eq!(info["capabilities"]["canInterpolateInputs"], true);
    assert_eq!(info["default_experiment"]["stop_time"], 10.0);
    let unit = |name: &str| {
        let units = info["units"].as_array().expect("units");
        units.iter().find(|u| u["name"] == name).cloned().unwrap_or_default()
    };
    assert_eq!(unit("N")["base"]["exponents"], serde_json::json!({ "kg": 1, "m": 1, "s": -2 }));
    let variables = info["variables"].as_array().expect("variables");
    let variable = |name: &str| variables.iter().find(|v| v["name"] == name).cloned().unwrap_or_default();
    assert_eq!(variable("xi")["causality"], "input");
    assert_eq!(variable("m")["start"], 1.0);
    assert_eq!(variable("x")["dependencies"], serde_json::json!([]));
    assert_eq!(variable("f_c")["dependencies"], serde_json::json!(["xi", "xi_dot"]));
    let text = String::from_utf8(run(&["info", "oscillator1_displacement.fmu"]).stdout).expect("UTF-8");
    for part in ["canGetAndSetFMUstate", "xi_dot", "m·s^-1", "kg·m·s^-2"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

/// The verbs for one FMU take the names that scenarios have.
#[test]
fn an_fmu_of_the_program_needs_no_file() {
    for verb in [&["info"][..], &["check"], &["simulate", "--stop", "0.1"]] {
        let by = |fmu: &str| run(&[&[verb[0], fmu], &verb[1..]].concat());
        let (file, name) = (by("heat_rod.fmu"), by("embedded:heat_rod"));
        assert_eq!(name.status.code(), Some(0), "{name:?}");
        // A message may have the name it was asked by, and the time of a run is another each time.
        let text = |output: &Output| {
            let text = String::from_utf8_lossy(&output.stdout).replace("embedded:heat_rod", "heat_rod.fmu");
            let words = text.lines().map(|line| line.split_once(" windows in ").map_or(line, |(rows, _)| rows));
            words.collect::<Vec<_>>().join("\n")
        };
        assert_eq!(text(&name), text(&file), "{verb:?}");
    }
    let unknown = run(&["info", "embedded:heat_bar"]);
    let text = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(unknown.status.code() == Some(1) && text.contains("no FMU `heat_bar`"), "{text}");
}
