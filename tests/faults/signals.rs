//! Interrupts at any moment, for one process or the whole group; and no process that is left behind.

use std::io::{BufRead, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::make;

const PATIENCE: Duration = Duration::from_secs(30);

fn start(folder: &Path, arguments: &[&str]) -> Child {
    let temporary = folder.join("temporary");
    std::fs::create_dir_all(&temporary).expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_macrostep"));
    command.args(arguments).current_dir(folder).env("TMPDIR", temporary).process_group(0);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started")
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether the signal of a closed terminal is ignored by these tests, and so by the programs that they start: under `nohup`.
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")?.trim().chars().last());
    // Signal 1 is the lowest bit.
    ignored.and_then(|digit| digit.to_digit(16)).is_some_and(|bits| bits & 1 == 1)
}

/// What a program said that is to end; one that does not is killed before its rows fill the disk.
fn ended(mut child: Child, sent: &str) -> Output {
    let began = Instant::now();
    while child.try_wait().expect("a process").is_none() {
        if began.elapsed() > PATIENCE {
            signal("-KILL", &format!("-{}", child.id()));
            panic!("{sent} did not end it");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().expect("ended")
}

fn signal(signal: &str, process: &str) {
    assert!(Command::new("kill").args([signal, "--", process]).status().expect("kill").success());
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What is left in the temporary folder.
fn unpacked(folder: &Path) -> usize {
    std::fs::read_dir(folder.join("temporary")).expect("a folder").count()
}

/// An interrupt in the second look ends that look: the run was over before, and everything of it is there.
#[test]
fn an_interrupt_in_the_second_look_leaves_the_run_whole() {
    let folder = make::folder("signals_second_look");
    let waits = [("AT_EVERY_STEP", "struct timespec pause = {0, 20000000}; nanosleep(&pause, NULL)")];
    std::fs::write(folder.join("slave.fmu"), make::fmu(make::XML, &waits)).expect("the FMU");
    let system = include_str!("../cases/faults/two-slaves.toml");
    std::fs::write(folder.join("s.toml"), system).expect("the scenario");
    let mut child = start(&folder, &["run", "s.toml", "--out", "out", "--no-pictures"]);
    let mut errors = std::io::BufReader::new(child.stderr.take().expect("a pipe"));
    let mut said = String::new();
    wait_until("a second look", || {
        errors.read_line(&mut said).expect("a line");
        said.contains("a second run")
    });
    signal("-INT", &child.id().to_string());
    let output = ended(child, "SIGINT");
    errors.read_to_string(&mut said).expect("the rest");
    assert!(output.status.success(), "{output:?} {said}");
    assert!(said.contains("the second look was interrupted"), "{said}");
    assert!(folder.join("out/result.json").is_file());
    assert_eq!(std::fs::read_to_string(folder.join("out/trace.csv")).expect("rows").lines().count(), 42);
}

/// As a batch system ends a job.
#[test]
fn a_signal_for_the_whole_group_ends_a_run_with_a_checkpoint() {
    let folder = make::folder("signals_group");
    let fmu = macrostep::embedded::fmu("oscillator1_force").expect("carried");
    std::fs::write(folder.join("mass.fmu"), fmu).expect("the FMU");
    let fixed = ["simulate", "mass.fmu", "--step", "1e-4", "--stop", "5000", "--out", "out", "--checkpoint", "c.ck"];
    // A terminal that is closed, and what Slurm and limits of processor time send.
    let others = ["-HUP", "-QUIT", "-XCPU", "-USR1"].map(|sent| (sent, &[][..]));
    let common = [("-TERM", &["--isolate"][..]), ("-INT", &["--isolate"]), ("-HUP", &["--isolate"]), ("-TERM", &[])];
    let (ignores_hangup, all) = (ignores_hangup(), common.into_iter().chain(others));
    for (sent, more) in all.filter(|(sent, _)| *sent != "-HUP" || !ignores_hangup) {
        let _ = std::fs::remove_file(folder.join("c.ck"));
        let _ = std::fs::remove_dir_all(folder.join("out"));
        let child = start(&folder, &[&fixed, more].concat());
        wait_until("rows", || std::fs::metadata(folder.join("out/trace.csv")).map_or(0, |m| m.len()) > 10_000);
        signal(sent, &format!("-{}", child.id()));
        let output = ended(child, sent);
        assert_eq!(output.status.code(), Some(1), "{sent} {more:?}: {output:?}");
        let error = error(&output);
        assert!(error.contains("interrupted at t = ") && error.contains("--resume"), "{sent} {more:?}: {error}");
        assert!(folder.join("c.ck").exists(), "{sent} {more:?}");
        assert_eq!(unpacked(&folder), 0, "{sent} {more:?}");
    }
}

#[test]
fn before_anything_is_recorded_the_first_signal_ends_the_program() {
    let folder = make::folder("signals_early");
    let slow = "FILE *f = fopen(\"begun\", \"w\"); fclose(f); for (;;) pause()";
    std::fs::write(folder.join("slow.fmu"), make::fmu(make::XML, &[("AT_INSTANTIATE", slow)])).expect("the FMU");
    let system = "[experiment]\nstop = 1.0\nstep = 0.1\n[units.a]\nfmu = \"slow.fmu\"\n";
    std::fs::write(folder.join("system.toml"), system).expect("the system");
    let run = ["run", "system.toml", "--isolate"];
    for more in [&run[..2], &run, &["simulate", "slow.fmu", "--out", "out"]] {
        let _ = std::fs::remove_file(folder.join("begun"));
        let child = start(&folder, more);
        wait_until("instantiated", || folder.join("begun").exists());
        let began = Instant::now();
        signal("-TERM", &child.id().to_string());
        let output = child.wait_with_output().expect("ended");
        assert_eq!(output.status.signal(), Some(15), "{output:?}");
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
        assert_eq!(unpacked(&folder), 0);
    }
}

#[test]
fn a_call_that_never_ends_does_not_keep_an_interrupt_waiting() {
    let folder = make::folder("signals_busy");
    std::fs::write(folder.join("busy.fmu"), make::fmu(make::XML, &[("AT_STEP", "for (;;) depth++")])).expect("the FMU");
    let child = start(&folder, &["simulate", "busy.fmu", "--out", "out"]);
    wait_until("rows", || std::fs::read_to_string(folder.join("out/trace.csv")).is_ok_and(|t| t.lines().count() == 6));
    signal("-TERM", &child.id().to_string());
    let output = child.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let error = error(&output);
    for part in ["unit `busy`: fmi2DoStep", "interrupted, and no communication point", "5 rows up to t = 0.4 s"] {
        assert!(error.contains(part), "`{part}`: {error}");
    }
}

#[test]
fn the_second_signal_ends_the_program_at_once() {
    let folder = make::folder("signals_second");
    std::fs::write(folder.join("busy.fmu"), make::fmu(make::XML, &[("AT_STEP", "for (;;) pause()")])).expect("the FMU");
    let child = start(&folder, &["simulate", "busy.fmu", "--out", "out"]);
    wait_until("rows", || std::fs::read_to_string(folder.join("out/trace.csv")).is_ok_and(|t| t.lines().count() == 6));
    let began = Instant::now();
    signal("-INT", &child.id().to_string());
    std::thread::sleep(Duration::from_millis(300));
    signal("-INT", &child.id().to_string());
    let output = child.wait_with_output().expect("ended");
    assert_eq!(output.status.signal(), Some(2), "{output:?}");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

/// As `timeout` ends a program: a signal for the process, and at once another one for its group.
#[test]
fn two_signals_in_a_moment_are_one() {
    let folder = make::folder("signals_twice");
    let slow = [("AT_EVERY_STEP", "usleep(200000)")];
    std::fs::write(folder.join("slow.fmu"), make::fmu(make::XML, &slow)).expect("the FMU");
    let child = start(&folder, &["simulate", "slow.fmu", "--out", "out"]);
    wait_until("rows", || std::fs::read_to_string(folder.join("out/trace.csv")).is_ok_and(|t| t.lines().count() >= 3));
    signal("-TERM", &child.id().to_string());
    std::thread::sleep(Duration::from_millis(20));
    signal("-TERM", &format!("-{}", child.id()));
    let output = child.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(error(&output).contains("interrupted at t = "), "{output:?}");
}

/// Processes with this folder in their environment.
fn alive(folder: &Path) -> Vec<String> {
    let mark = format!("TMPDIR={}", folder.join("temporary").display());
    let processes = std::fs::read_dir("/proc").expect("processes").flatten().map(|e| e.path());
    let own = |path: &std::path::PathBuf| {
        std::fs::read(path.join("environ")).is_ok_and(|e| e.split(|b| *b == 0).any(|v| v == mark.as_bytes()))
    };
    processes.filter(own).map(|p| p.display().to_string()).collect()
}

#[test]
fn killed_while_it_starts_the_program_leaves_no_process() {
    let folder = make::folder("signals_orphans");
    std::fs::write(folder.join("slave.fmu"), make::fmu(make::XML, &[("AT_EVERY_STEP", "usleep(1000)")]))
        .expect("the FMU");
    for delay_ms in (4..=40).step_by(4) {
        for more in [&["--isolate"][..], &[]] {
            let fixed = ["simulate", "slave.fmu", "--step", "1e-3", "--stop", "1000"];
            let mut child = start(&folder, &[&fixed, more].concat());
            std::thread::sleep(Duration::from_millis(delay_ms));
            child.kill().expect("killed");
            child.wait().expect("ended");
        }
    }
    wait_until("a process is left", || alive(&folder).is_empty());
}

/// The master may be gone before its slave looks for it.
#[test]
fn a_slave_without_its_master_ends() {
    let folder = make::folder("signals_alone");
    let memory =
        std::fs::File::options().read(true).write(true).create(true).truncate(true).open(folder.join("memory"));
    let memory = memory.expect("a file");
    memory.set_len(256 << 20).expect("its length");
    let mut slave = Command::new(env!("CARGO_BIN_EXE_macrostep"));
    slave.args([macrostep_import::isolation::ARGUMENT, "4194305"]).stdin(memory).process_group(0);
    let mut slave = slave.spawn().expect("started");
    let began = Instant::now();
    while slave.try_wait().expect("its status").is_none() {
        if began.elapsed() > Duration::from_secs(5) {
            slave.kill().expect("killed");
            panic!("a slave waits for a master that is not there");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
