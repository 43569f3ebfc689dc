//! The exported functions of FMI 3.0 of a real model, called as a C program would, held against a native instance.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer
#![allow(unsafe_code)]

use core::ffi::{CStr, c_void};
use core::ptr::{null, null_mut};
use std::sync::Mutex;

use macrostep_export::fmi3::*;
use macrostep_models::find;
use macrostep_slave::Slave;

mod model {
    use macrostep_models::Oscillator1Force;
    macrostep_export::export_fmu!(Oscillator1Force);
}
use model::fmi3_functions;

fn functions() -> Functions {
    // SAFETY: the functions of this program.
    unsafe { Functions::load(fmi3_functions::address) }.expect("every required function")
}

fn description() -> macrostep_description::ModelDescription {
    find("oscillator1_force").expect("a model").describe()
}

/// The value reference of FMI 3.0.
fn reference(name: &str) -> u32 {
    description().variables.iter().position(|v| v.name == name).expect("declared") as u32 + 1
}

/// A signal for the input inside steps, and the instance that asks for it.
struct Host {
    instance: Mutex<usize>,
    signal: fn(f64) -> f64,
    asked: Mutex<Vec<f64>>,
    logged: Mutex<Vec<String>>,
}

impl Host {
    fn new(signal: fn(f64) -> f64) -> Host {
        Host { instance: Mutex::default(), signal, asked: Mutex::default(), logged: Mutex::default() }
    }

    fn environment(&self) -> *mut c_void {
        core::ptr::from_ref(self).cast_mut().cast()
    }
}

unsafe extern "C" fn log(environment: InstanceEnvironment, _: Status, _: Str, message: Str) {
    // SAFETY: the environment is a `Host`, the text is the library's.
    let (host, text) = unsafe { (&*environment.cast::<Host>(), CStr::from_ptr(message)) };
    host.logged.lock().unwrap().push(text.to_string_lossy().into_owned());
}

unsafe extern "C" fn update(
    environment: InstanceEnvironment,
    t: f64,
    set: Boolean,
    get: Boolean,
    _: Boolean,
    _: Boolean,
    _: *mut Boolean,
    _: *mut f64,
) {
    // SAFETY: the environment is a `Host`.
    let host = unsafe { &*environment.cast::<Host>() };
    host.asked.lock().unwrap().push(t);
    assert_eq!((set, get), (TRUE, FALSE));
    let (f, c, force, value) =
        (functions(), *host.instance.lock().unwrap() as Instance, reference("f"), (host.signal)(t));
    let (mut x, k) = (0.0, reference("k"));
    // SAFETY: a live instance, lists as long as counted. All but the named input is refused, and nothing of it done.
    unsafe {
        assert_eq!((f.set_float64)(c, &force, 1, &value, 1), OK);
        assert_eq!((f.set_float64)(c, [force, k].as_ptr(), 2, [7.0, 7.0].as_ptr(), 2), ERROR);
        assert_eq!((f.set_float64)(c, null(), 1, &value, 1), ERROR);
        assert_eq!((f.get_float64)(c, &reference("x"), 1, &mut x, 1), ERROR);
        assert_eq!((f.do_step)(c, t, 0.1, TRUE, null_mut(), null_mut(), null_mut(), null_mut()), ERROR);
        (f.free_instance)(c);
    }
}

fn made(f: &Functions, host: &Host, required: &[u32], callback: Option<IntermediateUpdate>) -> Instance {
    let token = std::ffi::CString::new(description().guid).unwrap();
    // SAFETY: valid texts, lists as long as counted, callbacks that take the environment.
    let c = unsafe {
        (f.instantiate)(
            c"one".as_ptr(),
            token.as_ptr(),
            null(),
            FALSE,
            FALSE,
            FALSE,
            FALSE,
            required.as_ptr(),
            required.len(),
            host.environment(),
            Some(log),
            callback,
        )
    };
    *host.instance.lock().unwrap() = c as usize;
    c
}

fn initialize(f: &Functions, c: Instance) {
    // SAFETY: a live instance.
    unsafe {
        assert_eq!((f.enter_initialization_mode)(c, FALSE, 0.0, 0.0, TRUE, 10.0), OK);
        assert_eq!((f.exit_initialization_mode)(c), OK);
    }
}

fn step(f: &Functions, c: Instance, t: f64, h: f64) -> Status {
    let (mut flags, mut last) = ([TRUE; 3], -1.0);
    let [event, end, early] = &mut flags;
    // SAFETY: a live instance and places to write to.
    let status = unsafe { (f.do_step)(c, t, h, TRUE, event, end, early, &mut last) };
    if status == OK {
        assert_eq!((flags, last), ([FALSE; 3], t + h));
    }
    status
}

