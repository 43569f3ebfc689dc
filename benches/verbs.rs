//! What the program's verbs cost a macro step, beside a loop written by hand over the same functions of the same FMUs.
//!
//! The verbs are run as they are typed, in processes of their own. Times are the `wall_s` they print: windows, rows and
//! comparisons, without start and end. Loop and verbs take turns, and the table has medians. Instructions are the difference of
//! a long and a short run.
//!
//! ```sh
//! cargo bench --bench verbs                # the table; `-- --write` puts it into docs/bench/verbs.md
//! cargo bench --bench verbs -- --check     # instructions beside those of docs/bench/verbs.json, 2 % allowed
//! cargo bench --bench verbs -- --count     # writes them there
//! ```

mod bare;

use bare::{bare, median};
use macrostep::factory;
use macrostep::pair::Coupling;
use macrostep_plot::table::{Align, Table};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const ROUNDS: usize = 5;
const STEPS: u64 = 500_000;

/// Macro steps of the two runs whose difference is counted.
const COUNTED: [u64; 2] = [10_000, 20_000];

/// Part of the instructions that may differ.
const ALLOWED: f64 = 0.02;

/// A run as it is typed.
struct Verb {
    /// Its row in the table.
    what: &'static str,
    coupling: Coupling,
    /// Keys of the scenario besides the pair; `None`: `macrostep oscillator`.
    keys: Option<&'static str>,
    options: &'static [&'static str],
    has_rows: bool,
}

const LAST: &str = "[record]\nvariables = [\"*.x\"]\nevery = 1000000000\n";
const TWO: &str = "[record]\nvariables = [\"*.x\"]\nevery = 1\n";
const BOND: &str = "[[bonds]]\nname = \"spring\"\nports = [\n    { flow = \"mass1.v\", inputs = { xi = \"k_c\", xi_dot = \"c_c\" } },\n    { flow = \"mass2.v\", inputs = { xi = \"k_c\", xi_dot = \"c_c\" } },\n]\n[record]\nvariables = [\"*.x\"]\nevery = 1000000000\n";

const fn verb(what: &'static str, keys: &'static str, options: &'static [&'static str]) -> Verb {
    Verb { what, coupling: Coupling::DisplacementDisplacement, keys: Some(keys), options, has_rows: false }
}

const VERBS: [Verb; 9] = [
    verb("run, s-s, hold, first and last row", LAST, &[]),
    Verb { coupling: Coupling::ForceDisplacement, ..verb("run, f-s, hold, first and last row", LAST, &[]) },
    Verb { has_rows: true, ..verb("run --out, two variables, every step", TWO, &["--no-pictures"]) },
    Verb { has_rows: true, ..verb("run --out as it is by default (14 outputs, pictures)", "", &[]) },
    verb("run with a power bond, first and last row", BOND, &[]),
    verb("run, linear", LAST, &["--predict", "linear"]),
    verb("run, quadratic", LAST, &["--predict", "quadratic"]),
    verb("run, Newton with hold", LAST, &["--correct", "newton"]),
    Verb {
        keys: None,
        ..verb(
            "oscillator, hold",
            "",
            &["--coupling", "s-s", "--predict", "hold", "--integrator", "sie", "--step", "1e-4"],
        )
    },
];

impl Verb {
    /// The command over so many macro steps, in a folder.
    fn command(&self, folder: &Path, steps: u64) -> Vec<String> {
        let stop = (steps as f64 * bare::STEP_S).to_string();
        let mut words = match self.keys {
            Some(keys) => {
                let path = folder.join("system.toml");
                std::fs::write(&path, scenario(self.coupling, keys)).expect("the scenario is written");
                vec!["run".to_owned(), path.to_string_lossy().into_owned()]
            }
            None => vec!["oscillator".to_owned()],
        };
        words.extend(self.options.iter().map(|word| (*word).to_owned()));
        words.extend(["--stop".to_owned(), stop, "--json".to_owned()]);
        if self.has_rows {
            words.extend(["--out".to_owned(), folder.join("out").to_string_lossy().into_owned()]);
        }
        words
    }

    /// Nanoseconds a macro step takes, rows included.
    fn ns(&self, folder: &Path) -> f64 {
        let output = Command::new(program()).args(self.command(folder, STEPS)).output().expect("the program runs");
        assert!(output.status.success(), "{}: {output:?}", self.what);
        let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        result["wall_s"].as_f64().expect("a time") * 1e9 / STEPS as f64
    }

    /// Instructions of a macro step, where valgrind is installed.
    fn instructions(&self, folder: &Path) -> Option<f64> {
        let [short, long] = COUNTED.map(|steps| counted(&self.command(folder, steps)));
        Some((long? - short?) / (COUNTED[1] - COUNTED[0]) as f64)
    }
}

