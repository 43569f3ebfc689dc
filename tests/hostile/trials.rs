//! Steps that are tried together in a process of its own: what they give is what they give one by one, and what fails is said as there.

use std::time::Duration;

use macrostep_import::fmu::{Fmu, FmuOptions};
use macrostep_import::isolation::{Isolation, Limits};
use macrostep_master::unit::{Trials, Unit};

use crate::make;

/// A slave that can go back; in a step with u = 30.5 it does what is said.
fn fmu(at_30: &str) -> Fmu {
    let xml = make::replaced("<CoSimulation", "<CoSimulation canGetAndSetFMUstate=\"true\"");
    let every = format!("if (s->u == 30.5) {{ {at_30}; }}");
    Fmu::from_bytes("slave.fmu", &make::fmu(&xml, &[("AT_EVERY_STEP", &every)])).expect("opened")
}

fn isolation(call: Duration) -> Isolation {
    Isolation::of(env!("CARGO_BIN_EXE_macrostep").into(), Limits { call, ..Limits::default() })
}

/// Outcome and values of `count` trials with u = 0.5, 1.5, … from x = 0.3.
fn tried(mut unit: impl Unit, count: usize) -> (Result<bool, String>, Vec<f64>, u64) {
    unit.setup(0.0, None, None).expect("set up");
    unit.enter_initialization().expect("entered");
    unit.exit_initialization().expect("left");
    unit.set_real(&[0], &[3.0]).and_then(|()| unit.step(0.0, 0.1, false)).expect("a step");
    unit.save(0).expect("saved");
    let inputs: Vec<f64> = (0..count).map(|i| i as f64 + 0.5).collect();
    let of = Trials {
        count,
        slot: 0,
        t_s: 0.1,
        step_s: 0.7,
        inputs: (&[0], &inputs),
        derivatives: (&[], &[], &[]),
        outputs: &[1, 0],
        nodes: &[],
    };
    let mut values = vec![f64::NAN; 2 * count];
    let outcome = unit.trials(&of, &mut values).map_err(|e| e.to_string());
    (outcome, values, unit.do_steps())
}

fn here(fmu: &Fmu, count: usize) -> (Result<bool, String>, Vec<f64>, u64) {
    tried(fmu.instantiate("s", &FmuOptions::default()).expect("an instance"), count)
}

fn apart(fmu: &Fmu, count: usize) -> (Result<bool, String>, Vec<f64>, u64) {
    tried(isolation(Duration::from_secs(60)).instantiate(fmu, "s").expect("an instance"), count)
}

/// More than one message has room for.
#[test]
fn trials_in_one_message_are_those_one_by_one() {
    let fmu = fmu("");
    let (expected, found) = (here(&fmu, 30_000), apart(&fmu, 30_000));
    assert_eq!((&expected.0, expected.1[3]), (&Ok(true), 1.5));
    assert_eq!(expected, found);
    // By fork they are one by one: a process that is woken does not know what the message gave before.
    let by_fork = isolation(Duration::from_secs(60)).instantiate_by_fork(&fmu, "s").expect("an instance");
    let found = tried(by_fork, 20);
    assert_eq!((found.0, found.1), (Ok(true), expected.1[..40].to_vec()));
}

#[test]
fn a_trial_that_fails_is_told_as_one_by_one() {
    for (at_30, words) in [
        ("return ERROR", "unit `s`: fmi2DoStep returned fmi2Error at t = 0.1 s"),
        ("raise(SIGSEGV)", "its process was ended by signal 11"),
        ("usleep(700000)", "no answer within 0.5 s"),
    ] {
        let fmu = fmu(at_30);
        let unit = isolation(Duration::from_millis(500)).instantiate(&fmu, "s").expect("an instance");
        let (outcome, values, steps) = tried(unit, 50);
        let said = outcome.expect_err("a failure");
        assert!(said.starts_with("unit `s`: fmi2DoStep returned") && said.contains(words), "{said}");
        assert_eq!(steps, 51, "all of them were sent");
        if at_30.contains("ERROR") {
            let (expected, before, _) = here(&fmu, 50);
            assert_eq!((expected, &before[..60]), (Err(said), &values[..60]));
        }
    }
    let fmu = fmu("s->reached = t; return DISCARD");
    assert_eq!((here(&fmu, 50).0, apart(&fmu, 50).0), (Ok(false), Ok(false)));
}

/// The limit of time is one of a call, however many of them are in a message.
#[test]
fn many_slow_trials_are_no_slow_call() {
    let xml = make::replaced("<CoSimulation", "<CoSimulation canGetAndSetFMUstate=\"true\"");
    let slow = make::fmu(&xml, &[("AT_EVERY_STEP", "usleep(50000)")]);
    let fmu = Fmu::from_bytes("slave.fmu", &slow).expect("opened");
    let unit = isolation(Duration::from_millis(400)).instantiate(&fmu, "s").expect("an instance");
    assert_eq!(tried(unit, 20).0, Ok(true));
}