fn get(f: &Functions, c: Instance, name: &str) -> f64 {
    let mut value = f64::NAN;
    // SAFETY: a live instance, lists as long as counted.
    assert_eq!(unsafe { (f.get_float64)(c, &reference(name), 1, &mut value, 1) }, OK);
    value
}

/// Position after steps of 0.2 s of a native instance, whose input is a polynomial that `feed` sets.
fn native(feed: impl Fn(&mut dyn Slave, u32, f64)) -> f64 {
    let mut slave = find("oscillator1_force").unwrap().instantiate("native");
    let of = |name: &str| description().variable(name).unwrap().value_reference;
    slave.setup_experiment(0.0, Some(10.0), None).unwrap();
    slave.enter_initialization().unwrap();
    slave.exit_initialization().unwrap();
    for k in 0..5 {
        let t = f64::from(k) * 0.2;
        feed(slave.as_mut(), of("f"), t);
        slave.do_step(t, 0.2, true).unwrap();
    }
    let mut x = [0.0];
    slave.get_real(&[of("x")], &mut x).unwrap();
    x[0]
}

#[test]
fn held_inputs_give_the_bits_of_fmi_2() {
    let (f, host) = (functions(), Host::new(|_| 3.0));
    let expected = native(|slave, force, t| slave.set_real(&[force], &[(1.0 + t).sqrt()]).unwrap());
    // Without a callback, with one that nobody named an input for, and with one that holds.
    for (required, callback) in [(vec![], None), (vec![], Some(update as IntermediateUpdate))] {
        let c = made(&f, &host, &required, callback);
        initialize(&f, c);
        for k in 0..5 {
            let t = f64::from(k) * 0.2;
            // SAFETY: a live instance, lists as long as counted.
            assert_eq!(unsafe { (f.set_float64)(c, &reference("f"), 1, &(1.0 + t).sqrt(), 1) }, OK);
            assert_eq!(step(&f, c, t, 0.2), OK);
        }
        assert_eq!(get(&f, c, "x"), expected);
        // SAFETY: a live instance.
        unsafe { (f.free_instance)(c) };
    }
    let held = native(|slave, force, _| slave.set_real(&[force], &[3.0]).unwrap());
    let c = made(&f, &host, &[reference("f")], Some(update));
    initialize(&f, c);
    (0..5).for_each(|k| assert_eq!(step(&f, c, f64::from(k) * 0.2, 0.2), OK));
    assert_eq!(get(&f, c, "x"), held);
    // A constant needs five questions.
    assert_eq!(host.asked.lock().unwrap().len(), 25);
    // SAFETY: a live instance.
    unsafe { (f.free_instance)(c) };
}

#[test]
fn inputs_inside_a_step_are_those_of_the_host() {
    let wave: fn(f64) -> f64 = |t| 2.0 * (3.0 * t + 0.4).sin();
    // Reference: the Taylor polynomial of degree 18 at each start.
    let expected = native(|slave, force, t| {
        slave.set_real(&[force], &[2.0 * (3.0 * t + 0.4).sin()]).unwrap();
        for order in 1..=18 {
            let phase = 3.0 * t + 0.4 + f64::from(order) * std::f64::consts::FRAC_PI_2;
            slave.set_real_input_derivatives(&[force], &[order], &[2.0 * 3.0_f64.powi(order) * phase.sin()]).unwrap();
        }
    });
    let (f, host) = (functions(), Host::new(wave));
    let c = made(&f, &host, &[reference("x"), reference("f")], Some(update));
    initialize(&f, c);
    let mut saved = null_mut();
    for k in 0..5 {
        let t = f64::from(k) * 0.2;
        // The same from a state that was saved.
        // SAFETY: a live instance and its own states.
        unsafe { assert_eq!((f.get_fmu_state.unwrap())(c, &mut saved), OK) };
        assert_eq!(step(&f, c, t, 0.2), OK);
        let first = get(&f, c, "x");
        // SAFETY: the same.
        unsafe { assert_eq!((f.set_fmu_state.unwrap())(c, saved), OK) };
        assert_eq!(step(&f, c, t, 0.2), OK);
        assert_eq!(get(&f, c, "x"), first);
    }
    let x = get(&f, c, "x");
    assert!((x - expected).abs() < 1e-13 * expected.abs().max(1.0), "{x} {expected}");
    // Every question was about a time inside the step.
    let asked = host.asked.lock().unwrap();
    assert!(asked.iter().all(|t| (0.0..=1.0 + 1e-15).contains(t)) && asked.len() <= 10 * 17, "{}", asked.len());
    // SAFETY: a live instance and its own state.
    unsafe {
        assert_eq!((f.free_fmu_state.unwrap())(c, &mut saved), OK);
        assert!(saved.is_null());
        (f.free_instance)(c);
    }
}

