//! The exported functions of a real model, called as a C program would.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer
#![allow(unsafe_code)]

mod common;

use core::ptr::{null, null_mut};

use common::*;
use macrostep_export::fmi2::*;
use macrostep_models::{Oscillator1Displacement, find};
use proptest::prelude::*;

macrostep_export::export_fmu!(Oscillator1Displacement);

fn functions() -> Functions {
    // SAFETY: the functions of this program.
    unsafe { Functions::load(fmi2_functions::address) }.expect("every required function")
}

fn description() -> macrostep_description::ModelDescription {
    find("oscillator1_displacement").expect("a model").describe()
}

fn reference(name: &str) -> u32 {
    description().variable(name).expect("declared").value_reference
}

fn made(f: &Functions, messages: &Messages) -> Component {
    let c = instantiate(f, "one", &description().guid, messages, false);
    assert!(!c.is_null(), "{:?}", messages.take());
    c
}

/// Through initialisation.
fn ready(f: &Functions, c: Component) {
    // SAFETY: a live component.
    unsafe {
        assert_eq!((f.setup_experiment)(c, FALSE, 0.0, 0.0, TRUE, 10.0), OK);
        assert_eq!((f.enter_initialization_mode)(c), OK);
        assert_eq!((f.exit_initialization_mode)(c), OK);
    }
}

/// Displacement after a few steps with a polynomial input.
fn run(f: &Functions, c: Component) -> f64 {
    let [xi, x] = ["xi", "x"].map(reference);
    let mut value = 0.0;
    // SAFETY: a live component, lists as long as counted.
    unsafe {
        for k in 0..5 {
            assert_eq!((f.set_real)(c, &xi, 1, &(0.1 * f64::from(k))), OK);
            assert_eq!(f.set_real_input_derivatives.expect("exported")(c, &xi, 1, &1, &-0.3), OK);
            assert_eq!((f.do_step)(c, f64::from(k) * 0.01, 0.01, TRUE), OK);
        }
        assert_eq!((f.get_real)(c, &x, 1, &mut value), OK);
    }
    value
}

#[test]
fn every_function_is_exported() {
    for symbol in REQUIRED_SYMBOLS.iter().chain(OPTIONAL_SYMBOLS) {
        let name = std::ffi::CString::new(*symbol).expect("no zero byte");
        assert!(!fmi2_functions::address(&name).is_null(), "{symbol}");
    }
}

#[test]
fn equal_bits_with_the_native_instance() {
    let (f, messages) = (functions(), Messages::default());
    let c = made(&f, &messages);
    ready(&f, c);
    let mut native = find("oscillator1_displacement").expect("a model").instantiate("two");
    native.setup_experiment(0.0, Some(10.0), None).expect("legal");
    native.enter_initialization().expect("legal");
    native.exit_initialization().expect("legal");
    let [xi, x] = ["xi", "x"].map(reference);
    for k in 0..5 {
        native.set_real(&[xi], &[0.1 * f64::from(k)]).expect("an input");
        native.set_real_input_derivatives(&[xi], &[1], &[-0.3]).expect("an input");
        native.do_step(f64::from(k) * 0.01, 0.01, true).expect("a step");
    }
    let mut value = [0.0];
    native.get_real(&[x], &mut value).expect("readable");
    assert_eq!(value[0].to_bits(), run(&f, c).to_bits());
    // SAFETY: live, and not used afterwards.
    unsafe { (f.free_instance)(c) };
}

#[test]
fn wrong_instantiations_give_null_and_a_message() {
    let (f, messages) = (functions(), Messages::default());
    let guid = description().guid;
    for (name, guid, expected) in
        [("", guid.as_str(), "name"), ("  ", guid.as_str(), "name"), ("a", "{wrong}", "{wrong}")]
    {
        assert!(instantiate(&f, name, guid, &messages, false).is_null());
        let logged = messages.take();
        assert_eq!(logged.len(), 1);
        assert_eq!((logged[0].1, logged[0].2.as_str()), (ERROR, "logStatusError"));
        assert!(logged[0].3.contains(expected), "{logged:?}");
    }
    // SAFETY: NULL is what is tested.
    unsafe {
        assert!((f.instantiate)(null(), CO_SIMULATION, null(), null(), null(), FALSE, FALSE).is_null());
        let guid = std::ffi::CString::new(guid).expect("no zero byte");
        assert!((f.instantiate)(c"a".as_ptr(), 2, guid.as_ptr(), null(), null(), FALSE, FALSE).is_null());
        let c = (f.instantiate)(c"a".as_ptr(), CO_SIMULATION, guid.as_ptr(), null(), null(), FALSE, TRUE);
        assert!(!c.is_null(), "neither resources nor callbacks are needed");
        (f.free_instance)(c);
        (f.free_instance)(null_mut());
    }
}

