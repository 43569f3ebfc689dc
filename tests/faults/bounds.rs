//! Bounds of a scenario that are said: steps, shares, ranges of keys, values given twice, and a step that does not divide the
//! span.

use std::path::PathBuf;

use crate::make;
use crate::run::{Left, macrostep};

/// One unit `a`, and a second one `b` where both can be made.
fn folder(name: &str, xml: &str) -> PathBuf {
    let folder = make::folder(name);
    std::fs::write(folder.join("a.fmu"), make::fmu(xml, &[])).expect("the FMU");
    folder
}

fn refused(folder: &std::path::Path, toml: &str, says: &[&str]) {
    std::fs::write(folder.join("s.toml"), toml).expect("the system");
    for verb in [&["run", "s.toml"][..], &["explain", "s.toml", "--no-run"]] {
        let left = macrostep(folder, verb);
        assert_eq!(left.code, Some(1), "{toml}: {left:#?}");
        let error = left.error();
        for part in says {
            assert!(error.contains(part), "`{part}` is not in {error}");
        }
    }
}

const UNIT: &str = "[units.a]\nfmu = \"a.fmu\"\n";

/// Each names its line and column, what was found and what is expected; none runs for ever.
#[test]
fn keys_have_ranges() {
    let folder = folder("bounds_ranges", make::XML);
    let times = |stop: &str, step: &str| format!("[experiment]\nstop = {stop}\nstep = {step}\n{UNIT}");
    refused(&folder, &times("1.0", "1e-9"), &["s.toml:3:8: ", "1.000e9 macro steps", "at most 1e8"]);
    refused(&folder, &times("1.0", "1e-300"), &["s.toml:3:8: ", "at most 1e8"]);
    refused(&folder, &times("1e300", "0.01"), &["s.toml:2:8: ", "at most 1e8"]);
    refused(&folder, &times("1.0", "nan"), &["s.toml:3:8: step = NaN, expected a macro step above 0"]);
    refused(&folder, &times("1.0", "0.0"), &["s.toml:3:8: step = 0.0"]);
    refused(&folder, &times("-1.0", "0.1"), &["s.toml:2:8: stop = -1.0, expected a time after the start"]);
    refused(
        &folder,
        &times("1e18", "10.0").replace("stop", "start = 0.9999999999999e18\nstop"),
        &["too small to change a time"],
    );
    let coupling = |line: &str| format!("[coupling]\n{line}\n{}", times("1.0", "0.1"));
    for value in ["nan", "-1.0", "inf", "0.0", "2.0"] {
        let says = ["s.toml:2:23: `corrector_tolerance` is", "above 0 and below 1"];
        refused(&folder, &coupling(&format!("corrector_tolerance = {value}")), &says);
    }
    let from_1 = "expected a whole number from 1 to";
    refused(&folder, &coupling("corrections_max = 0"), &["s.toml:2:19: `corrections_max` is 0", from_1]);
    refused(&folder, &coupling("sub_steps = 0"), &["s.toml:2:13: `sub_steps` is 0", from_1]);
    refused(&folder, &coupling("sub_steps = 99999999999999"), &["s.toml:2:13: `sub_steps`", "from 1 to 1000000"]);
    refused(
        &folder,
        &format!("[coupling]\nsub_steps = 100000\npredict = \"linear\"\n{}", times("1.0", "1e-4")),
        &["s.toml:1:1: unit `a` would make 1.000e9 steps", "at most 1e8"],
    );
    refused(&folder, &format!("{}[record]\nevery = 0\n", times("1.0", "0.1")), &["s.toml:7:9: `every` is 0", from_1]);
    let share = |step: &str| format!("{}step = \"{step}\"\n", times("1.0", "0.1"));
    let two = |step: &str| format!("{}[units.b]\nfmu = \"a.fmu\"\n", share(step));
    refused(&folder, &two("1/1000000"), &["s.toml:4:8: ", "steps of units until all meet again", "at most 100000"]);
    let long = share("1/50000").replace("0.1", "1e-4");
    refused(&folder, &long, &["s.toml:4:8: unit `a` would make 5.000e8 steps", "its own step 1/50000"]);
}

