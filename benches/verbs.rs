//! The cost of a macro step of the program's verbs, beside a hand-written loop over the same functions of the same FMUs.
//!
//! The verbs of `verbs/verbs.json` are run as they are typed, in processes of their own. Times are the `wall_s` they print: windows,
//! rows and comparisons, without start and end. Loop and verbs take turns. The ratio is that of the least times: other processes only
//! ever add to a time. Instructions are those that `tests/judges/instructions.py` has counted of the same verbs.
//!
//! ```sh
//! cargo bench --bench verbs                # the table; `-- --write` puts it into docs/bench/verbs.md
//! ```

mod bare;

use bare::{bare, median};
use macrostep::factory;
use macrostep_analysis::pair::Coupling;
use macrostep_plot::Table;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const ROUNDS: usize = 15;
const STEPS: u64 = 500_000;

/// Lines of the page between which the table stands.
const BEGIN: &str = "<!-- times -->\n";
const END: &str = "<!-- end of times -->";

/// A run as it is typed.
#[derive(serde::Deserialize)]
struct Verb {
    /// Its row in the table.
    what: String,
    words: Vec<String>,
    /// `s-s` or `f-s`.
    coupling: String,
    /// Whether it gets a folder for its rows.
    rows: bool,
}

impl Verb {
    /// Nanoseconds a macro step takes, rows included.
    fn ns(&self, folder: &Path) -> f64 {
        let stop_s = (STEPS as f64 * bare::STEP_S).to_string();
        let mut command = Command::new(program());
        command.args(&self.words).args(["--stop", &stop_s, "--json"]).current_dir(listed());
        if self.rows {
            command.arg("--out").arg(folder.join("out"));
        }
        let output = command.output().expect("the program runs");
        assert!(output.status.success(), "{}: {output:?}", self.what);
        let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        result["wall_s"].as_f64().expect("a time") * 1e9 / STEPS as f64
    }

    /// The coupling that the loop is written for.
    fn coupling(&self) -> Coupling {
        if self.coupling == "f-s" { Coupling::ForceDisplacement } else { Coupling::DisplacementDisplacement }
    }
}

/// The folder of the verbs and their scenarios.
fn listed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/verbs")
}

fn program() -> &'static str {
    env!("CARGO_BIN_EXE_macrostep")
}

/// Least times and medians of all rows and of the loop, taking turns.
fn times(folder: &Path) -> Table {
    let mut table = Table::new("what | > ns a step | > median | > bare loop [ns] | > ratio | > instructions");
    let text = std::fs::read_to_string(listed().join("verbs.json")).expect("the verbs");
    let verbs: Vec<Verb> = serde_json::from_str(&text).expect("JSON");
    let counted: BTreeMap<String, u64> = std::fs::read_to_string(page("verbs.json"))
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    // Rounds go over all verbs, so that a busy second does not meet one of them in all its rounds.
    let mut rounds = vec![(Vec::new(), Vec::new()); verbs.len()];
    for _ in 0..ROUNDS {
        for (verb, (ours, theirs)) in verbs.iter().zip(&mut rounds) {
            ours.push(verb.ns(folder));
            theirs.push(bare(verb.coupling(), STEPS, u64::MAX).0);
        }
    }
    for (verb, (ours, theirs)) in verbs.into_iter().zip(rounds) {
        // A median tells how quiet the machine was.
        let (least, loop_ns) = (least(&ours), least(&theirs));
        let middle = format!("{:.0}", median(ours));
        let instructions = counted.get(&verb.what).map_or("–".to_owned(), u64::to_string);
        let numbers =
            [format!("{least:.0}"), middle, format!("{loop_ns:.0}"), format!("{:.2}", least / loop_ns), instructions];
        table.row([vec![verb.what], numbers.to_vec()].concat());
    }
    table
}

/// How much faster than real time the verbs of the hydraulic systems run, by the time that their steps took.
fn real_time() -> Table {
    let mut table = Table::new("what | > times faster than real time");
    for verb in ["crane", "actuator"] {
        let factor = |_| {
            let output = Command::new(program()).args([verb, "--json"]).output().expect("the program runs");
            assert!(output.status.success(), "{verb}: {output:?}");
            let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
            let time = |name: &str| result[name].as_f64().expect("a time");
            time("end_s") / time("wall_s")
        };
        table.row([format!("{verb}, H = 16 ms"), format!("{:.0}", (0..5).map(factor).fold(0.0, f64::max))]);
    }
    table
}

fn least(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}

fn page(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/bench").join(name)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let has = |option: &str| arguments.iter().any(|a| a == option);
    let folder = tempfile::tempdir().expect("a folder");
    let _open = factory::open_all().expect("the FMUs open");
    let tables = [times(folder.path()), real_time()];
    tables.iter().for_each(|table| println!("{}", table.terminal()));
    if has("--write") {
        // What stands before and after the table on the page is written by hand.
        let text = std::fs::read_to_string(page("verbs.md")).expect("the page");
        let (before, rest) = text.split_once(BEGIN).expect("where the table begins");
        let (_, after) = rest.split_once(END).expect("where the table ends");
        let tables = tables.map(|table| table.markdown()).join("\n");
        let text = format!("{before}{BEGIN}\n{tables}\n{END}{after}");
        std::fs::write(page("verbs.md"), text).expect("the page is written");
    }
}
