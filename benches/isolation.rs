//! The cost of isolation: a macro step of the pair with both slaves in processes of their own, beside a bare round trip
//! between two processes; and snapshots by fork.
//!
//! Bare: one process sets a word in shared memory and wakes the other by `futex`, sleeps until the answer has come, and so
//! does the other; nothing else is done. The same round trip by spinning shows what is left where nobody sleeps. Jacobi,
//! hold, H = 1e-4 s, semi-implicit Euler. Everything is measured in turn, round by round; a round's time is the mean of its
//! steps, so that the fastest round says what an undisturbed machine does, not what the luckiest step took.
//!
//! ```sh
//! cargo bench --bench isolation
//! ```

#![cfg(target_os = "linux")]
#![allow(unsafe_code)] // the bare round trip is made of system calls

use macrostep::factory;
use macrostep_analysis::models::Factory;
use macrostep_analysis::pair::{Coupling, Integrator, Pair, build};
use macrostep_import::isolation::{ARGUMENT, Isolation, Limits, serve};
use macrostep_master::unit::Unit;
use macrostep_master::{Method, Sampling};
use macrostep_plot::Table;
use std::cell::RefCell;
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

const ECHO: &str = "--echo";
const ECHO_SPINNING: &str = "--echo-spinning";
const STEP_S: f64 = 1e-4;
const ROUNDS: usize = 15;
const STEPS: u64 = 5_000;

/// Two words in a page two processes share.
fn words(file: &File) -> [&'static AtomicU32; 2] {
    // SAFETY: a mapping of a page of a file of that length, never unmapped; atomics only.
    unsafe {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let page = libc::mmap(std::ptr::null_mut(), 4096, access, libc::MAP_SHARED, file.as_raw_fd(), 0);
        assert_ne!(page, libc::MAP_FAILED);
        let words = page.cast::<AtomicU32>();
        [&*words, &*words.add(64)]
    }
}

fn give(word: &AtomicU32, value: u32, spins: bool) {
    word.store(value, Ordering::SeqCst);
    if !spins {
        // SAFETY: the word lives for ever.
        unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, 1, 0, 0, 0) };
    }
}

fn wait(word: &AtomicU32, value: u32, spins: bool) {
    loop {
        let found = word.load(Ordering::SeqCst);
        if found == value {
            return;
        }
        if spins {
            std::hint::spin_loop();
        } else {
            // SAFETY: the word lives for ever; no time limit.
            unsafe {
                let no_limit = std::ptr::null::<libc::timespec>();
                libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, found, no_limit, 0, 0)
            };
        }
    }
}

/// The other process: answers until it is told u32::MAX.
fn echo(spins: bool) -> ExitCode {
    // SAFETY: descriptor 0 is the file of the shared page.
    let file = unsafe { File::from_raw_fd(0) };
    let [there, back] = words(&file);
    for n in 1.. {
        loop {
            let found = there.load(Ordering::SeqCst);
            if found == u32::MAX {
                return ExitCode::SUCCESS;
            }
            if found == n {
                break;
            }
            if spins { std::hint::spin_loop() } else { wait(there, n.max(found), false) }
        }
        give(back, n, spins);
    }
    ExitCode::FAILURE
}

struct Echo {
    child: Child,
    words: [&'static AtomicU32; 2],
    spins: bool,
    n: u32,
}

impl Echo {
    fn start(spins: bool) -> Echo {
        // SAFETY: a zero-terminated name; the descriptor is new and owned by nobody else.
        let file = unsafe { File::from_raw_fd(libc::memfd_create(c"echo".as_ptr(), libc::MFD_CLOEXEC)) };
        file.set_len(4096).expect("a page");
        let words = words(&file);
        let program = std::env::current_exe().expect("this program");
        let argument = if spins { ECHO_SPINNING } else { ECHO };
        let child = Command::new(program).arg(argument).stdin(Stdio::from(file)).spawn().expect("started");
        Echo { child, words, spins, n: 0 }
    }