/// The plan of a fine share is not written out beyond a limit.
#[test]
fn a_long_plan_is_cut() {
    let folder = folder("bounds_plan", make::XML);
    let toml = format!("[experiment]\nstop = 1.0\nstep = 0.5\n{UNIT}step = \"1/20000\"\n[units.b]\nfmu = \"a.fmu\"\n");
    std::fs::write(folder.join("s.toml"), toml).expect("the system");
    let left = macrostep(&folder, &["explain", "s.toml", "--no-run"]);
    assert_eq!(left.code, Some(0), "{left:#?}");
    let (lines, cut) = (left.stdout.lines().count(), left.stdout.contains("… and "));
    assert!(cut && lines < 300, "{lines} lines");
}

#[test]
fn options_have_ranges_too() {
    let folder = folder("bounds_options", make::XML);
    std::fs::write(folder.join("s.toml"), format!("[experiment]\nstop = 1.0\nstep = 0.1\n{UNIT}")).expect("the system");
    for (arguments, says) in [
        (&["verify", "s.toml", "--step", "1e-300"][..], "--step: "),
        (&["run", "s.toml", "--stop", "1e300"][..], "--stop: "),
        (&["energy", "s.toml", "--stop", "1e300"][..], "--stop: "),
        (&["crane", "--stop", "1e300"][..], "--stop: "),
        (&["explain", "s.toml", "--no-run", "--step", "1e-12"][..], "--step: "),
    ] {
        let left = macrostep(&folder, arguments);
        assert_eq!(left.code, Some(1), "{left:#?}");
        assert!(left.error().contains(says) && left.error().contains("at most 1e8"), "{left:#?}");
    }
}

/// The same variable from two places of one file is an error that names both; options still go before the file.
#[test]
fn a_value_is_given_once() {
    let folder = folder("bounds_twice", make::XML);
    let times = |sets: &str| format!("[experiment]\nstop = 1.0\nstep = 0.1\nparameters = {sets}\n{UNIT}");
    let toml = |sets: &str, own: &str| {
        format!("{}{own}[parameters.one]\n\"a.u\" = 2.0\n[parameters.two]\n\"a.u\" = 3.0\n", times(sets))
    };
    refused(
        &folder,
        &toml("[\"one\", \"one\"]", ""),
        &["s.toml:4:22: parameter set `one` is applied twice", "line 4, column 15"],
    );
    refused(&folder, &toml("[\"one\", \"two\"]", ""), &["s.toml:10:9: `a.u` is given two values", "line 8, column 9"]);
    refused(
        &folder,
        &toml("[\"two\"]", "set = { u = 1.0 }\n"),
        &["s.toml:11:9: `a.u` is given two values", "line 7, column 13"],
    );
    std::fs::write(folder.join("s.toml"), toml("[\"one\"]", "")).expect("the system");
    for (more, end) in [(&[][..], "1,2."), (&["--parameters", "two"][..], "1,3"), (&["--set", "a.u=4"][..], "1,4")] {
        let left = macrostep(&folder, &[&["run", "s.toml", "--out", "out"], more].concat());
        assert_eq!(left.code, Some(0), "{left:#?}");
        // Rounding of a sum of tenths.
        let last = left.rows.as_ref().and_then(|rows| rows.last()).expect("rows");
        let value = |text: &str| text.split(',').nth(1).and_then(|x| x.parse::<f64>().ok()).expect("a number");
        assert!((value(last) - value(end)).abs() < 1e-12, "{last}");
        // What was written runs again, with the same result.
        let again = macrostep(&folder, &["run", "out/scenario.toml", "--out", "again"]);
        assert_eq!(again.code, Some(0), "{again:#?}");
        let rows = |name: &str| std::fs::read_to_string(folder.join(name).join("trace.csv")).expect("rows");
        assert_eq!(rows("out"), rows("again"));
    }
}

fn row(line: &str) -> Vec<f64> {
    line.split(',').map(|x| x.parse().expect("a number")).collect()
}

