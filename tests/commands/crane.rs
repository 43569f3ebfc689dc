//! `macrostep crane` and `macrostep actuator`: runs in the words of the benchmark; and the example `crane`, which compares schemes.

use std::path::Path;

use crate::crane::{Arguments, made, runs};
use crate::run::{json, program as macrostep};
use clap::Parser;
use macrostep::factory;
use macrostep_benchmarks::{Delivery, Manoeuvre, Multirate, Order, Place, Plant, Prediction, Scheme};
use macrostep_run::read_trace;
use serde_json::Value;

/// Each word chooses what it says: the rows are those of the scheme, which the study runs without the program.
#[test]
fn words_are_those_of_the_scheme() {
    let (crane, best) = (Plant::Crane(Manoeuvre::Oblique), Scheme::REPEATED);
    let jacobi = Scheme { repeat: 0, ..Scheme::of(Prediction::Hold, Order::Jacobi, Delivery::End) };
    let linear = Scheme { repeat: 0, ..Scheme::of(Prediction::Linear, Order::FastFirst, Delivery::Mean) };
    for (words, plant, scheme, [step_s, stop_s]) in [
        ("actuator --step 0.004 --stop 2", Plant::Actuator, best, [0.004, 2.0]),
        (
            "actuator --lookahead --repeat 0 --stop 1.6",
            Plant::Actuator,
            Scheme { look_ahead: true, repeat: 0, ..best },
            [0.016, 1.6],
        ),
        ("actuator --place master --stop 1.6", Plant::Actuator, Scheme { place: Place::Master, ..best }, [0.016, 1.6]),
        (
            "actuator --predict hold --schedule jacobi --force end --stop 0.8 --accept-growth",
            Plant::Actuator,
            jacobi,
            [0.016, 0.8],
        ),
        ("crane --manoeuvre oblique --predict linear --step 0.008 --stop 0.8", crane, linear, [0.008, 0.8]),
        ("crane --manoeuvre oblique --step 0.032 --stop 3.2", crane, best, [0.032, 3.2]),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().display().to_string();
        let output =
            macrostep(&[&words.split(' ').collect::<Vec<_>>()[..], &["--no-pictures", "--out", &out]].concat());
        assert!(output.status.success(), "{words}: {output:?}");
        let found = read_trace(std::fs::File::open(folder.path().join("trace.csv")).expect("rows")).expect("rows");
        let run = Multirate { stop_s, ..Multirate::new(plant, scheme, step_s) };
        let expected = runs::run(&run, &factory::fmu, runs::Limits::BRIEF).expect("a run").trace;
        for (ours, theirs) in [
            ("time", "time"),
            ("w1", "mechanics.w[1]"),
            ("lam1", "mechanics.lam_i[1]"),
            ("hydraulic_work", "hydraulics.work"),
        ] {
            let column = expected.column(ours).expect("a column");
            assert!(column.len() > 50 && found.column(theirs).expect("a column") == column, "{words}: {theirs}");
        }
    }
}

/// A finer run gives a column of errors for each output, and the log is lifted.
#[test]
fn the_crane_is_compared_with_a_finer_run() {
    let found = json(&["crane", "--solution", "2e-4", "--json"]);
    assert_eq!(found["verdict"]["grade"], "ok", "{}", found["verdict"]);
    let of = |name: &str| crate::run::error(&found, name);
    for name in ["mechanics.w[1]", "mechanics.w[2]", "mechanics.lam_i[1]"] {
        assert!(of(name) > 1e-4 && of(name) < 0.2, "{name}: {}", of(name));
    }
    let height = found["final"]["mechanics.log_height"].as_f64().expect("a height");
    assert!((height - 2.26).abs() < 0.01, "{height}");
    let steps = [0, 1].map(|i| found["units"][i]["do_steps"].as_u64().expect("a number"));
    assert!(steps[0] > 500 && steps[0] == steps[1], "steps are repeated: {steps:?}");
}

#[test]
fn what_does_not_fit_is_a_usage_error() {
    for (arguments, words) in [
        (vec!["crane", "--predict", "hold", "--place", "master"], "interface model"),
        (vec!["crane", "--predict", "linear", "--repeat", "1"], "interface model"),
        (vec!["actuator", "--predict", "quadratic"], "expected hold or linear"),
        (vec!["actuator", "--manoeuvre", "slewing"], "unexpected argument"),
        (vec!["crane", "case-1"], "write `macrostep run case-1`"),
    ] {
        let output = macrostep(&arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(words), "{arguments:?}: {message}");
    }
}

/// The page of the example holds the motion and asks for nothing outside itself.
#[test]
fn the_animation_is_one_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_str().expect("a path");
    made(&Arguments::parse_from(["crane", "--step", "0.016", "--manoeuvre", "oblique", "--out", out])).expect("a run");
    for name in ["trace.csv", "interface.svg", "interface.png", "crane.html"] {
        assert!(folder.path().join(name).exists(), "{name}");
    }
    let page = std::fs::read_to_string(folder.path().join("crane.html")).expect("the page");
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "`{outside}` in the page");
    }
    let data = page.split("type=\"application/json\">").nth(1).and_then(|p| p.split("</script>").next()).expect("data");
    let data: Value = serde_json::from_str(data).expect("JSON");
    assert_eq!(data["bodies"].as_array().expect("bodies").len(), 18);
    assert!(data["bodies"].as_array().expect("bodies").iter().all(|b| !b.as_array().expect("parts").is_empty()));
    let frames = data["frames"].as_array().expect("frames");
    assert!((230..=250).contains(&frames.len()), "{}", frames.len());
    assert_eq!(frames[0]["p"].as_array().expect("poses").len(), 18);
    has_all_rows(folder.path());
}

/// The trace has a row a macro step.
fn has_all_rows(folder: &Path) {
    let trace = std::fs::read_to_string(folder.join("trace.csv")).expect("the trace");
    assert_eq!(trace.lines().count(), 502);
    assert!(trace.starts_with("time,s1,s2,w1,w2,lam1,lam2,e_kin,"), "{}", trace.lines().next().unwrap_or_default());
}

/// Rows of a run that goes on from a checkpoint, and of one with slaves in processes of their own; another scheme is another run.
#[test]
fn a_run_that_goes_on_is_the_whole_run() {
    for run in [&["crane", "--stop", "1.6", "--manoeuvre", "oblique"][..], &["actuator"]] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name).display().to_string();
        let (out, kept) = (path("out"), path("kept"));
        let rows = |more: &[&str]| {
            let output = macrostep(&[run, &["--no-pictures", "--out", &out], more].concat());
            assert!(output.status.success(), "{output:?}");
            std::fs::read_to_string(folder.path().join("out/trace.csv")).expect("rows")
        };
        let whole = rows(&["--checkpoint", &kept, "--checkpoint-every", "37"]);
        assert!(whole.lines().count() > 100);
        assert!(rows(&["--resume", &kept]) == whole, "{run:?}");
        let other = macrostep(&[run, &["--resume", &kept, "--lookahead"]].concat());
        let said = String::from_utf8_lossy(&other.stderr).into_owned();
        assert!(other.status.code() == Some(1) && said.contains("look-ahead"), "{said}");
        if cfg!(target_os = "linux") {
            assert!(rows(&["--isolate"]) == whole, "{run:?}");
        }
    }
}
