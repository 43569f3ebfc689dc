//! The state machine, checked calls, saved states.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer

mod common;

use common::*;
use macrostep_slave::{Fault, Instance, Model, Outcome, Phase, Slave, Snapshot, Tangent};

fn fresh() -> Instance<Echo> {
    Instance::new("echo", None).expect("a legal declaration")
}

fn ready() -> Instance<Echo> {
    let mut s = fresh();
    s.setup_experiment(0.0, Some(2.0), None).expect("legal");
    s.enter_initialization().expect("legal");
    s.exit_initialization().expect("legal");
    s
}

fn real(s: &mut Instance<Echo>, reference: u32) -> f64 {
    let mut value = [f64::NAN];
    s.get_real(&[reference], &mut value).expect("readable");
    value[0]
}

fn count(s: &mut Instance<Echo>) -> i32 {
    let mut value = [-1];
    s.get_integer(&[COUNT], &mut value).expect("readable");
    value[0]
}

#[test]
fn outputs_follow_inputs_and_parameters_of_every_type() {
    let mut s = ready();
    assert_eq!(real(&mut s, Y), 0.5);
    s.set_real(&[U, GAIN], &[3.0, 4.0]).expect("an input and a tunable parameter");
    assert_eq!(real(&mut s, Y), 12.0);
    s.set_string(&[GREETING], &["grüezi"]).expect("an input");
    assert_eq!(s.get_string(&[ANSWER, GREETING]).expect("readable"), ["GRÜEZI", "grüezi"]);
    s.set_boolean(&[0], &[false]).expect("an input");
    let mut on = [true];
    s.get_boolean(&[0], &mut on).expect("readable");
    assert!(!on[0]);
    s.do_step(0.0, 0.5, true).expect("a step");
    assert_eq!((count(&mut s), s.time_s()), (1, 0.5));
}

#[test]
fn each_step_takes_the_inputs_set_before_it() {
    let mut s = ready();
    s.do_step(0.0, 0.5, true).expect("a step");
    s.set_real(&[U], &[2.0]).expect("an input");
    s.do_step(0.5, 0.25, true).expect("a step");
    s.do_step(0.75, 0.25, true).expect("a step with the same input");
    assert_eq!(real(&mut s, Y), 2.0 * 2.0 + 0.5 * 0.25 + 0.5 * 2.0);
}

#[test]
fn table_of_allowed_calls() {
    let mut s = fresh();
    let mut value = [0.0];
    let refused = |r: Result<(), Fault>| assert!(matches!(r, Err(Fault::NotAllowed { .. })), "{r:?}");
    refused(s.get_real(&[Y], &mut value));
    refused(s.do_step(0.0, 0.1, true).map(|_| ()));
    refused(s.exit_initialization());
    refused(s.terminate());
    refused(s.last_successful_time_s().map(|_| ()));
    refused(s.get_real_output_derivatives(&[Y], &[1], &mut value));
    s.enter_initialization().expect("legal");
    refused(s.setup_experiment(0.0, None, None));
    refused(s.enter_initialization());
    refused(s.do_step(0.0, 0.1, true).map(|_| ()));
    s.exit_initialization().expect("legal");
    refused(s.exit_initialization());
    refused(s.cancel_step());
    s.terminate().expect("legal");
    refused(s.do_step(0.0, 0.1, true).map(|_| ()));
    refused(s.set_real(&[U], &[1.0]));
    assert_eq!(real(&mut s, U), 0.25, "values are readable after termination");
    s.reset().expect("always");
    assert_eq!(s.phase(), Phase::Instantiated);
}

#[test]
fn what_may_be_set_when() {
    let mut s = fresh();
    s.set_real(&[GAIN, LIMIT, U], &[1.0, 2.0, 3.0]).expect("all of them before initialisation");
    assert!(matches!(s.set_real(&[Y], &[1.0]), Err(Fault::NotSettable { .. })), "calculated");
    s.enter_initialization().expect("legal");
    s.set_real(&[GAIN, LIMIT, U], &[1.5, 2.0, 3.0]).expect("exact and inputs");
    assert_eq!(real(&mut s, Y), 4.5);
    s.exit_initialization().expect("legal");
    assert!(matches!(s.set_real(&[LIMIT], &[1.0]), Err(Fault::NotSettable { .. })), "fixed");
    assert!(matches!(s.set_integer(&[0], &[2]), Err(Fault::NotSettable { .. })), "fixed");
}

