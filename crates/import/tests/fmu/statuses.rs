//! Every way a call can end.

use std::time::Duration;

use macrostep_import::fmu::{Fmu, FmuOptions};
use macrostep_master::unit::{Derivatives, Described, Outcome, States, Steps, Tangent, Unit, Values};

use crate::make::{fmu, fmu_with, ready, ready_with};

#[test]
fn a_step_that_is_done() {
    let mut unit = ready(&fmu(), "plain");
    unit.set_real(&[0], &[2.0]).expect("set");
    assert_eq!(unit.step(0.0, 0.5, true), Ok(Outcome::Done));
    let mut values = [0.0; 3];
    unit.get_real(&[0, 1, 2], &mut values).expect("read");
    assert_eq!(values, [2.0, 1.0, 0.5_f64.cos()]);
    assert_eq!((unit.kind(), unit.name(), unit.do_steps()), ("fmu", "plain", 1));
}

#[test]
fn an_unknown_status_is_named() {
    let mut unit = fmu().instantiate("42", &FmuOptions::default()).expect("an instance");
    unit.setup(0.0, Some(1.0), Some(1e-6)).expect("set up");
    let error = unit.enter_initialization().expect_err("42").to_string();
    assert_eq!(
        error,
        "unit `42`: fmi2EnterInitializationMode returned unknown status 42 at t = 0 s: expected 0 to 5, fmi2OK to fmi2Pending"
    );
}

#[test]
fn a_warning_is_counted_and_passes() {
    let mut unit = ready(&fmu(), "warn");
    assert_eq!(unit.set_real(&[0], &[1.0]), Ok(()));
    assert_eq!(unit.warnings(), 1);
}

#[test]
fn a_discarded_step_says_how_far_it_came() {
    let mut unit = ready(&fmu(), "discard");
    assert_eq!(unit.step(0.0, 1.0, true), Ok(Outcome::Discarded { reached_s: 0.25, terminated: true }));
    assert_eq!(unit.do_steps(), 1);
}

#[test]
fn an_error_tells_what_was_logged_and_is_survived() {
    let mut unit = ready(&fmu(), "fail");
    let error = unit.step(3.0, 0.1, true).expect_err("an error").to_string();
    assert_eq!(error, "unit `fail`: fmi2DoStep returned fmi2Error at t = 0 s: step of 0.1");
    assert!(unit.set_real(&[9], &[0.0]).is_err());
    unit.reset().expect("reset");
}

#[test]
fn a_pending_step_is_waited_for_up_to_a_limit() {
    let mut unit = ready(&fmu(), "soon");
    assert_eq!(unit.step(0.0, 1.0, true), Ok(Outcome::Done));
    let options = FmuOptions { pending_limit: Duration::from_millis(20), ..FmuOptions::default() };
    let mut unit = ready_with(&fmu(), "never", &options);
    let error = unit.step(0.0, 1.0, true).expect_err("too long").to_string();
    assert!(error.contains("returned fmi2Pending at t = 0 s: it stayed so for 0.02 s"), "{error}");
}

/// The slave aborts the process when it is called again, even to free it.
#[test]
fn after_fatal_nothing_is_called() {
    let fmu = Fmu::from_bytes("fatal", &fmu_with("needsExecutionTool=\"false\"", &[])).expect("an FMU");
    let mut other = ready(&fmu, "plain");
    let mut unit = ready(&fmu, "fatal");
    assert!(unit.step(0.0, 1.0, true).expect_err("fatal").to_string().contains("returned fmi2Fatal"));
    assert!(unit.step(0.0, 1.0, true).is_err());
    assert!(unit.set_real(&[0], &[1.0]).is_err());
    assert!(unit.get_real(&[0], &mut [0.0]).is_err());
    assert!(unit.reset().is_err() && unit.save(0).is_err());
    assert!(other.step(0.0, 1.0, true).is_err());
    let refused = fmu.instantiate("new", &FmuOptions::default()).expect_err("refused").to_string();
    assert!(refused.contains("another instance returned fmi2Fatal"), "{refused}");
}

#[test]
fn lists_of_different_lengths_are_not_passed_on() {
    let mut unit = ready(&fmu(), "plain");
    let error = unit.set_real(&[0, 0], &[1.0]).expect_err("two and one").to_string();
    assert!(error.contains("1 values for 2 value references"), "{error}");
    assert!(unit.get_real(&[0], &mut []).is_err());
    assert_eq!(unit.get_real(&[], &mut []), Ok(()));
}

#[test]
fn functions_the_library_lacks_are_named_when_needed() {
    let mut unit = ready(&fmu(), "plain");
    let error = unit.set_integer(&[0], &[1]).expect_err("not there").to_string();
    assert!(error.contains("fmi2SetInteger") && error.contains("the library has no such function"), "{error}");
    assert!(unit.directional(Tangent::new(&[1], &[0], &[1.0], &mut [0.0])).is_err());
}
