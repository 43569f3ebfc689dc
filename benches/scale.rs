//! The cost of large systems: `macrostep run` on chains of many units, on chains with feed-through, and on threads.
//!
//! Everything is the program as a user runs it, on scenarios this bench writes. Set-up is the time of a run of one step less
//! that of the step; a step is the difference of a long run and a short one, by the wall clock the program reports (`wall_s`),
//! the best of three. Memory is the largest resident set. Beside the rings stands a loop written by hand over the same functions.
//!
//! ```sh
//! cargo bench --bench scale               # the tables; `-- --write` puts them into docs/bench/scale.md, and a plot into scale.svg
//! cargo bench --bench scale -- 100000     # rings and chains up to this many units
//! ```

#![cfg(target_os = "linux")]
#![allow(unsafe_code)] // the memory of a child is had from a system call

#[path = "bare/ring.rs"]
mod bare;
#[allow(dead_code)] // not all of the kit is used
#[path = "../tests/kit/make.rs"]
mod make;

use macrostep_plot::Table;
use macrostep_plot::{Axis, Chart, Figure, Series};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const ROUNDS: usize = 3;

/// What a run took.
#[derive(Debug, Clone, Copy)]
struct Cost {
    total_s: f64,
    /// The steps alone.
    steps_s: f64,
    resident_kib: f64,
}

/// Runs a scenario and waits for it.
#[expect(clippy::zombie_processes, reason = "`wait4` waits for it, to know its cost")]
fn run(folder: &Path, scenario: &str, more: &[&str]) -> Cost {
    let began = Instant::now();
    let out = std::fs::File::create(folder.join("out.json")).expect("a file");
    let child = Command::new(env!("CARGO_BIN_EXE_macrostep"))
        .args(["run", scenario, "--json"])
        .args(more)
        .current_dir(folder)
        .stdout(out)
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let (mut status, mut usage) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: a child of ours that nobody else waits for; both places live during the call.
    let usage = unsafe {
        assert_eq!(libc::wait4(child.id() as i32, &mut status, 0, usage.as_mut_ptr()), child.id() as i32);
        usage.assume_init()
    };
    let total_s = began.elapsed().as_secs_f64();
    assert_eq!(status, 0, "macrostep run {scenario} {more:?} in {}", folder.display());
    let json = std::fs::read_to_string(folder.join("out.json")).expect("the summary");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let steps_s = json["wall_s"].as_f64().expect("the wall clock");
    Cost { total_s, steps_s, resident_kib: usage.ru_maxrss as f64 }
}

/// The best of some runs by time.
fn best(folder: &Path, scenario: &str, more: &[&str]) -> Cost {
    let costs = (0..ROUNDS).map(|_| run(folder, scenario, more));
    costs.min_by(|a, b| a.total_s.total_cmp(&b.total_s)).expect("a round")
}

/// Set-up \[s\], a step \[µs\] and memory \[KiB\] of a scenario whose step is 1 ms.
fn cost(folder: &Path, scenario: &str, steps: u64, more: &[&str]) -> (f64, f64, f64) {
    let stop = |steps: u64| format!("{}", steps as f64 * 1e-3);
    let (one, few, many) = (stop(1), stop(steps / 10), stop(steps));
    let first = best(folder, scenario, &[&["--stop", &one], more].concat());
    let shortest = |stop: &str| -> f64 {
        let rounds = (0..ROUNDS).map(|_| run(folder, scenario, &[&["--stop", stop], more].concat()).steps_s);
        rounds.fold(f64::INFINITY, f64::min)
    };
    let step_s = (shortest(&many) - shortest(&few)) / (steps - steps / 10) as f64;
    (first.total_s - first.steps_s, step_s * 1e6, first.resident_kib)
}

fn head(schedule: &str) -> String {
    format!(
        "[experiment]\nstop = 1.0\nstep = 1e-3\n[coupling]\nschedule = \"{schedule}\"\n[record]\nvariables = [\"u0.x\"]\n"
    )
}

/// A ring of `n` foreign FMUs, each driven by the one before it: x' = u.
fn ring(n: usize) -> String {
    let mut text = head("jacobi");
    (0..n).for_each(|u| _ = write!(text, "[units.u{u}]\nfmu = \"unit.fmu\"\n"));
    text += "[connections]\n";
    (0..n).for_each(|u| _ = writeln!(text, "\"u{u}.u\" = \"u{}.x\"", (u + n - 1) % n));
    text
}