#[test]
fn a_refused_call_writes_nothing() {
    let mut s = fresh();
    let before = s.memory().clone();
    for (refs, values) in [
        (vec![U, 99], vec![1.0, 2.0]),
        (vec![U, GAIN], vec![1.0, f64::NAN]),
        (vec![U, LIMIT], vec![1.0, 11.0]),
        (vec![U, Y], vec![1.0, 1.0]),
        (vec![U, GAIN], vec![1.0]),
    ] {
        assert!(s.set_real(&refs, &values).is_err(), "{refs:?} {values:?}");
        assert_eq!(*s.memory(), before);
    }
    assert!(s.set_integer(&[0], &[4]).is_err_and(|f| f.is_discard()), "out of range");
    assert!(s.set_string(&[GREETING, 9], &["a", "b"]).is_err());
    assert!(s.set_boolean(&[0, 1], &[false, false]).is_err());
    assert!(s.set_real_input_derivatives(&[U, U], &[1, 21], &[1.0, 1.0]).is_err(), "order");
    assert!(s.set_real_input_derivatives(&[U, GAIN], &[1, 1], &[1.0, 1.0]).is_err(), "no input");
    assert!(s.set_real_input_derivatives(&[U], &[1], &[f64::INFINITY]).is_err(), "not finite");
    assert_eq!(*s.memory(), before);
    s.set_real(&[], &[]).expect("nothing to do");
}

/// FMI 2.0.5, section 4.2.2: the communication step is longer than 0. A master that makes one of 0 all the same is told so,
/// and can go on.
#[test]
fn a_step_of_no_length_is_refused_and_changes_nothing() {
    let mut s = ready();
    s.set_real(&[U], &[3.0]).expect("an input");
    let before = s.memory().clone();
    let fault = s.do_step(0.0, 0.0, true).expect_err("a step of no length");
    assert!(!fault.is_discard(), "no part of an interval was computed");
    let text = fault.to_string();
    assert!(text.contains("communicationStepSize = 0 s") && text.contains("section 4.2.2"), "{text}");
    assert_eq!(*s.memory(), before);
    s.do_step(0.0, 0.1, true).expect("a step");
    // Where it is meant to initialise, there is no step at all.
    let mut s = fresh();
    s.enter_initialization().expect("legal");
    assert!(matches!(s.do_step(0.0, 0.0, true), Err(Fault::NotAllowed { .. })));
    s.set_real(&[U], &[3.0]).expect("an input");
    assert_eq!(real(&mut s, Y), 3.0 * real(&mut s, GAIN));
}

#[test]
fn times_are_checked() {
    let mut s = ready();
    let nan = f64::NAN;
    for (t, h) in [(0.0, 0.0), (0.0, -0.1), (0.0, nan), (nan, 0.1), (0.1, 0.1), (0.0, 2.1), (0.0, f64::INFINITY)] {
        let before = s.memory().clone();
        assert!(matches!(s.do_step(t, h, true), Err(Fault::Time { .. })), "{t} {h}");
        assert_eq!(*s.memory(), before);
    }
    for k in 0..10 {
        s.do_step(f64::from(k) * 0.1, 0.1, true).expect("rounding of k · 0.1 is fine");
    }
    let mut s = fresh();
    for (start, stop, tolerance) in
        [(nan, None, None), (0.0, Some(-1.0), None), (0.0, Some(nan), None), (0.0, None, Some(0.0))]
    {
        assert!(s.setup_experiment(start, stop, tolerance).is_err());
    }
}

