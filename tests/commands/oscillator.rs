//! `macrostep oscillator`: a run of the pair in the words of the benchmark, beside its solution.

use crate::run::{self, error, program as macrostep};
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

/// The larger error of both positions.
fn largest(result: &serde_json::Value) -> f64 {
    error(result, "mass1.x").max(error(result, "mass2.x"))
}

fn do_steps(result: &serde_json::Value) -> [u64; 2] {
    [0, 1].map(|i| result["units"][i]["do_steps"].as_u64().expect("a number"))
}

/// The verb is a run of the built-in system: the same object, and the same rows.
#[test]
fn it_is_a_run_of_the_built_in_system() {
    let folder = folder("alias");
    let [here, there] = ["a", "b"].map(|name| folder.join(name).display().to_string());
    for (words, system, options) in [
        (&["--coupling", "s-f", "--predict", "hold"][..], "case-1:s-f", &["--predict", "hold"][..]),
        (&["--case", "2", "--coupling", "f-f", "--energy", "leak"], "case-2:f-f", &["--energy", "leak"]),
        (&["--method", "jerk"], "case-1:s-s", &["--method", "jerk", "--step", "1e-2"]),
        (
            &["--set", "m1=2", "--set", "mass2.c=0.5", "--set", "k_c=70"],
            "case-1:f-s",
            &["--set", "mass1.m=2", "--set", "mass2.c=0.5", "--set", "mass1.k_c=70"],
        ),
    ] {
        let common = ["--stop", "1", "--no-pictures", "--record-every", "3", "--out"];
        let mut by_words = json(&[words, &common[..], &[&here]].concat());
        let run = ["run", system, "--json", "--solution", "oscillator"];
        let mut by_name = run::json(&[&run[..], options, &common[..], &[&there]].concat());
        for result in [&mut by_words, &mut by_name] {
            result["wall_s"] = serde_json::Value::Null;
        }
        assert_eq!(by_words, by_name, "{words:?}");
        assert!(largest(&by_words) > 1e-9, "{words:?}: nothing to compare");
        let [a, b] = [&here, &there].map(|folder| std::fs::read(format!("{folder}/trace.csv")).expect("rows"));
        assert!(a == b, "{words:?}");
    }
}

/// The energy is that of masses and springs, its error that beside the exact one, and both need displacements and velocities.
#[test]
fn the_energy_has_an_error() {
    let result = json(&["--coupling", "f-f", "--stop", "1", "--predict", "linear"]);
    let value = |name: &str| result["final"][name].as_f64().expect("a number");
    let (x, v) = ([value("mass1.x"), value("mass2.x")], [value("mass1.v"), value("mass2.v")]);
    let kinetic = 0.5 * (v[0] * v[0] + v[1] * v[1]);
    let potential = 0.5 * (10.0 * x[0] * x[0] + 1000.0 * x[1] * x[1] + 100.0 * (x[0] - x[1]) * (x[0] - x[1]));
    assert!((value("energy") - kinetic - potential).abs() < 1e-8, "{result}");
    // Nothing but the coupling adds energy: what the power bond counts is what there is too much.
    let (added, drift) = (result["power_bonds"][0]["residual_energy_max_j"].as_f64(), error(&result, "energy"));
    let added = added.expect("a number") / 1e4;
    assert!(drift > 1e-6 && (drift - added).abs() < 1e-2 * drift, "{drift:e}, {added:e}");
    let few = json(&["--coupling", "f-f", "--stop", "1", "--record", "*.x"]);
    assert!(
        few["final"].get("energy").is_none() && few["errors"]["outputs"].as_array().map(Vec::len) == Some(2),
        "{few}"
    );
}

