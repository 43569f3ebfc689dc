//! The cost of a macro step: the master beside a hand-written loop over the same functions of the same FMUs.
//!
//! Both run in turn, and the table has the medians of twenty rounds. Jacobi, hold, H = h = 1e-4 s, semi-implicit Euler,
//! every tenth step recorded (time, x1, v1, x2, v2). Both make the same calls with the same values.
//!
//! ```sh
//! cargo bench --bench macro_step                              # tables; `-- --write` puts them into docs/bench/macro_step.md
//! cargo bench --bench macro_step -- --count master s-s 10000  # one run, for counting instructions
//! ```

#![allow(unsafe_code)] // the hand-written loop calls the C functions itself

use macrostep::factory;
use macrostep::pair::{Coupling, Integrator, Kind, Pair, build};
use macrostep_fmi2::{CO_SIMULATION, Component, FALSE, Functions, OK, TRUE};
use macrostep_import::fmu::Fmu;
use macrostep_master::Method;
use macrostep_master::record::{Column, Trace};
use macrostep_plot::table::{Align, Table};
use std::ffi::{CString, c_void};
use std::hint::black_box;
use std::ptr::null;
use std::time::Instant;

const STEP_S: f64 = 1e-4;
const ROUNDS: usize = 20;
const STEPS: u64 = 100_000;

fn pair(coupling: Coupling) -> Pair {
    Pair { integrator: Integrator::SemiImplicitEuler, ..Pair::new(coupling, Method::default(), STEP_S, 1e9) }
}

fn trace(steps: u64) -> Trace {
    let mut trace = Trace::new(["x1", "v1", "x2", "v2"].map(|name| Column::new(name, "1")));
    trace.reserve((steps / 10 + 2) as usize);
    trace
}

/// Nanoseconds a macro step of the master takes.
fn master(coupling: Coupling, steps: u64) -> (f64, f64) {
    let mut c = build(&pair(coupling), &factory::fmu).expect("built");
    for (i, name) in [(0, "x"), (0, "v"), (1, "x"), (1, "v")] {
        c.simulation.record(c.units[i], name, &format!("{name}{}", i + 1)).expect("recorded");
    }
    let mut rows = trace(steps);
    let began = Instant::now();
    c.simulation.run(steps, 10, &mut rows).expect("run");
    let ns = began.elapsed().as_secs_f64() * 1e9 / steps as f64;
    (ns, rows.rows().last().map_or(0.0, |r| r[1]))
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

/// Nanoseconds a macro step of the hand-written loop takes.
fn bare(coupling: Coupling, steps: u64) -> (f64, f64) {
    let pair = pair(coupling);
    let (a, b) = (Bare::new(&pair, 0), Bare::new(&pair, 1));
    let (k_c, c_c) = (pair.parameters.k_c, pair.parameters.c_c);
    let (mut y, mut z, mut force) = ([0.0; 2], [0.0; 2], [0.0]);
    a.get(&a.state, &mut y);
    b.get(&b.state, &mut z);
    let mut rows = trace(steps);
    rows.push(0.0, &[y[0], y[1], z[0], z[1]]);
    let mut left = 10;
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
            left = 10;
        }
    }
    let ns = began.elapsed().as_secs_f64() * 1e9 / steps as f64;
    (ns, black_box(rows.rows().last().map_or(0.0, |r| r[1])))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    0.5 * (values[(values.len() - 1) / 2] + values[values.len() / 2])
}

fn report() -> Table {
    let right = |name: &'static str| (name, Align::Right);
    let mut table = Table::new([
        ("coupling", Align::Left),
        right("master [ns]"),
        right("bare loop [ns]"),
        right("ratio of medians"),
        right("median of ratios"),
    ]);
    for coupling in Coupling::ALL {
        let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let (m, x) = master(coupling, STEPS);
            let (b, y) = bare(coupling, STEPS);
            assert_eq!(x.to_bits(), y.to_bits(), "master and hand-written loop disagree");
            ours.push(m);
            theirs.push(b);
            ratios.push(m / b);
        }
        let (m, b) = (median(ours), median(theirs));
        table.row([
            coupling.to_string(),
            format!("{m:.1}"),
            format!("{b:.1}"),
            format!("{:.3}", m / b),
            format!("{:.3}", median(ratios)),
        ]);
    }
    table
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let _open = factory::open_all().expect("the FMUs open");
    if let [count, which, name, steps] = arguments.as_slice() {
        assert_eq!(count, "--count");
        let coupling = Coupling::ALL.into_iter().find(|c| c.name() == name).expect("a coupling");
        let run = if which == "master" { master } else { bare };
        println!("{:?}", run(coupling, steps.parse().expect("a number of steps")));
        return;
    }
    let (times, counts) = (report(), instructions());
    println!("{}", times.terminal());
    if let Some(counts) = &counts {
        println!("{}", counts.terminal());
    }
    if arguments.iter().any(|a| a == "--write") {
        write_page(&times, counts.as_ref());
    }
}

/// Instructions a macro step takes, FMUs included: the difference of two runs under callgrind, where valgrind is
/// installed. Unlike times they are the same on every machine and in every run.
fn instructions() -> Option<Table> {
    let right = |name: &'static str| (name, Align::Right);
    let mut table = Table::new([
        ("coupling", Align::Left),
        right("master"),
        right("bare loop"),
        right("the master's own"),
        right("ratio"),
    ]);
    for coupling in Coupling::ALL {
        let [master, bare] = ["master", "bare"].map(|which| {
            let long = counted(which, coupling, 20_000)?;
            let short = counted(which, coupling, 10_000)?;
            Some((long - short) / 10_000.0)
        });
        let (master, bare) = (master?, bare?);
        table.row([
            coupling.to_string(),
            format!("{master:.0}"),
            format!("{bare:.0}"),
            format!("{:.0}", master - bare),
            format!("{:.3}", master / bare),
        ]);
    }
    Some(table)
}

/// Instructions of one run of this program.
fn counted(which: &str, coupling: Coupling, steps: u64) -> Option<f64> {
    let out = std::process::Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe().ok()?)
        .args(["--count", which, coupling.name(), &steps.to_string()])
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&out.stderr);
    let count = text.lines().find_map(|l| l.split_once("Collected :"))?.1;
    count.trim().parse().ok()
}

fn write_page(times: &Table, counts: Option<&Table>) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/bench/macro_step.md");
    let counts = counts.map_or_else(|| "Not counted: valgrind is not installed.\n".to_string(), Table::markdown);
    let page = format!(
        "# The cost of a macro step\n\n\
         Printed by `cargo bench --bench macro_step -- --write`.\n\n\
         The master runs the oscillator pair through its FMUs beside a loop written by hand over the same functions of the\n\
         same FMUs: same calls, same values, same rows recorded (the last position is compared in bits). Jacobi, hold,\n\
         H = h = 1e-4 s, semi-implicit Euler, every tenth step recorded. Times are medians of {ROUNDS} rounds of {STEPS}\n\
         macro steps, master and loop in turn.\n\n{}\n\n\
         Instructions per macro step, FMUs included, counted by callgrind:\n\n{counts}",
        times.markdown()
    );
    let folder = std::path::Path::new(path).parent().expect("a folder");
    std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, page)).expect("the page is written");
}
