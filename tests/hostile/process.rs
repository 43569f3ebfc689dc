//! The program itself ended from outside, and slaves that need processes of their own.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use macrostep_import::fmu::{Fmu, FmuOptions};
use macrostep_import::isolation::{Isolation, Limits};
use macrostep_master::unit::{Outcome, Steps, Unit, Values};
use macrostep_master::{Grid, Method, Simulation, System};

use crate::make;

/// A step that takes 20 ms.
const SLOW: &[(&str, &str)] = &[("AT_STEP", "s->steps = 4; usleep(20000)")];

fn start(folder: &Path, more: &[&str]) -> Child {
    std::fs::write(folder.join("slave.fmu"), make::fmu(make::XML, &[("AT_STEP", "s->steps = 4; usleep(2000)")]))
        .expect("the FMU");
    let fixed = ["simulate", "slave.fmu", "--step", "0.001", "--stop", "1000", "--out", "out", "--json"];
    Command::new(env!("CARGO_BIN_EXE_macrostep"))
        .args(fixed)
        .args(more)
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started")
}

/// Rows in the file, each of them whole.
fn rows(folder: &Path) -> usize {
    let text = std::fs::read_to_string(folder.join("out/trace.csv")).unwrap_or_default();
    assert!(text.is_empty() || text.ends_with('\n'), "a broken row: {:?}", text.lines().last());
    let rows = text.lines().skip(1);
    let times = rows.map(|row| row.split(',').next().and_then(|t| t.parse::<f64>().ok()).expect("a time"));
    times.enumerate().map(|(n, t)| assert!((t - 0.001 * n as f64).abs() < 1e-9, "row {n} is of t = {t}")).count()
}

