//! The C functions of FMI 3.0 of one of our FMUs, called in any order with any values, and by the importer's callback inside steps: a status
//! comes back, nothing is written outside the lists, no call is fatal.
//!
//! Each call takes one byte for the function and some for its arguments. What C itself forbids is left out: pointers to
//! nothing where a list is not empty, lists that are shorter than their number says, instances that were freed.
#![no_main]

mod common;

use common::{Bytes, guarded};
use std::cell::RefCell;
use std::ffi::c_char;
use std::ptr::{null, null_mut};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use macrostep_export::fmi3::*;

mod model {
    use macrostep_models::Oscillator1Force;
    macrostep_export::export_fmu!(Oscillator1Force);
}
use model::fmi3_functions;

static FUNCTIONS: LazyLock<Functions> = LazyLock::new(|| {
    // SAFETY: the functions of this program.
    unsafe { Functions::load(fmi3_functions::address) }.expect("every required function")
});

static TOKEN: LazyLock<std::ffi::CString> = LazyLock::new(|| {
    let guid = macrostep_models::find("oscillator1_force").expect("a model").describe().guid;
    std::ffi::CString::new(guid).expect("text")
});

/// Value reference of the input.
const FORCE: u32 = 9;

thread_local! {
    /// What the callback does: its instance, and bytes of its own, so that a step does not depend on how often it asks.
    static CALLED: RefCell<(Instance, Vec<u8>)> = const { RefCell::new((null_mut(), Vec::new())) };
}

/// `intermediateUpdate` of an importer that calls what it may, and what it may not.
unsafe extern "C" fn update(
    _: InstanceEnvironment,
    t: f64,
    _: Boolean,
    _: Boolean,
    _: Boolean,
    _: Boolean,
    early: *mut Boolean,
    _: *mut f64,
) {
    let (c, bytes) = CALLED.with(|called| called.borrow().clone());
    let mut play = Play { bytes: Bytes(&bytes), c, state: null_mut(), saved: Vec::new(), is_inside: true };
    for _ in 0..3 {
        let status = match play.bytes.byte() % 16 {
            n @ 0..=7 => play.values(n),
            8 => play.states(0),
            9 => play.life(3),
            10 => play.life(8),
            _ => play.set(&[FORCE], &[t.sin()], 1),
        };
        assert!((OK..=ERROR).contains(&status), "status {status} inside a step");
    }
    // SAFETY: a place for one truth value.
    unsafe { *early = Boolean::from(play.bytes.byte() == 1) };
}

struct Play<'a> {
    bytes: Bytes<'a>,
    c: Instance,
    state: FmuState,
    saved: Vec<u8>,
    is_inside: bool,
}

