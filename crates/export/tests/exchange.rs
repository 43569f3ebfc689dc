//! The exported functions of model exchange, called as a solver would: a transmission line, most of whose states no output shows.
#![allow(clippy::unwrap_used)] // in a test a panic is the answer
#![allow(unsafe_code)]

mod common;

use common::*;
use macrostep_description::ModelDescription;
use macrostep_export::fmi2::*;
use macrostep_models::{Cable, TransmissionLine, find};
use macrostep_ode::{Point, System};

macrostep_export::export_fmu!(Cable);

/// States: 21 voltages, then 20 currents.
const N: usize = 41;

fn functions() -> Functions {
    // SAFETY: the functions of this program.
    unsafe { Functions::load(fmi2_functions::address) }.expect("every required function")
}

fn description() -> ModelDescription {
    find("transmission_line").expect("a model").describe()
}

fn reference(name: &str) -> u32 {
    description().variable(name).expect("declared").value_reference
}

/// An instance of this face.
fn made(f: &Functions, face: Type, messages: &Messages) -> Component {
    let c = instantiate_for(f, face, ["line", &description().guid], messages, false);
    assert!(!c.is_null(), "{:?}", messages.take());
    c
}

/// Through initialisation, into event mode or ready for a step.
fn initialised(f: &Functions, c: Component) {
    // SAFETY: a live component.
    unsafe {
        assert_eq!((f.setup_experiment)(c, FALSE, 0.0, 0.0, TRUE, 1.0), OK);
        assert_eq!((f.enter_initialization_mode)(c), OK);
        assert_eq!((f.exit_initialization_mode)(c), OK);
    }
}

/// From event mode to continuous-time mode.
fn go_on(f: &Functions, c: Component) {
    let mut info =
        EventInfo { new_discrete_states_needed: TRUE, next_event_time_defined: TRUE, ..EventInfo::default() };
    // SAFETY: a live component, and a place for the answer.
    unsafe {
        assert_eq!((f.new_discrete_states.unwrap())(c, &raw mut info), OK);
        assert_eq!((f.enter_continuous_time_mode.unwrap())(c), OK);
    }
    let flags = [info.new_discrete_states_needed, info.terminate_simulation, info.next_event_time_defined];
    assert_eq!(flags, [FALSE; 3]);
}

/// Numbers that a function of a list gives.
fn list(c: Component, get: Option<unsafe extern "C" fn(Component, *mut Real, usize) -> Status>) -> Vec<f64> {
    let mut values = vec![f64::NAN; N];
    // SAFETY: a live component, as many places as said.
    assert_eq!(unsafe { (get.unwrap())(c, values.as_mut_ptr(), N) }, OK);
    values
}

/// Puts the line to a time and states.
fn put(f: &Functions, c: Component, t: f64, z: &[f64]) {
    // SAFETY: a live component, as many numbers as said.
    unsafe {
        assert_eq!((f.set_time.unwrap())(c, t), OK);
        assert_eq!((f.set_continuous_states.unwrap())(c, z.as_ptr(), z.len()), OK);
    }
}

/// Which state of the equations stands at each place of the list, by the names of the variables.
fn order() -> Vec<usize> {
    let d = description();
    let mut hidden = (0..N).filter(|k| ![0, 20].contains(k));
    let hidden: Vec<usize> = hidden.by_ref().collect();
    let state = |at: usize| {
        let of = d.variables[at].real().unwrap().derivative.unwrap();
        match d.variables[of].name.as_str() {
            "u_1" => 0,
            "u_2" => 20,
            name => hidden[name["state[".len()..name.len() - 1].parse::<usize>().unwrap() - 1],
        }
    };
    d.structure.derivatives.iter().map(|unknown| state(unknown.index)).collect()
}

/// Numbers without a pattern.
fn scattered(count: usize) -> Vec<f64> {
    (0..count).map(|i| (1.0 + i as f64 * 0.7).sin()).collect()
}

