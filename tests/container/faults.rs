//! Faults of the FMUs inside come up with the name of the unit; systems that cannot be exported are refused.

use macrostep_import::fmu::{Fmu, FmuOptions, LogRecord};
use macrostep_master::unit::{Outcome, Steps, Unit};
use std::sync::{Arc, Mutex};

use super::{Instance, empty, exported, macrostep};
use crate::make;

const SYSTEM: &str = include_str!("../cases/container/pump-and-valve.toml");

/// A container of two of these slaves.
fn container(name: &str, defines: &[(&str, &str)]) -> Fmu {
    let folder = empty(name);
    std::fs::write(folder.join("slave.fmu"), make::fmu(make::XML, defines)).expect("the FMU");
    std::fs::write(folder.join("s.toml"), SYSTEM).expect("the scenario");
    exported(&folder, "s.toml", &[])
}

#[test]
fn errors_name_the_unit_inside() {
    let fails = "if (s->x > 0) { s->back->log(s->back->environment, \"x\", ERROR, \"logStatusError\", \"the pump is dry\"); return ERROR; }";
    let fmu = container("errors", &[("AT_STEP", fails)]);
    let lines = Arc::new(Mutex::new(Vec::new()));
    let taken = Arc::clone(&lines);
    let log = Arc::new(move |record: &LogRecord<'_>| {
        taken.lock().expect("lines").push((record.category.to_owned(), record.text.to_owned()));
    });
    let options = FmuOptions { log: Some(log), ..FmuOptions::default() };
    let mut unit = fmu.instantiate("outer", &options).expect("an instance");
    unit.setup(0.0, Some(1.0), None).expect("set up");
    unit.enter_initialization().expect("initialisation");
    unit.exit_initialization().expect("initialised");
    let error = unit.step(0.0, 1.0, true).expect_err("a failure").to_string();
    // The first message is the cause, and names the unit; the container's own has the time.
    assert!(error.contains("`pump` (fmi2Error, logStatusError): the pump is dry (and 1 more message)"), "{error}");
    let own = "unit `pump`: fmi2DoStep returned fmi2Error at t = 0.4 s: the pump is dry";
    assert!(lines.lock().expect("lines").iter().any(|(_, text)| text.contains(own)), "{lines:?}");
    let lines = lines.lock().expect("lines").clone();
    let of_unit = lines.iter().filter(|(category, text)| category == "logStatusError" && text.starts_with("`pump`"));
    assert_eq!(of_unit.count(), 1, "{lines:?}");
    // It can be begun anew, and the first steps are made.
    unit.reset().expect("reset");
    unit.setup(0.0, Some(1.0), None).expect("set up");
    unit.enter_initialization().expect("initialisation");
    unit.exit_initialization().expect("initialised");
    assert_eq!(unit.step(0.0, 0.4, true).expect("steps"), Outcome::Done);
}

#[test]
fn a_discarded_step_and_the_wish_to_end_come_up() {
    let fmu = container("discards", &[("AT_STEP", "s->reached = 0.45; return DISCARD"), ("TERMINATED", "1")]);
    let mut instance = Instance::begun(&fmu, Some(1.0));
    let outcome = instance.unit.step(0.0, 1.0, true).expect("an outcome");
    let Outcome::Discarded { reached_s, terminated } = outcome else { panic!("{outcome:?}") };
    assert!((reached_s - 0.4).abs() < 1e-12 && terminated, "{outcome:?}");
}

/// Slaves that cannot go back make a container that says so.
#[test]
fn capabilities_are_those_of_all_units() {
    let fmu = container("capabilities", &[]);
    let c = fmu.capabilities();
    assert!(!c.can_get_and_set_fmu_state && !c.can_serialize_fmu_state && c.max_output_derivative_order == 0);
    assert!(c.can_interpolate_inputs && !c.can_be_instantiated_only_once_per_process);
}

#[test]
fn systems_that_cannot_be_exported_are_refused() {
    let folder = empty("refused");
    let once = make::replaced("canHandleVariable", "canBeInstantiatedOnlyOncePerProcess=\"true\" canHandleVariable");
    std::fs::write(folder.join("slave.fmu"), make::fmu(&once, &[])).expect("the FMU");
    std::fs::write(folder.join("s.toml"), SYSTEM).expect("the scenario");
    let missing = SYSTEM.replace("slave.fmu\"\n[connections", "none.fmu\"\n[connections");
    std::fs::write(folder.join("missing.toml"), missing).expect("the scenario");
    let own = SYSTEM.replacen("slave.fmu", "x.fmu", 1);
    std::fs::write(folder.join("own.toml"), own).expect("the scenario");
    std::fs::copy(folder.join("slave.fmu"), folder.join("x.fmu")).expect("a copy");
    for (arguments, expected, out) in [
        (
            &["export", "s.toml", "--out", "a.fmu"][..],
            "s.toml:6:8: unit `valve` is a second instance of an FMU with `canBeInstantiatedOnlyOncePerProcess`",
            "a.fmu",
        ),
        (
            &["export", "s.toml", "--threads", "2", "--out", "a.fmu"],
            "`--threads` cannot be combined with `export`",
            "a.fmu",
        ),
        (&["export", "missing.toml", "--out", "b.fmu"], "missing.toml:6:8: unit `valve`: ", "b.fmu"),
        (&["export", "own.toml", "--out", "x.fmu"], "`--out x.fmu` would overwrite `x.fmu`, the FMU", "none"),
        (&["export", "nothing", "--out", "c.fmu"], "nothing", "c.fmu"),
    ] {
        let left = macrostep(&folder, arguments);
        let error = String::from_utf8_lossy(&left.stderr).into_owned();
        assert!(!left.status.success() && error.contains(expected), "{arguments:?}: {error}");
        assert!(!folder.join(out).exists(), "{arguments:?}");
    }
}