fn wait_for_rows(folder: &Path, n: usize) {
    let began = Instant::now();
    while rows(folder) < n {
        assert!(began.elapsed() < Duration::from_secs(30), "no rows");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Processes whose parent is this one.
fn children(of: u32) -> Vec<u32> {
    let path = format!("/proc/{of}/task/{of}/children");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().filter_map(|p| p.parse().ok()).collect()
}

/// Folders a killed program leaves are removed by the next one that unpacks something; those of a living one are not.
#[test]
fn what_a_killed_program_leaves_behind_is_removed() {
    let folder = make::folder("left");
    let temporary = make::folder("left/temporary");
    let unpacked = || {
        let entries = std::fs::read_dir(&temporary).expect("a folder").flatten();
        entries.filter(|e| e.file_name().to_string_lossy().starts_with("macrostep-")).count()
    };
    std::fs::write(folder.join("slave.fmu"), make::fmu(make::XML, SLOW)).expect("the FMU");
    let start = || {
        let arguments = ["simulate", "slave.fmu", "--step", "0.001", "--stop", "1000", "--out", "out"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_macrostep"));
        command
            .args(arguments)
            .current_dir(&folder)
            .env("TMPDIR", &temporary)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let child = command.spawn().expect("started");
        wait_for_rows(&folder, 3);
        std::fs::remove_dir_all(folder.join("out")).expect("its rows");
        child
    };
    let mut dead = start();
    kill(&mut dead);
    assert_eq!(unpacked(), 1);
    let mut alive = start();
    assert_eq!(unpacked(), 1, "that of the dead one is gone");
    let third = Command::new(env!("CARGO_BIN_EXE_macrostep"))
        .args(["info", "slave.fmu"])
        .current_dir(&folder)
        .env("TMPDIR", &temporary)
        .output()
        .expect("started");
    assert!(third.status.success() && alive.try_wait().expect("its status").is_none());
    assert_eq!(unpacked(), 1, "that of the living one is there");
    kill(&mut alive);
}

#[test]
fn what_was_recorded_before_a_kill_is_there_and_the_slaves_go_too() {
    for more in [&[][..], &["--isolate"]] {
        let folder = make::folder(&format!("killed{}", more.len()));
        let mut child = start(&folder, more);
        wait_for_rows(&folder, 20);
        // The process that was started watches the one that works.
        let [worker] = children(child.id())[..] else { panic!("one process that works") };
        let slaves = children(worker);
        assert_eq!(slaves.len(), more.len(), "one slave process with `--isolate`");
        kill(&mut child);
        assert!(rows(&folder) >= 20);
        wait_for_the_end(&slaves);
    }
}

/// Kills the program and waits until the process that works is gone, too.
fn kill(child: &mut Child) {
    let workers = children(child.id());
    child.kill().expect("killed");
    assert!(!child.wait().expect("ended").success());
    wait_for_the_end(&workers);
}

fn wait_for_the_end(processes: &[u32]) {
    let began = Instant::now();
    let lives = |p: &u32| Path::new(&format!("/proc/{p}/mem")).exists() && children_state(*p) != 'Z';
    while processes.iter().any(lives) {
        assert!(began.elapsed() < Duration::from_secs(5), "a process outlives its master");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn children_state(process: u32) -> char {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    text.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next()).unwrap_or('Z')
}

#[test]
fn an_interrupt_ends_a_run_cleanly() {
    for more in [&[][..], &["--isolate"]] {
        let folder = make::folder(&format!("interrupted{}", more.len()));
        let child = start(&folder, more);
        wait_for_rows(&folder, 20);
        let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
        assert!(interrupted.success());
        let output = child.wait_with_output().expect("ended");
        assert_eq!(output.status.code(), Some(1));
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains("error: interrupted at t = "), "{error}");
        let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
        assert_eq!(result["rows"].as_u64(), Some(rows(&folder) as u64));
        assert!(folder.join("out/result.json").exists());
    }
}

fn isolation() -> Isolation {
    Isolation::of(env!("CARGO_BIN_EXE_macrostep").into(), Limits::default())
}

#[test]
fn a_slave_that_may_run_once_in_a_process_runs_twice() {
    let once = "<CoSimulation canBeInstantiatedOnlyOncePerProcess=\"true\"";
    let fmu = Fmu::from_bytes("once.fmu", &make::with("<CoSimulation", once)).expect("opened");
    let _first = fmu.instantiate("first", &FmuOptions::default()).expect("one");
    let refused = fmu.instantiate("second", &FmuOptions::default()).map(|_| ()).expect_err("only one");
    assert!(refused.to_string().contains("run each in a process of its own"), "{refused}");
    let mut units = ["a", "b", "c"].map(|name| isolation().instantiate(&fmu, name).expect("an instance"));
    for unit in &mut units {
        unit.setup(0.0, None, None).expect("set up");
        unit.enter_initialization().expect("entered");
        unit.set_real(&[0], &[2.0]).expect("set");
        unit.exit_initialization().expect("left");
        assert_eq!(unit.step(0.0, 0.5, true), Ok(Outcome::Done));
        let mut x = [0.0];
        unit.get_real(&[1], &mut x).expect("read");
        assert_eq!(x, [1.0]);
    }
}

#[test]
fn isolated_slaves_step_at_the_same_time() {
    let fmu = Fmu::from_bytes("slow.fmu", &make::fmu(make::XML, SLOW)).expect("opened");
    let mut system = System::new();
    for name in ["a", "b", "c", "d"] {
        system.add(Box::new(isolation().instantiate(&fmu, name).expect("an instance")));
    }
    let mut simulation = Simulation::new(system, &Method::default(), Grid::uniform(0.1, 10.0)).expect("a simulation");
    simulation.initialise().expect("initialised");
    (0..5).for_each(|_| assert!(simulation.step().is_ok()));
    let began = Instant::now();
    (0..10).for_each(|_| assert!(simulation.step().is_ok()));
    let took = began.elapsed();
    // One after the other they sleep 800 ms.
    assert!(took < Duration::from_millis(500), "{took:?}");
    assert_eq!(simulation.do_steps(), [15; 4]);
}

/// One error for all FMUs of a system, which names the folder and what to do.
#[test]
fn a_temporary_folder_that_is_not_there_is_one_error() {
    let folder = make::folder("no_temporary_folder");
    let system = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/systems/bouncing-ball.toml");
    let mut command = Command::new(env!("CARGO_BIN_EXE_macrostep"));
    let output = command.args(["run", system]).env("TMPDIR", folder.join("gone")).output().expect("started");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), said.lines().count()), (Some(1), 1), "{said}");
    assert!(said.contains("gone`: found No such file"), "{said}");
    assert!(said.contains("set TMPDIR to one that is there"), "{said}");
}
