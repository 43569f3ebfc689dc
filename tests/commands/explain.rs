//! Descriptions of a system without and with running it: explain, graph, verify.

use crate::run;
use std::path::{Path, PathBuf};
use std::process::Command;

fn out(arguments: &[&str]) -> String {
    String::from_utf8(run::done(arguments).stdout).expect("UTF-8")
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn str(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

const PAIR: &str = "examples/systems/oscillator-f-s.toml";

#[test]
fn the_one_step_lag_is_where_the_schedule_puts_it() {
    let pair = file(PAIR);
    let lines = |arguments: &[&str]| {
        let text = out(&[&["explain", str(&pair), "--no-run"][..], arguments].concat());
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let way = |lines: &[String], input: &str| {
        let line = lines.iter().find(|l| l.trim_start().starts_with(input)).expect("a connection").clone();
        (line.contains("the one-step lag"), line.contains("interpolated"), line.contains("iterated"))
    };
    let jacobi = lines(&[]);
    let first = lines(&["--schedule", "gauss-seidel"]);
    let second = lines(&["--schedule", "gauss-seidel:mass2,mass1"]);
    let newton = lines(&["--correct", "newton"]);
    for (told, input, expected) in [
        (&jacobi, "mass1.xi ", (true, false, false)),
        (&jacobi, "mass2.f", (true, false, false)),
        (&first, "mass1.xi ", (true, false, false)),
        (&first, "mass2.f", (false, true, false)),
        (&second, "mass1.xi ", (false, true, false)),
        (&second, "mass2.f", (true, false, false)),
        (&newton, "mass2.f", (false, false, true)),
    ] {
        assert_eq!(way(told, input), expected, "{input}: {told:#?}");
    }
    assert!(
        jacobi.iter().any(|l| l.contains("`mass1`: `f_c` evaluated anew at t + 0.001 s (inputs set, outputs read)"))
    );
    for (predict, expected) in [("hold", "one step old"), ("linear", "predicted over the step")] {
        let lagged = lines(&["--sampling", "lagged", "--predict", predict]);
        let expected = format!("sampled with inputs {expected}");
        assert!(lagged.iter().any(|l| l.contains("mass2.f") && l.contains(&expected)), "{lagged:#?}");
    }
    assert!(lines(&["--predict", "quadratic"]).iter().any(|l| l.contains("O(H^3)")));
}

const EXAMPLES: [&str; 3] = [
    "examples/systems/oscillator-f-s.toml",
    "examples/systems/oscillator-s-s.toml",
    "examples/systems/oscillator-f-f.toml",
];

fn ran(arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&out(&[&["run"][..], arguments, &["--json"]].concat())).expect("JSON")
}

/// The row of a power bond in what `explain` prints: residual energy, its largest, residual power, power.
fn row(told: &str, bond: &str) -> [f64; 4] {
    let line =
        told.lines().find(|l| l.trim_start().starts_with(bond)).unwrap_or_else(|| panic!("no `{bond}` in {told}"));
    let numbers: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    numbers.try_into().unwrap_or_else(|n| panic!("{line}: {n:?}"))
}

/// The masses have no losses: what their energy with that of the spring has changed by, the coupling has made.
#[test]
fn the_energy_residual_is_the_energy_gained() {
    for (name, schedule, predict) in EXAMPLES.iter().flat_map(|name| {
        ["jacobi", "gauss-seidel"].into_iter().flat_map(move |s| ["hold", "linear", "quadratic"].map(|p| (name, s, p)))
    }) {
        let path = file(name);
        let common = [str(&path), "--stop", "1", "--predict", predict, "--schedule", schedule];
        let energies: Vec<String> = ["mass1.e_kin", "mass1.e_pot", "mass2.e_kin", "mass2.e_pot", "mass1.x", "mass2.x"]
            .map(str::to_owned)
            .to_vec();
        let text = std::fs::read_to_string(&path).expect("a scenario");
        let recorded = text.split("[record]").next().expect("a scenario").to_owned();
        let all = crate::common::folder(module_path!()).join("energy.toml");
        std::fs::write(&all, format!("{recorded}[record]\nvariables = {energies:?}\n")).expect("written");
        let run = ran(&[&[str(&all)][..], &common[1..]].concat());
        let v = |name: &str| run["final"][name].as_f64().expect("a number");
        let spring = 50.0 * (v("mass1.x") - v("mass2.x")).powi(2);
        let gained = v("mass1.e_kin") + v("mass1.e_pot") + v("mass2.e_kin") + v("mass2.e_pot") + spring - 10_000.0;
        let bond = &run["power_bonds"][0];
        let number = |key: &str| bond[key].as_f64().expect("a number");
        let (end, largest) = (number("residual_energy_j"), number("residual_energy_max_j"));
        let what = format!("{name} {schedule} {predict}: residual {end} J, gained {gained} J");
        assert!((end - gained).abs() <= 0.01 * largest + 1e-6 * 10_000.0, "{what}");
        let told = row(&out(&[&["explain"][..], &common].concat()), "spring");
        for (told, run) in told.into_iter().zip([end, largest, number("residual_power_max_w")]) {
            assert!((told - run).abs() <= 5e-3 * run.abs(), "{what}: `explain` says {told}, `run` {run}");
        }
    }
}

/// Without bonds in the file: the law's are those that were named, to the last digit; a pair of connections is said to be an
/// indicator where it is one, and what is printed can be written into the file.
#[test]
fn power_bonds_are_found_where_units_of_measurement_show_them() {
    let unnamed = |name: &str| {
        let text = std::fs::read_to_string(file(name)).expect("a scenario");
        let (before, after) = text.split_once("[[bonds]]").expect("bonds");
        let rest = after.find("\n[").map_or("", |at| &after[at..]);
        let path =
            crate::common::folder(module_path!()).join(format!("unnamed-{}", name.rsplit('/').next().expect("a name")));
        std::fs::write(&path, format!("{before}{rest}")).expect("written");
        out(&["explain", str(&path), "--stop", "1"])
    };
    let named = out(&["explain", str(&file(EXAMPLES[2])), "--stop", "1"]);
    let found = unnamed(EXAMPLES[2]);
    assert_eq!(row(&found, "law spring"), row(&named, "spring"));
    assert!(found.contains("found by its units") && named.contains("named"), "{found}");

    let found = unnamed(EXAMPLES[0]);
    let [end, ..] = row(&found, "mass1.f_c / mass2.v");
    let [true_end, ..] = row(&out(&["explain", str(&file(EXAMPLES[0])), "--stop", "1"]), "spring");
    assert!(end / true_end > 0.25 && end / true_end < 4.0, "{end} for {true_end}");
    assert!(found.contains("an indicator: `mass1.xi` moves the same point"), "{found}");
    let block = &found[found.find("[[bonds]]").expect("a block")..];
    let block = block.split("\n\n").next().expect("up to an empty line");
    let text = std::fs::read_to_string(file(EXAMPLES[0])).expect("a scenario");
    let path = crate::common::folder(module_path!()).join("named.toml");
    std::fs::write(&path, format!("{}{block}", text.split("[[bonds]]").next().expect("a scenario"))).expect("written");
    assert_eq!(row(&out(&["explain", str(&path), "--stop", "1"]), "mass1.f_c / mass2.v")[0], end);

    assert!(unnamed(EXAMPLES[1]).contains("no power bond is named"));

    // Through a gear of ratio 2: what the speed gains the force loses, so that the gain stays −1.
    let geared = |ratio: f64| {
        let text = format!(
            "[experiment]\nstop = 1.0\nstep = 1e-3\n[units.shaft]\nfmu = \"embedded:oscillator2_force\"\n\
             [units.load]\nfmu = \"embedded:oscillator1_displacement\"\n\
             [[maps]]\nfrom = [\"shaft.x\"]\nto = [\"load.xi\"]\nmatrix = [[{ratio:?}]]\n\
             reaction = {{ from = [\"load.f_c\"], to = [\"shaft.f\"] }}\n\
             [[maps]]\nfrom = [\"shaft.v\"]\nto = [\"load.xi_dot\"]\nmatrix = [[{ratio:?}]]\n"
        );
        let path = crate::common::folder(module_path!()).join(format!("gear{ratio}.toml"));
        std::fs::write(&path, text).expect("written");
        out(&["explain", str(&path)])
    };
    let told = geared(2.0);
    let [end, largest, ..] = row(&told, "load.f_c / shaft.v");
    assert!(end.is_finite() && largest > 0.0, "{told}");
    assert!(told.contains("system: 2 units") && told.contains("inputs = { xi_dot = -1.0 }"), "{told}");
}

#[test]
fn loops_are_found_solved_and_drawn() {
    let told = out(&["explain", str(&file("tests/cases/loop.toml"))]);
    assert!(told.contains("Algebraic loops: through `mass` – `spring`"), "{told}");
    assert!(told.contains("algebraic loop through `mass`, `spring` solved at t + 0.01 s"), "{told}");
    let run = Command::new(env!("CARGO_BIN_EXE_macrostep")).args(["run", str(&file("tests/cases/loop.toml"))]).output();
    let said = String::from_utf8_lossy(&run.expect("the program starts").stderr).into_owned();
    assert!(said.contains("loop.toml:15:1: algebraic loop through `mass`, `spring`; it is solved at every"), "{said}");
    let path = crate::common::folder(module_path!()).join("loop.svg");
    out(&["graph", str(&file("tests/cases/loop.toml")), "--out", str(&path)]);
    let svg = std::fs::read_to_string(&path).expect("a picture");
    for expected in ["mass", "spring", "algebraic loop", "direct feed-through", "One window of 0.01 s"] {
        assert!(svg.contains(expected), "{expected}");
    }
}

/// Orders are those of the theory, and the bar holds the true error.
#[test]
fn error_bars_hold_the_error() {
    let pair = file(PAIR);
    // A run that starts without a past begins with hold and linear: what that leaves is of order 2 for any degree above.
    for (predict, order) in [("hold", 1.0), ("linear", 2.0), ("quadratic", 2.0)] {
        let told = out(&["verify", str(&pair), "--json", "--stop", "1", "--step", "5e-4", "--predict", predict]);
        let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
        let x2 =
            told["outputs"].as_array().expect("outputs").iter().find(|o| o["name"] == "mass2.x").expect("x2").clone();
        let number = |key: &str| x2[key].as_f64().expect("a number");
        assert!((number("order") - order).abs() < 0.15, "{predict}: {x2}");
        let exact = out(&["oscillator", "--json", "--stop", "1", "--step", "5e-4", "--predict", predict]);
        let exact: serde_json::Value = serde_json::from_str(&exact).expect("JSON");
        // The pair reports the error relative to the largest displacement.
        let error = crate::run::error(&exact, "mass2.x") * number("amplitude");
        let bar = number("error_bar");
        assert!(bar > 0.9 * error && bar < 2.0 * error, "{predict}: bar {bar:e}, error {error:e}");
    }
}

/// What is done about energy and steps has the names of the system, and the last lines say which method is for it.
#[test]
fn corrections_and_the_method_for_a_system_are_said() {
    let told = |more: &[&str]| out(&[&["explain", str(&file(PAIR)), "--no-run"][..], more].concat());
    let cases: [(&[&str], &str); 9] = [
        (&[], "Energy: residual energy of `spring` is reported, without energy correction"),
        (
            &["--energy", "nepce"],
            "NEPCE on `spring`: the mean error of `mass1.xi`, `mass1.xi_dot`, `mass2.f` in a step is added",
        ),
        (
            &["--energy", "leak"],
            "leak on `spring`: a damper with opposite efforts from the difference of `mass1.v`, `mass2.v`",
        ),
        (&[], "Steps: all of 0.001 s"),
        (
            &["--control", "error", "--control-tolerance", "1e-5"],
            "the error of predicted inputs, relative to their size, stays below 0.00001; the degree",
        ),
        (&["--control", "ecco"], "residual energy of `spring`, relative to the largest energy transmitted in a step"),
        (&[], "explicit: `--predict jerk --schedule gauss-seidel`"),
        (&[], "implicit, for long steps: `--method waveform:12`"),
        (&[], "long runs with little damping: `--energy leak` on `spring`"),
    ];
    for (more, words) in cases {
        let told = told(more);
        assert!(told.contains(words), "`{words}` in {told}");
    }
    let which = told(&[]);
    assert!(which.find("What its FMUs allow") < which.find("Which method for this system"), "{which}");
    // Nothing is advised that FMUs cannot do.
    let folder = crate::common::folder(module_path!());
    let set = ["canGetAndSetFMUstate", "canSerializeFMUstate", "canInterpolateInputs"];
    for i in [1, 2] {
        let bytes = crate::limited::cut_fmu(&format!("oscillator{i}_displacement"), &set);
        std::fs::write(folder.join(format!("m{i}.fmu")), bytes).expect("an FMU");
    }
    let text = include_str!("../cases/commands/held-springs.toml");
    std::fs::write(folder.join("cut.toml"), text).expect("a scenario");
    let cut = out(&["explain", str(&folder.join("cut.toml")), "--no-run"]);
    assert!(
        cut.contains(
            "explicit: `--predict linear --schedule gauss-seidel` and a small step: `a`, `b` cannot interpolate inputs"
        ),
        "{cut}"
    );
    // By fork where that is allowed.
    let own = out(&["explain", str(&folder.join("cut.toml")), "--no-run", "--rollback", "own"]);
    assert!(own.contains("implicit: no, `a`, `b` cannot go back"), "{own}");
    if cfg!(target_os = "linux") {
        assert!(cut.contains("`a`, `b` by fork") && !cut.contains("cannot go back"), "{cut}");
    }
}

/// What is not real at one end is held: a row of the delays as any other input.
#[test]
fn links_are_among_the_delays() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explain-links");
    std::fs::create_dir_all(&folder).expect("a folder");
    let text = include_str!("../cases/commands/incline-linked.toml");
    std::fs::write(folder.join("links.toml"), text).expect("a scenario");
    let told = out(&["explain", str(&folder.join("links.toml")), "--no-run"]);
    let row =
        told.lines().find(|line| line.contains("mass.f") && line.contains("block.contacts") && line.contains("held"));
    assert!(row.is_some_and(|row| row.contains("O(H^1)")), "{told}");
}