#[test]
fn log_categories_are_obeyed() {
    let (f, messages) = (functions(), Messages::default());
    let c = made(&f, &messages);
    let switch = f.set_debug_logging.expect("exported");
    // SAFETY: a live component, lists as long as counted.
    unsafe {
        assert!(messages.take().is_empty(), "events are off");
        assert_eq!((f.do_step)(c, 0.0, 0.1, TRUE), ERROR);
        let logged = messages.take();
        assert_eq!((logged.len(), logged[0].0.as_str(), logged[0].2.as_str()), (1, "one", "logStatusError"));
        assert!(logged[0].3.contains("fmi2DoStep") && logged[0].3.contains("Instantiated"), "{logged:?}");
        assert_eq!(switch(c, TRUE, 1, &c"logEvents".as_ptr()), OK);
        assert_eq!((f.do_step)(c, 0.0, 0.1, TRUE), ERROR);
        assert!(messages.take().is_empty(), "errors are off");
        assert_eq!(f.reset.expect("exported")(c), OK);
        assert_eq!(messages.take()[0].2, "logEvents");
        assert_eq!(switch(c, FALSE, 0, null()), OK);
        assert_eq!(f.reset.expect("exported")(c), OK);
        assert_eq!((f.do_step)(c, 0.0, 0.1, TRUE), ERROR);
        assert!(messages.take().is_empty(), "all off");
        assert_eq!(switch(c, TRUE, 1, &c"no such category".as_ptr()), ERROR);
        assert_eq!(switch(c, TRUE, 1, &null()), ERROR);
        assert_eq!(switch(c, TRUE, 1, null()), ERROR);
        assert_eq!(switch(c, TRUE, 0, null()), OK);
        assert_eq!(f.reset.expect("exported")(c), OK);
        assert_eq!(messages.take().len(), 1);
        (f.free_instance)(c);
    }
}

#[test]
fn pointers_and_counts() {
    let (f, messages) = (functions(), Messages::default());
    let c = instantiate(&f, "one", &description().guid, &messages, true);
    ready(&f, c);
    let (x, mut value) = (reference("x"), 7.0);
    // SAFETY: a live component; NULL is what is tested.
    unsafe {
        assert_eq!((f.get_real)(c, null(), 0, null_mut()), OK);
        assert_eq!((f.set_real)(c, null(), 0, null()), OK);
        assert_eq!((f.get_real)(c, null(), 1, &mut value), ERROR);
        assert_eq!((f.get_real)(c, &x, 1, null_mut()), ERROR);
        assert_eq!((f.get_real)(null_mut(), &x, 1, &mut value), ERROR);
        assert_eq!((f.get_real)(c, [x, 100_000].as_ptr(), 2, [0.0; 2].as_mut_ptr()), ERROR);
        assert_eq!(value, 7.0, "nothing partly written");
        // Lists that cannot be: longer than memory, not at an address for numbers. They are refused, not followed.
        messages.take();
        for count in [usize::MAX, usize::MAX / 4, isize::MAX as usize / 4 + 1] {
            assert_eq!((f.get_real)(c, &x, count, &mut value), ERROR);
            assert!(messages.take().iter().any(|m| m.3.contains("vr has ") && m.3.contains("bytes in all")), "{count}");
        }
        let odd = |p: *mut f64| p.cast::<u8>().wrapping_add(1).cast::<f64>();
        assert_eq!((f.get_real)(c, &x, 1, odd(&mut value)), ERROR);
        assert_eq!((f.set_real)(c, &x, 1, odd(&mut value)), ERROR);
        let said = messages.take();
        assert!(said.iter().any(|m| m.3.contains("expected an address divisible by 8")), "{said:?}");
        assert_eq!(value, 7.0, "nothing partly written");
        assert_eq!(f.get_string.expect("exported")(c, &0, 1, &mut null()), ERROR, "no strings here");
        assert_eq!(f.get_integer.expect("exported")(c, null(), 0, null_mut()), OK);
        (f.free_instance)(c);
    }
}