#[test]
fn discarded_steps_and_failures() {
    let mut s = ready();
    let outcome = s.do_step(0.0, 1.5, true).expect("an outcome");
    assert_eq!(outcome, Outcome::Discarded { reached_s: 1.0, terminated: true });
    assert_eq!((s.phase(), s.last_successful_time_s(), s.wants_termination()), (Phase::StepFailed, Ok(1.0), Ok(true)));
    assert!(s.do_step(1.0, 0.1, true).is_err(), "only restoring or terminating is left");
    s.terminate().expect("legal");
    let mut s = ready();
    let mut saved = Snapshot::new();
    s.save(&mut saved).expect("a state");
    s.set_string(&[GREETING], &["fail"]).expect("an input");
    assert!(matches!(s.do_step(0.0, 0.1, true), Err(Fault::Model { .. })));
    assert_eq!(s.phase(), Phase::Error);
    s.restore(&saved).expect("a way out");
    s.do_step(0.0, 0.1, true).expect("a step");
}

/// A state in the middle of things: polynomials, strings, time.
fn busy() -> Instance<Echo> {
    let mut s = ready();
    s.set_real(&[U], &[0.1]).expect("an input");
    s.set_real_input_derivatives(&[U, U], &[1, 20], &[0.7, 1e3]).expect("an input");
    s.set_string(&[GREETING], &["größer"]).expect("an input");
    s.do_step(0.0, 0.3, true).expect("a step");
    s
}

#[test]
fn reset_is_fresh() {
    let mut s = busy();
    s.reset().expect("always");
    assert_eq!(s.memory(), fresh().memory());
}

#[test]
fn states_survive_bytes_bit_by_bit() {
    let mut s = busy();
    let mut saved = Snapshot::new();
    s.save(&mut saved).expect("a state");
    let mut bytes = vec![0; s.serialized_size(&saved).expect("a size")];
    s.serialize(&saved, &mut bytes).expect("room");
    // Another instance, another life.
    let mut other = fresh();
    let mut read = Snapshot::new();
    other.deserialize(&bytes, &mut read).expect("our bytes");
    assert_eq!(read, saved);
    other.restore(&read).expect("a state");
    for s in [&mut s, &mut other] {
        s.do_step(0.3, 0.2, true).expect("a step");
    }
    for reference in [U, Y] {
        assert_eq!(real(&mut s, reference).to_bits(), real(&mut other, reference).to_bits());
    }
    assert_eq!(s.get_string(&[ANSWER]), other.get_string(&[ANSWER]));
    assert_eq!(count(&mut s), count(&mut other));
}

#[test]
fn wrong_bytes_are_refused() {
    let mut s = busy();
    let mut saved = Snapshot::new();
    assert!(s.serialized_size(&saved).is_err(), "nothing saved");
    s.save(&mut saved).expect("a state");
    let size = s.serialized_size(&saved).expect("a size");
    let mut bytes = vec![0; size];
    assert!(s.serialize(&saved, &mut bytes[..size - 1]).is_err());
    assert!(s.serialize(&saved, &mut vec![0; size + 1]).is_err());
    s.serialize(&saved, &mut bytes).expect("room");
    let mut into = saved.clone();
    for n in 0..size {
        assert!(s.deserialize(&bytes[..n], &mut into).is_err(), "{n} of {size} bytes");
        let mut changed = bytes.clone();
        changed[n] ^= 0x10;
        assert!(s.deserialize(&changed, &mut into).is_err(), "byte {n} changed");
    }
    bytes.push(0);
    assert!(s.deserialize(&bytes, &mut into).is_err(), "one byte more");
    assert_eq!(into, saved, "a failed read leaves the snapshot alone");
}

#[test]
fn saving_again_reuses_the_snapshot() {
    let mut s = busy();
    let mut saved = Snapshot::new();
    s.save(&mut saved).expect("a state");
    s.do_step(0.3, 0.1, true).expect("a step");
    s.save(&mut saved).expect("a state");
    let mut fresh_one = Snapshot::new();
    s.save(&mut fresh_one).expect("a state");
    assert_eq!(saved, fresh_one);
}

