//! The tolerance of the solvers inside FMUs: the same FMU gives the same numbers alone and in a system of one.

use crate::make;
use crate::run::macrostep;

/// x' = 1 + tolerance, or 1 where none is told.
const DEFINES: &[(&str, &str)] = &[("AT_SETUP", "s->u = has ? 1 + tolerance : 1")];

const SYSTEM: &str = "[experiment]\nstop = 1\nstep = 0.1\n[units.slave]\nfmu = \"slave.fmu\"\n";

/// A folder with an FMU that proposes this tolerance, and a system of it.
fn folder(name: &str, proposed: &str, system: &str) -> std::path::PathBuf {
    let folder = make::folder(name);
    let xml = make::replaced(r#"stepSize="0.1"/>"#, &format!(r#"stepSize="0.1"{proposed}/>"#));
    std::fs::write(folder.join("slave.fmu"), make::fmu(&xml, DEFINES)).expect("the FMU");
    std::fs::write(folder.join("s.toml"), system).expect("the scenario");
    folder
}

/// Rows of `run` and the effective scenario.
fn run(folder: &std::path::Path, options: &[&str]) -> (Vec<String>, String) {
    let left = macrostep(folder, &[&["run", "s.toml", "--out", "out", "--no-pictures"][..], options].concat());
    assert_eq!(left.code, Some(0), "{left:#?}");
    let scenario = std::fs::read_to_string(folder.join("out/scenario.toml")).expect("the scenario");
    (left.rows.expect("rows"), scenario)
}

fn simulate(folder: &std::path::Path, options: &[&str]) -> Vec<String> {
    let base = ["simulate", "slave.fmu", "--out", "out", "--output-variable", "x"];
    let left = macrostep(folder, &[&base[..], options].concat());
    assert_eq!(left.code, Some(0), "{left:#?}");
    left.rows.expect("rows")
}

fn end(rows: &[String]) -> f64 {
    rows.last().and_then(|row| row.split(',').nth(1)).and_then(|x| x.parse().ok()).expect("a number")
}

#[test]
fn a_system_of_one_fmu_is_the_fmu_to_the_bit() {
    let folder = folder("tolerance_proposed", r#" tolerance="1e-3""#, SYSTEM);
    for isolate in [&[][..], &["--isolate"]] {
        let alone = simulate(&folder, isolate);
        let (rows, scenario) = run(&folder, isolate);
        assert_eq!(rows, alone);
        assert!((end(&rows) - 1.001).abs() < 1e-12, "{rows:?}");
        assert!(scenario.contains("slave.fmu\"\nsolver_tolerance = 0.001\n"), "{scenario}");
        let other = [&["--solver-tolerance", "1e-2"][..], isolate].concat();
        let (rows, scenario) = run(&folder, &other);
        assert_eq!(rows, simulate(&folder, &other));
        assert!((end(&rows) - 1.01).abs() < 1e-12, "{rows:?}");
        assert!(scenario.contains("solver_tolerance = 0.01\n"), "{scenario}");
    }
}

#[test]
fn without_any_the_fmu_is_told_of_none() {
    let folder = folder("tolerance_none", "", SYSTEM);
    let (rows, scenario) = run(&folder, &[]);
    assert_eq!(rows, simulate(&folder, &[]));
    assert!((end(&rows) - 1.0).abs() < 1e-12 && !scenario.contains("tolerance ="), "{scenario}");
}

#[test]
fn a_scenario_says_it_for_all_units_and_for_one() {
    let all = SYSTEM.replace("step = 0.1\n", "step = 0.1\nsolver_tolerance = 0.02\n");
    let path = folder("tolerance_all", r#" tolerance="1e-3""#, &all);
    let (rows, _) = run(&path, &[]);
    assert!((end(&rows) - 1.02).abs() < 1e-12, "{rows:?}");
    let path = folder("tolerance_one", r#" tolerance="1e-3""#, &format!("{all}solver_tolerance = 0.03\n"));
    let (rows, scenario) = run(&path, &[]);
    assert!((end(&rows) - 1.03).abs() < 1e-12, "{rows:?}");
    // The effective scenario runs as this one did.
    std::fs::write(path.join("s.toml"), scenario).expect("the scenario");
    assert_eq!(run(&path, &[]).0, rows);
    // The option is for all units.
    let (rows, _) = run(&path, &["--solver-tolerance", "0.04"]);
    assert!((end(&rows) - 1.04).abs() < 1e-12, "{rows:?}");
}

#[test]
fn one_that_is_none_is_refused() {
    let folder = folder("tolerance_refused", "", &format!("{SYSTEM}solver_tolerance = -1.0\n"));
    let left = macrostep(&folder, &["run", "s.toml"]);
    assert_eq!(left.code, Some(1), "{left:#?}");
    let error = left.error();
    assert!(
        error.contains("s.toml:4") && error.contains("`solver_tolerance` is -1.0, expected a finite number above 0"),
        "{error}"
    );
    assert_eq!(macrostep(&folder, &["run", "s.toml", "--solver-tolerance", "0"]).code, Some(2));
}

/// The spelling of former versions stood for two things: it is refused with those that stand for one.
#[test]
fn the_former_spelling_is_refused() {
    let folder = folder("tolerance_former", "", &format!("{SYSTEM}tolerance = 1e-6\n"));
    let key = macrostep(&folder, &["run", "s.toml"]);
    assert!(key.code == Some(1) && key.stderr.contains("`solver_tolerance` in [experiment]"), "{key:#?}");
    for verb in [&["run", "s.toml"][..], &["explain", "s.toml"], &["sweep", "s.toml"], &["simulate", "slave.fmu"]] {
        let option = macrostep(&folder, &[verb, &["--tolerance", "1e-6"]].concat());
        assert!(option.code == Some(2) && option.stderr.contains("`--solver-tolerance`"), "{option:#?}");
    }
}
