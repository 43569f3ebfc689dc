//! `macrostep flex` and `macrostep interface` as a user meets them.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn macrostep(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_macrostep")).args(arguments).output().expect("the program starts")
}

fn json(arguments: &[&str]) -> Value {
    let output = macrostep(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|v| v.as_f64().expect("a number")).collect()
}

#[test]
fn examples_agree_with_the_text() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("flex-examples");
    let _ = std::fs::remove_dir_all(&folder);
    let found = json(&["flex", "examples", "--json", "--out", folder.to_str().expect("UTF-8")]);
    let text = [3.337, 9.121, 44.802, 66.030, 143.173];
    let frequencies = numbers(&found["l_beam"]["frequencies_hz"]);
    assert_eq!(frequencies.len(), 5);
    for (f, text) in frequencies.iter().zip(text) {
        assert!((f / text - 1.0).abs() < 5e-4, "{f} {text}");
    }
    let beam = &found["long_beam"];
    for key in ["u_z", "phi_x", "phi_y"] {
        assert!(beam[key].is_number(), "{key}");
    }
    for (deviation, text) in numbers(&beam["deviation_percent"]).iter().zip([0.06, 0.80, 0.08]) {
        assert!(deviation.abs() <= text, "{deviation} {text}");
    }
    assert!(numbers(&beam["reduced_deviation_percent"]).iter().all(|d| d.abs() <= 4e-3));
    for connector in ["connector1", "connector2"] {
        let settled = numbers(&found["t_square"][connector]);
        let full = numbers(&found["t_square"]["full"][connector]);
        assert!(settled.iter().zip(full).all(|(a, b)| (a / b - 1.0).abs() < 3e-4));
    }
    for name in ["l_beam", "long_beam", "t_square"] {
        for kind in ["png", "svg"] {
            assert!(folder.join(format!("{name}.{kind}")).metadata().is_ok_and(|m| m.len() > 2000), "{name}.{kind}");
        }
    }
}

#[test]
fn interface_has_every_key_and_the_expected_errors() {
    let found = json(&["interface", "--step", "1e-3", "--json"]);
    let number = |key: &str| found[key].as_f64().unwrap_or_else(|| panic!("`{key}` in {found}"));
    assert_eq!((number("full"), number("reduced")), (501.0, 38.0));
    assert!((number("condition") - 2.2).abs() < 0.1);
    assert!((number("cosimulation_error") / 0.34 - 1.0).abs() < 0.02);
    assert!(number("reduction_error") < 1e-3 * number("cosimulation_error"));
    assert!(number("virtual_work_error") < 1e-12);
    assert!(number("lagged_error") > 2.0 * number("cosimulation_error"));
}

#[test]
fn a_step_that_does_not_divide_the_duration_is_a_usage_error() {
    let output = macrostep(&["interface", "--step", "0.3"]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.starts_with("error: ") && message.lines().count() == 1, "{message}");
}
