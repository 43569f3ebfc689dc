//! Nanoseconds per call, of a native instance and of the same model behind its C functions in a built library:
//!
//! ```sh
//! cargo build --profile fmu -p oscillator1_displacement
//! cargo run --release -p macrostep-export --example speed -- target/fmu/liboscillator1_displacement.so
//! ```
#![allow(unsafe_code)]

use std::ffi::CString;
use std::hint::black_box;
use std::time::Instant;

use macrostep_export::fmi2::*;
use macrostep_models::find;
use macrostep_slave::{Slave, Snapshot};

const STEPS: u32 = 500_000;
const H: f64 = 1e-3;

/// Best of nine runs of `STEPS` repetitions: the one least disturbed.
fn measure(what: &str, mut run: impl FnMut()) {
    let mut times: Vec<f64> = (0..9)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64() / f64::from(STEPS) * 1e9
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{what:<48}{:8.1} ns", times[0]);
}

fn native(identifier: &str) -> Option<()> {
    // An instance that may be stepped.
    let mut s = find(identifier)?.instantiate("speed");
    let s: &mut dyn Slave = s.as_mut();
    let refs = |names: &[&str]| -> Option<Vec<u32>> {
        names.iter().map(|n| s.description().variable(n).map(|v| v.value_reference)).collect()
    };
    let (inputs, outputs) = (refs(&["xi", "xi_dot", "f_ext"])?, refs(&["x", "v", "a", "f_c"])?);
    let orders = [1; 3];
    s.enter_initialization().ok()?;
    s.exit_initialization().ok()?;
    // Values: in, out, and both with an evaluation between.
    let (values, mut y) = ([0.1, 0.2, 0.3], [0.0; 4]);
    measure("native set_real, 3 values", || {
        (0..STEPS).for_each(|_| s.set_real(black_box(&inputs), &values).unwrap_or(()))
    });
    measure("native get_real, 4 values, nothing to evaluate", || {
        (0..STEPS).for_each(|_| s.get_real(black_box(&outputs), &mut y).unwrap_or(()));
    });
    measure("native set_real + get_real", || {
        (0..STEPS).for_each(|_| {
            s.set_real(black_box(&inputs), &values).unwrap_or(());
            s.get_real(black_box(&outputs), &mut y).unwrap_or(());
        });
    });
    // Steps alone, of one and of ten micro steps.
    let mut t = 0.0;
    let mut step = |s: &mut dyn Slave, h: f64| {
        black_box(s.do_step(t, h, true).is_ok());
        t += h;
    };
    measure("native do_step, one micro step", || (0..STEPS).for_each(|_| step(s, H)));
    measure("native do_step, ten micro steps", || (0..STEPS).for_each(|_| step(s, 10.0 * H)));
    // What a master does around a step.
    measure("native set + derivatives of order 1 + do_step", || {
        (0..STEPS).for_each(|_| {
            s.set_real(&inputs, &values).unwrap_or(());
            s.set_real_input_derivatives(&inputs, &orders, &values).unwrap_or(());
            step(s, H);
        });
    });
    measure("native set + do_step + get", || {
        (0..STEPS).for_each(|_| {
            s.set_real(&inputs, &values).unwrap_or(());
            step(s, H);
            s.get_real(&outputs, &mut y).unwrap_or(());
        });
    });
    // Snapshots in memory.
    let mut saved = Snapshot::new();
    measure("native save", || (0..STEPS).for_each(|_| s.save(&mut saved).unwrap_or(())));
    measure("native restore", || (0..STEPS).for_each(|_| s.restore(&saved).unwrap_or(())));
    Some(())
}

fn library(path: &str, identifier: &str) -> Option<()> {
    // SAFETY: a library of ours, whose initialisation does nothing.
    let library = unsafe { libloading::Library::new(path) }.ok()?;
    // SAFETY: the symbols are the functions of the standard.
    let f = unsafe {
        Functions::load(|name| {
            let symbol = library.get::<*const core::ffi::c_void>(name.to_bytes_with_nul());
            symbol.map_or(core::ptr::null(), |s| *s)
        })
    }
    .ok()?;
    // The same variables as those of the native instance.
    let description = find(identifier)?.describe();
    let guid = CString::new(description.guid.clone()).ok()?;
    let refs = |names: &[&str]| -> Option<Vec<u32>> {
        names.iter().map(|n| description.variable(n).map(|v| v.value_reference)).collect()
    };
    let (inputs, outputs) = (refs(&["xi", "xi_dot", "f_ext"])?, refs(&["x", "v", "a", "f_c"])?);
    let (values, mut y, mut t) = ([0.1, 0.2, 0.3], [0.0; 4], 0.0);
    // SAFETY: a live component, lists as long as counted.
    unsafe {
        // An instance that may be stepped.
        let none = core::ptr::null();
        let c = (f.instantiate)(c"speed".as_ptr(), CO_SIMULATION, guid.as_ptr(), none, core::ptr::null(), FALSE, FALSE);
        (f.enter_initialization_mode)(c);
        (f.exit_initialization_mode)(c);
        // The same calls as of the native instance, through pointers.
        measure("library set_real, 3 values", || {
            (0..STEPS).for_each(|_| _ = (f.set_real)(c, inputs.as_ptr(), 3, values.as_ptr()));
        });
        measure("library get_real, 4 values, nothing to evaluate", || {
            (0..STEPS).for_each(|_| _ = (f.get_real)(c, outputs.as_ptr(), 4, y.as_mut_ptr()));
        });
        // Steps alone, and with inputs and outputs.
        measure("library do_step, one micro step", || {
            (0..STEPS).for_each(|_| {
                assert_eq!((f.do_step)(c, t, H, TRUE), OK);
                t += H;
            });
        });
        measure("library set + do_step + get", || {
            (0..STEPS).for_each(|_| {
                (f.set_real)(c, inputs.as_ptr(), 3, values.as_ptr());
                (f.do_step)(c, t, H, TRUE);
                (f.get_real)(c, outputs.as_ptr(), 4, y.as_mut_ptr());
                t += H;
            });
        });
        (f.free_instance)(c);
    }
    Some(())
}

fn main() {
    let identifier = "oscillator1_displacement";
    let mut done = native(identifier);
    if let Some(path) = std::env::args().nth(1) {
        done = done.and_then(|()| library(&path, identifier));
    }
    if done.is_none() {
        eprintln!("the library could not be loaded, or is not that of `{identifier}`");
        std::process::exit(1);
    }
}
