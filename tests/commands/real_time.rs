//! `run --real-time`: late points are reported, and nothing else about a run changes.

use std::time::Instant;

use crate::run::{json, program};

#[test]
fn a_run_takes_as_long_as_it_says() {
    let asked = ["run", "case-1", "--stop", "0.6", "--step", "0.1", "--json"];
    let free = json(&asked);
    let began = Instant::now();
    let kept = json(&[&asked[..], &["--real-time", "2"]].concat());
    // Never before its time; how much later depends on the machine.
    assert!(began.elapsed().as_secs_f64() >= 0.3);
    assert!(kept["wall_s"].as_f64() >= Some(0.3), "{kept}");
    assert_eq!(kept["final"], free["final"]);
    assert_eq!((&kept["real_time"]["factor"], &free["real_time"]), (&2.0.into(), &serde_json::Value::Null));
}

#[test]
fn who_is_too_slow_is_named() {
    // Faster than any machine: every communication point is late.
    let asked = ["run", "case-1", "--stop", "0.6", "--step", "0.01", "--json", "--real-time", "1e9"];
    let run = json(&asked);
    let seen = &run["real_time"];
    assert_eq!(seen["overruns"], run["windows"], "{seen}");
    assert!(["mass1", "mass2"].contains(&seen["unit"].as_str().expect("a unit")), "{seen}");
    // Delays do not add up beyond the time of the run, which every point but the first is behind.
    let (late_s, wall_s) = (seen["late_max_s"].as_f64().expect("s"), run["wall_s"].as_f64().expect("s"));
    assert!(late_s > 0.0 && late_s <= wall_s, "{run}");
    assert!(seen["unit_s"].as_f64() > Some(0.0) && seen["unit_s"].as_f64() <= Some(late_s), "{seen}");
    // In words too.
    let table = String::from_utf8(program(&asked[..6]).stdout).expect("text");
    assert!(!table.contains("real time"), "{table}");
    let words = program(&["run", "case-1", "--stop", "0.1", "--step", "0.01", "--real-time", "1e9"]);
    let words = String::from_utf8(words.stdout).expect("text");
    assert!(words.contains("real time × 1000000000: 10 of 10 communication points late, by "), "{words}");
}

#[test]
#[cfg(target_os = "linux")]
fn it_can_be_interrupted_while_it_waits() {
    use std::process::{Command, Stdio};
    let folder = crate::common::folder(module_path!());
    let out = folder.join("out");
    let _ = std::fs::remove_dir_all(&out);
    let mut command = Command::new(env!("CARGO_BIN_EXE_macrostep"));
    command.args(["run", "case-1", "--stop", "1000", "--step", "1", "--real-time", "0.01", "--no-pictures", "--out"]);
    let child = command.arg(&out).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts");
    // Its first row is there before the first macro step, after which it waits for 100 s.
    let trace = out.join("trace.csv");
    let began = Instant::now();
    while std::fs::read_to_string(&trace).is_ok_and(|text| text.lines().count() < 2) || !trace.exists() {
        assert!(began.elapsed().as_secs() < 60, "no rows");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let interrupted = Instant::now();
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    let output = child.wait_with_output().expect("its end");
    assert_eq!(output.status.code(), Some(1));
    assert!(interrupted.elapsed().as_secs() < 50, "{:?}", interrupted.elapsed());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("interrupted at t = "), "{said}");
    let result = std::fs::read_to_string(out.join("result.json")).expect("a result");
    assert!(result.contains("\"overruns\": 0"), "{result}");
}
