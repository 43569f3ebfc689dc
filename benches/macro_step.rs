//! The cost of a macro step: the master beside a hand-written loop over the same functions of the same FMUs.
//!
//! Both run in turn, and the table has the medians of twenty rounds. Jacobi, hold, H = h = 1e-4 s, semi-implicit Euler,
//! every tenth step recorded (time, x1, v1, x2, v2). Both make the same calls with the same values.
//!
//! ```sh
//! cargo bench --bench macro_step                              # tables; `-- --write` puts them into docs/bench/macro_step.md
//! cargo bench --bench macro_step -- --count master s-s 10000  # one run, for counting instructions
//! ```

mod bare;

use bare::{bare, median, pair, trace};
use macrostep::factory;
use macrostep_analysis::pair::{Coupling, build};
use macrostep_plot::Table;
use std::time::Instant;

const ROUNDS: usize = 20;
const STEPS: u64 = 100_000;

/// Nanoseconds a macro step of the master takes.
fn master(coupling: Coupling, steps: u64) -> (f64, f64) {
    let mut c = build(&pair(coupling), &factory::fmu).expect("built");
    for (i, name) in [(0, "x"), (0, "v"), (1, "x"), (1, "v")] {
        c.simulation.record(c.units[i], name, &format!("{name}{}", i + 1)).expect("recorded");
    }
    let mut rows = trace(steps / 10);
    let began = Instant::now();
    c.simulation.run(steps, 10, &mut rows).expect("run");
    let ns = began.elapsed().as_secs_f64() * 1e9 / steps as f64;
    (ns, rows.rows().last().map_or(0.0, |r| r[1]))
}

fn report() -> Table {
    let mut table = Table::new("coupling | > master [ns] | > bare loop [ns] | > ratio of medians | > median of ratios");
    for coupling in Coupling::ALL {
        let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let (m, x) = master(coupling, STEPS);
            let (b, y) = bare(coupling, STEPS, 10);
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
        let steps = steps.parse().expect("a number of steps");
        println!("{:?}", if which == "master" { master(coupling, steps) } else { bare(coupling, steps, 10) });
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
    let mut table = Table::new("coupling | > master | > bare loop | > the master's own | > ratio");
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
