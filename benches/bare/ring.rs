//! A ring of units as a loop written by hand: what a macro step of many units costs at least.

#![allow(unsafe_code)] // the hand-written loop calls the C functions itself

use macrostep_fmi2::{CO_SIMULATION, CallbackFunctions, Component, FALSE, Functions, OK, TRUE};
use std::ffi::c_void;
use std::path::Path;
use std::ptr::{null, null_mut};
use std::time::Instant;

/// The communication step \[s\].
const STEP_S: f64 = 1e-3;

/// Instances of one library, the input `u` and the output `x` of each.
struct Ring {
    f: Functions,
    units: Vec<Component>,
    /// Outputs at the communication point, in the order of the units.
    x: Vec<f64>,
    _callbacks: Box<CallbackFunctions>,
    _library: libloading::Library,
}

impl Ring {
    /// Loads the library and brings `n` instances to the first step.
    fn new(library: &Path, n: usize) -> Ring {
        // SAFETY: a library of ours, whose initialisation does nothing.
        let library = unsafe { libloading::Library::new(library) }.expect("loaded");
        // SAFETY: the symbols are the functions of the standard.
        let f = unsafe {
            Functions::load(|name| library.get::<*const c_void>(name.to_bytes_with_nul()).map_or(null(), |s| *s))
        };
        let f = f.expect("all functions");
        let callbacks = Box::new(CallbackFunctions {
            logger: None,
            allocate_memory: Some(libc::calloc),
            free_memory: Some(libc::free),
            step_finished: None,
            component_environment: null_mut(),
        });
        let unit = |_| {
            let back = std::ptr::from_ref(&*callbacks);
            // SAFETY: live component.
            unsafe {
                let c =
                    (f.instantiate)(c"bare".as_ptr(), CO_SIMULATION, c"{hostile}".as_ptr(), null(), back, FALSE, FALSE);
                assert!(!c.is_null());
                assert_eq!((f.setup_experiment)(c, FALSE, 0.0, 0.0, FALSE, 0.0), OK);
                assert_eq!((f.enter_initialization_mode)(c), OK);
                assert_eq!((f.exit_initialization_mode)(c), OK);
                c
            }
        };
        let units = (0..n).map(unit).collect();
        Ring { f, units, x: vec![0.0; n], _callbacks: callbacks, _library: library }
    }

    /// One macro step: every unit takes the value that the one before it had at the begin, and goes on.
    fn step(&mut self, step: u64) {
        let mut before = *self.x.last().expect("a unit");
        for (c, x) in self.units.iter().zip(&mut self.x) {
            let input = std::mem::replace(&mut before, *x);
            // SAFETY: live component, one value each.
            let statuses = unsafe {
                [
                    (self.f.set_real)(*c, &0, 1, &input),
                    (self.f.do_step)(*c, step as f64 * STEP_S, STEP_S, TRUE),
                    (self.f.get_real)(*c, &1, 1, x),
                ]
            };
            assert_eq!(statuses, [OK; 3]);
        }
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: the last use of each component.
        self.units.iter().for_each(|c| unsafe { (self.f.free_instance)(*c) });
    }
}

/// Microseconds that a macro step of `n` units takes.
pub fn ring(library: &Path, n: usize, steps: u64) -> f64 {
    let mut ring = Ring::new(library, n);
    // The first steps bring the instances into the caches, as far as they go there.
    let early = steps / 10;
    (0..early).for_each(|step| ring.step(step));
    let began = Instant::now();
    (early..steps).for_each(|step| ring.step(step));
    began.elapsed().as_secs_f64() * 1e6 / (steps - early) as f64
}
