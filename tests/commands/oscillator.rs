//! `macrostep oscillator`: its output, its files and its exit codes.

use crate::run::{self, program as macrostep};
use std::path::PathBuf;

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// An empty folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = crate::common::folder(module_path!()).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn json(arguments: &[&str]) -> serde_json::Value {
    run::json(&[&["oscillator", "--json"], arguments].concat())
}

#[test]
fn json_has_every_key_of_the_contract() {
    let result = json(&["--stop", "1"]);
    for path in [
        "/final/x1",
        "/final/v1",
        "/final/x2",
        "/final/v2",
        "/error/x1",
        "/error/x2",
        "/error/max_relative_position",
        "/energy/max_relative_drift",
        "/energy/final",
        "/do_steps/0",
        "/do_steps/1",
        "/wall_s",
    ] {
        assert!(result.pointer(path).is_some_and(serde_json::Value::is_number), "{path}: {result}");
    }
    assert!(result["units"].is_string());
    let error = |key: &str| result["error"][key].as_f64().expect("a number");
    assert_eq!(error("max_relative_position"), error("x1").max(error("x2")));
}

#[test]
fn every_default_is_in_the_scenario() {
    let scenario = json(&["--stop", "0.1", "--rate", "6/4", "--set", "k_c=50"])["scenario"].clone();
    let expected = [
        ("case", "1"),
        ("coupling", "f-s"),
        ("schedule", "jacobi"),
        ("predict", "linear"),
        ("gs_variant", "h3"),
        ("correct", "explicit"),
        ("rate", "3/2"),
        ("fast", "2"),
        ("integrator", "exact"),
        ("start", "ramp"),
        ("sampling", "updated"),
        ("derivative", "passed"),
        ("units", "fmu"),
    ];
    for (key, value) in expected {
        assert_eq!(scenario[key], value, "{key}");
    }
    assert_eq!(scenario["step_s"], 1e-3);
    assert_eq!(scenario["record_every"], 1);
    assert_eq!(scenario["parameters"]["k_c"], 50.0);
    assert_eq!(scenario["parameters"]["k2"], 1000.0);
    assert!((scenario["macro_s"][1].as_f64().expect("a number") - 1e-3 / 1.5).abs() < 1e-18);
}

/// Error and calls of `fmi2DoStep` of the named methods, the Jacobian included, for both cases.
#[test]
fn named_methods_keep_their_promises() {
    for case in ["1", "2"] {
        for (method, error, steps) in
            [("jerk", 3e-6, 1000), ("waveform:12", 2e-8, 150), ("waveform:16", 1e-12, 150), ("waveform", 1e-12, 150)]
        {
            let result = json(&["--case", case, "--method", method]);
            let found = result["error"]["max_relative_position"].as_f64().expect("a number");
            assert!(found <= error, "{method}, case {case}: {found:e}");
            for i in 0..2 {
                assert!(result["do_steps"][i].as_u64().expect("a number") <= steps, "{method}: {}", result["do_steps"]);
            }
            assert_eq!((&result["units"], &result["scenario"]["method"]), (&"fmu".into(), &method.into()));
        }
        let result = json(&["--case", case, "--method", "palindromic", "--step", "1e-2"]);
        assert_eq!(result["do_steps"], serde_json::json!([1001, 1000]));
        let drift = result["energy"]["max_relative_drift"].as_f64().expect("a number");
        assert!(if case == "1" { drift < 1e-12 } else { drift < 1e-3 }, "case {case}: {drift:e}");
    }
}

#[test]
fn energy_and_control_are_in_the_result() {
    let result = json(&["--stop", "1", "--coupling", "f-f", "--energy", "nepce"]);
    assert_eq!((&result["scenario"]["energy"], &result["control"]), (&"nepce".into(), &serde_json::Value::Null));
    for key in ["residual_energy_j", "residual_energy_max_j", "residual_power_max_w"] {
        assert!(result["power_bonds"][0][key].is_number(), "{key}: {result}");
    }
    let result = json(&["--stop", "1", "--step", "0.1", "--control", "error", "--control-tolerance", "1e-3"]);
    let course = &result["control"];
    for key in ["windows", "rejected", "window_min_s", "window_max_s", "degree_min", "degree_max"] {
        assert!(course[key].is_number(), "{key}: {result}");
    }
    let steps = course["windows"].as_u64().expect("a number") + course["rejected"].as_u64().expect("a number");
    assert_eq!(result["do_steps"], serde_json::json!([steps, steps]));
}

