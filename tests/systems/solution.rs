//! `[solution]`: the errors of a run beside known values, for systems of this program and for anybody's.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::run::{json, macrostep};
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

/// Beside the solution of a built-in system the errors are those of `macrostep oscillator`, to the last bit.
#[test]
fn errors_are_those_of_the_oscillator() {
    let folder = folder("oscillator");
    let (here, there) = (folder.join("run"), folder.join("oscillator"));
    let [here_s, there_s] = [&here, &there].map(|path| path.display().to_string());
    for coupling in ["f-s", "s-s", "f-f"] {
        for options in [&["--predict", "linear"][..], &["--correct", "newton", "--step", "1e-2"]] {
            let common = ["--json", "--stop", "2"];
            let system = format!("case-1:{coupling}");
            let run = ["run", &system, "--solution", "case-1", "--out", &here_s, "--no-pictures"];
            let run = json(&[&run[..], &common[..], options].concat());
            let oscillator = ["oscillator", "--coupling", coupling, "--out", &there_s];
            let oscillator = json(&[&oscillator[..], &common[..], options].concat());
            for i in ["1", "2"] {
                let name = format!("mass{i}.x");
                let expected = oscillator["error"][format!("x{i}")].as_f64().expect("a number");
                let found = error(&run, &name, "relative");
                assert!(expected > 1e-9, "{coupling} {options:?}: nothing to compare");
                assert_eq!(found.to_bits(), expected.to_bits(), "{coupling} {options:?}: {found:e}, {expected:e}");
                // Each row as well.
                let found = column(&here.join("trace.csv"), &format!("{name}_error"));
                assert_eq!(found, column(&there.join("trace.csv"), &format!("x{i}_error")), "{coupling} {options:?}");
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
    let scenario = "[experiment]\nstop = 1.0\nstep = 1e-2\n\n[units.m]\nfmu = \"mass.fmu\"\n\
                    set = { m = 2.0, k = 200.0, c = 0.0, x0 = 0.1, v0 = 0.0, integrator = \"exact\" }\n\n\
                    [solution]\nof = \"known.csv\"\ncolumns = { \"m.x\" = \"height\" }\n";
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
