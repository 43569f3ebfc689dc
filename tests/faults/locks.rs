//! One run a folder and a file, and only files that have an end are read.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::make;
use crate::run::macrostep;

/// A run that takes 20 s, once it has recorded something.
fn begun(folder: &Path) -> Child {
    let slow = make::fmu(make::XML, &[("AT_EVERY_STEP", "if (s->steps > 1) usleep(2000000)")]);
    std::fs::write(folder.join("slow.fmu"), slow).expect("the FMU");
    std::fs::write(folder.join("fast.fmu"), make::fmu(make::XML, &[])).expect("the FMU");
    let mut command = Command::new(env!("CARGO_BIN_EXE_macrostep"));
    command
        .args(["simulate", "slow.fmu", "--out", "out"])
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let child = command.spawn().expect("started");
    let began = Instant::now();
    while std::fs::metadata(folder.join("out/trace.csv")).map_or(0, |m| m.len()) < 20 {
        assert!(began.elapsed() < Duration::from_secs(30), "no rows");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

#[test]
fn a_second_run_into_a_folder_is_refused() {
    let folder = make::folder("locks_folder");
    let mut first = begun(&folder);
    let rows = || std::fs::read_to_string(folder.join("out/trace.csv")).expect("rows");
    let before = rows();
    let simulate = ["simulate", "fast.fmu", "--out", "out"];
    let study = ["oscillator", "--stop", "0.1", "--out", "out"];
    for command in [&simulate[..], &study] {
        let left = macrostep(&folder, command);
        assert_eq!(left.code, Some(1), "{left:#?}");
        assert!(left.error().contains("`out`: another run is writing there"), "{left:#?}");
    }
    let recovered = macrostep(&folder, &["recover", "out/trace.csv"]);
    assert!(recovered.error().contains("`out/trace.csv`: another run is writing there"), "{recovered:#?}");
    assert!(rows().starts_with(&before));
    first.kill().expect("killed");
    first.wait().expect("ended");
    // The process that works ends right after the one that watches it.
    let began = Instant::now();
    while macrostep(&folder, &simulate).code != Some(0) {
        assert!(began.elapsed() < Duration::from_secs(5), "the folder is free again");
    }
}

#[test]
fn a_folder_that_was_made_for_nothing_is_removed() {
    let folder = make::folder("locks_empty");
    assert_eq!(macrostep(&folder, &["simulate", "none.fmu", "--out", "out"]).code, Some(1));
    assert!(!folder.join("out").exists());
}

#[test]
fn a_link_to_nowhere_is_named() {
    let folder = make::folder("locks_link");
    std::fs::write(folder.join("fast.fmu"), make::fmu(make::XML, &[])).expect("the FMU");
    std::os::unix::fs::symlink("nowhere", folder.join("out")).expect("a link");
    let left = macrostep(&folder, &["simulate", "fast.fmu", "--out", "out"]);
    assert_eq!(left.code, Some(1), "{left:#?}");
    assert!(left.error().contains("`out`: found a link to `nowhere`, which does not exist"), "{left:#?}");
}

#[test]
fn devices_and_pipes_are_not_read() {
    let folder = make::folder("locks_devices");
    let fmu = macrostep::embedded::fmu("oscillator1_force").expect("carried");
    std::fs::write(folder.join("mass.fmu"), fmu).expect("the FMU");
    assert!(Command::new("mkfifo").arg(folder.join("pipe.toml")).status().expect("mkfifo").success());
    let commands: [&[&str]; 7] = [
        &["simulate", "/dev/zero"],
        &["simulate", "pipe.toml"],
        &["simulate", "mass.fmu", "--input", "/dev/zero"],
        &["simulate", "mass.fmu", "--input", "pipe.toml"],
        &["simulate", "mass.fmu", "--resume", "/dev/zero"],
        &["run", "pipe.toml"],
        &["recover", "pipe.toml"],
    ];
    for command in commands {
        let left = macrostep(&folder, command);
        assert_eq!(left.code, Some(1), "{left:#?}");
        assert!(left.error().contains("found a device or pipe, expected a file"), "{left:#?}");
    }
}