/// `energy` says of the built-in system what the oscillator says, to the last bit: both corrections make residual energy small.
#[test]
fn energy_of_a_system_is_that_of_the_oscillator() {
    for case in ["1", "2"] {
        let system = format!("case-{case}:f-f");
        let options = ["--predict", "hold", "--stop", "5"];
        let lines = run::json(&[&["energy", &system, "--json"], &options[..]].concat());
        assert_eq!(lines.as_array().map(Vec::len), Some(3));
        let residual_j = |line: usize| lines[line]["residual_energy_j"].as_f64().expect("a number");
        for (line, energy) in ["monitor", "nepce", "leak"].into_iter().enumerate() {
            let cut = ["--case", case, "--coupling", "f-f", "--energy", energy, "--accept-growth"];
            let alone = json(&[&cut[..], &options].concat());
            assert_eq!(lines[line]["energy"], energy);
            assert_eq!(alone["power_bonds"][0]["residual_energy_j"].as_f64(), Some(residual_j(line)), "{energy}");
        }
        let smaller = |line: usize| residual_j(0) / residual_j(line);
        assert!(smaller(1) > 100.0 && smaller(2) > 100.0, "{lines}");
    }
}

/// What `energy` no longer takes, or would override, is refused with what is typed now.
#[test]
fn energy_names_what_is_typed_now() {
    for (arguments, words) in [
        (&["energy"][..], "write `macrostep energy case-1:f-f`"),
        (&["energy", "--coupling", "f-f"], "write `macrostep energy case-1:f-f`"),
        (&["energy", "case-1", "--energy", "leak"], "`--energy leak` cannot be combined with `macrostep energy`"),
        (&["energy", "case-1", "--control", "error"], "`--control` cannot be combined with `macrostep energy`"),
    ] {
        let output = macrostep(arguments);
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(words), "{arguments:?}: {said}");
    }
}

#[test]
fn what_makes_no_sense_ends_with_2_and_names_both_options() {
    let cases: [(&[&str], [&str; 2]); 20] = [
        (&["--fast", "1"], ["`--fast 1`", "`--rate 1`"]),
        (&["--step", "3e-3"], ["`--stop 10`", "`--step 0.003`"]),
        (&["--step", "1e-9"], ["`--stop 10`", "`--step 0.000000001`"]),
        (&["--micro", "1e-4"], ["`--micro 0.0001`", "`--integrator exact`"]),
        (&["--micro", "3e-4", "--integrator", "rk4"], ["`--micro 0.0003`", "`--step 0.001`"]),
        (&["--micro", "1e-3", "--rate", "2", "--integrator", "sie"], ["`--micro 0.001`", "`--rate 2`"]),
        (&["--rate", "7/3", "--stop", "1e-3"], ["`--rate 7/3`", "`--stop 0.001`"]),
        (&["--sampling", "lagged", "--coupling", "f-f"], ["`--sampling lagged`", "`--coupling f-f`"]),
        (&["--derivative", "numdiff", "--coupling", "f-f"], ["`--derivative numdiff`", "`--coupling f-f`"]),
        (&["--gs-variant", "n1", "--schedule", "gs12"], ["`--gs-variant n1`", "`--predict linear`"]),
        (&["--gs-variant", "n1", "--predict", "ia1"], ["`--gs-variant n1`", "`--schedule jacobi`"]),
        (&["--derivative", "numdiff", "--predict", "ia1"], ["`--derivative numdiff`", "`--predict ia1`"]),
        (&["--method", "jerk", "--predict", "hold"], ["`--method jerk`", "`--predict hold`"]),
        (&["--method", "waveform:16", "--schedule", "jacobi"], ["`--method waveform:16`", "`--schedule jacobi`"]),
        (&["--schedule", "palindromic", "--rate", "2"], ["`--schedule palindromic`", "`--rate 2`"]),
        (&["--schedule", "palindromic", "--correct", "newton"], ["`--schedule palindromic`", "`--correct newton`"]),
        (&["--schedule", "palindromic", "--control", "error"], ["`--schedule palindromic`", "`--control error`"]),
        (&["--schedule", "palindromic", "--energy", "nepce"], ["`--schedule palindromic`", "`--energy nepce`"]),
        (&["--control-tolerance", "1e-3"], ["`--control-tolerance 0.001`", "`--control fixed`"]),
        (&["--set", "m1=1", "--set", "m1=2"], ["`--set m1=1`", "`--set m1=2`"]),
    ];
    for (arguments, names) in cases {
        let output = macrostep(&[&["oscillator"], arguments].concat());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(names.iter().all(|name| said.contains(name)), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty() && !said.trim_end().ends_with('.'), "{said}");
    }
}

#[test]
fn a_value_that_is_none_ends_with_2() {
    for arguments in [
        ["--case", "3"],
        ["--predict", "cubic"],
        ["--rate", "0.5"],
        ["--step", "0"],
        ["--step", "nan"],
        ["--record-every", "0"],
        ["--set", "m1"],
        ["--set", "m1=-1"],
        ["--set", "mass=1"],
        ["--nonsense", "1"],
    ] {
        let output = macrostep(&[&["oscillator"], arguments.as_slice()].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).starts_with("error: "), "{}", text(&output.stderr));
    }
}

