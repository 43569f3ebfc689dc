//! Slaves that misbehave in a system: one error with the name of the unit, and the rows of all units until then.

use std::sync::OnceLock;

use rayon::prelude::*;

use crate::make;
use crate::run::{Left, macrostep};

/// What one of two units does in its step from t = 0.4 s.
pub struct Fall {
    pub title: &'static str,
    at_step: &'static str,
    /// What is said where all run in one process; `None`: it takes the machine's memory.
    alone: Option<&'static str>,
    says: &'static str,
}

const FALLS: &[Fall] = &[
    Fall {
        title: "a unit that crashes",
        at_step: "raise(SIGSEGV)",
        alone: Some("was ended by signal 11 (SIGSEGV"),
        says: "was ended by signal 11 (SIGSEGV",
    },
    Fall {
        title: "a unit that ends the program",
        at_step: "exit(0)",
        alone: Some("ended itself with status 0"),
        says: "ended itself with status 0",
    },
    Fall {
        title: "a unit that hangs",
        at_step: "for (;;) pause()",
        alone: Some("no answer within 2 s"),
        says: "no answer within 2 s",
    },
    Fall {
        title: "a unit that wants all memory",
        at_step: "for (;;) memset(malloc(1 << 20), 1, 1 << 20)",
        alone: None,
        says: "`--memory-limit`",
    },
    Fall { title: "a unit that fails", at_step: "return ERROR", alone: Some("fmi2Error"), says: "fmi2Error" },
];

const SYSTEM: &str = include_str!("../cases/hostile/good-and-bad.toml");

const ISOLATED: &[&str] = &["--isolate", "--call-limit", "2", "--memory-limit", "128"];

fn meet(fall: &Fall, folder: &str, more: &[&str]) -> Left {
    let folder = make::folder(&format!("{folder}/{}", fall.title.replace(' ', "_")));
    std::fs::write(folder.join("good.fmu"), make::fmu(make::XML, &[])).expect("the FMU");
    std::fs::write(folder.join("bad.fmu"), make::fmu(make::XML, &[("AT_STEP", fall.at_step)])).expect("the FMU");
    std::fs::write(folder.join("system.toml"), SYSTEM).expect("the system");
    macrostep(&folder, &[&["run", "system.toml", "--out", "out"], more].concat())
}

/// A fall, and what was left of the run.
pub struct Met {
    pub fall: &'static Fall,
    pub left: Left,
}

/// All in processes of their own.
pub fn isolated() -> &'static [Met] {
    static MET: OnceLock<Vec<Met>> = OnceLock::new();
    MET.get_or_init(|| {
        FALLS.par_iter().map(|fall| Met { fall, left: meet(fall, "systems_isolated", ISOLATED) }).collect()
    })
}

/// All go back by fork; what is met is checked.
pub fn forked() {
    let forked = ["--correct", "newton", "--call-limit", "2", "--memory-limit", "128"];
    FALLS.par_iter().for_each(|fall| {
        let left = meet(fall, "systems_forked", &forked);
        check(fall.title, &left, fall.says);
        let error = left.error();
        assert!(error.contains("unit `bad`: fmi2DoStep"), "{}: {error}", fall.title);
    });
}

fn check(title: &str, left: &Left, says: &str) {
    assert_eq!(left.code, Some(1), "{title}: {left:#?}");
    let error = left.error();
    assert!(error.contains(says), "{title}: `{says}` is not in {error}");
    let rows = left.rows.as_ref().expect("rows");
    assert_eq!(rows.len(), 5, "{title}: {left:#?}");
    for (n, row) in rows.iter().enumerate() {
        let time: f64 = row.split(',').next().and_then(|t| t.parse().ok()).expect("a time");
        assert!((time - 0.1 * n as f64).abs() < 1e-12, "{title}: row {n} is {row}");
        assert_eq!(row.matches(',').count(), 2, "{title}: row {n} is {row}");
    }
}

#[test]
fn systems_of_isolated_units_lose_nothing() {
    for Met { fall, left } in isolated() {
        check(fall.title, left, fall.says);
        let error = left.error();
        let both = error.contains("unit `bad`: fmi2DoStep") && error.contains("5 rows up to t = 0.4 s");
        assert!(both, "{}: {error}", fall.title);
    }
}

#[test]
fn systems_in_one_process_lose_no_row() {
    for fall in FALLS {
        if let Some(says) = fall.alone {
            check(fall.title, &meet(fall, "systems_alone", &["--call-limit", "2"]), says);
        }
    }
}