#[test]
fn status_functions_answer_as_the_standard_says() {
    let (f, messages) = (functions(), Messages::default());
    let c = made(&f, &messages);
    let (mut real, mut boolean) = (0.0, 5);
    // SAFETY: a live component, valid places.
    unsafe {
        assert_eq!(f.get_real_status.expect("exported")(c, LAST_SUCCESSFUL_TIME, &mut real), ERROR, "too early");
        ready(&f, c);
        run(&f, c);
        assert_eq!(f.get_real_status.expect("exported")(c, LAST_SUCCESSFUL_TIME, &mut real), OK);
        assert_eq!(real, 0.04 + 0.01);
        assert_eq!(f.get_real_status.expect("exported")(c, TERMINATED, &mut real), DISCARD);
        assert_eq!(f.get_boolean_status.expect("exported")(c, TERMINATED, &mut boolean), OK);
        assert_eq!(boolean, FALSE);
        assert_eq!(f.get_status.expect("exported")(c, DO_STEP_STATUS, &mut 0), DISCARD);
        assert_eq!(f.get_integer_status.expect("exported")(c, 0, &mut 0), DISCARD);
        assert_eq!(f.get_string_status.expect("exported")(c, PENDING_STATUS, &mut null()), DISCARD);
        assert_eq!(f.cancel_step.expect("exported")(c), ERROR);
        assert_eq!((f.do_step)(c, 0.05, 100.0, TRUE), ERROR, "past the stop time");
        assert_eq!((f.terminate)(c), OK);
        (f.free_instance)(c);
    }
}

#[test]
fn states_go_to_another_instance_by_bytes() {
    let (f, messages) = (functions(), Messages::default());
    let (one, two) = (made(&f, &messages), made(&f, &messages));
    ready(&f, one);
    let first = run(&f, one);
    let (mut state, mut read, mut size) = (null_mut(), null_mut(), 0);
    let x = reference("x");
    // SAFETY: live components, states and places.
    unsafe {
        let get = f.get_fmu_state.expect("exported");
        assert_eq!(get(one, &mut state), OK);
        let slot = state;
        assert_eq!(get(one, &mut state), OK);
        assert_eq!(state, slot, "the slot is reused");
        assert_eq!(f.serialized_fmu_state_size.expect("exported")(one, state, &mut size), OK);
        let mut bytes = vec![0; size];
        assert_eq!(f.serialize_fmu_state.expect("exported")(one, state, bytes.as_mut_ptr(), size - 1), ERROR);
        assert_eq!(f.serialize_fmu_state.expect("exported")(one, state, bytes.as_mut_ptr(), size), OK);
        let read_back = f.deserialize_fmu_state.expect("exported");
        assert_eq!(read_back(two, bytes.as_ptr(), size - 8, &mut read), ERROR);
        assert!(read.is_null(), "no state is made of wrong bytes");
        assert_eq!(read_back(two, bytes.as_ptr(), size, &mut read), OK);
        assert_eq!(f.set_fmu_state.expect("exported")(two, read), OK);
        let mut second = 0.0;
        assert_eq!((f.get_real)(two, &x, 1, &mut second), OK);
        assert_eq!(first.to_bits(), second.to_bits());
        assert_eq!(f.set_fmu_state.expect("exported")(two, null_mut()), ERROR);
        let free = f.free_fmu_state.expect("exported");
        for state in [&mut state, &mut read] {
            assert_eq!(free(two, state), OK);
            assert!(state.is_null());
            assert_eq!(free(two, state), OK, "freeing nothing");
        }
        assert_eq!(free(two, null_mut()), OK);
        (f.free_instance)(one);
        (f.free_instance)(two);
    }
}

/// A call with random arguments.
#[derive(Debug, Clone)]
struct Random {
    function: u8,
    refs: Vec<u32>,
    values: Vec<f64>,
    null: bool,
    slot: usize,
    number: i32,
}

fn random() -> impl Strategy<Value = Random> {
    let number = prop_oneof![Just(0.0), Just(0.01), Just(f64::NAN), Just(-1.0), Just(1e300), -2.0..2.0];
    let refs = prop::collection::vec(prop_oneof![8 => 0u32..90, 1 => any::<u32>()], 0..5);
    (0u8..34, refs, prop::collection::vec(number, 8), any::<bool>(), 0usize..3, -1i32..23)
        .prop_map(|(function, refs, values, null, slot, number)| Random { function, refs, values, null, slot, number })
}

