//! What is said of a system without and with running it: explain, graph, verify.

use std::path::{Path, PathBuf};
use std::process::Command;

fn out(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_macrostep")).args(arguments).output().expect("the program starts");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
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
    assert!(jacobi.iter().any(|l| l.contains("`mass1`: `f_c` evaluated anew at t + 0.001 s (inputs set, outputs read)")));
    let lagged = lines(&["--sampling", "lagged"]);
    assert!(lagged.iter().any(|l| l.contains("mass2.f") && l.contains("sampled with inputs one step old")), "{lagged:#?}");
    assert!(lines(&["--predict", "quadratic"]).iter().any(|l| l.contains("O(H^3)")));
}

/// The residual of the only bond has the sign and the order of the energy the system has gained, and vanishes with it.
#[test]
fn the_energy_residual_goes_with_the_energy_gained() {
    let pair = file(PAIR);
    for (predict, order) in [("hold", 2.0), ("linear", 4.0)] {
        let residual = |step: &str| -> f64 {
            let told = out(&["explain", str(&pair), "--stop", "1", "--predict", predict, "--step", step]);
            let line = told.lines().find(|l| l.contains("mass2.v → mass1.xi_dot, mass1.f_c → mass2.f")).expect("a bond");
            line.split_whitespace().rev().nth(2).expect("a number").parse().expect("a number")
        };
        let run = out(&["run", str(&pair), "--json", "--stop", "1", "--predict", predict]);
        let run: serde_json::Value = serde_json::from_str(&run).expect("JSON");
        let v = |name: &str| run["final"][name].as_f64().expect("a number");
        let spring = 50.0 * (v("mass1.x") - v("mass2.x")).powi(2);
        let gained = v("mass1.e_kin") + v("mass1.e_pot") + v("mass2.e_kin") + v("mass2.e_pot") + spring - 10_000.0;
        let (whole, half) = (residual("1e-3"), residual("5e-4"));
        // Mass 1 works with the displacement, the bond with the velocity sent beside it: an indicator, not the balance.
        assert!(whole / gained > 0.25 && whole / gained < 4.0, "{predict}: residual {whole}, gained {gained}");
        assert!(whole / half > 0.9 * order, "{predict}: {whole} with H, {half} with H/2");
    }
}

#[test]
fn loops_are_found_solved_and_drawn() {
    let told = out(&["explain", str(&file("tests/cases/loop.toml"))]);
    assert!(told.contains("Algebraic loops: through `mass` – `spring`"), "{told}");
    assert!(told.contains("algebraic loop through `mass`, `spring` solved at t + 0.01 s"), "{told}");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("loop.svg");
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
        let x2 = told["outputs"].as_array().expect("outputs").iter().find(|o| o["name"] == "mass2.x").expect("x2").clone();
        let number = |key: &str| x2[key].as_f64().expect("a number");
        assert!((number("order") - order).abs() < 0.15, "{predict}: {x2}");
        let exact = out(&["oscillator", "--json", "--stop", "1", "--step", "5e-4", "--predict", predict]);
        let exact: serde_json::Value = serde_json::from_str(&exact).expect("JSON");
        // The pair reports the error relative to the largest displacement.
        let error = exact["error"]["x2"].as_f64().expect("a number") * number("amplitude");
        let bar = number("error_bar");
        assert!(bar > 0.9 * error && bar < 2.0 * error, "{predict}: bar {bar:e}, error {error:e}");
    }
}