/// The solution has the values of the scenario, and is refused beside a system that is no such pair.
#[test]
fn the_solution_is_that_of_the_values() {
    let solved = |options: &[&str], solution: &str| {
        let run = ["run", "case-1:s-s", "--stop", "1", "--method", "waveform:12", "--step", "0.1", "--json"];
        error(&run::json(&[&run[..], &["--solution", solution], options].concat()), "mass1.x")
    };
    let other = ["--set", "mass1.m=2", "--set", "mass2.k=70", "--set", "mass2.x0=-0.3"];
    assert!(solved(&other, "oscillator") < 1e-6 && solved(&other, "case-1") > 1e-2);
    for (system, set, words) in [
        ("case-1:s-s", "mass1.k_c=99", "expected one spring, the same in both masses"),
        ("nonlinear-spring", "mass1.x0=0.1", "the solution `oscillator`: expected "),
        ("chain", "mass1.x0=0.1", "the solution `oscillator`: expected "),
        ("case-1:f-s", "mass2.f_ext=3", "expected no force `mass2.f_ext`"),
    ] {
        let output = macrostep(&["run", system, "--solution", "oscillator", "--set", set]);
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains(words), "{system}: {said}");
    }
}

/// An exact start is that of the values, in whichever words they are.
#[test]
fn a_past_has_the_values_of_the_scenario() {
    let begun =
        |set: [&str; 2]| json(&[&["--start", "exact", "--predict", "quadratic", "--stop", "0.1"][..], &set].concat());
    let (words, unit) = (begun(["--set", "x1_0=3"]), begun(["--set", "mass1.x0=3"]));
    assert_eq!((&words["final"], &words["errors"]), (&unit["final"], &unit["errors"]));
    assert_ne!(words["final"], begun(["--set", "x1_0=2"])["final"]);
}

/// Error and calls of `fmi2DoStep` of the named methods, the Jacobian included, for both cases.
#[test]
fn named_methods_keep_their_promises() {
    for case in ["1", "2"] {
        for (method, error, steps) in
            [("jerk", 3e-6, 1000), ("waveform:12", 2e-8, 150), ("waveform:16", 1e-12, 150), ("waveform", 1e-12, 150)]
        {
            let result = json(&["--case", case, "--method", method]);
            let found = largest(&result);
            assert!(found <= error, "{method}, case {case}: {found:e}");
            assert!(do_steps(&result).iter().all(|n| *n <= steps), "{method}: {}", result["units"]);
            assert_eq!((&result["units"][0]["kind"], &result["method"]), (&"fmu".into(), &method.into()));
        }
        let result = json(&["--case", case, "--method", "palindromic", "--step", "1e-2"]);
        assert_eq!(do_steps(&result), [1001, 1000]);
        let drift = error(&result, "energy");
        assert!(if case == "1" { drift < 1e-12 } else { drift < 1e-3 }, "case {case}: {drift:e}");
    }
}

#[test]
fn energy_and_control_are_in_the_result() {
    let result = json(&["--stop", "1", "--coupling", "f-f", "--energy", "nepce"]);
    assert_eq!((&result["energy"], &result["control"]), (&"nepce".into(), &serde_json::Value::Null));
    for key in ["residual_energy_j", "residual_energy_max_j", "residual_power_max_w"] {
        assert!(result["power_bonds"][0][key].is_number(), "{key}: {result}");
    }
    let result = json(&["--stop", "1", "--step", "0.1", "--control", "error", "--control-tolerance", "1e-3"]);
    let course = &result["control"];
    for key in ["windows", "rejected", "window_min_s", "window_max_s", "degree_min", "degree_max"] {
        assert!(course[key].is_number(), "{key}: {result}");
    }
    let steps = course["windows"].as_u64().expect("a number") + course["rejected"].as_u64().expect("a number");
    assert_eq!(do_steps(&result), [steps, steps]);
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
    let cases: [(&[&str], [&str; 2]); 9] = [
        (&["--fast", "1"], ["`--fast 1`", "`--rate 1`"]),
        (&["--micro", "1e-4"], ["`--micro 0.0001`", "`--integrator exact`"]),
        (&["--micro", "3e-4", "--integrator", "rk4"], ["`--micro 0.0003`", "`--step 0.001`"]),
        (&["--micro", "1e-3", "--rate", "2", "--integrator", "sie"], ["`--micro 0.001`", "`--rate 2`"]),
        (&["--method", "jerk", "--predict", "hold"], ["`--method jerk`", "`--predict hold`"]),
        (&["--method", "waveform:16", "--schedule", "jacobi"], ["`--method waveform:16`", "`--schedule jacobi`"]),
        (&["--control-tolerance", "1e-3"], ["`--control-tolerance 0.001`", "`--control fixed`"]),
        (&["--set", "m1=1", "--set", "m1=2"], ["`--set m1=1`", "`--set m1=2`"]),
        (&["case-2"], ["takes no SYSTEM", "`macrostep run case-2`"]),
    ];
    for (arguments, names) in cases {
        let output = macrostep(&[&["oscillator"], arguments].concat());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(names.iter().all(|name| said.contains(name)), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty() && !said.trim_end().ends_with('.'), "{said}");
    }
}