/// A chain of `n` oscillators: each gets the motion of the next one, and sends it a force with feed-through from that motion.
fn feed_through(n: usize, schedule: &str) -> String {
    let mut text = head(schedule);
    (0..n).for_each(|u| _ = write!(text, "[units.u{u}]\nfmu = \"embedded:oscillator1_displacement\"\n"));
    text += "[connections]\n";
    for u in 1..n {
        let before = u - 1;
        _ = write!(
            text,
            "\"u{before}.xi\" = \"u{u}.x\"\n\"u{before}.xi_dot\" = \"u{u}.v\"\n\"u{u}.f_ext\" = \"u{before}.f_c\"\n"
        );
    }
    text
}

/// The FMU of the ring, whose step goes so many times through a loop.
fn unit(folder: &Path, loops: u64) {
    let step = format!("{{ volatile double y = 0; long i; for (i = 0; i < {loops}; i++) y = y * 0.5 + 1; }}");
    let defines: &[(&str, &str)] = if loops == 0 { &[] } else { &[("AT_EVERY_STEP", &step)] };
    std::fs::write(folder.join("unit.fmu"), make::fmu(make::XML, defines)).expect("the FMU");
}

fn folder() -> PathBuf {
    make::folder("scale")
}

fn columns<const N: usize>(names: [&str; N]) -> Table {
    Table::new(&names.map(|name| format!("> {name}")).join(" | "))
}

/// The table of rings of up to `most` units, and for each their number and what a step costs a unit: a run, and the bare loop \[ns\].
fn rings(folder: &Path, most: usize) -> (Table, Vec<[f64; 3]>) {
    unit(folder, 0);
    let library = folder.join("unit.so");
    std::fs::write(&library, make::library(&[])).expect("the library");
    let mut table = columns([
        "units",
        "set-up [s]",
        "a step [µs]",
        "bare loop [µs]",
        "ratio",
        "a step and unit [ns]",
        "memory a unit [KiB]",
    ]);
    let (mut least, mut points) = (None, Vec::new());
    for n in [10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000].into_iter().filter(|n| *n <= most) {
        std::fs::write(folder.join("ring.toml"), ring(n)).expect("the scenario");
        let steps = (1_000_000 / n as u64).clamp(20, 10_000);
        let (setup_s, step_us, kib) = cost(folder, "ring.toml", steps, &[]);
        let bare_us = (0..ROUNDS).map(|_| bare::ring(&library, n, steps)).fold(f64::INFINITY, f64::min);
        // Beside what the program itself takes, as it is with few units.
        let (few, own_kib) = *least.get_or_insert((n, kib));
        let a_unit = if n > few { format!("{:.1}", (kib - own_kib) / (n - few) as f64) } else { String::new() };
        let unit_ns = step_us * 1e3 / n as f64;
        let times = [format!("{setup_s:.3}"), format!("{step_us:.2}"), format!("{bare_us:.2}")];
        let ratios = [format!("{:.2}", step_us / bare_us), format!("{unit_ns:.0}"), a_unit];
        table.row([vec![n.to_string()], times.to_vec(), ratios.to_vec()].concat());
        points.push([n as f64, unit_ns, bare_us * 1e3 / n as f64]);
    }
    (table, points)
}

/// What a step costs a unit over the number of units, with the bound of 1.5 times the cheapest.
fn plot(points: &[[f64; 3]]) -> String {
    let [units, unit_ns, bare_ns] = [0, 1, 2].map(|i| points.iter().map(|p| p[i]).collect::<Vec<f64>>());
    let cheapest = unit_ns.iter().copied().fold(f64::INFINITY, f64::min);
    let dearest = unit_ns.iter().copied().fold(0.0, f64::max);
    let cost = Axis::linear("a step and unit", "ns").range(0.0, 1.1 * dearest.max(1.5 * cheapest));
    let chart = Chart::new("", Axis::log("units", "1"), cost)
        .with(Series::line("macrostep run", units.clone(), unit_ns).marked(0))
        .with(Series::line("bare loop", units, bare_ns).marked(1))
        .level(1.5 * cheapest, "1.5 times the cheapest");
    Figure::new("What a macro step costs a unit")
        .subtitle("a ring of foreign FMUs, Jacobi, hold: `cargo bench --bench scale -- --write`")
        .with(chart)
        .svg()
}

