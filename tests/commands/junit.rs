//! `--junit`: verdicts as tests, in a file that CI systems read.

use std::path::PathBuf;
use std::process::Output;

use crate::run::program;

/// The file, with the verb's answer.
fn junit(name: &str, arguments: &[&str]) -> (Output, String) {
    let path: PathBuf = crate::common::folder(module_path!()).join(name);
    let _ = std::fs::remove_file(&path);
    let output = program(&[arguments, &["--junit", path.to_str().expect("UTF-8")]].concat());
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    (output, text)
}

/// Number of an attribute of the suite.
fn count(xml: &str, attribute: &str) -> usize {
    let (_, after) = xml.split_once(&format!("{attribute}=\"")).expect("an attribute");
    after.split_once('"').expect("its end").0.parse().expect("a number")
}

#[test]
fn outputs_above_the_tolerance_fail() {
    let asked = ["verify", "case-1", "--step", "1e-2", "--stop", "2"];
    let (output, xml) = junit("verify.xml", &asked);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let tests = count(&xml, "tests");
    assert!(tests >= 4 && count(&xml, "failures") == 0, "{xml}");
    assert_eq!(xml.matches("<testcase ").count(), tests, "{xml}");
    assert!(xml.contains("of the amplitude"), "{xml}");

    // Some of them, as the JSON has them.
    let verification = crate::run::json(&[&asked[..], &["--json"]].concat());
    let outputs = verification["outputs"].as_array().expect("outputs");
    let relative = |o: &serde_json::Value| Some(o["error_bar"].as_f64()? / o["amplitude"].as_f64()?);
    let mut relatives: Vec<f64> = outputs.iter().filter_map(relative).collect();
    relatives.sort_by(f64::total_cmp);
    let middle = 0.5 * (relatives[tests / 2 - 1] + relatives[tests / 2]);
    let tolerance = format!("{middle:e}");
    let (output, xml) = junit("verify.xml", &[&asked[..], &["--tolerance", &tolerance]].concat());
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert_eq!(count(&xml, "failures"), tests - tests / 2, "{xml}");
    assert!(xml.contains("expected at most"), "{xml}");
}

#[test]
fn a_run_that_cannot_be_made_is_an_error() {
    let (output, xml) = junit("none.xml", &["verify", "case-1", "--step", "0.1", "--stop", "500"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!((count(&xml, "errors"), count(&xml, "tests")), (1, 1), "{xml}");
    let (output, xml) = junit("none.xml", &["check", "Cargo.toml"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(count(&xml, "errors"), 1, "{xml}");
}

#[test]
fn every_rule_is_a_test() {
    let fmu = crate::common::folder(module_path!()).join("oscillator1_force.fmu");
    std::fs::write(&fmu, macrostep::embedded::packed("oscillator1_force").expect("carried")).expect("written");
    let (output, xml) = junit("check.xml", &["check", fmu.to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let of_2 = macrostep_description::rules::ALL.iter().filter(|rule| !rule.section.is_empty());
    assert_eq!(count(&xml, "tests"), of_2.count(), "{xml}");
    assert_eq!(count(&xml, "failures") + count(&xml, "errors"), 0, "{xml}");
}