#[test]
fn a_tolerance_that_is_not_kept_ends_with_3_after_the_result() {
    let output = macrostep(&["oscillator", "--stop", "1", "--step", "1e-2", "--tolerance", "1e-15", "--json"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stdout).starts_with('{'));
    assert!(text(&output.stderr).contains("`--tolerance`"));
    let output = macrostep(&["oscillator", "--stop", "1", "--step", "1e-2", "--tolerance", "10"]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_folder_that_cannot_be_made_ends_with_1_and_is_named() {
    let file = folder("not_a_folder");
    std::fs::write(&file, "a file").expect("written");
    let below = file.join("out");
    let output = macrostep(&["oscillator", "--stop", "0.1", "--out", below.to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("not_a_folder"), "{}", text(&output.stderr));
}

#[test]
fn files_hold_what_was_printed() {
    let out = folder("oscillator");
    let path = out.to_str().expect("UTF-8");
    let result = json(&["--stop", "1", "--record-every", "7", "--out", path]);

    let trace = std::fs::read_to_string(out.join("trace.csv")).expect("a trace");
    let rows: Vec<&str> = trace.lines().collect();
    assert!(rows[0].starts_with("time,x1,v1,x2,v2,coupling_force,"), "{}", rows[0]);
    // Points 0, 7, …, 994 and the last.
    assert_eq!(rows.len(), 1 + 143 + 1);
    let last: Vec<f64> = rows[144].split(',').map(|field| field.parse().expect("a number")).collect();
    assert_eq!(last[0], 1.0);
    for (column, key) in [(1, "x1"), (2, "v1"), (3, "x2"), (4, "v2")] {
        assert_eq!(last[column], result["final"][key].as_f64().expect("a number"), "{key}");
    }

    let written = std::fs::read_to_string(out.join("result.json")).expect("a result");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&written).expect("JSON"), result);
    let scenario = std::fs::read_to_string(out.join("scenario.toml")).expect("a scenario");
    assert!(scenario.contains("coupling = \"f-s\"") && scenario.contains("[parameters]"), "{scenario}");
    for name in ["positions", "error", "energy"] {
        let png = std::fs::read(out.join(format!("{name}.png"))).expect("a picture");
        assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
        let svg = std::fs::read_to_string(out.join(format!("{name}.svg"))).expect("a picture");
        assert!(svg.starts_with("<svg ") && svg.contains("f-s (D/F)"), "{name}");
    }
}

#[test]
fn errors_are_taken_at_every_macro_point_whatever_is_recorded() {
    let all = json(&["--stop", "2"]);
    let few = json(&["--stop", "2", "--record-every", "500"]);
    assert_eq!(all["error"], few["error"]);
    assert_eq!(all["energy"], few["energy"]);
}

#[test]
fn help_states_a_default_for_every_option() {
    let help = text(&macrostep(&["oscillator", "--help"]).stdout);
    let options: Vec<&str> = help.split("\n      --").skip(1).collect();
    assert_eq!(options.len(), 36, "{help}");
    for option in options {
        let words = option.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("[default: "), "--{option}");
    }
}

#[test]
fn results_go_to_standard_output_and_nothing_else_does() {
    let output = macrostep(&["oscillator", "--stop", "0.1"]);
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    assert!(table.starts_with("case 1 · f-s (D/F) · jacobi"), "{table}");
    assert!(!table.contains('\u{1b}'));
}

#[test]
fn forces_come_from_a_file_or_are_refused() {
    let folder = folder("forces");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    };
    let pull = file("pull.csv", "time,f1,f2\n0,0,0\n0.2,500,-100\n0.2,0,0\n");
    let result = json(&["--stop", "1", "--force", &pull, "--predict", "quadratic"]);
    let error = result["error"]["max_relative_position"].as_f64().expect("a number");
    assert!(error < 1e-4, "{error:e}");
    let free = json(&["--stop", "1", "--predict", "quadratic"]);
    assert!(free["scenario"].get("force").is_none());
    assert_ne!(free["final"], result["final"]);
    for (name, content, more, code, words) in [
        ("a.csv", "time,f1\n0,1\n", None, 1, "line 1: columns `f1`, expected `f1`, `f2`"),
        ("b.csv", "time,f1,f2\n0,1,2\n1,x,2\n", None, 1, "line 3: `f1` is `x`, expected a finite number"),
        ("c.csv", "time,f1,f2\n", None, 1, "no row, expected at least one"),
        (
            "d.csv",
            "time,f1,f2\n0,1,2\n",
            Some("exact"),
            2,
            "the exact solution before the start does not contain forces",
        ),
    ] {
        let path = file(name, content);
        let start = more.map(|start| ["--start", start]);
        let options = [&["oscillator", "--force", &path][..], start.as_ref().map_or(&[], |s| &s[..])].concat();
        let output = macrostep(&options);
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(code) && said.contains(words), "{said}");
    }
}