fn chains(folder: &Path, most: usize) -> Table {
    let mut table = columns(["units", "set-up [s]", "Jacobi [µs]", "Gauss–Seidel [µs]", "ratio"]);
    for n in [10, 100, 300, 1200].into_iter().filter(|n| *n <= most) {
        std::fs::write(folder.join("jacobi.toml"), feed_through(n, "jacobi")).expect("the scenario");
        std::fs::write(folder.join("seidel.toml"), feed_through(n, "gauss-seidel")).expect("the scenario");
        let steps = (300_000 / n as u64).clamp(100, 10_000);
        let (_, jacobi_us, _) = cost(folder, "jacobi.toml", steps, &[]);
        let (setup_s, seidel_us, _) = cost(folder, "seidel.toml", steps, &[]);
        let ratio = format!("{:.2}", seidel_us / jacobi_us);
        let times = [format!("{setup_s:.3}"), format!("{jacobi_us:.1}"), format!("{seidel_us:.1}")];
        let [setup, jacobi, seidel] = times;
        table.row([n.to_string(), setup, jacobi, seidel, ratio]);
    }
    table
}

fn threads(folder: &Path) -> Table {
    let mut table =
        columns(["a step of a unit [µs]", "1 thread [µs]", "2 threads [µs]", "speed-up", "isolated [µs]", "speed-up"]);
    std::fs::write(folder.join("eight.toml"), ring(8)).expect("the scenario");
    // How long a loop takes here.
    unit(folder, 100_000);
    let (_, long_us, _) = cost(folder, "eight.toml", 200, &[]);
    let loops_a_us = 100_000.0 * 8.0 / long_us;
    for us in [1.0, 5.0, 20.0, 50.0, 500.0] {
        unit(folder, (us * loops_a_us) as u64);
        let steps = (100_000.0 / us) as u64;
        let [one, two, isolated] = [&["--threads", "1"][..], &["--threads", "2"], &["--isolate"]]
            .map(|more| cost(folder, "eight.toml", steps, more).1);
        let row = [us, one, two, one / two, isolated, one / isolated];
        table.row(
            row.iter().enumerate().map(|(i, x)| if i == 3 || i == 5 { format!("{x:.2}") } else { format!("{x:.0}") }),
        );
    }
    table
}

/// The first step of a pair of our FMUs \[ms\].
fn first_step(folder: &Path) -> f64 {
    std::fs::write(folder.join("pair.toml"), feed_through(2, "jacobi")).expect("the scenario");
    (0..10).map(|_| run(folder, "pair.toml", &["--stop", "1e-3"]).total_s * 1e3).fold(f64::INFINITY, f64::min)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let most = arguments.iter().find_map(|a| a.parse().ok()).unwrap_or(100_000);
    let folder = folder();
    let (rings, points) = rings(&folder, most);
    let tables = [rings, chains(&folder, most), threads(&folder)];
    let first_ms = first_step(&folder);
    tables.iter().for_each(|table| println!("{}", table.terminal()));
    println!("first step of a pair: {first_ms:.1} ms");
    if arguments.iter().any(|a| a == "--write") {
        write_page(&tables, first_ms);
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/bench/scale.svg");
        std::fs::write(path, plot(&points)).expect("the plot is written");
    }
}

fn write_page([rings, chains, threads]: &[Table; 3], first_ms: f64) {
    let profile = if cfg!(debug_assertions) { "dev" } else { "release" };
    let page = format!(
        "# What size costs\n\n\
         Printed by `cargo bench --bench scale -- --write` (here with the profile `{profile}`): `macrostep run` as a user has it, on scenarios\n\
         the bench writes. Set-up is everything before the first step, a step the difference of a long run and a short one, memory the\n\
         largest resident set; the best of {ROUNDS} rounds.\n\n\
         ## A ring of foreign FMUs, Jacobi, hold\n\n![what a macro step costs a unit](scale.svg)\n\n{}\n\
         Memory is with that of the FMU's own instance, beside what the program takes with the fewest units. The bare loop is written by\n\
         hand over the same functions of the same library and records nothing.\n\n\
         ## A chain of oscillators with feed-through\n\n{}\n\
         With Gauss–Seidel a unit's force is evaluated after its step, and again when the motion it follows is published; nothing else is.\n\n\
         ## Eight units in a ring, Jacobi, on threads\n\n{}\n\
         `--threads 2` and `--isolate` on the same scenario. Steps shorter than 5 µs stay on the thread of the master.\n\n\
         The first step of a pair of our own FMUs, from the start of the program to its end: {first_ms:.1} ms.\n",
        rings.markdown(),
        chains.markdown(),
        threads.markdown()
    );
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/bench/scale.md");
    std::fs::write(path, page).expect("the page is written");
}
