//! `[solution]`: the errors of a run beside known values, for systems of this program and for anybody's.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::run::{json, macrostep};
use macrostep_oscillator::{Exact, Parameters};
use serde_json::Value;

fn folder(name: &str) -> PathBuf {
    let folder = crate::common::folder(module_path!()).join("solution").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The error of an output in the object of a run.
fn error(run: &Value, name: &str, what: &str) -> f64 {
    let outputs = run["errors"]["outputs"].as_array().expect("errors");
    let output = outputs.iter().find(|output| output["name"] == name).expect("the output");
    output[what].as_f64().expect("a number")
}

/// A column of a file of rows.
fn column(path: &Path, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("rows");
    let place = text.lines().next().and_then(|head| head.split(',').position(|column| column == name));
    let place = place.unwrap_or_else(|| panic!("no column `{name}`"));
    text.lines().skip(1).map(|line| line.split(',').nth(place).unwrap_or_default().to_owned()).collect()
}

/// Beside the solution of a built-in system the errors are those of `Exact`, to the last bit, in each row as well.
#[test]
fn errors_are_those_of_the_exact_solution() {
    let folder = folder("oscillator");
    let out = folder.display().to_string();
    let exact = Exact::new(&Parameters::case_1()).expect("a solution");
    for coupling in ["f-s", "s-s", "f-f"] {
        for (options, step_s) in
            [(&["--predict", "linear"][..], 1e-3), (&["--correct", "newton", "--step", "1e-2"], 1e-2)]
        {
            let system = format!("case-1:{coupling}");
            let run = ["run", &system, "--json", "--stop", "2", "--solution", "case-1", "--out", &out, "--no-pictures"];
            let run = json(&[&run[..], options].concat());
            let states: Vec<_> = exact.grid(step_s).take((2.0 / step_s).round() as usize + 1).collect();
            for i in 0..2 {
                let name = format!("mass{}.x", i + 1);
                let number = |text: &String| text.parse::<f64>().expect("a number");
                let found: Vec<f64> = column(&folder.join("trace.csv"), &name).iter().map(number).collect();
                let expected: Vec<f64> = found.iter().zip(&states).map(|(x, z)| x - z[i]).collect();
                let errors = column(&folder.join("trace.csv"), &format!("{name}_error"));
                assert!(errors.iter().map(number).eq(expected.iter().copied()), "{coupling} {options:?}");
                let largest = expected.iter().fold(0.0f64, |most, e| most.max(e.abs()));
                let relative = largest / exact.amplitudes(2.0)[i];
                assert!(relative > 1e-9, "{coupling} {options:?}: nothing to compare");
                assert_eq!(error(&run, &name, "relative").to_bits(), relative.to_bits(), "{coupling} {options:?}");
            }
        }
    }
}

/// The matrix exponential of the whole system gives the errors that its own solution gives, for every linear system of this program and for
/// one that none of them is, and it knows step control.
#[test]
fn a_linear_system_has_an_exact_solution() {
    for (system, name, step) in [("case-2:s-s", "mass2.x", "1e-3"), ("chain:f-f", "mass3.x", "1e-2")] {
        let named = system.split(':').next().expect("a name");
        let of = |solution: &str| {
            let run = json(&["run", system, "--json", "--step", step, "--stop", "2", "--solution", solution]);
            error(&run, name, "largest")
        };
        let (exact, own) = (of("exact"), of(named));
        assert!(own > 1e-6 && (exact - own).abs() <= 1e-9 * own, "{system}: {exact:e}, {own:e}");
    }
    // Other values, with a law of the master and step control: the error follows the tolerance.
    let of = |tolerance: &str| {
        let set = ["--set", "mass1.m=7.5", "--set", "mass2.k=930", "--set", "mass1.v0=-3"];
        let control = ["--control", "error", "--control-tolerance", tolerance, "--step", "1e-2", "--predict", "linear"];
        let run = ["run", "case-1:f-f", "--json", "--stop", "1", "--solution", "exact"];
        error(&json(&[&run[..], &set, &control].concat()), "mass1.x", "relative")
    };
    let (coarse, fine) = (of("1e-2"), of("1e-6"));
    assert!(coarse < 1.0 && fine < 1e-2 * coarse && fine > 0.0, "{coarse:e}, {fine:e}");
}

/// A file of rows, of which columns have names of their own, at some of the times of the run.
#[test]
fn a_file_of_rows_is_compared() {
    let folder = folder("rows");
    // x = x0 cos ωt of a mass on a spring, which nothing drives.
    let omega = 10f64;
    let mut text = "time,note,height\n".to_owned();
    for i in 0..=20 {
        let t_s = 0.05 * f64::from(i);
        writeln!(text, "{t_s},text,{}", 0.25 + 0.1 * (omega * t_s).cos()).expect("text");
    }
    std::fs::write(folder.join("known.csv"), text).expect("written");
    let fmu = macrostep::embedded::fmu("oscillator1_force").expect("carried");
    std::fs::write(folder.join("mass.fmu"), fmu).expect("the FMU");
    let scenario = include_str!("../cases/systems/mass-beside-rows.toml");
    std::fs::write(folder.join("s.toml"), scenario).expect("written");
    let left = macrostep(&folder, &["run", "s.toml", "--json", "--out", "out", "--no-pictures"]);
    assert_eq!(left.code, Some(0), "{left:?}");
    let run: Value = serde_json::from_str(&left.stdout).expect("an object");
    // Every value of the file is 0.25 above the motion of the mass.
    let largest = error(&run, "m.x", "largest");
    assert!((largest - 0.25).abs() < 1e-12, "{largest}");
    assert!((error(&run, "m.x", "relative") - 0.25 / 0.35).abs() < 1e-9);
    assert_eq!((&run["errors"]["rows"], &run["errors"]["solution"]), (&20.into(), &"known.csv".into()));
    let errors = column(&folder.join("out/trace.csv"), "m.x_error");
    let known = errors.iter().filter(|error| error.parse::<f64>().is_ok_and(|e| (e + 0.25).abs() < 1e-12)).count();
    assert_eq!((errors.len(), known), (101, 21));
    // A mass alone follows its exact solution.
    let alone = macrostep(&folder, &["run", "s.toml", "--json", "--solution", "exact"]);
    let alone: Value = serde_json::from_str(&alone.stdout).expect("an object");
    assert!(error(&alone, "m.x", "largest") < 1e-12, "{alone}");
    // Another solution takes the place of the file.
    let other = macrostep(&folder, &["run", "s.toml", "--solution", "1e-3"]);
    assert!(other.code == Some(0) && !other.stderr.contains("warning"), "{other:?}");
    // What is written runs again, to the same bits.
    let again = macrostep(&folder, &["run", "out/scenario.toml", "--json", "--out", "again", "--no-pictures"]);
    assert_eq!(again.code, Some(0), "{again:?}");
    let [out, again] = ["out", "again"].map(|name| std::fs::read(folder.join(name).join("trace.csv")).expect("rows"));
    assert!(out == again);
}

/// Beside a finer run the error of the coupling is seen, in the order of the method.
#[test]
fn a_finer_run_is_compared() {
    let of = |step: &str, solution: &str| {
        let run = ["run", "nonlinear-spring:f-f", "--json", "--stop", "1", "--predict", "linear"];
        json(&[&run[..], &["--step", step, "--solution", solution]].concat())
    };
    let (finer, own) = (of("1e-2", "1e-4"), of("1e-2", "nonlinear-spring"));
    let [finer, own] = [finer, own].map(|run| error(&run, "mass1.x", "largest"));
    assert!((finer - own).abs() < 1e-2 * own && own > 1e-6, "{finer:e}, {own:e}");
    // Linear extrapolation: of second order.
    let half = error(&of("5e-3", "1e-4"), "mass1.x", "largest");
    assert!((3.5..4.6).contains(&(finer / half)), "{finer:e}, {half:e}");
}

/// A run that goes on from a checkpoint has the errors of the whole run.
#[test]
fn a_run_that_goes_on_has_all_its_errors() {
    let folder = folder("resume");
    for (system, solution) in
        [("case-1:f-s", "exact"), ("case-1:f-s", "case-1"), ("nonlinear-spring", "nonlinear-spring")]
    {
        let run = ["run", system, "--predict", "linear", "--json", "--solution", solution, "--stop", "1"];
        let run = [&run[..], &["--step", "1e-3", "--out", "out", "--no-pictures"]].concat();
        let made = macrostep(&folder, &[&run[..], &["--checkpoint", "at.ckpt", "--checkpoint-every", "700"]].concat());
        let resumed = macrostep(&folder, &[&run[..], &["--resume", "at.ckpt"]].concat());
        assert_eq!((made.code, resumed.code), (Some(0), Some(0)), "{made:?} {resumed:?}");
        assert_eq!(resumed.rows, made.rows);
        let [made, resumed] =
            [made, resumed].map(|left| serde_json::from_str::<Value>(&left.stdout).expect("an object"));
        assert_eq!(resumed["errors"], made["errors"]);
        assert_eq!(resumed["errors"]["rows"], 1000);
    }
}

/// A run further from the solution than the scenario allows ends with 3 after its result; an option for another solution leaves the tolerance.
#[test]
fn a_tolerance_beside_a_solution_is_met_or_not() {
    let folder = folder("tolerance");
    let fmu = macrostep::embedded::fmu("oscillator1_force").expect("carried");
    std::fs::write(folder.join("mass.fmu"), fmu).expect("the FMU");
    let write = |name: &str, tolerance: &str| {
        let scenario = format!(
            "[experiment]\nstop = 0.5\nstep = 1e-2\n\n[units.m]\nfmu = \"mass.fmu\"\n\
             set = {{ m = 3.0, k = 70.0, x0 = 0.2, v0 = 0.0, integrator = \"runge_kutta_4\" }}\n\n\
             [solution]\nof = \"exact\"\ntolerance = {tolerance}\n"
        );
        std::fs::write(folder.join(name), scenario).expect("written");
    };
    // The error of the integrator, and a tolerance on either side of it.
    write("any.toml", "1.0");
    let left = macrostep(&folder, &["run", "any.toml", "--json"]);
    assert_eq!(left.code, Some(0), "{left:?}");
    let run: Value = serde_json::from_str(&left.stdout).expect("an object");
    let relative = |output: &Value| output["relative"].as_f64().expect("a number");
    let worst = run["errors"]["outputs"].as_array().expect("outputs").iter().map(relative).fold(0.0, f64::max);
    assert!(worst > 1e-12, "{worst:e}: nothing to compare");
    write("below.toml", &format!("{:e}", 1.01 * worst));
    write("above.toml", &format!("{:e}", 0.99 * worst));
    // Beside a finer run the mass alone has no error, and the tolerance is that of another solution as well.
    let above = std::fs::read_to_string(folder.join("above.toml")).expect("written");
    std::fs::write(folder.join("finer.toml"), above.replace("\"exact\"", "1e-3")).expect("written");
    let cases =
        [("below.toml", None, 0), ("above.toml", None, 3), ("finer.toml", None, 0), ("finer.toml", Some("exact"), 3)];
    for (name, more, code) in cases {
        let solution = more.map(|of| ["--solution", of]);
        let run = ["run", name, "--json", "--out", "out", "--no-pictures"];
        let left = macrostep(&folder, &[&run[..], solution.as_ref().map_or(&[], |words| &words[..])].concat());
        assert_eq!(left.code, Some(code), "{name}: {left:?}");
        assert_eq!(left.stderr.contains("`tolerance` of `[solution]` allows"), code == 3, "{left:?}");
        // The result is there, and what is written has the key.
        assert!(left.stdout.starts_with('{') && folder.join("out/result.json").is_file());
        let written = std::fs::read_to_string(folder.join("out/scenario.toml")).expect("a scenario");
        assert!(written.contains("\ntolerance = "), "{written}");
    }
    write("none.toml", "-1.0");
    let left = macrostep(&folder, &["run", "none.toml"]);
    assert!(left.code == Some(1) && left.stderr.contains("`tolerance` is -1; expected"), "{left:?}");
}

/// A run that is known to be off by more than one amplitude is not ok, although the energy of its coupling is right: a mass of 1 µg
/// swings 50 times in a macro step.
#[test]
fn a_known_error_above_one_amplitude_is_doubtful() {
    let folder = folder("doubtful");
    for (mass, grade) in [("1e-9", "doubtful"), ("10", "ok")] {
        let set = format!("m1={mass}");
        let left = macrostep(&folder, &["oscillator", "--set", &set, "--stop", "1", "--json"]);
        assert_eq!(left.code, Some(0), "{left:?}");
        let run: Value = serde_json::from_str(&left.stdout).expect("an object");
        assert_eq!(run["verdict"]["grade"], grade, "{set}: {}", run["verdict"]);
        assert_eq!(left.stderr.contains("warning: doubtful: largest error"), grade == "doubtful", "{}", left.stderr);
    }
}

/// What cannot be compared is refused before the run, with what was found.
#[test]
fn a_wrong_solution_is_refused() {
    let folder = folder("refused");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("written");
    write("other.csv", "time,x\n0,1\n0.001,2\n");
    write("word.csv", "time,mass1.x\n0,1\n0.001,two\n");
    write("late.csv", "time,mass1.x\n0,1\n0.00037,2\n");
    write("back.csv", "time,mass1.x\n0,1\n-1,2\n");
    let oscillator = "case-1:f-s";
    let refused = [
        (oscillator, &["other.csv"][..], "none has the name of another"),
        (oscillator, &["word.csv"], "line 3: `two` in column `mass1.x`"),
        (oscillator, &["late.csv"], "none is at one time"),
        (oscillator, &["back.csv"], "line 3"),
        (oscillator, &["missing.csv"], "missing.csv"),
        (oscillator, &["no-such-system"], "`no-such-system` is no solution"),
        (oscillator, &["3e-4"], "choose a whole part of the macro step"),
        (oscillator, &["1e-3"], "choose a whole part of the macro step"),
        (oscillator, &["1e-4", "--control", "error"], "step control by `error`"),
        (oscillator, &["chain", "--record", "mass1.f_c"], "none has the name of another"),
        ("nonlinear-spring:f-f", &["exact"], "expected a linear system"),
        ("cylinder", &["exact"], "expected a linear system"),
    ];
    for (system, options, expected) in refused {
        let left = macrostep(&folder, &[&["run", system, "--out", "out", "--solution"][..], options].concat());
        assert_eq!(left.code, Some(1), "{options:?}: {left:?}");
        assert!(left.error().contains(expected), "{options:?}: {}", left.error());
    }
}