/// A step that does not divide the span: a warning, and a shorter last step.
#[test]
fn the_last_step_is_shorter() {
    let folder = folder("bounds_rest", make::XML);
    let toml = |step: f64| {
        format!(
            "[experiment]\nstop = 1.0\nstep = {step}\n{UNIT}[units.b]\nfmu = \"a.fmu\"\n[connections]\n\"b.u\" = \"a.x\"\n"
        )
    };
    let run = |toml: String, more: &[&str]| -> Left {
        std::fs::write(folder.join("s.toml"), toml).expect("the system");
        macrostep(&folder, &[&["run", "s.toml", "--out", "out"], more].concat())
    };
    let whole = run(toml(0.3).replace("stop = 1.0", "stop = 0.9"), &[]);
    for more in [&[][..], &["--schedule", "gauss-seidel"], &["--isolate"]] {
        let left = run(toml(0.3), more);
        assert_eq!(left.code, Some(0), "{left:#?}");
        let warning = "warning: s.toml:3:8: 1 s from 0 s to 1 s is not a whole number of macro steps of 0.3 s; the last one is 0.1 s long";
        assert!(left.stderr.contains(warning), "{}", left.stderr);
        let rows = left.rows.expect("rows");
        assert_eq!(rows.len(), 5);
        if more.is_empty() {
            assert_eq!(rows[..4], whole.rows.as_ref().expect("rows")[..], "whole steps keep their bits");
        }
        // x of a is the integral of 1; the last step of b takes the value of a where the schedule has it.
        let last = row(&rows[4]);
        assert!((last[0] - 1.0).abs() < 1e-12 && (last[1] - 1.0).abs() < 1e-12, "{last:?}");
        let b = row(&rows[3])[2] + 0.1 * if more.contains(&"gauss-seidel") { 1.0 } else { 0.9 };
        assert!((last[2] - b).abs() < 1e-12, "{last:?}");
    }
    // A step longer than the span, in plain words.
    let left = run(toml(2.0), &[]);
    assert_eq!(left.rows.as_ref().map(Vec::len), Some(2), "{left:#?}");
    assert!(left.stderr.contains("is not a whole number of macro steps of 2 s; the last one is 1 s long"), "{left:#?}");
}

/// Extrapolation meets the shorter step: of a straight line it is exact, whatever the lengths are.
#[test]
fn predictions_know_the_length_of_the_last_step() {
    let folder = make::folder("bounds_rest_predicted");
    // b' = u, the mean of which over a step is what the middle says: x of a is t, so x of b is t²/2.
    std::fs::write(folder.join("a.fmu"), make::fmu(make::XML, &[])).expect("the FMU");
    let toml = format!(
        "[experiment]\nstop = 1.0\nstep = 0.3\n[coupling]\npredict = \"linear\"\n{UNIT}[units.b]\nfmu = \"a.fmu\"\n[connections]\n\"b.u\" = \"a.x\"\n"
    );
    std::fs::write(folder.join("s.toml"), toml).expect("the system");
    let left = macrostep(&folder, &["run", "s.toml", "--out", "out"]);
    let rows: Vec<Vec<f64>> = left.rows.expect("rows").iter().map(|line| row(line)).collect();
    let [.., before, last] = rows.as_slice() else { panic!("{rows:?}") };
    let (from, to) = (before[0], last[0]);
    assert!((last[2] - before[2] - (to * to - from * from) / 2.0).abs() < 1e-12, "{rows:?}");
}

/// A unit that takes steps of one length only ends the run at the last whole one; where there is none, it is refused.
#[test]
fn a_unit_of_one_step_ends_before() {
    let folder = folder("bounds_rest_stiff", &make::replaced(" canHandleVariableCommunicationStepSize=\"true\"", ""));
    let run = |step: f64| {
        let toml = format!("[experiment]\nstop = 1.0\nstep = {step}\n{UNIT}");
        std::fs::write(folder.join("s.toml"), toml).expect("the system");
        macrostep(&folder, &["run", "s.toml", "--out", "out"])
    };
    let left = run(0.3);
    assert_eq!((left.code, left.rows.as_ref().map(Vec::len)), (Some(0), Some(4)), "{left:#?}");
    for part in ["warning: s.toml:3:8: ", "unit `a` cannot take a shorter one", "the run ends at 0.9 s"] {
        assert!(left.stderr.contains(part), "`{part}` is not in {}", left.stderr);
    }
    let left = run(2.0);
    assert_eq!(left.code, Some(1), "{left:#?}");
    assert!(left.error().contains("unit `a` cannot take a shorter one"), "{left:#?}");
}