/// Makes the call, on states of `slots`.
///
/// # Safety
/// `c` is live, the slots hold NULL or live states.
unsafe fn call(f: &Functions, c: Component, r: &Random, slots: &mut [FmuState; 3], t: &mut f64) -> Status {
    let count = r.refs.len();
    let refs = if r.null && r.number == 0 { null() } else { r.refs.as_ptr() };
    let (orders, mut reals, mut integers) = (vec![r.number; count], r.values.clone(), vec![r.number; count]);
    let (mut strings, mut bytes) = (vec![c"text".as_ptr(); count], vec![0; 64]);
    let step = if r.null { 0.01 } else { r.values[0] };
    // SAFETY: by the contract, and lists at least as long as counted.
    unsafe {
        match r.function {
            0 => (f.setup_experiment)(c, r.number & 1, r.values[0], r.values[1].min(0.0), r.number & 2, r.values[2]),
            1 => (f.enter_initialization_mode)(c),
            2 => (f.exit_initialization_mode)(c),
            3 => (f.terminate)(c),
            4 => f.reset.expect("exported")(c),
            5 | 6 => (f.set_real)(c, refs, count, reals.as_ptr()),
            7 | 8 => (f.get_real)(c, refs, count, reals.as_mut_ptr()),
            9 => f.set_integer.expect("exported")(c, refs, count, integers.as_ptr()),
            10 => f.get_integer.expect("exported")(c, refs, count, integers.as_mut_ptr()),
            11 => f.set_boolean.expect("exported")(c, refs, count, integers.as_ptr()),
            12 => f.get_boolean.expect("exported")(c, refs, count, integers.as_mut_ptr()),
            13 => f.set_string.expect("exported")(c, refs, count, strings.as_ptr()),
            14 => f.get_string.expect("exported")(c, refs, count, strings.as_mut_ptr()),
            15 | 16 => f.set_real_input_derivatives.expect("exported")(c, refs, count, orders.as_ptr(), reals.as_ptr()),
            17 => f.get_real_output_derivatives.expect("exported")(c, refs, count, orders.as_ptr(), reals.as_mut_ptr()),
            18 => f.get_fmu_state.expect("exported")(c, &mut slots[r.slot]),
            19 => f.set_fmu_state.expect("exported")(c, slots[r.slot]),
            20 => f.free_fmu_state.expect("exported")(c, &mut slots[r.slot]),
            21 => f.deserialize_fmu_state.expect("exported")(c, bytes.as_ptr(), 64, &mut slots[r.slot]),
            22 => f.serialize_fmu_state.expect("exported")(c, slots[r.slot], bytes.as_mut_ptr(), 64),
            23 => f.cancel_step.expect("exported")(c),
            24 => f.get_real_status.expect("exported")(c, r.number, t),
            25 => f.get_status.expect("exported")(c, r.number, &mut 0),
            26 => f.set_debug_logging.expect("exported")(c, r.number & 1, count, strings.as_ptr()),
            27 => {
                let mut known = r.values.clone();
                let directional = f.get_directional_derivative.expect("exported");
                directional(c, refs, count, refs, count, reals.as_ptr(), known.as_mut_ptr())
            }
            _ => {
                let status = (f.do_step)(c, *t, step, TRUE);
                if status == OK {
                    *t += step;
                }
                status
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any calls in any order give a status of the standard, never a dead instance; and a reset makes it as new.
    #[test]
    fn random_calls_never_crash(calls in prop::collection::vec(random(), 1..60), begin in any::<bool>()) {
        let (f, messages) = (functions(), Messages::default());
        let (c, fresh) = (made(&f, &messages), made(&f, &messages));
        if begin {
            ready(&f, c);
        }
        let (mut slots, mut t) = ([null_mut(); 3], 0.0);
        for r in &calls {
            // SAFETY: a live component and its states.
            let status = unsafe { call(&f, c, r, &mut slots, &mut t) };
            prop_assert!([OK, DISCARD, ERROR].contains(&status), "{} from {r:?}", status);
        }
        prop_assert!(messages.take().iter().all(|m| m.2.starts_with("log") && !m.3.is_empty()));
        // SAFETY: a live component, states freed once.
        unsafe {
            for slot in &mut slots {
                prop_assert_eq!(f.free_fmu_state.expect("exported")(c, slot), OK);
            }
            prop_assert_eq!(f.reset.expect("exported")(c), OK);
        }
        for c in [c, fresh] {
            ready(&f, c);
        }
        prop_assert_eq!(run(&f, c).to_bits(), run(&f, fresh).to_bits());
        // SAFETY: live, and not used afterwards.
        unsafe {
            (f.free_instance)(c);
            (f.free_instance)(fresh);
        }
    }
}