#[test]
fn derivatives_are_those_of_the_equations_state_by_state() {
    let (f, messages) = (functions(), Messages::default());
    let c = made(&f, MODEL_EXCHANGE, &messages);
    initialised(&f, c);
    go_on(&f, c);
    // States and inputs without a pattern, as the equations and as the functions have them.
    let (order, z, u) = (order(), scattered(N), [0.3, -0.2]);
    let listed: Vec<f64> = order.iter().map(|k| z[*k]).collect();
    put(&f, c, 0.0, &listed);
    // SAFETY: a live component, lists as long as counted.
    unsafe {
        assert_eq!((f.set_real)(c, ["i_1", "i_2"].map(reference).as_ptr(), 2, u.as_ptr()), OK);
    }
    assert_eq!(list(c, f.get_continuous_states), listed);
    assert_eq!(list(c, f.get_nominals_of_continuous_states), vec![1.0; N]);
    let p = [2.5e-5, 1e-8, 1.0, 0.0, 1.0];
    let at = Point::<TransmissionLine, f64> { t: 0.0, p, z: z.try_into().unwrap(), u, du: [0.0; 2] };
    let rates = TransmissionLine::rates(&at);
    let found = list(c, f.get_derivatives);
    for (place, k) in order.iter().enumerate() {
        assert_eq!(found[place].to_bits(), rates[*k].to_bits(), "state {k}");
    }
    // The directional derivatives are differences of them; the equations are linear.
    let d = description();
    let references = |at: &dyn Fn(usize) -> usize| -> Vec<u32> {
        d.structure.derivatives.iter().map(|unknown| d.variables[at(unknown.index)].value_reference).collect()
    };
    let states = references(&|i| d.variables[i].real().unwrap().derivative.unwrap());
    let derivatives = references(&|i| i);
    let (direction, mut along) = (scattered(N + 3)[3..].to_vec(), vec![0.0; N]);
    let moved: Vec<f64> = listed.iter().zip(&direction).map(|(z, dz)| z + dz).collect();
    // SAFETY: a live component, lists as long as counted.
    unsafe {
        let get = f.get_directional_derivative.unwrap();
        let status = get(c, derivatives.as_ptr(), N, states.as_ptr(), N, direction.as_ptr(), along.as_mut_ptr());
        assert_eq!(status, OK, "{:?}", messages.take());
    }
    put(&f, c, 0.0, &moved);
    let scale = found.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    for ((after, before), along) in list(c, f.get_derivatives).iter().zip(&found).zip(&along) {
        assert!((after - before - along).abs() < 1e-13 * scale, "{after} {before} {along}");
    }
    // SAFETY: live, and not used afterwards.
    unsafe { (f.free_instance)(c) };
}

/// The life of an instance: initialised, integrated, an event nobody needed, ended, reset, used again; the result is that of co-simulation.
#[test]
fn a_solver_comes_to_where_co_simulation_comes() {
    let (f, messages) = (functions(), Messages::default());
    // SAFETY: live components, lists as long as counted.
    unsafe {
        let (c, other) = (made(&f, MODEL_EXCHANGE, &messages), made(&f, CO_SIMULATION, &messages));
        initialised(&f, other);
        let u = [0.01, 0.0];
        assert_eq!((f.set_real)(other, ["i_1", "i_2"].map(reference).as_ptr(), 2, u.as_ptr()), OK);
        for life in 0..2 {
            initialised(&f, c);
            go_on(&f, c);
            assert_eq!((f.set_real)(c, ["i_1", "i_2"].map(reference).as_ptr(), 2, u.as_ptr()), OK);
            let (mut z, h) = (list(c, f.get_continuous_states), 5e-9);
            for step in 0..100 {
                z = runge_kutta(&f, c, step as f64 * h, h, &z);
                // Back and forth, as a solver with events does.
                if step == 50 {
                    assert_eq!((f.enter_event_mode.unwrap())(c), OK);
                    go_on(&f, c);
                }
            }
            put(&f, c, 100.0 * h, &z);
            let (mut enter, mut terminate) = (TRUE, TRUE);
            assert_eq!((f.completed_integrator_step.unwrap())(c, TRUE, &raw mut enter, &raw mut terminate), OK);
            assert_eq!([enter, terminate], [FALSE; 2]);
            // The same micro steps: the same numbers, but for the order of sums.
            if life == 0 {
                assert_eq!((f.do_step)(other, 0.0, 100.0 * h, TRUE), OK, "{:?}", messages.take());
            }
            for name in ["u_1", "u_2", "du_1", "energy"] {
                let (mut one, mut two) = (0.0, 0.0);
                assert_eq!((f.get_real)(c, &reference(name), 1, &raw mut one), OK);
                assert_eq!((f.get_real)(other, &reference(name), 1, &raw mut two), OK);
                assert!((one - two).abs() <= 1e-11 * two.abs() + 1e-300, "{name}: {one} {two}");
            }
            assert_eq!((f.terminate)(c), OK);
            assert_eq!((f.reset.unwrap())(c), OK);
        }
        assert!(messages.take().is_empty());
        (f.free_instance)(c);
        (f.free_instance)(other);
    }
}