/// Values of every type: as many as references, references that there are, variables that may be set, by name.
#[test]
fn wrong_calls_are_refused_in_every_type() {
    let mut s = ready();
    let before = s.memory().clone();
    let length = |r: Result<(), Fault>| assert!(matches!(r, Err(Fault::Length { found: 1, expected: 2, .. })), "{r:?}");
    length(s.set_integer(&[0, 0], &[1]));
    length(s.set_boolean(&[0, 0], &[false]));
    length(s.set_string(&[GREETING, GREETING], &["a"]));
    length(s.get_real(&[U, Y], &mut [0.0]));
    length(s.get_integer(&[0, 1], &mut [0]));
    length(s.get_boolean(&[0, 0], &mut [false]));
    length(s.set_real_input_derivatives(&[U, U], &[1], &[0.0, 0.0]));
    length(s.set_real_input_derivatives(&[U, U], &[1, 2], &[0.0]));
    length(s.directional_derivative(Tangent::new(&[Y], &[U, U], &[1.0], &mut [0.0])));
    length(s.directional_derivative(Tangent::new(&[Y, Y], &[U], &[1.0], &mut [0.0])));
    let unknown = |r: Result<(), Fault>, n: usize| {
        assert!(matches!(r, Err(Fault::UnknownReference { reference: 9, count, .. }) if count == n), "{r:?}");
    };
    unknown(s.set_real(&[9], &[1.0]), 4);
    unknown(s.set_integer(&[9], &[1]), 2);
    unknown(s.set_boolean(&[9], &[false]), 1);
    unknown(s.set_string(&[9], &["a"]), 2);
    unknown(s.get_real(&[9], &mut [0.0]), 4);
    unknown(s.get_integer(&[9], &mut [0]), 2);
    unknown(s.get_boolean(&[9], &mut [false]), 1);
    unknown(s.get_string(&[9]).map(|_| ()), 2);
    unknown(s.set_real_input_derivatives(&[9], &[1], &[0.0]), 4);
    unknown(s.directional_derivative(Tangent::new(&[Y], &[9], &[1.0], &mut [0.0])), 4);
    unknown(s.directional_derivative(Tangent::new(&[9], &[U], &[1.0], &mut [0.0])), 4);
    let named = |r: Result<(), Fault>, name: &str| {
        let text = r.expect_err("a fault").to_string();
        assert!(text.contains(&format!("`{name}`")), "{text}");
    };
    named(s.set_integer(&[COUNT], &[1]), "count");
    named(s.set_string(&[ANSWER], &["a"]), "answer");
    named(s.set_real(&[LIMIT], &[1.0]), "limit");
    named(s.set_real(&[U], &[f64::NAN]), "u");
    named(s.set_real_input_derivatives(&[U], &[1], &[f64::NAN]), "u");
    named(s.set_real_input_derivatives(&[Y], &[1], &[0.0]), "y");
    assert_eq!(*s.memory(), before);
    let mut slope = [f64::NAN];
    s.directional_derivative(Tangent::new(&[Y], &[U], &[3.0], &mut slope)).expect("an output and an input");
    assert_eq!((slope, s.instance_name()), ([6.0], "echo"));
}

/// A state of another model, and bytes of one, are refused as such.
#[test]
fn states_of_other_models_are_refused() {
    let mut s = busy();
    let (mut saved, mut bytes) = (Snapshot::new(), Vec::new());
    let text = |r: Result<(), Fault>| r.expect_err("a fault").to_string();
    assert!(text(s.restore(&saved)).contains("nothing was saved in it"));
    s.save(&mut saved).expect("a state");
    bytes.resize(s.serialized_size(&saved).expect("a size"), 0);
    s.serialize(&saved, &mut bytes).expect("room");
    let (_, mut changed) = Echo::declare(None).expect("a legal declaration");
    changed.guid = "{another}".into();
    let mut other = Instance::of("other", (Echo, changed)).expect("a legal declaration");
    assert!(text(other.restore(&saved)).contains("it is one of another model"));
    assert!(text(other.deserialize(&bytes, &mut saved)).contains("the state of another model"));
    // Neither magic nor room for it.
    assert!(text(other.deserialize(&[0; 64], &mut saved)).contains("no state of macrostep"));
    assert!(text(other.deserialize(&[0; 7], &mut saved)).contains("7 bytes found, expected at least 8"));
}