fn program() -> &'static str {
    env!("CARGO_BIN_EXE_macrostep")
}

/// The pair as a scenario.
fn scenario(coupling: Coupling, keys: &str) -> String {
    let (second, wires) = match coupling {
        Coupling::ForceDisplacement => ("oscillator2_force", "\"mass2.f\" = \"mass1.f_c\"\n"),
        _ => ("oscillator2_displacement", "\"mass2.xi\" = \"mass1.x\"\n\"mass2.xi_dot\" = \"mass1.v\"\n"),
    };
    let unit = |name: &str, model: &str| {
        format!(
            "[units.{name}]\nfmu = \"embedded:{model}\"\nset = {{ integrator = \"semi_implicit_euler\", micro_step = 1e-4 }}\n"
        )
    };
    format!(
        "[experiment]\nstop = 1.0\nstep = 1e-4\n[coupling]\nschedule = \"jacobi\"\npredict = \"hold\"\n{}{}[connections]\n\
         \"mass1.xi\" = \"mass2.x\"\n\"mass1.xi_dot\" = \"mass2.v\"\n{wires}{keys}",
        unit("mass1", "oscillator1_displacement"),
        unit("mass2", second)
    )
}

/// Instructions of the working process of a command.
fn counted(words: &[String]) -> Option<f64> {
    let valgrind = ["--tool=callgrind", "--callgrind-out-file=/dev/null"];
    let output = Command::new("valgrind").args(valgrind).arg(program()).args(words).output().ok()?;
    let text = String::from_utf8_lossy(&output.stderr);
    // The process that watches has counted, too.
    let counts = text.lines().filter_map(|line| line.split_once("Collected :")?.1.trim().parse().ok());
    counts.reduce(f64::max)
}

/// Medians of all rows and of the loop, taking turns.
fn times(folder: &Path) -> Table {
    let right = |name: &'static str| (name, Align::Right);
    let mut table = Table::new([("what", Align::Left), right("ns a step"), right("bare loop [ns]"), right("ratio")]);
    for verb in &VERBS {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            ours.push(verb.ns(folder));
            theirs.push(bare(verb.coupling, STEPS, u64::MAX).0);
        }
        let (ours, theirs) = (median(ours), median(theirs));
        let numbers = [format!("{ours:.0}"), format!("{theirs:.0}"), format!("{:.2}", ours / theirs)];
        table.row([vec![verb.what.to_owned()], numbers.to_vec()].concat());
    }
    table
}

/// Instructions of all rows; empty where valgrind is not installed.
fn counts(folder: &Path) -> BTreeMap<String, f64> {
    VERBS.iter().filter_map(|verb| Some((verb.what.to_owned(), verb.instructions(folder)?.round()))).collect()
}

fn page(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/bench").join(name)
}

/// Compares with what was counted before; false where a row is off.
fn check(found: &BTreeMap<String, f64>) -> bool {
    let text = std::fs::read_to_string(page("verbs.json")).expect("counted before, by `--count`");
    let expected: BTreeMap<String, f64> = serde_json::from_str(&text).expect("JSON");
    let mut is_kept = !found.is_empty();
    for (what, count) in &expected {
        let now = found.get(what).copied().unwrap_or(f64::NAN);
        let is_near = (now / count - 1.0).abs() <= ALLOWED;
        println!("{what}: {now}, before {count}{}", if is_near { "" } else { ", more than 2 % apart" });
        is_kept &= is_near;
    }
    is_kept
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let has = |option: &str| arguments.iter().any(|a| a == option);
    let folder = tempfile::tempdir().expect("a folder");
    if has("--check") {
        return if check(&counts(folder.path())) { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    if has("--count") {
        let text = serde_json::to_string_pretty(&counts(folder.path())).expect("JSON");
        std::fs::write(page("verbs.json"), text + "\n").expect("the counts are written");
        return ExitCode::SUCCESS;
    }
    let _open = factory::open_all().expect("the FMUs open");
    let table = times(folder.path());
    println!("{}", table.terminal());
    if has("--write") {
        let text = format!(
            "# What the program's verbs cost\n\nPrinted by `cargo bench --bench verbs -- --write`.\n\nThe oscillator pair through its \
             FMUs, Jacobi, H = h = 1e-4 s, semi-implicit Euler: `wall_s` of the commands\nas they are typed, over {STEPS} macro \
             steps, beside a loop written by hand over the same functions of the same\nFMUs that records nothing. Medians of \
             {ROUNDS} rounds, taking turns.\n\n{}",
            table.markdown()
        );
        std::fs::write(page("verbs.md"), text).expect("the page is written");
    }
    ExitCode::SUCCESS
}