impl Play<'_> {
    fn instantiate(&mut self) {
        let f = &*FUNCTIONS;
        let token = if self.bytes.byte() == 255 { c"{wrong}" } else { TOKEN.as_c_str() };
        let required = self.bytes.refs();
        let callback = (self.bytes.byte() % 4 != 0).then_some(update as IntermediateUpdate);
        let flag = Boolean::from(self.bytes.byte() == 1);
        // SAFETY: zero-terminated strings, a list as long as counted; the callback lives for ever.
        unsafe {
            self.free();
            self.c = (f.instantiate)(
                c"fuzzed".as_ptr(),
                token.as_ptr(),
                null(),
                FALSE,
                flag,
                flag,
                flag,
                required.as_ptr(),
                required.len(),
                null_mut(),
                None,
                callback,
            );
        }
    }

    /// Ends the instance and its state.
    fn free(&mut self) {
        let f = &*FUNCTIONS;
        // SAFETY: a live instance with a state of it, or NULL.
        unsafe {
            if let (Some(free), false) = (f.free_fmu_state, self.c.is_null()) {
                free(self.c, &raw mut self.state);
            }
            (f.free_instance)(self.c);
        }
        (self.c, self.state) = (null_mut(), null_mut());
    }

    fn set(&mut self, refs: &[u32], values: &[f64], n: usize) -> Status {
        // SAFETY: a live or NULL instance; `values` has at least `n`.
        unsafe { (FUNCTIONS.set_float64)(self.c, refs.as_ptr(), refs.len(), values.as_ptr(), n) }
    }

    fn values(&mut self, what: u8) -> Status {
        let f = &*FUNCTIONS;
        let (c, refs) = (self.c, self.bytes.refs());
        let (n, p) = (refs.len(), refs.as_ptr());
        // As many values as references, one more, or one fewer.
        let m = match self.bytes.byte() {
            254 => n + 1,
            255 => n.saturating_sub(1),
            _ => n,
        };
        let orders: Vec<i32> = refs.iter().map(|_| i32::from(self.bytes.byte()) - 2).collect();
        let reals: Vec<f64> = (0..=n).map(|_| self.bytes.real()).collect();
        let words: Vec<i32> = (0..=n).map(|_| i32::from(self.bytes.byte()) - 1).collect();
        let long: Vec<i64> = words.iter().map(|w| i64::from(*w) << (w & 63)).collect();
        let flags: Vec<Boolean> = words.iter().map(|w| *w as Boolean).collect();
        let texts: Vec<*const c_char> = (0..=n).map(|_| c"text".as_ptr()).collect();
        // SAFETY: live or NULL instance; all lists are as long as counted.
        unsafe {
            match what {
                0 => self.set(&refs, &reals, m),
                1 => guarded(m, 7.0, |v| (f.get_float64)(c, p, n, v, m)),
                2 => f.set_int32.map_or(OK, |set| set(c, p, n, words.as_ptr(), m)),
                3 => guarded(m, 7, |v| f.get_int32.map_or(OK, |get| get(c, p, n, v, m))),
                4 => f.set_int64.map_or(OK, |set| set(c, p, n, long.as_ptr(), m)),
                5 => guarded(m, 7, |v| f.get_int64.map_or(OK, |get| get(c, p, n, v, m))),
                6 => f.set_boolean.map_or(OK, |set| set(c, p, n, flags.as_ptr(), m)),
                7 => guarded(m, 7, |v| f.get_boolean.map_or(OK, |get| get(c, p, n, v, m))),
                8 => f.set_string.map_or(OK, |set| set(c, p, n, texts.as_ptr(), m)),
                9 => guarded(m, null(), |v| f.get_string.map_or(OK, |get| get(c, p, n, v, m))),
                10 => {
                    guarded(m, 7.0, |v| f.get_output_derivatives.map_or(OK, |get| get(c, p, n, orders.as_ptr(), v, m)))
                }
                11 => guarded(m, 7.0, |v| f.get_float32.map_or(OK, |get| get(c, p, n, v.cast::<f32>(), m))),
                _ => {
                    let known = self.bytes.refs();
                    let seed: Vec<f64> = known.iter().map(|_| self.bytes.real()).collect();
                    let Some(get) = f.get_directional_derivative else { return OK };
                    guarded(m, 7.0, |v| get(c, p, n, known.as_ptr(), known.len(), seed.as_ptr(), seed.len(), v, m))
                }
            }
        }
    }

    fn states(&mut self, what: u8) -> Status {
        let f = &*FUNCTIONS;
        let mut size = 0;
        // SAFETY: live or NULL instance; the state is NULL or one of this instance; buffers are as long as said.
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
                    write(self.c, self.state, self.saved.as_mut_ptr(), size)
                }
                _ => {
                    let Some(read) = f.deserialize_fmu_state else { return OK };
                    if let Some(byte) = self.saved.get_mut(usize::from(what)) {
                        *byte ^= u8::from(what % 2 == 0);
                    }
                    read(self.c, self.saved.as_ptr(), self.saved.len(), &raw mut self.state)
                }
            }
        }
    }

    fn life(&mut self, what: u8) -> Status {
        let f = &*FUNCTIONS;
        let c = self.c;
        let [a, b] = [self.bytes.real(), self.bytes.real()];
        // The callback has the bytes that come next.
        if !self.is_inside {
            let next = self.bytes.0[..self.bytes.0.len().min(32)].to_vec();
            CALLED.with(|called| *called.borrow_mut() = (c, next));
        }
        let (mut flags, mut time, mut last) = ([7; 6], 0.0, 0.0);
        let [x, y, z, u, v, _] = &mut flags;
        // SAFETY: live or NULL instance; numbers, and places to write to.
        unsafe {
            match what {
                0 => (f.enter_initialization_mode)(c, Boolean::from(b < 0.0), 1e-3, a, Boolean::from(b > 0.0), b),
                1 => (f.exit_initialization_mode)(c),
                2 => (f.terminate)(c),
                3 => f.reset.map_or(OK, |reset| reset(c)),
                4 => f.enter_event_mode.map_or(OK, |enter| enter(c)),
                5 => f.update_discrete_states.map_or(OK, |update| update(c, x, y, z, u, v, &mut time)),
                6 => f.enter_configuration_mode.map_or(OK, |enter| enter(c)),
                7 => (f.do_step)(c, a, b, TRUE, x, y, z, &mut last),
                _ => (f.do_step)(c, a, 1e-2, TRUE, x, y, z, &mut last),
            }
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut play = Play { bytes: Bytes(bytes), c: null_mut(), state: null_mut(), saved: Vec::new(), is_inside: false };
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
            n @ 10..=22 => play.values(n - 10),
            n => play.states(n - 23),
        };
        assert!((OK..=ERROR).contains(&status), "status {status}: a panic in the slave, or none of the standard");
    }
    play.free();
});