/// `verify` compares at whole steps.
#[test]
fn verification_of_a_run_with_a_shorter_step() {
    let folder = make::folder("bounds_rest_verified");
    let toml = "[experiment]\nstop = 1.0\nstep = 0.3\n[units.a]\nfmu = \"embedded:oscillator1_displacement\"\n";
    std::fs::write(folder.join("s.toml"), toml).expect("the system");
    let left = macrostep(&folder, &["verify", "s.toml", "--json"]);
    assert_eq!(left.code, Some(0), "{left:#?}");
}

/// An interrupted run that was kept before its first step has its first row once, and the same bits.
#[test]
fn a_run_resumed_at_its_start_has_one_first_row() {
    let folder = make::folder("bounds_first_row");
    let toml = "[experiment]\nstop = 0.1\nstep = 0.01\n[units.a]\nfmu = \"a.fmu\"\n";
    std::fs::write(folder.join("s.toml"), toml).expect("the system");
    let xml = make::replaced("canHandle", "canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" canHandle");
    // The first initialisation asks the master to end; later ones find the file and do not.
    let asks = "{ FILE *f = fopen(\"asked\", \"r\"); if (!f) { f = fopen(\"asked\", \"w\"); fclose(f); kill(getpid(), SIGTERM); } else fclose(f); }";
    std::fs::write(folder.join("a.fmu"), make::fmu(&xml, &[("AT_EXIT", asks)])).expect("the FMU");
    let first = macrostep(&folder, &["run", "s.toml", "--out", "out", "--no-pictures", "--checkpoint", "c.ck"]);
    assert_eq!(first.code, Some(1), "{first:#?}");
    assert!(first.error().contains("interrupted at t = 0 s") && folder.join("c.ck").exists(), "{first:#?}");
    let resumed = macrostep(&folder, &["run", "s.toml", "--out", "out", "--no-pictures", "--resume", "c.ck"]);
    assert_eq!(resumed.code, Some(0), "{resumed:#?}");
    let whole = macrostep(&folder, &["run", "s.toml", "--out", "out", "--no-pictures"]);
    assert_eq!((resumed.rows.as_ref().map(Vec::len), &resumed.rows), (Some(11), &whole.rows));
}

/// The error of a run with a shorter last step is that of whole steps of about the same length, with any method.
#[test]
fn a_shorter_step_is_as_good_as_a_whole_one() {
    let folder = make::folder("bounds_rest_error");
    let toml = include_str!("../cases/faults/pair-short-last-step.toml");
    std::fs::write(folder.join("s.toml"), toml).expect("the system");
    let end = |step: &str, method: &[&str]| {
        let left = macrostep(&folder, &[&["run", "s.toml", "--json", "--step", step], method].concat());
        assert_eq!(left.code, Some(0), "{left:#?}");
        let json: serde_json::Value = serde_json::from_str(&left.stdout).expect("JSON");
        assert!((json["end_s"].as_f64().expect("a time") - 0.1).abs() < 1e-12, "{json}");
        ["left.x", "right.x"].map(|name| json["final"][name].as_f64().expect("a number"))
    };
    let truth = end("1e-4", &["--predict", "quadratic", "--correct", "newton"]);
    let error = |step: &str, method: &[&str]| {
        end(step, method).iter().zip(&truth).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
    };
    for method in [
        &["--predict", "hold"][..],
        &["--predict", "linear"],
        &["--predict", "quadratic", "--schedule", "gauss-seidel"],
        &["--predict", "ia1"],
        &["--predict", "linear", "--correct", "newton"],
        &["--predict", "linear", "--correct", "fixed-point"],
    ] {
        let (rest, whole) = (error("0.0019", method), error("0.002", method));
        println!("{method:?}: {rest:.3e} with a shorter last step, {whole:.3e} without");
        assert!(rest < 1.5 * whole, "{method:?}: {rest:e} against {whole:e}");
    }
}
