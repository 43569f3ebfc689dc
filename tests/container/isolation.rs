//! FMUs inside a container that run in processes of their own.

use std::process::Command;
use std::sync::{Arc, Mutex};

use macrostep_import::fmu::{Fmu, FmuOptions, LogRecord};
use macrostep_master::unit::{States, Steps, Unit, Values};

use super::{Instance, empty, exported, macrostep, run};
use crate::make;

const SYSTEM: &str = include_str!("../cases/container/pump-and-valve-tank.toml");

/// A container of a pump that does this, and of a valve that does nothing.
fn container(name: &str, xml: &str, pump: &[(&str, &str)], options: &[&str]) -> Fmu {
    let folder = empty(name);
    std::fs::write(folder.join("pump.fmu"), make::fmu(xml, pump)).expect("the FMU");
    std::fs::write(folder.join("valve.fmu"), make::fmu(xml, &[])).expect("the FMU");
    std::fs::write(folder.join("s.toml"), SYSTEM).expect("the scenario");
    exported(&folder, "s.toml", options)
}

/// Processes that serve FMUs of this container.
fn processes(fmu: &Fmu) -> usize {
    let output = Command::new("ps").args(["-eo", "args"]).output().expect("the processes");
    let program = fmu.folder().join("resources/slave").display().to_string();
    String::from_utf8_lossy(&output.stdout).lines().filter(|line| line.contains(&program)).count()
}

#[test]
fn bits_are_those_of_a_run_and_no_process_is_left() {
    const CASES: [&[&str]; 3] = [
        &["--predict", "linear", "--step", "1e-3", "--stop", "0.05"],
        &["--predict", "h5", "--correct", "newton", "--step", "1e-2", "--stop", "0.2"],
        &["--method", "waveform:8", "--step", "2e-2", "--stop", "0.2"],
    ];
    for (n, options) in CASES.into_iter().enumerate() {
        let folder = empty(&format!("isolated-{n}"));
        let (names, rows) = run(&folder, "case-1:f-s", options);
        let fmu = exported(&folder, "case-1:f-s", options);
        let step_s: f64 = options[options.len() - 3].parse().expect("the step");
        let mut instance = Instance::isolated(&fmu, None);
        assert_eq!(processes(&fmu), 2);
        for (k, row) in rows.iter().enumerate() {
            if k > 0 {
                instance.step(step_s);
            }
            assert_eq!(&instance.row(&names), row, "{options:?}, row {k}");
        }
        // Its state goes back, and into processes of another instance.
        let bytes = instance.unit.serialize().expect("bytes");
        instance.step(step_s);
        let mut other = Instance::isolated(&fmu, None);
        other.unit.deserialize(&bytes).expect("taken up");
        other.now_s = instance.now_s - step_s;
        other.step(step_s);
        assert_eq!(other.row(&names), instance.row(&names));
        assert_eq!(processes(&fmu), 4);
        drop((instance, other));
        assert_eq!(processes(&fmu), 0);
    }
}

/// A crash, and a call that does not end: the host goes on.
#[test]
fn an_fmu_that_is_lost_is_named() {
    let crash = [("AT_STEP", "raise(SIGSEGV)")];
    let endless = [("AT_STEP", "for (;;) sleep(1)")];
    for (n, (pump, options, said)) in [
        (&crash, &["--isolate"][..], "signal 11"),
        (&endless, &["--isolate", "--call-limit", "0.5"], "no answer within 0.5 s"),
    ]
    .into_iter()
    .enumerate()
    {
        let fmu = container(&format!("lost-{n}"), make::XML, pump, options);
        let mut instance = Instance::begun(&fmu, Some(1.0));
        let error = instance.unit.step(0.0, 1.0, true).expect_err("lost").to_string();
        assert!(error.contains("unit `pump`: fmi2DoStep") && error.contains(said), "{error}");
        // The same instance takes steps anew, in new processes.
        instance.unit.reset().expect("reset");
        instance.unit.setup(0.0, Some(1.0), None).expect("set up");
        instance.begin();
        instance.now_s = 0.0;
        instance.step(0.4);
    }
}

/// FMUs that cannot save their state go back by fork inside, as in a run.
#[test]
fn fmus_without_state_go_back_by_fork() {
    let options = ["--correct", "newton"];
    let fmu = container("forked", make::XML, &[], &options);
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("container/forked");
    let (names, rows) = run(&folder, "s.toml", &options);
    assert!(rows.first() != rows.last());
    let mut instance = Instance::begun(&fmu, Some(1.0));
    for (k, row) in rows.iter().enumerate() {
        if k > 0 {
            instance.step(0.1);
        }
        assert_eq!(&instance.row(&names), row, "row {k}");
    }
}

/// What the FMUs write comes up as messages, with the unit's name.
#[test]
fn what_is_written_is_a_message() {
    let says = [
        ("AT_EVERY_STEP", "puts(\"pumping\"); fflush(stdout)"),
        ("AT_STEP", "s->back->log(s->back->environment, \"pump\", 1, \"logAll\", \"it is hot\")"),
    ];
    let fmu = container("written", make::XML, &says, &["--isolate"]);
    let lines = Arc::new(Mutex::new(Vec::new()));
    let taken = Arc::clone(&lines);
    let log = Arc::new(move |record: &LogRecord<'_>| taken.lock().expect("lines").push(record.text.to_owned()));
    let options = FmuOptions { logging_on: true, log: Some(log), ..FmuOptions::default() };
    let mut unit = fmu.instantiate("outer", &options).expect("an instance");
    unit.setup(0.0, Some(1.0), None).expect("set up");
    unit.enter_initialization().expect("initialisation");
    unit.exit_initialization().expect("initialised");
    unit.step(0.0, 0.6, true).expect("steps");
    let lines = lines.lock().expect("lines").clone();
    assert_eq!(lines.iter().filter(|line| *line == "`pump`: pumping").count(), 6, "{lines:?}");
    assert_eq!(
        lines.iter().filter(|line| line.starts_with("`pump` (") && line.ends_with("it is hot")).count(),
        1,
        "{lines:?}"
    );
}

/// Two instances of an FMU of which a process bears only one.
#[test]
fn each_process_has_one() {
    let once = make::replaced("canHandleVariable", "canBeInstantiatedOnlyOncePerProcess=\"true\" canHandleVariable");
    let folder = empty("once");
    std::fs::write(folder.join("one.fmu"), make::fmu(&once, &[])).expect("the FMU");
    let text = SYSTEM.replace("pump.fmu", "one.fmu").replace("valve.fmu", "one.fmu");
    std::fs::write(folder.join("s.toml"), text).expect("the scenario");
    assert!(!macrostep(&folder, &["export", "s.toml", "--out", "none.fmu"]).status.success());
    let fmu = exported(&folder, "s.toml", &["--isolate"]);
    assert!(!fmu.capabilities().can_be_instantiated_only_once_per_process);
    let mut instance = Instance::begun(&fmu, Some(1.0));
    instance.step(1.0);
    // In one process it is refused when it is initialised.
    let mut instance = Instance::new(&fmu, Some(1.0));
    let isolate = instance.reference("isolate");
    instance.unit.set_boolean(&[isolate], &[false]).expect("set");
    let error = instance.unit.enter_initialization().and_then(|()| instance.unit.exit_initialization());
    let error = error.expect_err("refused").to_string();
    // Long messages of slaves are cut in the middle.
    assert!(error.contains("InstantiatedOnlyOncePerProcess`; `--isolate` runs each"), "{error}");
}