#[test]
fn instances_that_cannot_be_made_are_refused() {
    let (f, host) = (functions(), Host::new(|_| 0.0));
    let token = std::ffi::CString::new(description().guid).unwrap();
    let (name, other) = (c"one".as_ptr(), c"other".as_ptr());
    let none = (null::<u32>(), 0);
    // SAFETY: NULL or valid arguments.
    let refused = |name, token, events, (required, count)| unsafe {
        (f.instantiate)(
            name,
            token,
            null(),
            FALSE,
            FALSE,
            events,
            FALSE,
            required,
            count,
            host.environment(),
            Some(log),
            None,
        )
    };
    for (c, said) in [
        (refused(null(), token.as_ptr(), FALSE, none), "instance name is empty"),
        (refused(name, other, FALSE, none), "instantiation token `other` found"),
        (refused(name, null(), FALSE, none), "instantiation token `` found"),
        (refused(name, token.as_ptr(), TRUE, none), "eventModeUsed is true"),
        (refused(name, token.as_ptr(), FALSE, (null(), 3)), "requiredIntermediateVariables is NULL"),
        (refused(name, token.as_ptr(), FALSE, ([9999_u32].as_ptr(), 1)), "value reference 9999 found"),
    ] {
        assert!(c.is_null(), "{said}");
        let logged = host.logged.lock().unwrap().remove(0);
        assert!(logged.contains(said), "{logged}, expected {said}");
    }
}

#[test]
fn wrong_calls_are_errors_with_the_names_of_fmi_3() {
    let (f, host) = (functions(), Host::new(|_| 0.0));
    // SAFETY: NULL is an instance that every call takes.
    unsafe {
        assert_eq!((f.terminate)(null_mut()), ERROR);
        assert_eq!((f.set_float64)(null_mut(), null(), 0, null(), 0), ERROR);
        (f.free_instance)(null_mut());
    }
    let c = made(&f, &host, &[], None);
    let said = |status: Status, text: &str| {
        assert_eq!(status, ERROR, "{text}");
        let logged = host.logged.lock().unwrap().remove(0);
        assert!(logged.contains(text), "{logged}, expected {text}");
    };
    let (mut x, mut flag, mut last) = ([0.0; 2], FALSE, 0.0);
    let (r, p) = ([reference("x"), reference("integrator")], core::ptr::addr_of_mut!(flag));
    // SAFETY: a live instance; lists are NULL or as long as counted.
    unsafe {
        said((f.do_step)(c, 0.0, 0.1, TRUE, p, p, p, &mut last), "fmi3DoStep is not allowed in state Instantiated");
        said((f.get_float64)(c, r.as_ptr(), 1, x.as_mut_ptr(), 1), "fmi3GetFloat64 is not allowed");
        initialize(&f, c);
        said((f.exit_initialization_mode)(c), "fmi3ExitInitializationMode is not allowed in state StepComplete");
        said((f.get_float64)(c, null(), 1, x.as_mut_ptr(), 1), "valueReferences is NULL");
        said((f.get_float64)(c, r.as_ptr(), 1, null_mut(), 1), "values is NULL");
        said((f.get_float64)(c, r.as_ptr(), 1, x.as_mut_ptr(), 2), "2 values found, expected 1");
        said((f.get_float64)(c, r.as_ptr(), 2, x.as_mut_ptr(), 2), "of type Int64 found, expected Float64");
        said((f.get_float64)(c, &u32::MAX, 1, x.as_mut_ptr(), 1), "value reference 4294967295 found");
        said((f.set_float64)(c, &0, 1, &1.0, 1), "value reference 0 found");
        said((f.get_int8.unwrap())(c, r.as_ptr(), 1, null_mut(), 1), "no variable of this type");
        said((f.set_int64.unwrap())(c, &r[1], 1, &(1_i64 << 40), 1), "expected an item");
        said((f.enter_event_mode.unwrap())(c), "fmi3EnterEventMode: the FMU does not have");
        said((f.set_fmu_state.unwrap())(c, null_mut()), "the FMU state is NULL");
        said((f.do_step)(c, 0.0, 0.1, TRUE, null_mut(), p, p, &mut last), "eventHandlingNeeded is NULL");
        said((f.do_step)(c, 3.0, 0.1, TRUE, p, p, p, &mut last), "fmi3DoStep: currentCommunicationPoint");
        // The time beside a variable, and nothing has been spoilt.
        assert_eq!((f.get_float64)(c, [0, r[0]].as_ptr(), 2, x.as_mut_ptr(), 2), OK);
        assert_eq!((x[0], step(&f, c, 0.0, 0.1), get(&f, c, "x") == x[1]), (0.0, OK, false));
        assert_eq!((f.get_float64)(c, &0, 1, x.as_mut_ptr(), 1), OK);
        assert_eq!((x[0], (f.reset.unwrap())(c), (f.terminate)(c)), (0.1, OK, ERROR));
        (f.free_instance)(c);
    }
}
