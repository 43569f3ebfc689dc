//! The C functions of one of our FMUs, called in any order with any values: a status comes back, nothing is written
//! outside the lists, no call is fatal.
//!
//! Each call takes one byte for the function and some for its arguments. What C itself forbids is left out: pointers to
//! nothing where a list is not empty, instances that were freed.
#![no_main]

mod common;

use common::{Bytes, guarded};
use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use macrostep_export::fmi2::*;
use macrostep_models::Oscillator1Displacement;

macrostep_export::export_fmu!(Oscillator1Displacement);

static FUNCTIONS: LazyLock<Functions> = LazyLock::new(|| {
    // SAFETY: the functions of this program.
    unsafe { Functions::load(fmi2_functions::address) }.expect("every required function")
});

static GUID: LazyLock<std::ffi::CString> = LazyLock::new(|| {
    let guid = macrostep_models::find("oscillator1_displacement").expect("a model").describe().guid;
    std::ffi::CString::new(guid).expect("text")
});

static CALLBACKS: Shared = Shared(CallbackFunctions {
    logger: None,
    allocate_memory: None,
    free_memory: None,
    step_finished: None,
    component_environment: null_mut(),
});

/// Pointers that point to nothing may be shared.
struct Shared(CallbackFunctions);
// SAFETY: NULL only.
unsafe impl Sync for Shared {}

struct Play<'a> {
    bytes: Bytes<'a>,
    c: Component,
    state: FmuState,
    saved: Vec<u8>,
}

impl Play<'_> {
    fn instantiate(&mut self) {
        let f = &*FUNCTIONS;
        let guid = if self.bytes.byte() == 255 { c"{wrong}" } else { GUID.as_c_str() };
        // SAFETY: zero-terminated strings; the callbacks live for ever.
        unsafe {
            if !self.c.is_null() {
                if let Some(free) = f.free_fmu_state {
                    free(self.c, &raw mut self.state);
                }
                (f.free_instance)(self.c);
            }
            self.state = null_mut();
            self.c =
                (f.instantiate)(c"fuzzed".as_ptr(), CO_SIMULATION, guid.as_ptr(), null(), &CALLBACKS.0, FALSE, FALSE);
        }
    }

    fn values(&mut self, what: u8) -> Status {
        let f = &*FUNCTIONS;
        let (c, refs) = (self.c, self.bytes.refs());
        let n = refs.len();
        let p = refs.as_ptr();
        let orders: Vec<i32> = refs.iter().map(|_| i32::from(self.bytes.byte()) - 2).collect();
        let reals: Vec<f64> = refs.iter().map(|_| self.bytes.real()).collect();
        let words: Vec<i32> = refs.iter().map(|_| i32::from(self.bytes.byte()) - 1).collect();
        let texts: Vec<*const c_char> = refs.iter().map(|_| c"text".as_ptr()).collect();
        // SAFETY: live or NULL component; all lists are as long as counted.
        unsafe {
            match what {
                0 => (f.set_real)(c, p, n, reals.as_ptr()),
                1 => guarded(n, 7.0, |v| (f.get_real)(c, p, n, v)),
                2 => f.set_integer.map_or(OK, |set| set(c, p, n, words.as_ptr())),
                3 => guarded(n, 7, |v| f.get_integer.map_or(OK, |get| get(c, p, n, v))),
                4 => f.set_boolean.map_or(OK, |set| set(c, p, n, words.as_ptr())),
                5 => guarded(n, 7, |v| f.get_boolean.map_or(OK, |get| get(c, p, n, v))),
                6 => f.set_string.map_or(OK, |set| set(c, p, n, texts.as_ptr())),
                7 => guarded(n, null(), |v| f.get_string.map_or(OK, |get| get(c, p, n, v))),
                8 => f.set_real_input_derivatives.map_or(OK, |set| set(c, p, n, orders.as_ptr(), reals.as_ptr())),
                9 => guarded(n, 7.0, |v| {
                    f.get_real_output_derivatives.map_or(OK, |get| get(c, p, n, orders.as_ptr(), v))
                }),
                _ => {
                    let known = self.bytes.refs();
                    let seed: Vec<f64> = known.iter().map(|_| self.bytes.real()).collect();
                    let Some(get) = f.get_directional_derivative else { return OK };
                    guarded(n, 7.0, |v| get(c, p, n, known.as_ptr(), known.len(), seed.as_ptr(), v))
                }
            }
        }
    }

    fn states(&mut self, what: u8) -> Status {
        let f = &*FUNCTIONS;
        let mut size = 0;
        // SAFETY: live or NULL component; the state is NULL or one of this instance; buffers are as long as said.
        unsafe {
            match what {
                0 => f.get_fmu_state.map_or(OK, |get| get(self.c, &raw mut self.state)),
                1 => f.set_fmu_state.map_or(OK, |set| set(self.c, self.state)),
                2 => f.free_fmu_state.map_or(OK, |free| free(self.c, &raw mut self.state)),
                3 => {
                    let (Some(length), Some(write)) = (f.serialized_fmu_state_size, f.serialize_fmu_state) else {
                        return OK;
                    };
                    let status = length(self.c, self.state, &raw mut size);
                    if status != OK {
                        return status;
                    }
                    self.saved = vec![0; size];
                    write(self.c, self.state, self.saved.as_mut_ptr().cast(), size)
                }
                _ => {
                    let Some(read) = f.deserialize_fmu_state else { return OK };
                    if let Some(byte) = self.saved.get_mut(usize::from(what)) {
                        *byte ^= u8::from(what % 2 == 0);
                    }
                    read(self.c, self.saved.as_ptr().cast(), self.saved.len(), &raw mut self.state)
                }
            }
        }
    }

    fn life(&mut self, what: u8) -> Status {
        let f = &*FUNCTIONS;
        let c = self.c;
        let [a, b] = [self.bytes.real(), self.bytes.real()];
        let mut time = 0.0;
        // SAFETY: live or NULL component; numbers only.
        unsafe {
            match what {
                0 => (f.setup_experiment)(c, i32::from(what), 1e-3, a, i32::from(b > 0.0), b),
                1 => (f.enter_initialization_mode)(c),
                2 => (f.exit_initialization_mode)(c),
                3 => (f.terminate)(c),
                4 => f.reset.map_or(OK, |reset| reset(c)),
                5 => f.cancel_step.map_or(OK, |cancel| cancel(c)),
                6 => f.get_real_status.map_or(OK, |get| get(c, i32::from(what), &raw mut time)),
                7 => (f.do_step)(c, a, b, TRUE),
                _ => (f.do_step)(c, 0.0, 1e-2, TRUE),
            }
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut play = Play { bytes: Bytes(bytes), c: null_mut(), state: null_mut(), saved: Vec::new() };
    play.instantiate();
    let mut calls = 0;
    while !play.bytes.0.is_empty() && calls < 200 {
        calls += 1;
        let status = match play.bytes.byte() % 32 {
            0 => {
                play.instantiate();
                OK
            }
            n @ 1..=9 => play.life(n - 1),
            n @ 10..=20 => play.values(n - 10),
            n => play.states(n - 21),
        };
        assert!((OK..=PENDING).contains(&status), "status {status}");
        assert_ne!(status, FATAL, "a panic in the slave");
    }
    play.instantiate();
    // SAFETY: made by this library and freed once; NULL is harmless.
    unsafe { (FUNCTIONS.free_instance)(play.c) };
    let _: *const c_void = null();
});
