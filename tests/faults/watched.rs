//! A slave in the program's own process that ends it in different ways: each end is an error with unit, call, time and
//! rows.

use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::make;
use crate::run::{Left, macrostep};

fn folder(name: &str, defines: &[(&str, &str)]) -> PathBuf {
    let folder = make::folder(name);
    std::fs::write(folder.join("slave.fmu"), make::fmu(make::XML, defines)).expect("the FMU");
    let system = "[experiment]\nstop = 1.0\nstep = 0.1\n[units.slave]\nfmu = \"slave.fmu\"\n";
    std::fs::write(folder.join("system.toml"), system).expect("the system");
    folder
}

const SIMULATE: &[&str] = &["simulate", "slave.fmu", "--out", "out", "--call-limit", "2"];
const RUN: &[&str] = &["run", "system.toml", "--out", "out", "--call-limit", "2", "--no-pictures"];

#[test]
fn no_end_of_the_program_is_silent_or_a_success() {
    let ends = [
        ("_exit(0)", "ended itself with status 0"),
        ("_exit(3)", "ended itself with status 3"),
        ("quick_exit(0)", "ended itself with status 0"),
        ("execlp(\"true\", \"true\", NULL)", "ended itself with status 0"),
        ("execlp(\"sleep\", \"sleep\", \"60\", NULL)", "no answer within 2 s"),
        ("raise(SIGTRAP)", "signal 5"),
        ("raise(SIGSYS)", "signal 31"),
        ("raise(SIGALRM)", "signal 14"),
        // Ignored where the test itself runs without a terminal.
        ("signal(SIGHUP, SIG_DFL); raise(SIGHUP)", "signal 1"),
        // SIGUSR1, SIGXCPU and their like ask a run to end, whoever sends them: tests of signals have them.
        ("signal(SIGSEGV, SIG_IGN); *(volatile int *)0 = 1", "signal 11 (SIGSEGV"),
        ("pthread_exit(NULL)", ""),
        ("for (;;) pause()", "no answer within 2 s"),
    ];
    let commands = [SIMULATE, RUN];
    let tried: Vec<_> =
        ends.iter().enumerate().flat_map(|(n, end)| commands.map(|command| (n, end, command))).collect();
    tried.into_par_iter().for_each(|(n, (end, says), command)| {
        let folder = folder(&format!("watched/{}{n}", command[0]), &[("AT_STEP", end)]);
        let left = macrostep(&folder, command);
        assert_eq!(left.code, Some(1), "{end}: {left:#?}");
        let error = left.error();
        for part in [
            "unit `slave`: fmi2DoStep returned nothing at t = 0.4 s",
            says,
            "`--isolate`",
            "5 rows up to t = 0.4 s are in `out/",
        ] {
            assert!(error.contains(part), "{end}: `{part}`: {error}");
        }
        assert_eq!(left.rows.as_ref().map(Vec::len), Some(5), "{end}: {left:#?}");
    });
}

/// A heap that is broken in a step crashes whoever uses it next.
#[test]
fn a_broken_heap_is_an_error_whenever_it_shows() {
    for (n, broken) in [
        "char *p = malloc(24); memset(p - 16, 0x41, 4096)",
        "void *p = malloc(2000); malloc(16); free(p); memset(p, 0x41, 2000)",
    ]
    .iter()
    .enumerate()
    {
        let folder = folder(&format!("watched_heap{n}"), &[("AT_STEP", broken)]);
        for command in [SIMULATE, RUN] {
            let left = macrostep(&folder, command);
            let is_error = left.code == Some(1) && left.stderr.lines().any(|line| line.starts_with("error: "));
            // Where nobody has stumbled over it, the results are there.
            let is_whole = left.code == Some(0) && left.rows.as_ref().map(Vec::len) == Some(11);
            assert!(is_error || is_whole, "{left:#?}");
        }
    }
}

#[test]
fn rows_and_tables_stay_apart_where_descriptors_are_closed() {
    for (command, file) in [(SIMULATE, "out/trace.csv"), (RUN, "out/trace.csv")] {
        let closes = "for (int i = 3; i < 1024; i++) close(i)";
        let folder = folder(&format!("watched_closed_{}", command[0]), &[("AT_STEP", closes)]);
        let left = macrostep(&folder, command);
        assert_eq!(left.code, Some(1), "{left:#?}");
        assert!(left.error().contains("standard output`: it was closed in the run"), "{left:#?}");
        let rows = std::fs::read_to_string(folder.join(file)).expect("rows");
        assert_eq!(rows.lines().count(), 12, "{rows}");
        let width = |row: &str| row.matches(',').count();
        assert!(rows.lines().all(|row| width(row) == rows.lines().next().map_or(0, width)), "{rows}");
    }
}

