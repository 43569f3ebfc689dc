//! The oscillator pair as a hand-written loop over the C functions of its FMUs: the lowest possible cost of a macro step.

#![allow(unsafe_code)] // the hand-written loop calls the C functions itself

use macrostep_analysis::pair::{Coupling, Integrator, Kind, Pair};
use macrostep_fmi2::{CO_SIMULATION, Component, FALSE, Functions, OK, TRUE};
use macrostep_import::fmu::Fmu;
use macrostep_master::Method;
use macrostep_master::record::{Column, Trace};
use std::ffi::{CString, c_void};
use std::hint::black_box;
use std::ptr::null;
use std::time::Instant;

/// H = h \[s\].
pub const STEP_S: f64 = 1e-4;

/// The pair that is measured.
pub fn pair(coupling: Coupling) -> Pair {
    Pair { integrator: Integrator::SemiImplicitEuler, ..Pair::new(coupling, Method::default(), STEP_S, 1e9) }
}

/// Room for so many rows.
pub fn trace(rows: u64) -> Trace {
    let mut trace = Trace::new(["x1", "v1", "x2", "v2"].map(|name| Column::new(name, "1")));
    trace.reserve(rows as usize + 2);
    trace
}

/// One slave as a C program would hold it.
struct Bare {
    f: Functions,
    c: Component,
    inputs: Vec<u32>,
    state: [u32; 2],
    force: Vec<u32>,
    _library: libloading::Library,
    _fmu: Fmu,
}

impl Bare {
    /// Loads one side of a pair and brings it to the first step.
    fn new(pair: &Pair, i: usize) -> Bare {
        let force = pair.coupling.kinds()[i] == Kind::Force;
        let model = format!("oscillator{}_{}", i + 1, if force { "force" } else { "displacement" });
        let fmu = Fmu::from_bytes(&model, macrostep::embedded::fmu(&model).expect("carried")).expect("opened");
        let platform = if cfg!(windows) {
            "win64"
        } else if cfg!(target_os = "macos") {
            "darwin64"
        } else {
            "linux64"
        };
        let file = format!("{model}{}", std::env::consts::DLL_SUFFIX);
        let path = fmu.folder().join("binaries").join(platform).join(file);
        // SAFETY: a library of ours, whose initialisation does nothing.
        let library = unsafe { libloading::Library::new(path) }.expect("loaded");
        // SAFETY: the symbols are the functions of the standard.
        let f = unsafe {
            Functions::load(|name| library.get::<*const c_void>(name.to_bytes_with_nul()).map_or(null(), |s| *s))
        };
        let f = f.expect("all functions");
        let d = fmu.description();
        let refs = |names: &[&str]| -> Vec<u32> {
            names.iter().map(|n| d.variable(n).expect("declared").value_reference).collect()
        };
        let guid = CString::new(d.guid.clone()).expect("text");
        let real = refs(&["micro_step"]);
        let integer = refs(&["integrator"]);
        // SAFETY: live component, lists as long as counted.
        let c = unsafe {
            let c = (f.instantiate)(c"bare".as_ptr(), CO_SIMULATION, guid.as_ptr(), null(), null(), FALSE, FALSE);
            assert!(!c.is_null());
            assert_eq!((f.set_real)(c, real.as_ptr(), 1, &STEP_S), OK);
            assert_eq!(f.set_integer.map(|set| set(c, integer.as_ptr(), 1, &1)), Some(OK));
            assert_eq!((f.setup_experiment)(c, FALSE, 0.0, 0.0, FALSE, 0.0), OK);
            assert_eq!((f.enter_initialization_mode)(c), OK);
            assert_eq!((f.exit_initialization_mode)(c), OK);
            c
        };
        let state = refs(&["x", "v"]);
        Bare {
            f,
            c,
            inputs: refs(if force { &["f"] } else { &["xi", "xi_dot"] }),
            state: [state[0], state[1]],
            force: if force { Vec::new() } else { refs(&["f_c"]) },
            _library: library,
            _fmu: fmu,
        }
    }

    #[inline]
    fn set(&self, values: &[f64]) {
        // SAFETY: live component, lists as long as counted.
        let status = unsafe { (self.f.set_real)(self.c, self.inputs.as_ptr(), values.len(), values.as_ptr()) };
        assert_eq!(status, OK);
    }

    #[inline]
    fn get(&self, refs: &[u32], values: &mut [f64]) {
        // SAFETY: live component, lists as long as counted.
        let status = unsafe { (self.f.get_real)(self.c, refs.as_ptr(), refs.len(), values.as_mut_ptr()) };
        assert_eq!(status, OK);
    }

    #[inline]
    fn step(&self, n: u64) {
        // SAFETY: live component.
        let status = unsafe { (self.f.do_step)(self.c, n as f64 * STEP_S, STEP_S, TRUE) };
        assert_eq!(status, OK);
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        // SAFETY: the last use of the component.
        unsafe { (self.f.free_instance)(self.c) };
    }
}

/// Nanoseconds a macro step of the hand-written loop takes, with every `every`-th row recorded, and the last position recorded.
pub fn bare(coupling: Coupling, steps: u64, every: u64) -> (f64, f64) {
    let pair = pair(coupling);
    let (a, b) = (Bare::new(&pair, 0), Bare::new(&pair, 1));
    let (k_c, c_c) = (pair.parameters.k_c, pair.parameters.c_c);
    let (mut y, mut z, mut force) = ([0.0; 2], [0.0; 2], [0.0]);
    a.get(&a.state, &mut y);
    b.get(&b.state, &mut z);
    let mut rows = trace(steps / every);
    rows.push(0.0, &[y[0], y[1], z[0], z[1]]);
    let mut left = every;
    let began = Instant::now();
    for n in 0..steps {
        match coupling {
            Coupling::ForceDisplacement => {
                a.set(&z);
                a.get(&a.force, &mut force);
                b.set(&force);
            }
            Coupling::DisplacementForce => {
                b.set(&y);
                b.get(&b.force, &mut force);
                a.set(&force);
            }
            Coupling::DisplacementDisplacement => {
                a.set(&z);
                b.set(&y);
            }
            Coupling::ForceForce | Coupling::AsWritten => {
                force[0] = k_c * (y[0] - z[0]) + c_c * (y[1] - z[1]);
                a.set(&force);
                b.set(&force);
            }
        }
        a.step(n);
        a.get(&a.state, &mut y);
        b.step(n);
        b.get(&b.state, &mut z);
        left -= 1;
        if left == 0 {
            rows.push((n + 1) as f64 * STEP_S, &[y[0], y[1], z[0], z[1]]);
            left = every;
        }
    }
    let ns = began.elapsed().as_secs_f64() * 1e9 / steps as f64;
    (ns, black_box(rows.rows().last().map_or(0.0, |r| r[1])))
}

/// The median.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    0.5 * (values[(values.len() - 1) / 2] + values[values.len() / 2])
}
