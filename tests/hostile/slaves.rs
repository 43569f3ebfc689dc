//! Slaves that misbehave in a call: alone in the program's process, and in one of their own.

use std::sync::OnceLock;

use rayon::prelude::*;

use crate::make;
use crate::run::{Left, macrostep};

/// What a hazard does to a program that has it in its own process.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Alone {
    /// The same as in another process.
    Same,
    /// It ends the program, which says so.
    Ends(&'static str),
    /// It takes the program with it or away from it for ever: not tried.
    Deadly,
}

/// A hazard, and what is left of a run.
pub struct Hazard {
    pub title: &'static str,
    /// Macros of `slave.c`.
    defines: &'static [(&'static str, &'static str)],
    alone: Alone,
    /// Exit code.
    code: i32,
    /// What the error says; empty where the run is to succeed.
    says: &'static [&'static str],
    /// Rows in the file; 5 are those of t = 0 … 0.4 s, 11 are all.
    rows: Option<usize>,
}

const IN_STEP: &str = "unit `slave`: fmi2DoStep returned";
const SEGV: &str = "was ended by signal 11 (SIGSEGV";

const fn in_step(
    title: &'static str,
    defines: &'static [(&'static str, &'static str)],
    alone: Alone,
    says: &'static [&'static str],
) -> Hazard {
    Hazard { title, defines, alone, code: 1, says, rows: Some(5) }
}

const fn harmless(title: &'static str, defines: &'static [(&'static str, &'static str)]) -> Hazard {
    Hazard { title, defines, alone: Alone::Same, code: 0, says: &[], rows: Some(11) }
}