#[test]
fn rows_that_a_slave_takes_away_are_missed() {
    for (n, (deed, says)) in [
        ("unlink(\"out/trace.csv\")", "No such file"),
        ("truncate(\"out/trace.csv\", 10)", "bytes"),
        ("unlink(\"out/trace.csv\"); fclose(fopen(\"out/trace.csv\", \"w\"))", "another file of this name"),
    ]
    .iter()
    .enumerate()
    {
        for more in [&[][..], &["--isolate"]] {
            let folder = folder(&format!("watched_rows{n}{}", more.len()), &[("AT_STEP", deed)]);
            let left = macrostep(&folder, &[SIMULATE, more].concat());
            assert_eq!(left.code, Some(1), "{deed}: {left:#?}");
            let error = left.error();
            assert!(error.contains("out/trace.csv`: found ") && error.contains(says), "{deed}: {error}");
        }
    }
}

/// The cause of an end may stand in what the slave wrote, and nowhere else: a traceback, a message of a runtime.
#[test]
fn the_last_that_an_isolated_slave_wrote_is_in_the_error() {
    let says = "fputs(\"first\\n\", stderr); fputs(\"cause: it broke\\n\", stdout); fflush(stdout)";
    for (n, end) in ["raise(SIGSEGV)", "_exit(3)", "for (;;) pause()"].iter().enumerate() {
        let folder = folder(&format!("watched_said{n}"), &[("AT_STEP", &format!("{says}; {end}"))]);
        let left = macrostep(&folder, &[SIMULATE, &["--isolate"]].concat());
        assert_eq!(left.code, Some(1), "{end}: {left:#?}");
        assert!(left.error().contains("; it wrote last: first | cause: it broke"), "{end}: {left:#?}");
        assert!(left.stderr.contains("first\ncause: it broke\n"), "{end}: {left:#?}");
    }
}

#[test]
fn a_slave_that_crashes_when_it_is_freed_is_named() {
    let folder = folder("watched_freed", &[("AT_FREE", "raise(SIGSEGV)")]);
    let left = macrostep(&folder, &[SIMULATE, &["--isolate"]].concat());
    assert_eq!((left.code, left.rows.as_ref().map(Vec::len)), (Some(0), Some(11)), "{left:#?}");
    let warning = "warning: unit `slave`: fmi2FreeInstance: its process was ended by signal 11 (SIGSEGV";
    assert!(left.stderr.contains(warning), "{left:#?}");
}

/// Ends with the run and its output, though the slave has started somebody who would hold them open.
#[test]
fn children_of_a_slave_end_with_it() {
    let child = "if (fork() == 0) for (;;) pause(); s->b = 1";
    for (n, (deed, more)) in
        [(child, &["--isolate"][..]), ("if (fork() == 0) for (;;) pause(); raise(SIGSEGV)", &[])].iter().enumerate()
    {
        let folder = folder(&format!("watched_children{n}"), &[("AT_STEP", deed)]);
        let began = Instant::now();
        let output = Command::new(env!("CARGO_BIN_EXE_macrostep"))
            .args(SIMULATE)
            .args(*more)
            .current_dir(&folder)
            .stdin(Stdio::null())
            .output()
            .expect("started");
        assert_eq!(output.status.code(), Some(i32::from(more.is_empty())), "{output:?}");
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    }
}

#[test]
fn a_file_that_may_not_grow_is_an_error_of_the_file() {
    let folder = folder("watched_limit", &[]);
    // As a folder, so that nothing needs to be unpacked.
    let file = std::fs::File::open(folder.join("slave.fmu")).expect("the FMU");
    zip::ZipArchive::new(file).and_then(|mut archive| archive.extract(folder.join("slave"))).expect("unpacked");
    let program = env!("CARGO_BIN_EXE_macrostep");
    let command = format!("ulimit -f 8; exec {program} simulate slave --step 1e-4 --out out");
    let output = Command::new("bash").args(["-c", &command]).current_dir(&folder).output().expect("started");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("trace.csv`: File too large"), "{error}");
}

/// Names of folders are bytes.
#[test]
fn a_temporary_folder_of_any_name_is_fine() {
    let folder = folder("watched_bytes", &[]);
    let temporary = folder.join(std::ffi::OsStr::from_bytes(b"t\xff"));
    std::fs::create_dir(&temporary).expect("a folder");
    for more in [&[][..], &["--isolate"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_macrostep"))
            .args(SIMULATE)
            .args(more)
            .env("TMPDIR", &temporary)
            .current_dir(&folder)
            .output()
            .expect("started");
        assert!(output.status.success(), "{output:?}");
    }
}

/// A library that crashes when it is loaded ends before there is a row.
#[test]
fn rows_are_named_only_where_there_are_some() {
    let folder = folder("watched_none", &[("AT_LOAD", "raise(SIGSEGV)")]);
    let Left { stderr, code, .. } = macrostep(&folder, SIMULATE);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("unit `slave`: fmi2Instantiate returned nothing"), "{stderr}");
    assert!(!stderr.contains("rows up to") && !folder.join("out/trace.csv").exists(), "{stderr}");
}