/// A step of the classical method of order 4.
fn runge_kutta(f: &Functions, c: Component, t: f64, h: f64, z: &[f64]) -> Vec<f64> {
    let rates = |t: f64, z: &[f64]| {
        put(f, c, t, z);
        list(c, f.get_derivatives)
    };
    let along = |part: f64, k: &[f64]| z.iter().zip(k).map(|(z, k)| z + part * k).collect::<Vec<_>>();
    let first = rates(t, z);
    let second = rates(t + h / 2.0, &along(h / 2.0, &first));
    let third = rates(t + h / 2.0, &along(h / 2.0, &second));
    let fourth = rates(t + h, &along(h, &third));
    let sum = |i: usize| first[i] + 2.0 * (second[i] + third[i]) + fourth[i];
    (0..z.len()).map(|i| z[i] + h / 6.0 * sum(i)).collect()
}

/// Functions of model exchange, each with what it does.
type Call = (&'static str, Box<dyn Fn(Component) -> Status>);

fn calls(f: &Functions) -> Vec<Call> {
    let (mut z, f) = (vec![0.0; N], *f);
    let pointer = z.as_mut_ptr();
    std::mem::forget(z);
    macro_rules! call {
        ($name:ident, $($arg:expr),*) => {{
            let function = f.$name.unwrap();
            // SAFETY: a live component, lists as long as counted.
            let call: Box<dyn Fn(Component) -> Status> = Box::new(move |c| unsafe { function(c, $($arg),*) });
            (stringify!($name), call)
        }};
    }
    let (flags, info) = (Box::leak(Box::new([FALSE; 2])), Box::leak(Box::new(EventInfo::default())));
    let [flag, other] = [0, 1].map(|i| &raw mut flags[i]);
    let info = &raw mut *info;
    vec![
        call!(set_time, 0.0),
        call!(set_continuous_states, pointer.cast_const(), N),
        call!(get_derivatives, pointer, N),
        call!(get_continuous_states, pointer, N),
        call!(get_nominals_of_continuous_states, pointer, N),
        call!(get_event_indicators, pointer, 0),
        call!(completed_integrator_step, TRUE, flag, other),
        call!(new_discrete_states, info),
        // These two last: they change the state of the instance.
        call!(enter_event_mode,),
        call!(enter_continuous_time_mode,),
    ]
}

/// Calls of one face on an instance of the other, calls out of order, and arguments that make no sense: an error with a message each.
#[test]
fn what_is_not_allowed_is_an_error_with_a_message() {
    let (f, messages) = (functions(), Messages::default());
    let calls = calls(&f);
    let refused = |c: Component, names: &[&str]| {
        for (name, call) in calls.iter().filter(|(name, _)| names.contains(name)) {
            assert_eq!(call(c), ERROR, "{name}");
            let logged = messages.take();
            assert!(logged.len() == 1 && logged[0].3.starts_with("fmi2"), "{name}: {logged:?}");
        }
    };
    let all: Vec<&str> = calls.iter().map(|(name, _)| *name).collect();
    // Of co-simulation: none of them in any state.
    let c = made(&f, CO_SIMULATION, &messages);
    refused(c, &all);
    initialised(&f, c);
    refused(c, &all);
    // SAFETY: a live component, not used afterwards.
    unsafe { (f.free_instance)(c) };
    // Of model exchange: fresh, in event mode, in continuous-time mode.
    let c = made(&f, MODEL_EXCHANGE, &messages);
    refused(c, &all);
    initialised(&f, c);
    refused(c, &["set_continuous_states", "completed_integrator_step", "enter_event_mode"]);
    // SAFETY: a live component, lists as long as counted.
    unsafe {
        let error = |status: Status, words: &str| {
            assert_eq!(status, ERROR, "{words}");
            let logged = messages.take();
            assert!(logged.len() == 1 && logged[0].3.contains(words), "{words}: {logged:?}");
        };
        let (input, mut value) = (reference("i_1"), 0.0);
        let slope = f.set_real_input_derivatives.unwrap();
        for _ in 0..2 {
            error((f.do_step)(c, 0.0, 1e-8, TRUE), "fmi2DoStep is not allowed in state");
            error(slope(c, &input, 1, &1, &1.0), "fmi2SetRealInputDerivatives is not allowed in state");
            let get = f.get_real_output_derivatives.unwrap();
            error(
                get(c, &reference("u_1"), 1, &1, &raw mut value),
                "fmi2GetRealOutputDerivatives is not allowed in state",
            );
            go_on(&f, c);
            // Into continuous-time mode only once.
            error((f.enter_continuous_time_mode.unwrap())(c), "fmi2EnterContinuousTimeMode is not allowed");
            error((f.new_discrete_states.unwrap())(c, &mut EventInfo::default()), "fmi2NewDiscreteStates is not");
            // Arguments.
            let (mut z, set) = ([0.0; N], f.set_continuous_states.unwrap());
            error(set(c, z.as_ptr(), N - 1), "40 values found, expected 41");
            error(set(c, core::ptr::null(), N), "x is NULL");
            z[7] = f64::NAN;
            error(set(c, z.as_ptr(), N), "NaN");
            error((f.set_time.unwrap())(c, f64::INFINITY), "time = inf");
            error((f.get_event_indicators.unwrap())(c, z.as_mut_ptr(), 1), "1 values found, expected 0");
            error((f.get_derivatives.unwrap())(c, z.as_mut_ptr(), N + 1), "42 values found");
            error((f.set_real)(c, &reference("R"), 1, &2.0), "`R` cannot be set");
            assert_eq!((f.enter_event_mode.unwrap())(c), OK);
        }
        assert_eq!((f.terminate)(c), OK);
        refused(c, &["set_time", "set_continuous_states", "enter_event_mode", "enter_continuous_time_mode"]);
        (f.free_instance)(c);
    }
}

/// A state of continuous-time mode is saved, also as bytes, and taken back with mode, time, states and inputs.
#[test]
fn states_are_taken_back() {
    let (f, messages) = (functions(), Messages::default());
    let c = made(&f, MODEL_EXCHANGE, &messages);
    initialised(&f, c);
    go_on(&f, c);
    let (first, second) = (scattered(N), scattered(2 * N)[N..].to_vec());
    put(&f, c, 1e-6, &first);
    let before = list(c, f.get_derivatives);
    // SAFETY: a live component, lists as long as counted, states of the same component.
    unsafe {
        let mut state: FmuState = core::ptr::null_mut();
        assert_eq!((f.get_fmu_state.unwrap())(c, &raw mut state), OK);
        put(&f, c, 2e-6, &second);
        assert_eq!((f.set_real)(c, &reference("i_1"), 1, &0.5), OK);
        assert_eq!((f.enter_event_mode.unwrap())(c), OK);
        assert_ne!(list(c, f.get_derivatives), before);
        assert_eq!((f.set_fmu_state.unwrap())(c, state), OK);
        assert_eq!(list(c, f.get_derivatives), before);
        assert_eq!(list(c, f.get_continuous_states), first);
        // It is in continuous-time mode again.
        assert_eq!((f.enter_event_mode.unwrap())(c), OK, "{:?}", messages.take());
        // As bytes, in another instance.
        let mut size = 0;
        assert_eq!((f.serialized_fmu_state_size.unwrap())(c, state, &raw mut size), OK);
        let mut bytes = vec![0; size];
        assert_eq!((f.serialize_fmu_state.unwrap())(c, state, bytes.as_mut_ptr(), size), OK);
        let other = made(&f, MODEL_EXCHANGE, &messages);
        let mut copy: FmuState = core::ptr::null_mut();
        assert_eq!((f.deserialize_fmu_state.unwrap())(other, bytes.as_ptr(), size, &raw mut copy), OK);
        assert_eq!((f.set_fmu_state.unwrap())(other, copy), OK);
        assert_eq!(list(other, f.get_derivatives), before);
        // An instance of the other face takes none of them, in both directions.
        let stepped = made(&f, CO_SIMULATION, &messages);
        initialised(&f, stepped);
        let mut between: FmuState = core::ptr::null_mut();
        assert_eq!((f.get_fmu_state.unwrap())(stepped, &raw mut between), OK);
        for (instance, state) in [(stepped, state), (other, between)] {
            assert_eq!((f.set_fmu_state.unwrap())(instance, state), ERROR);
            let logged = messages.take();
            assert!(logged.len() == 1 && logged[0].3.contains("other face"), "{logged:?}");
        }
        assert_eq!((f.do_step)(stepped, 0.0, 1e-8, TRUE), OK);
        assert_eq!(list(other, f.get_derivatives), before);
        for (instance, mut state) in [(c, state), (other, copy), (stepped, between)] {
            assert_eq!((f.free_fmu_state.unwrap())(instance, &raw mut state), OK);
            (f.free_instance)(instance);
        }
    }
}