/// What no scenario can be ends as a scenario does.
#[test]
fn what_no_scenario_can_be_is_refused_as_one() {
    for (options, words) in [
        (&["--step", "1e-9"][..], "--step: 1.000e10 macro steps of 1e-9 s"),
        (&["--schedule", "palindromic", "--rate", "2"], "a palindromic schedule with `step = \"1/2\"` of unit `mass2`"),
        (&["--schedule", "palindromic", "--correct", "newton"], "a palindromic schedule with `correct = \"newton\"`"),
        (&["--schedule", "palindromic", "--control", "error"], "a palindromic schedule with `control` by `error`"),
        (&["--schedule", "palindromic", "--energy", "nepce"], "a palindromic schedule with `energy = \"nepce\"`"),
    ] {
        let output = macrostep(&[&["oscillator"], options].concat());
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains(words), "{options:?}: {said}");
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
    assert!(text(&output.stderr).contains("`tolerance` of `[solution]` allows 1e-15"), "{}", text(&output.stderr));
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
    let names: Vec<&str> = rows[0].split(',').collect();
    let expected = ["time", "mass1.x", "mass1.v", "mass1.f_c", "mass2.x", "mass2.v", "energy"];
    assert_eq!(names[..7], expected);
    // Points 0, 7, …, 994 and the last.
    assert_eq!(rows.len(), 1 + 143 + 1);
    let last: Vec<f64> = rows[144].split(',').map(|field| field.parse().expect("a number")).collect();
    assert_eq!(last[0], 1.0);
    for (name, value) in names.iter().zip(&last).skip(1) {
        assert_eq!(*value, result["final"][name].as_f64().expect("a number"), "{name}");
    }

    let written = std::fs::read_to_string(out.join("result.json")).expect("a result");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&written).expect("JSON"), result);
    let scenario = std::fs::read_to_string(out.join("scenario.toml")).expect("a scenario");
    assert!(scenario.contains("[solution]\nof = \"oscillator\"") && scenario.contains("every = 7"), "{scenario}");
    let png = std::fs::read(out.join("outputs.png")).expect("a picture");
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
}

#[test]
fn help_states_a_default_for_every_option() {
    let help = text(&macrostep(&["oscillator", "--help"]).stdout);
    let options: Vec<&str> = help.split("\n      --").skip(1).collect();
    assert!(options.len() > 40, "{help}");
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
    assert!(table.starts_with("two masses, force-displacement · jacobi"), "{table}");
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
    assert!(largest(&result) < 1e-4, "{result}");
    let free = json(&["--stop", "1", "--predict", "quadratic"]);
    assert_ne!(free["final"], result["final"]);
    for (name, content, more, code, words) in [
        ("a.csv", "time,f1\n0,1\n", None, 1, "file of inputs `force` has no column `f2`"),
        ("b.csv", "time,f1,f2\n0,1,2\n1,x,2\n", None, 1, "line 3 of `force.f1`: `x`, expected a number"),
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