/// What can be instantiated only once in a process runs twice in two.
#[test]
fn a_single_instance_runs_twice() {
    let folder = make::folder("once");
    let xml = make::replaced("canHandle", "canBeInstantiatedOnlyOncePerProcess=\"true\" canHandle");
    std::fs::write(folder.join("good.fmu"), make::fmu(&xml, &[])).expect("the FMU");
    let same = SYSTEM.replace("bad.fmu", "good.fmu");
    std::fs::write(folder.join("system.toml"), same).expect("the system");
    for isolation in [&[][..], &["--isolate"]] {
        let left = macrostep(&folder, &[&["run", "system.toml", "--out", "out"], isolation].concat());
        assert_eq!(left.code, Some(0), "{left:#?}");
        assert_eq!(left.rows.expect("rows").len(), 11);
    }
}

/// Integers through a table of the scenario, and the error where it has no line for a value.
#[test]
fn tables_of_connections_are_used() {
    let folder = make::folder("tables");
    let input = "<ScalarVariable name=\"mode\" valueReference=\"3\" causality=\"input\" variability=\"discrete\"><Integer start=\"0\"/></ScalarVariable>";
    let xml = make::replaced("</ModelVariables>", &format!("{input}</ModelVariables>"));
    std::fs::write(folder.join("good.fmu"), make::fmu(&xml, &[])).expect("the FMU");
    let run = |table: &str| {
        let wire = format!("\"bad.mode\" = {{ from = \"good.steps\", table = {table} }}\n");
        let system = SYSTEM.replace("bad.fmu", "good.fmu");
        std::fs::write(folder.join("system.toml"), format!("{system}{wire}")).expect("the system");
        macrostep(&folder, &["run", "system.toml", "--out", "out"])
    };
    let lines: Vec<String> = (0..=10).map(|n| format!("[{n}, {}]", 10 - n)).collect();
    let whole = run(&format!("[{}]", lines.join(", ")));
    assert_eq!((whole.code, whole.rows.as_ref().map(Vec::len)), (Some(0), Some(11)), "{whole:#?}");
    let short = run("[[0, 1], [1, 2], [2, 3]]");
    assert_eq!((short.code, short.rows.as_ref().map(Vec::len)), (Some(1), Some(3)), "{short:#?}");
    let error = short.error();
    for part in ["unit `good`", "3 of `steps`", "t = 0.3", "the table of its connection has 0, 1, 2"] {
        assert!(error.contains(part), "`{part}` is not in {error}");
    }
    for (table, expected) in [
        ("[[0, true]]", "system.toml:11:1: true in the table for `mode`, expected an integer"),
        ("[[0, 1], [0, 2]]", "system.toml:11:1: 0 twice in the table for `steps`"),
        ("[[0, 1, 2]]", "system.toml:11:1: `[0, 1, 2]` in a table, expected a value and the one that replaces it"),
    ] {
        let error = run(table).error();
        assert!(error.contains(expected), "{error}");
    }
}

/// Files are where the user has named them, whatever a slave does with the working folder.
#[test]
fn another_working_folder_moves_no_file() {
    let folder = make::folder("elsewhere");
    for name in ["good.fmu", "bad.fmu"] {
        std::fs::write(folder.join(name), make::fmu(make::XML, &[("AT_INSTANTIATE", "chdir(\"/\")")]))
            .expect("the FMU");
    }
    std::fs::write(folder.join("system.toml"), SYSTEM).expect("the system");
    let left = macrostep(&folder, &["run", "system.toml", "--out", "out"]);
    assert_eq!((left.code, left.rows.map(|rows| rows.len())), (Some(0), Some(11)), "{}", left.stderr);
    for name in ["result.json", "scenario.toml", "outputs.svg"] {
        assert!(folder.join("out").join(name).exists(), "{name}");
    }
    let again = macrostep(&folder, &["run", "out/scenario.toml", "--json"]);
    assert_eq!(again.code, Some(0), "{again:#?}");
    // Other verbs that write after slaves have run, each with a file that it leaves.
    let sweep = ["sweep", "system.toml", "--vary", "step=0.1,0.05", "--measure", "top=max(good.x)", "--out", "many"];
    let simulate = ["simulate", "good.fmu", "--out", "alone", "--mat", "alone.mat"];
    let stability = ["stability", "system.toml", "--predict", "hold", "--schedule", "jacobi", "--grid", "2"];
    let stability = [&stability[..], &["--out", "growth"]].concat();
    let tried: [(&[&str], &[&str]); 5] = [
        (&sweep, &["many/runs.csv", "many/result.json"]),
        (&simulate, &["alone/trace.csv", "alone/result.json", "alone.mat"]),
        (&["verify", "system.toml", "--junit", "verify.xml"], &["verify.xml"]),
        (&["graph", "system.toml", "--out", "graph.svg"], &["graph.svg"]),
        (&stability, &["growth/growth.json", "growth/growth.csv"]),
    ];
    for (command, names) in tried {
        let left = macrostep(&folder, command);
        assert_eq!(left.code, Some(0), "{left:#?}");
        names.iter().for_each(|name| assert!(folder.join(name).exists(), "{name}: {left:#?}"));
    }
}