const HAZARDS: &[Hazard] = &[
    in_step(
        "a slave that crashes in a step",
        &[("AT_STEP", "raise(SIGSEGV)")],
        Alone::Same,
        &[IN_STEP, SEGV, "t = 0.4 s", "5 rows"],
    ),
    in_step(
        "a slave that writes to address 0",
        &[("AT_STEP", "*(volatile int *)0 = 1")],
        Alone::Same,
        &[IN_STEP, SEGV],
    ),
    in_step("a slave that aborts", &[("AT_STEP", "abort()")], Alone::Same, &[IN_STEP, "signal 6 (SIGABRT"]),
    in_step(
        "a slave that divides by zero",
        &[("AT_STEP", "raise(SIGFPE)")],
        Alone::Same,
        &[IN_STEP, "signal 8 (SIGFPE"],
    ),
    in_step(
        "a slave without a bottom to its recursion",
        &[("AT_STEP", "depth = -1; deeper(0)")],
        Alone::Same,
        &[IN_STEP, SEGV],
    ),
    in_step(
        "a slave that crashes on a thread of its own",
        &[("AT_STEP", "pthread_t t; pthread_create(&t, 0, crash, 0); pthread_join(t, 0)")],
        Alone::Same,
        &[IN_STEP, SEGV],
    ),
    in_step(
        "a slave that ends the program with status 0",
        &[("AT_STEP", "exit(0)")],
        Alone::Same,
        &[IN_STEP, "ended itself with status 0"],
    ),
    in_step(
        "a slave that ends the process at once",
        &[("AT_STEP", "_exit(0)")],
        Alone::Same,
        &[IN_STEP, "ended itself with status 0"],
    ),
    in_step(
        "a step that never ends",
        &[("AT_STEP", "for (;;) pause()")],
        Alone::Same,
        &[IN_STEP, "no answer within 2 s", "--call-limit"],
    ),
    in_step(
        "a step that never ends and keeps a processor busy",
        &[("AT_STEP", "for (;;) depth++")],
        Alone::Same,
        &[IN_STEP, "no answer within 2 s"],
    ),
    in_step(
        "a slave that stops its process",
        &[("AT_STEP", "raise(SIGSTOP)")],
        Alone::Same,
        &[IN_STEP, "no answer within 2 s"],
    ),
    in_step(
        "memory without bound",
        &[("AT_STEP", "for (;;) memset(malloc(1 << 20), 1, 1 << 20)")],
        Alone::Deadly,
        &[IN_STEP, "MiB of memory", "--memory-limit"],
    ),
    in_step("a slave that is killed", &[("AT_STEP", "kill(getpid(), SIGKILL)")], Alone::Same, &[IN_STEP, "signal 9"]),
    in_step(
        "fmi2Error with a reason",
        &[("AT_STEP", "TELL(ERROR, \"the flux of %s is %g\", \"coil 1\", 1e9); return ERROR")],
        Alone::Same,
        &[IN_STEP, "fmi2Error", "the flux of coil 1 is 1e+09"],
    ),
    in_step("fmi2Fatal", &[("AT_STEP", "return FATAL"), ("AT_FREE", "abort()")], Alone::Same, &[IN_STEP, "fmi2Fatal"]),
    in_step(
        "fmi2Discard half way, time and again",
        &[("AT_STEP", "s->steps = 4; s->reached = t + 1e-9; return DISCARD")],
        Alone::Same,
        &["unit `slave` did not finish the step of 0.1 s from t = 0.4 s", "smaller macro step"],
    ),
    in_step(
        "fmi2Discard without progress",
        &[("AT_STEP", "s->reached = t; return DISCARD")],
        Alone::Same,
        &["unit `slave` did not finish the step of 0.1 s from t = 0.4 s", "it reached 0.4 s"],
    ),
    in_step("fmi2Pending for ever", &[("AT_STEP", "return PENDING")], Alone::Same, &["fmi2"]),
    in_step(
        "a status that is none",
        &[("AT_STEP", "return 42")],
        Alone::Same,
        &[IN_STEP, "unknown status 42", "expected 0 to 5"],
    ),
    in_step(
        "a crash when it is read",
        &[("AT_GET", "raise(SIGSEGV)")],
        Alone::Same,
        &["fmi2GetReal returned nothing at t = 0.5 s", SEGV],
    ),
    Hazard {
        title: "a crash when it is loaded",
        defines: &[("AT_LOAD", "raise(SIGSEGV)")],
        alone: Alone::Same,
        code: 1,
        says: &["fmi2Instantiate", SEGV],
        rows: None,
    },
    Hazard {
        title: "an end of the program when it is loaded",
        defines: &[("AT_LOAD", "_exit(0)")],
        alone: Alone::Same,
        code: 1,
        says: &["fmi2Instantiate", "status 0"],
        rows: None,
    },
    Hazard {
        title: "a crash when it is instantiated",
        defines: &[("AT_INSTANTIATE", "abort()")],
        alone: Alone::Same,
        code: 1,
        says: &["fmi2Instantiate", "SIGABRT"],
        rows: None,
    },
    Hazard {
        title: "no instance",
        defines: &[("AT_INSTANTIATE", "return NULL")],
        alone: Alone::Same,
        code: 1,
        says: &["fmi2Instantiate returned NULL and logged nothing"],
        rows: None,
    },
    Hazard {
        title: "another GUID in the library",
        defines: &[("GUID", "\"{other}\"")],
        alone: Alone::Same,
        code: 1,
        says: &["fmi2Instantiate returned NULL", "GUID is {hostile}, expected {other}"],
        rows: None,
    },
    Hazard {
        title: "missing functions",
        defines: &[("OTHER_NAMES", "1")],
        alone: Alone::Same,
        code: 1,
        says: &["library `binaries/linux64/hostile.so` lacks fmi2GetReal, fmi2DoStep"],
        rows: None,
    },
    Hazard {
        title: "a crash at the end",
        defines: &[("AT_TERMINATE", "raise(SIGSEGV)")],
        alone: Alone::Same,
        code: 1,
        says: &["fmi2Terminate", SEGV, "11 rows"],
        rows: Some(11),
    },
    Hazard {
        title: "a crash when it is freed",
        defines: &[("AT_FREE", "abort()")],
        alone: Alone::Ends("SIGABRT"),
        code: 0,
        says: &[],
        rows: Some(11),
    },
    harmless("no platform of its types", &[("PLATFORM", "NULL")]),
    harmless("results of its own on standard output", &[("AT_STEP", "puts(\"{\\\"rows\\\": 0}\"); fflush(stdout)")]),
    harmless(
        "messages of every shape",
        &[(
            "AT_STEP",
            "SAY(OK, \"c\", \"100% done\"); SAY(42, 0, \"%n\"); SAY(OK, \"c\", 0); TELL(OK, \"%s\\n\\033[2J\", (char *)0)",
        )],
    ),
    harmless("another working folder", &[("AT_STEP", "chdir(\"/\")")]),
];

/// A hazard that only another process survives without a trace.
const CLOSED: Hazard = harmless("closed descriptors", &[("AT_STEP", "for (int i = 0; i < 1024; i++) close(i)")]);

/// A hazard, and what was left of the run.
pub struct Met {
    pub hazard: &'static Hazard,
    pub left: Left,
}

/// A hazard as an FMU of a version of FMI.
fn meet(hazard: &'static Hazard, version: u32, folder: &str, more: &[&str]) -> Met {
    let folder = make::folder(&format!("{folder}/{}", hazard.title.replace(' ', "_")));
    let fmu = if version == 3 { make::fmu_3(hazard.defines) } else { make::fmu(make::XML, hazard.defines) };
    std::fs::write(folder.join("slave.fmu"), fmu).expect("the FMU");
    let arguments = ["simulate", "slave.fmu", "--out", "out", "--json", "--call-limit", "2"];
    Met { hazard, left: macrostep(&folder, &[&arguments, more].concat()) }
}

/// All hazards as FMUs of FMI 2.0 in processes of their own.
pub fn isolated() -> &'static [Met] {
    static MET: OnceLock<Vec<Met>> = OnceLock::new();
    MET.get_or_init(|| isolated_of(2))
}