    /// Microseconds a round trip takes.
    fn round_trip(&mut self, rounds: u64) -> f64 {
        let began = Instant::now();
        for _ in 0..rounds {
            self.n += 1;
            give(self.words[0], self.n, self.spins);
            wait(self.words[1], self.n, self.spins);
        }
        began.elapsed().as_secs_f64() * 1e6 / rounds as f64
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Microseconds a macro step takes.
fn macro_step(coupling: Coupling, sampling: Sampling, units: Factory<'_>) -> f64 {
    let method = Method { sampling, ..Method::default() };
    let pair = Pair { integrator: Integrator::SemiImplicitEuler, ..Pair::new(coupling, method, STEP_S, 1e9) };
    let mut coupled = build(&pair, units).expect("built");
    let mut run = |steps: u64| (0..steps).for_each(|_| assert!(coupled.simulation.step().is_ok()));
    run(STEPS / 10);
    let began = Instant::now();
    run(STEPS);
    began.elapsed().as_secs_f64() * 1e6 / STEPS as f64
}

/// Microseconds that `call` and a reading behind it take, of an oscillator that goes back by fork.
fn rollback(unit: &mut dyn Unit, call: impl Fn(&mut dyn Unit)) -> f64 {
    const CALLS: usize = 500;
    let mut value = [0.0];
    let began = Instant::now();
    for _ in 0..CALLS {
        call(unit);
        unit.get_real(&[0], &mut value).expect("read");
    }
    began.elapsed().as_secs_f64() * 1e6 / CALLS as f64
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    0.5 * (values[(values.len() - 1) / 2] + values[values.len() / 2])
}

/// What is measured: name, and a function to microseconds.
type Measured<'a> = (String, Box<dyn FnMut() -> f64 + 'a>);

fn report() -> Table {
    let _open = factory::open_all().expect("the FMUs open");
    let isolation = Isolation::of_this_program(Limits::default()).expect("this program");
    let isolated = |model: &str, name: &str| factory::isolated(&isolation, model, name);
    // One instance for all three, one after the other.
    let forked = RefCell::new(factory::forked(&isolation, "oscillator1_displacement", "slave").expect("an instance"));
    {
        let mut unit = forked.borrow_mut();
        unit.setup(0.0, None, None).expect("set up");
        unit.enter_initialization().expect("entered");
        unit.exit_initialization().expect("left");
    }
    let mut measured: Vec<Measured<'_>> = vec![
        ("bare round trip, futex".to_owned(), Box::new(|| Echo::start(false).round_trip(STEPS))),
        ("bare round trip, spinning".to_owned(), Box::new(|| Echo::start(true).round_trip(STEPS))),
    ];
    for (coupling, sampling, how) in [
        (Coupling::DisplacementDisplacement, Sampling::Updated, "one round trip, both slaves at once"),
        (Coupling::ForceForce, Sampling::Updated, "one round trip, both slaves at once"),
        (Coupling::ForceDisplacement, Sampling::Lagged, "one round trip, both slaves at once"),
        (Coupling::ForceDisplacement, Sampling::Updated, "two, the second for the feed-through of slave 1"),
    ] {
        let name = format!("isolated {} ({how})", coupling.name());
        measured.push((name, Box::new(move || macro_step(coupling, sampling, &isolated))));
    }
    let in_process = || macro_step(Coupling::DisplacementDisplacement, Sampling::Updated, &factory::fmu);
    measured.push(("in this process, s-s".to_owned(), Box::new(in_process)));

    // Setting nothing makes the reading a round trip.
    let reading = || rollback(forked.borrow_mut().as_mut(), |unit| unit.set_real(&[], &[]).expect("set"));
    let save = || rollback(forked.borrow_mut().as_mut(), |unit| unit.save(0).expect("saved"));
    let restore = || rollback(forked.borrow_mut().as_mut(), |unit| unit.restore(0).expect("restored"));
    measured.push(("a reading, of a slave that goes back by fork".to_owned(), Box::new(reading)));
    measured.push(("a snapshot by fork, and a reading".to_owned(), Box::new(save)));
    measured.push(("a rollback by fork, and a reading".to_owned(), Box::new(restore)));

    let mut times = vec![Vec::new(); measured.len()];
    for _ in 0..ROUNDS {
        times.iter_mut().zip(&mut measured).for_each(|(times, (_, measure))| times.push(measure()));
    }
    let mut table = Table::new("what | > fastest round [µs] | > median round [µs] | > median / bare futex");
    let bare = median(&mut times[0].clone());
    for (times, (name, _)) in times.iter_mut().zip(&measured) {
        let (least, middle) = (times.iter().copied().fold(f64::INFINITY, f64::min), median(times));
        table.row([name.clone(), format!("{least:.2}"), format!("{middle:.2}"), format!("{:.2}", middle / bare)]);
    }
    table
}

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some(ARGUMENT) => return serve().into(),
        Some(ECHO) => return echo(false),
        Some(ECHO_SPINNING) => return echo(true),
        _ => println!("{}", report().terminal()),
    }
    ExitCode::SUCCESS
}
