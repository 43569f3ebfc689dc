//! A container gives the bits of `macrostep run`, whatever is inside.

use macrostep_oscillator::{Exact, Parameters};

use super::{Instance, empty, exported, macrostep, run, succeeds};

/// Systems and methods, with the length of a window.
const CASES: [(&str, &[&str], f64); 10] = [
    ("case-1:f-s", &["--predict", "hold", "--step", "1e-3", "--stop", "0.2"], 1e-3),
    ("case-1:f-s", &["--predict", "linear", "--schedule", "gauss-seidel", "--step", "1e-3", "--stop", "0.2"], 1e-3),
    ("case-2:s-s", &["--predict", "ia1", "--step", "1e-3", "--stop", "0.2"], 1e-3),
    ("case-1:f-s", &["--predict", "h5", "--correct", "newton", "--step", "1e-2", "--stop", "0.5"], 1e-2),
    ("case-1:f-f", &["--predict", "linear", "--correct", "iqn-ils", "--step", "1e-2", "--stop", "0.5"], 1e-2),
    ("case-1:s-s", &["--method", "waveform:20", "--step", "0.2", "--stop", "2"], 0.2),
    ("case-1:f-s", &["--method", "palindromic", "--step", "1e-3", "--stop", "0.2"], 1e-3),
    ("circuit", &["--step", "1e-3", "--stop", "0.1"], 1e-3),
    ("nonlinear-spring", &["--step", "1e-3", "--stop", "0.1"], 1e-3),
    ("actuator", &["--step", "1e-3", "--stop", "0.1"], 1e-3),
];

#[test]
fn a_container_gives_the_bits_of_a_run() {
    for (n, (system, options, window_s)) in CASES.into_iter().enumerate() {
        let folder = empty(&format!("bits-{n}"));
        let (names, rows) = run(&folder, system, options);
        let fmu = exported(&folder, system, options);
        let stop_s: f64 = options[options.len() - 1].parse().expect("the stop");
        let mut instance = Instance::begun(&fmu, Some(stop_s));
        assert!(rows.len() > 10, "{system}");
        for (k, row) in rows.iter().enumerate() {
            if k > 0 {
                instance.step(window_s);
            }
            assert_eq!(&instance.row(&names), row, "{system} {options:?}, row {k}");
        }
    }
}

/// Outer steps of several windows, of different lengths, end at the same bits.
#[test]
fn outer_steps_are_any_multiple_of_the_inner_one() {
    let folder = empty("multiples");
    let options = ["--predict", "linear", "--step", "1e-3", "--stop", "0.1"];
    let (names, rows) = run(&folder, "case-1:f-s", &options);
    let fmu = exported(&folder, "case-1:f-s", &options);
    let mut instance = Instance::begun(&fmu, Some(0.1));
    let mut windows = 0;
    for n in [1, 16, 3, 40, 40] {
        instance.step(n as f64 * 1e-3);
        windows += n;
        assert_eq!(instance.row(&names), rows[windows], "after {windows} windows");
    }
}

/// Two FMUs that blow up with held inputs are exact as one container with a waveform inside.
#[test]
fn the_pair_is_exact_at_fifty_outer_steps() {
    let folder = empty("pair");
    let fmu = exported(&folder, "case-1:s-s", &["--method", "waveform:20", "--step", "0.2"]);
    let parameters = Parameters::case_1();
    let exact = Exact::new(&parameters).expect("the solution");
    let amplitudes = exact.amplitudes(10.0);
    let mut instance = Instance::begun(&fmu, Some(10.0));
    let mut worst = 0.0_f64;
    for n in 1..=50 {
        instance.step(0.2);
        let state = exact.at(0.2 * f64::from(n));
        worst = worst.max((instance.get("mass1.x") - state[0]).abs() / amplitudes[0]);
        worst = worst.max((instance.get("mass2.x") - state[1]).abs() / amplitudes[1]);
    }
    assert!(worst <= 1e-12, "{worst:e}");
}

/// A parameter set outside is one set inside, laws that follow it included.
#[test]
fn parameters_and_patterns() {
    let folder = empty("parameters");
    let options = ["--predict", "linear", "--step", "1e-3", "--stop", "0.05"];
    let (names, rows) = run(&folder, "case-1:f-s", &[&options[..], &["--set", "mass1.m=2.5"]].concat());
    let shown = ["--parameters", "mass1.m", "--outputs", "mass*.x", "--outputs", "mass*.v"];
    let fmu = exported(&folder, "case-1:f-s", &[&options[..], &shown].concat());
    let description = fmu.description();
    let parameters =
        description.variables.iter().filter(|v| v.causality == macrostep_description::Causality::Parameter);
    assert_eq!(parameters.map(|v| v.name.as_str()).collect::<Vec<_>>(), ["mass1.m", "isolate", "extrapolate"]);
    assert_eq!(description.variable("mass1.m").map(|v| v.unit()), Some("kg"));
    let mut instance = Instance::new(&fmu, Some(0.05));
    instance.set("mass1.m", 2.5);
    instance.begin();
    instance.step(0.05);
    let shown: Vec<String> = names.iter().filter(|n| description.variable(n).is_some()).cloned().collect();
    let last = rows.last().expect("rows");
    let expected: Vec<u64> =
        names.iter().zip(last).filter(|(name, _)| shown.contains(name)).map(|(_, bits)| *bits).collect();
    assert_eq!(shown.len(), 4);
    assert_eq!(instance.row(&shown), expected);
    // A pattern that fits nothing.
    let left = macrostep(&folder, &["export", "case-1:f-s", "--out", "none.fmu", "--parameters", "mass9.*"]);
    let error = String::from_utf8_lossy(&left.stderr).into_owned();
    assert!(error.contains("`--parameters mass9.*`: no parameter fits; there are `mass1."), "{error}");
    assert_eq!(left.status.code(), Some(2));
    assert!(!folder.join("none.fmu").exists());
}

/// What is written passes our own check without a remark.
#[test]
fn containers_pass_the_rules() {
    for system in ["case-1", "crane", "circuit", "beam:reduced", "actuator"] {
        let folder = empty(&format!("rules-{}", system.replace(':', "-")));
        exported(&folder, system, &[]);
        let said = succeeds(&folder, &["check", "container.fmu"]);
        assert!(!said.contains("warning") && !said.contains("error:"), "{system}: {said}");
    }
}

/// Inputs that an event of a condition sets belong to the event: the container does not hold them at their start.
#[test]
fn events_of_a_condition_keep_what_they_set() {
    let folder = empty("state-events");
    let scenario = include_str!("../cases/container/event-sets.toml");
    std::fs::write(folder.join("s.toml"), scenario).expect("the scenario");
    let example = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/systems/bouncing-ball.toml");
    std::fs::copy(example, folder.join("ball.toml")).expect("the example");
    // Values set, and values taken from outputs.
    for (system, windows) in [("s.toml", 100), ("ball.toml", 400)] {
        let (names, rows) = run(&folder, system, &[]);
        let mut instance = Instance::begun(&exported(&folder, system, &[]), Some(windows as f64 * 1e-2));
        (0..windows).for_each(|_| instance.step(1e-2));
        assert_eq!(Some(&instance.row(&names)), rows.last(), "{system}");
    }
}