fn isolated_of(version: u32) -> Vec<Met> {
    let more = ["--isolate", "--memory-limit", "128"];
    let all: Vec<&Hazard> = HAZARDS.iter().chain([&CLOSED]).collect();
    all.into_par_iter().map(|hazard| meet(hazard, version, "isolated", &more)).collect()
}

fn check(met: &Met, code: i32, says: &[&str]) {
    let Met { hazard, left } = met;
    assert_eq!(left.code, Some(code), "{}: {left:#?}", hazard.title);
    assert_eq!(left.rows.as_ref().map(Vec::len), hazard.rows, "{}: {left:#?}", hazard.title);
    for (n, row) in left.rows.iter().flatten().enumerate() {
        let time: f64 = row.split(',').next().and_then(|t| t.parse().ok()).expect("a time");
        assert!((time - 0.1 * n as f64).abs() < 1e-12, "{}: row {n} is {row}", hazard.title);
        assert_eq!(row.matches(',').count(), 2, "{}: row {n} is {row}", hazard.title);
    }
    if code == 0 {
        assert!(!left.stderr.contains("error: "), "{}: {left:#?}", hazard.title);
        let json: serde_json::Value = serde_json::from_str(&left.stdout).expect("one JSON object");
        assert_eq!(json["rows"], 11, "{}", hazard.title);
        return;
    }
    let error = left.error();
    says.iter().for_each(|part| assert!(error.contains(part), "{}: `{part}` is not in {error}", hazard.title));
}

#[test]
fn in_processes_of_their_own_nothing_is_lost() {
    isolated().iter().for_each(|met| check(met, met.hazard.code, met.hazard.says));
}

#[test]
fn in_one_process_what_can_be_survived_is_survived() {
    alone(2).iter().for_each(|met| match met.hazard.alone {
        Alone::Ends(word) => check(met, 1, &[word, "--isolate"]),
        _ => check(met, met.hazard.code, met.hazard.says),
    });
}

/// All hazards in the process of the program, but for those that nothing survives.
fn alone(version: u32) -> Vec<Met> {
    let tried: Vec<&Hazard> = HAZARDS.iter().filter(|h| h.alone != Alone::Deadly).collect();
    tried.into_par_iter().map(|hazard| meet(hazard, version, "alone", &[])).collect()
}

/// The same slaves in FMI 3.0, whose functions have other names, where a status 5 is none and a discarded step has got nowhere.
#[test]
fn the_same_slaves_in_fmi_3_do_no_more_harm() {
    let words = |met: &Met| -> Vec<String> {
        let names = [("fmi2", "fmi3"), ("fmi3Instantiate", "fmi3InstantiateCoSimulation"), ("Real", "Float64")];
        let other = [("0 to 5", "0 to 4"), ("linux64", "x86_64-linux")];
        let renamed = |word: &&str| {
            names.iter().chain(&other).fold((*word).to_owned(), |word, (from, to)| word.replace(from, to))
        };
        met.hazard.says.iter().map(renamed).collect()
    };
    for met in isolated_of(3) {
        let words = words(&met);
        check(&met, met.hazard.code, &words.iter().map(String::as_str).collect::<Vec<_>>());
    }
    for met in alone(3) {
        match met.hazard.alone {
            Alone::Ends(word) => check(&met, 1, &[word, "--isolate"]),
            _ => check(&met, met.hazard.code, &words(&met).iter().map(String::as_str).collect::<Vec<_>>()),
        }
    }
}

#[test]
fn closed_descriptors_in_one_process_lose_no_row() {
    let Met { left, .. } = meet(&CLOSED, 2, "alone", &[]);
    // Standard output is closed for good, so that the summary is lost and the error says so.
    assert_eq!(left.code, Some(1), "{left:#?}");
    assert!(left.error().contains("standard output`: it was closed in the run"), "{left:#?}");
    assert_eq!(left.rows.as_ref().map(Vec::len), Some(11), "{left:#?}");
}

#[test]
fn types_of_all_kinds_are_recorded_and_set() {
    let folder = make::folder("types");
    std::fs::write(folder.join("slave.fmu"), make::fmu(make::XML, &[])).expect("the FMU");
    let fixed = ["simulate", "slave.fmu", "--stop", "0.3", "--out", "out", "--start", "text=so, \"quoted\""];
    let named = [
        "--output-variable",
        "text",
        "--output-variable",
        "flag",
        "--output-variable",
        "x",
        "--start-value",
        "flag",
        "true",
    ];
    for more in [&[][..], &["--isolate"]] {
        let left = macrostep(&folder, &[&fixed, &named[..], more].concat());
        assert_eq!(left.code, Some(0), "{left:#?}");
        let rows = left.rows.expect("rows");
        assert_eq!(rows[0], "0,0,1,\"so, \"\"quoted\"\"\"");
        // A string that is NULL is empty.
        assert!(rows[3].starts_with("0.30000000000000004,0.3") && rows[3].ends_with(",1,"), "{rows:?}");
    }
}
